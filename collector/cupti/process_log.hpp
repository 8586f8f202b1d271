// What this process wrote down, line by line, so that nothing is lost if it dies. Knows nothing of CUPTI.
#pragma once

#include <string>

#include "collector/records/log.hpp"

namespace gpuproj::cupti {

/// Appends to <session>/<process id>.jsonl; after a fork to the child's own file. Never throws; safe in any thread.
class ProcessLog {
public:
    explicit ProcessLog(std::string session) : session_(std::move(session)) {}
    void write(const records::Line& line) noexcept;
    /// What kept us from profiling.
    void failure(const std::string& what, const std::string& advice) noexcept;
    void note(const std::string& text) noexcept;

private:
    std::string session_;
};

}  // namespace gpuproj::cupti
