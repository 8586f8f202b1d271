// The clock of a multiprocessor, and registers of what is not there.
#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;

TEST_CASE("time passes for a warp that waits for the clock, less the more others work meanwhile", "[engine]") {
    const auto between = [](u32 threads) {
        const auto run = run_threads(
            "mov.u32 %s0, %clock; mov.u32 %s1, %clock; mov.u64 %l0, %clock64; cvt.u32.u64 %s2, %l0;"
            "setp.lt.u32 %p0, %s2, %s1; selp.u32 %r, 0xFFFFFFFF, %s1, %p0; @!%p0 sub.u32 %r, %s1, %s0;",
            {.block = {threads, 1, 1}});
        return run.values.front();
    };
    CHECK(between(32) == 32);
    CHECK(between(128) == 8);
    CHECK(between(1024) == 1);
}

TEST_CASE("the global timer is the time since 1970, and does not go back", "[engine]") {
    const auto seconds = [] {
        const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
        return static_cast<u32>(std::chrono::duration_cast<std::chrono::seconds>(since_1970).count());
    };
    const u32 before = seconds();
    const auto run = run_threads(
        "mov.u64 %l0, %globaltimer; mov.u64 %l1, %globaltimer; setp.lt.u64 %p0, %l1, %l0;"
        "div.u64 %l0, %l0, 1000000000; cvt.u32.u64 %s0, %l0; selp.u32 %r, 0, %s0, %p0;");
    CHECK(run.values.front() >= before);
    CHECK(run.values.front() <= seconds());
}

TEST_CASE("there are no performance monitors, and no graph that a kernel could launch", "[engine]") {
    for (const char* name : {"%pm0_64", "%pm7_64", "%current_graph_exec"}) {
        INFO(name);
        const auto run = run_threads("mov.u64 %l0, " + std::string(name) + "; cvt.u32.u64 %r, %l0; add.u32 %r, %r, 7;");
        CHECK(run.values.front() == 7);
    }
}
