// Vector accesses, four lanes at a time: memory has a lane's elements side by side, registers an element of all lanes.
#pragma once

#include <emmintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace gpuproj::simulate::GPUPROJ_ISA {

/// Of eight words the first, the third and so on, and those between.
struct WordsApart {
    __m128i even, odd;
};
inline WordsApart words_apart(__m128i low, __m128i high) {
    constexpr int evens = 0x88, odds = 0xDD;
    const __m128 a = _mm_castsi128_ps(low), b = _mm_castsi128_ps(high);
    return {_mm_castps_si128(_mm_shuffle_ps(a, b, evens)), _mm_castps_si128(_mm_shuffle_ps(a, b, odds))};
}

/// Four lanes: `Bytes` each in memory, Bytes / sizeof(Word) elements. What a lane has is moved as a whole, as other
/// threads of the host may move it at the same time; volatile, since compilers divide other accesses.
template <class Word, std::uint32_t Bytes>
class FourLanes {
    static constexpr bool quads = sizeof(Word) == 4 && Bytes == 16, pairs = sizeof(Word) == 4 && Bytes == 8,
                          wide_pairs = sizeof(Word) == 8 && Bytes == 16;
    static_assert(quads || pairs || wide_pairs);

public:
    static constexpr std::uint32_t elements = Bytes / sizeof(Word);

    /// registers[i]: element i of all lanes, nullptr if it is not wanted; `first`: of the four.
    static void load(const std::array<const std::byte*, 4>& at, const std::array<Word*, elements>& registers,
                     std::size_t first) {
        if constexpr (quads) {
            const Rows e = turned({sixteen(at[0]), sixteen(at[1]), sixteen(at[2]), sixteen(at[3])});
            put(registers[0], first, e.a);
            put(registers[1], first, e.b);
            put(registers[2], first, e.c);
            put(registers[3], first, e.d);
        } else if constexpr (pairs) {
            const WordsApart e = words_apart(two(at[0], at[1]), two(at[2], at[3]));
            put(registers[0], first, e.even);
            put(registers[1], first, e.odd);
        } else {
            for (std::size_t half = 0; half < 4; half += 2) {
                const __m128i a = sixteen(at[half]), b = sixteen(at[half + 1]);
                put(registers[0], first + half, _mm_unpacklo_epi64(a, b));
                put(registers[1], first + half, _mm_unpackhi_epi64(a, b));
            }
        }
    }

    static void store(const std::array<Word*, elements>& registers, std::size_t first,
                      const std::array<std::byte*, 4>& at) {
        if constexpr (quads) {
            const Rows lane = turned({get(registers[0], first), get(registers[1], first), get(registers[2], first),
                                      get(registers[3], first)});
            sixteen(at[0], lane.a);
            sixteen(at[1], lane.b);
            sixteen(at[2], lane.c);
            sixteen(at[3], lane.d);
        } else if constexpr (pairs) {
            const __m128i a = get(registers[0], first), b = get(registers[1], first);
            two(at[0], at[1], _mm_unpacklo_epi32(a, b));
            two(at[2], at[3], _mm_unpackhi_epi32(a, b));
        } else {
            for (std::size_t half = 0; half < 4; half += 2) {
                const __m128i a = get(registers[0], first + half), b = get(registers[1], first + half);
                sixteen(at[half], _mm_unpacklo_epi64(a, b));
                sixteen(at[half + 1], _mm_unpackhi_epi64(a, b));
            }
        }
    }

private:
    struct Rows {
        __m128i a, b, c, d;
    };
    static Rows turned(const Rows& r) {
        const __m128i low_ab = _mm_unpacklo_epi32(r.a, r.b), low_cd = _mm_unpacklo_epi32(r.c, r.d);
        const __m128i high_ab = _mm_unpackhi_epi32(r.a, r.b), high_cd = _mm_unpackhi_epi32(r.c, r.d);
        return {_mm_unpacklo_epi64(low_ab, low_cd), _mm_unpackhi_epi64(low_ab, low_cd),
                _mm_unpacklo_epi64(high_ab, high_cd), _mm_unpackhi_epi64(high_ab, high_cd)};
    }
    static __m128i sixteen(const std::byte* at) { return *reinterpret_cast<const volatile __m128i*>(at); }
    static void sixteen(std::byte* at, __m128i value) { *reinterpret_cast<volatile __m128i*>(at) = value; }
    static std::int64_t eight(const std::byte* at) { return *reinterpret_cast<const volatile std::int64_t*>(at); }
    static __m128i two(const std::byte* a, const std::byte* b) { return _mm_set_epi64x(eight(b), eight(a)); }
    static void two(std::byte* a, std::byte* b, __m128i value) {
        *reinterpret_cast<volatile std::int64_t*>(a) = _mm_cvtsi128_si64(value);
        *reinterpret_cast<volatile std::int64_t*>(b) = _mm_cvtsi128_si64(_mm_unpackhi_epi64(value, value));
    }
    static __m128i get(const Word* from, std::size_t lane) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + lane));
    }
    static void put(Word* to, std::size_t lane, __m128i value) {
        if (to != nullptr) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + lane), value);
    }
};

}  // namespace gpuproj::simulate::GPUPROJ_ISA
