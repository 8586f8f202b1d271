// Loads and stores in machine code against those of handlers: the same memory, the same counters, the same faults.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;
using simulate::FaultKind;
using simulate::MachineCode;

namespace {

constexpr u32 blocks = 3, threads = 83, warps = 9, warp_bytes = 24 * 1024;

struct Outcome {
    std::vector<u32> values;
    simulate::LaunchReport report;
};

/// Each warp has memory of its own at %own, behind that of all at %in; %i is the lane, %w the warp's number.
std::string kernel(std::string_view body) {
    return module_text(fmt::format(R"(
.visible .entry k(.param .u64 in_, .param .u64 out_) {{
.reg .b32 %i, %w, %t, %s<12>; .reg .b64 %in, %own, %l<8>; .reg .f32 %f<8>; .reg .f64 %d<4>; .reg .pred %p<4>;
.reg .b16 %h<4>; .shared .align 16 .b8 cell[24576];
ld.param.u64 %in, [in_]; ld.param.u64 %own, [out_];
mov.u32 %t, %tid.x; and.b32 %i, %t, 31; shr.u32 %w, %t, 5; mov.u32 %s0, %ctaid.x; mad.lo.u32 %w, %s0, 3, %w;
mad.wide.u32 %own, %w, {}, %own;
{}
ret;
}}
)",
                                   warp_bytes, body),
                       "sm_80");
}

Outcome outcome(const std::string& text, MachineCode machine_code, simulate::EngineOptions options = {}) {
    PtxRunner runner("RTX 2080 Ti", std::move(options), machine_code);
    std::vector<u32> numbers(8192);
    for (u32 i = 0; i < numbers.size(); ++i) numbers[i] = i * 0x9E3779B1U ^ i << 7;
    const auto in = runner.allocate(numbers);
    const auto out = runner.allocate<u32>(std::size_t{warps} * warp_bytes / 4);
    Outcome result{
        {}, runner.run(text, {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}}, Arguments(in.data(), out.data()))};
    result.values.assign(out.begin(), out.end());
    return result;
}

void expect_alike(std::string_view body) {
    const std::string text = kernel(body);
    const Outcome handlers = outcome(text, MachineCode::none);
    INFO(body);
    if (handlers.report.fault) FAIL(handlers.report.fault->message);
    for (const auto by : {MachineCode::usual, MachineCode::all}) {
        const Outcome code = outcome(text, by);
        if (code.report.fault) FAIL(code.report.fault->message);
        CHECK(code.values == handlers.values);
        const auto compare = [&](const auto& field) {
            INFO(field.key);
            CHECK(code.report.counted.metrics.*field.member == handlers.report.counted.metrics.*field.member);
        };
        std::apply([&](const auto&... field) { (compare(field), ...); }, KernelMetrics::fields);
    }
}

/// What a lane's element is, in %s0, from its number %i.
struct Lie {
    const char *name, *element;
};
constexpr std::array lies{
    Lie{"row", "add.u32 %s0, %i, 3;"},
    Lie{"point", "mov.u32 %s0, 17;"},
    Lie{"pairs", "shr.u32 %s0, %i, 1;"},
    Lie{"reversed", "sub.u32 %s0, 77, %i;"},
    Lie{"apart", "mul.lo.u32 %s0, %i, 5;"},
    Lie{"scattered", "mul.lo.u32 %s0, %i, 0x9E3779B1; shr.u32 %s0, %s0, 24;"},
    Lie{"octets", "and.b32 %s1, %i, 8; setp.eq.u32 %p3, %s1, 0; mul.lo.u32 %s1, %i, 3; selp.b32 %s0, %i, %s1, %p3;"},
    Lie{"two rows", "and.b32 %s0, %i, 15;"},
    Lie{"rows of rows", "and.b32 %s0, %i, 7; and.b32 %s1, %i, 24; mad.lo.u32 %s0, %s1, 4, %s0;"},
    Lie{"points", "shr.u32 %s0, %i, 3;"},
    Lie{"points of one bank", "shr.u32 %s0, %i, 3; shl.b32 %s0, %s0, 5;"},
    Lie{"a point in a row", "and.b32 %s1, %i, 16; setp.eq.u32 %p3, %s1, 0; selp.b32 %s0, %i, 4, %p3;"},
    Lie{"a row behind its point",
        "and.b32 %s1, %i, 24; shr.u32 %s1, %s1, 3; setp.eq.u32 %p3, %s1, 1; and.b32 %s0, %i, 7; selp.b32 %s0, 0, %s0, "
        "%p3; setp.eq.u32 %p3, %s1, 0; add.u32 %s2, %s0, 36; selp.b32 %s0, %s2, %s0, %p3;"},
    Lie{"a row that begins late", "max.u32 %s0, %i, 9;"},
};
/// A type, the registers it is moved by, and the bytes of it.
struct Form {
    const char *type, *registers;
    u32 bytes;
};
constexpr std::array forms{Form{"b32", "%s4", 4},
                           Form{"f32", "%f0", 4},
                           Form{"b64", "%l4", 8},
                           Form{"f64", "%d0", 8},
                           Form{"u8", "%h0", 1},
                           Form{"s8", "%h0", 1},
                           Form{"u16", "%h0", 2},
                           Form{"u8", "%s4", 1},
                           Form{"s8", "%s4", 1},
                           Form{"s16", "%s4", 2},
                           Form{"u16", "%s4", 2},
                           Form{"v2.b32", "{%s4, %s5}", 8},
                           Form{"v4.b32", "{%s4, %s5, %s6, %s7}", 16},
                           Form{"v4.f32", "{%f0, %f1, %f2, %f3}", 16},
                           Form{"v2.f64", "{%d0, %d1}", 16},
                           Form{"v2.b64", "{%l4, %l5}", 16}};

/// Moves from memory to memory of the same kind, the guard and the displacement as given.
std::string device_moves(const Form& form, const Lie& lie, std::string_view guard, u32 further) {
    return fmt::format(
        "{} mad.wide.u32 %l0, %s0, {}, %in; mad.wide.u32 %l1, %s0, {}, %own; {} ld.global.{} {}, "
        "[%l0+{}]; {} st.global.{} [%l1+{}], {};",
        lie.element, form.bytes, form.bytes, guard, form.type, form.registers, further * form.bytes, guard, form.type,
        further * form.bytes, form.registers);
}
std::string shared_moves(const Form& form, const Lie& lie, std::string_view guard, u32 further) {
    return fmt::format(
        "mad.wide.u32 %l6, %i, 4, %in; mov.u32 %s2, 0; mov.u32 %s3, cell; "
        "A: mad.lo.u32 %s8, %t, 4, %s3; ld.global.b32 %s9, [%l6]; st.shared.b32 [%s8], %s9; add.u64 %l6, %l6, 332;"
        "add.u32 %s3, %s3, 332; add.u32 %s2, %s2, 1; setp.lt.u32 %p2, %s2, 20; @%p2 bra A; bar.sync 0;"
        "{} mov.u32 %s3, cell; mad.lo.u32 %s8, %s0, {}, %s3; {} ld.shared.{} {}, [%s8+{}]; bar.sync 0;"
        "shr.u32 %s9, %t, 5; mad.lo.u32 %s8, %s9, 8192, %s8; {} st.shared.{} [%s8+{}], {}; bar.sync 0; mov.u32 %s3, "
        "cell;"
        "mad.lo.u32 %s8, %s9, 8192, %s3; mad.lo.u32 %s8, %i, 4, %s8; mad.wide.u32 %l1, %i, 4, %own; mov.u32 %s2, 0;"
        "B: ld.shared.b32 %s9, [%s8]; st.global.b32 [%l1], %s9; add.u64 %l1, %l1, 128; add.u32 %s8, %s8, 128;"
        "add.u32 %s2, %s2, 1; setp.lt.u32 %p2, %s2, 40; @%p2 bra B;",
        lie.element, form.bytes, guard, form.type, form.registers, further * form.bytes, guard, form.type,
        further * form.bytes, form.registers);
}
constexpr std::string_view condition = "mul.lo.u32 %s1, %i, 7; and.b32 %s1, %s1, 5; setp.ne.u32 %p0, %s1, 0;";

}  // namespace

TEST_CASE("machine code loads and stores as handlers do", "[engine][machine-code]") {
    for (const Form& form : forms) {
        for (const Lie& lie : lies) {
            expect_alike(device_moves(form, lie, "", 0));
            expect_alike(std::string(condition) + device_moves(form, lie, "@%p0", 2));
            // Half of the lanes are elsewhere.
            expect_alike(std::string(condition) + "@!%p0 bra E;" + device_moves(form, lie, "", 1) + "E:");
        }
    }
}

TEST_CASE("loads from one base, which find out once how lanes lie, load what handlers do", "[engine][machine-code]") {
    // Three from one base, two from another, one from the first when it has moved on.
    const auto words = [](const Lie& lie, const char* type, u32 bytes) {
        return fmt::format(
            "{0} mad.wide.u32 %l0, %s0, {2}, %in; mad.wide.u32 %l1, %i, 4, %own; ld.global.{1} %s4, [%l0+{3}];"
            "ld.global.{1} %s5, [%l0]; add.u64 %l2, %l0, 64; ld.global.{1} %s6, [%l2+{2}]; ld.global.{1} %s7, "
            "[%l0+{2}];"
            "ld.global.{1} %s8, [%l2]; add.u64 %l0, %l0, {4}; ld.global.{1} %s9, [%l0+{2}]; mad.lo.u32 %s4, %s4, 31, "
            "%s5; mad.lo.u32 %s4, %s4, 31, %s6; mad.lo.u32 %s4, %s4, 31, %s7; mad.lo.u32 %s4, %s4, 31, %s8;"
            "mad.lo.u32 %s4, %s4, 31, %s9; st.global.b32 [%l1], %s4;",
            lie.element, type, bytes, 2 * bytes, 12 * bytes);
    };
    const auto wide = [](const Lie& lie, const char* type, const char* first, const char* second) {
        return fmt::format(
            "{} mad.wide.u32 %l0, %s0, 16, %in; mad.wide.u32 %l1, %i, 32, %own; ld.global.{} {}, [%l0+32]; "
            "ld.global.{} {}, [%l0]; st.global.{} [%l1], {}; st.global.{} [%l1+16], {};",
            lie.element, type, first, type, second, type, first, type, second);
    };
    for (const Lie& lie : lies) {
        std::vector<std::string> bodies{words(lie, "b32", 4), words(lie, "u8", 1), words(lie, "s16", 2)};
        bodies.push_back(wide(lie, "b64", "%l4", "%l5"));
        bodies.push_back(wide(lie, "v2.b32", "{%s4, %s5}", "{%s6, %s7}"));
        bodies.push_back(wide(lie, "v4.b32", "{%s4, %s5, %s6, %s7}", "{%s8, %s9, %s10, %s11}"));
        for (const std::string& body : bodies) {
            expect_alike(body);
            expect_alike(std::string(condition) + "@!%p0 bra E;" + body + "E:");
        }
    }
}

TEST_CASE("machine code moves shared memory as handlers do", "[engine][machine-code]") {
    for (const Form& form : forms) {
        for (const Lie& lie : lies) {
            expect_alike(shared_moves(form, lie, "", 0));
            expect_alike(std::string(condition) + shared_moves(form, lie, "@!%p0", 2));
        }
    }
}

TEST_CASE("accesses of shared memory with one base, counted together, count as handlers have it",
          "[engine][machine-code]") {
    // Loads and stores some times their size apart, one after the base has moved on, and one of another size.
    for (const Form& form : forms) {
        for (const Lie& lie : lies) {
            const std::string body = fmt::format(
                "{0} mov.u32 %s3, cell; mad.lo.u32 %s8, %s0, {2}, %s3; ld.shared.{1} {3}, [%s8]; st.shared.{1} "
                "[%s8+{4}], {3}; ld.shared.{1} {3}, [%s8+{2}]; ld.shared.b8 %s9, [%s8]; st.shared.{1} [%s8+{5}], {3};"
                "add.u32 %s8, %s8, {6}; ld.shared.{1} {3}, [%s8+{2}]; bar.sync 0; mov.u32 %s3, cell; "
                "mad.lo.u32 %s3, %t, 4, %s3; ld.shared.b32 %s4, [%s3]; ld.shared.b32 %s5, [%s3+512]; "
                "mad.wide.u32 %l1, %i, 4, %own; st.global.b32 [%l1], %s4; st.global.b32 [%l1+128], %s5;",
                lie.element, form.type, form.bytes, form.registers, 3 * form.bytes, 7 * form.bytes, 32 * form.bytes);
            expect_alike(body);
            expect_alike(std::string(condition) + "@!%p0 bra E;" + body + "E:");
        }
    }
}

TEST_CASE("lanes of a warp load and store together by machine code", "[engine][machine-code]") {
    // What other lanes store is not loaded before all have loaded, whichever octet they are in.
    for (const char* distance : {"4", "32", "-4", "64"}) {
        expect_alike(fmt::format(
            "mov.u32 %s3, cell; mad.lo.u32 %s3, %t, 4, %s3; add.u32 %s3, %s3, 64; mul.lo.u32 %s4, %i, 77;"
            "st.shared.b32 [%s3], %s4; ld.shared.b32 %s5, [%s3+{0}]; add.u32 %s5, %s5, %s4; st.shared.b32 [%s3], %s5;"
            "ld.shared.b32 %s6, [%s3+{0}]; xor.b32 %s6, %s6, %s5; mad.wide.u32 %l1, %i, 4, %own; st.global.b32 [%l1], "
            "%s6;",
            distance));
        expect_alike(
            fmt::format("mad.wide.u32 %l1, %i, 4, %own; add.u64 %l1, %l1, 256; st.global.b32 [%l1], %t;"
                        "ld.global.b32 %s5, [%l1+{0}]; add.u32 %s5, %s5, 3; st.global.b32 [%l1], %s5; ld.global.b32 "
                        "%s6, [%l1+{0}]; mul.lo.u32 %s6, %s6, 3; st.global.b32 [%l1+1024], %s6;",
                        distance));
    }
    // Two stores with one base, the later of which goes where other lanes' earlier one went: scans of a warp that fill
    // up with zeros in front.
    for (const char* distance : {"4", "60", "64", "-4", "-64"}) {
        expect_alike(fmt::format(
            "mov.u32 %s3, cell; mad.lo.u32 %s3, %t, 4, %s3; add.u32 %s3, %s3, 64; mul.lo.u32 %s4, %i, 77;"
            "mov.u32 %s7, 5; st.volatile.shared.b32 [%s3], %s7; st.volatile.shared.b32 [%s3+{0}], %s4;"
            "ld.volatile.shared.b32 %s5, [%s3]; ld.volatile.shared.b32 %s6, [%s3+{0}]; xor.b32 %s6, %s6, %s5;"
            "mad.wide.u32 %l1, %i, 4, %own; st.global.b32 [%l1], %s6;",
            distance));
        expect_alike(
            fmt::format("mad.wide.u32 %l1, %i, 4, %own; add.u64 %l1, %l1, 256; mul.lo.u32 %s4, %i, 77; mov.u32 %s7, 5;"
                        "st.relaxed.gpu.global.b32 [%l1], %s7; st.relaxed.gpu.global.b32 [%l1+{0}], %s4;",
                        distance));
    }
    // The same of stores that nothing orders but the program.
    for (const char* distance : {"4", "60", "64", "-4", "-64"}) {
        expect_alike(fmt::format(
            "mov.u32 %s3, cell; mad.lo.u32 %s3, %t, 4, %s3; add.u32 %s3, %s3, 64; mul.lo.u32 %s4, %i, 77;"
            "setp.gt.u32 %p0, %s4, 300; st.shared.b32 [%s3], %t; st.shared.b32 [%s3+{0}], %s4; selp.b32 %s4, 5, %s4, "
            "%p0; bar.sync 0; ld.shared.b32 %s5, [%s3]; ld.shared.b32 %s6, [%s3+{0}]; xor.b32 %s6, %s6, %s5;"
            "add.u32 %s6, %s6, %s4; mad.wide.u32 %l1, %i, 4, %own; st.global.b32 [%l1], %s6;",
            distance));
    }
    // The later of two stores to a place counts, also between lanes; fields of a structure; a base that moves on.
    expect_alike(
        "mad.wide.u32 %l1, %i, 4, %own; st.global.b32 [%l1], %i; sub.u32 %s1, 31, %i; mad.wide.u32 %l2, %s1, 4, %own;"
        "add.u32 %s2, %i, 100; st.global.b32 [%l2], %s2;");
    expect_alike(
        "mad.wide.u32 %l1, %i, 12, %own; st.global.b32 [%l1], %i; st.global.b32 [%l1+4], %t; st.global.b32 [%l1+8], "
        "%w; mad.wide.u32 %l2, %i, 12, %in; ld.global.b32 %s4, [%l2+8]; ld.global.b32 %s5, [%l2]; ld.global.b32 %s6, "
        "[%l2+4]; st.global.b32 [%l1+1200], %s4; st.global.b32 [%l1+1204], %s5; add.u64 %l1, %l1, 4; st.global.b32 "
        "[%l1+1204], %s6;");
    // A load that replaces its own address.
    expect_alike(
        "and.b32 %s1, %i, 15; mad.wide.u32 %l1, %s1, 8, %own; add.u64 %l2, %l1, 8; st.global.b64 [%l1], %l2;"
        "ld.global.b64 %l1, [%l1]; ld.global.b64 %l1, [%l1]; sub.u64 %l3, %l1, %own; mad.wide.u32 %l2, %i, 8, %own;"
        "st.global.b64 [%l2+512], %l3;");
}

TEST_CASE("of stores to one place the last in the program counts, whichever lanes made them",
          "[engine][machine-code]") {
    // Random stores with one base, whose lanes lie in random ways: by handlers, by machine code, and lane by lane here.
    constexpr u32 kernels = 60, most_stores = 7, bytes_of_all = 4096, words = bytes_of_all / 4;
    std::mt19937 random(7);
    const auto below = [&](u32 limit) { return static_cast<u32>(random() % limit); };
    for (u32 kernel_number = 0; kernel_number < kernels; ++kernel_number) {
        const bool shared = below(2) == 0;
        // A lane's base is `apart` bytes behind the one before, and each octet's further ones behind that of the last.
        const u32 apart = 4U << below(4), pitch = 8 * apart + 4 * below(12), stores = 2 + below(most_stores - 1);
        const bool backwards = below(4) == 0, some_lanes = below(3) == 0;
        const auto base_of = [&](u32 lane) {
            const u32 i = backwards ? 31 - lane : lane;
            return i / 8 * pitch + i % 8 * apart;
        };
        std::string body = fmt::format(
            "mov.u32 %s3, cell; shr.u32 %s8, %t, 5; mad.lo.u32 %s3, %s8, {0}, %s3; {1} %s4, 31, %i; shr.u32 %s5, %s4, "
            "3; and.b32 %s4, %s4, 7; mul.lo.u32 %s4, %s4, {2}; mad.lo.u32 %s4, %s5, {3}, %s4; add.u32 %s3, %s3, %s4;"
            "cvt.u64.u32 %l1, %s4; add.u64 %l1, %l1, %own; mul.lo.u32 %s5, %i, 0x10001; and.b32 %s6, %i, 5;"
            "setp.ne.u32 %p1, %s6, 4; setp.eq.u32 %p0, %s6, 1;",
            bytes_of_all, backwards ? "sub.u32" : "and.b32", apart, pitch);
        if (some_lanes) body += "@!%p1 bra E;";
        std::vector<u32> expected(words);
        for (u32 i = 0; i < stores; ++i) {
            const u32 at = 4 * below(64) + (below(3) == 0 ? 512 : 0);
            const u32 guarded = below(4);
            body += fmt::format("add.u32 %s6, %s5, {}; {} st.{}.b32 [{}+{}], %s6;", i << 8,
                                guarded == 0   ? "@%p0"
                                : guarded == 1 ? "@!%p0"
                                               : "",
                                shared ? "shared" : "global", shared ? "%s3" : "%l1", at);
            for (u32 lane = 0; lane < 32; ++lane) {
                const bool holds = (lane & 5U) == 1;
                if ((some_lanes && (lane & 5U) == 4) || (guarded == 0 && !holds) || (guarded == 1 && holds)) continue;
                expected.at((base_of(lane) + at) / 4) = lane * 0x10001 + (i << 8);
            }
        }
        body += "E:";
        if (shared) {
            body += fmt::format(
                "bar.sync 0; mov.u32 %s3, cell; mad.lo.u32 %s3, %s8, {}, %s3; mad.lo.u32 %s3, %i, 4, %s3;"
                "mad.wide.u32 %l1, %i, 4, %own; mov.u32 %s2, 0; B: ld.shared.b32 %s9, [%s3]; st.global.b32 [%l1], %s9;"
                "add.u64 %l1, %l1, 128; add.u32 %s3, %s3, 128; add.u32 %s2, %s2, 1; setp.lt.u32 %p2, %s2, {};"
                "@%p2 bra B;",
                bytes_of_all, words / 32);
        }
        expect_alike(body);
        const Outcome code = outcome(kernel(body), MachineCode::usual);
        CHECK(std::equal(expected.begin(), expected.end(), code.values.begin()));
    }
}

TEST_CASE("warps of a block take turns with loads and stores by machine code", "[engine][machine-code]") {
    // Without a barrier: what neighbours in other warps hold is loaded before any of them stores, as on the machine.
    const auto body =
        "mad.wide.u32 %l1, %t, 4, %in; mov.u32 %s2, 0; A: ld.global.b32 %s4, [%l1+4]; ld.global.b32 %s5, [%l1+8];"
        "add.u32 %s4, %s4, %s5; st.global.b32 [%l1], %s4; add.u32 %s2, %s2, 1; setp.lt.u32 %p0, %s2, 30; @%p0 bra A;"
        "mad.wide.u32 %l2, %i, 4, %own; st.global.b32 [%l2], %s4;";
    const std::string text = kernel(std::string("mov.u32 %s0, %ctaid.x; setp.ne.u32 %p1, %s0, 0; @%p1 ret;") + body);
    const Outcome handlers = outcome(text, MachineCode::none), code = outcome(text, MachineCode::usual);
    REQUIRE(!code.report.fault);
    CHECK(code.values == handlers.values);
}

TEST_CASE("machine code knows memory of several allocations", "[engine][machine-code]") {
    // Lanes alternate between two; the profile says the same.
    expect_alike(
        "and.b32 %s0, %i, 1; setp.eq.u32 %p0, %s0, 0; mad.wide.u32 %l0, %i, 4, %in; mad.wide.u32 %l1, %i, 4, %own;"
        "selp.b64 %l2, %l0, %l1, %p0; ld.global.b32 %s4, [%l2]; ld.global.b32 %s5, [%l2+128]; add.u32 %s4, %s4, %s5;"
        "st.global.b32 [%l1+256], %s4;");
}

TEST_CASE("accesses at fault are named the same by machine code", "[engine][machine-code]") {
    const auto expect_fault = [](std::string_view body, FaultKind kind) {
        const std::string text = kernel(body);
        const Outcome handlers = outcome(text, MachineCode::none), code = outcome(text, MachineCode::all);
        INFO(body);
        REQUIRE(handlers.report.fault);
        REQUIRE(code.report.fault);
        CHECK(code.report.fault->kind == kind);
        CHECK(code.report.fault->message == handlers.report.fault->message);
    };
    for (const char* where : {"add.u32 %s0, %i, 63470;", "mul.lo.u32 %s0, %i, 4099;", "mov.u32 %s0, 9999999;"}) {
        expect_fault(fmt::format("{} mad.wide.u32 %l0, %s0, 4, %in; add.u32 %s4, %i, 1; ld.global.b32 %s4, [%l0];"
                                 "add.u32 %s5, %s4, 1; mad.wide.u32 %l1, %i, 4, %own; st.global.b32 [%l1], %s5;",
                                 where),
                     FaultKind::outside_allocations);
        expect_fault(fmt::format("{} mov.u32 %s1, cell; mad.lo.u32 %s1, %s0, 4, %s1; add.u32 %s4, %i, 1;"
                                 "st.shared.b32 [%s1], %s4; add.u32 %s5, %s4, 1;",
                                 where),
                     FaultKind::illegal_address);
    }
    expect_fault("mov.u64 %l0, 0; mad.wide.u32 %l0, %i, 4, %l0; ld.global.b32 %s4, [%l0+-4]; add.u32 %s4, %s4, 1;",
                 FaultKind::outside_allocations);
    // What the first finds is there, but not what the second does.
    for (const char* where : {"add.u32 %s0, %i, 63470;", "mov.u32 %s0, 63490;"})
        expect_fault(fmt::format("{} mad.wide.u32 %l0, %s0, 4, %in; ld.global.b32 %s4, [%l0+-240000]; "
                                 "ld.global.b32 %s5, [%l0]; add.u32 %s4, %s4, %s5;",
                                 where),
                     FaultKind::outside_allocations);
    expect_fault("mad.wide.u32 %l0, %i, 4, %in; ld.global.b32 %s4, [%l0+2]; add.u32 %s4, %s4, 1;",
                 FaultKind::misaligned_address);
    expect_fault("mad.wide.u32 %l0, %i, 8, %in; ld.global.v4.b32 {%s4, %s5, %s6, %s7}, [%l0]; add.u32 %s4, %s4, 1;",
                 FaultKind::misaligned_address);
    expect_fault("mov.u32 %s1, cell; mad.lo.u32 %s1, %i, 4, %s1; ld.shared.b64 %l0, [%s1]; add.u64 %l0, %l0, 1;",
                 FaultKind::misaligned_address);
}

TEST_CASE("accesses out of bounds that are ignored load zeros by machine code", "[engine][machine-code]") {
    simulate::EngineOptions options;
    options.ignore_out_of_bounds = true;
    const std::string text = kernel(
        "add.u32 %s0, %i, 63480; mad.wide.u32 %l0, %s0, 4, %in; mov.u32 %s4, 5; ld.global.b32 %s4, [%l0];"
        "add.u32 %s4, %s4, 1; mad.wide.u32 %l1, %i, 4, %own; st.global.b32 [%l1], %s4;");
    const Outcome handlers = outcome(text, MachineCode::none, options), code = outcome(text, MachineCode::all, options);
    REQUIRE(!handlers.report.fault);
    REQUIRE(!code.report.fault);
    CHECK(code.values == handlers.values);
    CHECK(code.report.accesses_out_of_bounds == handlers.report.accesses_out_of_bounds);
}
