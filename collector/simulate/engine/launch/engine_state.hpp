// What an engine keeps from launch to launch.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/block_pool.hpp"
#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/engine/launch/known_launches.hpp"
#include "collector/simulate/engine/launch/repeats.hpp"
#include "collector/simulate/engine/launch/rounds.hpp"
#include "collector/simulate/engine/launch/steady.hpp"
#include "collector/simulate/engine/launch/worker_pool.hpp"
#include "collector/simulate/engine/warp.hpp"
#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {

struct EngineState {
    EngineState(const Gpu& gpu, DeviceMemory& device_memory, EngineOptions engine_options)
        : reference(gpu),
          memory(device_memory),
          options(std::move(engine_options)),
          config(memory_config(gpu)),
          capability(capability_number(gpu.compute_capability)),
          l2(config),
          pool(options.threads),
          rounds(pool, l2),
          steady(l2, options.steady_after) {}

    Gpu reference;
    DeviceMemory& memory;
    EngineOptions options;
    MemoryConfig config;
    int capability;
    std::set<std::string, std::less<>> whole;  // kernels of whose blocks none may be left out
    std::vector<SmContext> sms;
    std::uint64_t launches = 0;
    double simulated_work = 0;  // simulation_work of launches whose memory was simulated
    L2Cache l2;
    WorkerPool pool;
    Rounds rounds;
    BlockPool blocks;
    Repeats repeats;
    Steady steady;
    KnownLaunches known;
};

}  // namespace gpuproj::simulate
