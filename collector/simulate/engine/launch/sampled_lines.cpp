#include "collector/simulate/engine/launch/sampled_lines.hpp"

#include <initializer_list>

namespace gpuproj::simulate {

namespace {

/// Sectors that accesses of some kinds asked for since the beginning: of all lines, and of those of the sample.
struct Seen {
    double all = 0, sampled = 0;
};

}  // namespace

bool SampledLines::wants_rest() {
    if (begun() || ++rounds_ < next_) return false;
    next_ *= 2;
    return true;
}

bool SampledLines::begins(double instructions, const Traffic& simulated) {
    if (simulation_work(instructions, static_cast<double>(simulated.memory.line_requests)) < enough_) return false;
    until_ = simulated;
    return true;
}

Traffic SampledLines::total(const Traffic& simulated, const L1Cache& l1, std::uint32_t one_in) const {
    using Kind = AccessKind;
    const Traffic& until = *until_;
    const double each = one_in;  // line of the sample stands for so many
    const auto more = [](std::uint64_t now, std::uint64_t before) { return static_cast<double>(now - before); };
    Traffic all = simulated;

    // Lines that many accesses hit may be in the sample or not: what is counted of all accesses is taken from there.
    // Of those of `kinds` that L1 keeps, or of those that it does not.
    const auto seen = [&](bool kept, std::initializer_list<Kind> kinds) {
        const SampledSectors& sectors = simulated.memory.sampled;
        Seen sum;
        for (const Kind kind : kinds) {
            if (l1.keeps(kind) != kept) continue;
            const auto i = static_cast<std::size_t>(kind);
            sum.all += static_cast<double>(sectors.all.at(i));
            sum.sampled += static_cast<double>(sectors.sampled.at(i));
        }
        return sum;
    };
    const Seen loads = seen(true, {Kind::load, Kind::read_only_load, Kind::local_load});
    const double misses = each * (loads.sampled - more(simulated.memory.l1_hits, until.memory.l1_hits));
    all.memory.l1_hits = until.memory.l1_hits + whole(loads.all - misses);

    const auto at_l2 = [&](std::uint64_t L2Counters::*member, const Seen& passed) {
        const double of_sample = more(simulated.l2.*member, until.l2.*member);
        all.l2.*member = until.l2.*member + whole(passed.all + each * (of_sample - passed.sampled));
    };
    at_l2(&L2Counters::read_sectors, seen(false, {Kind::load, Kind::read_only_load, Kind::local_load}));
    at_l2(&L2Counters::write_sectors, seen(false, {Kind::store, Kind::local_store}));
    at_l2(&L2Counters::atomic_sectors, seen(false, {Kind::atomic}));
    for (const auto member : {&L2Counters::dram_read_sectors, &L2Counters::dram_write_sectors})
        all.l2.*member = until.l2.*member + whole(each * more(simulated.l2.*member, until.l2.*member));

    // Of the caches of other GPUs, L2 has a sample of its own. Those of L1 hit in the same lines, or in more of them.
    const double hits = more(simulated.memory.l1_hits, until.memory.l1_hits);
    const double stands_for = hits > 0 ? more(all.memory.l1_hits, until.memory.l1_hits) / hits : each;
    for (std::size_t size = 0; size < other_l1_sizes.size(); ++size) {
        const auto of_size = [&](const MemoryCounters& memory) {
            return static_cast<double>(memory.other_l1_hits.at(size));
        };
        const double before = of_size(until.memory);
        all.memory.other_l1_hits.at(size) = whole(before + stands_for * (of_size(simulated.memory) - before));
    }
    return all;
}

}  // namespace gpuproj::simulate
