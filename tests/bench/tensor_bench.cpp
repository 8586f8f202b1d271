// How fast tensor instructions are executed and counted: warp instructions per second on one host thread, beside
// multiply-adds of single lanes.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "collector/simulate/engine/engine.hpp"
#include "targets/catalog.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;

namespace {

constexpr std::uint32_t blocks = 4, threads = 128, turns = 256, in_turn = 4;

/// Each warp executes `instructions`, which are four, in a loop. Scratch: %r3-10, %f0-15, %d0-9; %r1: in shared memory,
/// 16 bytes from lane to lane.
std::string looping(std::string_view instructions) {
    std::string text = R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry kernel() {
    .reg .pred %p<2>;
    .reg .f32 %f<16>;
    .reg .f64 %d<10>;
    .reg .b32 %r<11>;
    .shared .align 16 .b8 tile[2048];
    mov.u32 %r1, %laneid;
    shl.b32 %r1, %r1, 4;
    mov.u32 %r2, tile;
    add.u32 %r1, %r1, %r2;
    mov.u32 %r2, 0;
again:
)";
    text += instructions;
    return text + fmt::format(R"(
    add.s32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, {};
    @%p1 bra again;
    ret;
}})",
                              turns);
}

/// Products of four accumulators of `words` registers each, `a` and `b` of so many.
std::string products(const std::string& shape, char accumulators, int words, int a, int b) {
    const auto list = [](char kind, int first, int count) {
        std::string registers;
        for (int i = 0; i < count; ++i) registers += fmt::format("{}%{}{}", i == 0 ? "" : ", ", kind, first + i);
        return fmt::format("{{{}}}", registers);
    };
    const char inputs = accumulators == 'd' ? 'd' : 'r';
    const int first = accumulators == 'd' ? 8 : 3;
    std::string text;
    for (int i = 0; i < static_cast<int>(in_turn); ++i)
        text += fmt::format("    mma.sync.aligned.{0} {1}, {2}, {3}, {1};\n", shape,
                            list(accumulators, words * i, words), list(inputs, first, a), list(inputs, first + a, b));
    return text;
}
std::string four_times(const std::string& instruction) {
    std::string text;
    for (std::uint32_t i = 0; i < in_turn; ++i) text += fmt::format("    {}\n", instruction);
    return text;
}

void tensor(benchmark::State& state, const std::string& instructions) {
    const Gpu reference = Catalog{{}}.get("RTX3080");
    DeviceMemory memory;
    const Module module(looping(instructions), "benchmark", memory);
    EngineOptions options;
    options.threads = 1;
    options.count_every_launch = true;  // every launch here is the same
    Engine engine(reference, memory, options);
    for (auto _ : state) {
        const LaunchReport report = engine.launch({.module = &module,
                                                   .kernel = "kernel",
                                                   .grid = {blocks, 1, 1},
                                                   .block = {threads, 1, 1},
                                                   .parameters = {}});
        if (report.fault) state.SkipWithError(report.fault->message.c_str());
    }
    state.SetItemsProcessed(state.iterations() * blocks * threads / 32 * turns * in_turn);
}

}  // namespace

BENCHMARK_CAPTURE(tensor, fma_of_lanes, four_times("fma.rn.f32 %f1, %f2, %f3, %f1;"));
BENCHMARK_CAPTURE(tensor, m16n8k16_f16, products("m16n8k16.row.col.f32.f16.f16.f32", 'f', 4, 4, 2));
BENCHMARK_CAPTURE(tensor, m16n8k16_bf16, products("m16n8k16.row.col.f32.bf16.bf16.f32", 'f', 4, 4, 2));
BENCHMARK_CAPTURE(tensor, m16n8k8_tf32, products("m16n8k8.row.col.f32.tf32.tf32.f32", 'f', 4, 4, 2));
BENCHMARK_CAPTURE(tensor, m8n8k4_f64, products("m8n8k4.row.col.f64.f64.f64.f64", 'd', 2, 1, 1));
BENCHMARK_CAPTURE(tensor, ldmatrix_x4,
                  four_times("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r1];"));
BENCHMARK_CAPTURE(tensor, ldmatrix_x4_trans,
                  four_times("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r3, %r4, %r5, %r6}, [%r1];"));
