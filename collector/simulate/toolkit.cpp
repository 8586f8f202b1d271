#include "collector/simulate/toolkit.hpp"

#include <cstddef>
#include <iterator>
#include <string>

#include "collector/launch/launch.hpp"
#include "model/error.hpp"

namespace gpuproj::simulate {

namespace fs = std::filesystem;

namespace {

void link_all_but(const std::string& name, const fs::path& of, const fs::path& in) {
    for (const auto& entry : fs::directory_iterator(of))
        if (entry.path().filename() != name) fs::create_symlink(entry.path(), in / entry.path().filename());
}

}  // namespace

std::optional<fs::path> mirror_toolkit(const fs::path& directory, const fs::path& nvcc) {
    try {
        const fs::path programs = fs::canonical(fs::path(launch::find_program("nvcc")).parent_path());
        const fs::path mirrored = directory / programs.filename();
        fs::create_directories(mirrored);
        link_all_but(programs.filename().string(), programs.parent_path(), directory);
        fs::create_symlink(nvcc, mirrored / "nvcc");
        // Where all of the system's programs are (Debian's toolkit), the PATH leads to them.
        constexpr std::ptrdiff_t most = 200;
        if (std::distance(fs::directory_iterator(programs), {}) <= most) link_all_but("nvcc", programs, mirrored);
        return mirrored;
    } catch (const Error&) {  // no nvcc
        return std::nullopt;
    } catch (const fs::filesystem_error&) {
        return std::nullopt;
    }
}

}  // namespace gpuproj::simulate
