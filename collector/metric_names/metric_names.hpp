// Vendor metric -> KernelMetrics field: the one table.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "model/kernel_metrics.hpp"

namespace gpuproj {

/// Whose names: `nsight` those of ncu and of CUPTI's Host API, `nvprof` those of nvprof's metrics and events, `rocprof`
/// AMD's hardware counters as rocprofv3 prints them.
enum class MetricFamily { nsight, nvprof, rocprof };

/// One launch, or the mean of several: value by the vendor's name, in base units (byte, second, 1), percentages as
/// fractions of 1.
using VendorMetrics = std::map<std::string, double, std::less<>>;

struct MetricTerm {
    std::string_view metric{};
    double factor = 1;
};

inline constexpr std::size_t most_terms = 10;

/// A way to fill one field: the sum of its terms, all of which are needed, or the greatest of those there are.
struct MetricRow {
    std::string_view field;  // its key in KernelMetrics::fields
    std::array<MetricTerm, most_terms> terms;
    bool greatest = false;
};

/// In order of preference: the first row of a field whose metrics are there fills it.
std::span<const MetricRow> metric_rows(MetricFamily family);

/// Does any row use this metric, by this name or by one that means the same?
bool is_used(MetricFamily family, std::string_view metric);

/// The name under which a metric stands in the table: sums over an SM are those over its sub-partitions, "sm__" for
/// "smsp__". Other names come back as they are.
std::string table_name(MetricFamily family, std::string_view metric);

/// The fields that can be filled; the others stay absent.
KernelMetrics to_kernel_metrics(MetricFamily family, const VendorMetrics& values);

/// Compilers load constants by multiply-adds of half precision (HFMA2.MMA), which NVIDIA's GPUs count among the
/// instructions of the tensor pipe (seen on an H100 and an H200): where these explain all of them, the kernel has no
/// tensor instruction. To be asked once all three counters are there; done by to_kernel_metrics.
void take_out_half_moves(KernelMetrics& metrics);

/// ncu's sections print sums as rates. Adds `X.sum` where only X.sum.per_second or X.sum.per_cycle_elapsed is there:
/// the rate times gpu__time_duration.sum, times <unit>__cycles_elapsed.avg.per_second for rates per cycle. True if it
/// added any.
bool add_sums_of_rates(VendorMetrics& values);

/// From one launch, or the mean of several, to the sum over `launches`; fractions stay.
void scale(KernelMetrics& metrics, double launches);

}  // namespace gpuproj
