// What the memory hierarchy takes from the description of a GPU.
#include <catch2/catch.hpp>

#include "collector/simulate/memory/hierarchy.hpp"
#include "tests/support/line_requests.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using gpuproj::test::gpu_of;

TEST_CASE("memory_config follows the generation") {
    const MemoryConfig fermi = memory_config(gpu_of("2.0", 768 << 10));
    CHECK(fermi.sm_count == 15);
    CHECK(fermi.l2_bytes == 768 << 10);
    CHECK_FALSE(fermi.l1_global_loads);
    CHECK(fermi.l1_bytes == 16 << 10);
    CHECK_FALSE(memory_config(gpu_of("3.5", 3 << 19)).l1_global_loads);
    CHECK_FALSE(memory_config(gpu_of("6.1", 3 << 19)).l1_global_loads);
    CHECK(memory_config(gpu_of("6.0", 4 << 20)).l1_global_loads);
    // What shared memory leaves: V100 with nothing, with 33 KB (the next share is 64), with all of it; H100.
    CHECK(memory_config(gpu_of("7.0", 6 << 20)).l1_bytes == 128 << 10);
    CHECK(memory_config(gpu_of("7.0", 6 << 20), 33 << 10).l1_bytes == 64 << 10);
    CHECK(memory_config(gpu_of("7.0", 6 << 20), 96 << 10).l1_bytes == 32 << 10);
    CHECK(memory_config(gpu_of("9.0", 50 << 20), 228 << 10).l1_bytes == 28 << 10);
    CHECK(memory_config(Gpu{}).l2_bytes == 0);
}
