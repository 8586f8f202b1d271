// Atomics and reductions (PTX ISA 9.7.13.5, .6): lane after lane, each a real atomic operation on host memory, because
// blocks of other SMs may run on other host threads.
#include <cmath>

#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/half.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

struct HalfPair {
    Half low, high;
};
struct BFloatPair {
    BFloat low, high;
};

template <class T>
inline T sum(T a, T b) {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
        return half_from<T>(static_cast<double>(to_float(a)) + static_cast<double>(to_float(b)));
    else if constexpr (std::is_same_v<T, HalfPair> || std::is_same_v<T, BFloatPair>)
        return T{sum(a.low, b.low), sum(a.high, b.high)};
    else if constexpr (std::is_floating_point_v<T>)
        return a + b;
    else
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
}

template <class T, Atomic Operation>
inline T combine(T old, T value) {
    if constexpr (Operation == Atomic::exch)
        return value;
    else if constexpr (Operation == Atomic::add)
        return sum(old, value);
    else if constexpr (Operation == Atomic::inc)
        return old >= value ? T{0} : static_cast<T>(old + 1);
    else if constexpr (Operation == Atomic::dec)
        return old == 0 || old > value ? value : static_cast<T>(old - 1);
    else if constexpr (Operation == Atomic::min)
        return value < old ? value : old;
    else if constexpr (Operation == Atomic::max)
        return value > old ? value : old;
    else if constexpr (Operation == Atomic::and_)
        return static_cast<T>(old & value);
    else if constexpr (Operation == Atomic::or_)
        return static_cast<T>(old | value);
    else
        return static_cast<T>(old ^ value);
}

template <std::size_t Bytes>
struct BitsOf;
template <>
struct BitsOf<2> {
    using type = std::uint16_t;
};
template <>
struct BitsOf<4> {
    using type = std::uint32_t;
};
template <>
struct BitsOf<8> {
    using type = std::uint64_t;
};

/// b: operand; c: the new value of cas. Returns what was there.
template <class T, Atomic Operation>
inline T apply(std::byte* at, T value, T replacement) {
    using Bits = typename BitsOf<sizeof(T)>::type;
    auto* word = reinterpret_cast<Bits*>(at);
    Bits old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    for (;;) {
        if constexpr (Operation == Atomic::cas) {
            if (old != std::bit_cast<Bits>(value)) return std::bit_cast<T>(old);
            if (__atomic_compare_exchange_n(word, &old, std::bit_cast<Bits>(replacement), false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST))
                return std::bit_cast<T>(old);
        } else {
            const T wanted = combine<T, Operation>(std::bit_cast<T>(old), value);
            if (__atomic_compare_exchange_n(word, &old, std::bit_cast<Bits>(wanted), false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST))
                return std::bit_cast<T>(old);
        }
    }
}

enum class Place : std::uint8_t { global, shared, generic };

template <class T, Atomic Operation, Place Where>
void atomic(Warp& warp, const Inst& inst) {
    const T* b = source<T>(warp, inst.b);
    const T* c = Operation == Atomic::cas ? source<T>(warp, inst.c) : b;
    T* d = inst.d == no_ref ? nullptr : destination<T>(warp, inst.d);
    std::uint32_t shared = Where == Place::shared ? warp.exec : 0;
    alignas(64) std::uint64_t address[lanes];
    alignas(64) std::uint32_t offset[lanes];
    lane_addresses(warp, inst, address);
    if constexpr (Where == Place::generic) shared = split_generic(address, warp.exec).shared;
    const std::uint32_t global = warp.exec & ~shared;
    if (shared != 0) {
        lane_offsets(warp, inst, offset);
        check_shared(warp, inst, offset, shared, sizeof(T));
        count_shared(warp, inst, offset, shared, sizeof(T), true);
    }
    if (global != 0) {
        check_global(warp, inst, address, global, sizeof(T));
        count_global(warp, inst, address, global, sizeof(T), AccessKind::atomic);
        warp.pause = true;
    }
    std::byte* block = warp.block->shared.data();
    // The operands may be overwritten by the results lane by lane: each lane reads only its own.
    for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        std::byte* at = ((shared >> lane) & 1U) != 0 ? block + offset[lane]
                                                     : reinterpret_cast<std::byte*>(address[lane]);  // NOLINT
        const T old = apply<T, Operation>(at, b[lane], c[lane]);
        if (d != nullptr) d[lane] = old;
    }
}

template <class T, Atomic Operation>
Handler pick_place(Op op) {
    switch (op) {
        case Op::atom_global:
            return atomic<T, Operation, Place::global>;
        case Op::atom_shared:
            return atomic<T, Operation, Place::shared>;
        default:
            return atomic<T, Operation, Place::generic>;
    }
}
template <class T>
Handler pick_integer(const Spec& spec) {
    switch (spec.atomic) {
        case Atomic::exch:
            return pick_place<T, Atomic::exch>(spec.op);
        case Atomic::cas:
            return pick_place<T, Atomic::cas>(spec.op);
        case Atomic::add:
            return pick_place<T, Atomic::add>(spec.op);
        case Atomic::min:
            return pick_place<T, Atomic::min>(spec.op);
        case Atomic::max:
            return pick_place<T, Atomic::max>(spec.op);
        case Atomic::and_:
            return pick_place<T, Atomic::and_>(spec.op);
        case Atomic::or_:
            return pick_place<T, Atomic::or_>(spec.op);
        case Atomic::xor_:
            return pick_place<T, Atomic::xor_>(spec.op);
        case Atomic::inc:
            if constexpr (std::is_same_v<T, std::uint32_t>)
                return pick_place<T, Atomic::inc>(spec.op);
            else
                return nullptr;
        case Atomic::dec:
            if constexpr (std::is_same_v<T, std::uint32_t>)
                return pick_place<T, Atomic::dec>(spec.op);
            else
                return nullptr;
    }
    return nullptr;
}
template <class T>
Handler pick_real(const Spec& spec) {
    if (spec.atomic == Atomic::add) return pick_place<T, Atomic::add>(spec.op);
    if (spec.atomic == Atomic::exch) return pick_place<T, Atomic::exch>(spec.op);
    return nullptr;
}

}  // namespace

Handler select_atomic(const Spec& spec) {
    if (spec.op != Op::atom_global && spec.op != Op::atom_shared && spec.op != Op::atom_generic) return nullptr;
    using enum ptx::Type;
    switch (spec.type) {
        case b16:
        case u16:
            return spec.atomic == Atomic::cas ? pick_place<std::uint16_t, Atomic::cas>(spec.op) : nullptr;
        case b32:
        case u32:
            return pick_integer<std::uint32_t>(spec);
        case s32:
            return pick_integer<std::int32_t>(spec);
        case b64:
        case u64:
            return pick_integer<std::uint64_t>(spec);
        case s64:
            return pick_integer<std::int64_t>(spec);
        case f32:
            return pick_real<float>(spec);
        case f64:
            return pick_real<double>(spec);
        case f16:
            return pick_real<Half>(spec);
        case bf16:
            return pick_real<BFloat>(spec);
        case f16x2:
            return pick_real<HalfPair>(spec);
        case bf16x2:
            return pick_real<BFloatPair>(spec);
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
