// What L1 caches of other sizes would find of the accesses of one SM.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/trace.hpp"

namespace gpuproj::simulate {

/// Beside the L1 of one SM in 16, whose accesses stand for those of the others.
class OtherL1 {
public:
    static constexpr bool samples(int sm) { return sm % 16 == 0; }

    OtherL1();
    void invalidate();                         // at the start of every launch
    void keep_only(const LineSample& sample);  // as L1Cache
    /// Sends the accesses to each of the caches, and adds what these hold of them to `hits`.
    void see(AccessTrace& trace, OtherL1Hits& hits);

private:
    struct Access {
        std::uint32_t count;
        AccessKind kind;
        const LineRequest* requests;  // of the trace
    };
    std::vector<L1Cache> caches_;  // by size
    std::vector<Access> ordered_;
    std::vector<LineRequest> missed_;
};

}  // namespace gpuproj::simulate
