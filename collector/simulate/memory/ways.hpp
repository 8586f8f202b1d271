// Finds a line among the ways of a cache set.
#pragma once

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

}  // namespace gpuproj::simulate
