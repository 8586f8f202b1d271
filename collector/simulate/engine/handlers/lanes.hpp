// Building blocks of handlers: 32 lanes computed side by side, written where lanes are active.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "collector/simulate/engine/handlers/spec.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

// One per group; nullptr if the group does not have it.
Handler select_integer_arithmetic(const Spec& spec);
Handler select_integer_bits(const Spec& spec);
Handler select_integer_carry(const Spec& spec);
Handler select_integer_parts(const Spec& spec);
Handler select_floating(const Spec& spec);
Handler select_slow_way(const Spec& spec);
Handler select_half(const Spec& spec);
Handler select_move(const Spec& spec);
Handler select_convert(const Spec& spec);
Handler select_loads_stores(const Spec& spec);
Handler select_spaces(const Spec& spec);
Handler select_stack(const Spec& spec);
Handler select_parameters(const Spec& spec);
Handler select_copy_async(const Spec& spec);
Handler select_atomic(const Spec& spec);
Handler select_warp(const Spec& spec);
Handler select_mbarrier(const Spec& spec);
Handler select_bulk(const Spec& spec);
Handler select_tensor(const Spec& spec);
Handler select_control(const Spec& spec);
Handler select_matrix(const Spec& spec);
Handler select_warp_group(const Spec& spec);

template <class T>
inline void commit(T* d, const T* values, std::uint32_t exec) {
    if (exec == full_mask) {
        std::memcpy(d, values, sizeof(T) * lanes);
#ifdef __AVX2__
    } else if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
        // One bit of the mask for each element of a vector.
        constexpr std::uint32_t at_once = sizeof(__m256i) / sizeof(T);
        const __m256i mask = sizeof(T) == 4 ? _mm256_set1_epi32(static_cast<int>(exec)) : _mm256_set1_epi64x(exec);
        __m256i bit = sizeof(T) == 4 ? _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128) : _mm256_setr_epi64x(1, 2, 4, 8);
        for (std::uint32_t lane = 0; lane < lanes; lane += at_once) {
            const __m256i set = _mm256_and_si256(mask, bit);
            const __m256i on = sizeof(T) == 4 ? _mm256_cmpeq_epi32(set, bit) : _mm256_cmpeq_epi64(set, bit);
            auto* to = reinterpret_cast<__m256i*>(d + lane);
            const __m256i made = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + lane));
            _mm256_storeu_si256(to, _mm256_blendv_epi8(_mm256_loadu_si256(to), made, on));
            bit = sizeof(T) == 4 ? _mm256_slli_epi32(bit, at_once) : _mm256_slli_epi64(bit, at_once);
        }
#endif
    } else {
        for (int lane = 0; lane < lanes; ++lane) d[lane] = ((exec >> lane) & 1U) != 0 ? values[lane] : d[lane];
    }
}

/// Predicates are one bit per lane in a 32-bit word.
inline void commit_predicate(Warp& warp, Ref ref, std::uint32_t bits) {
    if (ref == no_ref) return;
    auto* d = destination<std::uint32_t>(warp, ref);
    *d = (*d & ~warp.exec) | (bits & warp.exec);
}
inline std::uint32_t predicate(const Warp& warp, Ref ref) {
    return *source<std::uint32_t>(warp, ref);
}

/// One bit per lane for which `holds`. Bytes first, then bits: the first loop vectorises.
template <class F>
inline std::uint32_t bits_of_lanes(F&& holds) {
    alignas(64) std::uint8_t held[lanes];
    for (int lane = 0; lane < lanes; ++lane) held[lane] = holds(lane) ? 1 : 0;
    std::uint32_t bits = 0;
    for (std::size_t group = 0; group < 4; ++group) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, held + 8 * group, 8);
        bits |= static_cast<std::uint32_t>((eight * 0x0102040810204080ULL) >> 56) << (8 * group);
    }
    return bits;
}

/// Calls body(lane) for the lanes of `mask`.
template <class F>
inline void for_lanes(std::uint32_t mask, F&& body) {
    if (mask == full_mask) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) body(lane);
        return;
    }
    for (; mask != 0; mask &= mask - 1) body(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

/// d[lane] = value(lane) for active lanes. `value` reads other registers, or d itself in its own lane only. Always
/// inline: what `value` refers to would be read again for each lane, and no loop vectorised.
template <class D, class F>
[[gnu::always_inline]] inline void each_lane(D* d, std::uint32_t exec, F&& value) {
    if (exec == full_mask) {
#ifndef __clang__
#pragma GCC ivdep
#endif
        for (int lane = 0; lane < lanes; ++lane) d[lane] = value(lane);
        return;
    }
    alignas(64) D out[lanes];
    for (int lane = 0; lane < lanes; ++lane) out[lane] = value(lane);
    commit(d, out, exec);
}

template <class D, class A, class F>
void unary(Warp& warp, const Inst& inst) {
    const A* a = source<A>(warp, inst.a);
    each_lane(destination<D>(warp, inst.d), warp.exec, [&](int lane) { return F::template apply<D, A>(a[lane]); });
}
template <class D, class A, class F>
void binary(Warp& warp, const Inst& inst) {
    const A* a = source<A>(warp, inst.a);
    const A* b = source<A>(warp, inst.b);
    each_lane(destination<D>(warp, inst.d), warp.exec,
              [&](int lane) { return F::template apply<D, A>(a[lane], b[lane]); });
}
/// c has the destination's type (mad.wide adds to the wide product).
template <class D, class A, class F>
void ternary(Warp& warp, const Inst& inst) {
    const A* a = source<A>(warp, inst.a);
    const A* b = source<A>(warp, inst.b);
    const D* c = source<D>(warp, inst.c);
    each_lane(destination<D>(warp, inst.d), warp.exec,
              [&](int lane) { return F::template apply<D, A>(a[lane], b[lane], c[lane]); });
}

/// Whether values of a PTX type are computed as T; untyped bits as unsigned integers.
template <class T>
constexpr bool computed_as(ptx::Type type) {
    using enum ptx::Type;
    if constexpr (std::is_same_v<T, float>) return type == f32;
    if constexpr (std::is_same_v<T, double>) return type == f64;
    if constexpr (std::is_same_v<T, std::uint8_t>) return type == u8 || type == b8;
    if constexpr (std::is_same_v<T, std::uint16_t>) return type == u16 || type == b16;
    if constexpr (std::is_same_v<T, std::uint32_t>) return type == u32 || type == b32;
    if constexpr (std::is_same_v<T, std::uint64_t>) return type == u64 || type == b64;
    if constexpr (std::is_same_v<T, std::int16_t>) return type == s16;
    if constexpr (std::is_same_v<T, std::int32_t>) return type == s32;
    if constexpr (std::is_same_v<T, std::int64_t>) return type == s64;
    return false;
}
/// What `handler`, a function of std::type_identity<T>, gives for the one of the types T that `type` is computed as;
/// nullptr if it is none of them.
template <class... T, class F>
Handler pick(ptx::Type type, F handler) {
    Handler found = nullptr;
    (void)((computed_as<T>(type) && ((found = handler(std::type_identity<T>{})), true)) || ...);
    return found;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
