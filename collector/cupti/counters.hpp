// The run that counts: Range Profiler, one range per launch, kernels replayed once per pass.
#pragma once

#include <cupti.h>

#include "collector/cupti/process_log.hpp"
#include "collector/cupti/wanted.hpp"

namespace gpuproj::cupti {

/// Sets itself up for the contexts of this process. Problems go to the log; the application is never disturbed.
void start_counting(ProcessLog& log, MetricSet metrics);

/// Takes in what is still in the buffers, of every context. At the end of the process.
void finish_counting();

}  // namespace gpuproj::cupti
