#include "model/registers.hpp"

#include <algorithm>

namespace gpuproj {

namespace {

constexpr std::uint32_t since_volta_more = 3, least = 4;

/// With more a block of 1024 threads does not fit.
constexpr std::uint32_t of_large_block = 64;

/// What a kernel wants, in the median of those that have `registers` on a GPU whose SMs are full with `full`.
std::uint32_t wanted(std::uint32_t registers, std::uint32_t full) {
    if (registers < full || registers >= of_large_block) return registers;
    if (registers <= full + 4) return std::min(full * 11 / 8, of_large_block);
    if (registers <= full * 5 / 4) return std::min(full * 15 / 8, of_large_block);
    return registers;
}
/// And what it gets.
std::uint32_t given(std::uint32_t wanted, std::uint32_t full) {
    if (wanted <= full) return wanted;
    if (wanted <= full * 7 / 4) return full;
    if (wanted <= full * 2) return full * 5 / 4;
    return wanted;
}

}  // namespace

RegisterAim register_aim(const OccupancyRules& rules, const RegisterBounds& bounds) {
    constexpr std::uint32_t step = 8, volta = 7, warp = 32, partitions = 4;
    if (rules.major == 0) return {};
    const bool since_volta = rules.major >= volta;
    // Of Fermi's assembler nothing is known: as the next one's. 3.7 has twice the registers, and mostly runs code
    // for 3.5.
    const std::uint32_t registers = since_volta ? rules.registers : 65536, warps = since_volta ? rules.max_warps : 64;
    const std::uint32_t block = (bounds.threads_per_block.value_or(0) + warp - 1) / warp;  // in warps
    const std::uint32_t blocks = block > 0 ? std::max(1U, warps / block) : 0;              // resident at most
    const auto share = [&](std::uint32_t resident_warps) {
        const std::uint32_t beside = (resident_warps + partitions - 1) / partitions;
        return std::min(registers / partitions / beside / warp / step * step, RegisterAim{}.most);
    };
    RegisterAim aim{share(block > 0 ? blocks * block : warps), since_volta};
    // More blocks than can be resident are not heeded.
    const std::uint32_t wanted_blocks = bounds.blocks_per_sm.value_or(0);
    const bool blocks_said = wanted_blocks > 0 && wanted_blocks <= blocks;
    if (block > 0) aim.most = share((blocks_said ? wanted_blocks : 1) * block);
    if (bounds.registers) aim.most = std::min(aim.most, *bounds.registers);
    // Who says how many blocks or registers it shall be gets no fuller SM than that.
    if (blocks_said || bounds.registers) aim.full = of_large_block;
    return aim;
}

std::uint32_t registers_on(std::uint32_t registers, const RegisterAim& from, const RegisterAim& to) {
    if (from == to || from.full == 0 || to.full == 0) return registers;
    // Who has more than an SM is full with elsewhere has it here, too.
    if (from.full == to.full && registers >= to.full) return std::min(registers, to.most);
    std::uint32_t wants = wanted(registers, from.full);
    if (wants < of_large_block && from.since_volta != to.since_volta) {
        const std::uint32_t more = to.since_volta ? since_volta_more : 0, less = since_volta_more - more;
        wants = std::clamp(wants + more, least + less, of_large_block) - less;
    }
    return std::min(given(wants, to.full), to.most);
}

std::uint32_t registers_on(const KernelRecord& kernel, const Gpu* reference, const Gpu& target) {
    const std::uint32_t registers = kernel.registers_per_thread.value_or(0);
    if (registers == 0 || reference == nullptr) return registers;
    const auto from = occupancy_rules(*reference), to = occupancy_rules(target);
    if (!from || !to) return registers;
    const RegisterBounds bounds = kernel.register_bounds.value_or(RegisterBounds{});
    return registers_on(registers, register_aim(*from, bounds), register_aim(*to, bounds));
}

}  // namespace gpuproj
