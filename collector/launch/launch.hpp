// The application as a child process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/quantity.hpp"

namespace gpuproj::launch {

struct Command {
    std::vector<std::string> words;                                // path and arguments, at least one
    std::vector<std::pair<std::string, std::string>> environment;  // added to ours, replacing
    bool stdout_to_stderr = false;
    bool drop_stdout = false;        // of an application that runs a second time
    std::optional<Seconds> timeout;  // then SIGTERM, and SIGKILL if that does not help
    Seconds grace{3};                // between the two
    std::function<void()> tick;      // called a few times a second while the application runs; may be empty
};

struct Ended {
    int status = 0;  // exit code, or 128 + signal
    bool timed_out = false;
    std::optional<int> interrupted;  // the signal with which we were asked to stop
    Seconds wall_time;
};

/// The file that `word` names, looked up in $PATH if it has no slash. Throws Error: missing, a directory, not
/// executable.
std::string find_program(const std::string& word);

/// Runs the command to its end. SIGINT, SIGTERM, SIGHUP and SIGQUIT sent to us do not end us meanwhile; the child gets
/// them too (from the terminal by itself, from elsewhere through us), and SIGTERM if we end before it, killed for
/// instance. Throws Error if it cannot be started.
Ended run(const Command& command);

/// What the command writes to stdout; its stderr is dropped. Throws Error if it cannot be started.
std::string output_of(const Command& command);

}  // namespace gpuproj::launch
