// How fast textures are fetched: fetches of warps per second, counted, on one host thread.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/engine/texture.hpp"
#include "targets/catalog.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;

namespace {

constexpr std::uint32_t side = 512, block_side = 16, fetches = 32;

// Each thread fetches the 32 texels from its own on to the right, `shift` from their lower corners.
constexpr std::string_view row_of_texels = R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u64 image, .param .f32 shift) {
    .reg .pred %p<2>;
    .reg .f32 %f<10>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<5>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.s32 %r3, %r2, 16, %r1;
    mov.u32 %r1, %tid.y;
    mov.u32 %r2, %ctaid.y;
    mad.lo.s32 %r4, %r2, 16, %r1;
    ld.param.u64 %rd1, [image];
    ld.param.f32 %f1, [shift];
    cvt.rn.f32.s32 %f2, %r3;
    cvt.rn.f32.s32 %f3, %r4;
    add.f32 %f2, %f2, %f1;
    add.f32 %f3, %f3, %f1;
    mov.f32 %f4, 0f00000000;
    mov.u32 %r5, 0;
again:
    tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%f2, %f3}];
    add.f32 %f4, %f4, %f5;
    add.f32 %f2, %f2, 0f3F800000;
    add.s32 %r5, %r5, 1;
    setp.lt.s32 %p1, %r5, 32;
    @%p1 bra again;
    ld.param.u64 %rd2, [out];
    mad.lo.s32 %r6, %r4, 512, %r3;
    mul.wide.u32 %rd3, %r6, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.f32 [%rd4], %f4;
    ret;
})";

struct Parameters {
    void* out = nullptr;
    std::uint64_t image = 0;
    float shift = 0;
};

void fetch(benchmark::State& state, bool linear, float shift) {
    constexpr std::size_t bytes = std::size_t{side} * side * sizeof(float);
    const Gpu reference = Catalog{{}}.get("RTX2080Ti");
    DeviceMemory memory;
    void* out = memory.allocate(bytes);
    void* texels = memory.allocate(bytes);
    std::memset(texels, 0, bytes);
    Texture texture{.data = static_cast<std::byte*>(texels), .width = side, .height = side};
    texture.row_bytes = side * sizeof(float);
    texture.slice_bytes = bytes;
    texture.linear = linear;
    const Parameters parameters{out, texture_handle(texture), shift};
    const Module module(row_of_texels, "benchmark", memory);
    EngineOptions options;
    options.threads = 1;
    options.count_every_launch = true;  // every launch here is the same
    Engine engine(reference, memory, options);
    for (auto _ : state) {
        const LaunchReport report = engine.launch({.module = &module,
                                                   .kernel = "kernel",
                                                   .grid = {side / block_side, side / block_side, 1},
                                                   .block = {block_side, block_side, 1},
                                                   .parameters = std::as_bytes(std::span(&parameters, 1))});
        if (report.fault) state.SkipWithError(report.fault->message.c_str());
    }
    state.SetItemsProcessed(state.iterations() * side * side / threads_per_warp * fetches);
    memory.release(texels);
    memory.release(out);
}
BENCHMARK_CAPTURE(fetch, nearest, false, 0.5F)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fetch, filter_at_middles, true, 0.5F)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fetch, filter_between, true, 0.25F)->Unit(benchmark::kMillisecond);

}  // namespace
