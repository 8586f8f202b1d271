// The collectors `ncu`, `nvprof` and `rocprof`: the vendor's tool runs the application, its output is imported.
#pragma once

#include <string>
#include <vector>

#include "collector/collect.hpp"

namespace gpuproj::wrapped {

/// See collect(). Throw Error if the tool is not installed, fails, or writes nothing readable: then with the tool's own
/// words.
CollectResult collect_ncu(const CollectRequest& request);
CollectResult collect_nvprof(const CollectRequest& request);
CollectResult collect_rocprof(const CollectRequest& request);

/// One run of a tool, the application's words at its end, and the file or folder that its output goes to.
using Command = std::vector<std::string>;

/// One run, raw page in base units. Metrics are those of the set that GPUs of this compute capability have.
Command ncu_command(const std::string& ncu, const CollectRequest& request, const std::string& log_file);

/// Two runs: counters, then times. Throws UsageError where launches are chosen by number, which nvprof cannot.
std::vector<Command> nvprof_commands(const std::string& nvprof, const CollectRequest& request,
                                     const std::string& metrics_file, const std::string& trace_file);

/// One run per line of counters in the input file.
Command rocprof_command(const std::string& rocprofv3, const CollectRequest& request, const std::string& input_file,
                        const std::string& directory);

/// rocprofv3's input: as many counters in a line as the hardware counts at once. `chip` is the gfx name, "gfx942".
std::string rocprof_input(const std::string& chip);

/// The lines of a tool's log that say what went wrong ("==ERROR== ..."), without the tool's marks, joined; empty if
/// none.
std::string complaints(const std::string& log);

}  // namespace gpuproj::wrapped
