// Samples of whole GPUs, as shares of what they can do: they become counters by the peak rates of the GPU.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "collector/import/findings.hpp"
#include "model/gpu.hpp"
#include "model/profile.hpp"

namespace gpuproj::import {

/// What one GPU did between two looks at it. Shares are 0 to 1 of the whole time between them, idle time included;
/// absent where they were not sampled.
struct DeviceSample {
    int device = 0;
    std::optional<double> active;     // of the time, in which the GPU had work
    std::optional<double> sm_active;  // of the time, on the mean over the multiprocessors, in which they had warps
    std::optional<double> occupancy;  // of the warps that the multiprocessors hold, on the mean over the time
    std::optional<double> fp64, fp32, fp16, integer;  // of the pipe's peak rate
    std::optional<double> tensor;                     // of the tensor units' peak rate, whatever the type
    std::optional<double> tensor_half, tensor_int8, tensor_fp64;
    std::optional<double> dram;        // of the memory's peak bandwidth, reads and writes together
    std::optional<Hertz> core_clock;   // of the multiprocessors
    std::optional<Bytes> memory_used;  // allocated on the device
};

/// A record per sample in which `gpu` had work, `interval` after the one before it, under a name that says what was
/// busiest: "gpu0_dram_busiest". A count is the share, times `gpu`'s peak rate at the sample's clock, times the
/// interval; all DRAM traffic is given as reads. What `gpu` has no peak rate of is left out, and told.
std::vector<KernelRecord> records_of(std::span<const DeviceSample> samples, Seconds interval, const Gpu& gpu,
                                     Findings& findings);

}  // namespace gpuproj::import
