// The runs that count: Range Profiler, one range per launch.
#pragma once

#include <cupti.h>

#include <cstddef>

#include "collector/cupti/process_log.hpp"
#include "collector/cupti/wanted.hpp"

namespace gpuproj::cupti {

/// Sets itself up for the contexts of this process. Problems go to the log; the application is never disturbed.
/// `run`: which of ChipPlan::runs.
void start_counting(ProcessLog& log, MetricSet metrics, std::size_t run);

/// Takes in what is still in the buffers, of every context. At the end of the process.
void finish_counting();

}  // namespace gpuproj::cupti
