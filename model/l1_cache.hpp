// What L1 of one multiprocessor holds, by GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/gpu.hpp"

namespace gpuproj {

/// 86 for compute capability "8.6"; nothing for other makers' names and none at all.
std::optional<int> capability_of(std::string_view compute_capability);

struct L1 {
    std::uint64_t bytes = 0;     // 0: there is none. Read-only and local loads use it wherever there is one
    bool global_loads = false;   // ordinary global loads use it too
    bool stores_update = false;  // a store refreshes a sector that L1 holds, instead of invalidating it
};

/// By the GPU's description and its compute capability. Where L1 and shared memory are one memory, L1 is what the
/// resident blocks of an SM leave of it (`shared_bytes`: what they use).
L1 l1_of(const Gpu& gpu, std::uint64_t shared_bytes);

}  // namespace gpuproj
