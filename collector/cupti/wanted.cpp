#include "collector/cupti/wanted.hpp"

#include <algorithm>
#include <array>

#include "collector/cupti/launches.hpp"
#include "collector/metric_names/metric_names.hpp"

namespace gpuproj::cupti {

namespace {

struct Wanted {
    std::string_view field;
    MetricSet from;
};

constexpr auto wanted_fields = std::to_array<Wanted>({
    {"thread_inst_fp32_fma", MetricSet::thesis},   {"thread_inst_fp64_fma", MetricSet::thesis},
    {"thread_inst_load_store", MetricSet::thesis}, {"warp_inst", MetricSet::thesis},
    {"thread_inst_fp32", MetricSet::thesis},       {"thread_inst_fp64", MetricSet::thesis},
    {"thread_inst_integer", MetricSet::thesis},    {"dram_read_sector", MetricSet::thesis},
    {"dram_write_sector", MetricSet::thesis},      {"thread_inst", MetricSet::thesis},
    {"achieved_occupancy", MetricSet::thesis},     {"warp_inst_special", MetricSet::thesis},
    {"warp_inst_tensor", MetricSet::standard},     {"thread_inst_fp16", MetricSet::standard},
    {"thread_inst_fp16_fma", MetricSet::standard}, {"shared_wavefront", MetricSet::standard},
    {"shared_bank_conflict", MetricSet::standard}, {"l2_read_sector", MetricSet::standard},
    {"l2_write_sector", MetricSet::standard},      {"global_load_sector", MetricSet::full},
    {"global_store_sector", MetricSet::full},      {"warp_inst_global_load", MetricSet::full},
    {"warp_inst_global_store", MetricSet::full},   {"tensor_fp16_op", MetricSet::tensor},
    {"tensor_bf16_op", MetricSet::tensor},         {"tensor_tf32_op", MetricSet::tensor},
    {"tensor_fp64_op", MetricSet::tensor},         {"tensor_int8_op", MetricSet::tensor},
    {"tensor_fp8_op", MetricSet::tensor},          {"tensor_int4_op", MetricSet::tensor},
    {"tensor_int1_op", MetricSet::tensor},
});

/// Taken with every set but the thesis' where they cost no pass.
constexpr auto free_fields = std::to_array<std::string_view>({
    "compute_utilization",    "load_store_utilization", "shared_utilization",
    "l1_utilization",         "l2_utilization",         "dram_utilization",
    "global_load_sector",     "global_store_sector",    "warp_inst_global_load",
    "warp_inst_global_store", "thread_inst_conversion", "thread_inst_control",
    "thread_inst_bit",        "thread_inst_misc",       "thread_inst_communication",
    "warp_inst_local",        "warp_inst_shared_load",  "warp_inst_shared_store",
    "l1_hit_sector",
});

/// The duration is that of the profiled launch, used where none was measured apart.
constexpr std::array<std::string_view, 2> always{"gpu__time_duration.sum", "smsp__cycles_elapsed.avg.per_second"};

/// The metrics of the first row of the field that the chip can fill; empty if it can fill none.
MetricGroup metrics_of(std::string_view field, const HasMetric& has) {
    for (const auto& row : metric_rows(MetricFamily::nsight)) {
        if (row.field != field) continue;
        MetricGroup there;
        std::size_t terms = 0;
        for (const auto& term : row.terms) {
            if (term.metric.empty()) break;
            ++terms;
            if (has(std::string(term.metric))) there.emplace_back(term.metric);
        }
        if (!there.empty() && (there.size() == terms || row.greatest)) return there;
    }
    return {};
}

}  // namespace

std::optional<MetricSet> metric_set(std::string_view name) {
    constexpr std::array<std::string_view, 4> names{"thesis", "default", "full", "tensor"};
    const auto* const found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<MetricSet>(found - names.begin());
}

WantedMetrics wanted_metrics(MetricSet set, const HasMetric& has) {
    WantedMetrics wanted;
    for (const auto metric : always) {
        if (has(std::string(metric))) wanted.needed.push_back({std::string(metric)});
    }
    for (const auto& field : wanted_fields) {
        if (field.from > set) continue;
        if (auto metrics = metrics_of(field.field, has); !metrics.empty()) wanted.needed.push_back(std::move(metrics));
    }
    if (has(std::string(warps_metric))) wanted.if_free.push_back({std::string(warps_metric)});
    if (set == MetricSet::thesis) return wanted;
    for (const auto field : free_fields) {
        if (auto metrics = metrics_of(field, has); !metrics.empty()) wanted.if_free.push_back(std::move(metrics));
    }
    return wanted;
}

}  // namespace gpuproj::cupti
