#include "collector/simulate/memory/trace.hpp"

#include <algorithm>
#include <tuple>

namespace gpuproj::simulate {

void AccessTrace::clear() {
    used_ = 0;
    accesses_.clear();
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
    warps_.push_back(accesses_.size());
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
    // An access of which nothing is kept still takes its turn.
    if (sample_ != nullptr) [[unlikely]]
        count = only_sampled({&requests_[used_], count}, kind, *sample_, *sectors_);
    accesses_.push_back({used_, count, kind});
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

std::uint64_t AccessTrace::replay(L1Cache& l1, std::vector<LineRequest>& to_l2) {
    if (accesses_.empty()) return 0;
    const auto end_of = [](const std::vector<std::size_t>& begins, std::size_t i, std::size_t all) {
        return i + 1 < begins.size() ? begins[i + 1] : all;
    };
    next_ = warps_;
    running_.clear();
    for (std::size_t b = 0; b < blocks_.size(); ++b)
        running_.push_back({blocks_[b], end_of(blocks_, b, intervals_.size())});
    std::uint64_t hits = 0;
    while (!running_.empty()) {
        for (Running& block : running_) {
            // Intervals without an access take no time.
            for (bool any = false; !any && block.interval < block.end;) {
                bool left = false;
                const std::size_t end = end_of(intervals_, block.interval, warps_.size());
                for (std::size_t w = intervals_[block.interval]; w < end; ++w) {
                    const std::size_t last = end_of(warps_, w, accesses_.size());
                    if (next_[w] == last) continue;
                    const Access& access = accesses_[next_[w]++];
                    hits += l1.access({&requests_[access.first], access.count}, access.kind, to_l2);
                    any = true;
                    left |= next_[w] != last;
                }
                if (!left) ++block.interval;
            }
        }
        std::erase_if(running_, [](const Running& block) { return block.interval == block.end; });
    }
    return hits;
}

}  // namespace gpuproj::simulate
