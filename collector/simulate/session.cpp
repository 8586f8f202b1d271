#include "collector/simulate/session.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "collector/simulate/toolkit.hpp"
#include "model/error.hpp"

namespace gpuproj::simulate {

namespace {

namespace fs = std::filesystem;

constexpr const char* auditor = "libgpuproj_audit.so";
// The stand-in goes first: its functions take the place of any runtime's.
constexpr std::array preloaded{"libgpuproj_simulate.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0",
                               "libcuda.so.1"};

// Stand-ins for closed libraries: found by name, because few programs want them.
constexpr const char* closed_libraries = "libraries";

bool has_all(const fs::path& directory) {
    const auto is_there = [&](const char* file) { return fs::exists(directory / file); };
    return is_there(auditor) && std::all_of(preloaded.begin(), preloaded.end(), is_there);
}

// The loader splits LD_PRELOAD at spaces and colons, and knows no way to quote them.
bool can_be_preloaded(const fs::path& path) {
    return path.string().find_first_of(" :;") == std::string::npos;
}

std::string with_old_value(const std::string& value, const char* variable) {
    const char* old = std::getenv(variable);
    return old == nullptr || *old == '\0' ? value : value + ":" + old;
}

}  // namespace

fs::path injected_directory() {
    std::error_code error;
    const auto program = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const auto& candidate : {program / "simulate", program / "../lib/gpuproj"})
        if (has_all(candidate)) return fs::canonical(candidate);
    throw Error((program / "simulate").string() +
                ": the libraries of the simulator are not there; build all of gpuproj (cmake --build build)");
}

bool has_stand_in(const std::string& library) {
    return fs::exists(injected_directory() / closed_libraries / library);
}

Session::Session(const records::SessionConfig& config) {
    records::write_config(config, directory());
    fs::create_directory_symlink(injected_directory(), directory() / "lib");
    toolkit_ = mirror_toolkit(directory() / "cuda", injected_directory() / "nvcc");
}

std::vector<std::pair<std::string, std::string>> Session::environment() const {
    fs::path libraries = fs::read_symlink(directory() / "lib");
    if (!can_be_preloaded(libraries)) libraries = directory() / "lib";
    if (!can_be_preloaded(libraries))
        throw Error(directory().string() + ": the loader cannot cope with a space or colon in this path; set TMPDIR");
    std::string preload;
    for (const char* file : preloaded) {
        if (!preload.empty()) preload += ':';
        preload += (libraries / file).string();
    }
    std::vector<std::pair<std::string, std::string>> variables = {
        {records::session_variable, directory().string()},
        {"LD_LIBRARY_PATH", with_old_value((libraries / closed_libraries).string(), "LD_LIBRARY_PATH")},
        {"LD_PRELOAD", with_old_value(preload, "LD_PRELOAD")},
        {"LD_AUDIT", with_old_value((libraries / auditor).string(), "LD_AUDIT")}};
    if (toolkit_) variables.emplace_back("PATH", with_old_value(toolkit_->string(), "PATH"));
    return variables;
}

}  // namespace gpuproj::simulate
