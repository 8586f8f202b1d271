#include "targets/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "model/occupancy.hpp"
#include "targets/loads_sweep.hpp"
#include "targets/parameters.hpp"
#include "targets/rates.hpp"

namespace gpuproj {
namespace {

constexpr double mega = 1e6;

struct Clock {
    Hertz value;
    double uncertainty;
};

Known<double> known(double value, Quality quality, std::string source, std::optional<double> uncertainty = {}) {
    return {value, quality, std::move(source), uncertainty};
}

void put(Gpu& gpu, std::string_view key, Known<double> number) {
    const bool ruled = number.quality == Quality::derived || number.quality == Quality::unverified;
    if (ruled && !key.ends_with("_byte") && !key.ends_with("_sm")) number.value = to_five_digits(number.value);
    if (number.uncertainty) number.uncertainty = std::round(*number.uncertainty * 1000) / 1000;
    set_parameter(gpu, key, std::move(number));
}

std::string whom(const Factor& factor) {
    if (factor.samples > 0) return fmt::format("{} measured, {}", factor.samples, factor.group);
    return factor.value == 1 ? "no measurement to go by" : "none of its kind was measured: as others are";
}

Clock put_clocks(Gpu& gpu, const Card& card, const Calibration& calibration, const DeriveOptions& options) {
    constexpr double stated_clock_uncertainty = 0.02;
    put(gpu, "boost_clock_hz", known(card.boost.value, Quality::datasheet, card.source));
    if (card.base) put(gpu, "base_clock_hz", known(card.base->value, Quality::datasheet, card.source));
    if (card.memory_clock)
        put(gpu, "memory_clock_hz", known(card.memory_clock->value, Quality::datasheet, card.source));
    if (options.core_clock) {
        put(gpu, "core_clock_hz",
            known(options.core_clock->value, Quality::derived,
                  "the clock that the measured arithmetic rates need at 99 % of peak", stated_clock_uncertainty));
        return {*options.core_clock, stated_clock_uncertainty};
    }
    if (card.compute_capability.starts_with("1.")) {  // chips without boost
        put(gpu, "core_clock_hz",
            known(card.boost.value, Quality::datasheet, card.source + "; this generation has no boost",
                  stated_clock_uncertainty));
        return {card.boost, stated_clock_uncertainty};
    }
    const Factor boost = factor(calibration, "clock", card, options.leave_out);
    const Hertz clock = boost.value * card.boost;
    put(gpu, "core_clock_hz",
        known(clock.value, Quality::derived,
              fmt::format("boost {:.0f} MHz x {:.3f} ({})", card.boost.value / mega, boost.value, whom(boost)),
              boost.spread));
    return {clock, boost.spread};
}

// The rates that scale with the core clock, and the bandwidth of the memory, each times its factor.
void put_rates(Gpu& gpu, const Card& card, const Calibration& calibration, const DeriveOptions& options, Clock clock) {
    constexpr auto keys = std::to_array<std::string_view>({
        "fp32_op_per_s",
        "fp64_op_per_s",
        "int_mad_op_per_s",
        "int_add_op_per_s",
        "dram_bandwidth_byte_per_s",
        "shared_inst_per_s",
        "fp16_op_per_s",
        "special_op_per_s",
        "l2_bandwidth_byte_per_s",
        "l1_bandwidth_byte_per_s",
        "launch_overhead_s",
    });
    for (const std::string_view key : keys) {
        const std::optional<double> table = nominal(card, key, clock.value);
        if (!table) continue;
        const Factor attained = factor(calibration, key, card, options.leave_out);
        const bool clocked = key != "dram_bandwidth_byte_per_s" && key != "launch_overhead_s";
        const std::string source = clocked
                                       ? fmt::format("{:g} per SM and clock x {:g} SMs x {:.0f} MHz x {:.3f} ({})",
                                                     *table / card.sm_count / clock.value.value, card.sm_count,
                                                     clock.value.value / mega, attained.value, whom(attained))
                                       : fmt::format("{:.4g} x {:.3f} ({})", *table, attained.value, whom(attained));
        put(gpu, key,
            known(*table * attained.value, attained.samples > 0 ? Quality::derived : Quality::unverified, source,
                  clocked ? std::hypot(attained.spread, clock.uncertainty) : attained.spread));
    }
}

// Integer operations of other kinds, at the efficiency of additions.
void put_integer_kinds(Gpu& gpu, const Card& card, const Calibration& calibration, const DeriveOptions& options,
                       Clock clock) {
    const auto rates = find_integer_rates(card.compute_capability);
    if (!rates) return;
    const Factor attained = factor(calibration, "int_add_op_per_s", card, options.leave_out);
    const auto kind = [&](std::string_view key, double per_cycle) {
        if (per_cycle <= 0) return;
        put(gpu, key,
            known(per_cycle * card.sm_count * clock.value.value * attained.value, Quality::unverified,
                  fmt::format("{:g} per SM and clock ({}) x {:g} SMs x {:.0f} MHz x {:.3f} of additions; not measured",
                              per_cycle, rates->source, card.sm_count, clock.value.value / mega, attained.value),
                  std::hypot(attained.spread, clock.uncertainty, rates->uncertainty)));
    };
    kind("int_logic_op_per_s", rates->logic);
    kind("int_shift_op_per_s", rates->shift);
    kind("int_compare_op_per_s", rates->compare);
    kind("bit_count_op_per_s", rates->bits);
}

// Wide accesses to shared memory move as many bytes per clock as 32-bit ones; on Kepler, whose banks are 8 bytes wide,
// twice as many. Constants: one word to each lane that loads, if all read the same.
void put_wide_accesses(Gpu& gpu, const Card& card, const Rates& rates, Clock clock) {
    if (!gpu.shared_rate) return;
    const double bank_words = card.architecture == "Kepler" ? 2 : 1;
    const double words_per_s = gpu.shared_rate->value.value * bank_words;
    const double uncertainty = std::hypot(gpu.shared_rate->uncertainty.value_or(0), 0.1);
    const auto wide = [&](std::string_view key, double words, std::string_view what) {
        put(gpu, key,
            known(
                words_per_s / words, Quality::unverified,
                fmt::format("shared_inst_per_s x {:g} / {:g}: {}; not measured on this card", bank_words, words, what),
                uncertainty));
    };
    const std::string_view rule = bank_words > 1 ? "banks of 8 bytes" : "as many bytes per clock as by 32 bits";
    wide("shared_64bit_inst_per_s", 2, rule);
    wide("shared_128bit_inst_per_s", 4, rule);
    if (card.vendor == "NVIDIA") {
        put(gpu, "constant_bandwidth_byte_per_s",
            known(4 * rates.shared_words * card.sm_count * clock.value.value, Quality::unverified,
                  fmt::format("4 bytes to each of {:g} lanes per clock x {:g} SMs x {:.0f} MHz; a guess",
                              rates.shared_words, card.sm_count, clock.value.value / mega),
                  0.5));
        put(gpu, "constant_latency_cycle",
            known(27, Quality::unverified,
                  "27 cycles of the first constant cache of Volta (Jia et al. 2018, quoted, not read); not measured on "
                  "this card",
                  0.4));
    }
}

// What ECC costs: bandwidth of this memory without ECC over that with it. Stacked memory has bits of its own for it.
void put_ecc(Gpu& gpu, const Card& card, const Calibration& calibration, const DeriveOptions& options) {
    if (!card.ecc) return;
    if (card.dram_type.starts_with("HBM")) {
        put(gpu, "ecc_traffic_factor",
            known(1, Quality::unverified, card.dram_type + " stores check bits beside the data", 0.02));
        return;
    }
    const Factor with = factor(calibration, "dram_bandwidth_byte_per_s", card, options.leave_out);
    const Factor without = bandwidth_without_ecc(calibration, card, options.leave_out);
    put(gpu, "ecc_traffic_factor",
        known(std::max(1.0, without.value / with.value), Quality::derived,
              fmt::format("bandwidth over peak: {:.3f} without ECC ({}), {:.3f} with ({})", without.value,
                          whom(without), with.value, whom(with)),
              std::hypot(with.spread, without.spread)));
}

void put_peaks(Gpu& gpu, const Card& card) {
    const auto peak = [&](std::string_view key, std::string_view rate, std::string_view what) {
        if (const auto value = nominal(card, rate, card.boost)) {
            put(gpu, key,
                known(*value, Quality::datasheet,
                      fmt::format("{} x {:g} SMs x boost {:.0f} MHz", what, card.sm_count, card.boost.value / mega)));
        }
    };
    peak("fp32_peak_op_per_s", "fp32_op_per_s", "fp32 lanes x 2");
    peak("fp64_peak_op_per_s", "fp64_op_per_s", "fp64 lanes x 2");
    peak("fp16_peak_op_per_s", "fp16_op_per_s", "fp16 lanes x 2");
    put(gpu, "dram_bandwidth_peak_byte_per_s", known(card.dram_peak.value, Quality::datasheet, card.source));
}

// What tensor units do with other types than fp16, as multiples of that, by generation.
struct TensorTypes {
    std::string_view architecture;
    double bf16, tf32, fp64, fp8, int8;
};
constexpr auto tensor_types = std::to_array<TensorTypes>({
    {"7.0", 0, 0, 0, 0, 0},
    {"7.5", 0, 0, 0, 0, 2},
    {"8.0", 1, 0.5, 1.0 / 16, 0, 2},
    {"8.6", 1, 0.5, 0, 0, 2},
    {"8.7", 1, 0.5, 0, 0, 2},
    {"8.9", 1, 0.5, 0, 2, 2},
    {"9.0", 1, 0.5, 67.0 / 989, 2, 2},
    {"10.0", 1, 0.5, 37.0 / 2250, 2, 2},
    {"10.3", 1, 0.5, 0, 2, 0.06},  // NVIDIA's HGX B300 data sheet: 0.15 of 2.5 P dense
    {"12.0", 1, 0.5, 0, 2, 2},
    {"12.1", 1, 0.5, 0, 2, 2},
    {"gfx908", 0.5, 0, 0, 0, 1},
    {"gfx90a", 1, 0, 0.25, 0, 1},
    {"gfx942", 1, 0.5, 0.125, 2, 2},
    {"gfx950", 1, 0, 1.0 / 32, 2, 2},  // AMD's data sheet of the MI355X; tf32 is gone
    // RDNA 3 and 4 instruction set manuals; Intel's Xe, Xe2 and Ponte Vecchio briefs.
    {"gfx1100", 1, 0, 0, 0, 1},
    {"gfx1101", 1, 0, 0, 0, 1},
    {"gfx1102", 1, 0, 0, 0, 1},
    {"gfx1201", 1, 0, 0, 2, 2},
    {"xe-hpg", 1, 0, 0, 0, 2},
    {"xe2-hpg", 1, 0, 0, 0, 2},
    {"xe-hpc", 1, 0.5, 0, 0, 2},
});

void put_tensor(Gpu& gpu, const Card& card, const Rates& rates) {
    // GeForce boards accumulate in fp32 at half the rate.
    const bool halved =
        card.vendor == "NVIDIA" && card.board_class == BoardClass::consumer && card.compute_capability != "7.0";
    const bool has_units = card.tensor_fp16 || (rates.tensor_fp16 > 0 && !card.name.starts_with("GeForce GTX"));
    if (!has_units) return;
    const double peak = card.tensor_fp16
                            ? card.tensor_fp16->value
                            : 2 * rates.tensor_fp16 * (halved ? 0.5 : 1.0) * card.sm_count * card.boost.value;
    // Of the clock that the arithmetic rates run at, consumer boards keep nearly all (RTX 5060: 0.99 by clpeak); the
    // large units of data centre boards meet their power limit (H200: bf16 at 0.80 of its peak).
    const bool large = card.board_class == BoardClass::datacenter || card.board_class == BoardClass::power_limited;
    const Hertz clock = gpu.core_clock ? gpu.core_clock->value : card.boost;
    const double attained = large ? 0.8 : 0.97 * ratio(clock, card.boost);
    constexpr double uncertainty = 0.15;
    const auto type = [&](std::string_view key, double multiple, std::string_view what) {
        if (multiple <= 0) return;
        put(gpu, key,
            known(attained * multiple * peak, Quality::unverified,
                  fmt::format("dense {} peak {:.4g} x {:.3f}; not measured on this card", what, multiple * peak,
                              attained),
                  uncertainty));
    };
    type("tensor_fp16_op_per_s", 1, "fp16");
    const auto* types =
        std::ranges::find(tensor_types, std::string_view(card.compute_capability), &TensorTypes::architecture);
    if (types == tensor_types.end()) return;
    type("tensor_bf16_op_per_s", types->bf16, "bf16");
    type("tensor_tf32_op_per_s", types->tf32, "tf32");
    type("tensor_fp64_op_per_s", types->fp64, "fp64");
    type("tensor_fp8_op_per_s", types->fp8, "fp8");
    type("tensor_int8_op_per_s", halved ? 2 * types->int8 : types->int8, "int8");
}

void put_latencies(Gpu& gpu, const Card& card, const Rates& rates) {
    const std::string source = "typical of " + card.compute_capability + "; not measured on this card";
    const auto latency = [&](std::string_view key, double cycles, double uncertainty) {
        if (cycles > 0) put(gpu, key, known(cycles, Quality::unverified, source, uncertainty));
    };
    latency("l1_latency_cycle", rates.l1_latency, 0.15);
    latency("l2_latency_cycle", rates.l2_latency, 0.15);
    latency("dram_latency_cycle", rates.dram_latency, 0.25);
    latency("shared_latency_cycle", rates.shared_latency, 0.15);
    // Cycles that a warp's access holds the path between a multiprocessor and L2: 128 bytes, or one sector.
    const bool wide = card.vendor != "NVIDIA" || rates.tensor_fp16 > 0;
    const double path_byte = wide ? 64 : 32;
    const std::string path =
        fmt::format("{:g} bytes per clock between multiprocessor and L2; not measured on this card", path_byte);
    put(gpu, "departure_delay_coalesced_cycle", known(128 / path_byte, Quality::unverified, path, 0.5));
    put(gpu, "departure_delay_uncoalesced_cycle", known(std::max(1.0, 32 / path_byte), Quality::unverified, path, 0.5));
}

void put_limits(Gpu& gpu, const Card& card, const std::optional<Rates>& rates) {
    constexpr double kibi = 1024;
    const auto limit = [&](std::string_view key, double value, std::string_view source, Quality quality) {
        if (value > 0) put(gpu, key, known(value, quality, std::string(source)));
    };
    if (const auto cuda = occupancy_rules(card.compute_capability)) {
        constexpr std::string_view source =
            "CUDA C++ Programming Guide, technical specifications by compute capability";
        limit("max_warps_per_sm", cuda->max_warps, source, Quality::datasheet);
        limit("max_blocks_per_sm", cuda->max_blocks, source, Quality::datasheet);
        limit("registers_per_sm", cuda->registers, source, Quality::datasheet);
        limit("schedulers_per_sm", cuda->major == 1 ? 1 : cuda->partitions, source, Quality::datasheet);
        limit("shared_size_byte", cuda->shared, source, Quality::datasheet);
        limit("shared_per_block_byte", cuda->shared_per_block, source, Quality::datasheet);
    } else if (rates) {
        constexpr std::string_view source =
            "architecture specifications of the maker; warps are waves of 64 (GCN, CDNA), 32 (RDNA), or threads (Xe)";
        limit("max_warps_per_sm", rates->warps, source, Quality::unverified);
        limit("registers_per_sm", rates->registers, source, Quality::unverified);
        limit("schedulers_per_sm", rates->schedulers, source, Quality::unverified);
        limit("shared_size_byte", rates->shared_kib * kibi, source, Quality::unverified);
        limit("shared_per_block_byte", rates->shared_per_block_kib * kibi, source, Quality::unverified);
    }
    if (rates)
        limit("l1_size_byte", rates->l1_kib * kibi,
              "unified with shared memory: what a kernel that uses none of that has", Quality::unverified);
}

// "PCIe 4.0 x16" -> bytes per second each way, before protocol.
std::optional<double> link_peak(const std::string& link) {
    constexpr double giga = 1e9;
    if (link == "NVLink-C2C") return 450 * giga;
    constexpr std::array<double, 6> lane{0, 0.25, 0.5, 0.985, 1.969, 3.938};
    unsigned generation = 0;
    unsigned lanes = 0;
    if (std::sscanf(link.c_str(), "PCIe %u.%*u x%u", &generation, &lanes) != 2 || generation >= lane.size()) return {};
    return lane[generation] * lanes * giga;
}

void put_board(Gpu& gpu, const Card& card) {
    const auto stated = [&](std::string_view key, std::optional<double> value) {
        if (value) put(gpu, key, known(*value, Quality::datasheet, card.source));
    };
    stated("sm_count", card.sm_count);
    stated("lanes_per_sm", card.lanes_per_sm);
    stated("memory_byte", card.memory ? std::optional(card.memory->value) : std::nullopt);
    stated("l2_size_byte", card.l2 ? std::optional(card.l2->value) : std::nullopt);
    stated("tdp_w", card.tdp ? std::optional(card.tdp->value) : std::nullopt);
    gpu.dram_type = {card.dram_type, Quality::datasheet, card.source, {}};
    gpu.ecc = {card.ecc, Quality::datasheet, "as the board is delivered", {}};
    constexpr double protocol = 0.8;
    if (const auto peak = link_peak(card.link)) {
        put(gpu, "link_bandwidth_byte_per_s",
            known(protocol * *peak, Quality::unverified,
                  fmt::format("{} x {:g} for large pinned copies", card.link, protocol), 0.1));
    }
}

// All but the sweep over loads per thread, which follows from other parameters.
Gpu derive_without_sweep(const Card& card, const Calibration& calibration, const DeriveOptions& options) {
    Gpu gpu;
    gpu.name = card.name;
    gpu.aliases = card.aliases;
    gpu.vendor = card.vendor;
    gpu.architecture = card.architecture;
    gpu.compute_capability = card.compute_capability;
    const Clock clock = put_clocks(gpu, card, calibration, options);
    put_rates(gpu, card, calibration, options, clock);
    put_integer_kinds(gpu, card, calibration, options, clock);
    put_ecc(gpu, card, calibration, options);
    put_peaks(gpu, card);
    const std::optional<Rates> rates = find_rates(card.compute_capability);
    if (rates) {
        put_wide_accesses(gpu, card, *rates, clock);
        put_tensor(gpu, card, *rates);
        put_latencies(gpu, card, *rates);
    }
    put_limits(gpu, card, rates);
    put_board(gpu, card);
    return gpu;
}

// What was measured of another card of this compute capability and holds for the chip: rates per multiprocessor and
// clock, cycles as they are. Twins are alike there, whatever rule would give for them.
void put_values_of_chip(Gpu& gpu, const Card& card, std::span<const CardValue> values) {
    for (const CardValue& value : values) {
        if (!value.of_chip || value.gpu == card.name || !value.clock || !gpu.core_clock) continue;
        const auto& cards = known_cards();
        const auto twin = std::ranges::find(cards, value.gpu, &Card::name);
        if (twin == cards.end() || twin->compute_capability != card.compute_capability) continue;
        if (value.parameter.ends_with("_cycle")) {
            put(gpu, value.parameter,
                known(value.value, Quality::derived, fmt::format("measured on {}: {}", value.gpu, value.source),
                      value.uncertainty));
            continue;
        }
        const double per_cycle = value.value / twin->sm_count / value.clock->value;
        const double clock = gpu.core_clock->value.value;
        put(gpu, value.parameter,
            known(per_cycle * card.sm_count * clock, Quality::derived,
                  fmt::format("{:.4g} per SM and clock, measured on {} ({}) x {:g} SMs x {:.0f} MHz", per_cycle,
                              value.gpu, value.source, card.sm_count, clock / mega),
                  std::hypot(value.uncertainty.value_or(0), gpu.core_clock->uncertainty.value_or(0))));
    }
}

}  // namespace

Gpu derive(const Card& card, const Calibration& calibration, const DeriveOptions& options) {
    Gpu gpu = derive_without_sweep(card, calibration, options);
    put_loads_sweep(gpu);
    return gpu;
}

Gpu describe(const Card& card, std::span<const CardValue> values, const Calibration& calibration) {
    Gpu gpu = derive_without_sweep(card, calibration, {.leave_out = {}, .core_clock = measured_clock(card, values)});
    put_values_of_chip(gpu, card, values);
    for (const CardValue& value : values) {
        if (value.gpu != card.name) continue;
        std::string source = value.source;
        if (value.clock && value.quality == Quality::measured) {
            source += fmt::format(", {:.0f} MHz reported", value.clock->value / mega);
        }
        put(gpu, value.parameter, {value.value, value.quality, std::move(source), value.uncertainty});
    }
    put_loads_sweep(gpu);
    gpu.mpd_cpd = known_warp_task_costs(card.name);
    return gpu;
}

}  // namespace gpuproj
