// Bank conflicts of shared memory.
#include <algorithm>
#include <bit>

#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {
namespace {

constexpr std::uint32_t banks = 32;
constexpr std::uint32_t word_bytes = 4;

using Places = std::array<std::uint32_t, banks>;

// One pass through the banks, place p in bank p & `bank_mask`: one place of each bank, for all who want it. What of the
// first `count` it leaves comes to the beginning; gives how many these are. Without branches on the places, which
// processors foretell badly where these lie at random.
std::uint32_t pass_of_many(Places& wanted, std::uint32_t count, std::uint32_t bank_mask) {
    Places served;  // NOLINT(*-member-init): read only where it was written
    for (std::uint32_t i = 0; i < count; ++i) served[wanted[i] & bank_mask] = wanted[i];
    std::uint32_t left = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t place = wanted[i];
        wanted[left] = place;
        left += served[place & bank_mask] != place ? 1 : 0;
    }
    return left;
}
// The same going over them once, which is faster where few are left, or most want the same banks.
std::uint32_t pass_of_few(Places& wanted, std::uint32_t count, std::uint32_t bank_mask) {
    Places served;  // NOLINT(*-member-init): the same
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
    return left;
}
// Passes that serve the first `count` places.
std::uint32_t passes_for(Places& wanted, std::uint32_t count, std::uint32_t bank_mask) {
    std::uint32_t passes = 0;
    if (count > banks / 2) {
        count = pass_of_many(wanted, count, bank_mask);
        passes = 1;
    }
    for (; count > 0; ++passes) count = pass_of_few(wanted, count, bank_mask);
    return passes;
}

// The two commonest accesses of a whole warp: neighbours, and one place for all.
bool all_neighbours(std::span<const std::uint32_t, 32> offset, std::uint32_t bytes) {
    std::uint32_t differ = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) differ |= offset[lane] ^ (offset[0] + bytes * lane);
    return differ == 0;
}
bool all_the_same(std::span<const std::uint32_t, 32> offset) {
    std::uint32_t differ = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) differ |= offset[lane] ^ offset[0];
    return differ == 0;
}

// Words of neighbouring lanes that lie at one distance from each other, as trees and matrices want them: the banks come
// round after a period that divides 32. 0: they do not lie so.
std::uint32_t passes_of_stride(std::span<const std::uint32_t, 32> offset, std::uint32_t mask) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint32_t run = mask >> first, count = 32 - static_cast<std::uint32_t>(std::countl_zero(run));
    if ((run & (run + 1)) != 0) return 0;
    if (count == 1) return 1;
    const std::uint32_t step = offset[first + 1] - offset[first], begin = offset[first] - first * step;
    const auto departs = [&](std::uint32_t lane) { return offset[lane] ^ (begin + lane * step); };
    const std::uint32_t last = first + count - 1;
    if ((departs(last) | departs((first + last) / 2)) != 0) return 0;  // as of most that do not lie so
    std::uint32_t differ = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) differ |= departs(lane) & (0U - (mask >> lane & 1));
    if (differ != 0) return 0;
    if (step == 0) return 1;
    const auto power = static_cast<std::uint32_t>(std::countr_zero(step / word_bytes));
    const std::uint32_t period = power < 5 ? banks >> power : 1;
    return (count + period - 1) / period;
}

// Whether every active lane of [begin, end) wants the same as lane ^ `step`, where that is active.
bool partners_agree(std::span<const std::uint32_t, 32> offset, std::uint32_t mask, std::uint32_t begin,
                    std::uint32_t end, std::uint32_t step) {
    for (std::uint32_t lane = begin; lane < end; ++lane) {
        const bool both = (mask >> lane & 1) != 0 && (mask >> (lane ^ step) & 1) != 0;
        if (both && offset[lane] != offset[lane ^ step]) return false;
    }
    return true;
}

}  // namespace

BankPasses shared_bank_passes(std::span<const std::uint32_t, 32> offset, std::uint32_t mask, std::uint32_t bytes) {
    const std::uint32_t groups = std::max(bytes / word_bytes, 1U);  // whole warp, half warps or quarters
    const std::uint32_t pairs = std::max(groups / 2, 1U);
    if (mask != 0 && bytes == word_bytes) {
        if (const std::uint32_t passes = passes_of_stride(offset, mask); passes != 0) return {passes, 1};
    } else if (mask == ~0U) {
        if (all_neighbours(offset, bytes)) return {groups, groups};
        if (all_the_same(offset)) return {pairs, pairs};
    }
    // Aligned accesses of 8 and 16 bytes meet in a bank only if they meet in all of theirs: 16 or 8 wide banks.
    const auto shift = static_cast<std::uint32_t>(std::countr_zero(groups * word_bytes));
    BankPasses result;
    const auto serve = [&](std::uint32_t begin, std::uint32_t end) {
        Places wanted;  // NOLINT(*-member-init): filled up to `count`
        std::uint32_t count = 0;
        if (mask == ~0U) {
            for (std::uint32_t lane = begin; lane < end; ++lane) wanted[lane - begin] = offset[lane] >> shift;
            count = end - begin;
        } else {
            for (std::uint32_t lane = begin; lane < end; ++lane) {
                wanted[count] = offset[lane] >> shift;
                count += mask >> lane & 1;
            }
            if (count == 0) return;
        }
        result.passes += passes_for(wanted, count, banks / groups - 1);
        ++result.ideal;
    };
    const std::uint32_t pair_lanes = 32 / pairs;
    for (std::uint32_t begin = 0; begin < 32; begin += pair_lanes) {
        const std::uint32_t end = begin + pair_lanes, middle = begin + pair_lanes / 2;
        if (groups == 1 || partners_agree(offset, mask, begin, end, 1) || partners_agree(offset, mask, begin, end, 2)) {
            serve(begin, end);
        } else {
            serve(begin, middle);
            serve(middle, end);
        }
    }
    return result;
}

std::uint32_t wide_bank_passes(std::span<const std::uint32_t, 32> offset, std::uint32_t mask, std::uint32_t bytes) {
    if (bytes > word_bytes) return shared_bank_passes(offset, mask, bytes).passes;
    // The two words of a place become one.
    std::array<std::uint32_t, 32> place;  // NOLINT(*-member-init): filled
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        place[lane] =
            offset[lane] / (2 * banks * word_bytes) * (banks * word_bytes) + offset[lane] % (banks * word_bytes);
    return shared_bank_passes(place, mask, word_bytes).passes;
}

}  // namespace gpuproj::simulate
