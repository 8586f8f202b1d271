// Command lines and programs as a profile names them.
#pragma once

#include <string>
#include <vector>

#include "model/profile.hpp"

namespace gpuproj::records {

/// The words as a shell takes them, quoted where they need it.
std::string command_line(const std::vector<std::string>& words);

/// Where the counters of a run come from: `collector`, `counters`, the command, the hash of the program, now. Throws
/// Error if the program cannot be read.
Provenance run_provenance(const std::string& collector, const std::string& counters,
                          const std::vector<std::string>& command, const std::string& program);

}  // namespace gpuproj::records
