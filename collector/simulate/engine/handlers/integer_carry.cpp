// Extended precision (PTX ISA 9.7.2).
#include "collector/simulate/engine/handlers/integers.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// Extended precision: the carry flag lives in the predicate slot `e`. Mode bits: 1 reads it, 2 writes it. A difference
/// is a + ~b + carry, on the machine too, so that the flag means "no borrow" there: ptxas makes of sub.cc and addc an
/// IADD3 that writes a carry and one that reads it, and nvcc's division of 128 bits relies on it.
template <class T, bool Subtract>
void carry(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const T* b = source<T>(warp, inst.b);
    const u32 in = (inst.mode & 1U) != 0 ? predicate(warp, inst.e) : Subtract ? full_mask : 0;
    u32 out_carry = 0;
    alignas(64) T out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        const T addend = Subtract ? static_cast<T>(~b[lane]) : b[lane];
        const u128 value = static_cast<u128>(a[lane]) + addend + ((in >> lane) & 1U);
        out[lane] = static_cast<T>(value);
        out_carry |= static_cast<u32>((value >> bits_of<T>)&1U) << lane;
    }
    commit(destination<T>(warp, inst.d), out, warp.exec);
    if ((inst.mode & 2U) != 0) commit_predicate(warp, inst.e, out_carry);
}
template <class T, bool High>
void carry_mad(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    const T* b = source<T>(warp, inst.b);
    const T* c = source<T>(warp, inst.c);
    const u32 in = (inst.mode & 1U) != 0 ? predicate(warp, inst.e) : 0;
    u32 out_carry = 0;
    alignas(64) T out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        T product;
        if constexpr (High)
            product = (inst.mode & 4U) != 0 ? static_cast<T>(high_mul(static_cast<std::make_signed_t<T>>(a[lane]),
                                                                      static_cast<std::make_signed_t<T>>(b[lane])))
                                            : high_mul(a[lane], b[lane]);
        else
            product = wrap_mul(a[lane], b[lane]);
        const u128 value = static_cast<u128>(product) + c[lane] + ((in >> lane) & 1U);
        out[lane] = static_cast<T>(value);
        out_carry |= static_cast<u32>((value >> bits_of<T>)&1U) << lane;
    }
    commit(destination<T>(warp, inst.d), out, warp.exec);
    if ((inst.mode & 2U) != 0) commit_predicate(warp, inst.e, out_carry);
}

template <bool Subtract>
Handler pick_carry(ptx::Type type) {
    return size_of(type) == 8 ? carry<std::uint64_t, Subtract> : carry<std::uint32_t, Subtract>;
}
template <bool High>
Handler pick_carry_mad(ptx::Type type) {
    return size_of(type) == 8 ? carry_mad<std::uint64_t, High> : carry_mad<std::uint32_t, High>;
}

}  // namespace

Handler select_integer_carry(const Spec& spec) {
    switch (spec.op) {
        case Op::add_cc:
        case Op::addc:
        case Op::addc_cc:
            return pick_carry<false>(spec.type);
        case Op::sub_cc:
        case Op::subc:
        case Op::subc_cc:
            return pick_carry<true>(spec.type);
        case Op::mad_lo_cc:
        case Op::madc_lo:
        case Op::madc_lo_cc:
            return pick_carry_mad<false>(spec.type);
        case Op::mad_hi_cc:
        case Op::madc_hi:
        case Op::madc_hi_cc:
            return pick_carry_mad<true>(spec.type);
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
