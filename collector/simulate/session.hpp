// The private directory by which gpuproj and the library it injects talk, and the environment that injects it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/launch/work_directory.hpp"
#include "collector/records/session.hpp"

namespace gpuproj::simulate {

/// Where the libraries to inject are: simulate/ beside the program, or where it was installed. Throws Error if they are
/// not there.
std::filesystem::path injected_directory();

/// Is there a stand-in for this library (libcublas.so.13) that takes its place when a program asks for it?
bool has_stand_in(const std::string& library);

/// Holds a launch::WorkDirectory. Throws Error if that or what goes into it cannot be made.
class Session {
public:
    explicit Session(const records::SessionConfig& config);

    const std::filesystem::path& directory() const { return directory_.path(); }
    /// What the application's environment needs so that it runs on the stand-in.
    std::vector<std::pair<std::string, std::string>> environment() const;

private:
    launch::WorkDirectory directory_;
    std::optional<std::filesystem::path> toolkit_;  // where its nvcc is
};

}  // namespace gpuproj::simulate
