// How the addresses of a warp's lanes lie: what is checked, counted and moved can mostly be told from that alone.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// Eight addresses or offsets side by side, as the vector unit takes them.
inline constexpr std::uint32_t octet = 8;
template <class A>
using Octet [[gnu::vector_size(octet * sizeof(A))]] = A;

template <class A>
inline Octet<A> load_octet(const A* at) {
    Octet<A> v;
    std::memcpy(&v, at, sizeof(v));
    return v;
}
/// 0, bytes, 2 bytes, ... for a power of two up to 128 (what else there is does not matter: those are never rows).
template <class A>
inline Octet<A> steps(std::uint32_t bytes) {
    static constexpr auto table = [] {
        std::array<std::array<A, octet>, 8> rows{};
        for (std::uint32_t power = 0; power < rows.size(); ++power)
            for (std::uint32_t i = 0; i < octet; ++i) rows[power][i] = static_cast<A>(i) << power;
        return rows;
    }();
    return load_octet(table[static_cast<std::uint32_t>(std::countr_zero(bytes)) % table.size()].data());
}
template <class A>
inline bool is_zero(Octet<A> v) {
#ifdef __AVX2__
    __m256i any = _mm256_setzero_si256();
    for (std::size_t i = 0; i < sizeof(v) / sizeof(any); ++i)
        any = _mm256_or_si256(any, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&v) + i));
    return _mm256_testz_si256(any, any) != 0;
#else
    std::array<std::uint64_t, sizeof(v) / sizeof(std::uint64_t)> words;  // NOLINT(*-member-init): filled at once
    std::memcpy(words.data(), &v, sizeof(v));
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    return any == 0;
#endif
}

/// Of all lanes, none of them masked.
template <class A>
inline Lie lie_of_warp(const A* at, std::uint32_t bytes) {
#ifdef __AVX2__
    if constexpr (sizeof(A) == sizeof(std::int64_t)) {
        const auto step = static_cast<std::int64_t>(bytes);
        const __m256i first = _mm256_set1_epi64x(static_cast<std::int64_t>(at[0])), four = _mm256_set1_epi64x(4 * step);
        __m256i wanted = _mm256_setr_epi64x(0, step, 2 * step, 3 * step);
        __m256i row = _mm256_setzero_si256(), point = row;
        for (std::uint32_t lane = 0; lane < lanes; lane += 4) {
            const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + lane));
            const __m256i from_first = _mm256_sub_epi64(here, first);
            row = _mm256_or_si256(row, _mm256_xor_si256(from_first, wanted));
            point = _mm256_or_si256(point, from_first);
            wanted = _mm256_add_epi64(wanted, four);
        }
        if (_mm256_testz_si256(row, row) != 0) return Lie::row;
        return _mm256_testz_si256(point, point) != 0 ? Lie::point : Lie::apart;
    }
#endif
    Octet<A> row{}, point{};
    const Octet<A> step = steps<A>(bytes);
    for (std::uint32_t lane = 0; lane < lanes; lane += octet) {
        const Octet<A> from_first = load_octet(at + lane) - at[0];
        row |= from_first ^ (step + static_cast<A>(lane * bytes));
        point |= from_first;
    }
    if (is_zero<A>(row)) return Lie::row;
    return is_zero<A>(point) ? Lie::point : Lie::apart;
}

/// Of the lanes of `mask`, which is not 0. A row has no gaps.
template <class A>
inline Lie lie_of(const A* at, std::uint32_t mask, std::uint32_t bytes) {
    if (mask == full_mask) return lie_of_warp(at, bytes);
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    const A begin = at[first] - static_cast<A>(first * bytes);
    A row = 0, point = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const A on = A{0} - static_cast<A>((mask >> lane) & 1U);
        row |= ((at[lane] - begin) ^ static_cast<A>(lane * bytes)) & on;
        point |= (at[lane] ^ at[first]) & on;
    }
    const std::uint32_t run = mask >> first;
    if (row == 0 && (run & (run + 1)) == 0) return Lie::row;
    return point == 0 ? Lie::point : Lie::apart;
}

/// One bit for each lane that is in another 32-byte sector than the lane before it, the first among them; none at all
/// where an access of `bytes` may go beyond its sector.
inline std::uint32_t sector_changes(const std::uint64_t* at, std::uint32_t bytes) {
    constexpr int sector_bits = 5;
    std::uint32_t changes = 0;
#ifdef __AVX2__
    // Neighbours are shifted, not loaded: the addresses were often stored just now, and what lies across two stores
    // would have to wait for them.
    constexpr int one_on = 0x93;  // 3, 0, 1, 2
    constexpr int lowest = 0x03;  // of 32-bit words
    __m256i any = _mm256_setzero_si256(), last = any;
    for (std::uint32_t lane = 0; lane < lanes; lane += 4) {
        const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + lane));
        const __m256i moved = _mm256_permute4x64_epi64(here, one_on);
        const __m256i before = _mm256_blend_epi32(moved, last, lowest);
        last = moved;
        any = _mm256_or_si256(any, here);
        const __m256i differ = _mm256_srli_epi64(_mm256_xor_si256(here, before), sector_bits);
        const __m256i same = _mm256_cmpeq_epi64(differ, _mm256_setzero_si256());
        changes |= static_cast<std::uint32_t>(~_mm256_movemask_pd(_mm256_castsi256_pd(same)) & 0xF) << lane;
    }
    const __m256i low = _mm256_set1_epi64x(static_cast<std::int64_t>(bytes) - 1);
    const bool aligned = _mm256_testz_si256(any, low) != 0;
#else
    std::uint64_t bits = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        bits |= at[lane];
        if (lane > 0) changes |= static_cast<std::uint32_t>((at[lane] ^ at[lane - 1]) >> sector_bits != 0) << lane;
    }
    const bool aligned = (bits & (bytes - 1)) == 0;
#endif
    const bool inside = std::has_single_bit(bytes) && bytes <= 1U << sector_bits && aligned;
    return inside ? changes | 1U : 0;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
