#include "targets/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "model/error.hpp"
#include "targets/names.hpp"
#include "targets/parameters.hpp"
#include "targets/pci_names.hpp"
#include "targets/rates.hpp"

namespace gpuproj {
namespace {

// A measured rate may exceed lanes x clock by this much: clocks are reported to the MHz and vary while measuring.
constexpr double clock_slack = 1.03;

// From the slowest chip anyone predicts for to well beyond the fastest announced one, so that a value outside is in the
// wrong unit.
struct Range {
    std::string_view key;
    double low;
    double high;
};
constexpr auto ranges = std::to_array<Range>({
    {"fp32_op_per_s", 1e9, 1e15},
    {"fp64_op_per_s", 1e8, 1e15},
    {"int_mad_op_per_s", 1e9, 1e15},
    {"int_add_op_per_s", 1e9, 1e15},
    {"dram_bandwidth_byte_per_s", 1e9, 1e14},
    {"shared_inst_per_s", 1e9, 1e14},
    {"int_logic_op_per_s", 1e9, 1e15},
    {"int_shift_op_per_s", 1e9, 1e15},
    {"int_compare_op_per_s", 1e9, 1e15},
    {"bit_count_op_per_s", 1e8, 1e15},
    {"shared_64bit_inst_per_s", 1e8, 1e14},
    {"shared_128bit_inst_per_s", 1e8, 1e14},
    {"ecc_traffic_factor", 1, 2},
    {"fp16_op_per_s", 1e8, 1e15},
    {"special_op_per_s", 1e8, 1e14},
    {"tensor_fp16_op_per_s", 1e10, 1e17},
    {"tensor_bf16_op_per_s", 1e10, 1e17},
    {"tensor_tf32_op_per_s", 1e10, 1e17},
    {"tensor_fp64_op_per_s", 1e9, 1e16},
    {"tensor_fp8_op_per_s", 1e10, 1e17},
    {"tensor_int8_op_per_s", 1e10, 1e17},
    {"l2_bandwidth_byte_per_s", 1e9, 1e15},
    {"l1_bandwidth_byte_per_s", 1e9, 1e15},
    {"constant_bandwidth_byte_per_s", 1e9, 1e15},
    {"l1_latency_cycle", 2, 2000},
    {"l2_latency_cycle", 5, 5000},
    {"dram_latency_cycle", 50, 10000},
    {"shared_latency_cycle", 2, 1000},
    {"constant_latency_cycle", 2, 1000},
    {"departure_delay_coalesced_cycle", 0.1, 1000},
    {"departure_delay_uncoalesced_cycle", 0.1, 1000},
    {"launch_overhead_s", 1e-7, 1e-2},
    {"link_bandwidth_byte_per_s", 1e8, 1e13},
    {"sm_count", 1, 2048},
    {"lanes_per_sm", 1, 1024},
    {"core_clock_hz", 5e7, 1e10},
    {"base_clock_hz", 5e7, 1e10},
    {"boost_clock_hz", 5e7, 1e10},
    {"memory_clock_hz", 5e7, 5e10},
    {"fp32_peak_op_per_s", 1e9, 1e15},
    {"fp64_peak_op_per_s", 1e8, 1e15},
    {"fp16_peak_op_per_s", 1e8, 1e15},
    {"dram_bandwidth_peak_byte_per_s", 1e9, 1e14},
    {"memory_byte", 1e7, 1e13},
    {"l2_size_byte", 1e4, 1e10},
    {"l1_size_byte", 1e3, 1e7},
    {"shared_size_byte", 1e3, 1e7},
    {"shared_per_block_byte", 1e3, 1e7},
    {"max_warps_per_sm", 1, 256},
    {"max_blocks_per_sm", 1, 256},
    {"registers_per_sm", 1024, 1e7},
    {"schedulers_per_sm", 1, 64},
    {"tdp_w", 1, 1e4},
});

// What every stored GPU has to state. Others (tensor rates, L1) depend on the generation.
constexpr auto required = std::to_array<std::string_view>({
    "fp32_op_per_s",
    "fp64_op_per_s",
    "int_mad_op_per_s",
    "int_add_op_per_s",
    "dram_bandwidth_byte_per_s",
    "shared_inst_per_s",
    "sm_count",
    "lanes_per_sm",
    "core_clock_hz",
    "fp32_peak_op_per_s",
    "fp64_peak_op_per_s",
    "dram_bandwidth_peak_byte_per_s",
    "memory_byte",
    "shared_size_byte",
    "shared_per_block_byte",
    "max_warps_per_sm",
    "registers_per_sm",
    "schedulers_per_sm",
    "dram_type",
    "int_logic_op_per_s",
    "int_shift_op_per_s",
    "int_compare_op_per_s",
    "special_op_per_s",
    "shared_64bit_inst_per_s",
    "shared_128bit_inst_per_s",
    "bandwidth_by_loads",
    "l2_bandwidth_byte_per_s",
    "dram_latency_cycle",
    "shared_latency_cycle",
    "departure_delay_coalesced_cycle",
    "departure_delay_uncoalesced_cycle",
    "launch_overhead_s",
    "link_bandwidth_byte_per_s",
    "l2_size_byte",
    "tdp_w",
});
// And what is known of every GPU of NVIDIA.
constexpr auto required_of_nvidia = std::to_array<std::string_view>({
    "max_blocks_per_sm",
    "constant_bandwidth_byte_per_s",
    "constant_latency_cycle",
});

// Compute capabilities that only GPUs inside Tegra chips have (CUDA C++ Programming Guide): they are no PCI devices.
constexpr auto tegra = std::to_array<std::string_view>({"3.2", "5.3", "6.2", "7.2", "8.7"});

// Calls visit(key, known value) for every parameter that is there.
template <class Visit>
void for_each_known(const Gpu& gpu, Visit visit) {
    for_each_parameter(gpu, [&](std::string_view key, const auto& known) {
        if (known) visit(key, *known);
    });
}

template <class Q>
double value_or_zero(const MaybeKnown<Q>& known) {
    return known ? number_of(known->value).value_or(0) : 0;
}

// Of a sweep over loads per thread no point can be above what the memory gives.
void check_sweep(std::vector<Finding>& findings, const Gpu& gpu) {
    if (!gpu.bandwidth_by_loads || !gpu.dram_bandwidth_peak) return;
    const double peak = gpu.dram_bandwidth_peak->value.value;
    for (const LoadsBandwidth& point : gpu.bandwidth_by_loads->value) {
        if (point.bandwidth.value > clock_slack * peak) {
            findings.push_back({gpu.name, "bandwidth_by_loads",
                                fmt::format("{:.5g} with {} loads is above dram_bandwidth_peak_byte_per_s {:.5g}",
                                            point.bandwidth.value, point.loads, peak)});
        }
    }
}

// A rate against the most that so many lanes can do per cycle; nothing to say where the inputs are not known.
template <class Q>
void check_peak(std::vector<Finding>& findings, const Gpu& gpu, std::string_view key, const MaybeKnown<Q>& rate,
                double per_lane_and_cycle, double lanes) {
    const double clock = std::max(value_or_zero(gpu.core_clock), 0.0);
    const double peak = per_lane_and_cycle * lanes * value_or_zero(gpu.sm_count) * clock;
    if (rate && peak > 0 && value_or_zero(rate) > clock_slack * peak) {
        findings.push_back({gpu.name, std::string(key),
                            fmt::format("{:.5g} is above the peak {:.5g} at {:.0f} MHz; check unit and clock",
                                        value_or_zero(rate), peak, clock * 1e-6)});
    }
}

template <class Q>
void check_not_above(std::vector<Finding>& findings, const Gpu& gpu, std::string_view key, const MaybeKnown<Q>& small,
                     std::string_view other_key, const MaybeKnown<Q>& large, double slack = 1.0) {
    if (small && large && value_or_zero(small) > slack * value_or_zero(large)) {
        findings.push_back(
            {gpu.name, std::string(key),
             fmt::format("{:.5g} is above {} {:.5g}", value_or_zero(small), other_key, value_or_zero(large))});
    }
}

}  // namespace

std::vector<Finding> check_values(const Gpu& gpu) {
    std::vector<Finding> findings;
    for_each_known(gpu, [&](std::string_view key, const auto& known) {
        const std::optional<double> value = number_of(known.value);
        const auto* range = std::ranges::find(ranges, key, &Range::key);
        if (value && range != ranges.end() && !(*value >= range->low && *value <= range->high)) {
            findings.push_back({gpu.name, std::string(key),
                                fmt::format("{:.5g} is outside {:g} to {:g}; the unit is the one in the key", *value,
                                            range->low, range->high)});
        }
        if (known.uncertainty && !(*known.uncertainty >= 0 && *known.uncertainty <= 1)) {
            findings.push_back({gpu.name, std::string(key), "uncertainty is relative: 0.05 means 5 %"});
        }
    });
    const double lanes = value_or_zero(gpu.lanes_per_sm);
    check_peak(findings, gpu, "fp32_op_per_s", gpu.fp32, 2, lanes);
    check_peak(findings, gpu, "fp64_op_per_s", gpu.fp64, 2, lanes);
    check_peak(findings, gpu, "int_mad_op_per_s", gpu.int_mad, 2, lanes);
    check_peak(findings, gpu, "int_add_op_per_s", gpu.int_add, 1, lanes);
    const std::optional<Rates> rates = find_rates(gpu.compute_capability);
    check_peak(findings, gpu, "shared_inst_per_s", gpu.shared_rate, 1, rates ? rates->shared_words : threads_per_warp);
    check_not_above(findings, gpu, "dram_bandwidth_byte_per_s", gpu.dram_bandwidth, "dram_bandwidth_peak_byte_per_s",
                    gpu.dram_bandwidth_peak, clock_slack);
    check_sweep(findings, gpu);
    check_not_above(findings, gpu, "shared_per_block_byte", gpu.shared_per_block, "shared_size_byte", gpu.shared_size);
    check_not_above(findings, gpu, "base_clock_hz", gpu.base_clock, "boost_clock_hz", gpu.boost_clock);
    return findings;
}

std::vector<Finding> check_completeness(const Gpu& gpu) {
    std::vector<Finding> findings;
    std::vector<std::string_view> present;
    for_each_known(gpu, [&](std::string_view key, const auto& known) {
        present.push_back(key);
        if (known.source.empty()) {
            findings.push_back({gpu.name, std::string(key), "has no source"});
        }
        if (known.quality != Quality::datasheet && key.ends_with("_per_s") && !known.uncertainty) {
            findings.push_back({gpu.name, std::string(key), "has no uncertainty"});
        }
    });
    const std::optional<Rates> rates = find_rates(gpu.compute_capability);
    const bool without_fp64 = rates && rates->fp64 == 0;
    const auto require = [&](std::string_view key) {
        if (std::ranges::find(present, key) == present.end() && !(without_fp64 && key.starts_with("fp64"))) {
            findings.push_back({gpu.name, std::string(key), "is missing"});
        }
    };
    std::ranges::for_each(required, require);
    if (gpu.vendor == "NVIDIA") std::ranges::for_each(required_of_nvidia, require);
    const std::optional<IntegerRates> integers = find_integer_rates(gpu.compute_capability);
    if (integers && integers->bits > 0) require("bit_count_op_per_s");
    return findings;
}

namespace {

// "K20c" in a file of the user's would from then on be that GPU instead of the stored Tesla K20c.
void check_short_names(const StoredGpu& users, const std::vector<StoredGpu>& gpus, std::vector<Finding>& findings) {
    const auto names_of = [](const StoredGpu& gpu) {
        std::vector<std::string> names{gpu.name};
        names.insert(names.end(), gpu.aliases.begin(), gpu.aliases.end());
        return names;
    };
    for (const std::string& name : names_of(users)) {
        for (const StoredGpu& other : gpus) {
            const auto is_short_for = [&](const std::string& full) {
                return canonical_name(full) != canonical_name(name) && bare_name(full) == bare_name(name);
            };
            if (&other == &users || std::ranges::none_of(names_of(other), is_short_for)) continue;
            findings.push_back({users.name, "aliases",
                                "\"" + name + "\" means " + other.name + "; to replace that GPU, give yours its name"});
        }
    }
}

}  // namespace

std::vector<Finding> check_names(const std::vector<StoredGpu>& gpus) {
    std::vector<Finding> findings;
    std::map<std::string, const StoredGpu*> owner;
    const auto claim = [&](const StoredGpu& gpu, const std::string& name) {
        const auto [found, fresh] = owner.try_emplace(canonical_name(name), &gpu);
        // Boards do share PCI ids; one of the user's that has a stored board's is most often a copied line.
        const bool shared_id = pci_id(name) && gpu.file.empty() && found->second->file.empty();
        if (!fresh && found->second != &gpu && !shared_id) {
            findings.push_back({gpu.name, "aliases", "\"" + name + "\" is also a name of " + found->second->name});
        }
    };
    for (const StoredGpu& gpu : gpus) {
        claim(gpu, gpu.name);
    }
    for (const StoredGpu& gpu : gpus) {
        for (const std::string& alias : gpu.aliases) {
            claim(gpu, alias);
        }
    }
    for (const StoredGpu& gpu : gpus) {
        if (!gpu.file.empty()) check_short_names(gpu, gpus, findings);
    }
    return findings;
}

std::vector<Finding> check_pci_id(const StoredGpu& gpu, std::string_view compute_capability) {
    const bool in_soc = std::ranges::find(tegra, compute_capability) != tegra.end();
    const bool has_id = std::ranges::any_of(gpu.aliases, [](const auto& alias) { return pci_id(alias).has_value(); });
    if (has_id == in_soc) {
        return {{gpu.name, "aliases", in_soc ? "a GPU inside a Tegra chip has no PCI id" : "has no PCI id"}};
    }
    return {};
}

std::vector<Finding> check_catalog(const Catalog& catalog) {
    std::vector<Finding> findings = check_names(catalog.gpus());
    for (const StoredGpu& stored : catalog.gpus()) {
        try {
            const Gpu gpu = Catalog::load(stored);
            for (auto check : {check_values, check_completeness}) {
                std::ranges::move(check(gpu), std::back_inserter(findings));
            }
            if (stored.file.empty()) {
                std::ranges::move(check_pci_id(stored, gpu.compute_capability), std::back_inserter(findings));
            }
        } catch (const Error& error) {
            findings.push_back({stored.name, {}, error.what()});
        }
    }
    return findings;
}

}  // namespace gpuproj
