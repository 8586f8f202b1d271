#include "collector/simulate/engine/launch/windows.hpp"

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
constexpr std::size_t first_of_other = first_of_l2 + l2_counters.size();

template <class Counters, class Member>
std::size_t place_of(const Counters& counters, Member member) {
    return static_cast<std::size_t>(std::ranges::find(counters, member) - counters.begin());
}
template <class Counts>
double count_of(const Counts& counts, std::uint64_t MemoryCounters::*member) {
    return counts.at(place_of(simulated_counters, member));
}
template <class Counts>
double count_of(const Counts& counts, std::uint64_t L2Counters::*member) {
    return counts.at(first_of_l2 + place_of(l2_counters, member));
}
template <class Counts, class... Member>
double sum_of(const Counts& counts, Member... members) {
    return (count_of(counts, members) + ...);
}

}  // namespace

Windows::Counts Windows::counts_of(const Traffic& traffic) {
    Counts counts{};
    for (std::size_t i = 0; i < first_of_l2; ++i)
        counts.at(i) = static_cast<double>(traffic.memory.*simulated_counters.at(i));
    for (std::size_t i = 0; i < l2_counters.size(); ++i)
        counts.at(first_of_l2 + i) = static_cast<double>(traffic.l2.*l2_counters.at(i));
    visit_other_counters(traffic, [&](std::size_t number, std::uint64_t count) {
        counts.at(first_of_other + number) = static_cast<double>(count);
    });
    return counts;
}

bool Windows::agree(const Counts& a, const Counts& b) {
    using Memory = MemoryCounters;
    using L2 = L2Counters;
    const auto close = [&](double share, double least, auto... members) {
        return within(share, sum_of(a, members...), sum_of(b, members...), least);
    };
    const auto l2 = [](const Counts& counts) {
        return sum_of(counts, &L2::read_sectors, &L2::write_sectors, &L2::atomic_sectors);
    };
    return close(alike_share, 0, &Memory::load_sectors, &Memory::store_sectors) &&
           close(alike_share, 0, &Memory::shared_passes) && within(alike_share_of_l2, l2(a), l2(b)) &&
           close(alike_share, least_of(std::max(l2(a), l2(b))), &L2::dram_read_sectors, &L2::dram_write_sectors);
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

std::uint64_t Windows::next_gap(std::uint64_t next) const {
    const std::uint64_t behind = width_ / 2 + width_;  // fills the caches, and is measured
    const std::uint64_t left = blocks_ - std::min(next, blocks_);
    if (left < gaps.front() * width_ + behind) return 0;
    return std::min(gaps.at(gap_) * width_, left - behind);
}

void Windows::go_on(std::uint64_t next, double instructions, const Traffic& simulated) {
    const Counts now = counts_of(simulated);
    const double work = simulation_work(instructions, static_cast<double>(simulated.memory.line_requests));
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
        case Doing::measures: {
            if (width_ == 0) width_ = 2 * at_once_ * static_cast<std::uint64_t>(std::ceil(sizes_.window / work));
            end_window(instructions, now);
            const std::uint64_t gap = next_gap(next);
            if (agreeing_ < agreeing_enough || work < std::max(before_, sizes_.launch) || gap == 0) return measures();
            begin_ = instructions;
            begins(Doing::executes, gap);
            gap_ = std::min(gap_ + 1, gaps.size() - 1);
            return;
        }
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
    // Of estimates, a later one may be less than an earlier one.
    const auto count_of = [&](std::size_t i) { return whole(total_.at(i)); };
    Traffic all = simulated;
    for (std::size_t i = 0; i < first_of_l2; ++i) all.memory.*simulated_counters.at(i) = count_of(i);
    for (std::size_t i = 0; i < l2_counters.size(); ++i) all.l2.*l2_counters.at(i) = count_of(first_of_l2 + i);
    visit_other_counters(all,
                         [&](std::size_t number, std::uint64_t& count) { count = count_of(first_of_other + number); });
    return all;
}

}  // namespace gpuproj::simulate
