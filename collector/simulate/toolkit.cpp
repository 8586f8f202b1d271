#include "collector/simulate/toolkit.hpp"

#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace gpuproj::simulate {

namespace fs = std::filesystem;

namespace {

std::optional<fs::path> directory_of_nvcc() {
    const char* const path = std::getenv("PATH");
    if (path == nullptr) return std::nullopt;
    std::istringstream all(path);
    std::error_code error;
    for (std::string directory; std::getline(all, directory, ':');)
        if (fs::is_regular_file(fs::path(directory) / "nvcc", error)) return fs::canonical(directory);
    return std::nullopt;
}

void link_all_but(const std::string& name, const fs::path& of, const fs::path& in) {
    for (const auto& entry : fs::directory_iterator(of))
        if (entry.path().filename() != name) fs::create_symlink(entry.path(), in / entry.path().filename());
}

}  // namespace

std::optional<fs::path> mirror_toolkit(const fs::path& directory, const fs::path& nvcc) {
    const auto programs = directory_of_nvcc();
    if (!programs) return std::nullopt;
    try {
        const fs::path mirrored = directory / programs->filename();
        fs::create_directories(mirrored);
        link_all_but(programs->filename().string(), programs->parent_path(), directory);
        fs::create_symlink(nvcc, mirrored / "nvcc");
        // Where all of the system's programs are (Debian's toolkit), the PATH leads to them.
        constexpr std::ptrdiff_t most = 200;
        if (std::distance(fs::directory_iterator(*programs), {}) <= most) link_all_but("nvcc", *programs, mirrored);
        return mirrored;
    } catch (const fs::filesystem_error&) {
        return std::nullopt;
    }
}

}  // namespace gpuproj::simulate
