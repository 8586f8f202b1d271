// The stack in local memory (PTX ISA 9.7.15).
#include <algorithm>

#include "collector/simulate/engine/handlers/lanes.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// alloca d, a, imm: `a` bytes of local memory at a multiple of imm; the largest wish of the lanes counts for all.
template <class T>
void allocate_stack(Warp& warp, const Inst& inst) {
    const T* a = source<T>(warp, inst.a);
    T bytes = 0;
    for_lanes(warp.exec, [&](std::uint32_t lane) { bytes = std::max(bytes, a[lane]); });
    const auto align = static_cast<T>(inst.imm);
    constexpr T most = T{1} << 30;
    const auto wanted = static_cast<std::uint32_t>(std::min<T>(bytes, most) + align + 15) / 16 * 16;
    const T begin = (static_cast<T>(grow_stack(warp, wanted)) + align - 1) / align * align;
    T* d = destination<T>(warp, inst.d);
    each_lane(d, warp.exec, [&](int) { return begin; });
}
/// stacksave d, stackrestore a. What was allocated in between is freed only when the function returns.
template <class T>
void save_stack(Warp& warp, const Inst& inst) {
    const auto top = static_cast<T>(grow_stack(warp, 0));
    each_lane(destination<T>(warp, inst.d), warp.exec, [&](int) { return top; });
}
void restore_stack(Warp& warp, const Inst& inst) {
    if (warp.exec != warp.frames.back().call_mask) return;  // others still use what they have
    Frame& frame = warp.frames.back();
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.exec));
    const std::uint64_t top =
        inst.a_width == 8 ? source<std::uint64_t>(warp, inst.a)[lane] : source<std::uint32_t>(warp, inst.a)[lane];
    const std::uint32_t own = frame.local_base + frame.code->local_bytes;
    if (top >= own && top <= own + frame.allocated) frame.allocated = static_cast<std::uint32_t>(top) - own;
}

}  // namespace

Handler select_stack(const Spec& spec) {
    switch (spec.op) {
        case Op::allocate_stack:
            return size_of(spec.type) == 8 ? allocate_stack<std::uint64_t> : allocate_stack<std::uint32_t>;
        case Op::save_stack:
            return size_of(spec.type) == 8 ? save_stack<std::uint64_t> : save_stack<std::uint32_t>;
        case Op::restore_stack:
            return restore_stack;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
