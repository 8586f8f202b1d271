// L1 of one SM: sectored lines, least recently used out first, write-through for global and write-back for local
// stores.
#include <algorithm>
#include <bit>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/ways.hpp"

namespace gpuproj::simulate {
namespace {

// Of one launch there may be as many accesses again.
constexpr std::uint32_t most_clock = std::uint32_t{1} << 31;

// What a tag has of the line, below the launch.
constexpr std::uint64_t whole_line = (std::uint64_t{1} << LineRequest::line_bits) - 1;

std::uint32_t sets_of(const MemoryConfig& config) {
    const std::uint64_t bytes_of_set = std::uint64_t{line_bytes} * static_cast<std::uint32_t>(config.l1_ways);
    return static_cast<std::uint32_t>(config.l1_bytes / bytes_of_set);
}

std::array<bool, access_kinds> kept_by(const MemoryConfig& config) {
    std::array<bool, access_kinds> kept{};
    if (sets_of(config) == 0) return kept;
    const auto keep = [&](AccessKind kind, bool keeps) { kept.at(static_cast<std::size_t>(kind)) = keeps; };
    keep(AccessKind::load, config.l1_global_loads);
    for (const AccessKind kind : {AccessKind::read_only_load, AccessKind::local_load, AccessKind::local_store})
        keep(kind, true);
    return kept;
}

// What L2 makes of it when L1 does not keep it.
AccessKind beyond_l1(AccessKind kind) {
    switch (kind) {
        case AccessKind::read_only_load:
        case AccessKind::local_load:
            return AccessKind::load;
        case AccessKind::local_store:
            return AccessKind::store;
        default:
            return kind;
    }
}

}  // namespace

L1Cache::L1Cache(const MemoryConfig& config) {
    invalidate(config);
}

void L1Cache::invalidate(const MemoryConfig& config) {
    invalidate();
    if (config == config_) return;
    config_ = config;
    kept_ = kept_by(config);
    ways_ = static_cast<std::uint32_t>(config.l1_ways);
    sets_ = sets_of(config);
    index_ = SetIndex(std::max(sets_, 1U));
    index_shift_ = 0;
    const std::size_t lines = std::size_t{sets_} * ways_;
    if (lines <= lines_.size()) return;  // what is there is of earlier launches
    lines_.resize(lines);
    short_tags_.resize(lines, short_tag(Line{}.tag));
    used_.resize(lines, 0);
}

void L1Cache::keep_only(const LineSample& sample) {
    std::vector<std::pair<std::uint32_t, Line>> kept;  // by their last use
    for (std::size_t place = 0; place < std::size_t{sets_} * ways_; ++place) {
        Line line = lines_[place];
        if (line.tag < launch_ || line.tag == Line{}.tag) continue;
        line.tag -= launch_;
        if (sample.has(line.tag)) kept.emplace_back(used_[place], line);
    }
    std::ranges::stable_sort(kept, {}, [](const auto& line) { return line.first; });
    MemoryConfig share = config_;
    share.l1_bytes /= sample.one_in();
    invalidate(share);
    index_shift_ = sample.bits();
    std::vector<LineRequest> written_back;  // by places that are short of one line by chance
    for (auto& [used, line] : kept) {
        const std::uint64_t number = line.tag;
        const std::uint32_t set = set_of(number);
        const std::uint32_t place = allocate(set, number, find(set, number).earlier, written_back);
        line.tag = launch_ | number;
        lines_[place] = line;
        used_[place] = ++clock_;
    }
}

std::uint32_t L1Cache::sample_bits(const MemoryConfig& config) {
    const std::uint32_t sets = sets_of(config);
    return sets == 0 ? ~0U : SetIndex(sets).class_bits();
}

void L1Cache::invalidate() {
    if (clock_ == begin_) return;  // nothing was kept
    // What is of an earlier launch is not found, and is the least recently used: nothing has to be cleared.
    launch_ += std::uint64_t{1} << LineRequest::line_bits;
    begin_ = clock_;
    if (launch_ != 0 && clock_ < most_clock) return;
    std::ranges::fill(lines_, Line{});
    std::ranges::fill(short_tags_, short_tag(Line{}.tag));
    std::ranges::fill(used_, 0U);
    clock_ = begin_ = 0;
}

L1Cache::Found L1Cache::find(std::uint32_t set, std::uint64_t line) const {
    const std::uint32_t begin = set * ways_;
    Found result;
    for (std::uint32_t matching = matching_ways(&short_tags_[begin], ways_, short_tag(line)); matching != 0;
         matching &= matching - 1) {
        const std::uint32_t place = begin + static_cast<std::uint32_t>(std::countr_zero(matching));
        const std::uint64_t difference = lines_[place].tag ^ (launch_ | line);
        if (difference == 0) return {place, absent};
        if ((difference & whole_line) == 0) result.earlier = place;
    }
    return result;
}

std::uint32_t L1Cache::allocate(std::uint32_t set, std::uint64_t line, std::uint32_t earlier,
                                std::vector<LineRequest>& to_l2) {
    // Whatever is of an earlier launch is as good as empty. What launches come to again keeps its place, so that they
    // do not go through all that there are, and want no more of the host's caches than they need.
    const std::uint32_t begin = set * ways_;
    const std::uint32_t place = earlier != absent ? earlier : begin + least_of_ways(&used_[begin], ways_);
    Line& victim = lines_[place];
    if (victim.dirty != 0 && victim.tag >= launch_)
        to_l2.emplace_back(victim.tag, victim.dirty, AccessKind::store, 0xFFU);
    victim = {.tag = launch_ | line};
    short_tags_[place] = short_tag(line);
    return place;
}

std::uint32_t L1Cache::access(std::span<const LineRequest> requests, AccessKind kind, std::vector<LineRequest>& to_l2) {
    if (!keeps(kind)) {
        const AccessKind passed = beyond_l1(kind);
        const bool store = passed == AccessKind::store;
        // Only where global loads are kept can a store or an atomic meet what L1 holds.
        const bool drops = sets_ > 0 && config_.l1_global_loads &&
                           (kind == AccessKind::atomic || (store && !config_.l1_stores_update));
        for (const LineRequest request : requests) {
            to_l2.push_back(request.as(passed, request.sectors()));
            if (!drops) continue;
            if (const std::uint32_t place = find(set_of(request.line()), request.line()).place; place != absent)
                lines_[place].valid &= static_cast<std::uint8_t>(~request.sectors());
        }
        return 0;
    }

    std::uint32_t hits = 0;
    ++clock_;
    for (const LineRequest request : requests) {
        std::uint16_t& guessed = guess(request.line());
        std::uint32_t place = guessed;
        if (lines_[place].tag != (launch_ | request.line())) {
            const std::uint32_t set = set_of(request.line());
            const Found found = find(set, request.line());
            place = found.place != absent ? found.place : allocate(set, request.line(), found.earlier, to_l2);
            guessed = static_cast<std::uint16_t>(place);
        }
        used_[place] = clock_;
        Line& line = lines_[place];
        const auto wanted = static_cast<std::uint8_t>(request.sectors());
        if (kind == AccessKind::local_store) {
            // The rest of a sector written in part belongs to threads that have not written it: nothing to fetch.
            line.dirty |= wanted;
        } else {
            hits += sectors_in(line.valid & wanted);
            if (const std::uint32_t missing = wanted & ~line.valid; missing != 0)
                to_l2.push_back(request.as(AccessKind::load, missing));
        }
        line.valid |= wanted;
    }
    return hits;
}

}  // namespace gpuproj::simulate
