// What tensor copies, bulk copies and policies have in Inst::mode and Inst::imm.
#pragma once

#include <cstdint>

namespace gpuproj::simulate {

inline constexpr unsigned tensor_stores = 1, tensor_reduces = 2, tensor_gathers = 4, tensor_im2col = 8;

/// Inst::imm of a tensor copy.
struct TensorOperands {
    std::uint8_t coordinates = 0, offsets = 0, operation = 0;  // operation: Atomic of those that reduce

    constexpr std::int64_t bits() const {
        return std::int64_t{coordinates} | std::int64_t{offsets} << 8 | std::int64_t{operation} << 16;
    }
    static constexpr TensorOperands from_bits(std::int64_t bits) {
        return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
                static_cast<std::uint8_t>(bits >> 16)};
    }
};

/// Inst::imm of a bulk copy that reduces: ptx::Type and Atomic.
struct BulkReduction {
    std::uint8_t type = 0, operation = 0;

    constexpr std::int64_t bits() const { return std::int64_t{type} | std::int64_t{operation} << 8; }
    static constexpr BulkReduction from_bits(std::int64_t bits) {
        return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8)};
    }
};

inline constexpr unsigned policy_of_range = 8;

}  // namespace gpuproj::simulate
