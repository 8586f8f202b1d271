// Barriers in shared memory and bulk copies (PTX ISA 9.7.13.15, 9.7.9.25); paths of one warp that wait for each other.
#include <catch2/catch.hpp>

#include "collector/simulate/engine/mbarrier.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;
using gpuproj::simulate::FaultKind;
using gpuproj::simulate::Mbarrier;

namespace {

constexpr std::string_view shared = ".shared .align 16 .b8 buffer[2048]; .shared .align 8 .b64 barrier;";

/// Thread 0 makes a barrier for so many arrivals; then everyone runs `body`.
std::string with_barrier(u32 arrivals, std::string_view body) {
    return "setp.eq.u32 %p7, %tid, 0; @%p7 mbarrier.init.shared.b64 [barrier], " + std::to_string(arrivals) +
           "; bar.sync 0; mov.u32 %r, 0; " + std::string(body);
}
template <class F>
void expect(std::string_view body, F&& meaning, const Shape& shape = {}) {
    expect_threads(
        body, [&](u32 i) { return static_cast<u32>(meaning(i)); }, shape, shared);
}
void expect_fault(std::string_view body, const std::string& text) {
    const Threads result = run_threads(body, {}, shared);
    REQUIRE(result.report.fault);
    CHECK(result.report.fault->kind == FaultKind::barrier);
    CHECK(result.report.fault->message.find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("a barrier's parts survive being 64 bits", "[engine][mbarrier]") {
    for (const std::int64_t bytes : {std::int64_t{0}, Mbarrier::most_bytes, -Mbarrier::most_bytes, std::int64_t{-1}}) {
        const auto back = Mbarrier::from_bits(Mbarrier{true, true, Mbarrier::most_arrivals, 5, bytes}.bits());
        CHECK(back.valid);
        CHECK(back.odd_phase);
        CHECK(back.expected == Mbarrier::most_arrivals);
        CHECK(back.pending == 5);
        CHECK(back.bytes == bytes);
    }
}

TEST_CASE("a phase is over when all have arrived", "[engine][mbarrier]") {
    const std::string test = " mbarrier.test_wait.shared.b64 %p0, [barrier], %l0; selp.u32 %r, 1, 0, %p0;";
    expect(with_barrier(32, "mbarrier.arrive.shared.b64 %l0, [barrier];" + test), [](u32) { return 1; });
    expect(with_barrier(33, "mbarrier.arrive.shared.b64 %l0, [barrier];" + test), [](u32) { return 0; });
    expect(with_barrier(64, "mbarrier.arrive.shared.b64 %l0, [barrier], 2;" + test), [](u32) { return 1; });
    // The state tells what was pending before.
    expect(with_barrier(40,
                        "mbarrier.arrive.noComplete.shared.b64 %l0, [barrier], 1;"
                        "mbarrier.pending_count.b64 %r, %l0;"),
           [](u32 i) { return 40 - i; });
    // By parity: phase 0 is over, phase 1 is not.
    const std::string parity =
        " mbarrier.test_wait.parity.shared.b64 %p0, [barrier], 0; selp.u32 %r, 1, 0, %p0;"
        " mbarrier.try_wait.parity.shared::cta.b64 %p0, [barrier], 1, 20; @%p0 add.u32 %r, %r, 2;";
    expect(with_barrier(32, "mbarrier.arrive.release.cta.shared::cta.b64 _, [barrier];" + parity),
           [](u32) { return 1; });
    // A generic address.
    expect(with_barrier(32,
                        "mov.u64 %l1, barrier; cvta.shared.u64 %l1, %l1; mbarrier.arrive.b64 %l0, [%l1];"
                        "mbarrier.try_wait.b64 %p0, [%l1], %l0; selp.u32 %r, 1, 0, %p0;"),
           [](u32) { return 1; });
}

TEST_CASE("whoever drops out is not expected again", "[engine][mbarrier]") {
    // Odd lanes leave in the first phase; in the second the even ones are enough.
    expect(with_barrier(32,
                        "and.b32 %s2, %tid, 1; setp.eq.u32 %p1, %s2, 1;"
                        "@%p1 mbarrier.arrive_drop.shared.b64 _, [barrier];"
                        "@!%p1 mbarrier.arrive.shared.b64 _, [barrier];"
                        "@!%p1 mbarrier.arrive.shared.b64 %l0, [barrier];"
                        "mbarrier.test_wait.parity.shared.b64 %p0, [barrier], 1; selp.u32 %r, 1, 0, %p0;"),
           [](u32) { return 1; });
}

TEST_CASE("a phase waits for the bytes that were announced", "[engine][mbarrier]") {
    const std::string parity = "mbarrier.test_wait.parity.shared.b64 %p0, [barrier], 0; selp.u32 %r, 1, 0, %p0;";
    const std::string announce =
        "@%p7 mbarrier.arrive.expect_tx.shared.b64 _, [barrier], 48;"
        "@%p7 mbarrier.expect_tx.relaxed.cta.shared.b64 [barrier], 16;";
    // One arrival, of which the second announcement would come too late, so two are expected.
    expect(with_barrier(2, announce + "@%p7 mbarrier.arrive.shared.b64 _, [barrier];" + parity), [](u32) { return 0; });
    expect(with_barrier(2, announce +
                               "@%p7 mbarrier.arrive.shared.b64 _, [barrier];"
                               "@%p7 mbarrier.complete_tx.relaxed.cta.shared.b64 [barrier], 64;" +
                               parity),
           [](u32) { return 1; });
}

TEST_CASE("a bulk copy moves its bytes and reports them", "[engine][mbarrier]") {
    // In: thread 0 fetches 1024 bytes of input, half of them again in shared memory.
    const Prepare numbers = [](PtxRunner& runner) {
        std::vector<u32> values(256);
        for (u32 i = 0; i < 256; ++i) values[i] = 1000 + i;
        return reinterpret_cast<u64>(runner.allocate(values).data());
    };
    expect_threads(
        with_barrier(1,
                     "mov.u32 %s3, buffer; @%p7 mbarrier.arrive.expect_tx.shared.b64 _, [barrier], 1536;"
                     "@%p7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s3], [%in], 1024, "
                     "[barrier];"
                     "@%p7 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%s3+1024], "
                     "[%s3+512], 512, [barrier];"
                     "mbarrier.try_wait.parity.shared.b64 %p0, [barrier], 0; mad.lo.u32 %s2, %tid, 4, %s3;"
                     "@%p0 ld.shared.u32 %r, [%s2+1024];"),
        [](u32 i) { return 1128 + i; }, {}, shared, numbers);
    // Out.
    expect_threads(
        "mov.u32 %s3, buffer; mad.lo.u32 %s2, %tid, 4, %s3; st.shared.u32 [%s2], %tid;"
        "setp.eq.u32 %p7, %tid, 0; fence.proxy.async.shared::cta;"
        "@%p7 cp.async.bulk.global.shared::cta.bulk_group [%in], [%s3], 128; cp.async.bulk.commit_group;"
        "cp.async.bulk.wait_group.read 0; mad.wide.u32 %l0, %tid, 4, %in; ld.global.u32 %r, [%l0];",
        [](u32 i) { return i; }, {}, shared, numbers);
    const Threads outside = run_threads(
        with_barrier(1,
                     "mov.u32 %s3, buffer; @%p7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%s3], [%in], 2048, [barrier];"),
        {}, shared, numbers);
    REQUIRE(outside.report.fault);
    CHECK(outside.report.fault->kind == FaultKind::outside_allocations);
}

TEST_CASE("the arrival of copies", "[engine][mbarrier]") {
    const std::string copy =
        "mov.u32 %s2, buffer; mad.lo.u32 %s2, %tid, 4, %s2;"
        "st.global.u32 [%out], %tid; cp.async.ca.shared.global [%s2], [%out], 4;";
    const std::string parity = "mbarrier.test_wait.parity.shared.b64 %p0, [barrier], 0; selp.u32 %r, 1, 0, %p0;";
    // With .noinc it is one of those expected, without it is not.
    expect(with_barrier(32, copy + "cp.async.mbarrier.arrive.noinc.shared.b64 [barrier];" + parity),
           [](u32) { return 1; });
    expect(with_barrier(32, copy + "cp.async.mbarrier.arrive.shared.b64 [barrier];" + parity), [](u32) { return 0; });
    expect(with_barrier(32, copy +
                                "cp.async.mbarrier.arrive.shared.b64 [barrier];"
                                "mbarrier.arrive.shared.b64 _, [barrier];" +
                                parity),
           [](u32) { return 1; });
}

TEST_CASE("how much an asynchronous copy reads", "[engine]") {
    // The third word of four, of which twelve bytes, eight or none are read.
    const auto third = [](const std::string& behind, const std::string& hint = "") {
        return run_threads(
                   ".shared .align 16 .b8 piece[16]; mov.u32 %s1, piece; setp.ge.u32 %p1, %tid, 0;"
                   "mov.u32 %s2, 7; mov.u32 %s3, 9; and.b64 %l2, %out, -16; st.global.v4.u32 [%l2], {%s2, %s2, %s3, "
                   "%s2};"
                   "mov.u32 %s2, 8; mov.u64 %l1, 0x14F0000000000000;"
                   "cp.async.cg.shared.global" +
                   hint + " [%s1], [%l2], 16" + behind + "; cp.async.wait_all; ld.shared.u32 %r, [%s1+8];")
            .values[0];
    };
    CHECK(third("") == 9);
    CHECK(third(", 12") == 9);
    CHECK(third(", 8") == 0);
    CHECK(third(", %s2") == 0);
    CHECK(third(", %p1") == 0);
    CHECK(third(", !%p1") == 9);
    CHECK(third(", %l1", ".L2::cache_hint") == 9);
    CHECK(third(", 8, %l1", ".L2::cache_hint") == 0);
}

TEST_CASE("misused barriers are faults", "[engine][mbarrier]") {
    expect_fault("mbarrier.arrive.shared.b64 _, [barrier]; mov.u32 %r, 0;", "not initialised");
    expect_fault("mbarrier.inval.shared.b64 [barrier]; mov.u32 %r, 0;", "not initialised");
    expect_fault("mbarrier.test_wait.parity.shared.b64 %p0, [barrier], 0; mov.u32 %r, 0;", "not initialised");
    expect_fault(
        "mov.u32 %s3, buffer; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%s3], "
        "[%s3+64], 16, [barrier]; mov.u32 %r, 0;",
        "not initialised");
    expect_fault("mbarrier.init.shared.b64 [barrier], 0; mov.u32 %r, 0;", "arrivals");
    expect_fault(with_barrier(2, "mbarrier.arrive.shared.b64 _, [barrier], 3;"), "more arrivals");
    expect_fault(with_barrier(1, "mbarrier.arrive.noComplete.shared.b64 %l0, [barrier], 1;"), "noComplete");
}

TEST_CASE("an invalid barrier lets threads pass that are late", "[engine][mbarrier]") {
    // It is made invalid twice; then everyone looks at the phase that is over, and arrives once more.
    expect(with_barrier(32,
                        "mbarrier.arrive.shared.b64 %l0, [barrier]; @%p7 mbarrier.inval.shared.b64 [barrier];"
                        "@%p7 mbarrier.inval.shared.b64 [barrier]; mbarrier.test_wait.shared.b64 %p0, [barrier], %l0;"
                        "mbarrier.arrive.shared.b64 _, [barrier]; selp.u32 %r, 1, 0, %p0;"),
           [](u32) { return 1; });
}

TEST_CASE("who waits at a barrier sees its phase before another barrier is made there", "[engine][mbarrier]") {
    // Of 8 warps one thread makes a barrier in the place of the first as soon as itself is through; the others look
    // often, or sleep in between.
    const Shape eight_warps{{1, 1, 1}, {256, 1, 1}};
    for (const std::string maker : {"0", "96", "255"}) {
        for (const std::string sleep : {"", "nanosleep.u32 20;"}) {
            const auto pass = [&](const std::string& n) {
                return "mov.u32 %s2, 0; mbarrier.arrive.shared.b64 %l0, [barrier]; WAIT" + n +
                       ": mbarrier.try_wait.shared.b64 %p0, [barrier], %l0; @%p0 bra OVER" + n +
                       "; add.u32 %s2, %s2, 1; setp.gt.u32 %p1, %s2, 1000; @%p1 bra LOST; " + sleep + "bra WAIT" + n +
                       "; OVER" + n + ":";
            };
            expect(
                with_barrier(256, pass("1") + "setp.ne.u32 %p7, %tid, " + maker +
                                      "; @%p7 bra JOIN; mbarrier.inval.shared.b64 [barrier];"
                                      "mbarrier.init.shared.b64 [barrier], 256; JOIN: bar.sync 0;" +
                                      pass("2") + "mov.u32 %r, 1; LOST:"),
                [](u32) { return 1; }, eight_warps);
        }
    }
}

TEST_CASE("warps of a block wait for each other at a barrier", "[engine][mbarrier]") {
    // Two warps take turns 100 times; each adds one in its turn.
    const Shape two_warps{{1, 1, 1}, {64, 1, 1}};
    expect(
        with_barrier(64,
                     "mov.u32 %s2, buffer; mov.u32 %s3, 0; @%p7 st.shared.u32 [%s2], 0; shr.u32 %s4, %tid, 5;"
                     "NEXT: and.b32 %s5, %s3, 1; setp.eq.u32 %p1, %s5, %s4; and.b32 %s6, %tid, 31;"
                     "setp.eq.and.u32 %p2, %s6, 0, %p1; @%p2 ld.volatile.shared.u32 %s7, [%s2];"
                     "@%p2 add.u32 %s7, %s7, 1; @%p2 st.volatile.shared.u32 [%s2], %s7;"
                     "mbarrier.arrive.shared.b64 %l0, [barrier];"
                     "WAIT: mbarrier.try_wait.shared.b64 %p0, [barrier], %l0; @!%p0 bra WAIT;"
                     "add.u32 %s3, %s3, 1; setp.lt.u32 %p3, %s3, 100; @%p3 bra NEXT;"
                     "ld.volatile.shared.u32 %r, [%s2];"),
        [](u32) { return 100; }, two_warps);
}

TEST_CASE("lanes of one warp may wait for each other", "[engine][warp]") {
    // A lock that one lane at a time has: whoever waits for it must let the one that has it go on, though their paths
    // meet behind the loop.
    expect(
        "mov.u32 %s2, buffer; LOCK: atom.shared.cas.b32 %s3, [%s2], 0, 1; setp.ne.u32 %p0, %s3, 0; @%p0 bra LOCK;"
        "ld.volatile.shared.u32 %s4, [%s2+4]; add.u32 %s4, %s4, 1; st.volatile.shared.u32 [%s2+4], %s4;"
        "atom.shared.exch.b32 %s5, [%s2], 0; DONE: ld.volatile.shared.u32 %r, [%s2+4]; setp.lt.u32 %p1, %r, 32;"
        "@%p1 bra DONE;",
        [](u32) { return 32; });
    // Those that had the lock wait at a barrier for all that still want it, in both warps.
    expect(
        "mov.u32 %s2, buffer; LOCK: atom.shared.cas.b32 %s3, [%s2], 0, 1; setp.ne.u32 %p0, %s3, 0; @%p0 bra LOCK;"
        "ld.volatile.shared.u32 %s4, [%s2+4]; add.u32 %s4, %s4, 1; st.volatile.shared.u32 [%s2+4], %s4;"
        "atom.shared.exch.b32 %s5, [%s2], 0; bar.sync 0; ld.shared.u32 %r, [%s2+4];",
        [](u32) { return 64; }, {{1, 1, 1}, {64, 1, 1}});
    // Lane 0 waits for lane 1, which went on without it, and so do all others at the next instruction that takes the
    // whole warp: they see what lane 0 writes then.
    const auto all_meet = [](const char* at) {
        return std::string(
                   "mov.u32 %s2, buffer; mov.u32 %s6, 0xFFFFFFFF; setp.ne.u32 %p0, %tid, 0; @%p0 bra MEET;"
                   "SPIN: ld.volatile.shared.u32 %s3, [%s2]; setp.eq.u32 %p1, %s3, 0; @%p1 bra SPIN;"
                   "st.shared.u32 [%s2+4], 42; MEET: setp.eq.u32 %p2, %tid, 1;"
                   "@%p2 st.volatile.shared.u32 [%s2], 1; ") +
               at + " ld.shared.u32 %r, [%s2+4];";
    };
    for (const char* at :
         {"bar.warp.sync -1;", "bar.warp.sync %s6;", "vote.sync.any.pred %p3, %p2, -1;", "elect.sync %s7|%p3, -1;",
          "movmatrix.sync.aligned.m8n8.trans.b16 %s7, %s6;", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%s7}, [%s2];"})
        expect(all_meet(at), [](u32) { return 42; });
    // The upper half waits until the lower half, on the other path and behind it, has written.
    expect(
        "mov.u32 %s2, buffer; setp.ge.u32 %p0, %tid, 16; @%p0 bra SPIN;"
        "nanosleep.u32 10; st.volatile.shared.u32 [%s2], 7; mov.u32 %r, 7; bra MEET;"
        "SPIN: ld.volatile.shared.u32 %r, [%s2]; setp.eq.u32 %p1, %r, 0; @%p1 bra SPIN; MEET:",
        [](u32) { return 7; });
}

TEST_CASE("lanes that compute for long are waited for where paths meet", "[engine][warp]") {
    // The lower half counts to 40000 and writes the sum; all then read their neighbour's of the other half. A kernel
    // with an exchange in it may have lanes that wait for each other, but these do not.
    expect(
        "mov.u32 %s2, buffer; mov.u32 %s6, 5; @%p7 atom.shared.exch.b32 %s3, [%s2+1024], 1;"
        "shl.b32 %s4, %tid, 2; add.u32 %s4, %s2, %s4; mov.u32 %s5, 0; setp.ge.u32 %p0, %tid, 16; @%p0 bra MEET;"
        "NEXT: add.u32 %s5, %s5, 1; setp.lt.u32 %p1, %s5, 40000; @%p1 bra NEXT; mov.u32 %s6, %s5;"
        "MEET: st.shared.u32 [%s4], %s6; bar.sync 0;"
        "xor.b32 %s7, %tid, 16; shl.b32 %s7, %s7, 2; add.u32 %s7, %s2, %s7; ld.shared.u32 %r, [%s7];",
        [](u32 i) { return i < 16 ? 5 : 40000; });
}
