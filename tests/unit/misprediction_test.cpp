#include "model/misprediction.hpp"

#include <catch2/catch.hpp>

#include "targets/catalog.hpp"

using namespace gpuproj;

namespace {

std::string of(const KernelRecord& kernel, double predicted, double measured, Limiter limiter = Limiter::dram) {
    const Gpu gpu = Catalog({}).get("Tesla K20c");
    Prediction p;
    p.duration = Seconds{predicted};
    p.limiter = limiter;
    return misprediction(kernel, gpu, p, Seconds{measured});
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A prediction within a factor of two of the measured time needs no explanation") {
    const KernelRecord kernel;
    CHECK(of(kernel, 1, 1.9).empty());
    CHECK(of(kernel, 1.9, 1).empty());
    CHECK(of(kernel, 1, 3) == "3.0 x too fast: why, no counter says");
}

TEST_CASE("A kernel that takes more than twice the prediction: what its counters make likely") {
    KernelRecord few;  // 13 blocks of 2 warps on 13 multiprocessors of 64 warps
    few.grid = Dim3{13, 1, 1};
    few.block = Dim3{64, 1, 1};
    CHECK(says(of(few, 1, 3), "latency bound, 3 % of the warps"));

    KernelRecord brief;
    brief.launches = 100;
    CHECK(of(brief, 1e-3, 3e-3) == "3.0 x too fast: short launch, 30 us");

    KernelRecord kernel;
    auto& m = kernel.metrics;
    m.thread_inst = Instructions{16e6};
    m.warp_inst = Instructions{1e6};
    CHECK(says(of(kernel, 1, 3), "divergence, 50 % of the lanes"));
    m.shared_wavefront = Instructions{400};
    m.shared_bank_conflict = Instructions{300};
    CHECK(says(of(kernel, 1, 3), "bank conflicts, 75 % of the passes"));
    m.global_load = Sectors{3200};
    m.warp_inst_global_load = Instructions{100};
    CHECK(says(of(kernel, 1, 3), "scattered accesses, 32 sectors each"));
    m.warp_inst_atomic = Instructions{1};
    CHECK_FALSE(says(of(kernel, 1, 3), "atomic"));
    m.warp_inst_atomic = Instructions{100};
    CHECK(says(of(kernel, 1, 3), "atomic operations, 50 % of the accesses, may wait for each other"));
    m.thread_atomic_hottest = Instructions{1};
    CHECK_FALSE(says(of(kernel, 1, 3), "atomic"));
    m.dram_channel_balance = 0.6;
    CHECK_FALSE(says(of(kernel, 1, 3), "channels"));
    m.dram_channel_balance = 0.25;
    CHECK(says(of(kernel, 1, 3), "25 % of the DRAM channels at a time"));
    m.dram_utilization = 0.4;
    CHECK(says(of(kernel, 1, 3), "no unit above 40 % of its peak"));
    m.l2_utilization = 0.9;
    CHECK_FALSE(says(of(kernel, 1, 3), "of its peak"));
}

TEST_CASE("A kernel that takes less than half of the prediction") {
    CHECK(of({}, 3, 1) == "3.0 x too slow: caches serve more than the counters say");
    CHECK(says(of({}, 3, 1, Limiter::latency), "latency is hidden better"));
    CHECK(says(of({}, 3, 1, Limiter::atomic), "on one word take less than a clock"));
}
