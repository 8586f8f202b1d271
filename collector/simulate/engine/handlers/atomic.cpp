// Atomics and reductions (PTX ISA 9.7.13.5, .6): lane after lane, real atomic operations on host memory but for shared
// memory, because blocks of other SMs may run on other host threads.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>

#include "collector/simulate/engine/handlers/access.hpp"
#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/half.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/reduce.hpp"
#include "collector/simulate/engine/handlers/single.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

struct HalfPair {
    Half low, high;
};
struct BFloatPair {
    BFloat low, high;
};

/// NaN of single precision is the machine's one.
template <class T>
inline T sum(T a, T b) {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
        return half_from<T>(static_cast<double>(to_float(a)) + static_cast<double>(to_float(b)));
    else if constexpr (std::is_same_v<T, HalfPair> || std::is_same_v<T, BFloatPair>)
        return T{sum(a.low, b.low), sum(a.high, b.high)};
    else if constexpr (std::is_same_v<T, float>)
        return canonical_single(a + b);
    else if constexpr (std::is_floating_point_v<T>)
        return a + b;
    else
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
}

/// The smaller or the larger; of halves a number is less and more than NaN.
template <class T>
inline T extreme(T old, T value, bool maximum) {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>) {
        const float x = to_float(old), y = to_float(value);
        if (x != x || y != y) return x != x ? value : old;
        if (x == y) return (static_cast<std::int16_t>(old.bits) < 0) == maximum ? value : old;
        return (x < y) != maximum ? old : value;
    } else if constexpr (std::is_same_v<T, HalfPair> || std::is_same_v<T, BFloatPair>) {
        return T{extreme(old.low, value.low, maximum), extreme(old.high, value.high, maximum)};
    } else {
        return (value < old) != maximum ? value : old;
    }
}

/// Sums of single precision in global memory flush their operands and results.
template <class T, Atomic Operation, bool Global>
inline T combine(T old, T value) {
    if constexpr (Operation == Atomic::exch)
        return value;
    else if constexpr (Operation == Atomic::add && Global && std::is_same_v<T, float>)
        return flush_single(sum(flush_single(old), flush_single(value)));
    else if constexpr (Operation == Atomic::add)
        return sum(old, value);
    else if constexpr (Operation == Atomic::inc)
        return old >= value ? T{0} : static_cast<T>(old + 1);
    else if constexpr (Operation == Atomic::dec)
        return old == 0 || old > value ? value : static_cast<T>(old - 1);
    else if constexpr (Operation == Atomic::min)
        return extreme(old, value, false);
    else if constexpr (Operation == Atomic::max)
        return extreme(old, value, true);
    else if constexpr (Operation == Atomic::and_)
        return static_cast<T>(old & value);
    else if constexpr (Operation == Atomic::or_)
        return static_cast<T>(old | value);
    else
        return static_cast<T>(old ^ value);
}

struct Bits128 {
    std::uint64_t low, high;
    bool operator==(const Bits128&) const = default;
};
/// All of 128 bits go through one lock: the processor's own instruction for them may not be there.
std::atomic_flag busy;
template <Atomic Operation>
inline Bits128 apply_wide(std::byte* at, Bits128 value, Bits128 replacement) {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
    Bits128 old{};
    std::memcpy(&old, at, sizeof(old));
    const Bits128& wanted = Operation == Atomic::cas ? replacement : value;
    if (Operation != Atomic::cas || old == value) std::memcpy(at, &wanted, sizeof(wanted));
    busy.clear(std::memory_order_release);
    return old;
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
template <>
struct BitsOf<16> {
    using type = Bits128;
};

/// An operation of the processor's that does all of it: T is an integer, and not one that wraps at a bound.
template <class T, Atomic Operation>
inline T fetch(T* at, T value) {
    if constexpr (Operation == Atomic::exch) return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
    if constexpr (Operation == Atomic::add) return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
    if constexpr (Operation == Atomic::and_) return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);
    if constexpr (Operation == Atomic::or_) return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);
    return __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST);
}
template <class T, Atomic Operation>
inline constexpr bool is_fetched =
    std::is_integral_v<T> && (Operation == Atomic::exch || Operation == Atomic::add || Operation == Atomic::and_ ||
                              Operation == Atomic::or_ || Operation == Atomic::xor_);

/// Makes of what is there, in one atomic operation, what `change` makes of it; change may be called again.
template <class T, class F>
inline void exchange(std::byte* at, F&& change) {
    using Bits = typename BitsOf<sizeof(T)>::type;
    auto* word = reinterpret_cast<Bits*>(at);
    Bits old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    for (;;) {
        const Bits wanted = std::bit_cast<Bits>(change(std::bit_cast<T>(old)));
        if (__atomic_compare_exchange_n(word, &old, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
    }
}

/// b: operand; c: the new value of cas. Returns what was there.
template <class T, Atomic Operation, bool Global>
inline T apply(std::byte* at, T value, T replacement) {
    if constexpr (sizeof(T) == sizeof(Bits128)) {
        return apply_wide<Operation>(at, value, replacement);
    } else if constexpr (is_fetched<T, Operation>) {
        return fetch<T, Operation>(reinterpret_cast<T*>(at), value);
    } else if constexpr (Operation == Atomic::cas) {
        using Bits = typename BitsOf<sizeof(T)>::type;
        Bits old = std::bit_cast<Bits>(value);
        __atomic_compare_exchange_n(reinterpret_cast<Bits*>(at), &old, std::bit_cast<Bits>(replacement), false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return std::bit_cast<T>(old);
    } else {
        T found;  // NOLINT(*-init-variables): what exchange gives
        exchange<T>(at, [&](T old) {
            found = old;
            return combine<T, Operation, Global>(old, value);
        });
        return found;
    }
}

/// The same where only this host thread comes: all blocks of an SM, and so their shared memory, are one thread's at a
/// time.
template <class T, Atomic Operation>
inline T apply_alone(std::byte* at, T value, T replacement) {
    T old;
    std::memcpy(&old, at, sizeof(old));
    T wanted = replacement;
    if constexpr (Operation != Atomic::cas && !std::is_same_v<T, Bits128>)
        wanted = combine<T, Operation, false>(old, value);
    else if (Operation != Atomic::cas)
        wanted = value;  // exch
    else if (std::memcmp(&old, &value, sizeof(old)) != 0)
        return old;
    std::memcpy(at, &wanted, sizeof(wanted));
    return old;
}

/// What is no operation of the shared memory's own: a loop that loads, combines, and stores if nobody else has (ptxas
/// of CUDA 11.8 for sm_50 and later; before, so does everything).
template <class T, Atomic Operation>
inline constexpr bool is_loop =
    !(std::is_integral_v<T> && sizeof(T) == 4) && Operation != Atomic::cas && Operation != Atomic::exch;

/// Passes through the banks, if lanes that want the same bank go one after the other, in the same word or not.
std::uint32_t atomic_passes(const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes) {
    const std::uint32_t groups = std::max(bytes / 4, 1U);  // of lanes that go together, as loads and stores do
    const std::uint32_t in_group = lanes / groups, wide_banks = 32 / groups;
    const auto shift = static_cast<std::uint32_t>(std::countr_zero(4 * groups));
    std::uint32_t passes = 0;
    for (std::uint32_t first = 0; first < lanes; first += in_group) {
        std::array<std::uint8_t, 32> wanted{};
        std::uint8_t most = 0;
        for (std::uint32_t lane = first; lane < first + in_group; ++lane) {
            std::uint8_t& here = wanted[(offset[lane] >> shift) % wide_banks];
            here = static_cast<std::uint8_t>(here + (mask >> lane & 1U));
            most = std::max(most, here);
        }
        passes += most;
    }
    return passes;
}

/// Counts an access by the lanes of `mask`.
template <class T, Atomic Operation>
void count_shared_operations(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask) {
    MemoryCounters& counters = warp.sm->counters;
    if (!warp.sm->counts || mask == 0) return;
    constexpr std::uint32_t each = is_loop<T, Operation> ? 2 : 1;
    const bool one_place = inst.joined && is_one_place(offset, mask);
    const std::uint32_t passes = one_place ? 1 : atomic_passes(offset, mask, sizeof(T));
    const std::uint32_t least = one_place ? 1 : std::min(passes, std::max<std::uint32_t>(sizeof(T) / 4, 1));
    counters.shared_stores += 1;
    counters.shared_passes += std::uint64_t{each} * passes;
    counters.shared_conflicts += std::uint64_t{each} * (passes - least);
}

/// In the block's own shared memory.
template <class T, Atomic Operation>
void atomic_shared(Warp& warp, const Inst& inst) {
    const T* b = source<T>(warp, inst.b);
    const T* c = Operation == Atomic::cas ? source<T>(warp, inst.c) : b;
    T* d = inst.d == no_ref ? nullptr : destination<T>(warp, inst.d);
    alignas(64) std::uint32_t offset[lanes];
    lane_offsets(warp, inst, offset);
    check_shared(warp, inst, offset, warp.exec, sizeof(T));
    count_shared_operations<T, Operation>(warp, inst, offset, warp.exec);
    std::byte* block = warp.block->shared.data();
    // The operands may be overwritten by the results lane by lane: each lane reads only its own.
    for_lanes(warp.exec, [&](std::uint32_t lane) {
        const T old = apply_alone<T, Operation>(block + offset[lane], b[lane], c[lane]);
        if (d != nullptr) d[lane] = old;
    });
}

enum class Place : std::uint8_t { global, cluster, generic };

/// A lane's own local memory, that generic addresses may name: ptxas makes a load and a store of it, which is what is
/// counted.
void reach_local(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes) {
    const bool alike = check_local(warp, inst, offset, mask, bytes);
    count_local(warp, inst, offset, mask, bytes, false, alike);
    count_local(warp, inst, offset, mask, bytes, true, alike);
    warp.accesses += 1;
    warp.pause |= warp.accesses >= turn_accesses;
}

template <Place Where>
GenericSplit lanes_by_space(const std::uint64_t* address, std::uint32_t exec) {
    if constexpr (Where == Place::generic) return split_generic(address, exec);
    if constexpr (Where == Place::cluster) return {.shared = exec, .cluster = exec};
    return {.global = exec};
}

/// One for each lane of `mask`, or for all of them. Those on one word go one after the other.
void count_operations(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask, Lie lie) {
    SmContext& sm = *warp.sm;
    if (!sm.counts) return;
    if (lie != Lie::point) {
        sm.counters.atomic_operations += lane_count(mask);
        return sm.hot_words.add_lanes(address, mask);
    }
    const std::uint64_t operations = inst.joined ? 1 : lane_count(mask);
    sm.counters.atomic_operations += operations;
    sm.hot_words.add(address[std::countr_zero(mask)], operations);
}

/// Checks and counts the lanes of `mask`, which lie as is given back, and leaves those that have memory there: all but
/// for accesses out of bounds that are ignored.
Lie access_atomically(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t& mask,
                      std::uint32_t bytes) {
    Lie lie = lie_of(address, mask, bytes);
    const std::uint32_t asked = mask;
    if (!plainly_alive(warp, inst, address, mask, bytes, lie)) {
        mask = reachable_global(warp, inst, address, mask, bytes);
        if (mask != asked) lie = Lie::apart;
    }
    const std::uint32_t width = moved_bytes(inst, bytes);
    if (warp.sm->counts)
        count_global(warp, inst, address, asked, bytes, AccessKind::atomic, lie,
                     lie == Lie::apart ? sector_changes(address, width) : 0);
    count_operations(warp, inst, address, asked, lie);
    give_way_to_block(warp);
    return lie;
}

/// All lanes in one place of global memory: one after the other, but to whoever else comes there at once.
template <class T, Atomic Operation>
void apply_together(std::byte* at, std::uint32_t mask, const T* b, const T* c, T* d) {
    alignas(64) T found[lanes];
    exchange<T>(at, [&](T now) {
        for_lanes(mask, [&](std::uint32_t lane) {
            found[lane] = now;
            if constexpr (Operation == Atomic::cas)
                now = std::memcmp(&now, &b[lane], sizeof(now)) == 0 ? c[lane] : now;
            else
                now = combine<T, Operation, true>(now, b[lane]);
        });
        return now;
    });
    if (d != nullptr) for_lanes(mask, [&](std::uint32_t lane) { d[lane] = found[lane]; });
}

template <class T, Atomic Operation, Place Where>
void atomic(Warp& warp, const Inst& inst) {
    const T* b = source<T>(warp, inst.b);
    const T* c = Operation == Atomic::cas ? source<T>(warp, inst.c) : b;
    T* d = inst.d == no_ref ? nullptr : destination<T>(warp, inst.d);
    alignas(64) std::uint64_t address[lanes];
    alignas(64) std::uint32_t offset[lanes];
    lane_addresses(warp, inst, address);
    const auto [global, shared, local, of_cluster] = lanes_by_space<Where>(address, warp.exec);
    std::uint32_t there = warp.exec;
    if ((shared | local) != 0) lane_offsets(warp, inst, offset);
    if (local != 0) reach_local(warp, inst, offset, local, sizeof(T));
    if (shared != 0) {
        check_shared(warp, inst, offset, shared & ~of_cluster, sizeof(T));
        count_shared_operations<T, Operation>(warp, inst, offset, shared);
    }
    if (global != 0) {
        std::uint32_t reached = global;
        const Lie lie = access_atomically(warp, inst, address, reached, sizeof(T));
        const std::uint32_t nowhere = global & ~reached;  // they find 0, and what they leave vanishes
        if (nowhere != 0 && d != nullptr) for_lanes(nowhere, [&](std::uint32_t lane) { d[lane] = T{}; });
        there &= ~nowhere;
        if constexpr (!std::is_same_v<T, Bits128>) {
            if (lie == Lie::point && reached == warp.exec && (reached & (reached - 1)) != 0) {
                auto* at = reinterpret_cast<std::byte*>(address[std::countr_zero(reached)]);  // NOLINT
                return apply_together<T, Operation>(at, reached, b, c, d);
            }
        }
    }
    if (of_cluster != 0) warp.pause = true;  // other blocks may wait for it
    std::byte* block = warp.block->shared.data();
    // The operands may be overwritten by the results lane by lane: each lane reads only its own.
    for (std::uint32_t mask = there; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        std::byte* at = ((shared >> lane) & 1U) != 0 ? block + offset[lane]
                                                     : reinterpret_cast<std::byte*>(address[lane]);  // NOLINT
        std::array<std::byte, sizeof(T)>
            own;  // NOLINT(*-member-init): copied in and out where the lane's memory is meant
        const bool is_local = ((local >> lane) & 1U) != 0;
        if (is_local) {
            for_local_words(warp, lane, offset[lane], sizeof(T), [&](const std::byte* part, auto done, auto count) {
                std::memcpy(own.data() + done, part, count);
            });
            at = own.data();
        }
        if (((of_cluster >> lane) & 1U) != 0)
            at = cluster_memory(warp, inst, offset[lane], sizeof(T), static_cast<int>(lane));
        const T old = ((global >> lane) & 1U) != 0 ? apply<T, Operation, true>(at, b[lane], c[lane])
                                                   : apply<T, Operation, false>(at, b[lane], c[lane]);
        if (is_local)
            for_local_words(warp, lane, offset[lane], sizeof(T), [&](std::byte* part, auto done, auto count) {
                std::memcpy(part, own.data() + done, count);
            });
        if (d != nullptr) d[lane] = old;
    }
}

/// atom.global.v2.f32.add and the like: each element is added by itself. list: destinations, if mode is 1, then values.
template <class T, Atomic Operation>
void atomic_vector(Warp& warp, const Inst& inst) {
    alignas(64) std::uint64_t address[lanes];
    lane_addresses(warp, inst, address);
    const std::uint32_t count = inst.target, bytes = count * sizeof(T);
    const std::uint32_t elsewhere = warp.exec & ~split_generic(address, warp.exec).global;
    if (elsewhere != 0)
        fault(warp, inst, FaultKind::illegal_address, "an atomic operation on a vector outside global memory",
              std::countr_zero(elsewhere));
    const std::uint32_t there = reachable_global(warp, inst, address, warp.exec, bytes);
    count_global(warp, inst, address, warp.exec, bytes, AccessKind::atomic);
    count_operations(warp, inst, address, warp.exec, lie_of(address, warp.exec, bytes));
    give_way_to_block(warp);
    const Ref* refs = &warp.code->lists[inst.list];
    for_lanes(warp.exec, [&](std::uint32_t lane) {
        for (std::uint32_t i = 0; i < count; ++i) {
            T old{};
            if (((there >> lane) & 1U) != 0) {
                auto* at = reinterpret_cast<std::byte*>(address[lane] + i * sizeof(T));  // NOLINT
                const T value = source<T>(warp, refs[(inst.mode == 1 ? count : 0) + i])[lane];
                old = apply<T, Operation, true>(at, value, value);
            }
            if (inst.mode == 1 && refs[i] != no_ref) destination<T>(warp, refs[i])[lane] = old;
        }
    });
}
template <class T>
Handler pick_vector_operation(const Spec& spec) {
    if (spec.atomic == Atomic::add) return atomic_vector<T, Atomic::add>;
    if constexpr (!std::is_same_v<T, float>) {  // of float there is only add
        if (spec.atomic == Atomic::min) return atomic_vector<T, Atomic::min>;
        if (spec.atomic == Atomic::max) return atomic_vector<T, Atomic::max>;
    }
    return nullptr;
}
Handler pick_vector(const Spec& spec) {
    switch (spec.type) {
        case ptx::Type::f32:
            return pick_vector_operation<float>(spec);
        case ptx::Type::f16:
            return pick_vector_operation<Half>(spec);
        case ptx::Type::bf16:
            return pick_vector_operation<BFloat>(spec);
        case ptx::Type::f16x2:
            return pick_vector_operation<HalfPair>(spec);
        case ptx::Type::bf16x2:
            return pick_vector_operation<BFloatPair>(spec);
        default:
            return nullptr;
    }
}

template <class T, Atomic Operation>
Handler pick_place(Op op) {
    switch (op) {
        case Op::atom_global:
            return atomic<T, Operation, Place::global>;
        case Op::atom_shared:
            return atomic_shared<T, Operation>;
        case Op::atom_cluster:
            return atomic<T, Operation, Place::cluster>;
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
    if constexpr (sizeof(T) <= 4 && !std::is_same_v<T, float>) {
        if (spec.atomic == Atomic::min) return pick_place<T, Atomic::min>(spec.op);
        if (spec.atomic == Atomic::max) return pick_place<T, Atomic::max>(spec.op);
    }
    if (spec.atomic == Atomic::add) return pick_place<T, Atomic::add>(spec.op);
    if (spec.atomic == Atomic::exch) return pick_place<T, Atomic::exch>(spec.op);
    return nullptr;
}

template <class T, Atomic Operation>
void reduce(std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        T value;
        std::memcpy(&value, from + i, sizeof(T));
        apply<T, Operation, true>(to + i, value, value);
    }
}
template <class T>
Reduce reduction_of_integers(Atomic operation) {
    switch (operation) {
        case Atomic::add:
            return reduce<T, Atomic::add>;
        case Atomic::min:
            return reduce<T, Atomic::min>;
        case Atomic::max:
            return reduce<T, Atomic::max>;
        case Atomic::and_:
            return reduce<T, Atomic::and_>;
        case Atomic::or_:
            return reduce<T, Atomic::or_>;
        case Atomic::xor_:
            return reduce<T, Atomic::xor_>;
        case Atomic::inc:
            if constexpr (std::is_same_v<T, std::uint32_t>) return reduce<T, Atomic::inc>;
            return nullptr;
        case Atomic::dec:
            if constexpr (std::is_same_v<T, std::uint32_t>) return reduce<T, Atomic::dec>;
            return nullptr;
        default:
            return nullptr;
    }
}
template <class T>
Reduce reduction_of_numbers(Atomic operation) {
    if (operation == Atomic::add) return reduce<T, Atomic::add>;
    if constexpr (sizeof(T) == 2) {
        if (operation == Atomic::min) return reduce<T, Atomic::min>;
        if (operation == Atomic::max) return reduce<T, Atomic::max>;
    }
    return nullptr;
}

}  // namespace

Reduce reduction(ptx::Type type, Atomic operation) {
    using enum ptx::Type;
    switch (type) {
        case b32:
        case u32:
            return reduction_of_integers<std::uint32_t>(operation);
        case s32:
            return reduction_of_integers<std::int32_t>(operation);
        case b64:
        case u64:
            return reduction_of_integers<std::uint64_t>(operation);
        case s64:
            return reduction_of_integers<std::int64_t>(operation);
        case f16:
            return reduction_of_numbers<Half>(operation);
        case bf16:
            return reduction_of_numbers<BFloat>(operation);
        case f32:
            return reduction_of_numbers<float>(operation);
        case f64:
            return reduction_of_numbers<double>(operation);
        default:
            return nullptr;
    }
}

Handler select_atomic(const Spec& spec) {
    using enum ptx::Type;
    if (spec.op == Op::atom_vector) return pick_vector(spec);
    if (spec.op != Op::atom_global && spec.op != Op::atom_shared && spec.op != Op::atom_cluster &&
        spec.op != Op::atom_generic)
        return nullptr;
    switch (spec.type) {
        case b16:
        case u16:
            if (spec.atomic == Atomic::exch) return pick_place<std::uint16_t, Atomic::exch>(spec.op);
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
        case b128:
            if (spec.atomic == Atomic::exch) return pick_place<Bits128, Atomic::exch>(spec.op);
            return spec.atomic == Atomic::cas ? pick_place<Bits128, Atomic::cas>(spec.op) : nullptr;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
