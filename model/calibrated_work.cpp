#include "model/calibrated_work.hpp"

#include <algorithm>
#include <cmath>

#include "model/dram_page.hpp"

namespace gpuproj::calibrated {

namespace {

constexpr double sector_byte = bytes_per_sector.value;
constexpr double sectors_per_line = 4;
constexpr double tiny = 1e-9;

/// Counters per launch; absent stays absent.
class PerLaunch {
public:
    explicit PerLaunch(const KernelRecord& kernel) : launches_(static_cast<double>(kernel.launches)) {}

    template <Dimension D>
    std::optional<double> operator()(const Maybe<Quantity<D>>& counter) const {
        if (!counter) return std::nullopt;
        return of(counter);
    }
    /// Of one that is there.
    template <Dimension D>
    double of(const Maybe<Quantity<D>>& counter) const {
        return counter->value / launches_;
    }

private:
    double launches_;
};

using Maybe = std::optional<double>;

double or_0(const Maybe& x) {
    return x.value_or(0);
}

Maybe sum(const Maybe& a, const Maybe& b) {
    if (!a && !b) return std::nullopt;
    return or_0(a) + or_0(b);
}

/// Operations of a floating-point instruction, where multiply-adds are not told apart: the median of the kernels of
/// Amaris' and HKBU's data is 1.34 in fp32 and 1.43 in fp64.
constexpr double operations_per_instruction = 1.4;

/// Instructions of a floating-point type where only its operations are known.
Maybe instructions(const Maybe& counted, const Maybe& operations, const Maybe& multiply_adds) {
    if (counted || !operations) return counted;
    return multiply_adds ? *operations - *multiply_adds : *operations / operations_per_instruction;
}

/// Thread-level instructions by kind.
struct Instruction {
    Maybe fp32, fp64, fp16, integer, load_store, conversion, special;
    double total = 0;
    bool load_store_counted = false;
};

std::optional<Instruction> instruction_mix(const KernelMetrics& m, const PerLaunch& per_launch) {
    Instruction mix;
    mix.fp32 = instructions(per_launch(m.thread_inst_fp32), per_launch(m.fp32_op), per_launch(m.thread_inst_fp32_fma));
    mix.fp64 = instructions(per_launch(m.thread_inst_fp64), per_launch(m.fp64_op), per_launch(m.thread_inst_fp64_fma));
    mix.fp16 = per_launch(m.thread_inst_fp16);
    mix.integer = per_launch(m.thread_inst_integer);
    mix.load_store = per_launch(m.thread_inst_load_store);
    mix.conversion = m.thread_inst_conversion ? per_launch(m.thread_inst_conversion) : per_launch(m.thread_inst_bit);
    mix.special = per_launch(m.thread_inst_special);
    const auto control = per_launch(m.thread_inst_control);
    const auto misc = per_launch(m.thread_inst_misc);
    if (!mix.fp32 && !mix.fp64 && !mix.fp16 && !mix.integer && !m.thread_inst && !m.warp_inst) return std::nullopt;

    mix.load_store_counted = mix.load_store.has_value();
    const double arithmetic = or_0(mix.fp32) + or_0(mix.fp64) + or_0(mix.fp16) + or_0(mix.integer);
    const bool all_kinds = mix.load_store && mix.integer && control && misc;
    if (m.thread_inst) {
        mix.total = per_launch.of(m.thread_inst);
    } else if (m.warp_inst && !all_kinds) {
        mix.total = threads_per_warp * per_launch.of(m.warp_inst);  // as if all lanes were at work
    } else if (mix.load_store) {
        mix.total = arithmetic + or_0(mix.load_store) + or_0(control) + or_0(misc) + or_0(mix.conversion);
    } else {
        mix.total = 1.7 * arithmetic;  // where only arithmetic was counted, it is taken for 1 of 1.7 instructions
    }
    if (!mix.load_store) mix.load_store = 0.15 * mix.total;  // a typical share
    return mix;
}

/// Global memory accesses as the reference counted them.
struct Global {
    Maybe load, store;     // sectors or transactions
    bool sectors = false;  // true: 32-byte sectors; false: nvprof's transactions
    double all() const { return or_0(load) + or_0(store); }
};

/// From 7.0 on nvprof's transactions are sectors.
Global global_accesses(const KernelMetrics& m, const PerLaunch& per_launch, const Chip& reference) {
    if (m.global_load || m.global_store) return {per_launch(m.global_load), per_launch(m.global_store), true};
    return {per_launch(m.global_load_transaction), per_launch(m.global_store_transaction),
            reference.compute_capability >= 7};
}

/// The share of lanes at work, 1/32 to 1: less those off by divergence and predication.
double lanes_at_work(const Instruction& mix, double warp_inst) {
    return std::clamp(mix.total / (threads_per_warp * warp_inst), 1.0 / threads_per_warp, 1.0);
}

/// Width of a warp's rows in units of `lanes`: a warp of a 2-D block covers several rows.
struct BlockShape {
    double x = 1;
    bool flat = true;
    explicit BlockShape(const Dim3& block)
        : x(static_cast<double>(block[0])), flat(std::uint64_t{block[1]} * block[2] == 1) {}

    double row(double per_lane, double low, double high) const {
        return flat ? high : std::clamp(x * per_lane / threads_per_warp, low, high);
    }
};

/// Sectors per transaction of nvprof. Maxwell and Pascal count a sector once per half or quarter of a warp.
double sectors_per_transaction(const Chip& reference, const Global& global, double load_store,
                               const BlockShape& block) {
    if (global.sectors) return 1;
    if (reference.compute_capability < 5) return block.row(4, 1, 2);
    return global.all() / std::max(load_store, tiny) > 12 ? block.row(1, 0.25, 1) : 0.5;
}

/// Sectors of one line that an access uses, by the sectors that it has: up to 4 they lie in one line; a row of floats
/// that begins within a line has 5 in two; 8 and more are taken for one each.
double usual_run(double per_request) {
    constexpr double apart = 8;
    if (per_request <= sectors_per_line) return std::max(per_request, 1.0);
    return std::max(1.0, apart / per_request * apart / per_request);
}

/// Sectors, and the accesses of warps that they belong to.
struct Accesses {
    double sectors = 0, requests = 0;
    double per_request() const { return requests > 0 ? sectors / requests : 1; }
};

/// Where the launch configuration is not known (figures from a paper): blocks of 256 threads, 200 instructions per
/// warp.
constexpr Dim3 usual_block{256, 1, 1};
double usual_blocks(const KernelMetrics& m, const Instruction& mix, const PerLaunch& per_launch,
                    double warps_per_block) {
    const double warp_inst = m.warp_inst ? per_launch.of(m.warp_inst) : mix.total / threads_per_warp;
    return std::max(std::ceil(warp_inst / 200 / warps_per_block), 1.0);
}

/// 32-bit values to and from global memory.
double moved_values(const KernelMetrics& m, const PerLaunch& per_launch, const Chip& reference) {
    constexpr double values_of_sector = 8;
    const Global global = global_accesses(m, per_launch, reference);
    if (global.sectors) return values_of_sector * global.all();
    // nvprof's transactions: lines, from Maxwell on sectors counted twice.
    if (reference.compute_capability < 5) return sectors_per_line * values_of_sector * global.all();
    return values_of_sector * (or_0(global.load) / 2 + or_0(global.store));
}

/// Whether instructions of four warps (wgmma) do the `tensor` operations on fp16, or others that take as long. One of a
/// warp does as many as an m16n8k16 at most, one of four, counted in each warp, more for n of 16 and up. Where the
/// instructions were not counted, programs on Hopper are taken to use what it has them for; no other GPU has them.
bool by_warp_groups(double tensor, const Maybe& warp_inst_tensor, const Chip& reference) {
    constexpr double most_of_warp = 2.0 * 16 * 8 * 16;
    constexpr double rounding = 1.01;
    if (reference.compute_capability < 9 || reference.compute_capability >= 10) return false;
    const double instructions = or_0(warp_inst_tensor);
    return instructions == 0 || tensor / instructions > rounding * most_of_warp;
}

/// Tensor instructions were counted, but not their operations.
bool lacks_tensor_operations(const KernelMetrics& m) {
    const bool known = m.tensor_fp16 || m.tensor_bf16 || m.tensor_tf32 || m.tensor_fp8 || m.tensor_fp64 ||
                       m.tensor_int8 || m.tensor_int4 || m.tensor_int1;
    return !known && m.warp_inst_tensor && m.warp_inst_tensor->value > 0;
}

/// Operations of a tensor instruction on fp16: one of the sixteen of a 16x16x16 product on Volta (Jia et al. 2018),
/// m16n8k8 on Turing, m16n8k16 since (PTX ISA). Absent where some are of one warp and some of four, of up to 32 times
/// as many.
std::optional<double> usual_tensor_operations(const Chip& reference) {
    const double version = reference.compute_capability;
    if (version < 7.5) return 2.0 * 16 * 16 * 16 / 16;
    if (version < 8) return 2.0 * 16 * 8 * 8;
    if (version >= 9 && version < 12) return std::nullopt;
    return 2.0 * 16 * 8 * 16;
}

void count_instructions(Work& work, const KernelMetrics& m, const PerLaunch& per_launch, const Instruction& mix,
                        const Chip& reference) {
    work.warp_inst = std::max(m.warp_inst ? per_launch.of(m.warp_inst) : mix.total / threads_per_warp, work.warps);
    if (m.warp_balance && *m.warp_balance > 0) work.longest_warp = 1 / *m.warp_balance;
    const double lanes = lanes_at_work(mix, work.warp_inst);
    const auto warp_level = [&](double thread_level) { return thread_level / threads_per_warp / lanes; };
    work.fp32 = warp_level(or_0(mix.fp32));
    work.fp64 = warp_level(or_0(mix.fp64));
    work.fp16 = warp_level(or_0(mix.fp16));
    work.integer = warp_level(or_0(mix.integer));
    work.load_store = warp_level(or_0(mix.load_store));
    work.conversion = warp_level(or_0(mix.conversion));
    work.special = warp_level(or_0(mix.special));
    // Counters of Volta and later have the unit's instructions only, and conversions are among them.
    if (!mix.special && m.warp_inst_special && reference.compute_capability >= 7)
        work.special = std::max(per_launch.of(m.warp_inst_special) - work.conversion, 0.0);
    work.exchange = warp_level(or_0(per_launch(m.thread_inst_communication)));
    work.tensor_fp16 = or_0(per_launch(m.tensor_fp16));
    if (lacks_tensor_operations(m))
        work.tensor_fp16 = per_launch.of(m.warp_inst_tensor) * or_0(usual_tensor_operations(reference));
    work.tensor_bf16 = or_0(per_launch(m.tensor_bf16));
    work.tensor_tf32 = or_0(per_launch(m.tensor_tf32));
    work.tensor_fp8 = or_0(per_launch(m.tensor_fp8));
    // Four bits go twice as fast as eight, single bits eight times (A100).
    work.tensor_integer =
        or_0(per_launch(m.tensor_int8)) + or_0(per_launch(m.tensor_int4)) / 2 + or_0(per_launch(m.tensor_int1)) / 8;
    work.tensor_fp64 = or_0(per_launch(m.tensor_fp64));
    // Those on fp16 that take as long on A100 and H100.
    const double as_fp16 =
        work.tensor_fp16 + work.tensor_bf16 + 2 * work.tensor_tf32 + work.tensor_fp8 / 2 + work.tensor_integer / 2;
    work.tensor_of_warps = !by_warp_groups(as_fp16, per_launch(m.warp_inst_tensor), reference);

    // Where comparisons and minima are not told apart, 30 % of the fp32 instructions are taken for them, but no more
    // than are not multiply-adds.
    const auto operations = per_launch(m.fp32_op);
    const double multiply_adds = warp_level(or_0(per_launch(m.thread_inst_fp32_fma)));
    work.multiply_add_pipe = operations && *operations > 0
                                 ? std::min(warp_level(*operations) - multiply_adds, work.fp32)
                                 : std::clamp(multiply_adds, 0.7 * work.fp32, work.fp32);
    // Conversions to and from 64 bits run on the fp64 units. Mixed-precision code has one to two per fp64 instruction;
    // what is converted comes from 32-bit arithmetic or from memory.
    const double values = work.fp32 + moved_values(m, per_launch, reference) / threads_per_warp / lanes;
    work.conversion64 = std::min(1.5 * work.fp64, mix.conversion ? work.conversion : values);
    work.texture = or_0(per_launch(m.warp_inst_texture));

    const auto integer = per_launch(m.thread_inst_integer);
    if (integer && *integer > 0 && m.thread_inst_integer_multiply) {
        const double multiply = per_launch.of(m.thread_inst_integer_multiply);
        work.multiply_share = std::min(multiply / *integer, 1.0);
        work.slow_integer_share = std::min((multiply + or_0(per_launch(m.thread_inst_integer_shift))) / *integer, 1.0);
    }
}

/// Sectors of one line that an access uses: as L1 looks it up, and as DRAM sees it where several accesses are of one
/// line.
struct Runs {
    double l1 = sectors_per_line, dram = sectors_per_line;
};

/// By the sectors of an access alone. `lanes`: the share at work.
Runs runs_of(const Work& work, const Global& global, double lanes) {
    const double per_request = work.l1_sectors / work.global_requests;
    if (!global.sectors) {  // as the constants were fitted
        const double run =
            per_request <= sectors_per_line ? std::max(per_request, 1.0) : std::max(1.0, 8 / per_request);
        return {run, run};
    }
    // Rows of doubles have twice the sectors.
    const bool wide = work.fp64 > work.fp32;
    const double each = wide ? std::max(per_request / 2, std::min(per_request, sectors_per_line)) : per_request;
    const double run = usual_run(each);
    // Bytes side by side, or one place for all lanes, as far as lanes are at work, are rows to DRAM.
    return {run, each <= sectors_per_line * lanes ? sectors_per_line : run};
}

/// Lines at L1, and sectors of a line at DRAM: as counted, or by `runs`.
void count_lines(Work& work, const KernelMetrics& m, const PerLaunch& per_launch, const Global& global,
                 const Runs& runs, const Chip& reference) {
    double rows = work.l1_sectors / runs.dram;  // lines, if accesses of less than one were together in one
    work.lines = work.l1_sectors / runs.l1;
    if (m.uncoalesced && m.warp_inst_uncoalesced && global.sectors) {
        const Accesses scattered{per_launch.of(m.uncoalesced), per_launch.of(m.warp_inst_uncoalesced)};
        const Accesses coalesced{std::max(work.l1_sectors - scattered.sectors, 0.0),
                                 std::max(work.global_requests - scattered.requests, 0.0)};
        const double scattered_lines = m.uncoalesced_line ? per_launch.of(m.uncoalesced_line)
                                                          : scattered.sectors / usual_run(scattered.per_request());
        rows = coalesced.sectors / sectors_per_line + scattered_lines;
        // What global accesses do not have is of local memory, textures and atomics.
        const double others = std::max(work.l1_sectors - global.all(), 0.0) / sectors_per_line;
        work.lines = m.global_line
                         ? per_launch.of(m.global_line) + others
                         : std::max(coalesced.sectors / sectors_per_line, coalesced.requests) + scattered_lines;
    } else if (reference.compute_capability < 5 && !global.sectors && global.all() > 0) {
        rows = work.lines = std::max(global.all(), work.l1_sectors / sectors_per_line);
    }
    work.run_sectors = std::clamp(work.l1_sectors / std::max(rows, tiny), 1.0, sectors_per_line);
}

/// How scattered accesses to DRAM are that move so many sectors side by side: 0 where that is `enough`, 1 for one.
double scatter(double sectors, double enough) {
    return std::clamp(std::log(enough / sectors) / std::log(enough), 0.0, 1.0);
}

/// By the share of a page that is moved at a time, if it is known.
void count_pages(const gpuproj::Maybe<double>& share, double& scattered, double& in_pairs) {
    // 512 bytes: an activation for each is what chips keep up with, every 5 ns or so (tRRD; 4 in tFAW), in which a
    // channel of 32 bits moves 200 to 300 bytes.
    constexpr double enough = 16;
    if (!share) return;
    const double sectors = *share * dram_page_sectors;
    scattered = scatter(sectors, enough);
    in_pairs = std::clamp(2 / sectors, 1.0, 2.0);
}

/// How scattered the traffic of DRAM is: by its pages where they are known, else by the sectors of a line that accesses
/// use.
void count_scatter(Work& work, const KernelMetrics& m, double read, double written) {
    const double matters = std::min(1.0, sectors_per_line * work.dram_share);
    if (!m.dram_read_page_share && !m.dram_write_page_share) {
        work.read_scatter = work.write_scatter = scatter(work.run_sectors, sectors_per_line);
        work.scattered = std::clamp((sectors_per_line - work.run_sectors) / 3, 0.0, 1.0) * matters;
        return;
    }
    count_pages(m.dram_read_page_share, work.read_scatter, work.read_in_pairs);
    count_pages(m.dram_write_page_share, work.write_scatter, work.write_in_pairs);
    if (read + written > 0) work.write_share = written / (read + written);
    work.scattered = matters * (work.read_scatter + work.write_share * (work.write_scatter - work.read_scatter));
}

void count_memory(Work& work, const KernelMetrics& m, const PerLaunch& per_launch, const Instruction& mix,
                  const Dim3& block_size, const Chip& reference) {
    const BlockShape block(block_size);
    const Global global = global_accesses(m, per_launch, reference);
    const auto dram_read = per_launch(m.dram_read), dram_write = per_launch(m.dram_write);  // sectors
    const auto l2_read = per_launch(m.l2_read), l2_write = per_launch(m.l2_write);
    work.shared_passes = or_0(per_launch(m.shared_wavefront));
    work.hottest_word = or_0(per_launch(m.thread_atomic_hottest));
    const bool no_shared = m.shared_wavefront && work.shared_passes == 0;

    // L2 sectors. nvprof on Maxwell, which does not keep global loads in L1, reports overflowed counts.
    const double to_sectors = sectors_per_transaction(reference, global, work.load_store, block);
    const bool overflowed = reference.compute_capability >= 5 && reference.compute_capability < 6 && !global.sectors &&
                            or_0(global.load) > 0 && or_0(l2_read) < 0.3 * or_0(global.load);
    work.weak_counters = !l2_read || overflowed;
    double read = or_0(l2_read);
    if (!l2_read && !l2_write && !global.load && !mix.load_store_counted) {
        read = or_0(dram_read);
    } else if (work.weak_counters) {
        // Without shared memory a load is taken for two of three accesses, coalesced.
        const double from_instructions = no_shared ? sectors_per_line * 0.67 * work.load_store : 0;
        read = or_0(global.load) > 0 ? or_0(global.load) * to_sectors : std::max(or_0(dram_read), from_instructions);
    }
    const double write = l2_write ? *l2_write : global.store ? *global.store * to_sectors : or_0(dram_write);
    work.l2_sectors = std::max(read + write, tiny);

    // Sectors before L1, by the unit of the reference's transactions.
    work.l1_sectors = work.l2_sectors;
    if (global.sectors) {
        work.l1_sectors = std::max(work.l2_sectors, global.all());
    } else if (reference.compute_capability >= 5) {
        work.l1_sectors = std::max(work.l2_sectors, global.all() / 3);
    }
    if (const double loaded = or_0(global.load); global.sectors && !work.weak_counters && loaded > 0)
        work.l1_hit_share = std::clamp(1 - read / loaded, 0.0, 1.0);

    // Warp accesses to global and to shared memory.
    const auto counted_global = sum(per_launch(m.warp_inst_global_load), per_launch(m.warp_inst_global_store));
    const auto counted_shared = sum(per_launch(m.warp_inst_shared_load), per_launch(m.warp_inst_shared_store));
    if (counted_global && counted_shared) {
        const double others = or_0(per_launch(m.warp_inst_local)) + or_0(per_launch(m.warp_inst_atomic));
        work.global_requests = std::max(*counted_global + others, tiny);
        work.shared_requests = *counted_shared;
    } else if (mix.load_store_counted) {
        // Where shared-memory accesses were not counted, they are taken for half of all.
        const double to_global = no_shared            ? work.load_store
                                 : m.shared_wavefront ? work.load_store - work.shared_passes
                                                      : work.load_store / 2;
        const double coalesced = work.l1_sectors / sectors_per_line;
        // Nor L2's: then nothing but DRAM traffic and half of the accesses bound it, and the truth is taken in between.
        const bool dram_alone = !m.shared_wavefront && !l2_read && !global.load && coalesced < to_global;
        const double guess = no_shared    ? to_global
                             : dram_alone ? std::sqrt(coalesced * to_global)
                                          : std::max(to_global, coalesced);
        const double least = work.l1_sectors / threads_per_warp;
        work.global_requests =
            std::max(std::clamp(guess, std::min(least, work.load_store), std::max(work.load_store, least)), tiny);
        work.shared_requests = std::max(work.load_store - work.global_requests, 0.0);
        if (dram_alone) work.shared_passes = work.shared_requests;  // one pass each, as far as anyone knows
    } else {
        work.global_requests = std::max(work.l1_sectors / sectors_per_line, 0.08 * mix.total / threads_per_warp);
        work.shared_requests = std::min(work.shared_passes, std::max(work.load_store - work.global_requests, 0.0));
    }

    const double longest_run = block.row(sectors_per_line, 1, sectors_per_line);
    Runs runs{longest_run, longest_run};  // where nothing speaks for scattered accesses
    if (mix.load_store_counted && (l2_read || global.load)) {
        const Runs by_sectors = runs_of(work, global, lanes_at_work(mix, work.warp_inst));
        runs = {std::min(by_sectors.l1, longest_run), std::min(by_sectors.dram, longest_run)};
    }
    count_lines(work, m, per_launch, global, runs, reference);
    // Loads wait, stores do not. L2 sees all stores, but of the loads only those that L1 has not.
    const bool told_apart = global.sectors && global.all() > 0;
    const double loads = told_apart ? or_0(global.load) / global.all() : std::clamp(read / work.l2_sectors, 0.0, 1.0);
    work.global_load_requests = work.global_requests * loads;

    // With ECC bits among the data, one more sector is fetched per contiguous run.
    const double ecc = reference.ecc_traffic ? 1 + 1 / work.run_sectors : 1;
    work.dram_bytes = sector_byte * (or_0(dram_read) + or_0(dram_write)) / ecc;
    work.dram_share = std::clamp(work.dram_bytes / sector_byte / work.l2_sectors, 0.0, 1.0);
    count_scatter(work, m, or_0(dram_read), or_0(dram_write));
}

}  // namespace

std::variant<Work, Inapplicable> work_of(const KernelRecord& kernel, const Chip& reference) {
    return work_of(kernel, kernel.metrics, reference);
}

std::variant<Work, Inapplicable> work_of(const KernelRecord& kernel, const KernelMetrics& m, const Chip& reference) {
    const auto blocks = kernel.blocks(), threads = kernel.threads_per_block();
    const bool launch_known = blocks && threads;
    if (launch_known && (blocks.value_or(0) == 0 || threads.value_or(0) == 0)) {
        return Inapplicable{"the profile says that the grid or a block is empty"};
    }
    if (!m.dram_read && !m.dram_write) return Inapplicable{"the profile lacks the counter dram_read_sector"};
    const PerLaunch per_launch(kernel);
    const auto mix = instruction_mix(m, per_launch);
    if (!mix) return Inapplicable{"the profile lacks all counts of instructions, such as warp_inst"};
    const bool tensor_guessed = lacks_tensor_operations(m);
    if (tensor_guessed && !usual_tensor_operations(reference)) {
        return Inapplicable{
            "the profile lacks the operations of its tensor instructions (tensor_fp16_op and its like), which on that "
            "GPU "
            "may be of one warp or of four; collect it with --metrics tensor"};
    }

    Work work;
    const Dim3 block = launch_known ? kernel.block.value_or(usual_block) : usual_block;
    const std::uint64_t in_block = volume(block).value_or(0);
    const double warps_per_block = std::ceil(static_cast<double>(in_block) / threads_per_warp);
    work.blocks =
        launch_known ? static_cast<double>(blocks.value_or(0)) : usual_blocks(m, *mix, per_launch, warps_per_block);
    work.threads_per_block = static_cast<std::uint32_t>(in_block);
    work.warps = work.blocks * warps_per_block;
    work.registers = kernel.registers_per_thread.value_or(32);  // a typical kernel's
    if (kernel.register_bounds) work.register_bounds = *kernel.register_bounds;
    if (kernel.registers_per_thread) work.registers_for = register_aim(reference.occupancy, work.register_bounds);
    if (kernel.dynamic_shared || kernel.static_shared) {
        work.shared_bytes = static_cast<std::uint64_t>(kernel.dynamic_shared.value_or(Bytes{}).value +
                                                       kernel.static_shared.value_or(Bytes{}).value);
    }
    work.achieved_occupancy = m.achieved_occupancy;
    work.load_parallelism = m.load_parallelism.value_or(0);
    count_instructions(work, m, per_launch, *mix, reference);
    count_memory(work, m, per_launch, *mix, block, reference);
    const bool accesses_counted = m.l2_read || m.global_load || m.global_load_transaction;
    work.weak_counters = work.weak_counters || !launch_known || !mix->load_store_counted || tensor_guessed;
    work.partial_counters = !mix->load_store_counted && !accesses_counted;
    return work;
}

}  // namespace gpuproj::calibrated
