// A barrier object in shared memory, as the 64 bits that programs do not look into.
#pragma once

#include <cstdint>

namespace gpuproj::simulate {

// Inst::mode of arrivals, waits and bulk copies.
inline constexpr unsigned arrive_drops = 1, arrive_never_completes = 2, arrive_expects_bytes = 4,
                          arrive_is_made_up_for = 8;
inline constexpr unsigned wait_for_parity = 1, wait_blocks = 2;
inline constexpr unsigned bulk_to_shared = 1, bulk_from_shared = 2, bulk_multicasts = 4, bulk_masks = 8,
                          bulk_reduces = 16;

/// What PTX says a barrier has (PTX ISA 9.7.13.15.2): arrivals expected in each phase and still pending in this one,
/// bytes that asynchronous copies have yet to write in this one, and the phase, of which one bit is seen.
struct Mbarrier {
    static constexpr std::int64_t most_arrivals = (1 << 20) - 1, most_bytes = (1 << 20) - 1;

    bool valid = false;
    bool odd_phase = false;
    std::int64_t expected = 0, pending = 0, bytes = 0;

    static constexpr Mbarrier from_bits(std::uint64_t bits) {
        return {(bits & 1U) != 0, (bits & 2U) != 0, static_cast<std::int64_t>(bits >> 2 & 0xFFFFFU),
                static_cast<std::int64_t>(bits >> 22 & 0xFFFFFU), static_cast<std::int64_t>(bits << 1) >> 43};
    }
    constexpr std::uint64_t bits() const {
        return (valid ? 1U : 0U) | (odd_phase ? 2U : 0U) | static_cast<std::uint64_t>(expected) << 2 |
               static_cast<std::uint64_t>(pending) << 22 | (static_cast<std::uint64_t>(bytes) & 0x1FFFFFU) << 42;
    }
    /// The phase ends when nobody and nothing is awaited any more.
    constexpr void complete_if_due() {
        if (pending != 0 || bytes != 0) return;
        odd_phase = !odd_phase;
        pending = expected;
    }
};

}  // namespace gpuproj::simulate
