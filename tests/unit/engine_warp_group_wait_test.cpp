// What of wgmma is between the warps of a group: who waits for whom, what is told of errors, and what is counted.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;
using gpuproj::simulate::FaultKind;

namespace {

constexpr std::string_view shared = ".shared .align 1024 .b8 stages[8192]; .shared .align 8 .b64 released;";
constexpr u32 sixteen = 0x41800000;  // as a float

/// Two stages of A and B full of ones, whatever their layout; %l0 and %l1 describe the first, %l2 and %l3 the second.
/// %s2: where the first is.
const std::string filled = [] {
    std::string text = "mov.u32 %s2, stages; and.b32 %s4, %tid, 127; mad.lo.u32 %s3, %s4, 4, %s2;";
    for (u32 at = 0; at < 8192; at += 512) text += fmt::format("st.shared.u32 [%s3+{}], 0x3C003C00;", at);
    return text +
           "fence.proxy.async; bar.sync 0; cvt.u64.u32 %l0, %s2; shr.u64 %l0, %l0, 4; or.b64 %l0, %l0, "
           "0x0000001000080000; add.u64 %l1, %l0, 128; add.u64 %l2, %l0, 256; add.u64 %l3, %l0, 384;"
           "mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000;"
           "shr.u32 %s5, %tid, 5; mov.u32 %s6, 0;";
}();
/// A product of 64 x 8 x 16: each element becomes 16 more.
std::string product(int a) {
    return fmt::format(
        "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, "
        "%l{}, %l{}, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;",
        a, a + 1);
}
/// Warp 0 overwrites 4096 bytes from `at` on.
std::string overwritten(u32 at) {
    std::string text = "setp.lt.u32 %p6, %tid, 32;";
    for (u32 word = 0; word < 4096; word += 128) text += fmt::format("@%p6 st.shared.u32 [%s3+{}], %s6;", at + word);
    return text;
}
const std::string wait_for_all = "wgmma.wait_group.sync.aligned 0;", result = "mov.b32 %r, %f3;";
Shape of_threads(u32 count) {
    return {{1, 1, 1}, {count, 1, 1}};
}
std::string fault_of(const std::string& body, FaultKind kind, u32 count = 128) {
    const auto fault = run_threads(body, of_threads(count), shared).report.fault;
    REQUIRE(fault);
    INFO(fault->message);
    CHECK(fault->kind == kind);
    return fault->message;
}

}  // namespace

TEST_CASE("a warp that has waited for its products may overwrite what those of the others of its group read",
          "[engine][wgmma]") {
    const auto all = [](u32 value) { return [value](u32) { return value; }; };
    // Warp 0 comes first, as warps run in turn; the others sleep as well.
    const std::string others_sleep = "setp.ge.u32 %p5, %tid, 32; @%p5 nanosleep.u32 100;";
    for (const std::string& sleep : {std::string(), others_sleep}) {
        expect_threads(filled + sleep + product(0) + wait_for_all + overwritten(0) + result, all(sixteen),
                       of_threads(128), shared);
        // Two groups of warps, each with its own.
        expect_threads(filled + sleep + product(0) + wait_for_all + "bar.sync 0;" + overwritten(0) + result,
                       all(sixteen), of_threads(256), shared);
        // Of two products the first is waited for, then both.
        expect_threads(filled + sleep + product(0) + product(2) + "wgmma.wait_group.sync.aligned 1;" + overwritten(0) +
                           wait_for_all + overwritten(4096) + result,
                       all(sixteen + 0x800000), of_threads(128), shared);
        // One thread tells a producer, the last warp, that it may overwrite.
        expect_threads("setp.eq.u32 %p7, %tid, 0; @%p7 mbarrier.init.shared.b64 [released], 1;" + filled + sleep +
                           "setp.ge.u32 %p4, %tid, 128; @%p4 bra PRODUCER;" + product(0) + wait_for_all +
                           "@%p7 mbarrier.arrive.shared.b64 _, [released]; bra END;"
                           "PRODUCER: mbarrier.try_wait.parity.shared.b64 %p0, [released], 0; @!%p0 bra PRODUCER;"
                           "mov.u32 %s7, 0; and.b32 %s5, %tid, 31; mad.lo.u32 %s3, %s5, 4, %s2;"
                           "MORE: st.shared.u32 [%s3], %s6; add.u32 %s3, %s3, 128; add.u32 %s7, %s7, 1;"
                           "setp.lt.u32 %p1, %s7, 32; @%p1 bra MORE; mov.f32 %f3, 0f41800000; END: " +
                           result,
                       all(sixteen), of_threads(160), shared);
    }
}

TEST_CASE("warps that have ended are not waited for, and those that never come are reported", "[engine][wgmma]") {
    expect_threads(
        filled + "mov.u32 %r, 7; setp.ge.u32 %p0, %tid, 96; @%p0 st.global.u32 [%out], %r; @%p0 exit;" + product(0) +
            wait_for_all + result,
        [](u32 i) { return i >= 96 ? 7 : sixteen; }, of_threads(128), shared);
    const std::string message =
        fault_of(filled + "setp.ge.u32 %p0, %tid, 96; @%p0 bar.sync 1, 64;" + product(0) + wait_for_all + result,
                 FaultKind::barrier);
    CHECK(message.find("deadlock") != std::string::npos);
    // Without products there is nothing to wait for.
    expect_threads(
        filled + "wgmma.commit_group.sync.aligned;" + wait_for_all + "wgmma.wait_group.sync.aligned 3;" + result,
        [](u32) { return 0; }, of_threads(128), shared);
}

TEST_CASE("a descriptor that leads out of shared memory is reported", "[engine][wgmma]") {
    for (const char* wrong :
         {"add.u64 %l1, %l0, 504;", "or.b64 %l0, %l0, 0x00003FFF00000000;", "mov.u64 %l1, 0x3FFF;"}) {
        const std::string message =
            fault_of(filled + wrong + product(0) + wait_for_all + result, FaultKind::illegal_address);
        CHECK(message.find("illegal shared-memory address: 16 bytes at ") != std::string::npos);
        CHECK(message.find("in kernel k, block (0,0,0)") != std::string::npos);
    }
}

TEST_CASE("forms of wgmma that PTX does not have, and what is not simulated, are refused by name", "[engine][wgmma]") {
    const auto refused = [](const std::string& instruction, std::string_view why) {
        const std::string message = fault_of(instruction + " mov.u32 %r, 0;", FaultKind::unsupported);
        CHECK(message.find("'" + instruction.substr(0, instruction.find_first_of(" ;")) + "' (line ") !=
              std::string::npos);
        CHECK(message.find(why) != std::string::npos);
    };
    const std::string mma = "wgmma.mma_async.sync.aligned.", four = " {%s2, %s3, %s4, %s5}, %l0, %l1, ";
    refused(mma + "m64n40k32.s32.s8.s8" + four + "%p0;", "this shape");
    refused(mma + "m64n8k32.f32.f16.f16" + four + "%p0, 1, 1, 0, 0;", "this shape");
    refused(mma + "m64n8k16.f16.bf16.bf16" + four + "%p0, 1, 1, 0, 0;", "these types");
    refused(mma + "m64n8k16.f32.f16.bf16" + four + "%p0, 1, 1, 0, 0;", "these types");
    refused(mma + "m64n8k16.f32.f16.f16" + four + "%p0, 2, 1, 0, 0;", "this immediate");
    refused(mma + "m64n8k8.f32.tf32.tf32" + four + "%p0, 1, 1, 0, 0;", "these operands");
    refused(mma + "m64n16k8.f32.tf32.tf32" + four + "%p0, 1, 1;", "a fragment of unknown layout");
    refused("wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8" + four + "%s6, 1, %p0;", "this sparsity selector");
    refused("wgmma.wait_group.sync.aligned %s2;", "no constant");
    refused("tcgen05.fence::before_thread_sync;", "");
    refused("multimem.red.global.add.u32 [%out], %s2;", "");
    refused(
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, %f3}, "
        "{%s2, %s3, %s4, %s5}, {%s2, %s3}, {%f0, %f1, %f2, %f3};",
        "this kind of factors");
}

TEST_CASE("each warp counts its quarter of a warp group's product", "[engine][wgmma]") {
    const auto alone = run_threads(filled + result, of_threads(128), shared).report.counted.metrics;
    const auto metrics =
        run_threads(filled + product(0) + wait_for_all + result, of_threads(128), shared).report.counted.metrics;
    CHECK(metrics.tensor_fp16->value == 2 * 64 * 8 * 16);
    CHECK(metrics.warp_inst_tensor->value == 4);
    // The fence, the product, the wait; a commit is part of the product.
    CHECK(metrics.warp_inst->value == alone.warp_inst->value + 4 * 3);
    // What the tensor cores read of shared memory is no wavefront of the load and store units.
    CHECK(metrics.shared_wavefront->value == alone.shared_wavefront->value);
    const auto sparse =
        run_threads(filled +
                        "mov.u32 %s7, 0x44444444; wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, "
                        "%f3}, %l0, %l2, %s7, 0, 1, 1, 1, 0, 1;" +
                        result,
                    of_threads(128), shared)
            .report.counted.metrics;
    CHECK(sparse.tensor_fp16->value == 64 * 8 * 32);
}
