// How the lanes of an access to shared memory lie to each other.
#include "collector/simulate/engine/handlers/access.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

void learn(SharedPattern& pattern, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes,
           std::uint32_t width) {
    const std::uint32_t first = offset[std::countr_zero(mask)];
    // Of its own: the pattern may lie where the offsets do, for all that the compiler knows, and no loop is vectorised.
    alignas(64) std::array<std::uint32_t, lanes> from_first;  // NOLINT(*-member-init): filled at once
    if (mask == full_mask)
        for (std::uint32_t lane = 0; lane < lanes; ++lane) from_first[lane] = offset[lane] - first;
    else
        for (std::uint32_t lane = 0; lane < lanes; ++lane) from_first[lane] = difference(offset, mask, first, lane);
    std::int32_t low = 0, high = 0;
    std::uint32_t bits = 0;
    for (const std::uint32_t distance : from_first) {
        const auto place = static_cast<std::int32_t>(distance);
        low = place < low ? place : low;
        high = place > high ? place : high;
        bits |= distance;
    }
    pattern.from_first = from_first;
    pattern.bits = bits;
    pattern.below = std::uint32_t{0} - static_cast<std::uint32_t>(low);
    pattern.above = static_cast<std::uint32_t>(high);
    pattern.wide.fill(0);
    pattern.banks = shared_bank_passes(std::span<const std::uint32_t, lanes>(offset, lanes), mask, width);
    const OctetLies lies = mask == full_mask ? octets_of(offset, bytes) : OctetLies{};
    pattern.rows = lies.rows;
    pattern.points = lies.points;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
