// Products of matrices of doubles, by rows: exact for all types of at most 16 bits.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __FMA__
#include <immintrin.h>
#endif

#include "collector/simulate/engine/handlers/fours.hpp"
#include "collector/simulate/engine/matrix.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// As a copy, several of them after each other would go through the stack, by narrow stores that the load waits for.
inline Four load_four(const double* from) {
#ifdef __FMA__
    return Four(_mm256_loadu_pd(from));
#else
    Four four;  // NOLINT(*-init-variables): filled at once
    std::memcpy(&four, from, sizeof(four));
    return four;
#endif
}

/// Exact: the products of the type are exact in double, so that a fused multiply-add changes nothing.
template <bool Exact>
inline Four multiply_add(double factor, Four b, Four sum) {
#ifdef __FMA__
    if constexpr (Exact) return Four(_mm256_fmadd_pd(_mm256_set1_pd(factor), __m256d(b), __m256d(sum)));
#endif
    return sum + factor * b;
}

/// add_product in vectors of four elements, several rows at a time.
template <std::uint32_t Columns, bool Exact>
inline void add_narrow_product(const MatrixPlan& plan, const double* a, const double* b, double* c) {
    constexpr std::uint32_t fours = Columns / 4, rows = fours < 8 ? 8 / fours : 1;
    for (std::size_t row = 0; row < plan.m; row += rows) {
        Four sum[rows][fours];
        std::memcpy(sum, c + row * Columns, sizeof(sum));
        for (std::size_t k = 0; k < plan.k; ++k) {
            Four line[fours];
            for (std::uint32_t f = 0; f < fours; ++f) line[f] = load_four(b + k * Columns + std::size_t{4} * f);
            for (std::uint32_t r = 0; r < rows; ++r)
                for (std::uint32_t f = 0; f < fours; ++f)
                    sum[r][f] = multiply_add<Exact>(a[(row + r) * plan.k + k], line[f], sum[r][f]);
        }
        std::memcpy(c + row * Columns, sum, sizeof(sum));
    }
}
#ifdef __FMA__
inline bool has_avx512() {
    static const bool has = __builtin_cpu_supports("avx512f") != 0;
    return has;
}
/// The same of what is exact, in vectors of eight: each element is the same sum in the same order.
template <std::uint32_t Columns>
[[gnu::target("avx512f")]] inline void add_wide_product(const MatrixPlan& plan, const double* a, const double* b,
                                                        double* c) {
    constexpr std::size_t wide = 8, in_row = Columns / wide, rows = 8 / in_row;
    for (std::size_t row = 0; row < plan.m; row += rows) {
        __m512d sum[rows][in_row];
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t i = 0; i < in_row; ++i) sum[r][i] = _mm512_loadu_pd(c + (row + r) * Columns + i * wide);
        for (std::size_t k = 0; k < plan.k; ++k) {
            __m512d line[in_row];
            for (std::size_t i = 0; i < in_row; ++i) line[i] = _mm512_loadu_pd(b + k * Columns + i * wide);
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t i = 0; i < in_row; ++i)
                    sum[r][i] = _mm512_fmadd_pd(_mm512_set1_pd(a[(row + r) * plan.k + k]), line[i], sum[r][i]);
        }
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t i = 0; i < in_row; ++i) _mm512_storeu_pd(c + (row + r) * Columns + i * wide, sum[r][i]);
    }
}
#endif
/// c += a b, where a has plan.m rows of plan.k and b rows of Columns; in vectors as wide as the host has them.
template <std::uint32_t Columns, bool Exact>
inline void add_product(const MatrixPlan& plan, const double* a, const double* b, double* c) {
#ifdef __FMA__
    if constexpr (Exact)
        if (has_avx512()) return add_wide_product<Columns>(plan, a, b, c);
#endif
    add_narrow_product<Columns, Exact>(plan, a, b, c);
}
template <bool Exact>
inline void add_product(const MatrixPlan& plan, const double* a, const double* b, double* c) {
    switch (plan.n) {
        case 8:
            return add_product<8, Exact>(plan, a, b, c);
        case 16:
            return add_product<16, Exact>(plan, a, b, c);
        default:
            return add_product<32, Exact>(plan, a, b, c);
    }
}

/// In which column of A each stored element of a sparse one is, row by row. Of every four neighbours two are stored,
/// and four bits of metadata are their places, the first one's the lower two. For 4-bit types the neighbours are pairs,
/// and for tf32 halves, so that one of two elements is stored (PTX ISA 9.7.14.6.1). Which lane has whose places is only
/// drawn there; here it is as CUTLASS gives them to the deepest shape of each type (reorder_meta in host_reorder.h;
/// ELayout of SM120_SPARSE_16x8x64_TN), whose halves the other shapes are, and ptxas for sm_90 makes bytes of 4-bit
/// numbers and leaves the metadata. Row r is in the lanes 4 (r mod 8) to 4 (r mod 8) + 3. Types of 16 bits and more: a
/// lane has four times four bits of a row, and above them those of the row eight below; the next columns are in the
/// next lane. Others: a lane has eight times four bits of a row, the next lane those of the row eight below, and the
/// next columns are two lanes further. The selector says which lanes of those of a shape are the first.
inline void place_stored(const MatrixPlan& plan, const std::uint32_t* metadata, std::uint8_t* columns) {
    const std::uint32_t bits = plan.a.bits, stored = plan.a.cols;
    const std::uint32_t each = bits == 32 ? 1 : bits == 4 ? 4 : 2;  // stored elements to four bits of metadata
    const std::uint32_t per_row = stored / each;
    const bool small = bits <= 8;
    for (std::uint32_t row = 0; row < plan.m; ++row) {
        const std::uint32_t group = row % 8 * 4, lower = row / 8;
        for (std::uint32_t i = 0; i < per_row; ++i) {
            const std::uint32_t lane =
                small ? group + 2 * plan.selector + i / 8 * 2 + lower : group + per_row / 4 * plan.selector + i / 4;
            const std::uint32_t code = metadata[lane] >> (small ? 4 * (i % 8) : 16 * lower + 4 * (i % 4)) & 0xFU;
            const std::array<std::uint32_t, 2> place{code & 3U, code >> 2};
            std::uint8_t* to = columns + std::size_t{row} * stored + std::size_t{i} * each;
            for (std::uint32_t part = 0; part < each; ++part) {
                const std::uint32_t in_chunk = bits == 32  ? place[0] / 2
                                               : bits == 4 ? 2 * place[part / 2] + part % 2
                                                           : place[part];
                to[part] = static_cast<std::uint8_t>(2 * each * i + in_chunk);
            }
        }
    }
}
/// c += a b, where a has the elements that are stored of A, in these columns. The others are not multiplied at all,
/// even by what is infinite.
inline void add_sparse_product(const MatrixPlan& plan, const double* a, const std::uint8_t* columns, const double* b,
                               double* c) {
    constexpr std::uint32_t width = 8;
    const std::uint32_t stored = plan.a.cols;
    for (std::uint32_t row = 0; row < plan.m; ++row) {
        double sum[width];
        std::memcpy(sum, c + std::size_t{row} * width, sizeof(sum));
        for (std::uint32_t i = 0; i < stored; ++i) {
            const double factor = a[row * stored + i];
            const double* line = b + std::size_t{columns[row * stored + i]} * width;
            for (std::uint32_t col = 0; col < width; ++col) sum[col] += factor * line[col];
        }
        std::memcpy(c + std::size_t{row} * width, sum, sizeof(sum));
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
