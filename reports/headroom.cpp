#include "reports/headroom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <variant>

#include "model/calibrated.hpp"
#include "model/calibrated_time.hpp"
#include "model/calibrated_work.hpp"
#include "model/dram_page.hpp"
#include "model/warnings.hpp"
#include "reports/application.hpp"
#include "reports/format.hpp"
#include "reports/kernel_names.hpp"

namespace gpuproj {
namespace {

using namespace calibrated;

/// A kernel's work per launch, where it was counted and where it is to run.
struct Subject {
    const KernelRecord& record;
    Work work;
    const Chip& reference;
    const Chip& target;

    double seconds(const Work& changed) const { return times_on(changed, reference, target, fitted.constants).total; }
    double per_launch(double counter) const { return counter / static_cast<double>(record.launches); }
};

/// Seconds of one launch if the thing were ideal, or why that cannot be told; and what the counters say of it.
struct Ideal {
    std::variant<double, std::string> seconds;
    std::string finding = {};
};

Ideal not_counted(std::string_view counter) {
    return {fmt::format("the profile lacks the counter {}", counter)};
}

std::string percent(double fraction) {
    return for_people(fraction, Unit::fraction);
}

/// Multiply-adds everywhere: half as many instructions as operations (E_mix = 1).
Ideal multiply_adds(const Subject& s) {
    const auto& m = s.record.metrics;
    Work work = s.work;
    double mixed = 0, all = 0;
    const auto fuse = [&](const auto& instructions, const auto& multiply_adds, double& of_work) {
        if (!instructions || !multiply_adds || instructions->value <= 0) return 1.0;
        const double left = (1 + multiply_adds->value / instructions->value) / 2;
        work.warp_inst -= of_work * (1 - left);
        of_work *= left;
        mixed += multiply_adds->value;
        all += instructions->value;
        return left;
    };
    work.multiply_add_pipe *= fuse(m.thread_inst_fp32, m.thread_inst_fp32_fma, work.fp32);
    fuse(m.thread_inst_fp64, m.thread_inst_fp64_fma, work.fp64);
    if (all <= 0) return {std::string("no floating-point instructions with their multiply-adds were counted")};
    return {s.seconds(work),
            fmt::format("{} of the floating-point instructions are multiply-adds", percent(mixed / all))};
}

/// Nothing but floating-point work, special functions, loads and stores: no addresses, loops, conversions, moves.
Ideal instruction_overhead(const Subject& s) {
    Work work = s.work;
    const double useful = work.fp32 + work.fp64 + work.fp16 + work.special;
    if (useful <= 0) return {std::string("the kernel has no floating-point work: its other instructions are its work")};
    if (work.tensor() > 0) return {std::string("what of the instructions tensor work needs is not known")};
    const double needed = std::min(useful + work.load_store, work.warp_inst);
    const double overhead = 1 - needed / work.warp_inst;
    work.integer = work.conversion = work.conversion64 = work.exchange = 0;
    work.warp_inst = needed;
    return {s.seconds(work),
            fmt::format("{} of the instructions neither compute nor load or store", percent(overhead))};
}

Ideal load_store(const Subject& s) {
    if (!s.record.metrics.thread_inst_load_store) return not_counted("thread_inst_load_store");
    Work work = s.work;
    const double share = work.load_store / work.warp_inst;
    work.warp_inst -= std::min(work.load_store, work.warp_inst);
    work.load_store = work.shared_passes = work.shared_requests = 0;
    return {s.seconds(work), fmt::format("{} of the instructions load or store", percent(share))};
}

/// All lanes of every instruction at work.
Ideal divergence(const Subject& s) {
    const auto& m = s.record.metrics;
    if (!m.thread_inst) return not_counted("thread_inst");
    if (!m.warp_inst) return not_counted("warp_inst");
    const double lanes = std::min(m.thread_inst->value / (threads_per_warp * m.warp_inst->value), 1.0);
    Work work = s.work;
    for (double* count :
         {&work.warp_inst, &work.fp32, &work.fp64, &work.fp16, &work.integer, &work.load_store, &work.conversion,
          &work.conversion64, &work.special, &work.exchange, &work.multiply_add_pipe}) {
        *count *= lanes;
    }
    return {s.seconds(work),
            fmt::format("{:.1f} of 32 lanes are at work in a mean instruction", lanes * threads_per_warp)};
}

/// Only the bytes that the program asks for are moved.
Ideal uncoalesced(const Subject& s) {
    const auto& m = s.record.metrics;
    if (!m.global_load_requested && !m.global_store_requested) return not_counted("global_load_requested_byte");
    if (!m.global_load && !m.global_store) return not_counted("global_load_sector");
    const double requested = s.per_launch(m.global_load_requested.value_or(Bytes{}).value +
                                          m.global_store_requested.value_or(Bytes{}).value);
    const double moved = bytes_per_sector.value * s.per_launch(m.global_load.value_or(Sectors{}).value +
                                                               m.global_store.value_or(Sectors{}).value);
    if (moved <= 0) return {std::string("the kernel does not access global memory")};
    const double used = std::min(requested / moved, 1.0);
    Work work = s.work;
    constexpr double sectors_per_line = 4;
    work.l1_sectors *= used;
    work.l2_sectors *= used;
    work.lines = std::min(work.lines, std::max(work.l1_sectors / sectors_per_line, 1.0));
    // Bytes of a sector that nobody asked for come from DRAM too; less than was asked for has come from a cache.
    if (work.dram_bytes > requested) work.dram_bytes = std::max(requested, used * work.dram_bytes);
    work.run_sectors = sectors_per_line;
    work.scattered = work.read_scatter = work.write_scatter = 0;
    work.read_in_pairs = work.write_in_pairs = 1;
    auto evidence = fmt::format("{} of the bytes moved by global accesses were asked for", percent(used));
    if (s.work.run_sectors < sectors_per_line) {
        evidence += fmt::format(", {:.1f} of the 4 sectors of a line at a time", s.work.run_sectors);
    }
    const auto pages = [&](const Maybe<double>& share, double scatter, std::string_view moves) {
        if (share && scatter > 0)
            evidence += fmt::format(", DRAM {} {:.1f} of the {} sectors of a page at a time", moves,
                                    *share * dram_page_sectors, dram_page_sectors);
    };
    pages(m.dram_read_page_share, s.work.read_scatter, "reads");
    pages(m.dram_write_page_share, s.work.write_scatter, "writes");
    return {s.seconds(work), std::move(evidence)};
}

Ideal bank_conflicts(const Subject& s) {
    const auto& m = s.record.metrics;
    if (!m.shared_wavefront) return not_counted("shared_wavefront");
    if (!m.shared_bank_conflict) return not_counted("shared_bank_conflict");
    if (m.shared_wavefront->value <= 0) return {std::string("the kernel does not use shared memory")};
    const double conflicts = m.shared_bank_conflict->value / m.shared_wavefront->value;
    Work work = s.work;
    work.shared_passes *= 1 - std::min(conflicts, 1.0);
    return {s.seconds(work),
            fmt::format("{} of the passes through shared memory are bank conflicts", percent(conflicts))};
}

Ideal atomics(const Subject& s) {
    const auto& m = s.record.metrics;
    if (m.warp_inst_atomic && m.warp_inst_atomic->value <= 0) return {std::string("the kernel has no global atomics")};
    if (!m.thread_atomic_hottest) return not_counted("thread_atomic_hottest");
    Work work = s.work;
    work.hottest_word = 0;
    return {s.seconds(work), fmt::format("{:.0f} atomic operations per launch on one word", s.work.hottest_word)};
}

/// The other resources, as if enough warps hid every latency.
Ideal latency(const Subject& s) {
    const Times times = times_on(s.work, s.reference, s.target, fitted.constants);
    const auto at = static_cast<std::size_t>(Resource::latency);
    const double all = times.total - launch_overhead;
    const double without = all * std::pow(1 - times.share(at), 1 / overlap);
    const double rounds =
        residency(prepare(s.work, s.reference, fitted.constants), s.target, possible_blocks(s.work, s.target.occupancy))
            .rounds;
    return {without + launch_overhead,
            fmt::format("waiting takes {} per launch in {:.0f} round{} of resident blocks",
                        for_people(times.of[at], Unit::seconds), rounds, rounds == 1 ? "" : "s")};
}

/// Four: what a loop unrolled four times has, and GPUs' queues hold of all resident warps.
Ideal lone_loads(const Subject& s) {
    constexpr double enough = 4;
    if (!s.record.metrics.load_parallelism) return not_counted("load_parallelism");
    Work work = s.work;
    work.load_parallelism = std::max(work.load_parallelism, enough);
    return {s.seconds(work), fmt::format("{:.1f} loads of a warp are on their way at a time", s.work.load_parallelism)};
}

Ideal unequal_warps(const Subject& s) {
    if (!s.record.metrics.warp_balance) return not_counted("warp_balance");
    Work work = s.work;
    work.longest_warp = 1;
    return {s.seconds(work),
            fmt::format("the longest warp executes {:.1f} times the instructions that warps execute on the mean",
                        s.work.longest_warp)};
}

/// Every multiprocessor gets the same share of the blocks.
Ideal uneven_blocks(const Subject& s) {
    const auto known = s.record.blocks();
    if (!known) return {std::string("the grid is not known")};
    const auto blocks = static_cast<double>(*known);
    const double busiest = std::ceil(blocks / s.target.sm_count);
    const double even = blocks / s.target.sm_count / busiest;
    Times times = times_on(s.work, s.reference, s.target, fitted.constants);
    double sum = 0;
    for (std::size_t i = 0; i < resources; ++i) {
        const auto resource = static_cast<Resource>(i);
        const bool whole_chip = resource == Resource::dram || resource == Resource::latency ||
                                resource == Resource::atomic || resource == Resource::blocks;
        sum += std::pow(times.of[i] * (whole_chip ? 1 : even), overlap);
    }
    return {std::pow(sum, 1 / overlap) + launch_overhead,
            fmt::format("{:.0f} blocks on {:.0f} multiprocessors: they are busy {} of the time", blocks,
                        s.target.sm_count, percent(even))};
}

Ideal small_blocks(const Subject& s) {
    constexpr double enough_threads = 256;
    const double threads = s.work.threads_per_block;
    if (threads >= enough_threads)
        return {s.seconds(s.work), fmt::format("blocks of {:.0f} threads begin as fast as they end", threads)};
    const Times times = times_on(s.work, s.reference, s.target, fitted.constants);
    Chip as_if = s.target;
    as_if.rates.blocks *= enough_threads / threads;
    return {times_on(s.work, s.reference, as_if, fitted.constants).total,
            fmt::format("to begin {:.0f} blocks of {:.0f} threads takes {} per launch", s.work.blocks, threads,
                        for_people(times.of[static_cast<std::size_t>(Resource::blocks)], Unit::seconds))};
}

Ideal launches(const Subject& s) {
    const double total = s.seconds(s.work);
    return {total - launch_overhead,
            fmt::format("{} launches of {} each", s.record.launches, for_people(total, Unit::seconds))};
}

struct LossKind {
    std::string_view name;
    std::string_view ideal;
    std::string_view advice;
    Ideal (*if_ideal)(const Subject&);
};

constexpr std::array loss_kinds = {
    LossKind{"multiply-adds (E_mix)", "every floating-point instruction a multiply-add",
             "rewrite sums of products so that they fuse", multiply_adds},
    LossKind{"instruction overhead", "no instructions beside floating point, special functions, loads and stores",
             "give each thread more elements, unroll, and hoist index arithmetic out of the inner loop",
             instruction_overhead},
    LossKind{"loads and stores", "loads, stores and shared memory cost no instruction",
             "keep reused values in registers, and use wider accesses", load_store},
    LossKind{"divergence", "all 32 lanes of every instruction at work",
             "let the threads of a warp take the same branch and the same number of iterations", divergence},
    LossKind{"uncoalesced traffic", "only the bytes asked for are moved",
             "let neighbouring threads access neighbouring elements (structure of arrays, or a transpose in shared "
             "memory), and blocks that run together rows of a few hundred bytes",
             uncoalesced},
    LossKind{"bank conflicts", "no pass through shared memory beyond the least possible",
             "pad the rows of shared arrays, or permute their columns", bank_conflicts},
    LossKind{"atomics on one word", "no atomic operation waits for another on the same word",
             "sum within the warp or the block first, or give each block a word of its own", atomics},
    LossKind{"occupancy and latency", "enough warps to hide every wait",
             "launch more or smaller blocks, use fewer registers or less shared memory per block, or give each thread "
             "independent work",
             latency},
    LossKind{"loads one by one", "four loads of a warp on their way at a time",
             "load what the next iterations need before using it: unroll, and declare pointers __restrict__",
             lone_loads},
    LossKind{"unequal warps", "no warp executes more instructions than the mean",
             "divide the work of the longest warps among several", unequal_warps},
    LossKind{"uneven blocks", "every multiprocessor equally busy to the end",
             "launch a multiple of the number of multiprocessors, or more and smaller blocks", uneven_blocks},
    LossKind{"small blocks", "no block has fewer than 256 threads", "give each block more threads", small_blocks},
    LossKind{"launch overhead", "a launch costs nothing", "merge launches, or use a CUDA graph", launches},
};

// A loss is worth advice from a twentieth of its kernel's time and a hundredth of the application's.
constexpr double least_of_kernel = 0.05, least_of_application = 0.01;

void add_losses(KernelHeadroom& row, const Subject& subject) {
    const double as_counted = subject.seconds(subject.work);
    for (const LossKind& kind : loss_kinds) {
        const Ideal ideal = kind.if_ideal(subject);
        if (const auto* reason = std::get_if<std::string>(&ideal.seconds)) {
            row.unknown.push_back({kind.name, *reason});
            continue;
        }
        const double left = std::clamp(std::get<double>(ideal.seconds) / as_counted, 0.0, 1.0);
        // What the counters say; a judgement follows once the application's time is known.
        row.losses.push_back({kind.name, kind.ideal, left * row.time, (1 - left) * row.time, ideal.finding});
    }
    std::stable_sort(row.losses.begin(), row.losses.end(),
                     [](const Loss& a, const Loss& b) { return a.saved > b.saved; });
}

void keep_worthy_advice(KernelHeadroom& row, Seconds application) {
    for (Loss& loss : row.losses) {
        const auto* kind =
            std::find_if(loss_kinds.begin(), loss_kinds.end(), [&](const LossKind& k) { return k.name == loss.name; });
        const bool worthy =
            loss.saved >= least_of_kernel * row.time && loss.saved >= least_of_application * application;
        loss.advice = worthy ? fmt::format("{}: {}", loss.advice, kind->advice) : std::string{};
    }
}

}  // namespace

Headroom headroom(const Profile& profile, const Gpu& gpu, const Gpu* reference) {
    Headroom result;
    result.gpu = gpu.name;
    const bool own = gpu.name == profile.gpu;
    std::vector<std::string> names;
    names.reserve(profile.kernels.size());
    for (const auto& kernel : profile.kernels) names.push_back(kernel.kernel);
    names = short_kernel_names(names);

    const auto here = reference != nullptr
                          ? chip_of(*reference)
                          : std::variant<Chip, Inapplicable>{Inapplicable{"the profile's own GPU is not known"}};
    const auto there = chip_of(gpu);
    bool all_measured = !profile.kernels.empty();
    for (std::size_t at = 0; at < profile.kernels.size(); ++at) {
        const auto& record = profile.kernels[at];
        const auto refuse = [&](std::string reason) { result.left_out.push_back({at, std::move(reason)}); };
        const auto outcome = predict_calibrated({record, gpu, reference, {}});
        if (const auto* no = std::get_if<Inapplicable>(&outcome)) {
            refuse(no->reason);
            continue;
        }
        const auto& prediction = std::get<Prediction>(outcome);
        const auto& on = std::get<Chip>(there);
        const auto& from = own ? on : std::get<Chip>(here);
        const auto work = work_of(record, from);
        if (const auto* no = std::get_if<Inapplicable>(&work)) {
            refuse(no->reason);
            continue;
        }
        KernelHeadroom row;
        row.kernel = at;
        row.name = names[at];
        row.launches = record.launches;
        if (own) row.measured = measured_duration(record);
        all_measured = all_measured && row.measured;
        row.predicted = prediction.duration;
        row.time = row.measured.value_or(row.predicted);
        // Waiting for each other, like all waiting, is what a kernel can be freed of.
        for (const Bound& bound : prediction.bounds) {
            if (bound.limiter != Limiter::latency && bound.limiter != Limiter::launch &&
                bound.limiter != Limiter::atomic)
                row.bounds.push_back(bound);
        }
        if (row.bounds.empty()) {
            refuse("no resource is used: there is no bound");
            continue;
        }
        row.bound = row.bounds.front();
        row.factor = ratio(row.time, row.bound.duration);
        row.saved = std::max(row.time - row.bound.duration, Seconds{});
        add_losses(row, {record, std::get<Work>(work), from, on});
        result.kernels += row.time;
        result.rows.push_back(std::move(row));
    }
    result.measured = all_measured && result.left_out.empty();
    const auto application = measured_application(profile);
    result.transfers = application.transfers.value_or(Seconds{});
    if (result.measured) {
        result.idle = application.idle;
        result.host = application.host;
    }
    result.application =
        result.kernels + result.transfers + result.idle.value_or(Seconds{}) + result.host.value_or(Seconds{});
    for (auto& row : result.rows) {
        row.share = ratio(row.time, result.application);
        row.speed_up = ratio(result.application, result.application - row.saved);
        keep_worthy_advice(row, result.application);
    }
    std::stable_sort(result.rows.begin(), result.rows.end(),
                     [](const KernelHeadroom& a, const KernelHeadroom& b) { return a.saved > b.saved; });
    return result;
}

}  // namespace gpuproj
