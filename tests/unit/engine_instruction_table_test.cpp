// Every instruction of the engine's table does something that is known beforehand: one without an entry here fails.
// Edge values and forms are in the other engine_*_test.cpp.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "collector/simulate/engine/decode/decoder.hpp"
#include "collector/simulate/engine/texture.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;
using gpuproj::simulate::FaultKind;

namespace {

struct Example {
    const char* body;  // gives %r
    u32 value;         // in thread 0
};

// Around %s0-1: a word of global memory at %out + 0, 4 KiB of shared memory `buffer`, a texture or surface at %in.
const std::map<std::string_view, Example> examples{
    {"add", {"add.u32 %r, 40, 2;", 42}},
    {"sub", {"sub.u32 %r, 44, 2;", 42}},
    {"min", {"min.s32 %r, -3, 2;", 0xFFFFFFFD}},
    {"max", {"max.s32 %r, -3, 2;", 2}},
    {"div", {"div.s32 %r, -7, 2;", 0xFFFFFFFD}},
    {"rem", {"rem.s32 %r, -7, 2;", 0xFFFFFFFF}},
    {"abs", {"abs.s32 %r, -5;", 5}},
    {"neg", {"neg.s32 %r, 5;", 0xFFFFFFFB}},
    {"copysign", {"copysign.f32 %f0, 0fBF800000, 0f40000000; mov.b32 %r, %f0;", 0xC0000000}},
    {"mul", {"mul.lo.u32 %r, 6, 7;", 42}},
    {"mul24", {"mul24.lo.u32 %r, 0x1000002, 3;", 6}},
    {"mad", {"mad.lo.u32 %r, 5, 6, 7;", 37}},
    {"mad24", {"mad24.lo.u32 %r, 0x1000002, 3, 1;", 7}},
    {"fma", {"fma.rn.f32 %f0, 0f40000000, 0f40400000, 0f3F800000; mov.b32 %r, %f0;", 0x40E00000}},
    {"sad", {"sad.u32 %r, 3, 10, 5;", 12}},
    {"addc", {"add.cc.u32 %s2, -1, 1; addc.u32 %r, 1, 2;", 4}},
    {"subc", {"sub.cc.u32 %s2, 0, 1; subc.u32 %r, 5, 2;", 2}},
    {"madc", {"add.cc.u32 %s2, -1, 1; madc.lo.u32 %r, 2, 3, 4;", 11}},
    {"rcp", {"rcp.rn.f32 %f0, 0f40800000; mov.b32 %r, %f0;", 0x3E800000}},
    {"sqrt", {"sqrt.rn.f32 %f0, 0f41100000; mov.b32 %r, %f0;", 0x40400000}},
    {"rsqrt", {"rsqrt.approx.f32 %f0, 0f40800000; mov.b32 %r, %f0;", 0x3F000000}},
    {"sin", {"sin.approx.f32 %f0, 0f80000000; mov.b32 %r, %f0;", 0x80000000}},
    {"cos", {"cos.approx.f32 %f0, 0f00000000; mov.b32 %r, %f0;", 0x3F800000}},
    {"lg2", {"lg2.approx.f32 %f0, 0f41000000; mov.b32 %r, %f0;", 0x40400000}},
    {"ex2", {"ex2.approx.f32 %f0, 0f40400000; mov.b32 %r, %f0;", 0x41000000}},
    {"tanh", {"tanh.approx.f32 %f0, 0fFF800000; mov.b32 %r, %f0;", 0xBF800000}},
    {"popc", {"popc.b32 %r, 0xFF01;", 9}},
    {"clz", {"clz.b32 %r, 1;", 31}},
    {"bfind", {"bfind.u32 %r, 17;", 4}},
    {"brev", {"brev.b32 %r, 1;", 0x80000000}},
    {"and", {"and.b32 %r, 12, 10;", 8}},
    {"or", {"or.b32 %r, 12, 10;", 14}},
    {"xor", {"xor.b32 %r, 12, 10;", 6}},
    {"not", {"not.b32 %r, 12;", 0xFFFFFFF3}},
    {"cnot", {"cnot.b32 %r, 0;", 1}},
    {"shl", {"shl.b32 %r, 3, 4;", 48}},
    {"shr", {"shr.s32 %r, -8, 1;", 0xFFFFFFFC}},
    {"shf", {"shf.l.wrap.b32 %r, 0x80000000, 1, 1;", 3}},
    {"bfe", {"bfe.u32 %r, 0xABCD, 4, 8;", 0xBC}},
    {"bfi", {"bfi.b32 %r, 15, 0, 4, 4;", 0xF0}},
    {"bmsk", {"bmsk.clamp.b32 %r, 4, 3;", 0x70}},
    {"szext", {"szext.clamp.s32 %r, 15, 4;", 0xFFFFFFFF}},
    {"fns", {"fns.b32 %r, 10, 0, 2;", 3}},
    {"prmt", {"prmt.b32 %r, 0x44332211, 0, 0x0123;", 0x11223344}},
    {"lop3", {"lop3.b32 %r, 12, 10, 5, 0x96;", 3}},
    {"dp4a", {"dp4a.u32.u32 %r, 0x01010101, 0x04030201, 10;", 20}},
    {"dp2a", {"dp2a.lo.u32.u32 %r, 0x00020001, 0x0201, 0;", 5}},
    // Video instructions: on single words, and on bytes or halves side by side.
    {"vadd", {"vadd.u32.u32.u32.sat %r, 0xFFFFFFF0, 0x20, 0;", 0x10}},
    {"vsub", {"vsub.s32.u32.u32.add %r, 5, 7, 10;", 8}},
    {"vabsdiff", {"vabsdiff.u32.s32.s32 %r, -3, 4;", 7}},
    {"vmin", {"vmin.s32.s32.u32 %r, -1, 1;", 0xFFFFFFFF}},
    {"vmax", {"vmax.s32.s32.u32 %r, -1, 1;", 1}},
    {"vshl", {"vshl.u32.u32.u32.wrap.add %r, 3, 33, 100;", 106}},
    {"vshr", {"vshr.s32.s32.u32.clamp %r, -8, 40;", 0xFFFFFFFF}},
    {"vset", {"vset.s32.u32.lt.add %r, -1, 0, 41;", 42}},
    {"vmad", {"vmad.s32.u32.s32.shr7 %r, 100, -5, 12;", 0xFFFFFFFC}},
    {"vadd4", {"vadd4.u32.u32.u32.sat %r, 0x01FF0280, 0x0102037F, 0;", 0x02FF05FF}},
    {"vadd2", {"vadd2.s32.s32.s32.sat %r, 0x7FFF8000, 0x0001FFFF, 0;", 0x7FFF8000}},
    {"vsub4", {"vsub4.u32.u32.u32 %r, 0x01000500, 0x02000300, 0;", 0xFF000200}},
    {"vsub2", {"vsub2.u32.u32.u32.sat %r, 0x00010005, 0x00020003, 0;", 0x00000002}},
    {"vavrg4", {"vavrg4.u32.u32.u32 %r, 0x01020304, 0x02020406, 0;", 0x02020405}},
    {"vavrg2", {"vavrg2.s32.s32.s32 %r, 0xFFFE0003, 0xFFFF0004, 0;", 0xFFFE0004}},
    {"vabsdiff4", {"vabsdiff4.u32.u32.u32 %r, 0x01FF0380, 0x02010300, 0;", 0x01FE0080}},
    {"vabsdiff2", {"vabsdiff2.u32.u32.u32.add %r, 0x00010005, 0x00030001, 10;", 16}},
    {"vmin4", {"vmin4.s32.s32.s32 %r, 0x0180FF05, 0x02017F03, 0;", 0x0180FF03}},
    {"vmin2", {"vmin2.u32.u32.u32 %r, 0x8000FFFF, 0x00010002, 0;", 0x00010002}},
    {"vmax4", {"vmax4.u32.u32.u32 %r, 0x0180FF05, 0x02017F03, 0;", 0x0280FF05}},
    {"vmax2", {"vmax2.s32.s32.s32 %r, 0x8000FFFF, 0x00010002, 0;", 0x00010002}},
    {"vset4", {"vset4.u32.u32.lt %r, 0x01020304, 0x02020204, 0;", 0x01000000}},
    {"vset2", {"vset2.s32.s32.ge.add %r, 0xFFFF0004, 0x00000004, 7;", 8}},
    {"testp", {"testp.infinite.f32 %p0, 0f7F800000; selp.u32 %r, 1, 0, %p0;", 1}},
    {"setp", {"setp.lt.u32 %p0, 1, 2; selp.u32 %r, 1, 0, %p0;", 1}},
    {"set", {"set.lt.u32.s32 %r, -1, 0;", 0xFFFFFFFF}},
    {"selp", {"setp.ne.u32 %p0, 1, 1; selp.u32 %r, 1, 9, %p0;", 9}},
    {"slct", {"slct.u32.s32 %r, 1, 2, -1;", 2}},
    {"mov", {"mov.b64 %l0, {7, 8}; mov.b64 {%s2, %r}, %l0;", 8}},
    {"cvt", {"cvt.rzi.s32.f32 %r, 0fC0200000;", 0xFFFFFFFE}},
    {"cvta",
     {"mov.u64 %l0, buffer; cvta.shared.u64 %l0, %l0; st.u32 [%l0], 5; cvta.to.shared.u64 %l0, %l0; "
      "ld.shared.u32 %r, [%l0];",
      5}},
    {"mapa",
     {"mov.u32 %s2, buffer; mapa.shared::cluster.u32 %s2, %s2, 0; st.shared::cluster.u32 [%s2], 8; "
      "ld.shared.u32 %r, [buffer];",
      8}},
    {"getctarank", {"mov.u32 %s2, buffer; getctarank.shared::cluster.u32 %r, %s2;", 0}},
    {"alloca",
     {"alloca.u64 %l0, 64, 32; st.local.u32 [%l0+60], 5; alloca.u64 %l1, 64, 32; st.local.u32 [%l1], 6; "
      "sub.u64 %l2, %l1, %l0; cvt.u32.u64 %s2, %l2; and.b64 %l0, %l0, 31; cvt.u32.u64 %s3, %l0; "
      "setp.ge.u32 %p0, %s2, 64; selp.u32 %r, %s3, 99, %p0;",
      0}},
    {"stacksave",
     {"stacksave.u64 %l0; alloca.u64 %l1, 4096; stacksave.u64 %l2; sub.u64 %l3, %l2, %l0; cvt.u32.u64 %s2, %l3; "
      "setp.ge.u32 %p0, %s2, 4096; selp.u32 %r, 1, 0, %p0;",
      1}},
    {"stackrestore",
     {"stacksave.u64 %l0; alloca.u64 %l1, 4096; stackrestore.u64 %l0; alloca.u64 %l2, 4096; sub.u64 %l3, %l2, %l1; "
      "cvt.u32.u64 %r, %l3;",
      0}},
    {"isspacep", {"isspacep.global %p0, %out; selp.u32 %r, 1, 0, %p0;", 1}},
    {"ld", {"mov.u32 %s2, 6; st.global.u32 [%out], %s2; ld.global.u32 %r, [%out];", 6}},
    {"ldu", {"mov.u32 %s2, 6; st.global.u32 [%out], %s2; ldu.global.u32 %r, [%out];", 6}},
    {"st", {"st.shared.u32 [buffer+4], 3; ld.shared.u32 %r, [buffer+4];", 3}},
    {"atom", {"st.global.u32 [%out], 3; atom.global.add.u32 %s2, [%out], 4; ld.global.u32 %r, [%out];", 7}},
    {"red", {"st.global.u32 [%out], 3; red.global.max.u32 [%out], 9; ld.global.u32 %r, [%out];", 9}},
    {"cp",
     {"st.global.u32 [%out], 3; mov.u32 %s2, buffer; mad.lo.u32 %s2, %tid, 4, %s2; "
      "cp.async.ca.shared.global [%s2], [%out], 4; cp.async.commit_group; cp.async.wait_group 0; "
      "ld.shared.u32 %r, [%s2];",
      3}},
    {"tensormap",  // the rank of what has the mark of a map
     {"st.shared.u32 [buffer+8], 0x544D4150; mov.u64 %l0, buffer; "
      "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%l0], 3; ld.shared.u8 %r, [buffer+12];",
      4}},
    {"createpolicy",
     {"createpolicy.fractional.L2::evict_last.b64 %l0, 0f3F800000; st.global.u32 [%out], 4; "
      "ld.global.L2::cache_hint.u32 %r, [%out], %l0;",
      4}},
    {"prefetch", {"prefetch.global.L2 [%out]; mov.u32 %r, 1;", 1}},
    {"prefetchu", {"prefetchu.L1 [%out]; mov.u32 %r, 1;", 1}},
    {"discard", {"and.b64 %l0, %out, -128; discard.global.L2 [%l0], 128; mov.u32 %r, 1;", 1}},
    {"applypriority", {"and.b64 %l0, %out, -128; applypriority.global.L2::evict_normal [%l0], 128; mov.u32 %r, 1;", 1}},
    {"shfl", {"shfl.sync.idx.b32 %r, %tid, 5, 31, -1;", 5}},
    {"vote", {"setp.lt.u32 %p0, %tid, 3; vote.sync.ballot.b32 %r, %p0, -1;", 7}},
    {"match", {"and.b32 %s2, %tid, 1; match.any.sync.b32 %r, %s2, -1;", 0x55555555}},
    {"redux", {"redux.sync.add.u32 %r, %tid, -1;", 496}},
    {"activemask", {"activemask.b32 %r;", 0xFFFFFFFF}},
    {"elect", {"elect.sync %s2|%p0, -1; selp.u32 %r, 1, 0, %p0;", 1}},
    {"bar", {"setp.lt.u32 %p0, %tid, 3; bar.red.popc.u32 %r, 0, %p0;", 3}},
    {"barrier", {"setp.lt.u32 %p0, %tid, 3; barrier.red.popc.u32 %r, 0, %p0;", 3}},
    {"mbarrier",
     {"mbarrier.init.shared.b64 [buffer], 1; mbarrier.arrive.shared.b64 %l0, [buffer]; "
      "mbarrier.pending_count.b64 %r, %l0;",
      1}},
    {"clusterlaunchcontrol",
     {"mbarrier.init.shared.b64 [buffer], 33; mbarrier.expect_tx.relaxed.cta.shared.b64 [buffer], 512; "
      "mov.u32 %s2, buffer; clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
      "[%s2+16], [%s2]; { .reg .b128 %w; ld.shared.b128 %w, [buffer+16]; "
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p0, %w; selp.u32 %r, 1, 2, %p0; }",
      2}},
    {"membar", {"membar.gl; mov.u32 %r, 1;", 1}},
    {"fence", {"fence.acq_rel.gpu; mov.u32 %r, 1;", 1}},
    {"bra", {"mov.u32 %r, 1; bra.uni OVER; mov.u32 %r, 2; OVER:", 1}},
    {"brx",
     {"mov.u32 %r, 1; TABLE: .branchtargets FIRST, SECOND; brx.idx 1, TABLE; FIRST: mov.u32 %r, 2; SECOND: "
      "add.u32 %r, %r, 10;",
      11}},
    {"call",
     {"{ .param .b32 a; .param .b32 b; st.param.b32 [a], 20; call (b), increased, (a); ld.param.b32 %r, [b]; }", 21}},
    {"ret", {"mov.u32 %r, 7; st.global.u32 [%out], %r; setp.eq.u32 %p0, %tid, 0; @%p0 ret; mov.u32 %r, 8;", 7}},
    {"exit", {"mov.u32 %r, 7; st.global.u32 [%out], %r; setp.eq.u32 %p0, %tid, 0; @%p0 exit; mov.u32 %r, 8;", 7}},
    {"trap", {"setp.gt.u32 %p0, %tid, 99; @%p0 trap; mov.u32 %r, 1;", 1}},
    {"brkpt", {"brkpt; mov.u32 %r, 1;", 1}},
    {"pmevent", {"pmevent 1; mov.u32 %r, 1;", 1}},
    {"nanosleep", {"nanosleep.u32 20; mov.u32 %r, 1;", 1}},
    {"griddepcontrol", {"griddepcontrol.wait; mov.u32 %r, 1;", 1}},
    {"setmaxnreg", {"setmaxnreg.inc.sync.aligned.u32 40; mov.u32 %r, 1;", 1}},
    {"tex", {"tex.1d.v4.u32.s32 {%r, %s2, %s3, %s4}, [%in, {3}];", 30}},
    {"tld4", {"tld4.r.2d.v4.u32.f32 {%r, %s2, %s3, %s4}, [%in, {0f40000000, 0f3F000000}];", 10}},
    {"suld", {"suld.b.1d.b32.trap %r, [%in, {8}];", 20}},
    {"sust", {"sust.b.1d.b32.trap [%in, {12}], 77; suld.b.1d.b32.trap %r, [%in, {12}];", 77}},
    // A and B full of ones: every element of the product is k.
    {"mma",
     {"mov.b32 %s2, 0x3C003C00; mov.f32 %f4, 0f00000000; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%f0, %f1, %f2, %f3}, {%s2, %s2, %s2, %s2}, {%s2, %s2}, {%f4, %f4, %f4, %f4}; mov.b32 %r, %f0;",
      0x41800000}},
    {"wmma",
     {"mov.b32 %s2, 0x3C003C00; mov.f32 %f4, 0f00000000; wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 "
      "{%f0, %f1, %f2, %f3, %f5, %f6, %f7, %f5}, {%s2, %s2, %s2, %s2, %s2, %s2, %s2, %s2}, "
      "{%s2, %s2, %s2, %s2, %s2, %s2, %s2, %s2}, {%f4, %f4, %f4, %f4, %f4, %f4, %f4, %f4}; mov.b32 %r, %f0;",
      0x41800000}},
    {"wgmma",
     {"mov.u32 %s2, buffer; mad.lo.u32 %s3, %tid, 32, %s2; mov.b32 %s4, 0x3C003C00; st.shared.v4.b32 [%s3], {%s4, %s4, "
      "%s4, %s4}; st.shared.v4.b32 [%s3+16], {%s4, %s4, %s4, %s4}; bar.sync 0; cvt.u64.u32 %l0, %s2; shr.u64 %l0, "
      "%l0, 4; or.b64 %l0, %l0, 0x0000001000080000; wgmma.fence.sync.aligned; "
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %l0, %l0, 0, 1, 1, 0, 0; "
      "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; mov.b32 %r, %f0;",
      0x41800000}},
    {"movmatrix", {"add.u32 %s2, %tid, 5; movmatrix.sync.aligned.m8n8.trans.b16 %r, %s2;", 5 | 9 << 16}},
    {"ldmatrix",
     {"mov.u32 %s2, buffer; mad.lo.u32 %s3, %tid, 4, %s2; add.u32 %s4, %tid, 3; st.shared.u32 [%s3], %s4; "
      "mad.lo.u32 %s3, %tid, 16, %s2; bar.warp.sync -1; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r}, [%s3];",
      3}},
    {"stmatrix",
     {"mov.u32 %s2, buffer; mad.lo.u32 %s3, %tid, 16, %s2; add.u32 %s4, %tid, 3; "
      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%s3], {%s4}; ld.shared.u32 %r, [buffer];",
      3}},
};

constexpr std::string_view declarations = R"(
.shared .align 16 .b8 buffer[4096];
.func (.param .b32 out) increased(.param .b32 n_) { .reg .b32 %n; ld.param.b32 %n, [n_]; add.u32 %n, %n, 1; st.param.b32 [out], %n; ret; }
)";

}  // namespace

TEST_CASE("every instruction of the table does what is known of it", "[engine]") {
    for (const std::string_view name : gpuproj::simulate::instruction_names()) {
        CAPTURE(name);
        const auto found = examples.find(name);
        REQUIRE(found != examples.end());
        const auto& [body, value] = found->second;
        CHECK(std::string(body).find(name) != std::string::npos);
        gpuproj::simulate::Texture texture;
        const auto prepare = [&](PtxRunner& runner) {
            texture.data =
                reinterpret_cast<std::byte*>(runner.allocate(std::vector<u32>{0, 10, 20, 30, 40, 50, 60, 70}).data());
            texture.width = 8;
            texture.row_bytes = texture.slice_bytes = 32;
            texture.kind = gpuproj::simulate::ChannelKind::unsigned_integer;
            return texture_handle(texture);
        };
        CHECK(run_threads(body, {}, declarations, prepare).values[0] == value);
    }
}

TEST_CASE("an opcode may be written with blanks, and a register be declared without", "[engine]") {
    CHECK(run_threads("{.reg.b32 own; mov .u32 own, 40; add\n.u32 %r, own, 2;}").values[0] == 42);
}

TEST_CASE("a function may be declared without a semicolon, as nvcc did before CUDA 4", "[engine]") {
    const std::string declared =
        ".visible .func (.param .u32 out) answer (.param .u32 in)\n.extern .func unused ()\n"
        ".global .u32 number = 2;\n.func unused_too ()\n.const .u32 other = 30;\n"
        ".visible .func (.param .u32 out) answer (.param .u32 in) { .reg .u32 %a; ld.param.u32 %a, [in];\n"
        "add.u32 %a, %a, 10; st.param.u32 [out], %a; ret; }";
    CHECK(run_threads("{.param .u32 a; .param .u32 b; ld.global.u32 %r, [number]; ld.const.u32 %s2, [other];\n"
                      "add.u32 %r, %r, %s2; st.param.u32 [a], %r; call (b), answer, (a); ld.param.u32 %r, [b];}",
                      {}, declared)
              .values[0] == 42);
}

TEST_CASE("variables of global and constant memory may be declared in a function, and in a block of it", "[engine]") {
    const std::string counts =
        ".func (.param .u32 out) counts() { .global .u32 number[2] = {7, 40}; .reg .u32 %a;\n"
        "atom.global.add.u32 %a, [number+4], 1; st.param.u32 [out], %a; ret; }";
    const auto result = run_threads(
        "{.global .u32 number = 1000; .const .u32 table[3] = {1, 2, 300}; .param .u32 back;\n"
        "{.global .u32 number = 50000; ld.global.u32 %s2, [number];}\n"
        "ld.global.u32 %r, [number]; add.u32 %r, %r, %s2; mov.u64 %l0, number; ld.u32 %s2, [%l0]; add.u32 %r, %r, "
        "%s2;\n"
        "ld.const.u32 %s2, [table+8]; add.u32 %r, %r, %s2; call (back), counts, (); ld.param.u32 %s2, [back];\n"
        "add.u32 %r, %r, %s2;}",
        {.block = {32, 1, 1}}, counts);
    REQUIRE_FALSE(result.report.fault);
    for (u32 i = 0; i < 32; ++i) CHECK(result.values[i] == 52'300 + 40 + i);  // lanes' atomics in their order
}

TEST_CASE("PTX as GCC writes it: parameters named like registers, several by one name, registers of vectors",
          "[engine]") {
    const std::string sum =
        ".func (.param .u32 %value_out) sum (.param .u32 %in_ar0, .param .u32 %in_ar1)\n"
        "{ .reg .u32 %a, %b; ld.param.u32 %a, [%in_ar0]; ld.param.u32 %b, [%in_ar1]; add.u32 %a, %a, %b;\n"
        "st.param.u32 [%value_out], %a; ret; }";
    CHECK(run_threads("{.param .u32 %P<2>; .param .u32 %back; st.param.u32 [%P0], 40; st.param.u32 [%P1], 2;\n"
                      "call (%back), sum, (%P0, %P1); ld.param.u32 %r, [%back];}",
                      {}, sum)
              .values[0] == 42);
    CHECK(run_threads("{.reg .v2 .u32 %two; .reg .v2 .u32 %copy; mov.v2.u32 %two, {30, -1}; mov.u32 %two.y, 12;\n"
                      "mov.v2.u32 %copy, %two; add.u32 %r, %copy.x, %copy.y;}")
              .values[0] == 42);
    CHECK(run_threads("{.reg .u32 %a, %b, %c; mov.u32 %a, 1; mov.u32 %b, 20; mov.u32 %c, 300;\n"
                      "mov.v2.u32 {%a, %b}, {%b, %a}; mov.v2.u32 {%b, %c}, {%c, %b}; mad.lo.u32 %r, %b, 1000, %c;\n"
                      "mad.lo.u32 %r, %r, 1000, %a;}")
              .values[0] == 300'001'020);
    CHECK(run_threads("{.reg .v2 .u32 %two<2>; mov.v2.u32 %two1, {30, -1}; mov.u32 %two1.y, 12;\n"
                      "mov.v2.u32 %two0, %two1; add.u32 %r, %two0.x, %two0.y;}")
              .values[0] == 42);
    CHECK(run_threads("{.reg .v2 .u32 %two; .shared .align 8 .b8 place[8]; mov.v2.u32 %two, {30, 12};\n"
                      "st.shared.v2.u32 [place], %two; ld.shared.u32 %r, [place+4];}")
              .values[0] == 12);
}

TEST_CASE("constant expressions are calculated, as the PTX ISA has them", "[engine]") {
    const std::vector<std::pair<std::string, std::int32_t>> expressions = {
        {"((128 >> 4) << 16)", 524288},
        {"2 + 3 * 4", 14},
        {"10 - 4 - 3", 3},
        {"-7 / 2", -3},
        {"-7 % 2", -1},
        {"~0x0F & 0xFF", 0xF0},
        {"1 << 2 | 1 ^ 1", 4},
        {"(3 > 2) && !(1 == 2)", 1},
        {"0 || 1 >= 2", 0},
        {"5 < 4 ? 10 : 6 != 6 ? 15 : 20", 20},
        {"-1 < 1 ? 1 : 2", 1},
        {"-1 < 1U ? 1 : 2", 2},  // without signs if one of the two is
        {"-1 >> 63", -1},
        {"(.u64) -1 >> 63", 1},
        {"(.s64)0xFFFFFFFFFFFFFFFF >> 63", -1},
        {"+3 - -4", 7},
        {"1 << 64", 0},
    };
    for (const auto& [text, value] : expressions) {
        CAPTURE(text);
        CHECK(run_threads("mov.s32 %r, " + text + ";").values[0] == static_cast<u32>(value));
    }
    const std::string table = ".global .u32 table[2 + 2] = {1 + 1, 3 * 7, (1 << 5), -1};";
    CHECK(run_threads("ld.global.u32 %r, [table + 2 * 2 + 4];", {}, table).values[0] == 32);
    CHECK(run_threads("ld.global.u32 %r, [table + 24 - 5 * 4];", {}, table).values[0] == 21);
    CHECK(run_threads("{.reg .b64 %a; mov.u64 %a, table[4 - 3]; ld.global.u32 %r, [%a + (8 >> 1)];}", {}, table)
              .values[0] == 32);
    for (const char* wrong : {"1 / 0", "1 % 0", "(1", "1 +", "(.u32) 1", "1 ? 2"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(run_threads("mov.u32 %r, " + std::string(wrong) + ";"), gpuproj::simulate::PtxError);
    }
    CHECK_THROWS_AS(run_threads("mov.u32 %r, " + std::string(100'000, '(') + "1;"), gpuproj::simulate::PtxError);
}

TEST_CASE("labels of a block are its own, and those around it are known in it", "[engine]") {
    CHECK(run_threads("mov.u32 %r, 0; AGAIN: { L: add.u32 %r, %r, 1; setp.lt.u32 %p0, %r, 3; @%p0 bra L; bra DONE; "
                      "{ L: bra DONE; } DONE: }"
                      "{ L: add.u32 %r, %r, 10; setp.lt.u32 %p0, %r, 30; @%p0 bra L; bra DONE; DONE: }"
                      "setp.lt.u32 %p0, %r, 60; { @%p0 bra AGAIN; bra END; } mov.u32 %r, 0; END: ")
              .values[0] == 66);
}

TEST_CASE("what an instruction may not have is refused by name before the launch", "[engine]") {
    const auto fault = run_threads("mov.u32 %r, 1; add.sideways.u32 %r, %r, 1;").report.fault;
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::unsupported);
    CHECK(fault->message.find("'add.sideways.u32'") != std::string::npos);
    CHECK(fault->message.find("modifier 'sideways'") != std::string::npos);
    CHECK(fault->message.find("of k") != std::string::npos);
}
