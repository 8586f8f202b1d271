// Comparing a computed figure with a printed one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/gpu.hpp"
#include "model/kernel_metrics.hpp"
#include "model/prediction.hpp"

namespace golden {

/// What a figure may be, given that the figures it is computed from are printed to a few digits themselves.
struct Range {
    double low, high;
};

/// True if rounding a value within `computed` to `decimals` digits gives `printed`: the range and printed +- half a
/// unit in its last place have a value in common.
bool agrees(Range computed, double printed, int decimals);
bool agrees(double computed, double printed, int decimals);

/// tests/golden/data/konstantinidis_2017.json
const nlohmann::json& thesis();

/// A GPU of tables 5.2 and 6.2, with every rate moved by `units` of its last printed place (0.01 x 10^9 per second).
/// Prediction is monotonous in every rate, so units -0.5 and +0.5 bound what the unrounded rates give.
gpuproj::Gpu thesis_gpu(const std::string& name, double units = 0);

/// Its datasheet values, table 3.1 (and 6.1 for the R9 Nano).
gpuproj::Gpu datasheet_gpu(const std::string& name);

/// A kernel's counters times its invocations: what the printed times are for.
gpuproj::KernelMetrics thesis_metrics(const std::string& kernel);

/// A row of rodinia_kernel_parameters.csv, and the O_krn printed there.
struct RodiniaKernel {
    std::string name;
    gpuproj::KernelParameters parameters;
    double o_krn = 0;
};
const std::vector<RodiniaKernel>& rodinia();

}  // namespace golden
