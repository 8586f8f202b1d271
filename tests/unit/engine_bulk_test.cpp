// Bulk copies that reduce, go to several blocks or leave bytes out (PTX ISA 9.7.9.25), bulk stores of zeros, what
// caches are to keep, and atomic operations on vectors.
#include <fmt/format.h>

#include <bit>

#include <catch2/catch.hpp>

#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;
using gpuproj::simulate::FaultKind;

namespace {

constexpr std::string_view shared = ".shared .align 128 .b8 buffer[2048]; .shared .align 8 .b64 barrier;";

/// So many words of device memory.
Prepare words(const std::vector<u32>& values) {
    return [values](PtxRunner& runner) { return reinterpret_cast<u64>(runner.allocate(values).data()); };
}
/// Every thread puts `value` into shared memory; thread 0 reduces 128 bytes of it into the words at %in.
std::string reduced(std::string_view operation, std::string_view value) {
    return fmt::format(
        "mov.u32 %s3, buffer; mad.lo.u32 %s2, %tid, 4, %s3; {} st.shared.u32 [%s2], %s4; bar.sync 0;"
        "setp.eq.u32 %p7, %tid, 0; @%p7 cp.reduce.async.bulk.global.shared::cta.bulk_group.{} [%in], [%s3], 128;"
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bar.sync 0;"
        "mad.wide.u32 %l0, %tid, 4, %in; ld.global.u32 %r, [%l0];",
        value, operation);
}
std::vector<u32> pairs_of_halves(u16 low, u16 high) {
    return std::vector<u32>(32, u32{high} << 16 | low);
}
void expect_unsupported(const std::string& body) {
    const Threads result = run_threads(body, {}, shared, words(std::vector<u32>(32)));
    REQUIRE(result.report.fault);
    CHECK(result.report.fault->kind == FaultKind::unsupported);
}

}  // namespace

TEST_CASE("bulk copies that reduce", "[engine][mbarrier]") {
    const std::string number = "add.u32 %s4, %tid, 10;";
    const auto expect = [&](std::string_view operation, auto&& meaning) {
        INFO(operation);
        std::vector<u32> start(32);
        for (u32 i = 0; i < 32; ++i) start[i] = 40 - 2 * i;
        expect_threads(
            reduced(operation, number), [&](u32 i) { return static_cast<u32>(meaning(40 - 2 * i, i + 10)); }, {},
            shared, words(start));
    };
    expect("add.u32", [](u32 a, u32 b) { return a + b; });
    expect("add.s32", [](u32 a, u32 b) { return a + b; });
    expect("min.s32", [](u32 a, u32 b) { return std::min(static_cast<s32>(a), static_cast<s32>(b)); });
    expect("max.u32", [](u32 a, u32 b) { return std::max(a, b); });
    expect("and.b32", [](u32 a, u32 b) { return a & b; });
    expect("or.b32", [](u32 a, u32 b) { return a | b; });
    expect("xor.b32", [](u32 a, u32 b) { return a ^ b; });
    expect("inc.u32", [](u32 a, u32 b) { return a >= b ? 0 : a + 1; });
    expect("dec.u32", [](u32 a, u32 b) { return a == 0 || a > b ? b : a - 1; });
    // 64 bits: a carry into the upper word of each.
    expect_threads(
        reduced("add.u64", "mov.u32 %s4, 0xFFFFFFFF;"), [](u32 i) { return i % 2 == 0 ? 0U : 1U; }, {}, shared,
        words([] {
            std::vector<u32> ones(32);
            for (u32 i = 0; i < 32; i += 2) ones[i] = 1, ones[i + 1] = 1;
            return ones;
        }()));
    expect_threads(
        reduced("add.f32", "cvt.rn.f32.u32 %f0, %tid; mov.b32 %s4, %f0;"),
        [](u32 i) { return std::bit_cast<u32>(static_cast<float>(i) + 0.5F); }, {}, shared,
        words(std::vector<u32>(32, 0x3F000000)));
    // 1 + 2 and 1.5 + (-1.5); of bfloat16 the smaller of -1 and NaN, which is -1.
    expect_threads(
        reduced("add.noftz.f16", "mov.u32 %s4, 0xBE004000;"), [](u32) { return 0x00004200; }, {}, shared,
        words(pairs_of_halves(0x3C00, 0x3E00)));
    expect_threads(
        reduced("min.bf16", "mov.u32 %s4, 0x7FFF4000;"), [](u32) { return 0xBF803F80; }, {}, shared,
        words(pairs_of_halves(0x3F80, 0xBF80)));
    expect_unsupported(reduced("max.f32", number));  // PTX has none
    expect_unsupported(reduced("inc.u64", number));
    // Into shared memory, with a barrier that is told.
    expect_threads(
        "mov.u32 %s3, buffer; mad.lo.u32 %s2, %tid, 4, %s3; st.shared.u32 [%s2], %tid; st.shared.u32 [%s2+128], 100;"
        "setp.eq.u32 %p7, %tid, 0; @%p7 mbarrier.init.shared.b64 [barrier], 1; bar.sync 0;"
        "@%p7 mbarrier.arrive.expect_tx.shared.b64 _, [barrier], 128;"
        "@%p7 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%s3+128], [%s3], "
        "128, [barrier]; WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [barrier], 0; @!%p0 bra WAIT;"
        "ld.shared.u32 %r, [%s2+128];",
        [](u32 i) { return 100 + i; }, {}, shared);
}

TEST_CASE("a bulk copy to several blocks of a cluster", "[engine][mbarrier][cluster]") {
    Shape shape{{4, 1, 1}, {32, 1, 1}};
    shape.cluster = {4, 1, 1};
    std::vector<u32> numbers(32);
    for (u32 i = 0; i < 32; ++i) numbers[i] = 50 + i;
    expect_threads(
        "mov.u32 %s3, buffer; mad.lo.u32 %s2, %tid, 4, %s3; st.shared.u32 [%s2], 7; setp.eq.u32 %p7, %tid, 0;"
        "mov.u32 %s9, %cluster_ctarank; setp.ge.u32 %p6, %s9, 2; setp.eq.and.u32 %p5, %s9, 0, %p7; mov.u16 %h0, 12;"
        "@%p7 mbarrier.init.shared.b64 [barrier], 1; @%p7 mbarrier.arrive.expect_tx.shared.b64 _, [barrier], 128;"
        "barrier.cluster.arrive; barrier.cluster.wait;"
        "@%p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%s3], [%in], 128, "
        "[barrier], %h0; @!%p6 bra OVER; WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [barrier], 0; @!%p0 bra WAIT;"
        "OVER: barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r, [%s2];",
        [](u32 i) { return i < 64 ? 7 : 50 + i % 32; }, shape, shared, words(numbers));
}

TEST_CASE("bulk copies that leave bytes out", "[engine][mbarrier]") {
    // Of every 16 bytes the first, and the last four.
    expect_threads(
        "mov.u32 %s3, buffer; mad.lo.u32 %s2, %tid, 4, %s3; st.shared.u32 [%s2], 0x11223344; bar.sync 0;"
        "setp.eq.u32 %p7, %tid, 0; mov.u16 %h0, 0xF001;"
        "@%p7 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%in], [%s3], 128, %h0; bar.sync 0;"
        "mad.wide.u32 %l0, %tid, 4, %in; ld.global.u32 %r, [%l0];",
        [](u32 i) { return i % 4 == 0   ? 0xFFFFFF44
                           : i % 4 == 3 ? 0x11223344
                                        : 0xFFFFFFFF; }, {}, shared,
        words(std::vector<u32>(32, 0xFFFFFFFF)));
}

TEST_CASE("a bulk copy of nothing may be from and to nowhere", "[engine][mbarrier]") {
    expect_threads(
        "mov.u64 %l1, 0; mov.u32 %s2, 0; mov.u32 %s3, buffer; mov.u32 %r, 1;"
        "cp.async.bulk.global.shared::cta.bulk_group [%l1], [%s3], %s2;",
        [](u32) { return 1; }, {}, shared);
}

TEST_CASE("bulk stores are of zeros", "[engine]") {
    const std::string fill = "mov.u32 %s3, buffer; mad.lo.u32 %s2, %tid, 4, %s3; st.shared.u32 [%s2], 9; bar.sync 0;";
    expect_threads(
        fill +
            "setp.eq.u32 %p7, %tid, 0; mov.u64 %l1, 24; @%p7 st.bulk.weak.shared::cta [%s3+8], %l1, 0; bar.sync 0;"
            "ld.shared.u32 %r, [%s2];",
        [](u32 i) { return i >= 2 && i < 8 ? 0 : 9; }, {}, shared);
    const auto fault = [&](const std::string& body) {
        const Threads result = run_threads(fill + body + "mov.u32 %r, 0;", {}, shared);
        REQUIRE(result.report.fault);
        return result.report.fault->kind;
    };
    CHECK(fault("st.bulk.weak.shared::cta [%s3], 12, 0;") == FaultKind::misaligned_address);
    CHECK(fault("st.bulk.weak.shared::cta [%s3], 4096, 0;") == FaultKind::illegal_address);
}

TEST_CASE("policies have the bits that machine code gives them", "[engine]") {
    // Worked out from ptxas 11.8's code for sm_80, which agrees with what CCCL says of them.
    const auto expect = [](std::string_view policy, u64 bits) {
        INFO(policy);
        const std::string body = fmt::format("mov.u64 %l1, 0x12345678; {} ", policy);
        expect_threads(body + "cvt.u32.u64 %r, %l0;", [&](u32) { return static_cast<u32>(bits); });
        expect_threads(body + "shr.u64 %l0, %l0, 32; cvt.u32.u64 %r, %l0;",
                       [&](u32) { return static_cast<u32>(bits >> 32); });
    };
    const std::string fractional = "createpolicy.fractional.L2::evict_";
    expect(fractional + "last.b64 %l0, 1.0;", 0x14F0000000000000);
    expect(fractional + "last.b64 %l0;", 0x14F0000000000000);
    expect(fractional + "first.b64 %l0, 0.5;", 0x1270000000000000);
    expect(fractional + "normal.b64 %l0, 0.25;", 0x1630000000000000);
    expect(fractional + "unchanged.b64 %l0, 0.0625;", 0x1000000000000000);
    expect(fractional + "last.L2::evict_first.b64 %l0, 0.75;", 0x15B0000000000000);
    expect(fractional + "last.L2::evict_unchanged.b64 %l0, 0.75;", 0x14B0000000000000);
    const std::string range = "createpolicy.range.global.L2::evict_";
    // Blocks of 4 KiB: address 0x12345678 is in block 0x12345, of which 7 bits are kept.
    expect(range + "last.b64 %l0, [%l1], 4096, 8192;", u64{3} << 59 | u64{2} << 57 | u64{0x45} << 44 | u64{2} << 37);
    expect(range + "first.L2::evict_first.b64 %l0, [%l1], 1, 1;",
           u64{3} << 59 | u64{1} << 57 | u64{1} << 56 | u64{0x45} << 44 | u64{1} << 37);
    // 2^20 bytes: blocks of 8 KiB, 0x91A2; 2^20 - 1 take as many.
    for (const std::string total : {"1048576", "1048575"})
        expect(range + "normal.b64 %l0, [%l1], 524288, " + total + ";",
               u64{3} << 59 | u64{3} << 57 | u64{1} << 52 | u64{0x22} << 44 | u64{65} << 37);
    expect(range + "last.b64 %l0, [%l1], 4194304, 4194304;",
           u64{3} << 59 | u64{2} << 57 | u64{3} << 52 | u64{0x68} << 44 | u64{127} << 37);  // at most 127 blocks
    expect(range + "last.b64 %l0, [%l1], 0, 0;", u64{3} << 59);
    expect("createpolicy.cvt.L2.b64 %l0, %l1;", 0x12345678);
}

TEST_CASE("atomic operations on vectors are for device memory", "[engine]") {
    const Shape one{{1, 1, 1}, {1, 1, 1}};
    const auto halves = words({0x3C003C00, 0x3C003C00, 0, 0});
    // By a generic address, too.
    for (const std::string space : {".global", ""}) {
        expect_threads(
            "mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f40000000; atom" + space +
                ".add.v2.f32 {%f0, %f1}, [%in], {%f2, %f3}; ld.global.f32 %f4, [%in+4]; add.f32 %f4, %f4, %f1;"
                "mov.b32 %r, %f4;",
            [](u32) { return std::bit_cast<u32>(2.0F + 0.0F); }, one, shared, words({0, 0}));
        expect_threads(
            "mov.u32 %s2, 0x40004000; red" + space +
                ".add.noftz.v2.f16x2 [%in], {%s2, %s2}; ld.global.u32 %r, [%in+4];",
            [](u32) { return 0x42004200; }, one, shared, halves);
    }
    const Threads elsewhere = run_threads(
        "mov.u64 %l0, buffer; cvta.shared.u64 %l0, %l0; setp.eq.u32 %p0, %tid, 3; selp.b64 %l0, %l0, %out, %p0;"
        "and.b64 %l0, %l0, -8; mov.f32 %f2, 0f3F800000; red.add.v2.f32 [%l0], {%f2, %f2}; mov.u32 %r, 0;",
        {}, shared);
    REQUIRE(elsewhere.report.fault);
    CHECK(elsewhere.report.fault->message.find("outside global memory") != std::string::npos);
    CHECK(elsewhere.report.fault->message.find("thread (3,0,0)") != std::string::npos);
    expect_unsupported("mov.f32 %f2, 0f3F800000; red.shared.add.v2.f32 [buffer], {%f2, %f2}; mov.u32 %r, 0;");
}
