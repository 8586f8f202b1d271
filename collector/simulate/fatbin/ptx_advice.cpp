#include "collector/simulate/fatbin/ptx_advice.hpp"

#include <algorithm>

namespace gpuproj::simulate {

std::string rebuild_with_ptx(std::span<const int> targets) {
    const int highest = targets.empty() ? 0 : *std::ranges::max_element(targets);
    const std::string cc = highest > 0 ? std::to_string(highest) : "XX";
    return "build all of it again with NVCC_APPEND_FLAGS='-gencode arch=compute_" + cc + ",code=compute_" + cc +
           "' in the environment, which nvcc adds to its options";
}

}  // namespace gpuproj::simulate
