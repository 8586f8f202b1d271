// Moves, selection, comparison, packing, special registers (PTX ISA 9.7.6, 9.7.7, 9.7.9, 10).
#include <cmath>

#include "collector/simulate/engine/handlers/half.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/special_registers.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

template <class T>
void move(Warp& warp, const Inst& inst) {
    commit(destination<T>(warp, inst.d), source<T>(warp, inst.a), warp.exec);
}
struct Bits128 {
    std::uint64_t low, high;
};
void move_predicate(Warp& warp, const Inst& inst) {
    commit_predicate(warp, inst.d, predicate(warp, inst.a));
}

/// Logic on predicates.
void and_predicate(Warp& warp, const Inst& inst) {
    commit_predicate(warp, inst.d, predicate(warp, inst.a) & predicate(warp, inst.b));
}
void or_predicate(Warp& warp, const Inst& inst) {
    commit_predicate(warp, inst.d, predicate(warp, inst.a) | predicate(warp, inst.b));
}
void xor_predicate(Warp& warp, const Inst& inst) {
    commit_predicate(warp, inst.d, predicate(warp, inst.a) ^ predicate(warp, inst.b));
}
void not_predicate(Warp& warp, const Inst& inst) {
    commit_predicate(warp, inst.d, ~predicate(warp, inst.a));
}

template <class T>
void select(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const T* b = source<T>(warp, inst.b);
    const std::uint32_t p = predicate(warp, inst.c);
    alignas(64) T out[lanes];
    for (int lane = 0; lane < lanes; ++lane) out[lane] = ((p >> lane) & 1U) != 0 ? a[lane] : b[lane];
    commit(destination<T>(warp, inst.d), out, warp.exec);
}

/// slct d, a, b, c: a if c >= 0.
template <class T, class C>
void select_by_sign(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const T* b = source<T>(warp, inst.b);
    const C* c = source<C>(warp, inst.c);
    alignas(64) T out[lanes];
    for (int lane = 0; lane < lanes; ++lane) out[lane] = c[lane] >= C{0} ? a[lane] : b[lane];
    commit(destination<T>(warp, inst.d), out, warp.exec);
}

// Comparisons: T is what is compared; 16-bit floats are widened.
template <Compare C, class T>
inline bool compare(T a, T b) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
        const bool ordered = a == a && b == b;
        switch (C) {
            case Compare::eq:
                return a == b;
            case Compare::ne:
                return ordered && a != b;
            case Compare::lt:
                return a < b;
            case Compare::le:
                return a <= b;
            case Compare::gt:
                return a > b;
            case Compare::ge:
                return a >= b;
            case Compare::equ:
                return !ordered || a == b;
            case Compare::neu:
                return a != b;
            case Compare::ltu:
                return !(a >= b);
            case Compare::leu:
                return !(a > b);
            case Compare::gtu:
                return !(a <= b);
            case Compare::geu:
                return !(a < b);
            case Compare::num:
                return ordered;
            case Compare::nan:
                return !ordered;
        }
    } else {
        switch (C) {
            case Compare::eq:
                return a == b;
            case Compare::ne:
                return a != b;
            case Compare::lt:
                return a < b;
            case Compare::le:
                return a <= b;
            case Compare::gt:
                return a > b;
            case Compare::ge:
                return a >= b;
            default:
                return false;
        }
    }
    return false;
}

inline float flush(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return (bits & 0x7F800000U) == 0 ? std::bit_cast<float>(bits & 0x80000000U) : x;
}
template <class T>
inline auto widen(T x) {
    return x;
}
inline float widen(Half x) {
    return to_float(x);
}
inline float widen(BFloat x) {
    return to_float(x);
}

template <class T, Compare C, bool Ftz>
inline std::uint32_t compare_lanes(const Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const T* b = source<T>(warp, inst.b);
    // Bytes first, then bits: the first loop vectorises.
    alignas(64) std::uint8_t holds[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        auto x = widen(a[lane]), y = widen(b[lane]);
        if constexpr (Ftz) {
            x = flush(x);
            y = flush(y);
        }
        holds[lane] = compare<C>(x, y) ? 1 : 0;
    }
    std::uint32_t bits = 0;
    for (int group = 0; group < 4; ++group) {
        std::uint64_t eight;
        std::memcpy(&eight, holds + 8 * group, 8);
        bits |= static_cast<std::uint32_t>((eight * 0x0102040810204080ULL) >> 56) << (8 * group);
    }
    return bits;
}

/// setp d|e, a, b {, c}. mode: boolean operation with c: 0 none, 1 and, 2 or, 3 xor. e gets the negated comparison.
template <class T, Compare C, bool Ftz>
void set_predicate(Warp& warp, const Inst& inst) {
    const std::uint32_t holds = compare_lanes<T, C, Ftz>(warp, inst);
    const auto combine = [&](std::uint32_t bits) {
        if (inst.mode == 0) return bits;
        const std::uint32_t c = predicate(warp, inst.c);
        return inst.mode == 1 ? bits & c : inst.mode == 2 ? bits | c : bits ^ c;
    };
    const std::uint32_t first = combine(holds), second = combine(~holds);
    commit_predicate(warp, inst.d, first);
    commit_predicate(warp, inst.e, second);
}

/// set.cmp.dtype.stype: all ones or 1.0 where it holds. imm: the bits of "true"; d_width: bytes.
template <class T, Compare C, bool Ftz>
void set_value(Warp& warp, const Inst& inst) {
    std::uint32_t holds = compare_lanes<T, C, Ftz>(warp, inst);
    if (inst.mode != 0) {
        const std::uint32_t c = predicate(warp, inst.c);
        holds = inst.mode == 1 ? holds & c : inst.mode == 2 ? holds | c : holds ^ c;
    }
    for (int lane = 0; lane < lanes; ++lane) {
        if (((warp.exec >> lane) & 1U) == 0) continue;
        const std::uint64_t value = ((holds >> lane) & 1U) != 0 ? static_cast<std::uint64_t>(inst.imm) : 0;
        std::memcpy(destination<std::byte>(warp, inst.d) + static_cast<std::size_t>(lane) * inst.d_width, &value,
                    inst.d_width);
    }
}

/// Packed halves: d gets the low one's, e the high one's predicate.
template <class H, Compare C>
void set_predicate_pair(Warp& warp, const Inst& inst) {
    const H* a = source<H>(warp, inst.a);
    const H* b = source<H>(warp, inst.b);
    std::uint32_t low = 0, high = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        low |= static_cast<std::uint32_t>(compare<C>(to_float(a[2 * lane]), to_float(b[2 * lane]))) << lane;
        high |= static_cast<std::uint32_t>(compare<C>(to_float(a[2 * lane + 1]), to_float(b[2 * lane + 1]))) << lane;
    }
    commit_predicate(warp, inst.d, low);
    commit_predicate(warp, inst.e, high);
}
/// set.cmp.f16x2.f16x2 and set.cmp.u32.f16x2: imm holds "true" for one half.
template <class H, Compare C>
void set_value_pair(Warp& warp, const Inst& inst) {
    const H* a = source<H>(warp, inst.a);
    const H* b = source<H>(warp, inst.b);
    auto* d = destination<std::uint16_t>(warp, inst.d);
    for (int lane = 0; lane < lanes; ++lane) {
        if (((warp.exec >> lane) & 1U) == 0) continue;
        for (int part = 0; part < 2; ++part) {
            const int at = 2 * lane + part;
            d[at] =
                compare<C>(to_float(a[at]), to_float(b[at])) ? static_cast<std::uint16_t>(inst.imm) : std::uint16_t{0};
        }
    }
}

template <class T, Compare C, bool Ftz>
Handler pick_set(bool value) {
    return value ? set_value<T, C, Ftz> : set_predicate<T, C, Ftz>;
}
template <class T, bool Ftz, bool Float>
Handler pick_compare(Compare c, bool value) {
    switch (c) {
        case Compare::eq:
            return pick_set<T, Compare::eq, Ftz>(value);
        case Compare::ne:
            return pick_set<T, Compare::ne, Ftz>(value);
        case Compare::lt:
            return pick_set<T, Compare::lt, Ftz>(value);
        case Compare::le:
            return pick_set<T, Compare::le, Ftz>(value);
        case Compare::gt:
            return pick_set<T, Compare::gt, Ftz>(value);
        case Compare::ge:
            return pick_set<T, Compare::ge, Ftz>(value);
        default:
            break;
    }
    if constexpr (Float) {
        switch (c) {
            case Compare::equ:
                return pick_set<T, Compare::equ, Ftz>(value);
            case Compare::neu:
                return pick_set<T, Compare::neu, Ftz>(value);
            case Compare::ltu:
                return pick_set<T, Compare::ltu, Ftz>(value);
            case Compare::leu:
                return pick_set<T, Compare::leu, Ftz>(value);
            case Compare::gtu:
                return pick_set<T, Compare::gtu, Ftz>(value);
            case Compare::geu:
                return pick_set<T, Compare::geu, Ftz>(value);
            case Compare::num:
                return pick_set<T, Compare::num, Ftz>(value);
            case Compare::nan:
                return pick_set<T, Compare::nan, Ftz>(value);
            default:
                break;
        }
    }
    return nullptr;
}
template <class H>
Handler pick_compare_pair(Compare c, bool value) {
    switch (c) {
        case Compare::eq:
            return value ? set_value_pair<H, Compare::eq> : set_predicate_pair<H, Compare::eq>;
        case Compare::ne:
            return value ? set_value_pair<H, Compare::ne> : set_predicate_pair<H, Compare::ne>;
        case Compare::lt:
            return value ? set_value_pair<H, Compare::lt> : set_predicate_pair<H, Compare::lt>;
        case Compare::le:
            return value ? set_value_pair<H, Compare::le> : set_predicate_pair<H, Compare::le>;
        case Compare::gt:
            return value ? set_value_pair<H, Compare::gt> : set_predicate_pair<H, Compare::gt>;
        case Compare::ge:
            return value ? set_value_pair<H, Compare::ge> : set_predicate_pair<H, Compare::ge>;
        case Compare::equ:
            return value ? set_value_pair<H, Compare::equ> : set_predicate_pair<H, Compare::equ>;
        case Compare::neu:
            return value ? set_value_pair<H, Compare::neu> : set_predicate_pair<H, Compare::neu>;
        case Compare::ltu:
            return value ? set_value_pair<H, Compare::ltu> : set_predicate_pair<H, Compare::ltu>;
        case Compare::leu:
            return value ? set_value_pair<H, Compare::leu> : set_predicate_pair<H, Compare::leu>;
        case Compare::gtu:
            return value ? set_value_pair<H, Compare::gtu> : set_predicate_pair<H, Compare::gtu>;
        case Compare::geu:
            return value ? set_value_pair<H, Compare::geu> : set_predicate_pair<H, Compare::geu>;
        case Compare::num:
            return value ? set_value_pair<H, Compare::num> : set_predicate_pair<H, Compare::num>;
        case Compare::nan:
            return value ? set_value_pair<H, Compare::nan> : set_predicate_pair<H, Compare::nan>;
    }
    return nullptr;
}

Handler pick_setp(const Spec& spec, bool value) {
    using enum ptx::Type;
    switch (spec.from) {
        case u8:
        case b8:
            return pick_compare<std::uint8_t, false, false>(spec.compare, value);
        case u16:
        case b16:
            return pick_compare<std::uint16_t, false, false>(spec.compare, value);
        case s16:
            return pick_compare<std::int16_t, false, false>(spec.compare, value);
        case u32:
        case b32:
            return pick_compare<std::uint32_t, false, false>(spec.compare, value);
        case s32:
            return pick_compare<std::int32_t, false, false>(spec.compare, value);
        case u64:
        case b64:
            return pick_compare<std::uint64_t, false, false>(spec.compare, value);
        case s64:
            return pick_compare<std::int64_t, false, false>(spec.compare, value);
        case f32:
            return spec.ftz ? pick_compare<float, true, true>(spec.compare, value)
                            : pick_compare<float, false, true>(spec.compare, value);
        case f64:
            return pick_compare<double, false, true>(spec.compare, value);
        case f16:
            return pick_compare<Half, false, true>(spec.compare, value);
        case bf16:
            return pick_compare<BFloat, false, true>(spec.compare, value);
        case f16x2:
            return pick_compare_pair<Half>(spec.compare, value);
        case bf16x2:
            return pick_compare_pair<BFloat>(spec.compare, value);
        default:
            return nullptr;
    }
}

/// mov.b64 d, {a, b, ...}: elements of a_width bytes from the list into one register of d_width.
void pack(Warp& warp, const Inst& inst) {
    auto* d = destination<std::byte>(warp, inst.d);
    for (std::uint32_t part = 0; part < inst.count; ++part) {
        const auto* a = source<std::byte>(warp, warp.code->lists[inst.list + part]);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (((warp.exec >> lane) & 1U) != 0)
                std::memcpy(d + lane * inst.d_width + part * inst.a_width, a + lane * inst.a_width, inst.a_width);
        }
    }
}
/// mov.b64 {d, e, ...}, a: the reverse; d_width is the elements', a_width the source's.
void unpack(Warp& warp, const Inst& inst) {
    const auto* a = source<std::byte>(warp, inst.a);
    for (std::uint32_t part = 0; part < inst.count; ++part) {
        const Ref ref = warp.code->lists[inst.list + part];
        if (ref == no_ref) continue;
        auto* d = destination<std::byte>(warp, ref);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (((warp.exec >> lane) & 1U) != 0)
                std::memcpy(d + lane * inst.d_width, a + lane * inst.a_width + part * inst.d_width, inst.d_width);
        }
    }
}

/// mode: a SpecialRegister, imm: added to it.
template <class T>
void move_special(Warp& warp, const Inst& inst) {
    std::uint64_t values[lanes];
    read_special(warp, static_cast<SpecialRegister>(inst.mode), values);
    alignas(64) T out[lanes];
    for (int lane = 0; lane < lanes; ++lane)
        out[lane] = static_cast<T>(values[lane] + static_cast<std::uint64_t>(inst.imm));
    commit(destination<T>(warp, inst.d), out, warp.exec);
}

}  // namespace

Handler select_move(const Spec& spec) {
    const std::uint32_t bytes = size_of(spec.type);
    const bool is_predicate = spec.type == ptx::Type::pred;
    switch (spec.op) {
        case Op::mov:
            if (is_predicate) return move_predicate;
            switch (bytes) {
                case 1:
                    return move<std::uint8_t>;
                case 2:
                    return move<std::uint16_t>;
                case 4:
                    return move<std::uint32_t>;
                case 8:
                    return move<std::uint64_t>;
                case 16:
                    return move<Bits128>;
                default:
                    return nullptr;
            }
        case Op::and_:
            return is_predicate ? and_predicate : nullptr;
        case Op::or_:
            return is_predicate ? or_predicate : nullptr;
        case Op::xor_:
            return is_predicate ? xor_predicate : nullptr;
        case Op::not_:
            return is_predicate ? not_predicate : nullptr;
        case Op::selp:
            switch (bytes) {
                case 2:
                    return select<std::uint16_t>;
                case 4:
                    return select<std::uint32_t>;
                case 8:
                    return select<std::uint64_t>;
                default:
                    return nullptr;
            }
        case Op::slct:
            if (spec.from == ptx::Type::f32) {
                return bytes == 2   ? select_by_sign<std::uint16_t, float>
                       : bytes == 4 ? select_by_sign<std::uint32_t, float>
                                    : select_by_sign<std::uint64_t, float>;
            }
            return bytes == 2   ? select_by_sign<std::uint16_t, std::int32_t>
                   : bytes == 4 ? select_by_sign<std::uint32_t, std::int32_t>
                                : select_by_sign<std::uint64_t, std::int32_t>;
        case Op::setp:
            return pick_setp(spec, false);
        case Op::set:
            return pick_setp(spec, true);
        case Op::pack:
            return pack;
        case Op::unpack:
            return unpack;
        case Op::mov_special:
            return bytes == 8   ? move_special<std::uint64_t>
                   : bytes == 4 ? move_special<std::uint32_t>
                                : move_special<std::uint16_t>;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
