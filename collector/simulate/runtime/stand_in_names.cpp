#include "collector/simulate/runtime/stand_in_names.hpp"

#include <array>
#include <filesystem>

namespace gpuproj::simulate {

namespace {

namespace fs = std::filesystem;

// "libcudart.so.12.4.99": the name up to ".so", and the number that tells which interface it is.
struct LibraryName {
    std::string stem, major;
};

std::optional<LibraryName> parse(const std::string& file) {
    constexpr std::string_view ending = ".so";
    const auto end = file.find(ending);
    if (!file.starts_with("libcu") || end == std::string::npos) return std::nullopt;
    const std::string rest = file.substr(end + ending.size());
    if (!rest.empty() && rest.front() != '.') return std::nullopt;
    const auto dot = rest.find('.', 1);
    return LibraryName{file.substr(0, end), rest.empty() ? "" : rest.substr(1, dot - 1)};
}

}  // namespace

std::optional<std::string> stand_in_for(std::string_view wanted, const std::string& directory) {
    const fs::path path(wanted);
    auto name = parse(path.filename().string());
    if (!name) return std::nullopt;
    std::error_code error;
    if (name->major.empty() && path.has_parent_path()) name = parse(fs::canonical(path, error).filename().string());
    if (!name || name->major.empty()) return std::nullopt;
    for (const fs::path& folder : std::array{fs::path(directory), fs::path(directory) / "libraries"}) {
        if (fs::equivalent(path.parent_path(), folder, error)) return std::nullopt;
        for (const auto& file : fs::directory_iterator(folder, error)) {
            const auto ours = parse(file.path().filename().string());
            if (ours && ours->stem == name->stem && ours->major == name->major) return file.path().string();
        }
    }
    return std::nullopt;
}

}  // namespace gpuproj::simulate
