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
    /// Sends all of it to L1: the next access of every warp of every block in turn. What L1 does not serve is appended
    /// to `to_l2`; gives the number of sectors that hit.
    std::uint64_t replay(L1Cache& l1, std::vector<LineRequest>& to_l2);

    /// To L1, in all accesses.
    std::size_t requests() const { return used_; }

private:
    LineRequest* room();  // for the requests of any access
    void end_access(AccessKind kind, std::uint32_t count);
    struct Access {
        std::size_t first;    // of its requests
        std::uint32_t count;  // of them
        AccessKind kind;
    };
    const LineSample* sample_ = nullptr;
    SampledSectors* sectors_ = nullptr;
    std::vector<LineRequest> requests_;
    std::size_t used_ = 0;  // of requests_
    std::vector<Access> accesses_;
    std::vector<std::size_t> warps_;      // where in accesses_ each begins
    std::vector<std::size_t> intervals_;  // where in warps_
    std::vector<std::size_t> blocks_;     // where in intervals_
    std::vector<std::size_t> next_;       // of each warp: its next access
    struct Running {
        std::size_t interval, end;
    };
    std::vector<Running> running_;
};

}  // namespace gpuproj::simulate
