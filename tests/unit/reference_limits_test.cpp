#include "collector/simulate/reference_limits.hpp"

#include <catch2/catch.hpp>

#include "targets/catalog.hpp"

using namespace gpuproj;
using simulate::launch_refusals;
using simulate::memory_refusals;

namespace {

KernelRecord launch(Dim3 grid, Dim3 block, double shared = 0) {
    KernelRecord record;
    record.grid = grid;
    record.block = block;
    record.static_shared = Bytes{shared};
    return record;
}

}  // namespace

// CUDA C++ Programming Guide, technical specifications: compute capability 2.x has grids of 65535 blocks in x, 1024
// threads and 48 KB of shared memory per block.
TEST_CASE("what compute capability 2.0 would refuse is said, and nothing else") {
    const auto gtx480 = Catalog({}).get("GTX480");
    CHECK(launch_refusals(gtx480, launch({65535, 65535, 65535}, {1024, 1, 1}, 48 * 1024)).empty());
    CHECK(launch_refusals(gtx480, launch({65536, 1, 1}, {32, 1, 1})).size() == 1);
    CHECK(launch_refusals(gtx480, launch({1, 1, 1}, {32, 1, 1}, 48 * 1024 + 1)).size() == 1);
    const auto k20c = Catalog({}).get("K20c");
    CHECK(launch_refusals(k20c, launch({65536, 1, 1}, {32, 1, 1})).empty());
    Gpu unknown;
    CHECK(launch_refusals(unknown, launch({1u << 31, 1, 1}, {2048, 1, 1})).empty());
}

TEST_CASE("a program that needs more memory than the reference has is noted") {
    const auto gtx480 = Catalog({}).get("GTX480");
    REQUIRE(gtx480.memory);
    const Bytes there = gtx480.memory->value;
    CHECK(memory_refusals(gtx480, std::nullopt).empty());
    CHECK(memory_refusals(gtx480, there).empty());
    CHECK(memory_refusals(gtx480, there + Bytes{1}).size() == 1);
}
