// Launches that repeat an earlier one exactly are not executed again, and nobody can tell by their results.
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "collector/simulate/engine/launch/repeats.hpp"
#include "tests/support/ptx_one_warp.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

TEST_CASE("once the caches are warm, equal launches are not executed", "[engine][repeats]") {
    OneWarp runs("add.u32 %r3, %r1, 7;");
    const LaunchReport cold = runs.run(), warm = runs.run(), same = runs.run(), repeated = runs.run();
    CHECK(cold.counted.metrics.dram_read == Sectors{8});  // 32 words of `in`, 32 of `out`
    for (const LaunchReport* executed : {&cold, &warm, &same}) CHECK_FALSE(executed->repeated);
    CHECK(repeated.repeated);
    CHECK(repeated.counted.metrics.thread_inst == warm.counted.metrics.thread_inst);
    CHECK(repeated.counted.metrics.global_load == warm.counted.metrics.global_load);
    CHECK(repeated.counted.metrics.dram_read == Sectors{0});
    CHECK(repeated.resident_blocks_per_sm == warm.resident_blocks_per_sm);
    for (u32 i = 0; i < 32; ++i) CHECK(runs.out[i] == 107 + i);

    // The host changes what is read: executed, and then known again.
    runs.in[3] = 1;
    CHECK_FALSE(runs.run().repeated);
    CHECK(runs.out[3] == 8);
}

TEST_CASE("what the host did to the results of a launch makes it run again", "[engine][repeats]") {
    OneWarp runs("add.u32 %r3, %r1, 7;");
    for (int i = 0; i < 5; ++i) runs.run();
    runs.out[5] = 0;
    CHECK_FALSE(runs.run().repeated);
    CHECK(runs.out[5] == 112);
}

TEST_CASE("a launch that goes on from its own results is always executed", "[engine][repeats]") {
    OneWarp runs("add.u32 %r3, %r2, 1;");
    for (u32 i = 1; i <= 40; ++i) {
        CHECK_FALSE(runs.run().repeated);
        REQUIRE(runs.out[31] == i);
    }
}

TEST_CASE("a launch that changes memory puts its results in place when it is repeated", "[engine][repeats]") {
    OneWarp runs("add.u32 %r3, %r2, %r1;");
    for (u32 round = 0; round < 6; ++round) {
        for (u32& value : runs.out) value = 10;
        CHECK(runs.run().repeated == (round >= 3));
        for (u32 i = 0; i < 32; ++i) REQUIRE(runs.out[i] == 110 + i);
    }
}

TEST_CASE("what a program does again and again from one beginning is found, however many launches it takes",
          "[engine][repeats]") {
    OneWarp runs("add.u32 %r3, %r2, %r1;");
    constexpr u32 passes = 24, launches = 7;
    std::vector<u32> repeated(passes, 0);
    for (u32 pass = 0; pass < passes; ++pass) {
        for (u32& value : runs.out) value = 10;
        for (u32 launch = 1; launch <= launches; ++launch) {
            repeated[pass] += runs.run().repeated ? 1 : 0;
            for (u32 i = 0; i < 32; ++i) REQUIRE(runs.out[i] == 10 + launch * (100 + i));
        }
    }
    CHECK(repeated.front() == 0);
    for (u32 pass = passes / 2; pass < passes; ++pass) CHECK(repeated[pass] == launches);
    // From another beginning everything is another.
    for (u32& value : runs.out) value = 11;
    for (u32 launch = 1; launch <= launches; ++launch) CHECK_FALSE(runs.run().repeated);
    CHECK(runs.out[0] == 11 + launches * 100);
}

TEST_CASE("what comes again between launches that do not spares none of these", "[engine][repeats]") {
    // A flag goes up and down by one kernel, another goes on from its own results.
    OneWarp goes_on("add.u32 %r3, %r2, 1;");
    const Module flags(one_warp_kernel("sub.u32 %r3, 1, %r2;"), "flags", goes_on.runner.memory());
    const std::span<u32> flag = goes_on.runner.allocate<u32>(32);
    u32 repeated = 0;
    for (u32 i = 1; i <= 60; ++i) {
        repeated += goes_on.runner.run(flags, {}, Arguments(goes_on.in.data(), flag.data())).repeated ? 1 : 0;
        REQUIRE(flag[7] == i % 2);
        CHECK_FALSE(goes_on.run().repeated);
        REQUIRE(goes_on.out[31] == i);
    }
    CHECK(repeated > 40);
}

TEST_CASE("other arguments, other memory and clocks are not repetitions", "[engine][repeats]") {
    OneWarp runs("add.u32 %r3, %r1, 7;");
    for (int i = 0; i < 5; ++i) runs.run();
    const std::span<u32> other = runs.runner.allocate<u32>(32);
    CHECK_FALSE(runs.runner.run(runs.module, {}, Arguments(runs.in.data(), other.data())).repeated);
    CHECK(other[0] == 107);
    const auto half = runs.runner.run(runs.module, {.block = {16, 1, 1}}, Arguments(runs.in.data(), runs.out.data()));
    CHECK_FALSE(half.repeated);

    OneWarp timed("mov.u64 %rd6, %globaltimer; cvt.u32.u64 %r3, %rd6;");
    for (int i = 0; i < 7; ++i) CHECK_FALSE(timed.run().repeated);
    EngineOptions options;
    options.count_every_launch = true;
    OneWarp always("add.u32 %r3, %r1, 7;", options);
    for (int i = 0; i < 7; ++i) CHECK_FALSE(always.run().repeated);
}

TEST_CASE("memory that the device alone writes is looked at again when it was written", "[engine][repeats]") {
    OneWarp runs("add.u32 %r3, %r1, 7;");
    const auto of_device = [&] {
        auto* memory = static_cast<u32*>(runs.runner.memory().allocate(32 * sizeof(u32), Writers::device));
        return std::span(memory, 32);
    };
    runs.in = of_device();
    runs.out = of_device();
    const auto wrote = [&](std::span<const u32> memory) {
        runs.runner.memory().wrote(reinterpret_cast<u64>(memory.data()), memory.size_bytes());
    };
    for (int i = 0; i < 4; ++i) CHECK(runs.run().repeated == (i == 3));
    CHECK(runs.out[9] == 7);

    runs.in[9] = 1;  // a copy from the host
    wrote(runs.in);
    CHECK_FALSE(runs.run().repeated);
    CHECK(runs.out[9] == 8);
    runs.out[9] = 0;
    wrote(std::span(runs.out).subspan(9, 1));
    CHECK_FALSE(runs.run().repeated);
    CHECK(runs.out[9] == 8);

    for (int i = 0; i < 5; ++i) runs.run();
    CHECK(runs.run().repeated);
    // Another kernel writes what this one reads.
    const Module other(one_warp_kernel("mov.u32 %r3, 50;"), "other", runs.runner.memory());
    CHECK_FALSE(runs.runner.run(other, {}, Arguments(runs.out.data(), runs.in.data())).repeated);
    CHECK_FALSE(runs.run().repeated);
    CHECK(runs.out[9] == 57);
}

TEST_CASE("results that are put in place count as written", "[engine][repeats]") {
    // out += in from the same beginning each time, and then twice as much of it by a second kernel.
    OneWarp runs("add.u32 %r3, %r2, %r1;");
    runs.out = std::span(static_cast<u32*>(runs.runner.memory().allocate(32 * sizeof(u32), Writers::device)), 32);
    const Module doubling(one_warp_kernel("add.u32 %r3, %r2, %r2;"), "doubling", runs.runner.memory());
    bool repeated = false;
    for (u32 round = 0; round < 8; ++round) {
        for (u32& value : runs.out) value = round;
        runs.runner.memory().wrote(reinterpret_cast<u64>(runs.out.data()), 32 * sizeof(u32));
        runs.run();
        repeated |= runs.runner.run(doubling, {}, Arguments(runs.in.data(), runs.out.data())).repeated;
        for (u32 i = 0; i < 32; ++i) REQUIRE(runs.out[i] == 2 * (round + 100 + i));
    }
    CHECK_FALSE(repeated);
}

TEST_CASE("memory that went away is not compared", "[engine][repeats]") {
    OneWarp runs("add.u32 %r3, %r1, 7;");
    for (int i = 0; i < 5; ++i) runs.run();
    CHECK(runs.runner.memory().release(runs.in.data()));
    CHECK(runs.run().fault);
    runs.in = runs.runner.allocate<u32>(32);  // in the same place
    const LaunchReport report = runs.run();
    CHECK_FALSE(report.fault);
    CHECK_FALSE(report.repeated);
    CHECK(runs.out[0] == 7);
}

TEST_CASE("digests tell contents apart", "[engine][repeats]") {
    std::vector<std::byte> bytes(1000, std::byte{0});
    const Digest zeros = digest_of(bytes);
    CHECK(zeros == digest_of(bytes));
    CHECK_FALSE(zeros == digest_of(std::span(bytes).first(999)));
    std::vector<Digest> seen{zeros};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (const int value : {1, 128}) {
            bytes[i] = static_cast<std::byte>(value);
            const Digest digest = digest_of(bytes);
            REQUIRE(std::ranges::find(seen, digest) == seen.end());
            seen.push_back(digest);
        }
        bytes[i] = std::byte{0};
    }
}
