// L1: cases worked by hand, and random accesses against lists of lines.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/set_index.hpp"
#include "tests/support/line_requests.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

TEST_CASE("L1 keeps what its generation lets it keep") {
    const MemoryConfig volta = memory_config(gpu_of("7.0", 6 << 20)), kepler = memory_config(gpu_of("3.5", 3 << 19));
    const SectorList row = coalesced(lanes<Addresses>([](auto lane) { return 4096 + 4 * lane; }), ~0U, 4);
    std::vector<LineRequest> out;

    L1Cache on(volta);
    CHECK(send(on, row, AccessKind::load, out) == 0);
    CHECK(sectors_of(out) == 4);
    CHECK(out.size() == 1);  // they are of one line
    CHECK(send(on, row, AccessKind::load, out) == 4);
    CHECK(sectors_of(out) == 4);
    CHECK(send(on, row, AccessKind::store, out) == 0);  // goes through and is still there
    CHECK(sectors_of(out) == 8);
    CHECK(out.back().kind() == AccessKind::store);
    CHECK(out.back().words() == 0xFF);
    CHECK(send(on, row, AccessKind::load, out) == 4);
    send(on, row, AccessKind::atomic, out);  // done in L2: what L1 has is stale
    CHECK(send(on, row, AccessKind::load, out) == 0);
    on.invalidate();
    CHECK(send(on, row, AccessKind::load, out) == 0);

    L1Cache off(kepler);
    send(off, row, AccessKind::load, out);
    CHECK(send(off, row, AccessKind::load, out) == 0);
    send(off, row, AccessKind::read_only_load, out);
    CHECK(send(off, row, AccessKind::read_only_load, out) == 4);

    // The words of a partial store: 16-bit stores cover words 0-15 in pairs, a lone one covers no whole word.
    out.clear();
    send(off, coalesced(lanes<Addresses>([](auto lane) { return 4096 + 2 * lane; }), 0x7U, 2), AccessKind::store, out);
    REQUIRE(out.size() == 1);
    CHECK(out[0].words() == 0x1);

    const MemoryConfig none;
    L1Cache absent(none);
    out.clear();
    CHECK(send(absent, row, AccessKind::local_load, out) == 0);
    CHECK(sectors_of(out) == 4);
    CHECK(out[0].kind() == AccessKind::load);
}

TEST_CASE("L1 agrees with a list of lines per set, latest first") {
    MemoryConfig config;
    config.l1_bytes = std::uint64_t{24} * 128;  // 6 sets of 4
    config.l1_ways = 4;
    config.l1_global_loads = true;
    config.l1_stores_update = GENERATE(false, true);
    L1Cache cache(config);
    const SetIndex index(6);
    struct Line {
        std::uint64_t line;
        std::uint32_t valid, dirty;
    };
    std::array<std::vector<Line>, 6> sets;
    std::mt19937 generator{4};
    std::vector<LineRequest> out;
    for (int round = 0; round < 20000; ++round) {
        const std::uint64_t sector = generator() % 200;
        const auto kind = static_cast<AccessKind>(generator() % 6);
        SectorList one;
        one.sector[0] = sector;
        one.bytes[0] = ~0U;
        one.count = 1;

        std::uint32_t hits = 0, requests = 0;
        auto& set = sets[index(sector / 4)];
        auto found = std::ranges::find(set, sector / 4, &Line::line);
        const std::uint32_t bit = 1U << sector % 4;
        if (kind == AccessKind::store || kind == AccessKind::atomic) {
            requests = 1;
            if (found != set.end() && (kind == AccessKind::atomic || !config.l1_stores_update)) found->valid &= ~bit;
        } else {
            Line line{sector / 4, 0, 0};
            if (found != set.end()) {
                line = *found;
                set.erase(found);
            } else if (set.size() == 4) {
                for (std::uint32_t i = 0; i < 4; ++i) requests += set.back().dirty >> i & 1;
                set.pop_back();
            }
            if (kind == AccessKind::local_store) {
                line.dirty |= bit;
            } else {
                hits = (line.valid & bit) != 0 ? 1 : 0;
                requests += 1 - hits;
            }
            line.valid |= bit;
            set.insert(set.begin(), line);
        }
        out.clear();
        REQUIRE(send(cache, one, kind, out) == hits);
        REQUIRE(sectors_of(out) == requests);
    }
}

TEST_CASE("an L1 that was another size in the launch before is as good as new") {
    const auto of_sets = [](std::uint64_t sets, int ways) {
        MemoryConfig config;
        config.l1_bytes = sets * static_cast<std::uint64_t>(ways) * 128;
        config.l1_ways = ways;
        config.l1_global_loads = true;
        return config;
    };
    const std::array configs{of_sets(6, 4), of_sets(2, 4), of_sets(16, 4), of_sets(0, 4), of_sets(3, 8), of_sets(6, 4)};
    L1Cache kept(configs[0]);
    std::mt19937 generator{5};
    std::vector<LineRequest> out, expected;
    std::uint32_t all_hits = 0;
    for (int launch = 0; launch < 200; ++launch) {
        const MemoryConfig& config = configs[generator() % configs.size()];
        kept.invalidate(config);
        L1Cache fresh(config);
        CHECK(kept.config() == config);
        for (int access = 0; access < 200; ++access) {
            SectorList one;
            one.sector[0] = generator() % 200;
            one.bytes[0] = ~0U;
            one.count = 1;
            const auto kind = static_cast<AccessKind>(generator() % 6);
            out.clear();
            expected.clear();
            const std::uint32_t hits = send(fresh, one, kind, expected);
            REQUIRE(send(kept, one, kind, out) == hits);
            REQUIRE(sectors_of(out) == sectors_of(expected));
            all_hits += hits;
        }
    }
    CHECK(all_hits > 1000);
}

TEST_CASE("L1 writes local stores back when it needs the place") {
    MemoryConfig config;
    config.l1_bytes = std::uint64_t{4} * 128;  // one set of four lines
    config.l1_ways = 4;
    L1Cache cache(config);
    std::vector<LineRequest> out;
    const auto touch = [&](std::uint64_t line, AccessKind kind) {
        SectorList one;
        one.sector[0] = line * 4;
        one.bytes[0] = ~0U;
        one.count = 1;
        return send(cache, one, kind, out);
    };
    touch(10, AccessKind::local_store);
    CHECK(out.empty());
    CHECK(touch(10, AccessKind::local_load) == 1);
    for (std::uint64_t line = 11; line < 14; ++line) touch(line, AccessKind::local_load);
    CHECK(out.size() == 3);
    touch(14, AccessKind::local_load);  // line 10 is the oldest
    REQUIRE(out.size() == 5);
    CHECK(out[3].kind() == AccessKind::store);
    CHECK(out[3].line() == 10);
    CHECK(out[3].sectors() == 1);
    CHECK(touch(11, AccessKind::local_load) == 1);
}
