// gpuproj's own messages: on stderr, behind "gpuproj:". Reports go to stdout.
#pragma once

#include <string>
#include <vector>

namespace gpuproj {

/// debug, info, warning, error, off.
const std::vector<std::string>& message_levels();

/// Called once, before any message.
void start_messages();

/// `level`, if not empty, wins over `quiet` (warnings and errors) and `verbose` (all).
void set_message_level(bool quiet, bool verbose, const std::string& level);

}  // namespace gpuproj
