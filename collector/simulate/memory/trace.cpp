#include "collector/simulate/memory/trace.hpp"

#include <algorithm>
#include <tuple>

namespace gpuproj::simulate {

void AccessTrace::clear() {
    used_ = without_ = 0;
    warps_.clear();
    intervals_.clear();
    blocks_.clear();
}

void AccessTrace::begin_block() {
    blocks_.push_back(intervals_.size());
}
void AccessTrace::begin_interval() {
    intervals_.push_back(warps_.size());
}
void AccessTrace::begin_warp() {
    warps_.push_back(used_);
}

namespace {

bool is_store(AccessKind kind) {
    return kind == AccessKind::store || kind == AccessKind::local_store;
}

/// Leaves the requests for lines of the sample, counts the sectors of all, and gives how many are left.
[[gnu::noinline]] std::uint32_t only_sampled(std::span<LineRequest> requests, AccessKind kind, const LineSample& sample,
                                             SampledSectors& sectors) {
    const auto i = static_cast<std::size_t>(kind);
    std::uint32_t kept = 0;
    for (const LineRequest request : requests) {
        const std::uint32_t wanted = sectors_in(request.sectors());
        sectors.all.at(i) += wanted;
        if (!sample.has(request.line())) continue;
        sectors.sampled.at(i) += wanted;
        requests[kept++] = request;
    }
    return kept;
}

}  // namespace

LineRequest* AccessTrace::room() {
    constexpr std::size_t most = std::tuple_size_v<decltype(SectorList::sector)>;
    if (requests_.size() < used_ + most) requests_.resize(std::max<std::size_t>(2 * requests_.size(), 1024));
    return &requests_[used_];
}

void AccessTrace::end_access(AccessKind kind, std::uint32_t count) {
    LineRequest* const requests = &requests_[used_];
    last_lines_ = count;
    if (sample_ != nullptr) [[unlikely]]
        count = only_sampled({requests, count}, kind, *sample_, *sectors_);
    if (count == 0) [[unlikely]] {  // it still takes its turn
        requests[count++] = {};
        ++without_;
    }
    requests[0] = requests[0].first_of(kind);
    requests[count - 1] = requests[count - 1].last();
    used_ += count;
}

void AccessTrace::add(AccessKind kind, const SectorList& sectors) {
    const std::uint32_t count = requests_of(sectors, is_store(kind), room());
    end_access(kind, count);
}

std::uint32_t AccessTrace::add(AccessKind kind, std::uint64_t begin, std::uint64_t bytes) {
    const bool stores = is_store(kind);
    if (stores && (begin | bytes) % sector_bytes != 0) {  // some sector is written in part
        SectorList sectors;                               // NOLINT(*-member-init): filled as far as it is read
        coalesce_stretch(begin, bytes, sectors);
        add(kind, sectors);
        return sectors.count;
    }
    constexpr std::uint64_t per_line = line_bytes / sector_bytes;
    const std::uint64_t first = begin / sector_bytes, last = (begin + bytes - 1) / sector_bytes;
    LineRequest* const to = room();
    std::uint32_t count = 0;
    for (std::uint64_t line = first / per_line; line <= last / per_line; ++line) {
        const std::uint64_t from = std::max(first, line * per_line) % per_line;
        const std::uint64_t end = std::min(last - line * per_line, per_line - 1) + 1;
        const auto together = static_cast<std::uint32_t>((1U << end) - (1U << from));
        to[count++] = {line, together, AccessKind::load, stores ? 0xFFU : 0};
    }
    end_access(kind, count);
    return static_cast<std::uint32_t>(last - first + 1);
}

void AccessTrace::begin_turns() {
    left_.clear();
    for (std::size_t w = 0; w < warps_.size(); ++w)
        left_.push_back(
            {requests_.data() + warps_[w], requests_.data() + (w + 1 < warps_.size() ? warps_[w + 1] : used_)});
    running_.clear();
    for (std::size_t b = 0; b < blocks_.size(); ++b)
        running_.push_back({blocks_[b], b + 1 < blocks_.size() ? blocks_[b + 1] : intervals_.size(), 0, 0});
}

/// Begins the next one in which there is an access: others take no time. False: there is none.
bool AccessTrace::next_interval(Running& block) {
    while (block.interval < block.intervals_end) {
        const std::size_t i = block.interval++;
        const std::size_t end = i + 1 < intervals_.size() ? intervals_[i + 1] : warps_.size();
        block.warps = block.warps_end = intervals_[i];
        for (std::size_t w = intervals_[i]; w < end; ++w)
            if (left_[w].next != left_[w].end) left_[block.warps_end++] = left_[w];
        if (block.warps != block.warps_end) return true;
    }
    return false;
}

std::uint64_t AccessTrace::replay(L1Cache& l1, std::vector<LineRequest>& to_l2) {
    std::uint64_t hits = 0;
    in_turn([&](std::span<const LineRequest> requests, AccessKind kind) { hits += l1.access(requests, kind, to_l2); });
    return hits;
}

}  // namespace gpuproj::simulate
