#include "collector/simulate/engine/windows.hpp"

#include <algorithm>
#include <cmath>

namespace gpuproj::simulate {

namespace {

// L1 serves more or less, as the blocks of an SM happen to share: that evens out over windows.
constexpr double alike_share = 0.05, alike_share_of_l2 = 0.1;
constexpr int agreeing_enough = 3;
// Of windows: what is left out, the more often it has agreed behind it. Grids have periods, mostly powers of two.
constexpr std::array<std::uint64_t, 4> gaps{2, 5, 11, 17};

constexpr std::size_t first_of_l2 = simulated_counters.size();

bool close(double a, double b, double share, double least = 0) {
    return std::abs(a - b) <= share * std::max({a, b, least});
}

}  // namespace

Windows::Counts Windows::counts_of(const Traffic& traffic) {
    Counts counts{};
    for (std::size_t i = 0; i < first_of_l2; ++i)
        counts.at(i) = static_cast<double>(traffic.memory.*simulated_counters.at(i));
    for (std::size_t i = 0; i < l2_counters.size(); ++i)
        counts.at(first_of_l2 + i) = static_cast<double>(traffic.l2.*l2_counters.at(i));
    return counts;
}

bool Windows::agree(const Counts& a, const Counts& b) {
    const auto sectors = [](const Counts& counts) {
        const auto of = [&](std::uint64_t MemoryCounters::*member) {
            return counts.at(
                static_cast<std::size_t>(std::ranges::find(simulated_counters, member) - simulated_counters.begin()));
        };
        const auto of_l2 = [&](std::uint64_t L2Counters::*member) {
            return counts.at(first_of_l2 +
                             static_cast<std::size_t>(std::ranges::find(l2_counters, member) - l2_counters.begin()));
        };
        struct Sectors {
            double device, shared, l2, dram;
        };
        return Sectors{
            of(&MemoryCounters::load_sectors) + of(&MemoryCounters::store_sectors), of(&MemoryCounters::shared_passes),
            of_l2(&L2Counters::read_sectors) + of_l2(&L2Counters::write_sectors) + of_l2(&L2Counters::atomic_sectors),
            of_l2(&L2Counters::dram_read_sectors) + of_l2(&L2Counters::dram_write_sectors)};
    };
    const auto x = sectors(a), y = sectors(b);
    // As for steady launches: DRAM has a quarter of the throughput of L2 or more.
    return close(x.device, y.device, alike_share) && close(x.shared, y.shared, alike_share) &&
           close(x.l2, y.l2, alike_share_of_l2) && close(x.dram, y.dram, alike_share, std::max(x.l2, y.l2) / 4);
}

void Windows::fill_gap(double instructions, const Counts* behind) {
    for (std::size_t i = 0; i < total_.size(); ++i) {
        const double before = last_.at(i), other = behind != nullptr ? behind->at(i) : before;
        total_.at(i) += instructions * (before + other) / 2;
    }
    estimated_ += instructions;
}

void Windows::end_window(double instructions, const Counts& now) {
    Counts rate{};
    for (std::size_t i = 0; i < rate.size(); ++i) {
        total_.at(i) += now.at(i) - at_begin_.at(i);
        rate.at(i) = (now.at(i) - at_begin_.at(i)) / (instructions - begin_);
    }
    if (gap_instructions_ > 0) fill_gap(gap_instructions_, &rate);
    gap_instructions_ = 0;
    const bool agrees = agreeing_ > 0 && agree(last_, rate);
    agreeing_ = agrees ? agreeing_ + 1 : 1;
    if (!agrees) gap_ = 0;
    last_ = rate;
}

void Windows::go_on(std::uint64_t next, double instructions, const Traffic& simulated) {
    const Counts now = counts_of(simulated);
    const auto begins = [&](Doing what, std::uint64_t blocks) {
        doing_ = what;
        end_ = next + blocks;
    };
    const auto measures = [&] {
        at_begin_ = now;
        begin_ = instructions;
        begins(Doing::measures, width_);
    };
    switch (doing_) {
        case Doing::measures:
            if (width_ == 0)
                width_ = 2 * at_once_ * static_cast<std::uint64_t>(std::ceil(sizes_.window / instructions));
            end_window(instructions, now);
            if (agreeing_ < agreeing_enough || instructions < std::max(before_, sizes_.launch)) return measures();
            begin_ = instructions;
            begins(Doing::executes, gaps.at(gap_) * width_);
            gap_ = std::min(gap_ + 1, gaps.size() - 1);
            return;
        case Doing::executes:
            return begins(Doing::warms, width_ / 2);
        case Doing::warms:
            gap_instructions_ = instructions - begin_;
            return measures();
    }
}

Traffic Windows::total(double instructions, const Traffic& simulated) {
    if (estimated_ == 0 && doing_ == Doing::measures && gap_instructions_ == 0) return simulated;
    if (doing_ != Doing::measures) {
        fill_gap(instructions - begin_, nullptr);
    } else {
        // The launch's last blocks say little of others.
        if (gap_instructions_ > 0) fill_gap(gap_instructions_, nullptr);
        gap_instructions_ = 0;
        if (instructions > begin_) end_window(instructions, counts_of(simulated));
    }
    Traffic all = simulated;
    for (std::size_t i = 0; i < first_of_l2; ++i)
        all.memory.*simulated_counters.at(i) = static_cast<std::uint64_t>(std::llround(total_.at(i)));
    for (std::size_t i = 0; i < l2_counters.size(); ++i)
        all.l2.*l2_counters.at(i) = static_cast<std::uint64_t>(std::llround(total_.at(first_of_l2 + i)));
    return all;
}

}  // namespace gpuproj::simulate
