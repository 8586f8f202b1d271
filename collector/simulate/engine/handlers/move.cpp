// Moves, selection, comparison, packing, special registers (PTX ISA 9.7.6, 9.7.7, 9.7.9, 10).
#include <array>
#include <cmath>
#include <limits>

#include "collector/simulate/engine/handlers/half.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/single.hpp"
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

/// slct d, a, b, c: a if c >= 0, which subnormal numbers are by their sign unless they are flushed.
template <class T, class C, bool Ftz>
void select_by_sign(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const T* b = source<T>(warp, inst.b);
    const C* c = source<C>(warp, inst.c);
    alignas(64) T out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        const bool holds = Ftz ? c[lane] > -std::numeric_limits<C>::min() : c[lane] >= C{0};
        out[lane] = holds ? a[lane] : b[lane];
    }
    commit(destination<T>(warp, inst.d), out, warp.exec);
}

template <class C, bool Ftz>
Handler pick_select_by_sign(std::uint32_t bytes) {
    return bytes == 2   ? select_by_sign<std::uint16_t, C, Ftz>
           : bytes == 4 ? select_by_sign<std::uint32_t, C, Ftz>
                        : select_by_sign<std::uint64_t, C, Ftz>;
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
    return flush_single(x);
}
inline Half flush(Half x) {
    return (x.bits & 0x7C00U) == 0 ? Half{static_cast<std::uint16_t>(x.bits & 0x8000U)} : x;
}
/// setp has no .ftz for bf16.
inline BFloat flush(BFloat x) {
    return x;
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
    return bits_of_lanes([&](int lane) {
        if constexpr (Ftz)
            return compare<C>(widen(flush(a[lane])), widen(flush(b[lane])));
        else
            return compare<C>(widen(a[lane]), widen(b[lane]));
    });
}

/// mode of setp and set: boolean operation of the comparison with c: 0 none, 1 and, 2 or, 3 xor; 4: of packed halves,
/// subnormals are zeros.
inline std::uint32_t combine(const Warp& warp, const Inst& inst, std::uint32_t bits) {
    const unsigned operation = inst.mode & 3U;
    if (operation == 0) return bits;
    const std::uint32_t c = predicate(warp, inst.c);
    return operation == 1 ? bits & c : operation == 2 ? bits | c : bits ^ c;
}

/// setp d|e, a, b {, c}: e gets the negated comparison.
template <class T, Compare C, bool Ftz>
void set_predicate(Warp& warp, const Inst& inst) {
    const std::uint32_t holds = compare_lanes<T, C, Ftz>(warp, inst);
    const std::uint32_t first = combine(warp, inst, holds), second = combine(warp, inst, ~holds);
    commit_predicate(warp, inst.d, first);
    commit_predicate(warp, inst.e, second);
}

/// set.cmp.dtype.stype: all ones or 1.0 where it holds. imm: the bits of "true"; d_width: bytes.
template <class T, Compare C, bool Ftz>
void set_value(Warp& warp, const Inst& inst) {
    const std::uint32_t holds = combine(warp, inst, compare_lanes<T, C, Ftz>(warp, inst));
    for (int lane = 0; lane < lanes; ++lane) {
        if (((warp.exec >> lane) & 1U) == 0) continue;
        const std::uint64_t value = ((holds >> lane) & 1U) != 0 ? static_cast<std::uint64_t>(inst.imm) : 0;
        std::memcpy(destination<std::byte>(warp, inst.d) + static_cast<std::size_t>(lane) * inst.d_width, &value,
                    inst.d_width);
    }
}

struct PairBits {
    std::uint32_t low = 0, high = 0;
};
template <class H, Compare C>
PairBits compare_pairs(const Warp& warp, const Inst& inst) {
    const H* a = source<H>(warp, inst.a);
    const H* b = source<H>(warp, inst.b);
    const bool ftz = (inst.mode & 4U) != 0;
    const auto holds = [&](int at) -> std::uint32_t {
        return compare<C>(ftz ? widen(flush(a[at])) : widen(a[at]), ftz ? widen(flush(b[at])) : widen(b[at])) ? 1 : 0;
    };
    PairBits bits;
    for (int lane = 0; lane < lanes; ++lane) {
        bits.low |= holds(2 * lane) << lane;
        bits.high |= holds(2 * lane + 1) << lane;
    }
    return {combine(warp, inst, bits.low), combine(warp, inst, bits.high)};
}
/// Packed halves: d gets the low one's, e the high one's predicate.
template <class H, Compare C>
void set_predicate_pair(Warp& warp, const Inst& inst) {
    const PairBits bits = compare_pairs<H, C>(warp, inst);
    commit_predicate(warp, inst.d, bits.low);
    commit_predicate(warp, inst.e, bits.high);
}
/// set.cmp.f16x2.f16x2 and set.cmp.u32.f16x2: imm holds "true" for one half.
template <class H, Compare C>
void set_value_pair(Warp& warp, const Inst& inst) {
    const PairBits bits = compare_pairs<H, C>(warp, inst);
    auto* d = destination<std::uint16_t>(warp, inst.d);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (((warp.exec >> lane) & 1U) == 0) continue;
        d[2 * lane] = ((bits.low >> lane) & 1U) != 0 ? static_cast<std::uint16_t>(inst.imm) : std::uint16_t{0};
        d[2 * lane + 1] = ((bits.high >> lane) & 1U) != 0 ? static_cast<std::uint16_t>(inst.imm) : std::uint16_t{0};
    }
}

/// What `handler`, a function of std::integral_constant<Compare, C>, gives for one of the first `Count` comparisons.
template <std::size_t Count, class F>
Handler pick_compare(Compare compare, F handler) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> Handler {
        const std::array<Handler, Count> table{handler(std::integral_constant<Compare, static_cast<Compare>(I)>{})...};
        const auto i = static_cast<std::size_t>(compare);
        return i < Count ? table[i] : nullptr;
    }(std::make_index_sequence<Count>{});
}
constexpr std::size_t integer_compares = static_cast<std::size_t>(Compare::ge) + 1;
constexpr std::size_t real_compares = static_cast<std::size_t>(Compare::nan) + 1;

template <class T, bool Ftz, std::size_t Count>
Handler pick_scalar(Compare compare, bool value) {
    return pick_compare<Count>(compare, [&]<Compare C>(std::integral_constant<Compare, C>) -> Handler {
        return value ? set_value<T, C, Ftz> : set_predicate<T, C, Ftz>;
    });
}
template <class H>
Handler pick_pair(Compare compare, bool value) {
    return pick_compare<real_compares>(compare, [&]<Compare C>(std::integral_constant<Compare, C>) -> Handler {
        return value ? set_value_pair<H, C> : set_predicate_pair<H, C>;
    });
}

Handler pick_setp(const Spec& spec, bool value) {
    switch (spec.from) {
        case ptx::Type::f32:
            return spec.ftz ? pick_scalar<float, true, real_compares>(spec.compare, value)
                            : pick_scalar<float, false, real_compares>(spec.compare, value);
        case ptx::Type::f64:
            return pick_scalar<double, false, real_compares>(spec.compare, value);
        case ptx::Type::f16:
            return spec.ftz ? pick_scalar<Half, true, real_compares>(spec.compare, value)
                            : pick_scalar<Half, false, real_compares>(spec.compare, value);
        case ptx::Type::bf16:
            return pick_scalar<BFloat, false, real_compares>(spec.compare, value);
        case ptx::Type::f16x2:
            return pick_pair<Half>(spec.compare, value);
        case ptx::Type::bf16x2:
            return pick_pair<BFloat>(spec.compare, value);
        default:
            return pick<std::uint8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t,
                        std::int64_t>(spec.from, [&]<class T>(std::type_identity<T>) -> Handler {
                return pick_scalar<T, false, integer_compares>(spec.compare, value);
            });
    }
}

/// Two registers of T side by side, the commonest.
template <class T, class Pair>
void pack_two(Warp& warp, const Inst& inst) {
    const T* low = source<T>(warp, warp.code->lists[inst.list]);
    const T* high = source<T>(warp, warp.code->lists[inst.list + 1]);
    each_lane(destination<Pair>(warp, inst.d), warp.exec, [&](int lane) {
        return static_cast<Pair>(static_cast<Pair>(high[lane]) << (8 * sizeof(T)) | low[lane]);
    });
}
template <class T, class Pair>
void unpack_two(Warp& warp, const Inst& inst) {
    const auto* a = source<Pair>(warp, inst.a);
    for (std::uint32_t part = 0; part < 2; ++part) {
        const Ref ref = warp.code->lists[inst.list + part];
        if (ref == no_ref) continue;
        each_lane(destination<T>(warp, ref), warp.exec,
                  [&](int lane) { return static_cast<T>(a[lane] >> (8 * sizeof(T) * part)); });
    }
}

/// What lies between the values of two lanes of a register for `bytes`: one for a single byte has two.
constexpr std::size_t lane_stride(std::uint32_t bytes) {
    return bytes < 2 ? 2 : bytes;
}

/// mov.b64 d, {a, b, ...}: elements of a_width bytes from the list into one register of d_width.
void pack(Warp& warp, const Inst& inst) {
    if (inst.count == 2 && inst.d_width == 8 && inst.a_width == 4)
        return pack_two<std::uint32_t, std::uint64_t>(warp, inst);
    if (inst.count == 2 && inst.d_width == 4 && inst.a_width == 2)
        return pack_two<std::uint16_t, std::uint32_t>(warp, inst);
    auto* d = destination<std::byte>(warp, inst.d);
    for (std::size_t part = 0; part < inst.count; ++part) {
        const auto* a = source<std::byte>(warp, warp.code->lists[inst.list + part]);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (((warp.exec >> lane) & 1U) != 0)
                std::memcpy(d + lane * inst.d_width + part * inst.a_width, a + lane * lane_stride(inst.a_width),
                            inst.a_width);
        }
    }
}
/// mov.b64 {d, e, ...}, a: the reverse; d_width is the elements', a_width the source's.
void unpack(Warp& warp, const Inst& inst) {
    if (inst.count == 2 && inst.a_width == 8 && inst.d_width == 4)
        return unpack_two<std::uint32_t, std::uint64_t>(warp, inst);
    if (inst.count == 2 && inst.a_width == 4 && inst.d_width == 2)
        return unpack_two<std::uint16_t, std::uint32_t>(warp, inst);
    const auto* a = source<std::byte>(warp, inst.a);
    for (std::size_t part = 0; part < inst.count; ++part) {
        const Ref ref = warp.code->lists[inst.list + part];
        if (ref == no_ref) continue;
        auto* d = destination<std::byte>(warp, ref);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (((warp.exec >> lane) & 1U) != 0)
                std::memcpy(d + lane * lane_stride(inst.d_width), a + lane * inst.a_width + part * inst.d_width,
                            inst.d_width);
        }
    }
}

/// mode: a SpecialRegister, imm: added to it.
template <class T>
void move_special(Warp& warp, const Inst& inst) {
    const auto reg = static_cast<SpecialRegister>(inst.mode);
    const auto added = static_cast<T>(inst.imm);
    T* d = destination<T>(warp, inst.d);
    if (reg <= SpecialRegister::tid_z) {
        const auto& tid = (*warp.tid)[static_cast<std::size_t>(reg)];
        return each_lane(d, warp.exec, [&](int lane) { return static_cast<T>(static_cast<T>(tid[lane]) + added); });
    }
    if (is_uniform(reg)) {
        const auto value = static_cast<T>(static_cast<T>(uniform_special(warp, reg)) + added);
        return each_lane(d, warp.exec, [&](int /*lane*/) { return value; });
    }
    std::uint64_t values[lanes];
    read_special(warp, reg, values);
    each_lane(d, warp.exec, [&](int lane) { return static_cast<T>(static_cast<T>(values[lane]) + added); });
}

void move_special_predicate(Warp& warp, const Inst& inst) {
    std::uint64_t values[lanes];
    read_special(warp, static_cast<SpecialRegister>(inst.mode), values);
    commit_predicate(warp, inst.d, values[0] != 0 ? full_mask : 0);
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
            if (spec.from != ptx::Type::f32) return pick_select_by_sign<std::int32_t, false>(bytes);
            return spec.ftz ? pick_select_by_sign<float, true>(bytes) : pick_select_by_sign<float, false>(bytes);
        case Op::setp:
            return pick_setp(spec, false);
        case Op::set:
            return pick_setp(spec, true);
        case Op::pack:
            return pack;
        case Op::unpack:
            return unpack;
        case Op::mov_special:
            if (is_predicate) return move_special_predicate;
            return bytes == 8   ? move_special<std::uint64_t>
                   : bytes == 4 ? move_special<std::uint32_t>
                                : move_special<std::uint16_t>;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
