// What the warps of an SM ask of memory while it runs, kept so that L1 gets it in the order of a machine.
//
// A machine's warps take turns at every access. Here a block runs on by itself for a while, with its registers and its
// shared memory in the caches of the host; only then the accesses of all blocks go to L1, one of each warp in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {

/// The accesses of blocks, one after the other. A block's time is divided into intervals, of which one begins when all
/// warps that take part in it are through with the one before (barriers); in each its warps run side by side.
class AccessTrace {
public:
    void clear();
    /// None: all requests are kept. What others are for is counted in `sectors` only.
    void keep_only(const LineSample* sample, SampledSectors* sectors) {
        sample_ = sample;
        sectors_ = sectors;
    }
    void begin_block();
    void begin_interval();
    void begin_warp();
    /// An access of the warp that was begun last.
    void add(AccessKind kind, const SectorList& sectors);
    /// The same of an access to [begin, begin + bytes), at most 1 KiB; gives how many sectors that is in.
    std::uint32_t add(AccessKind kind, std::uint64_t begin, std::uint64_t bytes);
    /// Calls visit(requests, kind) for the next access of every warp of every block in turn.
    template <class Visit>
    void in_turn(const Visit& visit);
    /// Sends all of it to L1, in turn. What L1 does not serve is appended to `to_l2`; gives the number of sectors that
    /// hit.
    std::uint64_t replay(L1Cache& l1, std::vector<LineRequest>& to_l2);

    /// Of the access that was added last, whether kept or not: its lines.
    std::uint32_t last_lines() const { return last_lines_; }
    /// To L1, in all accesses.
    std::size_t requests() const { return used_ - without_; }

private:
    LineRequest* room();  // for the requests of any access
    void end_access(AccessKind kind, std::uint32_t count);
    /// The requests of a warp that are left.
    struct Left {
        const LineRequest *next, *end;
        template <class Visit>
        void access(const Visit& visit);
    };
    /// A block on its way through the intervals.
    struct Running {
        std::size_t interval, intervals_end;
        std::size_t warps, warps_end;  // of left_: those with accesses left in the interval that was begun
    };
    void begin_turns();
    bool next_interval(Running& block);

    const LineSample* sample_ = nullptr;
    SampledSectors* sectors_ = nullptr;
    std::vector<LineRequest> requests_;  // of each access: the first says its kind, the last that it is the last
    std::size_t used_ = 0;               // of requests_
    std::uint32_t last_lines_ = 0;
    std::size_t without_ = 0;             // of these: accesses without a request, which take their turn all the same
    std::vector<std::size_t> warps_;      // where in requests_ each begins
    std::vector<std::size_t> intervals_;  // where in warps_
    std::vector<std::size_t> blocks_;     // where in intervals_
    std::vector<Left> left_;              // of each warp
    std::vector<Running> running_;
};

template <class Visit>
inline void AccessTrace::Left::access(const Visit& visit) {
    const LineRequest* const first = next;
    while (!next++->is_last()) {
    }
    const auto count = first->sectors() == 0 ? 0 : static_cast<std::size_t>(next - first);
    visit(std::span(first, count), first->kind());
}

template <class Visit>
void AccessTrace::in_turn(const Visit& visit) {
    begin_turns();
    while (!running_.empty()) {
        bool any_ends = false;
        for (Running& block : running_) {
            if (block.warps == block.warps_end && !next_interval(block)) {
                any_ends = true;
                continue;
            }
            std::size_t kept = block.warps;
            for (std::size_t w = block.warps; w < block.warps_end; ++w) {
                Left warp = left_[w];
                warp.access(visit);
                if (warp.next != warp.end) left_[kept++] = warp;
            }
            block.warps_end = kept;
            if (running_.size() > 1 || kept != block.warps + 1) continue;
            // Nobody else is there to take turns.
            Left warp = left_[block.warps];
            while (warp.next != warp.end) warp.access(visit);
            block.warps_end = block.warps;
        }
        if (any_ends)
            std::erase_if(running_, [](const Running& block) {
                return block.warps == block.warps_end && block.interval == block.intervals_end;
            });
    }
}

}  // namespace gpuproj::simulate
