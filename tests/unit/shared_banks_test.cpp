// Passes through the banks of shared memory: cases worked by hand, and random accesses against a slow and obvious
// implementation.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <set>

#include "collector/simulate/memory/hierarchy.hpp"
#include "tests/support/line_requests.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

using Offsets = std::array<std::uint32_t, 32>;

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

}  // namespace

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
