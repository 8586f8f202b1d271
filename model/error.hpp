// The one exception type: something the user can put right.
#pragma once

#include <stdexcept>

namespace gpuproj {

/// Thrown at the edges (files, command line, child processes) for anything the user can put right. The message
/// says where, what and what to do, in one line. `exit_code` is the process's: 1 error, 2 usage, 3 could not be
/// profiled. Caught once, in main. Broken invariants are asserts.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message, int code = 1) : std::runtime_error(message), code_(code) {}
    int exit_code() const { return code_; }

private:
    int code_;
};

/// A command line that cannot be understood.
struct UsageError : Error {
    explicit UsageError(const std::string& message) : Error(message, 2) {}
};

/// The application cannot be profiled: no kernel launched, an unsupported feature.
struct ProfilingError : Error {
    explicit ProfilingError(const std::string& message) : Error(message, 3) {}
};

}  // namespace gpuproj
