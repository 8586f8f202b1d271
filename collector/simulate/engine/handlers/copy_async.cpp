// Copies from global to shared memory, asynchronous on GPUs (PTX ISA 9.7.9.25).
#include "collector/simulate/engine/handlers/access.hpp"
#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/elements.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// cp.async.ca.shared.global [a + imm], [b], bytes: copied at once, which every wait allows. `target` holds the offset
/// of the source, `c` the number of bytes really read (the rest is zeros), if given.
void copy_async(Warp& warp, const Inst& inst) {
    alignas(64) std::uint32_t to[lanes];
    alignas(64) std::uint64_t from[lanes];
    lane_offsets(warp, inst, to);
    const auto* b = source<std::uint64_t>(warp, inst.b);
    for (int lane = 0; lane < lanes; ++lane)
        from[lane] =
            b[lane] + static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(inst.target)));
    // Tiles of matrices have their rows far from each other: what is counted meanwhile takes as long as they do.
    for (const std::uint64_t address : from) __builtin_prefetch(pointer(address));
    const std::uint32_t bytes = inst.bytes;
    const auto* sizes = inst.c == no_ref ? nullptr : source<std::uint32_t>(warp, inst.c);
    std::uint32_t reading = warp.exec;
    if (sizes != nullptr) reading &= bits_of_lanes([&](int lane) { return sizes[lane] != 0; });
    Lie lie = reading == 0 ? Lie::apart : lie_of(from, reading, bytes);
    reading = access_global(warp, inst, from, reading, bytes, AccessKind::load, lie);
    access_shared(warp, inst, to, warp.exec, bytes, true);
    std::byte* shared = warp.block->shared.data();
    // Lanes that copy all bytes; of the others only some, or none, are data.
    std::uint32_t whole = reading;
    if (sizes != nullptr) whole &= bits_of_lanes([&](int lane) { return sizes[lane] >= bytes; });
    const auto copy_all = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
        for_lanes(whole, [&](std::uint32_t lane) { std::memcpy(shared + to[lane], pointer(from[lane]), Bytes); });
    };
    if (bytes == 16)
        copy_all(std::integral_constant<std::size_t, 16>{});
    else if (bytes == 8)
        copy_all(std::integral_constant<std::size_t, 8>{});
    else
        copy_all(std::integral_constant<std::size_t, 4>{});
    for_lanes(warp.exec & ~whole, [&](std::uint32_t lane) {
        const std::uint32_t read = ((reading >> lane) & 1U) != 0 ? sizes[lane] : 0;
        if (read > 0) std::memcpy(shared + to[lane], pointer(from[lane]), read);
        std::memset(shared + to[lane] + read, 0, bytes - read);
    });
}

}  // namespace

Handler select_copy_async(const Spec& spec) {
    switch (spec.op) {
        case Op::cp_async:
            return copy_async;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
