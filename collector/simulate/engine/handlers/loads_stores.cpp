// Loads and stores of all state spaces but parameters (PTX ISA 9.7.9). In one source: generic addresses need the code
// of all spaces, which takes compilers long enough once.
#include "collector/simulate/engine/handlers/loads_stores.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

struct Constant : Global {
    std::uint32_t prepare(Warp& warp, const Inst& inst, std::uint32_t mask, bool /*store*/) {
        lane_addresses(warp, inst, address);
        // A constant at a fixed address is an operand of its user.
        if (inst.has_base) count_constant(warp, inst, address, mask);
        const std::uint32_t bytes = std::uint32_t{inst.bytes} * inst.count;
        lie = lie_of(address, mask, bytes);
        if (!plainly_alive(warp, inst, address, mask, bytes, lie)) check_global(warp, inst, address, mask, bytes);
        return mask;
    }
};

template <class Raw, class Register>
void load_global(Warp& warp, const Inst& inst) {
    if (move_together<Raw, Register, false>(warp, inst) || load_point<Raw, Register>(warp, inst)) return;
    load_lanes<Global, Raw, Register>(warp, inst);
}
template <class Raw, class Register>
void store_global(Warp& warp, const Inst& inst) {
    if (!move_together<Raw, Register, true>(warp, inst)) store_lanes<Global, Raw, Register>(warp, inst);
}

template <class Raw, class Register>
struct GlobalLoads {
    static constexpr Handler handler = load_global<Raw, Register>;
};
template <class Raw, class Register>
struct GlobalStores {
    static constexpr Handler handler = store_global<Raw, Register>;
};

/// Generic addresses: each lane may point anywhere; the lanes of one space go together.
template <class Raw, class Register, bool Store>
void generic(Warp& warp, const Inst& inst) {
    if (move_together<Raw, Register, Store>(warp, inst)) return;
    if constexpr (!Store)
        if (load_point<Raw, Register>(warp, inst)) return;
    alignas(64) std::uint64_t address[lanes];
    lane_addresses(warp, inst, address);
    const std::uint32_t all = warp.exec;
    const GenericSplit split = split_generic(address, all);
    const auto run = [&]<class Place>(std::type_identity<Place>, std::uint32_t mask) {
        if (mask == 0) return;
        warp.exec = mask;
        if constexpr (Store)
            store_lanes<Place, Raw, Register>(warp, inst);
        else
            load_lanes<Place, Raw, Register>(warp, inst);
    };
    run(std::type_identity<Global>{}, split.global);
    run(std::type_identity<Shared>{}, split.shared & ~split.cluster);
    run(std::type_identity<Cluster>{}, split.cluster);
    run(std::type_identity<Local>{}, split.local);
    warp.exec = all;
}

template <bool Store>
struct Generics {
    template <class Raw, class Register>
    struct Of {
        static constexpr Handler handler = generic<Raw, Register, Store>;
    };
};

}  // namespace

Handler select_loads_stores(const Spec& spec) {
    switch (spec.op) {
        case Op::ld_global:
            return pick_types<GlobalLoads>(spec);
        case Op::ld_constant:
            return pick_types<Loads<Constant>::Of>(spec);
        case Op::ld_shared:
            return pick_types<Loads<Shared>::Of>(spec);
        case Op::ld_cluster:
            return pick_types<Loads<Cluster>::Of>(spec);
        case Op::ld_local:
            return pick_types<Loads<Local>::Of>(spec);
        case Op::ld_generic:
            return pick_types<Generics<false>::Of>(spec);
        case Op::st_global:
            return pick_types<GlobalStores>(spec);
        case Op::st_shared:
            return pick_types<Stores<Shared>::Of>(spec);
        case Op::st_cluster:
            return pick_types<Stores<Cluster>::Of>(spec);
        case Op::st_local:
            return pick_types<Stores<Local>::Of>(spec);
        case Op::st_generic:
            return pick_types<Generics<true>::Of>(spec);
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
