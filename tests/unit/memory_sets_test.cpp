// Sets of a cache: which one a line is of, and which of its lines goes first.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/order_of_use.hpp"
#include "collector/simulate/memory/set_index.hpp"
#include "collector/simulate/memory/ways.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;

TEST_CASE("L1: the line that was used longest ago goes first") {
    std::mt19937_64 random{1};
    for (int round = 0; round < 1000; ++round) {
        const auto ways = static_cast<std::uint32_t>(1 + random() % 20);
        std::vector<std::uint32_t> used(ways);
        for (std::uint32_t& at : used) at = static_cast<std::uint32_t>(random() >> (random() % 2 == 0 ? 32 : 61));
        CHECK(least_of_ways(used.data(), ways) == std::ranges::min_element(used) - used.begin());
    }
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
