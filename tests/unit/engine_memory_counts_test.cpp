// Counters of memory accesses that are worked out by hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;

namespace {

double value(const std::optional<Instructions>& count) {
    return count.value().value;
}

}  // namespace

TEST_CASE("a memory task lasts until something needs what it loads") {
    // Two warps. First task: both loads, though an addition stands between them. The sum needs them and computes. The
    // store is the second task. Its thread-level accesses: 64 x 2 loads, 64 stores.
    PtxRunner gpu;
    const auto a = gpu.allocate<float>(128);
    const auto c = gpu.allocate<float>(64);
    const auto report = gpu.run(module_text(R"(
.visible .entry k(.param .u64 pa, .param .u64 pc) {
    .reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .b32 %r<4>;
    ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pc];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.f32 %f1, [%rd4];
    add.s64 %rd5, %rd4, 256;
    ld.global.f32 %f2, [%rd5];
    add.f32 %f3, %f1, %f2;
    add.s64 %rd6, %rd2, %rd3;
    st.global.f32 [%rd6], %f3;
    ret;
})"),
                                {.block = {64, 1, 1}}, Arguments(a.data(), c.data()));
    REQUIRE(!report.fault);
    CHECK(value(report.counted.metrics.warp_memory_task) == 4);
    CHECK(value(report.counted.metrics.thread_inst_global_load) == 128);
    CHECK(value(report.counted.metrics.thread_inst_global_store) == 64);
}

TEST_CASE("loads go on at a time that need none of each other") {
    const auto at_a_time = [](const std::string& instructions, const char* end = "ret;") {
        PtxRunner gpu;
        const auto a = gpu.allocate<std::uint64_t>(256), b = gpu.allocate<std::uint64_t>(256);
        std::ranges::fill(a, reinterpret_cast<std::uint64_t>(a.data()));
        const auto report = gpu.run(module_text(R"(
.visible .entry k(.param .u64 pa, .param .u64 pb) {
    .reg .b64 %a, %b, %x<8>; .reg .b32 %n; .reg .pred %p;
    ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb];
    )" + instructions + end + "}"),
                                    {.block = {64, 1, 1}}, Arguments(a.data(), b.data()));
        REQUIRE(!report.fault);
        return report.counted.metrics.load_parallelism;
    };
    const std::string four =
        "ld.global.u64 %x0, [%a]; ld.global.u64 %x1, [%a+24]; ld.global.u64 %x2, [%b+16]; ld.global.u64 %x3, [%b+40];";
    CHECK(at_a_time("st.global.u64 [%b], %a;") == std::nullopt);
    CHECK(at_a_time(four) == 4);
    CHECK(at_a_time(four, "") == 4);
    CHECK(at_a_time(four + "add.u64 %x4, %x0, %x1; add.u64 %x5, %x2, %x3; st.global.u64 [%b], %x5;") == 4);
    // Each address is what the load before it gives.
    CHECK(at_a_time("ld.global.u64 %x0, [%a]; ld.global.u64 %x1, [%x0]; ld.global.u64 %x2, [%x1];") == 1);
    CHECK(at_a_time("ld.global.u64 %x0, [%a]; ld.global.u64 %x1, [%b]; ld.global.u64 %x2, [%x0];") == 1.5);
    // Copies: the second load may be of what the first store wrote, unless the addresses or .nc tell.
    CHECK(at_a_time("ld.global.u64 %x0, [%a]; st.global.u64 [%b], %x0; ld.global.u64 %x1, [%a+24];") == 1);
    CHECK(at_a_time("ld.global.u64 %x0, [%b+8]; st.global.u64 [%b], %x0; ld.global.u64 %x1, [%b+32];") == 2);
    CHECK(at_a_time("ld.global.u64 %x0, [%a]; st.global.u64 [%b], %x0; ld.global.nc.u64 %x1, [%a+24];") == 2);
    CHECK(at_a_time("ld.global.u64 %x0, [%b+8]; st.global.u64 [%b], %x0; add.u64 %b, %b, 8;"
                    "ld.global.u64 %x1, [%b+24];") == 1);  // 24 behind another place
    // A barrier, and each round of a loop, is waited for by itself; what is a condition on the machine is not.
    CHECK(at_a_time("ld.global.u64 %x0, [%a]; bar.sync 0; ld.global.u64 %x1, [%b];") == 1);
    const std::string two =
        "ld.global.u64 %x0, [%a]; ld.global.u64 %x1, [%b]; sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra AGAIN;";
    CHECK(at_a_time("mov.u32 %n, 4; AGAIN: .pragma \"nounroll\";" + two) == 2);
    // Four rounds behind each other wait once, and those that are left over each by themselves.
    CHECK(at_a_time("mov.u32 %n, %ntid.y; add.u32 %n, %n, 3; AGAIN:" + two) == 8);
    CHECK(at_a_time("mov.u32 %n, %ntid.y; add.u32 %n, %n, 4; AGAIN:" + two) == 10 / 2.0);
    CHECK(at_a_time("mov.u32 %n, %tid.x; ld.global.u64 %x0, [%a]; setp.lt.u32 %p, %n, 7; @%p bra OVER;"
                    "add.u64 %a, %a, 8; OVER: ld.global.u64 %x1, [%a];") == 2);
}

TEST_CASE("the longest of the warps is known") {
    // Four warps, of which the second goes through a loop of three instructions a thousand times.
    const auto balance = [](const char* times) {
        PtxRunner gpu;
        const auto report = gpu.run(module_text(std::string(R"(
.visible .entry k() {
    .reg .b32 %r<4>; .reg .pred %p<3>;
    mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5;
    setp.ne.s32 %p1, %r1, 1;
    mov.u32 %r2, 0;
    @%p1 bra done;
loop:
    add.s32 %r2, %r2, 1;
    setp.lt.s32 %p2, %r2, )") + times + R"(;
    @%p2 bra loop;
done:
    ret;
})"),
                                    {.block = {128, 1, 1}}, Arguments());
        REQUIRE(!report.fault);
        return report.counted.metrics.warp_balance.value();
    };
    CHECK(balance("1000") == Approx(0.25).margin(0.01));
    CHECK(balance("10") > 0.3);
}

TEST_CASE("a load that follows a pointer is a task of its own, a copy is not") {
    PtxRunner gpu;
    const auto end = gpu.allocate<u64>(1);
    const auto start = gpu.allocate<u64>(1);
    start[0] = reinterpret_cast<u64>(end.data());
    const auto report = gpu.run(module_text(R"(
.visible .entry k(.param .u64 pa) {
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [pa];
    ld.global.u64 %rd2, [%rd1];
    ld.global.u64 %rd3, [%rd2];
    st.global.u64 [%rd2], %rd3;
    ret;
})"),
                                {.block = {1, 1, 1}}, Arguments(start.data()));
    REQUIRE(!report.fault);
    CHECK(value(report.counted.metrics.warp_memory_task) == 2);
}

TEST_CASE("constant memory serves one word at a time") {
    // Lane l reads word l % 4: 4 words, 3 replays; then all read word 0: none.
    PtxRunner gpu;
    const auto c = gpu.allocate<u32>(32);
    const auto report = gpu.run(module_text(R"(
.const .align 4 .b32 table[4] = {10, 20, 30, 40};
.visible .entry k(.param .u64 pc) {
    .reg .b64 %rd<8>; .reg .b32 %r<8>;
    ld.param.u64 %rd1, [pc];
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3; mul.wide.u32 %rd2, %r2, 4;
    mov.u64 %rd3, table; add.s64 %rd4, %rd3, %rd2;
    ld.const.u32 %r3, [%rd4];
    ld.const.u32 %r4, [%rd3];
    add.s32 %r5, %r3, %r4;
    mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd1, %rd5;
    st.global.u32 [%rd6], %r5;
    ret;
})"),
                                {}, Arguments(c.data()));
    REQUIRE(!report.fault);
    CHECK(c[5] == 30);
    CHECK(value(report.counted.metrics.warp_inst_constant) == 2);
    CHECK(value(report.counted.metrics.constant_replay) == 3);
    CHECK(value(report.counted.metrics.warp_memory_task) == 1);  // constant memory is not off the SM
}

TEST_CASE("blocks of an SM do not go on in step: older ones are ahead") {
    // Two blocks on each of 15 SMs read 16 MiB, a line at a time, through an L2 of 768 KiB. Younger blocks make 13
    // accesses to the older ones' 16. Until they come to what the older ones have read at x, these are at 16/13 x, and
    // they themselves have come from 13/16 x: (16/13 - 13/16) x in all, which is more than L2 from x = 1.79 MiB on.
    // What is behind that they fetch again.
    PtxRunner gpu("GTX 480");
    constexpr std::size_t bytes = std::size_t{16} << 20;
    const auto a = gpu.allocate<u32>(bytes / 4);
    const auto report = gpu.run(module_text(R"(
.visible .entry k(.param .u64 pa) {
    .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [pa];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r2, 0; mov.u32 %r4, 0;
loop:
    ld.global.u32 %r3, [%rd1];
    add.u32 %r4, %r4, %r3;
    add.s64 %rd1, %rd1, 128; add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 131072;
    @%p1 bra loop;
    setp.eq.u32 %p1, %r4, 1;
    @%p1 st.global.u32 [%rd1], %r4;
    ret;
})"),
                                {.grid = {30, 1, 1}, .dynamic_shared_bytes = 24 << 10}, Arguments(a.data()));
    REQUIRE(!report.fault);
    CHECK(report.resident_blocks_per_sm == 2);
    CHECK(report.counted.metrics.dram_read.value().value / (bytes / 32.0) == Approx(2 - 1.79 / 16).margin(0.01));
}
