#include "collector/simulate/engine/engine.hpp"

#include <memory>
#include <utility>

#include "collector/simulate/engine/float_environment.hpp"
#include "collector/simulate/engine/launch/engine_state.hpp"
#include "collector/simulate/engine/launch/launch_context.hpp"
#include "collector/simulate/engine/launch/launch_run.hpp"

namespace gpuproj::simulate {

struct Engine::State : EngineState {
    using EngineState::EngineState;

    /// What a launch reports that need not be executed; nullptr: it has to be.
    const LaunchReport* known_report(const Repeats::Key& key, const LaunchRequest& request) {
        if (!is_only(options.sample)) return repeats.repeat(key, memory);
        return request.count && simulated_work >= options.steady_after ? known.next(key) : nullptr;
    }
};

Engine::Engine(const Gpu& reference, DeviceMemory& memory, EngineOptions options)
    : state_(std::make_unique<State>(reference, memory, std::move(options))) {}
Engine::~Engine() = default;

namespace {

/// Of at least one byte.
SectorRange sectors_of(const void* begin, std::size_t bytes) {
    const auto first = reinterpret_cast<std::uint64_t>(begin) / sector_bytes;
    const std::uint64_t last = (reinterpret_cast<std::uint64_t>(begin) + bytes - 1) / sector_bytes;
    return {first, last - first + 1};
}

}  // namespace

void Engine::host_wrote(const void* begin, std::size_t bytes) {
    state_->memory.wrote(reinterpret_cast<std::uint64_t>(begin), bytes);
}

void Engine::released(const void* begin, std::size_t bytes) {
    if (bytes == 0) return;
    const SectorRange sectors = sectors_of(begin, bytes);
    state_->l2.drop(sectors.first, sectors.count);
    state_->steady.dropped(sectors);
    state_->memory.wrote(reinterpret_cast<std::uint64_t>(begin), bytes);
}

void Engine::device_access(const void* begin, std::size_t bytes, bool written) {
    if (bytes == 0) return;
    const SectorRange sectors = sectors_of(begin, bytes);
    state_->l2.pass(sectors.first, sectors.count);
    state_->steady.passed(sectors);
    if (written) state_->memory.wrote(reinterpret_cast<std::uint64_t>(begin), bytes);
}

LaunchReport Engine::launch(const LaunchRequest& request) {
    const UsualFloatEnvironment environment;
    State& state = *state_;
    LaunchReport report;
    const KernelInfo* info = request.module->kernel(request.kernel);
    report.fault = refused(request, info);
    if (report.fault) return report;
    Repeats::Key key;
    if (!state.options.count_every_launch) {
        key = Repeats::key_of(request);
        if (const LaunchReport* earlier = state.known_report(key, request)) return *earlier;
    }
    LaunchRun run(state, request, *info, key);
    report = run.run();
    if (!run.wants_all_blocks()) return report;
    state.whole.insert(std::string(request.kernel));
    return LaunchRun(state, request, *info, key).run();
}

}  // namespace gpuproj::simulate
