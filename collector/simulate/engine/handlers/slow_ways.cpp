// Which operands take the slow way of a quotient, reciprocal or root: as ptxas' code for 3.5 to 9.0 asks, in front of
// its subroutine. Of quotients of floats one instruction asks (FCHK), whose rule is not published: here what the
// ordinary way, a reciprocal and two corrections, cannot do: 0, infinity, NaN, what underflows in between.
#include "collector/simulate/engine/handlers/lanes.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// low <= x <= high, in one comparison.
template <class T>
inline bool within(T x, T low, T high) {
    return static_cast<T>(x - low) <= static_cast<T>(high - low);
}

struct Quotient {
    static bool ordinary(std::uint32_t a, std::uint32_t b) {
        const std::uint32_t p = (a >> 23) & 0xFFU, q = (b >> 23) & 0xFFU;
        return within(p, 24U, 254U) && within(q, 1U, 252U) && within(p - q, -125U, 126U);
    }
    static bool ordinary(std::uint64_t a, std::uint64_t b) {
        const std::uint64_t p = (a >> 52) & 0x7FFU, q = (b >> 52) & 0x7FFU;
        return within<std::uint64_t>(p, 54, 2046) && within<std::uint64_t>(q, 1, 2044) &&
               within<std::uint64_t>(p - q, -std::uint64_t{1021}, 1016);
    }
};
struct Reciprocal {
    static bool ordinary(std::uint32_t a, std::uint32_t) { return within((a >> 23) & 0xFFU, 1U, 252U); }
    static bool ordinary(std::uint64_t a, std::uint64_t) { return within<std::uint64_t>((a >> 52) & 0x7FFU, 1, 2044); }
};
struct Root {
    static bool ordinary(std::uint32_t a, std::uint32_t) { return within(a, 0x0D000000U, 0x7F7FFFFFU); }
    static bool ordinary(std::uint64_t a, std::uint64_t) {
        return within<std::uint64_t>(a >> 32, 0x03500000, 0x7FEFFFFF);
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
