// What a launch counted, and would have counted on other GPUs.
#pragma once

#include "model/kernel_metrics.hpp"
#include "model/other_gpus.hpp"

namespace gpuproj::simulate {

struct Counted {
    KernelMetrics metrics;
    OtherGpus other_gpus;
};

/// Counters times a factor, rounded to whole numbers; fractions stay as they are.
KernelMetrics scaled(KernelMetrics metrics, double factor);
Counted scaled(Counted counted, double factor);

}  // namespace gpuproj::simulate
