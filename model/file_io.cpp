#include "model/file_io.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "model/error.hpp"

namespace gpuproj {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& file, std::string_view what) {
    throw Error(fmt::format("{}: {}", file.string(), what));
}

std::string last_error() {
    return std::error_code(errno, std::generic_category()).message();
}

bool is_device(const fs::path& file) {
    std::error_code ignored;
    const auto status = fs::status(file, ignored);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void write_to(const fs::path& place, std::string_view text, const fs::path& asked_for) {
    errno = 0;
    std::ofstream out(place, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) fail(asked_for, fmt::format("cannot be written ({}); check the disk and its permissions", last_error()));
}

}  // namespace

std::string read_file(const fs::path& file) {
    std::error_code ignored;
    if (fs::is_directory(file, ignored)) fail(file, "is a directory, not a file; give a file");
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    if (!in) fail(file, fmt::format("cannot be read ({}); check the name and its permissions", last_error()));
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in.bad()) fail(file, "cannot be read to its end; check the disk");
    return text;
}

void check_writable(const fs::path& file, bool overwrite) {
    std::error_code ignored;
    if (file.empty()) throw Error("the name of the output file is empty; name a file");
    if (file == "-") fail(file, "this cannot go to stdout; name a file (./- is one of that name)");
    if (is_device(file)) return;
    if (fs::is_directory(file, ignored)) fail(file, "is a directory; give a file name");
    if (fs::exists(file, ignored) && !overwrite) fail(file, "exists; choose another name, or overwrite it with -f");
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, ignored)) {
        fail(file, fmt::format("there is no directory {}; create it first", folder.string()));
    }
    if (access(folder.c_str(), W_OK | X_OK) != 0) {
        fail(file, fmt::format("the directory {} is not writable; choose another", folder.string()));
    }
}

void write_file(const fs::path& file, std::string_view text, bool overwrite) {
    check_writable(file, overwrite);
    if (is_device(file)) return write_to(file, text, file);
    std::error_code error;
    const fs::path target = fs::weakly_canonical(file, error);  // a link stays, what it points to is replaced
    const fs::path place = error ? file : target;
    const fs::path temporary = place.parent_path() / fmt::format(".{}.{}.part", place.filename().string(), getpid());
    try {
        write_to(temporary, text, file);
        fs::rename(temporary, place);
    } catch (const fs::filesystem_error& e) {
        fs::remove(temporary, error);
        fail(file, fmt::format("cannot be written ({}); choose another place", e.code().message()));
    } catch (...) {
        fs::remove(temporary, error);
        throw;
    }
}

}  // namespace gpuproj
