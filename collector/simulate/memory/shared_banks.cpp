// Bank conflicts of shared memory.
#include <algorithm>
#include <bit>

#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {
namespace {

constexpr std::uint32_t banks = 32;
constexpr std::uint32_t word_bytes = 4;

// Passes that serve the first `count` places when place p lies in bank p & `bank_mask`: each pass one place of each
// bank, for all who want it.
std::uint32_t passes_for(std::array<std::uint32_t, 32>& wanted, std::uint32_t count, std::uint32_t bank_mask) {
    // Mostly one pass is enough: found out without branches.
    std::array<std::uint32_t, banks> served;  // NOLINT(*-member-init): read only where it was written
    std::uint32_t unserved = 0;
    for (std::uint32_t i = 0; i < count; ++i) served[wanted[i] & bank_mask] = wanted[i];
    for (std::uint32_t i = 0; i < count; ++i) unserved |= served[wanted[i] & bank_mask] ^ wanted[i];
    if (unserved == 0) return 1;

    std::uint32_t passes = 0;
    for (; count > 0; ++passes) {
        std::uint32_t taken = 0, left = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t place = wanted[i], bank = place & bank_mask;
            if ((taken >> bank & 1) == 0) {
                taken |= 1U << bank;
                served[bank] = place;
            } else if (served[bank] != place) {
                wanted[left++] = place;
            }
        }
        count = left;
    }
    return passes;
}

// The two commonest accesses of a whole warp: neighbours, and one place for all.
bool plainly_free(std::span<const std::uint32_t, 32> offset, std::uint32_t bytes) {
    std::uint32_t from_row = 0, from_first = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        from_row |= offset[lane] ^ (offset[0] + bytes * lane);
        from_first |= offset[lane] ^ offset[0];
    }
    return from_row == 0 || from_first == 0;
}

}  // namespace

BankPasses shared_bank_passes(std::span<const std::uint32_t, 32> offset, std::uint32_t mask, std::uint32_t bytes) {
    const std::uint32_t groups = std::max(bytes / word_bytes, 1U);  // whole warp, half warps or quarters
    if (mask == ~0U && plainly_free(offset, bytes)) return {groups, groups};
    // Aligned accesses of 8 and 16 bytes meet in a bank only if they meet in all of theirs: 16 or 8 wide banks.
    const auto shift = static_cast<std::uint32_t>(std::countr_zero(groups * word_bytes));
    const std::uint32_t lanes = 32 / groups;
    BankPasses result;
    for (std::uint32_t begin = 0; begin < 32; begin += lanes) {
        std::array<std::uint32_t, 32> wanted;  // NOLINT(*-member-init): filled up to `count`
        std::uint32_t count = 0;
        for (std::uint32_t lane = begin; lane < begin + lanes; ++lane) {
            wanted[count] = offset[lane] >> shift;
            count += mask >> lane & 1;
        }
        if (count == 0) continue;
        result.passes += passes_for(wanted, count, banks / groups - 1);
        ++result.ideal;
    }
    return result;
}

}  // namespace gpuproj::simulate
