#include "tools/gpuproj/output_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/profile_io.hpp"
#include "model/schema.hpp"
#include "tools/gpuproj/output.hpp"

namespace gpuproj {

bool is_stdout(const std::string& file) {
    return file == "-";
}

std::string output_name(const std::string& file) {
    return is_stdout(file) ? "stdout" : file;
}

void check_output(const std::string& file, bool overwrite) {
    if (!is_stdout(file)) check_writable(file, overwrite);
}

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Error(fmt::format("{}: the folder cannot be made ({})", folder.string(), error.message()));
}

void write_output(const std::string& file, std::string_view text, bool overwrite) {
    if (is_stdout(file)) return print_report(text);
    write_file(file, text, overwrite);
}

void write_profile_output(const Profile& profile, const std::string& file, bool overwrite) {
    write_output(file, json_text(profile_to_json(profile)), overwrite);
}

}  // namespace gpuproj
