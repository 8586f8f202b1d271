#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "collector/launch/launch.hpp"
#include "model/error.hpp"

namespace gpuproj::launch {

namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_program(const std::string& word) {
    std::error_code error;
    if (word.find('/') == std::string::npos) {
        const char* path = std::getenv("PATH");
        std::istringstream directories(path != nullptr ? path : "/usr/bin:/bin");
        for (std::string directory; std::getline(directories, directory, ':');) {
            const auto candidate = fs::path(directory.empty() ? "." : directory) / word;
            if (is_program(candidate)) return candidate;
        }
        const bool here = fs::exists(word, error);
        throw Error(word + ": no such program in PATH" +
                    (here ? "; for the file in this directory write ./" + word : ""));
    }
    if (!fs::exists(word, error)) throw Error(word + ": no such file; build the application first or correct its path");
    if (fs::is_directory(word, error)) throw Error(word + ": is a directory; name the program in it");
    if (!is_program(word)) throw Error(word + ": not executable; chmod +x it, or name the program that runs it");
    return word;
}

}  // namespace gpuproj::launch
