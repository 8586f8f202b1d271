#pragma once

#include <cstdint>

namespace gpuproj::test {

/// Whether products of rows x depth and depth x columns elements (8, 16 or 32 columns) in vectors of 512 bits are those
/// in narrower ones, to the last bit. Needs AVX2 and AVX-512.
bool wide_products_agree(std::uint32_t rows, std::uint32_t columns, std::uint32_t depth);

}  // namespace gpuproj::test
