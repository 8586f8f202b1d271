#include "model/occupancy.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace gpuproj;

namespace {

Gpu of(const std::string& compute_capability) {
    Gpu gpu;
    gpu.compute_capability = compute_capability;
    return gpu;
}

struct Case {
    const char* compute_capability;
    std::uint32_t threads, registers;
    std::uint64_t shared;
    std::uint32_t blocks, warps;
    const char* limited_by;
};

}  // namespace

TEST_CASE("Occupancy of worked cases") {
    // Examples of NVIDIA's CUDA C Best Practices Guides (chapter on occupancy) are marked so. The rest follows by hand
    // from the technical specifications per compute capability; the arithmetic stands beside each.
    const Case c = GENERATE(values<Case>({
        // Best practices 4.x, "Calculating occupancy": on 1.0/1.1, 8192 registers, 768 threads: more than 10
        // registers per thread end full occupancy. 256 threads: 3 blocks at 10, 2 blocks at 11.
        {"1.0", 256, 10, 0, 3, 24, "warps"},
        {"1.0", 256, 11, 0, 2, 16, "registers"},
        // On 1.2/1.3 16384 / 1024 threads: 16 registers.
        {"1.3", 256, 16, 0, 4, 32, "warps"},
        {"1.3", 256, 17, 0, 3, 24, "registers"},
        // 4 warps x 32 x 12 = 1536 of 8192.
        {"1.0", 128, 12, 0, 5, 20, "registers"},
        // An odd number of warps takes the registers of an even one: 3 -> 4 warps x 32 x 16 = 2048 of 8192.
        {"1.1", 96, 16, 0, 4, 12, "registers"},
        {"1.0", 512, 0, 0, 1, 16, "warps"},
        {"1.0", 513, 0, 0, 0, 0, "warps"},  // 512 threads are the most
        // Best practices 4.x: "for devices of compute capability 2.x ... 21 registers per thread (32768 / 1536)"; the
        // unit of 64 per warp: 20 x 32 = 640 -> 16384/640 = 25 warps per partition; 21 x 32 = 672 -> 704 -> 23 x 2 =
        // 46 warps / 6 = 7.
        {"2.0", 192, 20, 0, 8, 48, "blocks"},
        {"2.0", 192, 21, 0, 7, 42, "registers"},
        {"2.0", 1024, 20, 8192, 1, 32, "warps"},
        {"2.0", 64, 0, 0, 8, 16, "blocks"},
        {"2.0", 256, 64, 0, 0, 0, "registers"},    // 63 per thread are the most
        {"2.0", 256, 16, 20000, 2, 16, "shared"},  // 20000 -> 20096; 49152 / 20096
        // Best practices 5.x-10.x: 3.0 and 3.5: 65536 registers, 2048 threads: 32 registers.
        {"3.5", 256, 32, 0, 8, 64, "warps"},
        {"3.5", 256, 33, 0, 6, 48, "registers"},  // 33 x 32 -> 1280; 16384 / 1280 = 12 x 4 = 48 warps
        {"3.7", 256, 64, 0, 8, 64, "warps"},      // twice the registers
        {"3.0", 64, 16, 0, 16, 32, "blocks"},
        // Best practices 11+: "on devices of compute capability 7.0 each multiprocessor has 65,536 registers and at
        // most 2048 threads: 128-thread blocks and 37 registers per thread give 75 % with 12 active 128-thread
        // blocks, a 320-thread block and the same registers 63 % as only four 320-thread blocks fit."
        {"7.0", 128, 37, 0, 12, 48, "registers"},
        {"7.0", 320, 37, 0, 4, 40, "registers"},
        {"6.0", 256, 65, 0, 3, 24, "registers"},  // two partitions: 32768 / 2304 = 14 x 2 = 28 warps / 8
        {"6.1", 256, 65, 0, 3, 24, "registers"},  // four: 16384 / 2304 = 7 x 4 = 28 warps / 8
        {"6.1", 1024, 65, 0, 0, 0, "registers"},  // 32 warps x 2304 > 65536
        {"7.5", 256, 0, 0, 4, 32, "warps"},
        {"7.5", 32, 0, 0, 16, 16, "blocks"},
        // 8.x on: a kilobyte of shared memory per block is the system's. 164 KiB / (48 + 1) KiB = 3.
        {"8.0", 256, 32, 48 * 1024, 3, 24, "shared"},
        {"8.0", 1024, 32, 163 * 1024, 1, 32, "shared"},
        {"8.0", 1024, 32, 163 * 1024 + 1, 0, 0, "shared"},
        {"8.6", 256, 40, 0, 6, 48, "warps"},
        {"8.6", 1024, 32, 0, 1, 32, "warps"},
        {"8.9", 64, 0, 0, 24, 48, "blocks"},
        {"9.0", 128, 168, 227 * 1024, 1, 4, "shared"},
        {"10.0", 256, 32, 0, 8, 64, "warps"},
        {"12.0", 256, 32, 24 * 1024, 4, 32, "shared"},  // 100 / 25
    }));
    INFO(c.compute_capability << " threads " << c.threads << " registers " << c.registers << " shared " << c.shared);
    const auto result = occupancy(of(c.compute_capability), c.threads, c.registers, c.shared);
    REQUIRE(result);
    CHECK(result->blocks_per_sm == c.blocks);
    CHECK(result->warps_per_sm == c.warps);
    CHECK(result->limited_by == c.limited_by);
    CHECK(result->fraction == Approx(double(c.warps) / occupancy_rules(c.compute_capability)->max_warps));
}

TEST_CASE("What a GPU file states goes before its compute capability") {
    Gpu gpu = of("2.0");
    gpu.shared_size = Known<Bytes>{Bytes{16 * 1024}, Quality::datasheet, "cache preferred", {}};
    CHECK(occupancy(gpu, 256, 16, 8192)->blocks_per_sm == 2);
    gpu.max_warps_per_sm = Known<int>{8, Quality::datasheet, "", {}};
    CHECK(occupancy(gpu, 256, 16, 8192)->blocks_per_sm == 1);
}

TEST_CASE("Compute capabilities that are not listed") {
    CHECK(occupancy_rules("8.8")->minor == 7);  // the nearest lower of the same major version
    CHECK_FALSE(occupancy_rules("13.0"));
    CHECK_FALSE(occupancy_rules("gfx900"));
    CHECK_FALSE(occupancy_rules(""));
    CHECK_FALSE(occupancy_rules("8"));
    CHECK_FALSE(occupancy(of("gfx90a"), 256, 32, 0));
}
