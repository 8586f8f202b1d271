// Communication inside a warp (PTX ISA 9.7.9.6, 9.7.13.8 to .12).
#include <cmath>

#include "collector/simulate/engine/handlers/together.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// Where each lane of shfl looks, and which of them look at a lane of their segment; the others keep their own value.
template <unsigned Mode>
inline std::uint32_t shuffle_sources(const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* from) {
    alignas(64) std::uint32_t in_range[lanes];
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t amount = b[lane] & 31U, clamp = c[lane] & 31U, segment = (c[lane] >> 8) & 31U;
        const std::uint32_t low = lane & segment, high = low | (clamp & ~segment);
        const std::uint32_t wanted = Mode == 0   ? lane - amount
                                     : Mode == 1 ? lane + amount
                                     : Mode == 2 ? lane ^ amount
                                                 : low | (amount & ~segment);
        const auto place = static_cast<std::int32_t>(wanted), limit = static_cast<std::int32_t>(high);
        in_range[lane] = (Mode == 0 ? place >= limit : place <= limit) ? 1 : 0;
        from[lane] = in_range[lane] != 0 ? wanted & 31U : lane;
    }
    return bits_of_lanes([&](int lane) { return in_range[lane] != 0; });
}

/// shfl d|e, a, b, c. mode: 0 up, 1 down, 2 bfly, 3 idx; imm: whether list is its members.
template <unsigned Mode>
void shuffle_here(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint32_t>(warp, inst.a);
    alignas(64) std::uint32_t from[lanes], out[lanes];
    const std::uint32_t in_range =
        shuffle_sources<Mode>(source<std::uint32_t>(warp, inst.b), source<std::uint32_t>(warp, inst.c), from);
    for (int lane = 0; lane < lanes; ++lane) out[lane] = a[from[lane]];
    // What PTX leaves open is always the same: of lanes that a block's last warp has not, 0.
    if (warp.present != full_mask)
        for (int lane = 0; lane < lanes; ++lane)
            if (((warp.present >> from[lane]) & 1U) == 0) out[lane] = 0;
    commit(destination<std::uint32_t>(warp, inst.d), out, warp.exec);
    commit_predicate(warp, inst.e, in_range);
}
void shuffle_here(Warp& warp, const Inst& inst) {
    switch (inst.mode) {
        case 0:
            return shuffle_here<0>(warp, inst);
        case 1:
            return shuffle_here<1>(warp, inst);
        case 2:
            return shuffle_here<2>(warp, inst);
        default:
            return shuffle_here<3>(warp, inst);
    }
}
/// All lanes that those here name, each of which waits for its own: the tiles of a warp have one instruction.
std::uint32_t members(const Warp& warp, Ref ref) {
    const auto* mask = source<std::uint32_t>(warp, ref);
    if ((ref & constant_bit) != 0) return mask[0];
    std::uint32_t all = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) all |= ((warp.exec >> lane) & 1U) != 0 ? mask[lane] : 0;
    return all;
}
/// The same of an instruction whose second operand they are; none where it has none.
std::uint32_t members(const Warp& warp, const Inst& inst) {
    return inst.b == no_ref ? 0 : members(warp, inst.b);
}

void shuffle(Warp& warp, const Inst& inst) {
    const std::uint32_t of = inst.imm == 0 ? 0 : members(warp, warp.code->lists[inst.list]);
    run_together<static_cast<Handler>(shuffle_here), Widths{}>(warp, inst, of);
}

/// Calls f(group) for the lanes here that name the same members: the tiles of a warp vote in one instruction, each with
/// a mask of its own. `members` is no_ref for the instructions of old that name none.
template <class F>
inline void by_members(const Warp& warp, Ref members, F&& f) {
    if (members == no_ref || (members & constant_bit) != 0) return f(warp.exec);
    const auto* mask = source<std::uint32_t>(warp, members);
    for (std::uint32_t left = warp.exec; left != 0;) {
        const std::uint32_t named = mask[std::countr_zero(left)];
        const std::uint32_t group = bits_of_lanes([&](int lane) { return mask[lane] == named; }) & left;
        f(group);
        left &= ~group;
    }
}

/// vote.sync.mode d, a, b. mode: 0 all, 1 any, 2 uni (d a predicate); b: members.
void vote_here(Warp& warp, const Inst& inst) {
    const std::uint32_t given = predicate(warp, inst.a);
    std::uint32_t holding = 0;
    by_members(warp, inst.b, [&](std::uint32_t group) {
        const std::uint32_t bits = given & group;
        const bool holds = inst.mode == 0 ? bits == group : inst.mode == 1 ? bits != 0 : bits == group || bits == 0;
        if (holds) holding |= group;
    });
    commit_predicate(warp, inst.d, holding);
}
/// The same of mode 3, ballot: d is a register.
void ballot_here(Warp& warp, const Inst& inst) {
    const std::uint32_t given = predicate(warp, inst.a);
    by_members(warp, inst.b, [&](std::uint32_t group) {
        alignas(64) std::uint32_t out[lanes];
        for (auto& value : out) value = given & group;
        commit(destination<std::uint32_t>(warp, inst.d), out, group);
    });
}

void vote(Warp& warp, const Inst& inst) {
    const std::uint32_t of = members(warp, inst);
    if (inst.mode == 3) return run_together<ballot_here, Widths{.a = 0}>(warp, inst, of);
    run_together<vote_here, Widths{.a = 0, .d = 0}>(warp, inst, of);
}

void active_mask(Warp& warp, const Inst& inst) {
    alignas(64) std::uint32_t out[lanes];
    for (auto& value : out) value = warp.exec;
    commit(destination<std::uint32_t>(warp, inst.d), out, warp.exec);
}

/// The handler of an instruction whose second operand names its members.
template <Handler Run, std::uint32_t Bytes = 4>
void by_all(Warp& warp, const Inst& inst) {
    run_together<Run, Widths{.a = Bytes}>(warp, inst, members(warp, inst));
}

/// match.any.sync d, a, b; b: members.
template <class T>
void match_any(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    alignas(64) std::uint32_t out[lanes] = {};
    by_members(warp, inst.b, [&](std::uint32_t group) {
        for (std::uint32_t left = group; left != 0;) {
            const T value = a[std::countr_zero(left)];
            const std::uint32_t same = bits_of_lanes([&](int lane) { return a[lane] == value; }) & group;
            for (std::uint32_t lane = 0; lane < lanes; ++lane) out[lane] |= ((same >> lane) & 1U) != 0 ? same : 0;
            left &= ~same;
        }
    });
    commit(destination<std::uint32_t>(warp, inst.d), out, warp.exec);
}
/// match.all.sync d|e, a, b; b: members.
template <class T>
void match_all(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    alignas(64) std::uint32_t out[lanes] = {};
    std::uint32_t holding = 0;
    by_members(warp, inst.b, [&](std::uint32_t group) {
        const auto first = static_cast<std::uint32_t>(std::countr_zero(group));
        bool same = true;
        for (std::uint32_t lane = first; lane < lanes; ++lane)
            same &= ((group >> lane) & 1U) == 0 || a[lane] == a[first];
        if (!same) return;
        holding |= group;
        for (std::uint32_t lane = first; lane < lanes; ++lane)
            if (((group >> lane) & 1U) != 0) out[lane] = group;
    });
    commit(destination<std::uint32_t>(warp, inst.d), out, warp.exec);
    commit_predicate(warp, inst.e, holding);
}

template <class T, Atomic Operation>
inline T reduced(T value, T x) {
    if constexpr (Operation == Atomic::add)
        return static_cast<T>(static_cast<std::uint32_t>(value) + static_cast<std::uint32_t>(x));
    else if constexpr (Operation == Atomic::min)
        return x < value ? x : value;
    else if constexpr (Operation == Atomic::max)
        return x > value ? x : value;
    else if constexpr (Operation == Atomic::and_)
        return value & x;
    else if constexpr (Operation == Atomic::or_)
        return value | x;
    else
        return value ^ x;
}
/// redux.sync.op d, a, b: over the lanes here of the same members b.
template <class T, Atomic Operation>
void reduce(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    alignas(64) T out[lanes] = {};
    by_members(warp, inst.b, [&](std::uint32_t group) {
        // Lanes of others add nothing, or what one of these has.
        constexpr bool sums = Operation == Atomic::add || Operation == Atomic::xor_;
        const T other = sums ? T{0} : a[std::countr_zero(group)];
        alignas(64) T chosen[lanes];
        for (std::uint32_t lane = 0; lane < lanes; ++lane) chosen[lane] = ((group >> lane) & 1U) != 0 ? a[lane] : other;
        T value = chosen[0];
        for (std::uint32_t lane = 1; lane < lanes; ++lane) value = reduced<T, Operation>(value, chosen[lane]);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) out[lane] = ((group >> lane) & 1U) != 0 ? value : out[lane];
    });
    commit(destination<T>(warp, inst.d), out, warp.exec);
}

/// The smaller or the larger of two numbers, -0 below 0; NaN is more than any number that Nan lets through.
template <Atomic Operation, bool Nan>
float extreme(float x, float y) {
    if (x != x || y != y) return (x != x) == Nan ? x : y;
    if (x == y) return std::signbit(x) == (Operation == Atomic::min) ? x : y;
    return (x < y) == (Operation == Atomic::min) ? x : y;
}
/// redux.sync.min{.abs}{.NaN}.f32 and .max.
template <Atomic Operation, bool Nan, bool Magnitudes>
void reduce_floats(Warp& warp, const Inst& inst) {
    const auto* a = source<float>(warp, inst.a);
    const auto of = [&](std::uint32_t lane) { return Magnitudes ? std::fabs(a[lane]) : a[lane]; };
    alignas(64) float out[lanes] = {};
    by_members(warp, inst.b, [&](std::uint32_t group) {
        float value = of(static_cast<std::uint32_t>(std::countr_zero(group)));
        for_lanes(group, [&](std::uint32_t lane) { value = extreme<Operation, Nan>(value, of(lane)); });
        constexpr std::uint32_t canonical_nan = 0x7FFFFFFF;
        if (value != value) value = std::bit_cast<float>(canonical_nan);
        for_lanes(group, [&](std::uint32_t lane) { out[lane] = value; });
    });
    commit(destination<float>(warp, inst.d), out, warp.exec);
}
template <Atomic Operation>
Handler pick_float_reduction(const Spec& spec) {
    if (spec.nan)
        return spec.magnitudes ? by_all<reduce_floats<Operation, true, true>>
                               : by_all<reduce_floats<Operation, true, false>>;
    return spec.magnitudes ? by_all<reduce_floats<Operation, false, true>>
                           : by_all<reduce_floats<Operation, false, false>>;
}

/// elect.sync d|e, b: of the members b, the lowest lane here is elected.
void elect(Warp& warp, const Inst& inst) {
    alignas(64) std::uint32_t out[lanes] = {};
    std::uint32_t leaders = 0;
    by_members(warp, inst.b, [&](std::uint32_t group) {
        const auto leader = static_cast<std::uint32_t>(std::countr_zero(group));
        leaders |= std::uint32_t{1} << leader;
        for_lanes(group, [&](std::uint32_t lane) { out[lane] = leader; });
    });
    if (inst.d != no_ref) commit(destination<std::uint32_t>(warp, inst.d), out, warp.exec);
    commit_predicate(warp, inst.e, leaders);
}

/// bar.warp.sync b. Members on other ways may come to other instructions of this kind.
void warp_sync(Warp& warp, const Inst& inst) {
    const std::uint32_t of = members(warp, inst);
    if (!all_here(warp, inst, of)) return;
    let_others_go(warp, inst, of, [](const Inst& here, const Inst& there) { return here.handler == there.handler; });
}

}  // namespace

Handler select_warp(const Spec& spec) {
    const bool wide = size_of(spec.type) == 8;
    switch (spec.op) {
        case Op::shfl:
            return shuffle;
        case Op::vote:
            return vote;
        case Op::activemask:
            return active_mask;
        case Op::match_any:
            return wide ? by_all<match_any<std::uint64_t>, 8> : by_all<match_any<std::uint32_t>>;
        case Op::match_all:
            return wide ? by_all<match_all<std::uint64_t>, 8> : by_all<match_all<std::uint32_t>>;
        case Op::elect:
            return by_all<elect>;
        case Op::warp_sync:
            return warp_sync;
        case Op::redux: {
            if (spec.type == ptx::Type::f32)
                return spec.atomic == Atomic::min ? pick_float_reduction<Atomic::min>(spec)
                                                  : pick_float_reduction<Atomic::max>(spec);
            const bool is_signed_type = spec.type == ptx::Type::s32;
            switch (spec.atomic) {
                case Atomic::add:
                    return by_all<reduce<std::uint32_t, Atomic::add>>;
                case Atomic::min:
                    return is_signed_type ? by_all<reduce<std::int32_t, Atomic::min>>
                                          : by_all<reduce<std::uint32_t, Atomic::min>>;
                case Atomic::max:
                    return is_signed_type ? by_all<reduce<std::int32_t, Atomic::max>>
                                          : by_all<reduce<std::uint32_t, Atomic::max>>;
                case Atomic::and_:
                    return by_all<reduce<std::uint32_t, Atomic::and_>>;
                case Atomic::or_:
                    return by_all<reduce<std::uint32_t, Atomic::or_>>;
                case Atomic::xor_:
                    return by_all<reduce<std::uint32_t, Atomic::xor_>>;
                default:
                    return nullptr;
            }
        }
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
