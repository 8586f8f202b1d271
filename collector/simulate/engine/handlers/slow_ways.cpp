// Counts the operands that take the slow way of a quotient, reciprocal or root (ordinary_operands.hpp).
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/ordinary_operands.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

inline bool within(std::uint32_t x, WordRange range) {
    return x - range.low <= range.high - range.low;
}

template <class Bits>
constexpr const OrdinaryOperands& limits = sizeof(Bits) == 4 ? ordinary_floats : ordinary_doubles;

template <class Bits>
inline std::uint32_t leading_word(Bits bits) {
    return static_cast<std::uint32_t>(bits >> (8 * sizeof(Bits) - 32));
}
template <class Bits>
inline std::uint32_t exponent(Bits bits) {
    return leading_word(bits) >> limits<Bits>.exponent_shift & limits<Bits>.exponent_mask;
}

struct Quotient {
    template <class Bits>
    static bool ordinary(Bits a, Bits b) {
        const std::uint32_t p = exponent(a), q = exponent(b);
        return within(p, limits<Bits>.dividend) && within(q, limits<Bits>.divisor) &&
               within(p - q, limits<Bits>.difference);
    }
};
struct Reciprocal {
    template <class Bits>
    static bool ordinary(Bits a, Bits) {
        return within(exponent(a), limits<Bits>.divisor);
    }
};
struct Root {
    template <class Bits>
    static bool ordinary(Bits a, Bits) {
        return within(leading_word(a), limits<Bits>.root);
    }
};

template <class Which, class Bits>
void slow_way(Warp& warp, const Inst& inst) {
    const Bits* a = source<Bits>(warp, inst.a);
    const Bits* b = inst.b == no_ref ? a : source<Bits>(warp, inst.b);
    const std::uint32_t slow = bits_of_lanes([&](int lane) { return !Which::ordinary(a[lane], b[lane]); }) & warp.exec;
    if (slow == 0) return;
    warp.warp_counts[inst.list] += 1;
    warp.thread_counts[inst.list] += lane_count(slow);
}

template <class Which>
Handler of_type(ptx::Type type) {
    return type == ptx::Type::f32 ? slow_way<Which, std::uint32_t> : slow_way<Which, std::uint64_t>;
}

}  // namespace

Handler select_slow_way(const Spec& spec) {
    switch (spec.op) {
        case Op::slow_div:
            return of_type<Quotient>(spec.type);
        case Op::slow_rcp:
            return of_type<Reciprocal>(spec.type);
        case Op::slow_sqrt:
            return of_type<Root>(spec.type);
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
