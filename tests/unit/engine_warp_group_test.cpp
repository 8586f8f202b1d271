// wgmma against plain matrix products: matrices in shared memory as the canonical layouts have them (CUTLASS,
// mma_traits_sm90_gmma.hpp), fragments as the PTX ISA draws them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>

#include "tests/support/matrices.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;
using gpuproj::simulate::FaultKind;
using gpuproj::simulate::LaunchReport;

namespace {

constexpr u32 threads = 128, operand_bytes = 65536;  // of A, of B

/// How an operand lies in shared memory: 16-byte units in a line of the swizzle, 1 without one.
struct Lie {
    u32 units = 1;
    bool turned = false;  // neighbours are along M or N
    u32 start = 0;        // bytes behind a multiple of 1024
};

/// A matrix of `lines` rows of A or columns of B: value(line, k), in shared memory from `at` on, and its descriptor.
struct Image {
    std::vector<std::byte> bytes = std::vector<std::byte>(operand_bytes);
    u64 descriptor = 0;
};
template <class Value>
Image image_of(u32 at, u32 lines, u32 depth, std::string_view type, const Lie& lie, Value&& value) {
    const u32 width = width_of(type), in_unit = 128 / width, units = lie.units;
    const u32 square = 8 * units * 16;  // bytes of eight lines
    // Distances with gaps, so that one does not stand for the other.
    const u32 leading = units == 1 ? (lie.turned ? 256 * 20 : 128) : lie.turned ? 4 * square : 16;
    const u32 stride = units == 1 ? 256 : lie.turned ? 2 * square : square;
    Image image;
    for (u32 line = 0; line < lines; ++line) {
        for (u32 k = 0; k < depth; ++k) {
            const u32 along = lie.turned ? line : k, across = lie.turned ? k : line;  // neighbours: along
            const u32 unit = along / in_unit;
            u32 place = across % 8 * units * 16;
            if (lie.turned && units == 1)
                place += unit * stride + across / 8 * leading;
            else if (lie.turned)
                place += unit % units * 16 + unit / units * leading + across / 8 * stride;
            else
                place += across / 8 * stride + unit * leading;
            place += lie.start;
            // The pictures of the swizzles: in row r of eight (of 128 bytes) unit u changes places with u ^ r, 64
            // bytes: with half of r, 32 bytes: with a quarter.
            const u32 row = place / 128 % 8, exchanged = units == 8   ? row
                                                         : units == 4 ? row % 4
                                                         : units == 2 ? row % 2
                                                                      : 0;
            place ^= exchanged * 16;
            const std::size_t bit = std::size_t{place} * 8 + std::size_t{along % in_unit} * width;
            const u64 bits = encoded(type, value(line, k)) << bit % 8;
            for (std::size_t byte = 0; byte < std::max(1U, width / 8); ++byte)
                image.bytes.at(bit / 8 + byte) |= static_cast<std::byte>(bits >> 8 * byte);
        }
    }
    const u64 swizzle = units == 8 ? 1 : units == 4 ? 2 : units == 2 ? 3 : 0;
    image.descriptor = (at + lie.start) >> 4 | u64{leading >> 4} << 16 | u64{stride >> 4} << 32 | swizzle << 62;
    return image;
}

struct Product {
    u32 n = 8, k = 16;
    std::string_view d = "f32", a = "f16", b = "f16";
    Lie lie_a{}, lie_b{};
    bool in_registers = false, adds = true;
    int sign_a = 1, sign_b = 1;
    u32 selector = 0;
    bool sparse = false;
    std::string_view extra = "";
};

std::string names(char name, u32 count) {
    std::string text;
    for (u32 i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
    return "{" + text + "}";
}
/// Loads or stores words of every thread, side by side.
std::string move_words(char name, u32 count, const char* memory, bool load) {
    std::string text = fmt::format("mad.wide.u32 %at, %tid, {}, %{};\n", count * 4, memory);
    for (u32 i = 0; i < count; ++i)
        text += load ? fmt::format("ld.global.b32 %{}{}, [%at+{}];\n", name, i, i * 4)
                     : fmt::format("st.global.b32 [%at+{}], %{}{};\n", i * 4, name, i);
    return text;
}
/// What threads have of a matrix of 64 rows: place(lane, i) in the 16 rows of a warp.
template <class Place>
std::vector<std::byte> in_lanes(const Matrix& matrix, std::string_view type, Place&& place) {
    const u32 each = static_cast<u32>(matrix.values.size()) / threads, width = width_of(type);
    std::vector<std::byte> memory(std::size_t{threads} * each * width / 8);
    for (u32 thread = 0; thread < threads; ++thread) {
        for (u32 i = 0; i < each; ++i) {
            const At at = place(thread % 32, i);
            const u64 bits = encoded(type, matrix.at(thread / 32 * 16 + at.row, at.col));
            std::memcpy(&memory[(std::size_t{thread} * each + i) * width / 8], &bits, width / 8);
        }
    }
    return memory;
}
/// Accumulators: eight columns after the other.
At of_d(u32 lane, u32 i) {
    const At at = of_c(lane, i % 4);
    return {at.row, at.col + i / 4 * 8};
}

struct Run {
    LaunchReport report;
    Matrix d{64, 8};
};
/// D = A B + C by one warp group. `a`: as it is stored.
Run run(const Product& p, const Matrix& a, const std::vector<u32>& metadata, const Matrix& b, const Matrix& c) {
    const Image in_a = image_of(0, 64, a.cols, p.a, p.lie_a, [&](u32 row, u32 k) { return a.at(row, k); });
    const Image in_b = image_of(operand_bytes, p.n, p.k, p.b, p.lie_b, [&](u32 col, u32 k) { return b.at(k, col); });
    PtxRunner runner;
    std::vector<std::byte> shared = in_a.bytes;
    shared.insert(shared.end(), in_b.bytes.begin(), in_b.bytes.end());
    const auto image = runner.allocate(shared);
    const auto registers_of_a =
        p.in_registers ? runner.allocate(in_lanes(a, p.a, [&](u32 l, u32 i) { return of_a(p.a, 16, l, i); }))
                       : runner.allocate<std::byte>(16);
    const auto in_c = runner.allocate(in_lanes(c, p.d, of_d));
    const auto in_e = runner.allocate(metadata);
    const auto out = runner.allocate<std::byte>(in_c.size());
    const u32 words = static_cast<u32>(out.size()) / threads / 4;
    const bool integer = p.d == "s32", turns = width_of(p.a) == 16;
    std::string operands = names('d', words) + ", " + (p.in_registers ? names('a', 4) : std::string("%da"));
    operands += ", %db";
    if (p.sparse) operands += fmt::format(", %e0, {}", p.selector);
    operands += ", %adds";
    if (!integer) operands += fmt::format(", {}, {}", p.sign_a, p.sign_b);
    if (turns && !p.in_registers) operands += p.lie_a.turned ? ", 1" : ", 0";
    if (turns) operands += p.lie_b.turned ? ", 1" : ", 0";
    const std::string name = fmt::format("wgmma.mma_async.{}sync.aligned.m64n{}k{}.{}.{}.{}{}", p.sparse ? "sp." : "",
                                         p.n, p.k, p.d, p.a, p.b, p.extra);
    INFO(name);
    Run result;
    result.report = runner.run(
        module_text(fmt::format(R"(
.shared .align 1024 .b8 operands[{}];
.visible .entry k(.param .u64 image_, .param .u64 a_, .param .u64 c_, .param .u64 e_, .param .u64 d_) {{
.reg .b32 %a<4>, %d<128>, %e<1>, %s<8>; .reg .b64 %image, %pa, %pc, %pe, %pd, %at, %da, %db; .reg .b32 %tid;
.reg .pred %p<4>, %adds;
ld.param.u64 %image, [image_]; ld.param.u64 %pa, [a_]; ld.param.u64 %pc, [c_]; ld.param.u64 %pe, [e_];
ld.param.u64 %pd, [d_]; mov.u32 %tid, %tid.x;
shl.b32 %s0, %tid, 2; cvt.u64.u32 %at, %s0; add.u64 %at, %image, %at; mov.u32 %s1, operands; add.u32 %s1, %s1, %s0;
COPY: ld.global.u32 %s2, [%at]; st.shared.u32 [%s1], %s2; add.u64 %at, %at, 512; add.u32 %s1, %s1, 512;
add.u32 %s0, %s0, 512; setp.lt.u32 %p0, %s0, {}; @%p0 bra COPY;
fence.proxy.async; bar.sync 0;
mov.u32 %s1, operands; bfe.u32 %s1, %s1, 4, 14; cvt.u64.u32 %at, %s1;
add.u64 %da, %at, {}; add.u64 %db, %at, {}; setp.ne.u32 %adds, {}, 0;
{}{}{}
wgmma.fence.sync.aligned;
{} {};
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
{}ret;
}}
)",
                                2 * operand_bytes, 2 * operand_bytes, in_a.descriptor, in_b.descriptor, p.adds ? 1 : 0,
                                p.in_registers ? move_words('a', 4, "pa", true) : "",
                                move_words('d', words, "pc", true), p.sparse ? move_words('e', 1, "pe", true) : "",
                                name, operands, move_words('d', words, "pd", false)),
                    "sm_90a"),
        {{1, 1, 1}, {threads, 1, 1}},
        Arguments(image.data(), registers_of_a.data(), in_c.data(), in_e.data(), out.data()));
    result.d = Matrix(64, p.n);
    const u32 each = 64 * p.n / threads, bytes = bytes_of(p.d);
    for (u32 thread = 0; thread < threads; ++thread) {
        for (u32 i = 0; i < each; ++i) {
            u64 bits = 0;
            std::memcpy(&bits, out.data() + (std::size_t{thread} * each + i) * bytes, bytes);
            const At at = of_d(thread % 32, i);
            result.d.at(thread / 32 * 16 + at.row, at.col) = decoded(p.d, bits);
        }
    }
    return result;
}

void check(const Product& p) {
    CAPTURE(p.n, p.k, p.d, p.a, p.b, p.in_registers, p.adds, p.sign_a, p.sign_b, p.sparse, p.selector);
    CAPTURE(p.lie_a.units, p.lie_a.turned, p.lie_a.start, p.lie_b.units, p.lie_b.turned, p.lie_b.start);
    Matrix dense(64, p.k), stored(64, p.sparse ? p.k / 2 : p.k);
    std::vector<u32> metadata(threads);
    for (u32 warp = 0; warp < 4 && p.sparse; ++warp) {
        const Sparse rows = random_sparse(p.a, p.k, p.selector, warp);
        std::ranges::copy(rows.dense.values, dense.values.begin() + warp * 16 * p.k);
        std::ranges::copy(rows.stored.values, stored.values.begin() + warp * 16 * p.k / 2);
        std::ranges::copy(rows.metadata, metadata.begin() + warp * 32);
    }
    if (!p.sparse) stored = dense = of_type(p.a, small_integers(64, p.k, 1));
    const Matrix b = of_type(p.b, small_integers(p.k, p.n, 2)), c = small_integers(64, p.n, 3);
    Matrix signed_b = b;
    for (f64& value : signed_b.values) value *= p.sign_a * p.sign_b;
    const Matrix want = product(dense, signed_b, p.adds ? c : Matrix(64, p.n));
    const Run got = run(p, stored, metadata, b, c);
    INFO((got.report.fault ? got.report.fault->message : ""));
    REQUIRE_FALSE(got.report.fault);
    for (u32 row = 0; row < 64; ++row) {
        for (u32 col = 0; col < p.n; ++col) {
            CAPTURE(row, col);
            REQUIRE(got.d.at(row, col) == want.at(row, col));
        }
    }
}

}  // namespace

TEST_CASE("wgmma multiplies all types, A from registers and from shared memory", "[engine][wgmma]") {
    struct Types {
        const char *d, *a, *b;
        u32 k;
    };
    for (const bool in_registers : {false, true}) {
        for (const auto& [d, a, b, k] : {Types{"f32", "f16", "f16", 16},
                                         {"f16", "f16", "f16", 16},
                                         {"f32", "bf16", "bf16", 16},
                                         {"f32", "tf32", "tf32", 8},
                                         {"f32", "e4m3", "e4m3", 32},
                                         {"f16", "e4m3", "e5m2", 32},
                                         {"f32", "e5m2", "e4m3", 32},
                                         {"f16", "e5m2", "e5m2", 32},
                                         {"s32", "s8", "s8", 32},
                                         {"s32", "s8", "u8", 32},
                                         {"s32", "u8", "s8", 32},
                                         {"s32", "u8", "u8", 32}}) {
            for (const u32 n : {8U, 24U, 96U, 256U})
                check({.n = n, .k = k, .d = d, .a = a, .b = b, .in_registers = in_registers});
        }
    }
    for (const u32 n : {8U, 24U, 128U})
        check({.n = n, .k = 256, .d = "s32", .a = "b1", .b = "b1", .extra = ".and.popc"});
    for (u32 n = 8; n <= 256; n += 8) check({.n = n});
}

TEST_CASE("wgmma reads operands of both directions, in every swizzle", "[engine][wgmma]") {
    for (const bool turned_a : {false, true}) {
        for (const bool turned_b : {false, true}) {
            for (const u32 units : {1U, 2U, 4U, 8U}) {
                check({.n = 8, .lie_a = {units, turned_a}, .lie_b = {units, turned_b}});
                check({.n = 120, .lie_a = {units, turned_a}, .lie_b = {units, turned_b}});
                check({.n = 64, .a = "bf16", .b = "bf16", .lie_b = {units, turned_b}, .in_registers = true});
            }
        }
    }
    for (const u32 units : {1U, 2U, 4U, 8U}) {
        check({.n = 40, .k = 8, .a = "tf32", .b = "tf32", .lie_a = {units}, .lie_b = {units}});
        check({.n = 48, .k = 32, .d = "s32", .a = "s8", .b = "u8", .lie_a = {units}, .lie_b = {units}});
    }
    // Further on in the lines of a swizzle, and in its rows: it goes by the address.
    for (const u32 start : {32U, 64U, 96U}) check({.n = 32, .lie_a = {8, false, start}, .lie_b = {8, false, start}});
    check({.n = 32, .lie_a = {4, false, 32}, .lie_b = {4, false, 32}});
    check({.n = 32, .lie_a = {8, true, 1024}, .lie_b = {8, true, 2048}});
}

TEST_CASE("wgmma takes D or leaves it out, and the signs of A and B", "[engine][wgmma]") {
    for (const bool in_registers : {false, true}) {
        check({.n = 16, .in_registers = in_registers, .adds = false});
        check({.n = 16, .d = "f16", .in_registers = in_registers, .sign_a = -1});
        check({.n = 16, .k = 8, .a = "tf32", .b = "tf32", .in_registers = in_registers, .sign_b = -1});
        check({.n = 16, .k = 32, .a = "e4m3", .b = "e4m3", .in_registers = in_registers, .sign_a = -1, .sign_b = -1});
    }
    // Integers wrap, or stay at the ends.
    Matrix a(64, 32), b(32, 8), c(64, 8);
    std::ranges::fill(a.values, 1);
    std::ranges::fill(b.values, 1);
    std::ranges::fill(c.values, 2147483640);
    Product p{.n = 8, .k = 32, .d = "s32", .a = "s8", .b = "s8"};
    CHECK(run(p, a, {0}, b, c).d.at(63, 7) == -2147483624);
    p.extra = ".satfinite";
    CHECK(run(p, a, {0}, b, c).d.at(63, 7) == 2147483647);
    // What is in D does not matter where it is not added.
    std::ranges::fill(c.values, std::numeric_limits<f64>::infinity());
    CHECK(run({.n = 8, .k = 16, .adds = false}, Matrix(64, 16), {0}, Matrix(16, 8), c).d.at(5, 5) == 0);
}

TEST_CASE("sparse wgmma takes the elements of A where its metadata says", "[engine][wgmma]") {
    for (const bool in_registers : {false, true}) {
        for (const u32 selector : {0U, 1U}) {
            check({.n = 24,
                   .k = 32,
                   .lie_a = {8},
                   .lie_b = {8},
                   .in_registers = in_registers,
                   .selector = selector,
                   .sparse = true});
            check({.n = 16,
                   .k = 16,
                   .a = "tf32",
                   .b = "tf32",
                   .lie_b = {4},
                   .in_registers = in_registers,
                   .selector = selector,
                   .sparse = true});
        }
        check({.n = 32, .k = 32, .d = "f16", .lie_b = {8, true}, .in_registers = in_registers, .sparse = true});
        check({.n = 16,
               .k = 64,
               .d = "s32",
               .a = "s8",
               .b = "u8",
               .lie_b = {8},
               .in_registers = in_registers,
               .sparse = true});
        check({.n = 16, .k = 64, .a = "e4m3", .b = "e5m2", .lie_b = {8}, .in_registers = in_registers, .sparse = true});
    }
}
