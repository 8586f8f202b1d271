// In place of CUPTI, where there is no GPU: callbacks and Range Profiler as NVIDIA's documentation and samples
// (callback_profiling, range_profiling) have them, over an application that a test plays. Says which calls came out of
// order. What the real one does beside that, it does not know.
#pragma once

#include <cuda.h>
#include <cupti_result.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gpuproj::test {

/// Launches into this stream are captured.
inline constexpr std::uintptr_t captured_stream = 0x77;

/// What of CUPTI fails, and what was seen of its callers. Reset by `fresh_cupti`.
struct FakeCupti {
    bool supported = true;
    CUptiResult availability = CUPTI_SUCCESS, start = CUPTI_SUCCESS, decode = CUPTI_SUCCESS;
    int enabled = 0, disabled = 0, taken_out = 0;
    int without_replay = 0, with_replay = 0;  // times that such a configuration was set
    std::vector<std::string> misused;
};

FakeCupti& fresh_cupti();

struct Launch {
    std::string kernel = "kernel";
    unsigned blocks = 1, threads = 32;
    std::uintptr_t stream = 0;
    CUresult result = CUDA_SUCCESS;
    unsigned counted_warps = 0;  // as the hardware counts them, where other than the launch has
    bool calls_inside = false;   // CUPTI itself launches what it needs for the replay
    bool by_config = false;      // cuLaunchKernelEx
};

/// The application launches a kernel: the counters of the range are its warps, and ten instructions for each.
void run_kernel(std::uintptr_t context, const Launch& launch);
/// A graph with kernels of so many warps.
void run_graph(std::uintptr_t context, const std::vector<unsigned>& warps, std::uintptr_t stream = 0);
void destroy_context(std::uintptr_t context);

}  // namespace gpuproj::test
