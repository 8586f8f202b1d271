// mma, wmma, ldmatrix and stmatrix against plain matrix products; the fragments as the PTX ISA draws them (9.7.14).
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "collector/simulate/engine/matrix.hpp"
#include "tests/support/matrix_registers.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

void check_mma(u32 m, u32 n, u32 k, const char* d_type, const char* a_type, const char* extra = "") {
    const std::string name = std::string_view(extra).ends_with("popc")
                                 ? fmt::format("mma.sync.aligned.m{}n{}k{}.row.col.{}.{}.{}.{}{}", m, n, k, d_type,
                                               a_type, a_type, d_type, extra)
                                 : fmt::format("mma.sync.aligned.m{}n{}k{}.row.col{}.{}.{}.{}.{}", m, n, k, extra,
                                               d_type, a_type, a_type, d_type);
    INFO(name);
    const Matrix a = of_type(a_type, small_integers(m, k, 1)), b = of_type(a_type, small_integers(k, n, 2)),
                 c = small_integers(m, n, 3);
    Matrix want = gpuproj::test::product(a, b, c);
    if (std::string_view(extra).starts_with(".xor")) {  // as many as differ: |a - b| of bits
        want = c;
        for (u32 r = 0; r < m; ++r)
            for (u32 col = 0; col < n; ++col)
                for (u32 i = 0; i < k; ++i) want.at(r, col) += std::abs(a.at(r, i) - b.at(i, col));
    }
    const Product product{name, fragments(a, a_type, [&](u32 l, u32 i) { return of_a(a_type, m, l, i); }),
                          fragments(b, a_type, [&](u32 l, u32 i) { return of_b(a_type, l, i); }),
                          fragments(c, d_type, of_c)};
    require_product(product.run(), d_type, want);
}

void check_sparse(u32 k, const char* d_type, const char* a_type, u32 selectors, const char* sp = "sp") {
    for (u32 selector = 0; selector < selectors; ++selector) {
        constexpr u32 m = 16, n = 8;
        const std::string name =
            fmt::format("mma.{}.sync.aligned.m16n8k{}.row.col.{}.{}.{}.{}", sp, k, d_type, a_type, a_type, d_type);
        CAPTURE(name, selector);
        const Sparse a = random_sparse(a_type, k, selector);
        const Matrix b = of_type(a_type, small_integers(k, n, 2)), c = small_integers(m, n, 3),
                     want = gpuproj::test::product(a.dense, b, c);
        Product product{name, fragments(a.stored, a_type, [&](u32 l, u32 i) { return of_a(a_type, m, l, i); }),
                        fragments(b, a_type, [&](u32 l, u32 i) { return of_b(a_type, l, i); }),
                        fragments(c, d_type, of_c)};
        product.words = {a.metadata};
        product.further = fmt::format(", %w0, {}", selector);
        require_product(product.run(), d_type, want);
    }
}

void check_quarters(bool a_by_rows, bool b_by_rows, const char* type) {
    const std::string name = fmt::format("mma.sync.aligned.m8n8k4.{}.{}.{}.f16.f16.{}", a_by_rows ? "row" : "col",
                                         b_by_rows ? "row" : "col", type, type);
    INFO(name);
    // The matrices of the four products below each other.
    const Matrix a = small_integers(32, 4, 1), b = small_integers(16, 8, 2), c = small_integers(32, 8, 3);
    const auto below = [](u32 lane, At at, u32 rows) { return At{at.row + lane / 4 % 4 * rows, at.col}; };
    const auto in_a = [&](u32 l, u32 i) {
        const u32 row = l < 16 ? 0 : 4;
        return below(l, a_by_rows ? At{l % 4 + row, i} : At{i + row, l % 4}, 8);
    };
    const auto in_b = [&](u32 l, u32 i) {
        const u32 col = l < 16 ? 0 : 4;
        return below(l, b_by_rows ? At{l % 4, i + col} : At{i, l % 4 + col}, 4);
    };
    const auto in_c = [&](u32 l, u32 i) {
        const u32 row = l < 16 ? 0 : 4;
        if (std::string_view(type) == "f16") return below(l, {l % 4 + row, i}, 8);
        return below(l, {(l & 1U) + (i & 2U) + row, (i & 4U) + (l & 2U) + (i & 1U)}, 8);
    };
    Matrix want = c;
    for (u32 r = 0; r < 32; ++r)
        for (u32 col = 0; col < 8; ++col)
            for (u32 k = 0; k < 4; ++k) want.at(r, col) += a.at(r, k) * b.at(r / 8 * 4 + k, col);
    const Product product{name, fragments(a, "f16", in_a), fragments(b, "f16", in_b), fragments(c, type, in_c)};
    const auto out = product.run();
    for (u32 lane = 0; lane < 32; ++lane) {
        for (u32 i = 0; i < 8; ++i) {
            const At at = in_c(lane, i);
            CAPTURE(lane, i);
            REQUIRE(value_at(out, type, lane * 8 + i) == want.at(at.row, at.col));
        }
    }
}

}  // namespace

TEST_CASE("mma multiplies matrices held as the ISA draws them", "[engine][matrix]") {
    check_mma(16, 8, 16, "f32", "f16");
    check_mma(16, 8, 16, "f16", "f16");
    check_mma(16, 8, 8, "f32", "f16");
    check_mma(16, 8, 8, "f16", "f16");
    check_mma(16, 8, 16, "f32", "bf16");
    check_mma(16, 8, 8, "f32", "bf16");
    check_mma(16, 8, 8, "f32", "tf32");
    check_mma(16, 8, 4, "f32", "tf32");
    check_mma(16, 8, 32, "s32", "s8");
    check_mma(16, 8, 16, "s32", "s8");
    check_mma(8, 8, 16, "s32", "s8");
    check_mma(16, 8, 32, "s32", "s8", ".satfinite");
    check_mma(8, 8, 4, "f64", "f64");
    check_mma(16, 8, 4, "f64", "f64");
    check_mma(16, 8, 8, "f64", "f64");
    check_mma(16, 8, 16, "f64", "f64");
    for (const char* type : {"e4m3", "e5m2"}) {
        check_mma(16, 8, 32, "f32", type);
        check_mma(16, 8, 16, "f32", type);
        check_mma(16, 8, 32, "f16", type);
        check_mma(16, 8, 32, "f32", type, ".kind::f8f6f4");
    }
    for (const char* type : {"e2m3", "e3m2", "e2m1"}) check_mma(16, 8, 32, "f32", type, ".kind::f8f6f4");
    for (const char* type : {"s4", "u4"}) {
        check_mma(8, 8, 32, "s32", type);
        check_mma(16, 8, 32, "s32", type);
        check_mma(16, 8, 64, "s32", type, ".satfinite");
    }
    for (const char* how : {".xor.popc", ".and.popc"}) {
        check_mma(8, 8, 128, "s32", "b1", how);
        check_mma(16, 8, 128, "s32", "b1", how);
        check_mma(16, 8, 256, "s32", "b1", how);
    }
}

TEST_CASE("sparse mma takes the elements of A where its metadata says", "[engine][matrix]") {
    for (const char* sp : {"sp", "sp::ordered_metadata"}) {
        check_sparse(16, "f32", "f16", 4, sp);
        check_sparse(32, "f32", "f16", 2, sp);
        check_sparse(32, "f16", "f16", 2, sp);
        check_sparse(32, "f32", "bf16", 2, sp);
        check_sparse(8, "f32", "tf32", 4, sp);
        check_sparse(16, "f32", "tf32", 2, sp);
        for (const char* type : {"s8", "u8"}) {
            check_sparse(32, "s32", type, 2, sp);
            check_sparse(64, "s32", type, 1, sp);
        }
        for (const char* type : {"s4", "u4"}) {
            check_sparse(64, "s32", type, 2, sp);
            check_sparse(128, "s32", type, 1, sp);
        }
        for (const char* type : {"e4m3", "e5m2"}) check_sparse(64, "f32", type, 1, sp);
    }
    // What is not drawn in the ISA, or has no meaning there, is not guessed.
    const auto refused = [](const char* shape_and_types, int selector) {
        const auto fault =
            run_threads(fmt::format("mma.sp::ordered_metadata.sync.aligned.{} {{%s2, %s3, %s4, %s5}}, {{%s6, %s7, %s8, "
                                    "%s9}}, {{%s6, %s7, %s8, %s9}}, {{%s2, %s3, %s4, %s5}}, %s10, {}; mov.u32 %r, %s2;",
                                    shape_and_types, selector))
                .report.fault;
        REQUIRE(fault);
        CHECK(fault->kind == FaultKind::unsupported);
        return fault->message;
    };
    CHECK_THAT(refused("m16n8k32.row.col.f32.f16.f16.f32", 2), Catch::Contains("this sparsity selector"));
    CHECK_THAT(refused("m16n8k64.row.col.s32.s8.s8.s32", 1), Catch::Contains("this sparsity selector"));
    CHECK_THAT(refused("m16n8k128.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", 0), Catch::Contains("this sparse product"));
    CHECK_THAT(refused("m16n8k32.row.col.f32.f16.bf16.f32", 0), Catch::Contains("this sparse product"));
}

TEST_CASE("products that PTX does not have are refused by what is wrong", "[engine][matrix]") {
    struct Wrong {
        std::string how;  // the opcode behind mma.sync.aligned, unless it says where
        u32 a, b, c;      // registers
        const char* what;
    };
    const std::string halves = "m8n8k4.row.col", fp8 = ".f32.e4m3.e4m3.f32", fp16 = ".f32.f16.f16.f32";
    const std::vector<Wrong> all{
        {halves + ".kind::f8f6f4" + fp16, 2, 2, 8, "modifier 'kind::f8f6f4'"},
        {halves + ".kind::mxf4" + fp16, 2, 2, 8, "modifier 'kind::mxf4'"},
        {halves + ".block_scale" + fp16 + ".ue8m0", 2, 2, 8, "modifier 'block_scale'"},
        {halves + ".satfinite" + fp16, 2, 2, 8, "modifier 'satfinite'"},
        {halves + fp16 + ".xor.popc", 2, 2, 8, "modifier 'xor'"},
        {halves + ".f16.f16.f16.f32", 2, 2, 8, "this product"},
        {halves + ".s32.f16.f16.s32", 2, 2, 8, "this product"},
        {"m16n8k16.row.col.kind::f8f6f4" + fp16, 4, 2, 4, "this product"},
        {"m16n8k16.row.col.satfinite" + fp16, 4, 2, 4, "modifier 'satfinite'"},
        {"m16n8k16.row.col" + fp16 + ".and.popc", 4, 2, 4, "modifier 'and'"},
        {"m16n8k16.row.col" + fp16 + ".ue8m0", 4, 2, 4, "modifier 'ue8m0'"},
        {"m16n8k16.row.row" + fp16, 4, 2, 4, "this layout"},
        {"m16n8k16.col.row" + fp16, 4, 2, 4, "this layout"},
        {"m16n8k16.row.col.f32.f16.bf16.f32", 4, 2, 4, "this product"},
        {"m16n8k16.row.col.f32.f16.f16.s32", 4, 2, 4, "this product"},
        {"m16n8k16.row.col.f16.bf16.bf16.f16", 4, 2, 2, "this product"},
        {"m16n8k32.row.col" + fp16, 8, 4, 4, "this product"},
        {"m16n8k32.row.col.f32.e2m1.e2m1.f32", 4, 2, 4, "this product"},  // wants a kind
        {"m16n8k32.row.col.kind::mxf8f6f4" + fp8, 4, 2, 4, "this kind of factors"},
        {"m16n8k32.row.col.kind::f8f6f4.block_scale" + fp8 + ".ue8m0", 4, 2, 4, "modifier 'block_scale'"},
        {"m16n8k32.row.col.kind::f8f6f4.kind::mxf4" + fp8, 4, 2, 4, "modifier 'kind::mxf4'"},
        {"m16n8k32.row.col.scale_vec::1X" + fp8, 4, 2, 4, "modifier 'scale_vec::1X'"},
        {"m16n8k32.row.col.kind::f8f6f4.satfinite" + fp8, 4, 2, 4, "modifier 'satfinite'"},
        {"m16n8k32.row.col.s32.s8.s4.s32", 4, 2, 4, "this product"},
        {"m16n8k256.row.col.s32.b1.b1.s32", 4, 2, 4, "no operation on bits"},
        {"m16n8k256.row.col.satfinite.s32.b1.b1.s32.and.popc", 4, 2, 4, "modifier 'satfinite'"},
        {"mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4" + fp8, 4, 4, 4, "modifier 'sp'"},
        {"mma.sp.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16", 4, 4, 2, "modifier 'sp'"},
        {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.satfinite" + fp16, 4, 4, 4, "modifier 'satfinite'"},
        {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 4, 4, 4, "this sparse product"},
    };
    const auto list = [](u32 count) {
        std::string names = "%s2";
        for (u32 i = 1; i < count; ++i) names += fmt::format(", %s{}", 2 + i);
        return names;
    };
    for (const Wrong& wrong : all) {
        const bool whole = wrong.how.starts_with("mma.");
        const std::string opcode = (whole ? "" : "mma.sync.aligned.") + wrong.how;
        INFO(opcode);
        const auto fault =
            run_threads(fmt::format("{} {{{}}}, {{{}}}, {{{}}}, {{{}}}{}; mov.u32 %r, %s2;", opcode, list(wrong.c),
                                    list(wrong.a), list(wrong.b), list(wrong.c), whole ? ", %s10, 0" : ""))
                .report.fault;
        REQUIRE(fault);
        CHECK(fault->kind == FaultKind::unsupported);
        CHECK_THAT(fault->message, Catch::Contains(opcode) && Catch::Contains(wrong.what));
    }
}

TEST_CASE("tensor operations are counted by the type of what is multiplied", "[engine][matrix]") {
    const auto of = [](const std::string& opcode, u32 a, u32 b, u32 c) {
        const auto list = [](u32 count, u32 from) {
            std::string names;
            for (u32 i = 0; i < count; ++i) names += fmt::format("{}%s{}", i == 0 ? "" : ", ", i + from);
            return names;
        };
        return run_threads(fmt::format("{} {{{}}}, {{{}}}, {{{}}}, {{{}}}; mov.u32 %r, %s2;", opcode, list(c, 2),
                                       list(a, 6), list(b, 10), list(c, 12)))
            .report.counted.metrics;
    };
    // Of a sparse product half as many.
    const auto sparse =
        run_threads(
            "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%s2, %s3, %s4, %s5}, {%s6, %s7, %s8, %s9}, "
            "{%s6, %s7, %s8, %s9}, {%s2, %s3, %s4, %s5}, 0x44444444, 1; mov.u32 %r, %s2;")
            .report.counted.metrics;
    CHECK(sparse.tensor_fp16->value == 16 * 8 * 32);
    // 2 m n k for the warp.
    const auto fp8 = of("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 2, 4);
    CHECK(fp8.tensor_fp8->value == 2 * 16 * 8 * 32);
    CHECK(fp8.tensor_int8->value == 0);
    const auto int4 = of("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", 4, 2, 4);
    CHECK(int4.tensor_int4->value == 2 * 16 * 8 * 64);
    const auto int1 = of("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4);
    CHECK(int1.tensor_int1->value == 2 * 16 * 8 * 256);
    const auto int8 = of("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 4);
    CHECK(int8.tensor_int8->value == 2 * 16 * 8 * 32);
    CHECK(int8.tensor_fp8->value == 0);
}

// Kernels written for Volta multiply by it. What a lane has is as the ISA says it (9.7.14.5.1), which has it in words.
TEST_CASE("m8n8k4 multiplies four pairs of matrices of halves, each in eight lanes", "[engine][matrix]") {
    for (const bool a_by_rows : {true, false}) {
        for (const bool b_by_rows : {true, false}) {
            for (const char* type : {"f16", "f32"}) check_quarters(a_by_rows, b_by_rows, type);
        }
    }
}

TEST_CASE("movmatrix transposes eight rows of eight", "[engine][matrix]") {
    // Row r, column c holds 8 r + c.
    expect_threads(
        "shl.b32 %s2, %tid, 1; add.u32 %s3, %s2, 1; shl.b32 %s3, %s3, 16; or.b32 %s2, %s2, %s3; "
        "movmatrix.sync.aligned.m8n8.trans.b16 %r, %s2;",
        [](u32 l) { return 8 * (l % 4 * 2) + l / 4 | (8 * (l % 4 * 2 + 1) + l / 4) << 16; });
}

// What ptxas makes of wmma.load and .store for sm_80: LDSM.16.M88.4 of shared memory, four LDG.E of global memory, four
// LDG.E.64 and STG.E.64 of accumulators.
TEST_CASE("wmma reaches memory as the machine does", "[engine][matrix]") {
    const auto access = [](Fragment kind, ptx::Type type, std::uint32_t rows, std::uint32_t cols, bool shared) {
        const MatrixAccess made = access_of({.fragment = kind,
                                             .layout = FragmentLayout::wmma,
                                             .type = type,
                                             .bits = bit_count(type),
                                             .rows = rows,
                                             .cols = cols},
                                            shared);
        return std::pair(made.bytes, made.count);
    };
    using enum ptx::Type;
    CHECK(access(Fragment::a, f16, 16, 16, true) == std::pair(16U, 1U));
    CHECK(access(Fragment::b, bf16, 16, 8, true) == std::pair(16U, 1U));
    CHECK(access(Fragment::a, f16, 16, 16, false) == std::pair(4U, 4U));
    CHECK(access(Fragment::c, f32, 16, 16, true) == std::pair(8U, 4U));
    CHECK(access(Fragment::c, f32, 16, 16, false) == std::pair(8U, 4U));
    CHECK(access(Fragment::c, f16, 16, 16, false) == std::pair(4U, 4U));
    CHECK(access(Fragment::a, s8, 16, 16, false) == std::pair(4U, 2U));
    CHECK(access(Fragment::b, b1, 128, 8, false) == std::pair(4U, 1U));
    CHECK(access(Fragment::a, f64, 8, 4, false) == std::pair(8U, 1U));
    CHECK(access(Fragment::c, f64, 8, 8, false) == std::pair(16U, 1U));

    const auto piece = [](std::uint32_t bytes, std::uint32_t number) {
        const auto at = MatrixAccess{.bytes = bytes, .count = 1}.piece(number, 16, 32 / bytes);  // 16 x 16 halves
        return std::pair(at.line, at.place);
    };
    CHECK(piece(4, 5) == std::pair(1U, 1U));
    CHECK(piece(4, 31) == std::pair(7U, 3U));
    CHECK(piece(4, 32) == std::pair(8U, 0U));
    CHECK(piece(4, 64) == std::pair(0U, 4U));
    CHECK(piece(16, 15) == std::pair(15U, 0U));
    CHECK(piece(16, 16) == std::pair(0U, 1U));
}

TEST_CASE("wmma loads, multiplies and stores", "[engine][matrix]") {
    // The fragments are opaque: only what comes back to memory counts. Strides larger than the matrix.
    for (const bool a_rows : {true, false}) {
        for (const bool b_rows : {true, false}) {
            for (const bool d_rows : {true, false}) {
                CAPTURE(a_rows, b_rows, d_rows);
                constexpr u32 n = 16, stride = 24;
                const Matrix a = small_integers(n, n, 4), b = small_integers(n, n, 5), c = small_integers(n, n, 6);
                const Matrix want = product(a, b, c);
                PtxRunner runner;
                const auto place = [&](u32 r, u32 col, bool rows) {
                    return rows ? r * stride + col : col * stride + r;
                };
                const auto halves = [&](const Matrix& matrix, bool rows) {
                    const auto memory = runner.allocate<u16>(std::size_t{n} * stride);
                    for (u32 r = 0; r < n; ++r)
                        for (u32 col = 0; col < n; ++col)
                            memory[place(r, col, rows)] = round_to<f16>(matrix.at(r, col)).bits;
                    return memory;
                };
                const auto in_a = halves(a, a_rows), in_b = halves(b, b_rows);
                const auto accumulators = runner.allocate<f32>(std::size_t{n} * stride);
                for (u32 r = 0; r < n; ++r)
                    for (u32 col = 0; col < n; ++col)
                        accumulators[place(r, col, d_rows)] = static_cast<f32>(c.at(r, col));
                const auto name = [](bool rows) { return rows ? "row" : "col"; };
                const auto report =
                    runner.run(module_text(fmt::format(R"(
.visible .entry k(.param .u64 a_, .param .u64 b_, .param .u64 d_) {{
.reg .b32 %a<8>, %b<8>; .reg .f32 %c<8>; .reg .b64 %pa, %pb, %pd;
ld.param.u64 %pa, [a_]; ld.param.u64 %pb, [b_]; ld.param.u64 %pd, [d_];
wmma.load.a.sync.aligned.{0}.m16n16k16.global.f16 {{%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}}, [%pa], {3};
wmma.load.b.sync.aligned.{1}.m16n16k16.f16 {{%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}}, [%pb], {3};
wmma.load.c.sync.aligned.{2}.m16n16k16.global.f32 {{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}}, [%pd], {3};
wmma.mma.sync.aligned.{0}.{1}.m16n16k16.f32.f32 {{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}}, {{%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}},
    {{%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}}, {{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}};
wmma.store.d.sync.aligned.{2}.m16n16k16.global.f32 [%pd], {{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}}, {3};
ret;
}}
)",
                                                       name(a_rows), name(b_rows), name(d_rows), stride)),
                               {}, Arguments(in_a.data(), in_b.data(), accumulators.data()));
                INFO((report.fault ? report.fault->message : ""));
                REQUIRE_FALSE(report.fault);
                for (u32 r = 0; r < n; ++r) {
                    for (u32 col = 0; col < n; ++col)
                        REQUIRE(accumulators[place(r, col, d_rows)] == static_cast<f32>(want.at(r, col)));
                }
            }
        }
    }
}

TEST_CASE("ldmatrix and stmatrix move rows of eight halves", "[engine][matrix]") {
    // Matrix m, row r, column c holds 100 m + 8 r + c; the rows' addresses come from lanes 8 m + r.
    const std::string_view buffer = ".shared .align 16 .b8 rows[512];";
    const std::string fill = R"(
mov.u32 %s2, rows; mad.lo.u32 %s3, %tid, 16, %s2; shr.u32 %s4, %tid, 3; and.b32 %s5, %tid, 7;
mul.lo.u32 %s6, %s4, 100; mad.lo.u32 %s6, %s5, 8, %s6; mov.u32 %s7, 0;
FILL: mad.lo.u32 %s8, %s7, 2, %s3; add.u32 %s9, %s6, %s7; st.shared.u16 [%s8], %s9; add.u32 %s7, %s7, 1;
setp.lt.u32 %p0, %s7, 8; @%p0 bra FILL; bar.warp.sync -1;
)";
    const auto element = [](u32 m, u32 r, u32 c) { return 100 * m + 8 * r + c; };
    for (u32 m = 0; m < 4; ++m) {
        const std::string keep = fmt::format("mov.b32 %r, %s{};", 10 + m);
        expect_threads(
            fill + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%s10, %s11, %s12, %s13}, [%s3]; " + keep,
            [&](u32 l) { return element(m, l / 4, l % 4 * 2) | element(m, l / 4, l % 4 * 2 + 1) << 16; }, {}, buffer);
        expect_threads(
            fill + "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%s10, %s11, %s12, %s13}, [%s3]; " + keep,
            [&](u32 l) { return element(m, l % 4 * 2, l / 4) | element(m, l % 4 * 2 + 1, l / 4) << 16; }, {}, buffer);
        if (m < 2)
            expect_threads(
                fill + "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%s10, %s11}, [%s3]; " + keep,
                [&](u32 l) { return element(m, l / 4, l % 4 * 2) | element(m, l / 4, l % 4 * 2 + 1) << 16; }, {},
                buffer);
    }
    // What stmatrix writes ldmatrix reads; transposed twice is as it was, once is transposed.
    expect_threads(
        "mov.u32 %s2, rows; mad.lo.u32 %s3, %tid, 16, %s2; mul.lo.u32 %s4, %tid, 3; add.u32 %s5, %s4, 1; "
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%s3], {%s4, %s5}; bar.warp.sync -1; "
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%s6, %s7}, [%s3]; sub.u32 %s7, %s7, %s6; "
        "mad.lo.u32 %r, %s7, 1000, %s6;",
        [](u32 l) { return 1000 + 3 * l; }, {}, buffer);
    expect_threads(
        fill +
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%s10}, [%s3]; "
            "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%s3], {%s10}; bar.warp.sync -1; "
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r}, [%s3];",
        [&](u32 l) { return element(0, l % 4 * 2, l / 4) | element(0, l % 4 * 2 + 1, l / 4) << 16; }, {}, buffer);
}
