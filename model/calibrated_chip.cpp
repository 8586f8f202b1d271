#include "model/calibrated_chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace gpuproj::calibrated {

namespace {

struct Row {
    double compute_capability;
    CycleRates rates;
};

// fp32, fp64, int_add, int_multiply, special, conversion: CUDA C++ Programming Guide, arithmetic throughput; where an
// integer multiply-add is split, multiplications stand at the rate of additions, as its three instructions are counted.
// Lines: uncoalesced kernels reach half a line per clock on Kepler (measured). L2: Jia et al. 2018 and 2019,
// gpu-benches, and the development data for 5.x (24-26; literature 24-32). Latencies and conflicts: Mei & Chu 2017; Jia
// et al. Shared memory of 7.5: GA102 whitepaper, 64 bytes per clock. Of a load that hits L1: Andersch et al. 2015
// (2.x), Jia et al. 2018 and 2019 (3.x to 7.5), gpu-benches (from 8.0). Guesses by generation, not verified: L1, L2 and
// latencies of 1.x, 2.x, 8.7, 10.x and 12.0.
constexpr std::array table{
    // cc, fp32, fp64, int_add, int_multiply, special, conversion, fp16, lanes, tensor, issue, shared, lines, texels,
    // L1 and L2 bytes, latencies of alu, shared, L1, L2, DRAM, conflict; split multiply-add
    Row{1.0, {8, 0, 8, 2, 2, 8, 8, 8, 0, 0.25, 0.25, 0.0625, 4, 8, 8, 24, 36, 250, 250, 500, 37, false}},
    Row{1.3, {8, 1, 8, 2, 2, 8, 8, 8, 0, 0.25, 0.25, 0.125, 4, 8, 8, 24, 36, 250, 250, 500, 37, false}},
    Row{2.0, {32, 16, 32, 16, 4, 16, 32, 32, 0, 1, 0.5, 0.5, 4, 64, 24, 18, 30, 45, 260, 520, 37, false}},
    Row{2.1, {48, 4, 48, 16, 8, 16, 48, 48, 0, 1.5, 0.5, 0.5, 8, 64, 24, 18, 30, 45, 260, 520, 37, false}},
    Row{3.0, {192, 8, 160, 32, 32, 32, 192, 192, 0, 4, 1, 0.5, 16, 64, 32, 9, 26, 35, 210, 440, 8.5, false}},
    Row{3.5, {192, 64, 160, 32, 32, 32, 192, 192, 0, 4, 1, 0.5, 16, 64, 32, 9, 26, 35, 210, 440, 8.5, false}},
    Row{3.7, {192, 64, 160, 32, 32, 32, 192, 192, 0, 4, 1, 0.5, 16, 64, 32, 9, 26, 35, 210, 440, 8.5, false}},
    Row{5.0, {128, 4, 128, 128, 32, 32, 128, 128, 0, 4, 1, 1, 8, 64, 26, 6, 23, 82, 200, 370, 2, true}},
    Row{5.2, {128, 4, 128, 128, 32, 32, 128, 128, 0, 4, 1, 1, 8, 64, 26, 6, 23, 82, 200, 370, 2, true}},
    Row{5.3, {128, 4, 128, 128, 32, 32, 256, 128, 0, 4, 1, 1, 8, 64, 26, 6, 23, 82, 200, 370, 2, true}},
    Row{6.0, {64, 32, 64, 64, 16, 16, 128, 64, 0, 2, 1, 1, 4, 64, 23, 6, 24, 82, 234, 450, 2, true}},
    Row{6.1, {128, 4, 128, 128, 32, 32, 2, 128, 0, 4, 1, 1, 8, 64, 30, 6, 24, 82, 216, 420, 2, true}},
    Row{6.2, {128, 4, 128, 128, 32, 32, 256, 128, 0, 4, 1, 1, 8, 64, 30, 6, 24, 82, 216, 420, 2, true}},
    Row{7.0, {64, 32, 64, 64, 16, 16, 128, 128, 1024, 4, 1, 1, 4, 128, 22, 4, 19, 28, 193, 420, 2, false}},
    Row{7.5, {64, 2, 64, 64, 16, 16, 128, 128, 1024, 4, 0.5, 1, 4, 64, 20, 4, 19, 32, 188, 430, 2, false}},
    Row{8.0, {64, 32, 64, 64, 16, 16, 256, 128, 2048, 4, 1, 1, 4, 128, 34, 4, 23, 33, 200, 480, 2, false}},
    Row{8.6, {128, 2, 64, 64, 16, 16, 128, 128, 512, 4, 1, 1, 4, 64, 17, 4, 23, 33, 220, 470, 2, false}},
    Row{8.7, {128, 2, 64, 64, 16, 16, 256, 128, 2048, 4, 1, 1, 4, 64, 17, 4, 23, 33, 220, 470, 2, false}},
    Row{8.9, {128, 2, 64, 64, 16, 64, 128, 128, 512, 4, 1, 1, 4, 64, 15, 4, 23, 34, 260, 540, 2, false}},
    Row{9.0, {128, 64, 64, 64, 16, 64, 256, 192, 4096, 4, 1, 1, 4, 128, 34, 4, 23, 32, 260, 560, 2, false}},
    Row{10.0, {128, 64, 64, 64, 16, 64, 128, 192, 8192, 4, 1, 1, 4, 128, 34, 4, 23, 34, 280, 600, 2, false}},
    Row{10.3, {128, 2, 64, 64, 16, 64, 128, 192, 8192, 4, 1, 1, 4, 128, 34, 4, 23, 34, 280, 600, 2, false}},
    Row{12.0, {128, 2, 128, 64, 16, 64, 128, 128, 512, 4, 1, 1, 4, 64, 15, 4, 23, 34, 280, 560, 2, false}},
};

constexpr double inline_ecc_share = 0.25;     // one sector of ECC bits beside four of data
constexpr double gddr5_sustained = 0.83;      // of the datasheet's bandwidth, without ECC; clpeak and mixbench results
constexpr double bandwidth_sustained = 0.85;  // where nothing is known

std::optional<double> parse_version(std::string_view text) {
    double version = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return version;
}

/// The row of the version or of the nearest lower one of its generation (for 11.x: 10.x).
const Row* find_row(double version) {
    const Row* nearest = nullptr;
    for (const Row& row : table) {
        if (row.compute_capability <= version) nearest = &row;
    }
    if (nearest == nullptr || std::floor(version) - std::floor(nearest->compute_capability) > 1) return nullptr;
    return nearest;
}

/// Throws std::bad_optional_access where it is not known: who calls it has looked.
template <class Q>
double value_of(const MaybeKnown<Q>& known) {
    const auto& value = known.value().value;  // NOLINT(bugprone-unchecked-optional-access)
    if constexpr (std::is_same_v<Q, int>) {
        return static_cast<double>(value);
    } else {
        return value.value;
    }
}

template <class Q>
bool is_guess(const MaybeKnown<Q>& known) {
    return !known || known->quality == Quality::unverified;
}

std::optional<double> sustained_clock(const Gpu& gpu) {
    // Boards of Kepler and Maxwell fall towards their base clock under load; later ones stay above the boost clock.
    const auto version = parse_version(gpu.compute_capability).value_or(0);
    const bool falls = version >= 3 && version < 6;
    const bool reported = gpu.core_clock && gpu.core_clock->quality == Quality::measured;
    if (falls && !reported && gpu.base_clock && gpu.boost_clock)
        return std::sqrt(value_of(gpu.base_clock) * value_of(gpu.boost_clock));
    if (gpu.core_clock && gpu.boost_clock) return std::sqrt(value_of(gpu.core_clock) * value_of(gpu.boost_clock));
    if (gpu.core_clock) return value_of(gpu.core_clock);
    if (gpu.boost_clock) return value_of(gpu.boost_clock);
    return std::nullopt;
}

/// Where ECC bits lie among the data, B_mem was measured with their traffic, which this model counts: without it the
/// bandwidth is higher, but never above what such memory sustains.
std::optional<double> sustained_bandwidth(const Gpu& gpu, bool ecc_traffic) {
    const auto peak = gpu.dram_bandwidth_peak ? std::optional{value_of(gpu.dram_bandwidth_peak)} : std::nullopt;
    if (!gpu.dram_bandwidth) {
        if (!peak) return std::nullopt;
        return (ecc_traffic ? gddr5_sustained : bandwidth_sustained) * *peak;
    }
    const double measured = value_of(gpu.dram_bandwidth);
    if (!ecc_traffic) return measured;
    const double without_ecc = (1 + inline_ecc_share) * measured;
    return peak ? std::min(without_ecc, gddr5_sustained * *peak) : without_ecc;
}

// Boards differ within these compute capabilities: GeForce sums products of floats in fp32 at half the rate, but
// integers at the full one.
constexpr std::array<double, 4> versions_of_two_tensor_rates{7.5, 8.6, 8.9, 12.0};
constexpr double full_tensor = 1024;

// Hopper reaches its peak by instructions of four warps only: those of one come to 63 % of it (Luo et al., Benchmarking
// and Dissecting the Nvidia Hopper GPU Architecture, 2024, arXiv:2402.13499). On 10.x nothing is published of them;
// they take their operands from registers as before, so that Hopper's rate per clock is assumed.
constexpr double tensor_of_warps_on_hopper = 0.63 * 4096;

// What tensor units do with other types, over their operations on fp16, where the GPU's file does not say: A100 and
// H100. A file that has a rate on fp16 says of the others whether they are there, too.
struct TensorMultiples {
    double bf16 = 1, tf32 = 0.5, fp8 = 2, int8 = 2, fp64 = 1.0 / 16;
};

TensorMultiples tensor_multiples(const Gpu& gpu) {
    if (!gpu.tensor_fp16) return {};
    const auto over_fp16 = [&](const auto& known) { return known ? value_of(known) / value_of(gpu.tensor_fp16) : 0; };
    return {over_fp16(gpu.tensor_bf16), over_fp16(gpu.tensor_tf32), over_fp16(gpu.tensor_fp8),
            over_fp16(gpu.tensor_int8), over_fp16(gpu.tensor_fp64)};
}

void set_tensor_types(CycleRates& r, const Gpu& gpu) {
    const TensorMultiples types = tensor_multiples(gpu);
    r.tensor_bf16 = types.bf16 * r.tensor;
    r.tensor_tf32 = types.tf32 * r.tensor;
    r.tensor_fp8 = types.fp8 * r.tensor;
    r.tensor_fp64 = types.fp64 * r.tensor;
    r.tensor_integer = types.int8 * r.tensor / 2;
}

void set_tensor_rates(Chip& chip, const Gpu& gpu) {
    CycleRates& r = chip.rates;
    if (chip.compute_capability >= 9 && chip.compute_capability < 12)
        r.tensor_warp_share = tensor_of_warps_on_hopper / r.tensor;
    const bool two =
        std::ranges::find(versions_of_two_tensor_rates, chip.compute_capability) != versions_of_two_tensor_rates.end();
    if (two && gpu.tensor_fp16 && gpu.core_clock) {
        // What the file has is sustained, 0.8 of the peak or more: 0.75 of the full rate lies between the two.
        const double per_clock = value_of(gpu.tensor_fp16) / chip.sm_count / value_of(gpu.core_clock);
        r.tensor = per_clock > 0.75 * full_tensor ? full_tensor : full_tensor / 2;
    }
    // GeForce GTX of 7.5 have no tensor units: the fp16 units do their instructions.
    if (chip.compute_capability == 7.5 && gpu.name.starts_with("GeForce GTX")) r.tensor = 2 * r.fp16;
    set_tensor_types(r, gpu);
    if (two && !gpu.tensor_fp16) r.tensor_integer = std::max(r.tensor_integer, full_tensor);
    // From 8.0 on all execute products of doubles, on the fp64 units where there are no others.
    if (chip.compute_capability >= 8) r.tensor_fp64 = std::max(r.tensor_fp64, 2 * r.fp64);
}

Inapplicable lacks(const Gpu& gpu, std::string_view key) {
    return {fmt::format("{} has no {}", gpu.name, key)};
}

/// Clock and bandwidth, and how sure they are; absent: what is missing is named.
std::optional<Inapplicable> set_whole_chip(Chip& chip, const Gpu& gpu) {
    if (!gpu.sm_count) return lacks(gpu, "sm_count");
    chip.sm_count = value_of(gpu.sm_count);
    const auto clock = sustained_clock(gpu);
    if (!clock) return lacks(gpu, "core_clock_hz");
    chip.clock = *clock;
    // 16 words of 32 bits for each access to the array (JEDEC JESD232; GDDR5: 8).
    chip.wide_dram = gpu.dram_type && gpu.dram_type->value == "GDDR5X";
    const auto bandwidth = sustained_bandwidth(gpu, chip.ecc_traffic);
    if (!bandwidth) return lacks(gpu, "dram_bandwidth_byte_per_s");
    chip.dram_bandwidth = *bandwidth;
    return std::nullopt;
}

/// Per clock. Of blocks of one warp with next to nothing to do 0.84 began on an RTX 3080 (transpose_shfl of 2^24
/// blocks, gpuFLOPBench, at the base clock, as its peak rates show) and 0.85 on an H200 (Rodinia's Fan2,
/// docs/hardware_counts.md). Taken to hold for other NVIDIA GPUs; of other makers' nothing is known.
constexpr double nvidia_blocks = 0.84;

std::variant<Chip, Inapplicable> nvidia_chip(const Gpu& gpu, double version, const Row& row,
                                             const OccupancyRules& rules) {
    Chip chip;
    chip.compute_capability = version;
    chip.rates = row.rates;
    chip.rates.blocks = nvidia_blocks;
    chip.occupancy = rules;
    // Until Kepler the ECC bits lie among the data; HBM keeps them apart, and later GDDR hides most of them.
    chip.ecc_traffic = version < 5 && gpu.ecc && gpu.ecc->value;
    chip.l1_bypassed = version >= 3 && version < 5;
    if (auto no = set_whole_chip(chip, gpu)) return *no;
    if (gpu.lanes_per_sm) chip.rates.fp32 = value_of(gpu.lanes_per_sm);
    // Boards differ in fp64 units within a compute capability (GeForce and Tesla of 3.5).
    if (gpu.fp64_peak && gpu.fp32_peak) {
        chip.rates.fp64 = std::min(row.rates.fp64, chip.rates.fp32 * value_of(gpu.fp64_peak) / value_of(gpu.fp32_peak));
    }
    set_tensor_rates(chip, gpu);
    chip.fitted_on = (version >= 3 && version < 4) || (version >= 5 && version < 6);
    chip.uncertain = !chip.fitted_on || (is_guess(gpu.core_clock) && is_guess(gpu.boost_clock)) ||
                     (is_guess(gpu.dram_bandwidth) && is_guess(gpu.dram_bandwidth_peak)) || is_guess(gpu.sm_count);
    return chip;
}

// What files of other makers' GPUs do not say. AMD: GCN3 and RDNA instruction set architecture manuals, AMD's
// optimisation guides; Intel: judgement. Sustained shares are those of the fitted constants' priors.
constexpr double sustained_rate = 0.9;  // of measured rates to peak, as the model multiplies by it again
constexpr double wide_lanes = 64;       // more of a compute unit's lanes work only on instruction pairs ...
constexpr double pairs_found = 0.4;     // ... of which compilers find this share
constexpr double alu_latency_wave64 = 4, alu_latency_wave32 = 5, alu_latency_intel = 8;
constexpr double latency_of_l1 = 120, latency_of_l2 = 250, latency_of_dram = 500, latency_of_shared = 64;
constexpr double passes_by_conflict = 2;
constexpr double texture_units = 4;  // per compute unit
constexpr std::uint32_t other_blocks = 32, other_registers_per_thread = 255, other_register_unit = 256;
constexpr std::uint32_t other_shared_unit = 512;

OccupancyRules other_rules(const Gpu& gpu) {
    const auto whole = [](const auto& known, double otherwise) {
        return static_cast<std::uint32_t>(known ? value_of(known) : otherwise);
    };
    OccupancyRules rules{};
    rules.max_warps = (threads_per_wave(gpu) == 64 ? 2 : 1) * whole(gpu.max_warps_per_sm, 40);
    rules.max_blocks = whole(gpu.max_blocks_per_sm, other_blocks);
    rules.registers = rules.registers_per_block = whole(gpu.registers_per_sm, 65536);
    rules.registers_per_thread = other_registers_per_thread;
    rules.register_unit = other_register_unit;
    rules.partitions = whole(gpu.schedulers_per_sm, 4);
    rules.shared = whole(gpu.shared_size, 65536);
    rules.shared_per_block = whole(gpu.shared_per_block, 65536);
    rules.shared_unit = other_shared_unit;
    return rules;
}

std::variant<Chip, Inapplicable> other_chip(const Gpu& gpu) {
    Chip chip;
    chip.compute_capability = 7.0;
    chip.other_maker = gpu.architecture;
    chip.uncertain = true;
    chip.occupancy = other_rules(gpu);
    if (auto no = set_whole_chip(chip, gpu)) return *no;
    if (!gpu.lanes_per_sm) return lacks(gpu, "lanes_per_sm");
    if (!gpu.int_add) return lacks(gpu, "int_add_op_per_s");
    if (!gpu.int_mad) return lacks(gpu, "int_mad_op_per_s");
    if (!gpu.shared_rate) return lacks(gpu, "shared_inst_per_s");
    // The stored rates were reached at core_clock.
    const double clocks = chip.sm_count * (gpu.core_clock ? value_of(gpu.core_clock) : chip.clock);
    const auto per_clock = [&](const auto& known, double operations, double otherwise) {
        return known ? value_of(known) / operations / clocks / sustained_rate : otherwise;
    };
    CycleRates& r = chip.rates;
    const double lanes = value_of(gpu.lanes_per_sm);
    r.lanes = std::min(lanes, wide_lanes) + pairs_found * std::max(lanes - wide_lanes, 0.0);
    if (gpu.vendor != "AMD") r.lanes = lanes;
    r.fp32 = std::min(per_clock(gpu.fp32, 2, lanes), r.lanes);
    r.fp64 = per_clock(gpu.fp64, 2, 0);
    r.int_add = std::min(per_clock(gpu.int_add, 1, lanes), r.lanes);
    r.int_multiply = std::min(per_clock(gpu.int_mad, 2, lanes), r.int_add);
    r.special = per_clock(gpu.special, 1, lanes / 4);
    r.conversion = lanes / 2;
    r.fp16 = per_clock(gpu.fp16, 2, r.fp32);
    r.tensor = per_clock(gpu.tensor_fp16, 1, 0);
    set_tensor_types(r, gpu);
    r.issue = 2 * r.lanes / threads_per_warp;  // vector instructions, and as many others beside them
    r.shared = per_clock(gpu.shared_rate, threads_per_warp, 1);
    r.l1_byte = per_clock(gpu.l1_bandwidth, 1, lanes);
    r.l2_byte = std::min(per_clock(gpu.l2_bandwidth, 1, lanes / 2), r.l1_byte);
    r.lines = r.l1_byte / 128;
    r.texels = texture_units;
    r.alu_latency = gpu.vendor != "AMD"           ? alu_latency_intel
                    : threads_per_wave(gpu) == 64 ? alu_latency_wave64
                                                  : alu_latency_wave32;
    r.shared_latency = gpu.shared_latency ? value_of(gpu.shared_latency) : latency_of_shared;
    r.l1_latency = gpu.l1_latency ? value_of(gpu.l1_latency) : latency_of_l1;
    r.l2_latency = gpu.l2_latency ? value_of(gpu.l2_latency) : latency_of_l2;
    r.dram_latency = std::max(gpu.dram_latency ? value_of(gpu.dram_latency) : latency_of_dram, r.l2_latency);
    r.conflict_latency = passes_by_conflict;
    return chip;
}

std::variant<Chip, Inapplicable> chip_by_values(const Gpu& gpu) {
    const auto version = parse_version(gpu.compute_capability);
    if (!version && (gpu.vendor == "AMD" || gpu.vendor == "Intel")) return other_chip(gpu);
    const Row* const row = version ? find_row(*version) : nullptr;
    const auto rules = occupancy_rules(gpu);
    if (!version || row == nullptr || !rules) {
        return Inapplicable{
            fmt::format("{} is neither of compute capability 1.0 to 12.x nor a GPU of AMD or Intel", gpu.name)};
    }
    return nvidia_chip(gpu, *version, *row, *rules);
}

/// Values that were set for a prediction, over what they were.
class Ratios {
public:
    Ratios(const Gpu& before, const Gpu& after) : before_(before), after_(after) {}

    /// Of the first of these that was changed; nothing if none was.
    template <class... Members>
    std::optional<double> of(Members... members) const {
        std::optional<double> first;
        ((first = first ? first : changed(members)), ...);
        return first;
    }
    /// Of a rate of the whole chip, per multiprocessor.
    template <class... Members>
    std::optional<double> per_sm(Members... members) const {
        const auto whole = of(members...);
        return whole ? std::optional{*whole / of(&Gpu::sm_count).value_or(1)} : std::nullopt;
    }

private:
    template <class Q>
    std::optional<double> changed(MaybeKnown<Q> Gpu::*member) const {
        const auto &was = before_.*member, &is = after_.*member;
        if (!was || !is || value_of(was) == value_of(is)) return std::nullopt;
        return value_of(is) / value_of(was);
    }

    const Gpu& before_;
    const Gpu& after_;
};

void scale(double& rate, std::optional<double> by) {
    rate *= by.value_or(1);
}

void change_arithmetic(CycleRates& r, const Ratios& ratios, bool special_converts, bool fp64_multiplies) {
    const auto fp64 = ratios.per_sm(&Gpu::fp64, &Gpu::fp64_peak);
    const auto special = ratios.per_sm(&Gpu::special);
    const auto fp32 = ratios.per_sm(&Gpu::fp32, &Gpu::fp32_peak);
    scale(r.fp32, fp32 ? fp32 : ratios.of(&Gpu::lanes_per_sm));
    scale(r.fp64, fp64);
    scale(r.fp16, ratios.per_sm(&Gpu::fp16, &Gpu::fp16_peak));
    scale(r.int_add, ratios.per_sm(&Gpu::int_add));
    scale(r.int_multiply, ratios.per_sm(&Gpu::int_mad));
    scale(r.special, special);
    if (special_converts) scale(r.conversion, special);
    scale(r.tensor, ratios.per_sm(&Gpu::tensor_fp16));
    scale(r.tensor_bf16, ratios.per_sm(&Gpu::tensor_bf16));
    scale(r.tensor_tf32, ratios.per_sm(&Gpu::tensor_tf32));
    scale(r.tensor_fp8, ratios.per_sm(&Gpu::tensor_fp8));
    scale(r.tensor_integer, ratios.per_sm(&Gpu::tensor_int8));
    const auto tensor_fp64 = ratios.per_sm(&Gpu::tensor_fp64);
    scale(r.tensor_fp64, fp64_multiplies && !tensor_fp64 ? fp64 : tensor_fp64);
    // Units alone are not held back by those that share their lanes.
    r.lanes = std::max({r.lanes, r.fp32, r.int_add});
    scale(r.issue, ratios.of(&Gpu::schedulers_per_sm));
}

void change_memory(CycleRates& r, const Ratios& ratios) {
    scale(r.shared, ratios.per_sm(&Gpu::shared_rate));
    for (double* const rate : {&r.l1_byte, &r.lines}) scale(*rate, ratios.per_sm(&Gpu::l1_bandwidth));
    scale(r.l2_byte, ratios.per_sm(&Gpu::l2_bandwidth));
    scale(r.shared_latency, ratios.of(&Gpu::shared_latency));
    scale(r.l1_latency, ratios.of(&Gpu::l1_latency));
    scale(r.l2_latency, ratios.of(&Gpu::l2_latency));
    scale(r.dram_latency, ratios.of(&Gpu::dram_latency));
    r.dram_latency = std::max(r.dram_latency, r.l2_latency);
}

/// The GPU before values were set, with those that it had none of.
Gpu with_new_values(Gpu before, const Gpu& after) {
    const auto add = [&](const auto& field) {
        if (!(before.*field.member)) before.*field.member = after.*field.member;
    };
    std::apply([&](const auto&... field) { (add(field), ...); }, Gpu::fields);
    return before;
}

}  // namespace

std::variant<Chip, Inapplicable> chip_of(const Gpu& gpu) {
    if (!gpu.before_changes) return chip_by_values(gpu);
    const Gpu before = with_new_values(*gpu.before_changes, gpu);
    auto result = chip_by_values(before);
    auto* const chip = std::get_if<Chip>(&result);
    if (chip == nullptr) return result;
    const Ratios ratios(before, gpu);
    const bool special_converts = chip->compute_capability >= 7 && chip->rates.conversion <= chip->rates.special;
    const bool fp64_multiplies = chip->rates.tensor_fp64 == 2 * chip->rates.fp64;
    change_arithmetic(chip->rates, ratios, special_converts, fp64_multiplies);
    change_memory(chip->rates, ratios);
    chip->dram_bandwidth *= ratios.of(&Gpu::dram_bandwidth, &Gpu::dram_bandwidth_peak).value_or(1);
    chip->sm_count = value_of(gpu.sm_count);
    chip->occupancy = chip->other_maker.empty() ? occupancy_rules(gpu).value_or(chip->occupancy) : other_rules(gpu);
    return result;
}

bool same_architecture(const Chip& a, const Chip& b) {
    const auto generation = [](double cc) { return cc < 7 ? std::floor(cc) : std::floor(2 * cc); };
    if (!a.other_maker.empty() || !b.other_maker.empty()) return a.other_maker == b.other_maker;
    return generation(a.compute_capability) == generation(b.compute_capability);
}

}  // namespace gpuproj::calibrated
