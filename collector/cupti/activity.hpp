// The run that times: kernels, copies and memsets as they run unprofiled.
#pragma once

#include "collector/cupti/process_log.hpp"

namespace gpuproj::cupti {

/// Sets itself up for this process. Throws Error naming the call that failed.
void start_timing(ProcessLog& log);

/// Takes in what is still in the buffers.
void finish_timing();

}  // namespace gpuproj::cupti
