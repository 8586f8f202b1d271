#include "model/l2_cache.hpp"

#include <algorithm>
#include <array>

#include "model/l1_cache.hpp"

namespace gpuproj {

std::uint32_t l2_halves(const Gpu& gpu) {
    constexpr std::array divided{80, 90, 100, 103};
    const auto capability = capability_of(gpu.compute_capability);
    return capability && std::ranges::find(divided, *capability) != divided.end() ? 2 : 1;
}

}  // namespace gpuproj
