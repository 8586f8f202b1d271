// Arithmetic that compute capability 10.0 has added (PTX ISA 9.7.5, 9.7.9.22, 9.7.13.9), and stores and reductions
// without a barrier.
#include <fmt/format.h>

#include <bit>

#include <catch2/catch.hpp>

#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;

namespace {

constexpr u32 one = 0x3F800000, two = 0x40000000, minus_three = 0xC0400000, not_a_number = 0x7FC00001,
              canonical = 0x7FFFFFFF;

/// Thread i has the number at i, and 1 from where there are no more.
std::string numbers(const std::vector<u32>& values) {
    std::string body = "mov.b32 %f0, 0x3F800000;";
    for (std::size_t i = 0; i < values.size(); ++i)
        body += fmt::format("setp.eq.u32 %p0, %tid, {}; @%p0 mov.b32 %f0, {:#x};", i, values[i]);
    return body;
}

}  // namespace

TEST_CASE("the least and the largest number of a warp", "[engine][warp]") {
    const auto expect = [](std::string_view operation, const std::vector<u32>& values, u32 want) {
        INFO(operation);
        expect_threads(numbers(values) + fmt::format("redux.sync.{}.f32 %f1, %f0, -1; mov.b32 %r, %f1;", operation),
                       [&](u32) { return want; });
    };
    expect("min", {two, minus_three}, minus_three);
    expect("max", {two, minus_three}, two);
    expect("max.abs", {two, minus_three}, 0x40400000);
    expect("min.abs", {two, minus_three}, one);
    expect("min", {not_a_number, two}, one);  // NaN is left out
    expect("min.NaN", {not_a_number, two}, canonical);
    expect("max.abs.NaN", {two, not_a_number}, canonical);
    expect("min", std::vector<u32>(32, not_a_number), canonical);
    std::vector<u32> zeros(32, 0);
    zeros[7] = 0x80000000;
    expect("min", zeros, 0x80000000);  // -0 is less
    zeros.assign(32, 0x80000000);
    zeros[7] = 0;
    expect("max", zeros, 0);
    // Of the members alone.
    expect_threads(numbers({two, minus_three}) +
                       "setp.lt.u32 %p1, %tid, 1; mov.b32 %r, 0; @%p1 redux.sync.min.f32 %f1, %f0, 1;"
                       "@%p1 mov.b32 %r, %f1;",
                   [](u32 i) { return i == 0 ? two : 0; });
}

TEST_CASE("sums and products of halves in single precision", "[engine]") {
    const auto expect = [](std::string_view instruction, u16 a, u16 b, u32 c, u32 want) {
        INFO(instruction);
        expect_threads(fmt::format("mov.b16 %h0, {:#x}; mov.b16 %h1, {:#x}; mov.b32 %f1, {:#x}; {} mov.b32 %r, %f0;", a,
                                   b, c, instruction),
                       [&](u32) { return want; });
    };
    expect("add.f32.f16 %f0, %h0, %f1;", 0x3C00, 0, two, 0x40400000);
    expect("sub.f32.f16 %f0, %h0, %f1;", 0x3C00, 0, two, 0xBF800000);
    expect("add.rn.sat.f32.bf16 %f0, %h0, %f1;", 0x3F80, 0, two, one);
    // 2^-24, the least half, is lost to nearest, and not upwards.
    expect("add.rn.f32.f16 %f0, %h0, %f1;", 0x0001, 0, one, one);
    expect("add.rp.f32.f16 %f0, %h0, %f1;", 0x0001, 0, one, one + 1);
    expect("fma.rn.f32.f16 %f0, %h0, %h1, %f1;", 0x4000, 0x4200, one, 0x40E00000);          // 2 * 3 + 1
    expect("fma.rz.f32.bf16 %f0, %h0, %h1, %f1;", 0x3F80, 0xBF80, 0x33800000, 0xBF7FFFFF);  // -1 + 2^-24
    expect("fma.rn.sat.f32.bf16 %f0, %h0, %h1, %f1;", 0xBF80, 0x3F80, 0, 0);
    expect("fma.rn.f32.f16 %f0, %h0, %h1, %f1;", 0x7BFF, 0x7BFF, 0, 0x4F7FC004);  // 65504 squared is no half
}

TEST_CASE("powers of two as scales", "[engine]") {
    const auto expect = [](std::string_view rounding, u32 a, u32 b, u32 want) {
        INFO(rounding);
        expect_threads(fmt::format("mov.b32 %f0, {:#x}; mov.b32 %f1, {:#x}; cvt.{}.ue8m0x2.f32 %h0, %f0, %f1;"
                                   "cvt.u32.u16 %r, %h0;",
                                   a, b, rounding),
                       [&](u32) { return want; });
        if (((a | b) & 0xFFFF) != 0) return;
        expect_threads(fmt::format("mov.b32 %s2, {:#x}; cvt.{}.ue8m0x2.bf16x2 %h0, %s2; cvt.u32.u16 %r, %h0;",
                                   a | b >> 16, rounding),
                       [&](u32) { return want; });
    };
    expect("rz", one, two, 0x7F80);
    expect("rz", 0x3FFF0000, 0xC0400000, 0x7F80);  // the sign is lost
    expect("rp", 0x3FFF0000, 0x3F800001, 0x8080);
    expect("rp", one, 0, 0x7F00);
    expect("rz", 0x7FC00000, 0x7F800000, 0xFFFF);
    expect("rz.satfinite", 0x7FC00000, 0x7F800000, 0xFFFE);  // NaN stays
    expect("rp.satfinite", 0x7F7F0000, 0xFF800000, 0xFEFE);
    expect("rp", 0x7F7F0000, 0x00400000, 0xFF00);  // 2^-127 is there
    expect("rp", 0x00410000, 0x007F0000, 0x0101);
    expect_threads("mov.b16 %h0, 0x7F80; cvt.rn.bf16x2.ue8m0x2 %r, %h0;", [](u32) { return 0x3F804000; });
    expect_threads("mov.b16 %h0, 0xFF00; cvt.rn.bf16x2.ue8m0x2 %r, %h0;", [](u32) { return 0x7FFF0040; });
}

TEST_CASE("asynchronous stores and reductions of device memory", "[engine]") {
    expect_threads(
        "st.async.release.gpu.global.u32 [%out], 5; red.async.release.gpu.global.add.u32 [%out], %tid;"
        "ld.global.u32 %r, [%out];",
        [](u32 i) { return 5 + i; });
}
