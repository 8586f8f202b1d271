// Which metrics are asked of CUPTI: for every quantity wanted, the name that the chip has for it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj::cupti {

/// Each has all of the one before it.
enum class MetricSet {
    thesis,    // the nine of Konstantinidis 2017, occupancy, divergence, special functions
    standard,  // and tensor instructions, fp16, shared memory and L2; and whatever else costs no pass more
    full,      // and the sectors and requests of global memory
    tensor,    // and tensor operations by type
};

/// thesis, default, full, tensor; none for another word.
std::optional<MetricSet> metric_set(std::string_view name);

/// Does a chip have this metric?
using HasMetric = std::function<bool(const std::string& metric)>;

/// Metrics that belong together: of one field of KernelMetrics, or time and clock.
using MetricGroup = std::vector<std::string>;

struct WantedMetrics {
    std::vector<MetricGroup> needed;
    std::vector<MetricGroup> if_free;  // worth having where they cost no pass more, best first
};

/// Of every field in the set, the metrics of the first row of the table (collector/metric_names) that the chip can
/// fill; fields that it cannot fill are left out.
WantedMetrics wanted_metrics(MetricSet set, const HasMetric& has);

}  // namespace gpuproj::cupti
