// The banks of shared memory, by GPU.
#pragma once

#include "model/gpu.hpp"
#include "model/l1_cache.hpp"
#include "model/quantity.hpp"

namespace gpuproj {

constexpr Bytes narrow_banks{4}, wide_banks{8};

/// The size of each of the 32: 8 bytes on Kepler (CUDA C Programming Guide, compute capability 3.x), 4 elsewhere, other
/// makers' GPUs among them. `capability`: 35 for "3.5", 0 for none.
constexpr Bytes shared_bank_size(int capability) {
    return capability >= 30 && capability < 50 ? wide_banks : narrow_banks;
}
inline Bytes shared_bank_size(const Gpu& gpu) {
    return shared_bank_size(capability_of(gpu.compute_capability).value_or(0));
}

}  // namespace gpuproj
