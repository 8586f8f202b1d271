#include "tools/gpuproj/input_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "collector/import/recognise.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/plain_text.hpp"
#include "model/profile_io.hpp"
#include "model/schema.hpp"

namespace gpuproj {
namespace {

std::string read_stdin() {
    std::string text;
    std::array<char, 1 << 16> part{};
    while (true) {
        const auto size = read(STDIN_FILENO, part.data(), part.size());
        if (size == 0) return text;
        if (size > 0) {
            text.append(part.data(), static_cast<std::size_t>(size));
        } else if (errno != EINTR) {
            throw Error(fmt::format("{}: cannot be read ({}); is anything piped into it?", input_name("-"),
                                    std::error_code(errno, std::generic_category()).message()));
        }
    }
}

}  // namespace

bool is_stdin(const std::string& file) {
    return file == "-";
}

std::string input_name(const std::string& file) {
    return is_stdin(file) ? "<stdin>" : file;
}

std::string read_input(const std::string& file) {
    if (!is_stdin(file)) return read_file(file);
    static const std::string text = read_stdin();
    return text;
}

Profile read_profile_input(const std::string& file) {
    const auto name = input_name(file);
    const auto text = plain_text(read_input(file));
    try {
        return profile_from_json(parse_json(text, name), name);
    } catch (const Error&) {
        for (const auto* importer : import::importers()) {
            if (importer->recognises(text))
                throw Error(
                    fmt::format("{}: is no profile but {}; gpuproj import makes one of it", name, importer->name));
        }
        throw;
    }
}

void refuse_stdin_twice(const Words& files) {
    if (std::count_if(files.begin(), files.end(), is_stdin) > 1)
        throw UsageError("-: stdin can be read once, and two of the files are it; name a file for the other");
}

}  // namespace gpuproj
