// Loads, stores, atomics and reductions of all spaces, widths and vectors (PTX ISA 9.7.9, 9.7.13.5 and .6).
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/support/half.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;

namespace {

/// 16 bytes of a thread's own in each space: how the address comes into %l0 (or %s0), and what the access is called.
struct Place {
    const char *space, *setup, *address;
};
constexpr Place places[] = {
    // [4] has no atomics: they come to local memory by generic addresses only
    {".global", "mov.b64 %l0, %out; and.b64 %l0, %l0, -8;", "%l0"},
    {"", "mov.b64 %l0, %out;", "%l0"},
    {".shared", ".shared .align 16 .b8 words[2048]; mov.u32 %s0, words; mad.lo.u32 %s0, %t2, 16, %s0;", "%s0"},
    {"",
     ".shared .align 16 .b8 words[2048]; mov.u64 %l0, words; cvta.shared.u64 %l0, %l0; mad.wide.u32 %l0, %t2, 16, %l0;",
     "%l0"},
    {".local", ".local .align 16 .b8 words[16]; mov.u64 %l0, words;", "%l0"},
    {"", ".local .align 16 .b8 words[16]; mov.u64 %l0, words; cvta.local.u64 %l0, %l0;", "%l0"},
};

/// `body` with {0} the space and {1} the address, in every place that has room for `bytes`; the result row is 8 bytes.
template <class D, class... A, class F>
void everywhere(std::string_view body, u32 bytes, F&& meaning, std::size_t ordinary = 4) {
    for (const Place& place : places) {
        const bool in_result = std::string_view(place.setup).find("words") == std::string_view::npos;
        if (in_result && bytes > 8) continue;
        check_body<D, A...>(
            fmt::format("{{ {} {} }}", place.setup,
                        fmt::format(fmt::runtime(body), fmt::arg("s", place.space), fmt::arg("a", place.address))),
            meaning, Exactly{}, ordinary);
    }
}

template <class T, class Register>
void loads_of(std::string_view type) {
    for (u32 at = 0; at < 8; at += sizeof(T)) {
        everywhere<u64, u64>(fmt::format("st{{s}}.b64 [{{a}}], %a; .reg .b{0} %x; ld{{s}}.{1} %x, [{{a}}+{2}]; "
                                         "cvt.{3}64.{3}{0} %d, %x;",
                                         8 * sizeof(Register), type, at, std::is_signed_v<T> ? 's' : 'u'),
                             8, [&](u64 a) {
                                 const T value = static_cast<T>(a >> (8 * at));
                                 return static_cast<u64>(static_cast<Register>(value));
                             });
    }
}

/// One operator and type: what is there afterwards, and what was there before; atom and red, global, shared, generic of
/// all. `elsewhere`: what it means in shared and local memory.
template <class T, class F, class G>
void atomic(const std::string& operation, const char* type, F&& in_global, G&& elsewhere) {
    static_assert(sizeof(T) <= 8);
    const std::string bits = fmt::format("b{}", 8 * sizeof(T));
    for (const char* scope : {"", ".cta", ".relaxed.sys", ".acq_rel.gpu"}) {
        for (const Place& place : {places[0], places[1], places[2], places[3], places[5]}) {
            const auto meaning = [&](T a, T b) {
                return std::string_view(place.setup).find("words") == std::string_view::npos ? in_global(a, b)
                                                                                             : elsewhere(a, b);
            };
            const auto with = [&](std::string_view rest) {
                return fmt::format("{{ {} st{}.{} [{}], %a; {} }}", place.setup, place.space, bits, place.address,
                                   rest);
            };
            const std::string target = fmt::format("{}{}{}.{} ", scope, place.space, operation, type);
            const std::string load = fmt::format("ld{}.{} %d, [{}];", place.space, bits, place.address);
            check_body<T, T, T>(
                with(fmt::format(".reg .{} %x; atom{}%x, [{}], %b; {}", bits, target, place.address, load)), meaning,
                Exactly{}, 2);
            if (*scope != 0) continue;
            check_body<T, T, T>(
                with(fmt::format("atom{}%d, [{}], %b;", target, place.address)), [](T a, T) { return a; }, Exactly{},
                1);
            if (operation != ".exch")
                check_body<T, T, T>(with(fmt::format("red{}[{}], %b; {}", target, place.address, load)), meaning,
                                    Exactly{}, 2);
        }
    }
}

template <class T, class F>
void atomic(const std::string& operation, const char* type, F&& meaning) {
    atomic<T>(operation, type, meaning, meaning);
}

template <class T>
void integer_atomics(const char* type) {
    using U = std::make_unsigned_t<T>;
    atomic<T>(".add", type, [](T a, T b) { return static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); });
    atomic<T>(".min", type, [](T a, T b) { return std::min(a, b); });
    atomic<T>(".max", type, [](T a, T b) { return std::max(a, b); });
}
template <class T>
void bit_atomics(const char* type) {
    atomic<T>(".and", type, [](T a, T b) { return a & b; });
    atomic<T>(".or", type, [](T a, T b) { return a | b; });
    atomic<T>(".xor", type, [](T a, T b) { return a ^ b; });
    atomic<T>(".exch", type, [](T, T b) { return b; });
}
template <class T>
void compare_and_swap(const char* type) {
    for (const Place& place : {places[0], places[1], places[2], places[3], places[5]}) {
        check_body<T, T, T, T>(
            fmt::format("{{ {0} st{1}.{3} [{2}], %a; atom{1}.cas.{3} %d, [{2}], %b, %c; ld{1}.{3} %d, "
                        "[{2}]; }}",
                        place.setup, place.space, place.address, type),
            [](T a, T b, T c) { return a == b ? c : a; }, Exactly{}, 1);
    }
}

}  // namespace

TEST_CASE("loads and stores of every width in every space", "[engine][memory]") {
    loads_of<u8, u16>("u8");
    loads_of<s8, s16>("s8");
    loads_of<u8, u32>("u8");
    loads_of<s8, s32>("s8");
    loads_of<u16, u16>("u16");
    loads_of<s16, s16>("s16");
    loads_of<u16, u32>("u16");
    loads_of<s16, s32>("s16");
    loads_of<s16, s64>("s16");
    loads_of<u32, u32>("u32");
    loads_of<s32, s64>("s32");
    loads_of<u32, u64>("b32");
    // Narrow stores keep their neighbours.
    everywhere<u64, u64, u64>("st{s}.b64 [{a}], %a; st{s}.b8 [{a}+3], %b; ld{s}.b64 %d, [{a}];", 8,
                              [](u64 a, u64 b) { return (a & ~(u64{0xFF} << 24)) | (b & 0xFF) << 24; });
    everywhere<u64, u64, u64>("st{s}.b64 [{a}], %a; st{s}.u16 [{a}+6], %b; ld{s}.b64 %d, [{a}];", 8,
                              [](u64 a, u64 b) { return (a & ~(u64{0xFFFF} << 48)) | (b & 0xFFFF) << 48; });
    everywhere<u64, u64>("add.u64 %l1, %a, 1; st{s}.b64 [{a}+8], %l1; ld{s}.b64 %d, [{a}+8];", 16,
                         [](u64 a) { return a + 1; });
}

TEST_CASE("vectors of two and four", "[engine][memory]") {
    everywhere<u64, u64>("mov.b64 {{%s1, %s2}}, %a; st{s}.v2.b32 [{a}], {{%s2, %s1}}; ld{s}.b64 %d, [{a}];", 8,
                         [](u64 a) { return a << 32 | a >> 32; });
    everywhere<u64, u64>(
        "st{s}.b64 [{a}], %a; ld{s}.v4.u16 {{%h0, %h1, %h2, %h3}}, [{a}]; mov.b64 %d, {{%h3, %h2, %h1, "
        "%h0}};",
        8, [](u64 a) { return a << 48 | (a & 0xFFFF0000) << 16 | (a >> 16 & 0xFFFF0000) | a >> 48; });
    everywhere<u64, u64>(
        "st{s}.b64 [{a}], %a; ld{s}.v4.s8 {{%h0, %h1, %h2, %h3}}, [{a}]; mov.b64 %d, {{%h0, %h1, %h2, "
        "%h3}};",
        8, [](u64 a) {
            u64 d = 0;
            for (u32 i = 0; i < 4; ++i) d |= u64{static_cast<u16>(s16{static_cast<s8>(a >> (8 * i))})} << (16 * i);
            return d;
        });
    everywhere<u64, u64, u64>("st{s}.v2.b64 [{a}], {{%a, %b}}; ld{s}.v2.u64 {{%l1, %l2}}, [{a}]; sub.u64 %d, %l1, %l2;",
                              16, [](u64 a, u64 b) { return a - b; });
    everywhere<u64, u64, u64>(
        "mov.b64 {{%s1, %s2}}, %a; mov.b64 {{%s3, %s4}}, %b; "
        "st{s}.v4.f32 [{a}], {{%s1, %s2, %s3, %s4}}; ld{s}.v4.b32 {{%s4, %s3, _, %s1}}, [{a}]; "
        "mov.b64 %d, {{%s3, %s1}};",
        16, [](u64 a, u64 b) { return a >> 32 | (b >> 32) << 32; });
    everywhere<u64, u64, u64>(".reg .b128 %w; mov.b128 %w, {{%a, %b}}; st{s}.b128 [{a}], %w; ld{s}.b64 %d, [{a}+8];",
                              16, [](u64, u64 b) { return b; });
}

TEST_CASE("constants, initial values and parameters", "[engine][memory]") {
    const std::string_view tables = R"(
.const .align 4 .b32 fixed[4] = {10, 20, 30, 40};
.global .align 8 .b64 wide[2] = {0x100000002, -1};
.global .align 1 .b8 text[4] = {65, 66, 67};
.global .align 8 .u64 pointer = generic(wide);
.global .align 8 .b8 bytes[9] = {7, 0xFF(generic(wide)+4), 0xFF00(generic(wide)+4), 0XFF0000(generic(wide)+4), 0xFF000000(generic(wide)+4), 0xFF00000000(generic(wide)+4), 0xFF0000000000(generic(wide)+4), 0xFF000000000000(generic(wide)+4), 0xFF00000000000000(generic(wide)+4)};
)";
    expect_threads(
        "and.b32 %s2, %tid, 3; mov.u64 %l0, fixed; mad.wide.u32 %l0, %s2, 4, %l0; ld.const.u32 %r, [%l0];",
        [](u32 i) { return 10 + 10 * (i % 4); }, {}, tables);
    expect_threads(
        "ld.const.u32 %r, [fixed+8];", [](u32) { return 30; }, {}, tables);
    expect_threads(
        "ld.global.v2.u32 {%s2, %s3}, [wide]; ld.global.s32 %r, [wide+12]; add.u32 %r, %r, %s2; add.u32 %r, %r, %s3;",
        [](u32) { return 2; }, {}, tables);
    expect_threads(
        "and.b32 %s2, %tid, 3; mov.u64 %l0, text; cvt.u64.u32 %l1, %s2; add.u64 %l0, %l0, %l1; ld.global.u8 %r, [%l0];",
        [](u32 i) { return i % 4 == 3 ? 0 : 65 + i % 4; }, {}, tables);
    expect_threads(
        "ld.global.u64 %l0, [pointer]; ld.u32 %r, [%l0+4];", [](u32) { return 1; }, {}, tables);
    // A pointer in a packed structure is initialised byte by byte.
    expect_threads(
        "mov.u64 %l1, 0; mov.u32 %s2, 8; mov.u64 %l2, bytes; "
        "NEXT: cvt.u64.u32 %l3, %s2; add.u64 %l3, %l3, %l2; ld.global.u8 %l4, [%l3]; shl.b64 %l1, %l1, 8; "
        "or.b64 %l1, %l1, %l4; sub.u32 %s2, %s2, 1; setp.ne.u32 %p0, %s2, 0; @%p0 bra NEXT; "
        "ld.u32 %r, [%l1]; ld.global.u8 %s3, [bytes]; mad.lo.u32 %r, %s3, 10, %r;",
        [](u32) { return 71; }, {}, tables);
    // A parameter through its address, as structures are that are indexed.
    const Prepare seventy_seven = [](PtxRunner&) { return u64{77} << 32 | 5; };
    expect_threads(
        "mov.b64 %l0, in_; ld.param.u32 %r, [%l0+4];", [](u32) { return 77; }, {}, "", seventy_seven);
    expect_threads(
        "mov.b64 %l0, in_; and.b32 %s2, %tid, 1; mad.wide.u32 %l0, %s2, 4, %l0; ld.param.u32 %r, [%l0];",
        [](u32 i) { return i % 2 == 1 ? 77 : 5; }, {}, "", seventy_seven);
    expect_threads(
        "mov.b64 %l0, in_; cvta.param.u64 %l0, %l0; ld.u32 %r, [%l0];", [](u32) { return 5; }, {}, "", seventy_seven);
    // Volatile and cached accesses are accesses.
    expect_threads(
        "st.volatile.global.u32 [%out], %tid; ld.volatile.global.u32 %s2, [%out]; "
        "st.global.wb.u32 [%out], %s2; ld.global.cg.u32 %s3, [%out]; ld.global.nc.u32 %s4, [%out]; "
        "st.release.gpu.global.u32 [%out], %s4; ld.acquire.gpu.global.u32 %r, [%out];",
        [](u32 i) { return i; });
}

TEST_CASE("which space an address is in", "[engine][memory]") {
    const std::string_view shared = ".shared .align 4 .b32 word;";
    const auto asks = [&](std::string_view address, std::string_view space) {
        return run_threads(
                   fmt::format("{{ .local .align 4 .b32 mine; {} isspacep.{} %p0, %l0; selp.u32 %r, 1, 0, %p0; }}",
                               address, space),
                   {}, shared)
            .values[7];
    };
    const std::string_view in_shared = "mov.u64 %l0, word; cvta.shared.u64 %l0, %l0;",
                           in_local = "mov.u64 %l0, mine; cvta.local.u64 %l0, %l0;", in_global = "mov.b64 %l0, %out;";
    for (const auto& [address, name] : {std::pair{in_shared, "shared"}, {in_local, "local"}, {in_global, "global"}}) {
        for (const char* space : {"shared", "local", "global"}) {
            CAPTURE(address, space);
            CHECK(asks(address, space) == (std::string_view(space) == name ? 1 : 0));
        }
    }
}

TEST_CASE("atomics and reductions of every operator and type", "[engine][memory]") {
    integer_atomics<u32>("u32");
    integer_atomics<s32>("s32");
    integer_atomics<u64>("u64");
    atomic<s64>(".min", "s64", [](s64 a, s64 b) { return std::min(a, b); });
    atomic<s64>(".max", "s64", [](s64 a, s64 b) { return std::max(a, b); });
    bit_atomics<u32>("b32");
    bit_atomics<u64>("b64");
    atomic<u32>(".inc", "u32", [](u32 a, u32 b) { return a >= b ? 0 : a + 1; });
    atomic<u32>(".dec", "u32", [](u32 a, u32 b) { return a == 0 || a > b ? b : a - 1; });
    const auto flushed = [](f32 x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; };
    atomic<f32>(
        ".add", "f32", [&](f32 a, f32 b) { return flushed(flushed(a) + flushed(b)); },
        [](f32 a, f32 b) { return a + b; });
    atomic<f64>(".add", "f64", [](f64 a, f64 b) { return a + b; });
    atomic<f16>(".add.noftz", "f16", [](f16 a, f16 b) { return round_to<f16>(value_of(a) + value_of(b)); });
    atomic<bf16>(".add.noftz", "bf16", [](bf16 a, bf16 b) { return round_to<bf16>(value_of(a) + value_of(b)); });
    compare_and_swap<u32>("b32");
    compare_and_swap<u64>("b64");
    check_body<u16, u16, u16, u16>(
        "st.global.b16 [%out], %a; atom.global.cas.b16 %h0, [%out], %b, %c; ld.global.b16 %d, [%out];",
        [](u16 a, u16 b, u16 c) { return a == b ? c : a; }, Exactly{}, 1);
    // All threads of several blocks on one word: each sees another value before its own.
    const auto zero = [](PtxRunner& runner) { return reinterpret_cast<u64>(runner.allocate<u32>(64).data()); };
    const Shape shape{.grid = {5, 1, 1}, .block = {96, 1, 1}};
    const Threads tickets = run_threads("atom.global.add.u32 %r, [%in], 1;", shape, "", zero);
    std::vector<bool> seen(5 * 96);
    for (const u32 value : tickets.values) seen.at(value) = true;
    CHECK(std::count(seen.begin(), seen.end(), true) == 5 * 96);
}

TEST_CASE("generic atomics on local memory", "[engine][memory]") {
    const std::string local =
        "{ .local .align 16 .b8 mine[32]; mov.u64 %l0, mine; cvta.local.u64 %l0, %l0; st.u32 [%l0+16], 7; ";
    // Each lane has its own; even lanes go to local memory, odd ones to shared memory.
    expect_threads(
        local +
            "mov.u64 %l1, words; cvta.shared.u64 %l1, %l1; mad.wide.u32 %l1, %tid, 4, %l1; st.u32 [%l1], 9;"
            "add.u64 %l0, %l0, 16; and.b32 %s0, %tid, 1; setp.eq.u32 %p0, %s0, 1; selp.b64 %l0, %l1, %l0, "
            "%p0; atom.add.u32 %s1, [%l0], %tid; ld.u32 %s2, [%l0]; mad.lo.u32 %r, %s1, 100, %s2; }",
        [](u32 i) { return i % 2 == 0 ? 707 + i : 909 + i; }, {}, ".shared .align 4 .b32 words[32];");
    // 128 bits are there whole; without .global they may be anywhere.
    expect_threads(local +
                       "{ .reg .b128 %w, %v; cvt.u64.u32 %l2, %tid; mov.b128 %w, {%l2, 5}; "
                       "atom.exch.b128 %v, [%l0+16], %w; mov.b128 {%l3, %l4}, %v; ld.u64 %l5, [%l0+24]; "
                       "cvt.u32.u64 %s0, %l3; cvt.u32.u64 %s1, %l5; mad.lo.u32 %r, %s0, 10, %s1; } }",
                   [](u32) { return 75; });
    // A load and a store of local memory, and nothing of the rest.
    const Threads counted = run_threads(local + "red.add.u32 [%l0+16], 1; ld.u32 %r, [%l0+16]; }");
    REQUIRE_FALSE(counted.report.fault);
    CHECK(counted.values[31] == 8);
    CHECK(counted.report.counted.metrics.warp_inst_atomic->value == 0);
    CHECK(counted.report.counted.metrics.warp_inst_local->value == 4);
    const Threads outside = run_threads(local + "atom.add.u32 %r, [%l0+4000], 1; }");
    REQUIRE(outside.report.fault);
    CHECK(outside.report.fault->message.find("illegal local-memory address") != std::string::npos);
}

TEST_CASE("comparisons of packed halves", "[engine][memory]") {
    const auto halves = [](u32 a, u32 b, auto f) {
        const auto one = [&](u32 shift) {
            return f(value_of(f16{static_cast<u16>(a >> shift)}), value_of(f16{static_cast<u16>(b >> shift)}));
        };
        return (one(0) ? 1U : 0U) | (one(16) ? 2U : 0U);
    };
    const char* store = "selp.u32 %s0, 1, 0, %p; selp.u32 %s1, 2, 0, %q; or.b32 %d, %s0, %s1;";
    const auto less = [](f64 a, f64 b) { return a < b; };
    check_body<u32, u32, u32>(std::string("setp.lt.f16x2 %p|%q, %a, %b; ") + store,
                              [&](u32 a, u32 b) { return halves(a, b, less); });
    check_body<u32, u32, u32, u32>(
        std::string("setp.ne.u32 %outside, %c, 0; setp.lt.and.f16x2 %p|%q, %a, %b, %outside; ") + store,
        [&](u32 a, u32 b, u32 c) { return c != 0 ? halves(a, b, less) : 0; }, Exactly{}, 2);
    const auto flushed = [](f64 x) { return std::fabs(x) < 0x1p-14 ? 0.0 : x; };
    check_body<u32, u32, u32>(std::string("setp.eq.ftz.f16x2 %p|%q, %a, %b; ") + store, [&](u32 a, u32 b) {
        return halves(a, b, [&](f64 x, f64 y) { return flushed(x) == flushed(y); });
    });
    check_body<u32, f16, f16>("setp.gt.ftz.f16 %p, %a, %b; selp.u32 %d, 1, 0, %p;",
                              [&](f16 a, f16 b) { return flushed(value_of(a)) > flushed(value_of(b)) ? 1U : 0U; });
    check_body<u32, u32, u32>("set.lt.f16x2.f16x2 %d, %a, %b;", [&](u32 a, u32 b) {
        const u32 holds = halves(a, b, less);
        return ((holds & 1) != 0 ? 0x3C00U : 0U) | ((holds & 2) != 0 ? 0x3C000000U : 0U);
    });
}

TEST_CASE("atomics on vectors add each element, and of 128 bits all at once", "[engine][memory]") {
    // Every thread adds 1, 2, 3, 4 to one vector: 32 threads.
    const auto vector = [](const std::string& lines) {
        return run_threads(
            "mov.u32 %s2, %ctaid.x; mul.wide.u32 %l0, %tid, 4; sub.u64 %l0, %out, %l0; mov.u64 %l1, %in; " + lines, {},
            "", [](PtxRunner& runner) { return reinterpret_cast<u64>(runner.allocate<u32>(8).data()); });
    };
    const auto sums = vector(
        "red.global.v4.f32.add [%in], {0f3F800000, 0f40000000, 0f40400000, 0f40800000}; bar.sync 0; "
        "and.b32 %s3, %tid, 3; mul.wide.u32 %l2, %s3, 4; add.u64 %l2, %l2, %in; ld.global.f32 %f0, [%l2]; "
        "cvt.rzi.u32.f32 %r, %f0;");
    REQUIRE_FALSE(sums.report.fault);
    for (u32 i = 0; i < 32; ++i) CHECK(sums.values[i] == 32 * (i % 4 + 1));
    CHECK(sums.report.counted.metrics.warp_inst_atomic->value == 1);
    // What was there before comes back: lanes go one after another.
    const auto before = vector(
        "atom.global.v2.f32.add {%f0, %f1}, [%in], {0f3F800000, 0f40000000}; add.f32 %f0, %f0, %f1; "
        "cvt.rzi.u32.f32 %r, %f0;");
    REQUIRE_FALSE(before.report.fault);
    for (u32 i = 0; i < 32; ++i) CHECK(before.values[i] == 3 * i);
    // Two halves in each of two words.
    const auto halves =
        vector("red.global.add.noftz.v2.f16x2 [%in], {0x3C004000, 0x42004400}; bar.sync 0; ld.global.u32 %r, [%in+4];");
    REQUIRE_FALSE(halves.report.fault);
    CHECK(halves.values[0] == 0x56005800U);  // 96 and 128
    // 128 bits: the chain of exchanged values starts with zero, and the last one stays.
    const auto wide = vector(
        "{ .reg .b128 %w, %v; cvt.u64.u32 %l2, %tid; add.u64 %l3, %l2, 7; mov.b128 %w, {%l2, %l3}; "
        "atom.global.exch.b128 %v, [%in], %w; mov.b128 {%l4, %l5}, %v; sub.u64 %l6, %l5, %l4; cvt.u32.u64 %r, %l6; }");
    REQUIRE_FALSE(wide.report.fault);
    CHECK(wide.values[0] == 0);
    for (u32 i = 1; i < 32; ++i) CHECK(wide.values[i] == 7);
    const auto swapped = vector(
        "{ .reg .b128 %w, %v, %z; cvt.u64.u32 %l2, %tid; mov.b128 %z, {%l2, %l2}; add.u64 %l3, %l2, 1; "
        "mov.b128 %w, {%l3, %l3}; atom.global.cas.b128 %v, [%in], %z, %w; bar.sync 0; ld.global.u32 %r, [%in+8]; }");
    REQUIRE_FALSE(swapped.report.fault);
    CHECK(swapped.values[0] == 32);  // each lane found what the one before had put
}

TEST_CASE("memory from the stack grows with each wish and shrinks when the function returns", "[engine][memory]") {
    // Lanes may want different amounts; each has its own memory.
    expect_threads(
        "mul.lo.u32 %s2, %tid, 8; add.u32 %s2, %s2, 8; cvt.u64.u32 %l0, %s2; alloca.u64 %l1, %l0, 8; cvta.local.u64 "
        "%l2, %l1; "
        "mul.wide.u32 %l3, %tid, 8; add.u64 %l3, %l3, %l2; st.u32 [%l3], %tid; add.u32 %s3, %tid, 5; st.u32 [%l2], "
        "%s3; ld.local.u32 %r, [%l1];",
        [](u32 i) { return i + 5; });
    const auto report = run_threads("alloca.u64 %l0, 9000000; st.local.u32 [%l0], 1; mov.u32 %r, 1;").report;
    REQUIRE(report.fault);
    CHECK(report.fault->message.find("stack overflow") != std::string::npos);
}

TEST_CASE("places in a variable, by bytes and by elements", "[engine][memory]") {
    // An index counts elements, as ptxas takes it: s[3] of words is 12 bytes on.
    expect_threads(
        ".shared .align 4 .b32 words[40]; mov.u32 %s0, words[3]; mov.u32 %s1, words; sub.u32 %s0, %s0, %s1; "
        "mov.u32 %s2, words+4; sub.u32 %s2, %s2, %s1; mad.lo.u32 %r, %s0, 100, %s2;",
        [](u32) { return 1204U; });
    expect_threads(
        "mov.u64 %l0, table[2]; ld.global.u16 %s0, [%l0]; mov.u64 %l1, table+2; ld.global.u16 %s1, [%l1]; "
        "mov.u64 %l2, pairs[1]; mov.u64 %l3, pairs; sub.u64 %l2, %l2, %l3; cvt.u32.u64 %s2, %l2; "
        "mad.lo.u32 %s0, %s0, 100, %s1; mad.lo.u32 %r, %s0, 100, %s2;",
        [](u32) { return 302008U; }, {},
        ".global .align 2 .b16 table[3] = {10, 20, 30}; .global .align 8 .v2 .b32 pairs[2];");
    CHECK_THROWS_AS(run_threads("mov.u64 %l0, nowhere[1];"), gpuproj::simulate::PtxError);
}

TEST_CASE("dynamic shared memory begins where its declaration has it aligned, behind other variables",
          "[engine][memory]") {
    const Shape shape{.dynamic_shared_bytes = 4096};
    const std::string_view dynamic = ".extern .shared .align 1024 .b8 dynamic[];";
    expect_threads(
        ".shared .align 8 .b8 own[24]; mov.u32 %s0, own; st.shared.u32 [%s0], 0; mov.u32 %s1, dynamic; st.shared.u32 "
        "[%s1+4092], 1; and.b32 %s2, %s1, 1023; setp.ge.u32 %p0, %s1, 1024; selp.u32 %r, %s2, 1, %p0;",
        [](u32) { return 0; }, shape, dynamic);
}
