// Sectors of a warp's access: cases worked by hand, and random accesses against a slow and obvious implementation.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "tests/support/line_requests.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

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
