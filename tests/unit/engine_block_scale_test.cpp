// mma.block_scale and ldmatrix of elements of 6 and 4 bits, against products of the matrices times their factors.
#include "tests/support/matrix_registers.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

struct Form {
    const char *kind, *type, *encoding, *factors;  // encoding: of an element in a register
    u32 k, parts;
    bool sparse = false;
};

/// Factors for each part of each row, and words of lanes that have them where the instruction looks; other lanes and
/// bytes have others.
struct Factors {
    std::vector<u32> words;
    Matrix values;
};
Factors factors_of(u32 rows, u32 parts, bool powers, u32 first_byte, u32 seed, const std::function<u32(u32)>& lane_of) {
    std::mt19937 random(seed);
    Factors factors{std::vector<u32>(32), Matrix(rows, parts)};
    for (u32& word : factors.words) word = static_cast<u32>(random());
    for (u32 row = 0; row < rows; ++row) {
        for (u32 part = 0; part < parts; ++part) {
            const auto power = static_cast<u32>(random() % 4);
            // ue8m0: 2^(raw - 127); ue4m3: 1.5 x 2^power.
            const u32 raw = powers ? 127 + power : (7 + power) << 3 | 4;
            factors.values.at(row, part) =
                powers ? std::ldexp(1.0, static_cast<int>(power)) : 1.5 * std::ldexp(1.0, static_cast<int>(power));
            u32& word = factors.words.at(lane_of(row));
            const u32 shift = 8 * (first_byte + part);
            word = (word & ~(0xFFU << shift)) | raw << shift;
        }
    }
    return factors;
}

void check(const Form& form, u32 byte_a, u32 lanes_a, u32 byte_b, u32 lane_b) {
    constexpr u32 m = 16, n = 8;
    const std::string name = fmt::format(
        "mma{}.sync.aligned.m16n8k{}.row.col.kind::{}.block_scale.scale_vec::{}X.f32.{}.{}.f32.{}",
        form.sparse ? ".sp::ordered_metadata" : "", form.k, form.kind, form.parts, form.type, form.type, form.factors);
    CAPTURE(name, byte_a, lanes_a, byte_b, lane_b);
    const bool powers = std::string_view(form.factors) == "ue8m0";
    const Factors of_rows =
        factors_of(m, form.parts, powers, byte_a, 5, [&](u32 row) { return row % 8 * 4 + 2 * lanes_a + row / 8; });
    const Factors of_columns = factors_of(n, form.parts, powers, byte_b, 6, [&](u32 col) { return col * 4 + lane_b; });
    const Sparse sparse = random_sparse(form.encoding, form.k, 0);
    const Matrix a = form.sparse ? sparse.dense : of_type(form.encoding, small_integers(m, form.k, 1));
    const Matrix b = of_type(form.encoding, small_integers(form.k, n, 2)), c = small_integers(m, n, 3);
    Matrix scaled_a = a, scaled_b = b;
    for (u32 k = 0; k < form.k; ++k) {
        const u32 part = k / (form.k / form.parts);
        for (u32 row = 0; row < m; ++row) scaled_a.at(row, k) *= of_rows.values.at(row, part);
        for (u32 col = 0; col < n; ++col) scaled_b.at(k, col) *= of_columns.values.at(col, part);
    }
    Product product{name,
                    fragments(form.sparse ? sparse.stored : a, form.encoding,
                              [&](u32 l, u32 i) { return of_a(form.encoding, m, l, i); }),
                    fragments(b, form.encoding, [&](u32 l, u32 i) { return of_b(form.encoding, l, i); }),
                    fragments(c, "f32", of_c)};
    product.words = {of_rows.words, of_columns.words, sparse.metadata};
    product.further = fmt::format("{}, %w0, {{{}, {}}}, %w1, {{{}, {}}}", form.sparse ? ", %w2, 0" : "", byte_a,
                                  lanes_a, byte_b, lane_b);
    require_product(product.run(), "f32", gpuproj::test::product(scaled_a, scaled_b, c));
}

}  // namespace

TEST_CASE("block-scaled mma multiplies parts of rows and columns by their factors", "[engine][matrix]") {
    for (const bool sparse : {false, true}) {
        for (const char* type : {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"}) {
            const Form form{"mxf8f6f4", type, type, "ue8m0", sparse ? 64U : 32U, 1, sparse};
            for (u32 i = 0; i < 4; ++i) check(form, i, i % 2, 3 - i, i);
        }
        for (const char* kind : {"mxf4", "mxf4nvf4"}) {
            const Form form{kind, "e2m1", "fp4", "ue8m0", sparse ? 128U : 64U, 2, sparse};
            check(form, 0, 0, 2, 3);
            check(form, 2, 1, 0, 1);
        }
        check({"mxf4nvf4", "e2m1", "fp4", "ue4m3", sparse ? 128U : 64U, 4, sparse}, 0, 1, 0, 2);
        check({"mxf4nvf4", "e2m1", "fp4", "ue8m0", sparse ? 128U : 64U, 4, sparse}, 0, 0, 0, 3);
    }
}

TEST_CASE("a factor of ue8m0 that is no number makes none of the row", "[engine][matrix]") {
    const Threads threads = run_threads(
        "mov.f32 %f0, 0f00000000; mov.u32 %s2, 0; setp.lt.u32 %p0, %tid, 4; selp.u32 %s6, 0xFF, 0x7F, %p0; mov.u32 "
        "%s7, 0x7F; mov.u16 %h0, 0; mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32"
        ".ue8m0 {%f0, %f1, %f2, %f3}, {%s2, %s2, %s2, %s2}, {%s2, %s2}, {%f0, %f0, %f0, %f0}, %s6, {%h0, %h0}, %s7, "
        "{%h0, %h0}; mov.b32 %r, %f0;");
    for (u32 lane = 0; lane < 32; ++lane) CHECK(std::isnan(from_bits<f32>(threads.values.at(lane))) == lane < 4);
}

TEST_CASE("factors that PTX does not have are refused", "[engine][matrix]") {
    const auto refused = [](const char* how, const char* factors) {
        const auto fault =
            run_threads(
                fmt::format("mma.sync.aligned.m16n8k64.row.col.kind::{}.f32.e2m1.e2m1.f32.{} {{%f0, %f1, %f2, %f3}}, "
                            "{{%s2, %s3, %s4, %s5}}, {{%s2, %s3}}, {{%f0, %f1, %f2, %f3}}, %s6, {{0, 0}}, %s7, {{0, "
                            "0}}; mov.u32 %r, 0;",
                            how, factors))
                .report.fault;
        REQUIRE(fault);
        CHECK(fault->kind == FaultKind::unsupported);
        return fault->message;
    };
    CHECK_THAT(refused("mxf4nvf4.block_scale", "ue4m3"), Catch::Contains("these factors"));
    CHECK_THAT(refused("mxf4nvf4.block_scale.scale_vec::2X", "ue4m3"), Catch::Contains("these factors"));
    CHECK_THAT(refused("mxf4.block_scale.scale_vec::4X", "ue8m0"), Catch::Contains("these factors"));
    CHECK_THAT(refused("f8f6f4.block_scale.scale_vec::1X", "ue8m0"), Catch::Contains("this product"));
}

TEST_CASE("block-scaled products count as many operations as others", "[engine][matrix]") {
    const auto metrics =
        run_threads(
            "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f0, %f1, %f2, %f3}, "
            "{%s2, %s3, %s4, %s5}, {%s2, %s3}, {%f0, %f1, %f2, %f3}, %s6, {0, 0}, %s7, {0, 0}; mov.u32 %r, 0;")
            .report.counted.metrics;
    CHECK(metrics.tensor_fp8->value == 2 * 16 * 8 * 64);
    CHECK(metrics.warp_inst_tensor->value == 1);
}

// 16 elements and what fills up 16 bytes; a lane gets four of them, each in a byte (figure of ldmatrix .m8n16).
TEST_CASE("ldmatrix makes bytes of elements of 6 and 4 bits", "[engine][matrix]") {
    for (const u32 bits : {6U, 4U}) {
        CAPTURE(bits);
        // Row r of matrix m, element e: a number of its own.
        const auto element = [&](u32 m, u32 r, u32 e) { return (m * 29 + r * 7 + e * 3) & ((1U << bits) - 1); };
        std::vector<u32> rows(std::size_t{32} * 4, 0xFFFFFFFFU);  // of 16 bytes
        for (u32 row = 0; row < 32; ++row) {
            std::array<u64, 2> both{0, ~u64{0}};
            for (u32 e = 0; e < 16; ++e) {
                for (u32 bit = 0; bit < bits; ++bit) {
                    const u32 at = e * bits + bit;
                    u64& half = both.at(at / 64);
                    half = (half & ~(u64{1} << at % 64)) | u64{element(row / 8, row % 8, e) >> bit & 1U} << at % 64;
                }
            }
            std::memcpy(&rows.at(std::size_t{row} * 4), both.data(), sizeof(both));
        }
        const std::string how = bits == 6 ? "b6x16_p32" : "b4x16_p64";
        for (u32 m = 0; m < 4; ++m) {
            expect_threads(
                fmt::format(
                    "mad.wide.u32 %l0, %tid, 16, %in; ld.global.v4.u32 {{%s2, %s3, %s4, %s5}}, [%l0]; mov.u32 "
                    "%s6, rows; mad.lo.u32 %s6, %tid, 16, %s6; st.shared.v4.u32 [%s6], {{%s2, %s3, %s4, %s5}}; "
                    "bar.sync 0; ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.{} {{%s7, %s8, %s9, %s10}}, [%s6]; "
                    "mov.u32 %r, %s{};",
                    how, 7 + m),
                [&](u32 lane) {
                    u32 word = 0;
                    for (u32 i = 0; i < 4; ++i) word |= element(m, lane / 4, lane % 4 * 4 + i) << 8 * i;
                    return word;
                },
                {}, ".shared .align 16 .b8 rows[512];",
                [&](PtxRunner& runner) { return reinterpret_cast<u64>(runner.allocate(rows).data()); });
        }
    }
}
