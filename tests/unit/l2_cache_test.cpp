// L2: cases worked by hand, and random accesses against a map of bytes.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/set_index.hpp"
#include "tests/support/l2_counters.hpp"
#include "tests/support/line_requests.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

TEST_CASE("L2 moves sectors, not lines") {
    MemoryConfig config;
    config.l2_bytes = std::uint64_t{768} * 1024;
    L2Cache cache(config);
    run(cache, {load(100), load(101), load(100), store(102), load(102), atomic(103), store(104, 0x0F), store(104, 0xF0),
                load(104)});
    // Fetched: 100, 101 and 103; 102 and 104 were written whole before they were read.
    CHECK(cache.counters().dram_read_sectors == 3);
    CHECK(cache.counters().read_sectors == 5);
    CHECK(cache.counters().write_sectors == 3);
    CHECK(cache.counters().atomic_sectors == 1);
    CHECK(cache.counters().dram_write_sectors == 0);
    cache.charge();
    CHECK(cache.counters().dram_write_sectors == 3);
    cache.charge();
    CHECK(cache.counters().dram_write_sectors == 3);
    run(cache, {load(100), load(102)});
    CHECK(cache.counters().dram_read_sectors == 3);

    // A sector written in part is fetched when it is read, and then it is whole.
    cache.reset_counters();
    run(cache, {store(200, 0x01), load(200), load(200)});
    CHECK(cache.counters().dram_read_sectors == 1);

    // The host overwrote sectors 101 to 102 and 200: dirty 200 is written, the neighbours stay.
    cache.drop(101, 2);
    cache.drop(200, 1);
    CHECK(cache.counters().dram_write_sectors == 1);
    run(cache, {load(100), load(101), load(102), load(103), load(200)});
    CHECK(cache.counters().dram_read_sectors == 4);
    cache.drop(0, 1ULL << 40);
    run(cache, {load(100)});
    CHECK(cache.counters().dram_read_sectors == 5);
}

TEST_CASE("what is stored in L2 again is one write to DRAM, as long as it stays there") {
    MemoryConfig config;
    config.l2_bytes = std::uint64_t{64} * 128;  // 4 sets of 16 lines
    config.l2_halves = GENERATE(1U, 2U);
    L2Cache cache(config);
    const auto launch = [&](const std::vector<LineRequest>& requests) {
        cache.reset_counters();
        run(cache, requests);
        cache.charge();
        return cache.counters().dram_write_sectors;
    };
    CHECK(launch({store(8), store(9), store(8)}) == 2);
    CHECK(launch({store(8), store(9), store(10), atomic(8)}) == 1);
    CHECK(launch({store(8), store(9), store(10)}) == 0);
    // Others come, and it has to go: charged already, it is not charged again.
    std::vector<LineRequest> others;
    for (std::uint64_t sector = 400; sector < 800; ++sector) others.push_back(load(sector));
    CHECK(launch(others) == 0);
    CHECK(launch({store(8), store(9), store(10)}) == 3);
    // What the host has overwritten is to be written anew.
    cache.drop(9, 1);
    CHECK(launch({store(8), store(9), store(10)}) == 1);
}

TEST_CASE("L2 of unknown size passes everything to DRAM") {
    L2Cache cache(MemoryConfig{});
    run(cache, {load(1), load(1), store(1), atomic(1)});
    CHECK(cache.counters().dram_read_sectors == 3);
    CHECK(cache.counters().dram_write_sectors == 2);
}

TEST_CASE("L2 holds an array of its own size") {
    for (const std::uint64_t bytes : {768ULL << 10, 1280ULL << 10, 1536ULL << 10, 40ULL << 20, 50ULL << 20}) {
        MemoryConfig config;
        config.l2_bytes = bytes;
        L2Cache cache(config);
        const std::uint64_t base = 0x7F1234560000ULL / 32;
        std::vector<LineRequest> sweep;
        for (std::uint64_t sector = 0; sector < bytes / 32; ++sector) sweep.push_back(load(base + sector));
        run(cache, sweep);
        CHECK(cache.counters().dram_read_sectors == bytes / 32);
        run(cache, sweep);
        // The base is not aligned to the cache's size, so that a set here and there has a line too many, and then loses
        // each before it is asked for again.
        const SetIndex index(static_cast<std::uint32_t>(bytes / 128 / 16));
        std::map<std::uint32_t, std::uint64_t> lines;
        for (std::uint64_t line = 0; line < bytes / 128; ++line) ++lines[index(base / 4 + line)];
        std::uint64_t crowded = 0;
        for (const auto& [set, count] : lines) crowded += count > 16 ? count : 0;
        CHECK(cache.counters().dram_read_sectors == bytes / 32 + 4 * crowded);
        CHECK(crowded * 100 < bytes / 128 * 6);
    }
}

TEST_CASE("L2 spreads power-of-two strides over its sets") {
    MemoryConfig config;
    config.l2_bytes = 1 << 20;  // 8192 lines
    for (std::uint64_t stride = 128; stride <= (1 << 16); stride *= 2) {
        L2Cache cache(config);
        std::vector<LineRequest> sweep;
        for (std::uint64_t i = 0; i < 4096; ++i) sweep.push_back(load((0x7F0000000000ULL + i * stride) / 32));
        run(cache, sweep);
        run(cache, sweep);
        // Half of the cache: without a hash every stride above 2^16 / 16 would miss every time.
        INFO("stride " << stride);
        CHECK(cache.counters().dram_read_sectors < 4096 * 11 / 10);
    }
}

TEST_CASE("L2 loses what it was not asked for the longest") {
    // Reads in turn of twice as many lines as there is room for never hit; of three quarters of it they do but once.
    MemoryConfig config;
    config.l2_bytes = 1 << 20;
    constexpr std::uint64_t lines = (1 << 20) / 128;
    const auto misses = [&](std::uint64_t count) {
        L2Cache cache(config);
        std::vector<LineRequest> sweep;
        for (std::uint64_t line = 0; line < count; ++line) sweep.push_back(load(line * 4));
        for (int i = 0; i < 10; ++i) run(cache, sweep);
        return cache.counters().dram_read_sectors;
    };
    CHECK(misses(2 * lines) == 10 * 2 * lines);
    CHECK(misses(lines * 3 / 4) == lines * 3 / 4);
}

TEST_CASE("L2 interleaves the SMs' queues") {
    // Two SMs read the same stretch, one after the other: with the queues interleaved the second finds what the first
    // fetched although the stretch is much larger than the cache.
    MemoryConfig config;
    config.l2_bytes = 64 << 10;
    std::vector<LineRequest> sweep;
    for (std::uint64_t sector = 0; sector < (4 << 20) / 32; ++sector) sweep.push_back(load(sector));
    L2Cache cache(config);
    std::array queues{sweep, std::vector<LineRequest>{}, sweep};
    cache.process(queues);
    CHECK(cache.counters().read_sectors == 2 * sweep.size());
    CHECK(cache.counters().dram_read_sectors == sweep.size());
    CHECK((queues[0].empty() && queues[2].empty()));

    L2Cache again(config);
    std::array halves{sweep, std::vector<LineRequest>(sweep.begin(), sweep.begin() + 1000)};
    again.process(halves);
    L2Cache same(config);
    std::array others{sweep, std::vector<LineRequest>(sweep.begin(), sweep.begin() + 1000)};
    same.process(others);
    CHECK(again.counters().dram_read_sectors == same.counters().dram_read_sectors);
}

TEST_CASE("L2 that nothing is evicted from agrees with a map of bytes") {
    MemoryConfig config;
    config.l2_bytes = 4 << 20;
    L2Cache cache(config);
    struct Sector {
        std::uint32_t words = 0;
        bool dirty = false;
    };
    std::map<std::uint64_t, Sector> sectors;
    L2Counters expected;
    std::mt19937 generator{3};
    const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
    for (int round = 0; round < 200; ++round) {
        std::vector<LineRequest> requests;
        for (int i = 0; i < 500; ++i) {
            const std::uint64_t sector = random() % 20000;
            const std::uint32_t kind = random() % 3, words = random() % 256;
            requests.push_back(request(sector, static_cast<AccessKind>(kind), kind == 1 ? words : 0U));
            Sector& here = sectors[sector];
            if (kind == 1) {
                ++expected.write_sectors;
                here.words |= words;
            } else {
                expected.dram_read_sectors += here.words != 0xFF;
                here.words = 0xFF;
                ++(kind == 0 ? expected.read_sectors : expected.atomic_sectors);
            }
            here.dirty |= kind != 0;
        }
        run(cache, std::move(requests));
        const std::uint64_t first = random() % 20000, count = 1 + random() % 300;
        cache.drop(first, count);
        for (std::uint64_t sector = first; sector < first + count; ++sector) {
            expected.dram_write_sectors += sectors[sector].dirty;
            sectors[sector] = {};
        }
        REQUIRE(cache.counters().read_sectors == expected.read_sectors);
        REQUIRE(cache.counters().write_sectors == expected.write_sectors);
        REQUIRE(cache.counters().atomic_sectors == expected.atomic_sectors);
        REQUIRE(cache.counters().dram_read_sectors == expected.dram_read_sectors);
        REQUIRE(cache.counters().dram_write_sectors == expected.dram_write_sectors);
    }
}

TEST_CASE("what L2 held is put back") {
    MemoryConfig config;
    config.l2_bytes = 4 << 20;
    L2Cache cache(config);
    std::map<std::uint64_t, std::uint32_t> words;  // of sectors, that are here
    std::uint64_t dram_reads = 0;
    std::mt19937 generator{4};
    const auto access = [&](std::uint64_t sectors) {
        std::vector<LineRequest> requests;
        for (int i = 0; i < 2000; ++i) {
            const std::uint64_t sector = generator() % sectors;
            const bool store = generator() % 2 != 0;
            const std::uint32_t written = generator() % 256;
            requests.push_back(request(sector, store ? AccessKind::store : AccessKind::load, store ? written : 0U));
            std::uint32_t& here = words[sector];
            dram_reads += !store && here != 0xFF;
            here = store ? here | written : 0xFF;
        }
        run(cache, std::move(requests));
    };
    std::size_t most = 0;
    for (int round = 0; round < 30; ++round) {
        // Few of the sets are used at first.
        access(500U << std::min(round, 6));
        cache.charge();
        most = std::max(most, cache.contents_bytes());
        const L2Cache::Contents contents = cache.contents();
        auto kept = words;
        if (round % 3 == 0) {
            cache.drop(0, 40000);
            words.clear();
        }
        access(40000);
        cache.charge();
        const SectorRange dropped{generator() % 500, 1 + generator() % 100};
        kept.erase(kept.lower_bound(dropped.first), kept.lower_bound(dropped.first + dropped.count));
        cache.put_back(contents);
        cache.drop(dropped.first, dropped.count);
        words = std::move(kept);
        access(2000);
        REQUIRE(cache.counters().dram_read_sectors == dram_reads);
        if (round == 0) CHECK(cache.contents_bytes() * 4 < std::size_t{13} * (4 << 20) / 128);
    }
    CHECK(most > std::size_t{11} * (4 << 20) / 128);
}

TEST_CASE("L2 divided over host threads counts what it counts undivided") {
    for (const std::uint64_t kilobytes : {64, 768, 1536}) {  // 32, 384 and 768 sets
        MemoryConfig config;
        config.l2_bytes = kilobytes << 10;
        L2Cache whole(config), divided(config);
        std::mt19937_64 random(20261121);
        for (int step = 0; step < 5; ++step) {
            std::array<std::vector<LineRequest>, 3> queues;
            for (std::size_t i = 0; i < 6000; ++i) {
                const std::uint64_t sector = random() % (kilobytes * 100);
                const auto kind = std::array{AccessKind::load, AccessKind::store, AccessKind::atomic}[random() % 3];
                queues[random() % 3].emplace_back(sector / 4, static_cast<std::uint32_t>(1 + random() % 15), kind,
                                                  static_cast<std::uint32_t>(random() % 256));
            }
            const auto copy = queues;
            whole.process(queues);
            CHECK(queues[0].empty());
            const std::size_t parts = divided.begin_round(copy, 1U << step);
            CHECK(parts == std::min(4U, 1U << step));
            // In another order, and in pieces.
            for (std::size_t part = parts; part-- > 0;)
                while (divided.serve(part, random() % 500)) continue;
            divided.end_round();
        }
        whole.charge();
        divided.charge();
        check_same(whole.counters(), divided.counters());
    }
}
