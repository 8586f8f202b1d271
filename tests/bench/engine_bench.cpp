// How fast kernels are executed and counted: thread instructions per second, on one host thread and on all.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/simulate/engine/engine.hpp"
#include "targets/catalog.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;

namespace {

/// A kernel that calculates in a loop and stores a word or float for each thread: %r1 is its number in the block, and
/// what stands behind the label `again` goes on until it branches there no more. Scratch: %p0-3, %f0-5, %r0-8.
std::string looping(std::string_view body, std::string_view store) {
    std::string text = R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry kernel(.param .u64 out) {
    .reg .pred %p<4>;
    .reg .f32 %f<6>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
)";
    text += body;
    text += R"(
    ld.param.u64 %rd1, [out];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.s32 %r5, %r3, %r4, %r1;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    )";
    text += store;
    return text + "\n    ret;\n}";
}

// Arithmetic alone: 512 iterations of four independent multiply-adds.
std::string arithmetic() {
    return looping(R"(
    cvt.rn.f32.u32 %f1, %r1;
    mov.f32 %f2, %f1;
    mov.f32 %f3, %f1;
    mov.f32 %f4, %f1;
again:
    fma.rn.f32 %f1, %f1, %f1, %f1;
    fma.rn.f32 %f2, %f2, %f2, %f2;
    fma.rn.f32 %f3, %f3, %f3, %f3;
    fma.rn.f32 %f4, %f4, %f4, %f4;
    add.s32 %r2, %r2, 1;
    setp.lt.s32 %p1, %r2, 512;
    @%p1 bra again;
    add.f32 %f1, %f1, %f2;
    add.f32 %f3, %f3, %f4;
    add.f32 %f1, %f1, %f3;)",
                   "st.global.f32 [%rd3], %f1;");
}

// Integers and exponentials: what hashes, random numbers and activations are made of.
std::string mixed() {
    return looping(R"(
    mov.u32 %r6, %r1;
    mov.f32 %f1, 0f00000000;
again:
    mad.lo.u32 %r6, %r6, 1664525, 1013904223;
    shr.u32 %r7, %r6, 13;
    xor.b32 %r6, %r6, %r7;
    shf.l.wrap.b32 %r7, %r6, %r6, 7;
    and.b32 %r8, %r7, 65535;
    cvt.rn.f32.u32 %f2, %r8;
    mul.f32 %f2, %f2, 0f37800000;
    ex2.approx.f32 %f3, %f2;
    fma.rn.f32 %f1, %f3, %f2, %f1;
    add.s32 %r2, %r2, 1;
    setp.lt.s32 %p1, %r2, 128;
    @%p1 bra again;)",
                   "st.global.f32 [%rd3], %f1;");
}

// Votes and ballots, as scans, queues and reductions of warps have them.
std::string votes() {
    return looping(R"(
    mov.u32 %r6, %r1;
again:
    setp.lt.s32 %p2, %r2, %r1;
    vote.sync.any.pred %p3, %p2, -1;
    vote.sync.ballot.b32 %r7, %p2, -1;
    xor.b32 %r6, %r6, %r7;
    @%p3 add.s32 %r6, %r6, 1;
    add.s32 %r2, %r2, 1;
    setp.lt.s32 %p1, %r2, 128;
    @%p1 bra again;)",
                   "st.global.u32 [%rd3], %r6;");
}

// Differences of bytes, summed up, as comparisons of images have them.
std::string video() {
    return looping(R"(
    mov.u32 %r6, %r1;
    mul.lo.s32 %r7, %r1, 1664525;
again:
    vabsdiff4.u32.u32.u32.add %r6, %r7, %r2, %r6;
    vabsdiff4.u32.u32.u32.add %r6, %r2, %r1, %r6;
    vabsdiff4.u32.u32.u32.add %r6, %r1, %r7, %r6;
    add.s32 %r2, %r2, 16843009;
    setp.lt.u32 %p1, %r2, 2155905152;
    @%p1 bra again;)",
                   "st.global.u32 [%rd3], %r6;");
}

// Memory alone: every thread doubles one float.
constexpr std::string_view streaming = R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry kernel(.param .u64 out) {
    .reg .f32 %f<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [out];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.s32 %r5, %r3, %r4, %r1;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%rd3], %f2;
    ret;
})";

void launch(benchmark::State& state, std::string_view ptx, MachineCode machine_code = MachineCode::usual) {
    constexpr std::uint32_t blocks = 512, threads = 256;
    const Gpu reference = Catalog{{}}.get("GTX480");
    DeviceMemory memory;
    void* out = memory.allocate(std::size_t{blocks} * threads * 4);
    std::memset(out, 0, std::size_t{blocks} * threads * 4);
    const Module module(ptx, "benchmark", memory, machine_code);
    EngineOptions options;
    options.threads = static_cast<int>(state.range(0));
    options.count_every_launch = true;  // every launch here is the same
    Engine engine(reference, memory, options);
    double instructions = 0;
    for (auto _ : state) {
        const LaunchReport report = engine.launch({.module = &module,
                                                   .kernel = "kernel",
                                                   .grid = {blocks, 1, 1},
                                                   .block = {threads, 1, 1},
                                                   .parameters = std::as_bytes(std::span(&out, 1))});
        if (report.fault) state.SkipWithError(report.fault->message.c_str());
        instructions += report.counted.metrics.warp_inst.value_or(Instructions{0}).value * threads_per_warp;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
    memory.release(out);
}
// 0: all host threads.
BENCHMARK_CAPTURE(launch, arithmetic, arithmetic())->Arg(1)->Arg(0)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(launch, streaming, streaming)->Arg(1)->Arg(0)->UseRealTime()->Unit(benchmark::kMillisecond);
// The same by handlers alone, as on processors without AVX2.
BENCHMARK_CAPTURE(launch, arithmetic_by_handlers, arithmetic(), MachineCode::none)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(launch, mixed, mixed())->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(launch, votes, votes())->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(launch, video, video())->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(launch, mixed_by_handlers, mixed(), MachineCode::none)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
