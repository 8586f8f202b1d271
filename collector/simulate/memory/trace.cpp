#include "collector/simulate/memory/trace.hpp"

#include <algorithm>
#include <tuple>

namespace gpuproj::simulate {

namespace {

constexpr std::uint32_t kind_bits = 8;

}  // namespace

void AccessTrace::clear() {
    used_ = 0;
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

void AccessTrace::add(AccessKind kind, const SectorList& sectors) {
    constexpr std::size_t most = 1 + std::tuple_size_v<decltype(SectorList::sector)>;
    if (words_.size() < used_ + most) words_.resize(std::max<std::size_t>(2 * words_.size(), 1024));
    const bool stores = kind == AccessKind::store || kind == AccessKind::local_store;
    std::uint64_t* to = &words_[used_];
    *to++ = static_cast<std::uint64_t>(kind) | std::uint64_t{sectors.count} << kind_bits;
    for (std::uint32_t i = 0; i < sectors.count; ++i)
        to[i] = traced_sector(sectors.sector[i], stores ? whole_words(sectors.bytes[i]) : 0);
    used_ += 1 + sectors.count;
}

std::uint64_t AccessTrace::play(std::size_t& at, L1Cache& l1, std::vector<L2Request>& to_l2) const {
    const std::uint64_t head = words_[at];
    const auto count = static_cast<std::size_t>(head >> kind_bits);
    const auto kind = static_cast<AccessKind>(head & ((1U << kind_bits) - 1));
    const std::span sectors(&words_[at + 1], count);
    at += 1 + count;
    return l1.access(sectors, kind, to_l2);
}

std::uint64_t AccessTrace::replay(L1Cache& l1, std::vector<L2Request>& to_l2) {
    if (used_ == 0) return 0;
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
                    const std::size_t last = end_of(warps_, w, used_);
                    if (next_[w] == last) continue;
                    hits += play(next_[w], l1, to_l2);
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
