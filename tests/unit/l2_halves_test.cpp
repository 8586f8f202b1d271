// L2 of two halves, and copies on the device through it: cases worked by hand.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "tests/support/line_requests.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

TEST_CASE("L2 of halves: what all SMs use is there twice, what one uses once") {
    constexpr std::uint64_t lines = 1024;
    MemoryConfig config;
    config.l2_bytes = lines * 128;
    config.l2_halves = 2;
    // SM 0 reads some lines again and again, and SM 1 the same, or others.
    const auto reads = [&](std::uint64_t each, bool same) {
        L2Cache cache(config);
        for (int round = 0; round < 2; ++round) {
            std::array<std::vector<LineRequest>, 2> queues;
            for (std::uint64_t i = 0; i < each; ++i) {
                queues[0].push_back(load(4 * i));
                queues[1].push_back(load(4 * (same ? i : i + each)));
            }
            if (round == 1) cache.reset_counters();
            cache.process(queues);
        }
        return cache.counters().dram_read_sectors;
    };
    CHECK(reads(lines / 2, true) == 0);
    CHECK(reads(lines / 2, false) == 0);
    // Twice as much as a half holds: every line is gone when it comes again, and is read for both at once.
    CHECK(reads(lines, true) == lines);
    CHECK(reads(lines, false) == 2 * lines);

    // What SM 1 stores, SM 0 has no longer, but finds there.
    L2Cache cache(config);
    const auto access = [&](std::size_t sm, const LineRequest& request) {
        std::array<std::vector<LineRequest>, 2> queues;
        queues.at(sm).push_back(request);
        cache.process(queues);
    };
    access(0, load(8));
    access(1, store(8));
    access(1, store(9, 0x0F));
    access(0, load(8));
    CHECK(cache.counters().dram_read_sectors == 1);
    access(0, store(9, 0xF0));  // the rest of it
    access(1, load(9));
    CHECK(cache.counters().dram_read_sectors == 1);
    cache.charge();
    CHECK(cache.counters().dram_write_sectors == 2);
    access(0, atomic(9));
    access(1, atomic(8));
    cache.charge();
    CHECK(cache.counters().dram_write_sectors == 2);
    CHECK(cache.counters().dram_read_sectors == 1);
    cache.drop(8, 2);
    access(0, load(8));
    access(1, load(9));
    CHECK(cache.counters().dram_read_sectors == 3);
}

TEST_CASE("what a copy on the device has read or written is in L2") {
    MemoryConfig config;
    config.l2_bytes = 1 << 20;  // 32768 sectors
    config.l2_halves = GENERATE(1U, 2U);
    L2Cache cache(config);
    const auto reads = [&](std::uint64_t first, std::uint64_t end) {
        std::vector<LineRequest> requests;
        for (std::uint64_t sector = first; sector < end; ++sector) requests.push_back(load(sector));
        cache.reset_counters();
        run(cache, requests);
        return cache.counters().dram_read_sectors;
    };
    cache.pass(1002, 2000);
    CHECK(cache.counters().read_sectors == 0);
    CHECK(cache.counters().dram_read_sectors == 0);
    CHECK(reads(1000, 3004) == 4);
    // A copy larger than the cache leaves its end there.
    cache.pass(100000, 10 << 15);
    CHECK(reads(100000 + (10 << 15) - 1000, 100000 + (10 << 15)) == 0);
    CHECK(reads(100000, 101000) == 1000);
    CHECK(reads(1002, 3000) == 1998);
}
