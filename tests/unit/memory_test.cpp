// The memory hierarchy: cases worked by hand, and random accesses against a slow and obvious implementation.
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/order_of_use.hpp"
#include "collector/simulate/memory/set_index.hpp"
#include "collector/simulate/memory/trace.hpp"
#include "collector/simulate/memory/ways.hpp"
#include "tests/support/l2_counters.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using gpuproj::test::check_same;

namespace {

using Addresses = std::array<std::uint64_t, 32>;
using Offsets = std::array<std::uint32_t, 32>;

template <class Array, class F>
Array lanes(F address) {
    Array result{};
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        result[lane] = static_cast<typename Array::value_type>(address(lane));
    return result;
}

SectorList coalesced(const Addresses& address, std::uint32_t mask, std::uint32_t bytes) {
    SectorList list;
    coalesce(address, mask, bytes, list);
    return list;
}

/// What L1 makes of one access.
std::uint32_t send(L1Cache& l1, const SectorList& list, AccessKind kind, std::vector<LineRequest>& to_l2) {
    std::array<LineRequest, 64> requests{};
    const bool stores = kind == AccessKind::store || kind == AccessKind::local_store;
    const std::uint32_t count = requests_of(list, stores, requests.data());
    return l1.access(std::span(requests).first(count), kind, to_l2);
}

// Byte by byte.
std::vector<std::pair<std::uint64_t, std::uint32_t>> obvious_sectors(const Addresses& address, std::uint32_t mask,
                                                                     std::uint32_t bytes) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> result;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        for (std::uint64_t byte = address[lane]; byte < address[lane] + bytes; ++byte) {
            auto found = std::ranges::find(result, byte / 32, &std::pair<std::uint64_t, std::uint32_t>::first);
            if (found == result.end()) found = result.insert(result.end(), {byte / 32, 0U});
            found->second |= 1U << byte % 32;
        }
    }
    return result;
}

/// Of the lanes [begin, end), in one go: the most words that any bank is asked for.
std::uint32_t words_of_one_bank(const Offsets& offset, std::uint32_t mask, std::uint32_t bytes, std::uint32_t begin,
                                std::uint32_t end) {
    std::map<std::uint32_t, std::set<std::uint32_t>> words_of_bank;
    for (std::uint32_t lane = begin; lane < end; ++lane)
        if ((mask >> lane & 1) != 0)
            for (std::uint32_t byte = offset[lane]; byte < offset[lane] + bytes; ++byte)
                words_of_bank[byte / 4 % 32].insert(byte / 4);
    std::size_t most = 0;
    for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
    return static_cast<std::uint32_t>(most);
}

std::uint32_t obvious_passes(const Offsets& offset, std::uint32_t mask, std::uint32_t bytes) {
    const std::uint32_t together = bytes == 16 ? 16 : 32;
    std::uint32_t passes = 0;
    for (std::uint32_t begin = 0; begin < 32; begin += together) {
        bool by_one = true, by_two = true;
        for (std::uint32_t a = begin; a < begin + together; ++a)
            for (std::uint32_t b = begin; b < a; ++b)
                if ((mask >> a & mask >> b & 1) != 0 && offset[a] != offset[b]) {
                    by_one = by_one && (a ^ b) != 1;
                    by_two = by_two && (a ^ b) != 2;
                }
        if (bytes <= 4 || by_one || by_two) {
            passes += words_of_one_bank(offset, mask, bytes, begin, begin + together);
        } else {
            passes += words_of_one_bank(offset, mask, bytes, begin, begin + together / 2) +
                      words_of_one_bank(offset, mask, bytes, begin + together / 2, begin + together);
        }
    }
    return passes;
}

/// Of one sector.
LineRequest request(std::uint64_t sector, AccessKind kind, std::uint32_t words = 0) {
    return {sector / 4, 1U << sector % 4, kind, words};
}
LineRequest load(std::uint64_t sector) {
    return request(sector, AccessKind::load);
}
LineRequest store(std::uint64_t sector, std::uint32_t words = 0xFF) {
    return request(sector, AccessKind::store, words);
}
LineRequest atomic(std::uint64_t sector) {
    return request(sector, AccessKind::atomic);
}
std::uint32_t sectors_of(const std::vector<LineRequest>& requests) {
    std::uint32_t count = 0;
    for (const LineRequest each : requests) count += sectors_in(each.sectors());
    return count;
}

void run(L2Cache& cache, std::vector<LineRequest> requests) {
    std::array queues{std::move(requests)};
    cache.process(queues);
}

Gpu gpu_of(const char* capability, std::uint64_t l2_bytes) {
    Gpu gpu;
    gpu.compute_capability = capability;
    gpu.sm_count = Known<int>{15, Quality::datasheet, "", {}};
    gpu.l2_size = Known<Bytes>{{static_cast<double>(l2_bytes)}, Quality::datasheet, "", {}};
    return gpu;
}

}  // namespace

TEST_CASE("coalesce: cases by hand") {
    // 32 floats from a 128-byte boundary: 4 sectors, all bytes.
    auto list = coalesced(lanes<Addresses>([](auto lane) { return 4096 + 4 * lane; }), ~0U, 4);
    REQUIRE(list.count == 4);
    CHECK(list.sector[0] == 128);
    CHECK(list.sector[3] == 131);
    CHECK(list.bytes[0] == ~0U);
    // Shifted by one float: 5 sectors, the first without its first word, the last with its first word only.
    list = coalesced(lanes<Addresses>([](auto lane) { return 4100 + 4 * lane; }), ~0U, 4);
    REQUIRE(list.count == 5);
    CHECK(list.bytes[0] == 0xFFFFFFF0U);
    CHECK(list.bytes[4] == 0xFU);
    // All lanes one double; every lane its own sector; 16 bytes each.
    CHECK(coalesced(lanes<Addresses>([](auto) { return 4096; }), ~0U, 8).count == 1);
    CHECK(coalesced(lanes<Addresses>([](auto lane) { return 4096 + 128 * lane; }), ~0U, 4).count == 32);
    CHECK(coalesced(lanes<Addresses>([](auto lane) { return 4096 + 16 * lane; }), ~0U, 16).count == 16);
    // Every other float, and the second half of the warp in another row: a tile 16 wide.
    CHECK(coalesced(lanes<Addresses>([](auto lane) { return 4096 + 8 * lane; }), ~0U, 4).count == 8);
    CHECK(coalesced(lanes<Addresses>([](auto lane) { return 4096 + 4 * (lane % 16) + 65536 * (lane / 16); }), ~0U, 4)
              .count == 4);
    // Downwards: the order is that of first use.
    list = coalesced(lanes<Addresses>([](auto lane) { return 8192 - 4 * lane; }), ~0U, 4);
    CHECK(list.count == 5);
    CHECK(list.sector[0] == 256);
    CHECK(list.sector[1] == 255);
    // Some lanes only, and none.
    CHECK(coalesced(lanes<Addresses>([](auto lane) { return 4096 + 4 * lane; }), 0x0000FF00U, 4).count == 1);
    CHECK(coalesced(lanes<Addresses>([](auto lane) { return 4096 + 4 * lane; }), 0x80000001U, 4).count == 2);
    CHECK(coalesced(Addresses{}, 0, 4).count == 0);
}

TEST_CASE("coalesce: random accesses agree with byte-by-byte") {
    std::mt19937_64 random{1};
    for (int round = 0; round < 20000; ++round) {
        const std::uint32_t bytes = 1U << random() % 6;
        const std::uint32_t mask = random() % 4 == 0 ? ~0U : static_cast<std::uint32_t>(random());
        const std::uint64_t base = random() % (1ULL << 46), range = 1ULL << random() % 14, stride = random() % 40;
        const bool strided = random() % 2 == 0, aligned = random() % 4 != 0;
        Addresses address{};
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            address[lane] = base + (strided ? lane * stride : random() % range);
            if (aligned) address[lane] -= address[lane] % bytes;
        }
        const SectorList list = coalesced(address, mask, bytes);
        const auto expected = obvious_sectors(address, mask, bytes);
        REQUIRE(list.count == expected.size());
        for (std::uint32_t i = 0; i < list.count; ++i) {
            REQUIRE(list.sector[i] == expected[i].first);
            REQUIRE(list.bytes[i] == expected[i].second);
        }
        if (!aligned) continue;
        // Of the lanes that are in the sector of the one before them, some are said to be in another.
        auto changes = static_cast<std::uint32_t>(random());
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            if (lane == 0 || address[lane] / 32 != address[lane - 1] / 32) changes |= 1U << lane;
        SectorList runs, sectors_only;
        coalesce_runs(address, mask, bytes, changes, runs);
        coalesce_runs(address, mask, 0, changes, sectors_only);
        REQUIRE(runs.count == list.count);
        REQUIRE(sectors_only.count == list.count);
        for (std::uint32_t i = 0; i < list.count; ++i) {
            REQUIRE(runs.sector[i] == list.sector[i]);
            REQUIRE(runs.bytes[i] == list.bytes[i]);
            REQUIRE(sectors_only.sector[i] == list.sector[i]);
        }
    }
}

TEST_CASE("L1: the line that was used longest ago goes first") {
    std::mt19937_64 random{1};
    for (int round = 0; round < 1000; ++round) {
        const auto ways = static_cast<std::uint32_t>(1 + random() % 20);
        std::vector<std::uint32_t> used(ways);
        for (std::uint32_t& at : used) at = static_cast<std::uint32_t>(random() >> (random() % 2 == 0 ? 32 : 61));
        CHECK(least_of_ways(used.data(), ways) == std::ranges::min_element(used) - used.begin());
    }
}

TEST_CASE("shared_bank_passes: cases by hand") {
    const auto passes = [](auto offset, std::uint32_t bytes, std::uint32_t mask = ~0U) {
        return shared_bank_passes(lanes<Offsets>(offset), mask, bytes);
    };
    CHECK(passes([](auto lane) { return 4 * lane; }, 4).passes == 1);
    CHECK(passes([](auto) { return 40; }, 4).passes == 1);                     // broadcast
    CHECK(passes([](auto lane) { return 4 * (lane / 2); }, 4).passes == 1);    // pairs share a word
    CHECK(passes([](auto lane) { return lane; }, 1).passes == 1);              // four bytes of a word
    CHECK(passes([](auto lane) { return 8 * lane; }, 4).passes == 2);          // every other bank
    CHECK(passes([](auto lane) { return 128 * lane; }, 4).passes == 32);       // a column of a 32-wide tile
    CHECK(passes([](auto lane) { return 132 * lane; }, 4).passes == 1);        // padded to 33
    CHECK(passes([](auto lane) { return 128 * lane; }, 4, 0xFF).passes == 8);  // eight lanes active
    CHECK(passes([](auto lane) { return 8 * lane; }, 8).passes == 2);          // two half warps
    CHECK(passes([](auto lane) { return 8 * lane; }, 8).ideal == 2);
    CHECK(passes([](auto lane) { return 16 * lane; }, 16).passes == 4);  // four quarters
    CHECK(passes([](auto lane) { return 16 * lane; }, 8).passes == 4);   // stride of two doubles
    CHECK(passes([](auto lane) { return 16 * lane; }, 8).ideal == 2);
    // One place for all: by half warps of 16 bytes, at once of 8. So nvprof counted it on Kepler, Maxwell and Pascal.
    CHECK(passes([](auto) { return 160; }, 16).passes == 2);
    CHECK(passes([](auto lane) { return 160 + 16 * (lane / 16); }, 16).passes == 2);
    CHECK(passes([](auto) { return 160; }, 8).passes == 1);
    CHECK(passes([](auto lane) { return 8 * (lane / 2); }, 8).passes == 1);    // pairs of lanes share 16 places
    CHECK(passes([](auto lane) { return 16 * (lane / 4); }, 16).passes == 2);  // eight places
    CHECK(passes([](auto lane) { return 128 * (lane / 2); }, 16).passes == 16);
    CHECK(passes([](auto lane) { return 4 * lane; }, 4, 0).passes == 0);
}

TEST_CASE("wide_bank_passes: words 32 apart meet only from one stretch of 64 to the next") {
    const auto passes = [](auto offset, std::uint32_t mask = ~0U) {
        return wide_bank_passes(lanes<Offsets>(offset), mask, 4);
    };
    CHECK(passes([](auto lane) { return 4 * lane; }) == 1);
    CHECK(passes([](auto) { return 40; }) == 1);
    CHECK(passes([](auto lane) { return 8 * lane; }) == 1);           // 64 words: two in each bank's place
    CHECK(passes([](auto lane) { return 128 + 8 * lane; }) == 2);     // the same across two stretches
    CHECK(passes([](auto lane) { return 128 * lane; }) == 16);        // a column of a 32-wide tile
    CHECK(passes([](auto lane) { return 128 + 128 * lane; }) == 17);  // begins in the middle of a stretch
    CHECK(passes([](auto lane) { return 256 * lane; }) == 32);
    CHECK(passes([](auto lane) { return 132 * lane; }) == 1);  // padded to 33
    CHECK(passes([](auto lane) { return 128 * lane; }, 0xFF) == 4);
}

TEST_CASE("shared_bank_passes: random accesses agree with sets of words per bank") {
    std::mt19937 generator{2};
    const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
    for (int round = 0; round < 20000; ++round) {
        const std::uint32_t bytes = 1U << random() % 5, mask = random() % 3 == 0 ? ~0U : random(),
                            words = 1 + random() % 4096;
        auto offset = lanes<Offsets>([&](auto) { return random() % words * bytes % 49152; });
        const std::uint32_t step = random() % 3;  // pairs of lanes want the same
        for (std::uint32_t lane = 0; step != 0 && lane < 32; ++lane) offset[lane] = offset[lane & ~step];
        const std::uint32_t passes = shared_bank_passes(offset, mask, bytes).passes;
        REQUIRE(passes == obvious_passes(offset, mask, bytes));
        REQUIRE(wide_bank_passes(offset, mask, bytes) <= passes);
    }
}

TEST_CASE("shared_bank_passes: words at one distance agree with sets of words per bank") {
    std::mt19937 generator{3};
    const auto random = [&](std::uint32_t below) { return static_cast<std::uint32_t>(generator()) % below; };
    for (int round = 0; round < 5000; ++round) {
        const std::uint32_t first = random(32), active = 1 + random(32 - first);
        const std::uint32_t mask = active == 32 ? ~0U : ((1U << active) - 1) << first;
        const std::uint32_t begin = 4 * (8192 + random(64)), words = random(200);
        const bool down = random(2) == 0;
        auto offset =
            lanes<Offsets>([&](auto lane) { return begin + (down ? 0 - 4 * words * lane : 4 * words * lane); });
        if (random(4) == 0) offset[random(32)] += 4;
        REQUIRE(shared_bank_passes(offset, mask, 4).passes == obvious_passes(offset, mask, 4));
    }
}

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

TEST_CASE("a trace is played one access of every warp in turn, interval by interval") {
    const MemoryConfig no_l1;
    L1Cache l1(no_l1);
    AccessTrace trace;
    const auto add = [&](std::uint64_t sector) {
        SectorList one;
        one.sector[0] = sector;
        one.bytes[0] = 0xFF;
        one.count = 1;
        trace.add(AccessKind::store, one);
    };
    const auto played = [&] {
        std::vector<LineRequest> out;
        CHECK(trace.replay(l1, out) == 0);
        std::vector<std::uint64_t> sectors;
        for (const LineRequest request : out) {
            REQUIRE(sectors_in(request.sectors()) == 1);
            sectors.push_back(request.line() * 4 + static_cast<std::uint32_t>(std::countr_zero(request.sectors())));
            CHECK(request.words() == 0x3);
        }
        return sectors;
    };
    CHECK(played().empty());
    trace.begin_block();  // the first block: two warps, a barrier, two warps
    trace.begin_interval();
    trace.begin_warp();
    for (const std::uint64_t sector : {10, 11, 12}) add(sector);
    trace.begin_warp();
    add(20);
    trace.begin_interval();  // nothing but a barrier: no time
    trace.begin_warp();
    trace.begin_interval();
    trace.begin_warp();
    add(13);
    trace.begin_warp();
    add(21);
    trace.begin_block();  // the second
    trace.begin_interval();
    trace.begin_warp();
    for (std::uint64_t sector = 30; sector < 35; ++sector) add(sector);
    trace.begin_block();  // one that waits
    CHECK(played() == std::vector<std::uint64_t>{10, 20, 30, 11, 31, 12, 32, 13, 21, 33, 34});
    CHECK(played().size() == 11);  // it is kept
    trace.clear();
    CHECK(played().empty());
}

TEST_CASE("lines at any power of two from each other spread over the sets of a cache") {
    const auto sets = GENERATE(384U, 1408U, 3072U, 5632U);  // L2 of a GTX 480, GTX 1080 Ti, RTX 3090, RTX 2080 Ti
    const SetIndex index(sets);
    for (std::uint64_t stride = 1; stride <= 8192; stride *= 2) {
        CAPTURE(sets, stride);
        std::vector<std::uint32_t> lines(sets);
        for (std::uint64_t i = 0; i < std::uint64_t{8} * sets; ++i) ++lines[index(5000 + i * stride)];
        std::uint64_t crowded = 0;  // beyond 16 ways
        for (const std::uint32_t count : lines) crowded += count > 16 ? count - 16 : 0;
        CHECK(static_cast<double>(crowded) < 0.03 * 8 * sets);
    }
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

TEST_CASE("the order of use of a set's ways is that of a list") {
    std::mt19937 random(20261127);
    for (const std::uint32_t ways : {1U, 2U, 3U, 7U, 16U}) {
        OrderOfUse order;
        std::vector<std::uint32_t> list(ways);  // the newest first
        std::iota(list.begin(), list.end(), 0U);
        for (int i = 0; i < 1000; ++i) {
            if (random() % 3 == 0) {
                std::rotate(list.begin(), list.end() - 1, list.end());
                REQUIRE(order.renew_oldest(ways) == list.front());
            } else {
                const auto way = static_cast<std::uint32_t>(random() % ways);
                order.touch(way);
                const auto at = std::find(list.begin(), list.end(), way);
                std::rotate(list.begin(), at, at + 1);
            }
        }
    }
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

/// Of so many loads of one sector each, whose places `sector_of` gives, through an empty L2.
template <class SectorOf>
L2Counters counters_of_loads(const MemoryConfig& config, std::uint64_t loads, const SectorOf& sector_of) {
    L2Cache cache(config);
    std::vector<LineRequest> requests;
    for (std::uint64_t i = 0; i < loads; ++i) requests.push_back(load(sector_of(i)));
    run(cache, requests);
    return cache.counters();
}

TEST_CASE("channels of DRAM: all at a time, one at a time, and one after the other") {
    MemoryConfig config;
    config.l2_bytes = GENERATE(0, 1 << 20);
    const auto balance = [&](auto sector_of) {
        const L2Counters counters = counters_of_loads(config, 32768, sector_of);
        CHECK(counters.dram_read_sectors == 32768);
        CHECK(counters.channel_sectors == 32768);
        return counters.channel_balance();
    };
    constexpr std::uint64_t of_channel = channel_bytes / 32, around = of_channel * dram_channels;
    CHECK(balance([](std::uint64_t i) { return i; }) == 1);
    CHECK(balance([](std::uint64_t i) { return i * around; }) == 1.0 / dram_channels);
    CHECK(balance([](std::uint64_t i) { return i * around / 2; }) == 2.0 / dram_channels);
    // Each for a longer time than requests are under way: evenly in the end, but never at once.
    CHECK(balance([](std::uint64_t i) { return i % 4096 * around + i / 4096 * of_channel; }) ==
          Approx(1.0 / dram_channels).epsilon(0.01));
    CHECK(L2Cache(config).counters().channel_balance() == 0);
}

TEST_CASE(
    "pages of DRAM: rows fill them, single sectors far apart do not, and the order of near ones is all the same") {
    MemoryConfig config;
    config.l2_bytes = GENERATE(0, 1 << 20);
    const auto share = [&](auto sector_of) {
        const L2Counters counters = counters_of_loads(config, 32768, sector_of);
        CHECK(counters.read_pages.sectors == 32768);
        CHECK(counters.written_pages == PageVisits{});
        return counters.read_pages.share();
    };
    constexpr std::uint64_t of_page = dram_page_sectors, under_way = 4096;
    CHECK(share([](std::uint64_t i) { return i; }) == 1);
    CHECK(share([](std::uint64_t i) { return i * of_page; }) == 1.0 / of_page);
    CHECK(share([](std::uint64_t i) { return i * of_page / 4; }) == 4.0 / of_page);
    // Columns of a matrix whose rows are pages, as many as are under way together, and as many rows as are not.
    CHECK(share([](std::uint64_t i) { return (i / 4096 * 64 + i % 64) * of_page + i / 64 % 64; }) == 1);
    CHECK(share([](std::uint64_t i) { return i % under_way * of_page + i / under_way; }) ==
          Approx(1.0 / of_page).epsilon(0.001));
    CHECK(L2Cache(config).counters().read_pages.share() == 0);
}

TEST_CASE("pages of DRAM: writes count once, when they become dirty") {
    MemoryConfig config;
    config.l2_bytes = 1 << 20;
    L2Cache cache(config);
    std::vector<LineRequest> requests;
    for (std::uint64_t i = 0; i < 512; ++i) requests.push_back(store(i * 8));
    for (std::uint64_t i = 0; i < 512; ++i) requests.push_back(store(i * 8));
    run(cache, requests);
    CHECK(cache.counters().written_pages == PageVisits{512, 64});
    CHECK(cache.counters().read_pages == PageVisits{});
    cache.charge();
    CHECK(cache.counters().written_pages == PageVisits{512, 64});
    run(cache, requests);  // of the next launch, to what is here still
    CHECK(cache.counters().written_pages == PageVisits{512, 64});
    cache.drop(0, 512 * 8);
    run(cache, requests);
    CHECK(cache.counters().written_pages == PageVisits{1024, 128});
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

TEST_CASE("an access that a sample of lines leaves nothing of takes its turn all the same", "[memory][trace]") {
    MemoryConfig config;
    config.l2_bytes = 1 << 20;
    L1Cache none(config);
    const L2Cache l2(config);
    const LineSample sample = l2.sample(2);
    std::vector<std::uint64_t> in, out;
    for (std::uint64_t line = 0; in.size() < 3 || out.empty(); ++line) (sample.has(line) ? in : out).push_back(line);
    AccessTrace trace;
    SampledSectors sectors;
    trace.keep_only(&sample, &sectors);
    trace.begin_block();
    trace.begin_interval();
    for (const auto& lines : {std::vector{out[0], in[0]}, std::vector{in[1], in[2]}}) {
        trace.begin_warp();
        for (const std::uint64_t line : lines) trace.add(AccessKind::atomic, line * line_bytes, 64);
    }
    CHECK(trace.requests() == 3);
    std::vector<LineRequest> requests;
    CHECK(trace.replay(none, requests) == 0);
    std::vector<std::uint64_t> seen;
    for (const LineRequest request : requests) {
        CHECK(request.kind() == AccessKind::atomic);
        seen.push_back(request.line());
    }
    CHECK(seen == std::vector{in[1], in[0], in[2]});
    const auto atomic = static_cast<std::size_t>(AccessKind::atomic);
    CHECK(sectors.all.at(atomic) == 8);
    CHECK(sectors.sampled.at(atomic) == 6);
}

TEST_CASE("an access that is one stretch is traced as its sectors are", "[memory][trace]") {
    MemoryConfig config;
    config.l2_bytes = 1 << 20;
    L1Cache none(config);
    const auto requests = [&](auto&& add) {
        AccessTrace trace;
        trace.begin_block();
        trace.begin_interval();
        trace.begin_warp();
        add(trace);
        std::vector<LineRequest> to_l2;
        CHECK(trace.replay(none, to_l2) == 0);
        std::vector<std::array<std::uint64_t, 4>> seen;
        for (const LineRequest& request : to_l2)
            seen.push_back(
                {request.line(), request.sectors(), request.words(), static_cast<std::uint64_t>(request.kind())});
        return seen;
    };
    for (const AccessKind kind : {AccessKind::load, AccessKind::read_only_load, AccessKind::store}) {
        for (const std::uint64_t begin : {0x10000, 0x10004, 0x10020, 0x10060, 0x1007c, 0x10090}) {
            for (const std::uint64_t bytes : {1, 4, 16, 32, 64, 128, 256, 1024}) {
                CAPTURE(static_cast<int>(kind), begin, bytes);
                SectorList sectors;
                coalesce_stretch(begin, bytes, sectors);
                std::uint32_t count = 0;
                const auto by_stretch = requests([&](AccessTrace& trace) { count = trace.add(kind, begin, bytes); });
                CHECK(by_stretch == requests([&](AccessTrace& trace) { trace.add(kind, sectors); }));
                CHECK(count == sectors.count);
            }
        }
    }
}
