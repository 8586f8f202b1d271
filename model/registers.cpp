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

RegisterAim register_aim(const OccupancyRules& rules) {
    constexpr std::uint32_t step = 8, volta = 7;
    if (rules.major == 0) return {};
    // Of Fermi's assembler nothing is known: as the next one's. 3.7 has twice the registers, and mostly runs code
    // for 3.5.
    if (rules.major < volta) return {32, false};
    return {rules.registers / (rules.max_warps * 32) / step * step, true};
}

std::uint32_t registers_on(std::uint32_t registers, const RegisterAim& from, const RegisterAim& to) {
    if (from == to || from.full == 0 || to.full == 0) return registers;
    // Who has more than an SM is full with elsewhere has it here, too.
    if (from.full == to.full && registers >= to.full) return registers;
    std::uint32_t wants = wanted(registers, from.full);
    if (wants < of_large_block && from.since_volta != to.since_volta) {
        const std::uint32_t more = to.since_volta ? since_volta_more : 0, less = since_volta_more - more;
        wants = std::clamp(wants + more, least + less, of_large_block) - less;
    }
    return given(wants, to.full);
}

std::uint32_t registers_on(const KernelRecord& kernel, const Gpu* reference, const Gpu& target) {
    const std::uint32_t registers = kernel.registers_per_thread.value_or(0);
    if (registers == 0 || reference == nullptr) return registers;
    const auto from = occupancy_rules(*reference), to = occupancy_rules(target);
    return from && to ? registers_on(registers, register_aim(*from), register_aim(*to)) : registers;
}

}  // namespace gpuproj
