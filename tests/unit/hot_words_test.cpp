#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <random>

#include "collector/simulate/engine/hot_words.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

constexpr std::uint32_t all_lanes = 0xFFFFFFFF;

/// The addresses of 4-byte words, one for each lane.
template <class F>
std::array<std::uint64_t, 32> words(F&& word_of) {
    std::array<std::uint64_t, 32> at{};
    for (std::uint32_t lane = 0; lane < 32; ++lane) at[lane] = 0x10000 + 4 * static_cast<std::uint64_t>(word_of(lane));
    return at;
}

double hottest(const HotWords& words) {
    HottestWord hottest;
    hottest.add(words);
    return hottest.share();
}

/// Of the operations of 2 blocks of 64 threads, by one instruction each, those on the word that has most.
double counted(const std::string& instructions) {
    const Shape shape{.grid = {2, 1, 1}, .block = {64, 1, 1}};
    const Threads run = run_threads(instructions + " mov.u32 %r, 0;", shape, "", [](PtxRunner& runner) {
        return reinterpret_cast<u64>(runner.allocate<u64>(64).data());
    });
    REQUIRE_FALSE(run.report.fault);
    return run.report.counted.metrics.thread_atomic_hottest.value().value;
}

}  // namespace

TEST_CASE("the word with the most operations is found among others") {
    HotWords of_one;
    CHECK(hottest(of_one) == 0);
    // A counter that all lanes of a warp add to, between operations all over a million words.
    std::mt19937_64 random(1);
    for (int i = 0; i < 10000; ++i) {
        of_one.add(0x20000, 32);
        of_one.add_lanes(words([&](std::uint32_t) { return random() >> 44U; }).data(), all_lanes);
    }
    CHECK(hottest(of_one) == Approx(0.5).epsilon(0.03));

    // Two SMs, each with most of its own on another word, and 30 % of both on the same.
    HotWords first, second;
    first.add(0x100, 70);
    first.add(0x300, 30);
    second.add(0x200, 70);
    second.add(0x300, 30);
    HottestWord both;
    both.add(first);
    both.add(second);
    CHECK(both.share() == Approx(70. / 200));
    first.add(0x300, 20);
    HottestWord now;
    now.add(first);
    now.add(second);
    CHECK(now.share() == Approx(80. / 220));
    first.clear();
    CHECK(first.operations() == 0);
    CHECK(hottest(first) == 0);
}

TEST_CASE("a histogram's bins share the operations, random words have next to none") {
    HotWords bins, anywhere;
    std::mt19937_64 random(7);
    for (int i = 0; i < 8000; ++i) {
        bins.add_lanes(words([&](std::uint32_t) { return random() % 16; }).data(), all_lanes);
        anywhere.add_lanes(words([&](std::uint32_t) { return random() >> 40U; }).data(), all_lanes);
    }
    CHECK(hottest(bins) == Approx(1. / 16).epsilon(0.1));
    CHECK(hottest(anywhere) < 0.001);
}

TEST_CASE("atomic operations on one word: one for a warp where ptxas joins them", "[engine][memory]") {
    // All addresses are the same: 4 warps.
    CHECK(counted("red.global.add.u32 [%in], 1;") == 4);
    CHECK(counted("red.global.max.s32 [%in], %tid;") == 4);
    CHECK(counted("atom.global.add.u32 %s0, [%in], 1;") == 4);
    CHECK(counted("mov.u32 %s0, %ntid.x; mad.wide.u32 %l0, %s0, 4, %in; red.global.or.b32 [%l0], 1;") == 4);
    // ptxas joins none of these, or cannot know that addresses are the same.
    CHECK(counted("atom.global.max.s32 %s0, [%in], %tid;") == 128);
    CHECK(counted("red.global.add.f32 [%in], 0f3F800000;") == 128);
    CHECK(counted("red.global.add.u64 [%in], 1;") == 128);
    CHECK(counted("atom.global.cas.b32 %s0, [%in], 1, 2;") == 128);
    CHECK(counted("and.b32 %s0, %tid, 0; mad.wide.u32 %l0, %s0, 4, %in; red.global.add.u32 [%l0], 1;") == 128);
    // Lanes on two words by turns, and each on its own, which two blocks share.
    CHECK(counted("and.b32 %s0, %tid, 1; mad.wide.u32 %l0, %s0, 4, %in; red.global.add.u32 [%l0], 1;") == 64);
    CHECK(counted("mov.u32 %s0, %tid.x; mad.wide.u32 %l0, %s0, 4, %in; red.global.add.u32 [%l0], 1;") == 2);
    CHECK(counted("ld.global.u32 %s0, [%in];") == 0);
}

TEST_CASE("atomic operations on shared memory go one after the other in a bank", "[engine][memory]") {
    // One warp. A word of floats or of 64 bits takes a loop of two accesses a round.
    const auto passes = [](const std::string& instructions) {
        const Threads run = run_threads("mov.u32 %s1, sums; " + instructions + " mov.u32 %r, 0;", {.block = {32, 1, 1}},
                                        ".shared .align 8 .b8 sums[1024];");
        REQUIRE_FALSE(run.report.fault);
        return run.report.counted.metrics.shared_wavefront.value().value;
    };
    CHECK(passes("mad.lo.u32 %s1, %tid, 4, %s1; red.shared.add.u32 [%s1], 1;") == 1);
    CHECK(passes("mad.lo.u32 %s1, %tid, 8, %s1; red.shared.add.u32 [%s1], 1;") == 2);
    CHECK(passes("and.b32 %s0, %tid, 1; mad.lo.u32 %s1, %s0, 4, %s1; red.shared.add.u32 [%s1], 1;") == 16);
    CHECK(passes("red.shared.add.u32 [%s1], 1;") == 1);  // joined
    CHECK(passes("red.shared.inc.u32 [%s1], 5;") == 32);
    CHECK(passes("red.shared.add.f32 [%s1], 0f3F800000;") == 64);
    CHECK(passes("mad.lo.u32 %s1, %tid, 8, %s1; red.shared.add.u64 [%s1], 1;") == 4);
    CHECK(passes("mad.lo.u32 %s1, %tid, 8, %s1; atom.shared.exch.b64 %l0, [%s1], 1;") == 2);
}
