// The caches of each generation.
#include "collector/simulate/memory/hierarchy.hpp"
#include "model/l1_cache.hpp"
#include "model/l2_cache.hpp"

namespace gpuproj::simulate {

MemoryConfig memory_config(const Gpu& gpu, std::uint64_t shared_bytes) {
    MemoryConfig config;
    if (gpu.sm_count) config.sm_count = gpu.sm_count->value;
    if (gpu.l2_size) config.l2_bytes = static_cast<std::uint64_t>(gpu.l2_size->value.value);
    config.l2_halves = l2_halves(gpu);
    const L1 l1 = l1_of(gpu, shared_bytes);
    config.l1_bytes = l1.bytes;
    config.l1_global_loads = l1.global_loads;
    config.l1_stores_update = l1.stores_update;
    if (const auto known = capability_of(gpu.compute_capability)) config.l1_ways = *known < 30 ? 4 : 16;
    return config;
}

}  // namespace gpuproj::simulate
