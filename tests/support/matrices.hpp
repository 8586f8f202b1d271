// Matrices of small whole numbers, what their elements are in the types of matrix instructions, and in which lane
// registers have them, as the PTX ISA draws it (9.7.14).
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <string_view>
#include <vector>

#include "tests/support/half.hpp"

namespace gpuproj::test {

struct Matrix {
    u32 rows, cols;
    std::vector<f64> values;
    Matrix(u32 r, u32 c) : rows(r), cols(c), values(std::size_t{r} * c) {}
    f64& at(u32 r, u32 c) { return values.at(std::size_t{r} * cols + c); }
    f64 at(u32 r, u32 c) const { return values.at(std::size_t{r} * cols + c); }
};
/// Small integers, so that every format and every order of summation is exact.
inline Matrix small_integers(u32 rows, u32 cols, u32 seed) {
    std::mt19937 random(seed);
    Matrix matrix(rows, cols);
    for (f64& value : matrix.values) value = static_cast<f64>(random() % 9) - 4;
    return matrix;
}
inline Matrix product(const Matrix& a, const Matrix& b, const Matrix& c) {
    Matrix d = c;
    for (u32 r = 0; r < d.rows; ++r)
        for (u32 n = 0; n < d.cols; ++n)
            for (u32 k = 0; k < a.cols; ++k) d.at(r, n) += a.at(r, k) * b.at(k, n);
    return d;
}

inline u32 width_of(std::string_view type) {
    return type == "f64"                                      ? 64
           : type == "f32" || type == "s32" || type == "tf32" ? 32
           : type.ends_with("16")                             ? 16
           : type == "s4" || type == "u4" || type == "fp4"    ? 4
           : type == "b1"                                     ? 1
                                                              : 8;
}
inline u32 bytes_of(std::string_view type) {
    return width_of(type) / 8;
}
/// Numbers that the type has.
inline Matrix of_type(std::string_view type, Matrix matrix) {
    for (f64& value : matrix.values) {
        if (type.front() == 'u') value = std::abs(value);
        if (type == "b1") value = value > 0 ? 1 : 0;
    }
    return matrix;
}
/// Of e4m3 and its like, from their definition: the whole numbers to 4 need up to two bits of fraction.
inline u64 encoded_small(int bias, int fraction_bits, f64 value, u32 bits = 8) {
    if (value == 0) return 0;
    const int exponent = std::ilogb(value);
    const f64 fraction = std::fabs(std::ldexp(value, -exponent)) - 1;
    return (value < 0 ? u32{1} << (bits - 1) : 0U) | static_cast<unsigned>(exponent + bias) << fraction_bits |
           static_cast<unsigned>(std::ldexp(fraction, fraction_bits));
}
inline u64 encoded(std::string_view type, f64 value) {
    if (type == "f64") return bits_of(value);
    if (type == "f32" || type == "tf32") return bits_of(static_cast<f32>(value));
    if (type == "f16") return round_to<f16>(value).bits;
    if (type == "bf16") return round_to<bf16>(value).bits;
    if (type == "e4m3") return encoded_small(7, 3, value);
    if (type == "e5m2") return encoded_small(15, 2, value);
    if (type == "e2m3") return encoded_small(1, 3, value, 6);
    if (type == "e3m2") return encoded_small(3, 2, value, 6);
    if (type == "fp4") return encoded_small(1, 1, value, 4);
    if (type == "e2m1") return encoded_small(1, 1, value, 4) << 2;  // in a byte of its own
    return static_cast<u64>(static_cast<s64>(value)) & ((u64{1} << width_of(type)) - 1);
}
inline f64 decoded(std::string_view type, u64 bits) {
    if (type == "f64") return from_bits<f64>(bits);
    if (type == "f32") return f64{from_bits<f32>(bits)};
    if (type == "f16") return value_of(f16{static_cast<u16>(bits)});
    return static_cast<s32>(static_cast<u32>(bits));
}

struct At {
    u32 row, col;
};
/// Element `i` of a lane's part of A. A register holds 4 bytes of neighbours in a row (f64: one); the registers go down
/// 8 rows first, then to the next columns.
inline At of_a(std::string_view type, u32 m, u32 lane, u32 i) {
    const u32 each = std::max(1U, 32 / width_of(type)), reg = i / each, down = m / 8;
    return {lane / 4 + 8 * (reg % down), lane % 4 * each + i % each + 4 * each * (reg / down)};
}
inline At of_b(std::string_view type, u32 lane, u32 i) {
    const u32 each = std::max(1U, 32 / width_of(type));
    return {lane % 4 * each + i % each + 4 * each * (i / each), lane / 4};
}
inline At of_c(u32 lane, u32 i) {
    return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
}

/// A matrix of which only half of the elements are stored, and the metadata that tells which, a word for each lane.
struct Sparse {
    Matrix dense, stored;
    std::vector<u32> metadata;
};
/// As CUTLASS lays them out for the instruction (host_reorder.h; SM120_SPARSE_16x8x64_TN::ELayout), whose pieces those
/// of half the depth are. `which`: one of several that differ.
inline Sparse random_sparse(std::string_view type, u32 k, u32 selector, u32 which = 0) {
    constexpr u32 rows = 16;
    const u32 width = width_of(type), chunk = width == 32 ? 2 : width == 4 ? 8 : 4, each = chunk / 2;
    const Matrix full = of_type(type, small_integers(rows, k, 7 + which));
    Sparse sparse{Matrix(rows, k), Matrix(rows, k / 2), std::vector<u32>(32)};
    std::mt19937 random(selector + k + 1000 * which);
    for (u32& word : sparse.metadata) word = static_cast<u32>(random());  // of lanes that are not asked
    const u32 of_a_lane = (width >= 16 ? 4 : 8) * chunk;                  // columns
    for (u32 row = 0; row < rows; ++row) {
        for (u32 col = 0; col < k; col += chunk) {
            static constexpr std::array<u32, 6> pairs{0x4, 0x8, 0x9, 0xC, 0xD, 0xE};
            const u32 code = width == 32 ? (random() % 2 == 0 ? 0x4U : 0xEU) : pairs.at(random() % pairs.size());
            for (u32 i = 0; i < each; ++i) {
                const u32 first = code & 3, second = code >> 2;
                const u32 place = width == 32  ? (code == 0x4 ? 0 : 1)
                                  : width == 4 ? 2 * (i < 2 ? first : second) + i % 2
                                               : (i == 0 ? first : second);
                sparse.dense.at(row, col + place) = full.at(row, col + place);
                sparse.stored.at(row, col / 2 + i) = full.at(row, col + place);
            }
            const u32 lanes_before = selector * (width >= 16 ? std::max(1U, k / of_a_lane) : 2);
            const u32 lane =
                row % 8 * 4 + lanes_before + (width >= 16 ? col / of_a_lane : 2 * (col / of_a_lane) + row / 8);
            const u32 shift = (width >= 16 ? row / 8 * 16 : 0) + col % of_a_lane / chunk * 4;
            u32& word = sparse.metadata.at(lane);
            word = (word & ~(0xFU << shift)) | code << shift;
        }
    }
    return sparse;
}

}  // namespace gpuproj::test
