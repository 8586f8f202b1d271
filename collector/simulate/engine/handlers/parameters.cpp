// Parameters of kernels and of calls (PTX ISA 9.7.9).
#include "collector/simulate/engine/handlers/elements.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// Kernel parameters are the same for all lanes.
template <class Raw, class Register>
void load_parameter(Warp& warp, const Inst& inst) {
    for (std::uint32_t i = 0; i < inst.count; ++i) {
        const Ref ref = element(warp, inst, i);
        if (ref == no_ref) continue;
        const auto value = widened<Register, Raw>(warp.sm->launch->parameters + inst.imm + i * sizeof(Raw));
        each_lane(destination<Register>(warp, ref), warp.exec, [&](int) { return value; });
    }
}
/// Parameters of calls live in the frame: `a` the area, `a_width` its bytes per lane, `imm` the offset in it.
template <class Raw, class Register, bool Store>
void frame_access(Warp& warp, const Inst& inst) {
    auto* area = destination<std::byte>(warp, inst.a);
    const auto stride = static_cast<std::size_t>(inst.target);
    if constexpr (sizeof(Raw) == sizeof(Register)) {
        if (stride == sizeof(Raw) && warp.exec == full_mask && inst.d != no_ref) {
            if constexpr (Store)
                std::memcpy(area, source<Register>(warp, inst.d), sizeof(Raw) * lanes);
            else
                std::memcpy(destination<Register>(warp, inst.d), area, sizeof(Raw) * lanes);
            return;
        }
    }
    for (std::uint32_t i = 0; i < inst.count; ++i) {
        const auto at = [&](std::uint32_t lane) {
            return area + lane * stride + static_cast<std::size_t>(inst.imm) + i * sizeof(Raw);
        };
        if constexpr (Store)
            store_element<Raw, Register>(warp, element(warp, inst, i), warp.exec, at);
        else
            load_element<Raw, Register>(warp, element(warp, inst, i), warp.exec, at);
    }
}

template <bool Store>
struct Frames {
    template <class Raw, class Register>
    struct Of {
        static constexpr Handler handler = frame_access<Raw, Register, Store>;
    };
};
template <class Raw, class Register>
struct Parameters {
    static constexpr Handler handler = load_parameter<Raw, Register>;
};

}  // namespace

Handler select_parameters(const Spec& spec) {
    switch (spec.op) {
        case Op::ld_param:
            return pick_types<Parameters>(spec);
        case Op::ld_frame:
            return pick_types<Frames<false>::Of>(spec);
        case Op::st_frame:
            return pick_types<Frames<true>::Of>(spec);
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
