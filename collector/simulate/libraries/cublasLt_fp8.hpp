// Floating point of 8 bits as it lies in memory: what the engine's conversions know, with a table to read by.
#pragma once

#include <array>

#include "collector/simulate/engine/handlers/small_float.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

template <ptx::Type type>
struct Float8 {
    std::uint8_t bits;

    explicit operator float() const {
        static const std::array<float, 256> values = [] {
            std::array<float, 256> all{};
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i] = static_cast<float>(
                    GPUPROJ_ISA::small_value(GPUPROJ_ISA::small_format(type), static_cast<std::uint32_t>(i)));
            return all;
        }();
        return values[bits];
    }
    /// To nearest; what is too large becomes the largest number.
    static Float8 of(float value) { return {GPUPROJ_ISA::small_bits(GPUPROJ_ISA::small_format(type), value)}; }
};

}  // namespace gpuproj::simulate::libraries::cublas_lt
