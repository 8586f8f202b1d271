// Bank conflicts of shared memory.
#include <algorithm>
#include <bit>

#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {
namespace {

constexpr std::uint32_t banks = 32;

// Passes that serve these words (32 at most), each pass one word of each bank for all who want it.
std::uint32_t passes_for(std::array<std::uint32_t, 32>& words, std::uint32_t count) {
    std::uint32_t used = 0;
    for (std::uint32_t i = 0; i < count; ++i) used |= 1U << (words[i] % banks);
    if (static_cast<std::uint32_t>(std::popcount(used)) == count) return 1;

    std::uint32_t passes = 0;
    for (; count > 0; ++passes) {
        std::array<std::uint32_t, banks> served;  // NOLINT(*-member-init): guarded by `taken`
        std::uint32_t taken = 0, left = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t word = words[i], bank = word % banks;
            if ((taken >> bank & 1) == 0) {
                taken |= 1U << bank;
                served[bank] = word;
            } else if (served[bank] != word) {
                words[left++] = word;
            }
        }
        count = left;
    }
    return passes;
}

// The two commonest accesses of a whole warp: adjacent words, and one word for all.
bool plainly_free(std::span<const std::uint32_t, 32> offset) {
    std::uint32_t from_row = 0, from_first = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        from_row |= offset[lane] ^ (offset[0] + 4 * lane);
        from_first |= offset[lane] ^ offset[0];
    }
    return from_row == 0 || from_first == 0;
}

}  // namespace

BankPasses shared_bank_passes(std::span<const std::uint32_t, 32> offset, std::uint32_t mask, std::uint32_t bytes) {
    if (mask == ~0U && bytes <= 4 && plainly_free(offset)) return {1, 1};
    const std::uint32_t words_each = std::max(bytes / 4, 1U);
    const std::uint32_t lanes = 32 / words_each;  // that go together
    BankPasses result;
    for (std::uint32_t begin = 0; begin < 32; begin += lanes) {
        std::array<std::uint32_t, 32> words;  // NOLINT(*-member-init): filled up to `count`
        std::uint32_t count = 0;
        for (std::uint32_t lane = begin; lane < begin + lanes; ++lane) {
            if ((mask >> lane & 1) == 0) continue;
            for (std::uint32_t i = 0; i < words_each; ++i) words[count++] = offset[lane] / 4 + i;
        }
        if (count == 0) continue;
        result.passes += passes_for(words, count);
        ++result.ideal;
    }
    return result;
}

}  // namespace gpuproj::simulate
