// Tells contents of memory apart without keeping them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gpuproj::simulate {

/// 128 bits of a stretch of memory: equal contents have equal digests, others practically never.
struct Digest {
    std::uint64_t low = 0, high = 0;
    auto operator<=>(const Digest&) const = default;
};
Digest digest_of(std::span<const std::byte> bytes);

}  // namespace gpuproj::simulate
