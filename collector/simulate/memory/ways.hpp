// Finds a line among the ways of a cache set, or the way to give up.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gpuproj::simulate {

/// Lines are told apart by the low halves of their numbers first; who finds one looks at the whole number.
constexpr std::uint32_t short_tag(std::uint64_t line) {
    return static_cast<std::uint32_t>(line);
}

/// One bit for each of the first `ways` tags (at most 32) that is `wanted`.
inline std::uint32_t matching_ways(const std::uint32_t* tags, std::uint32_t ways, std::uint32_t wanted) {
    std::uint32_t found = 0, way = 0;
#ifdef __SSE2__
    const __m128i all_wanted = _mm_set1_epi32(static_cast<int>(wanted));
    for (; way + 4 <= ways; way += 4) {
        const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags + way));
        const int same = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(four, all_wanted)));
        found |= static_cast<std::uint32_t>(same) << way;
    }
#endif
    for (; way < ways; ++way) found |= static_cast<std::uint32_t>(tags[way] == wanted) << way;
    return found;
}

/// The first of the least of `ways` numbers (at least one).
inline std::uint32_t least_of_ways(const std::uint32_t* numbers, std::uint32_t ways) {
#ifdef __SSE2__
    if (ways % 4 == 0) {
        // SSE2 compares signed numbers only.
        const __m128i sign = _mm_set1_epi32(INT32_MIN);
        const auto lesser = [](__m128i a, __m128i b) {
            const __m128i greater = _mm_cmpgt_epi32(a, b);
            return _mm_or_si128(_mm_and_si128(greater, b), _mm_andnot_si128(greater, a));
        };
        const auto four = [&](std::uint32_t way) {
            return _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers + way)), sign);
        };
        __m128i least = four(0);
        for (std::uint32_t way = 4; way < ways; way += 4) least = lesser(least, four(way));
        least = lesser(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(1, 0, 3, 2)));
        least = lesser(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(2, 3, 0, 1)));
        const auto value = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_xor_si128(least, sign)));
        return static_cast<std::uint32_t>(std::countr_zero(matching_ways(numbers, ways, value)));
    }
#endif
    return static_cast<std::uint32_t>(std::min_element(numbers, numbers + ways) - numbers);
}

}  // namespace gpuproj::simulate
