// What blocks and grids every GPU takes.
#pragma once

#include <cstddef>

#include "model/profile.hpp"

namespace gpuproj::simulate {

/// Whether each dimension is within the limits of compute capability 3.0 and later (CUDA C++ Programming Guide).
inline bool has_possible_dimensions(const Dim3& grid, const Dim3& block) {
    constexpr Dim3 most_blocks{0x7FFFFFFF, 65535, 65535}, most_threads{1024, 1024, 64};
    for (std::size_t d = 0; d < 3; ++d) {
        if (grid[d] == 0 || grid[d] > most_blocks[d] || block[d] == 0 || block[d] > most_threads[d]) return false;
    }
    return true;
}

}  // namespace gpuproj::simulate
