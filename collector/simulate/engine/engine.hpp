// What the runtime stand-in asks of the engine: load PTX, find kernels and variables, launch.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "collector/simulate/engine/counted.hpp"
#include "collector/simulate/engine/device_memory.hpp"
#include "collector/simulate/engine/device_questions.hpp"
#include "collector/simulate/engine/sample.hpp"
#include "collector/simulate/engine/window_sizes.hpp"
#include "model/gpu.hpp"
#include "model/profile.hpp"
#include "model/registers.hpp"

namespace gpuproj::simulate {

/// PTX that cannot be parsed, or uses what the engine does not have. `what()` names it and the line.
struct PtxError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct KernelParameter {
    std::uint32_t offset = 0;  // in the parameter buffer
    std::uint32_t bytes = 0;
    std::uint32_t align = 1;
};

/// What a launch and cudaFuncGetAttributes need to know of a kernel.
struct KernelInfo {
    std::string name;  // as in the PTX (mangled)
    std::vector<KernelParameter> parameters;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t local_bytes = 0;           // per thread
    std::uint32_t registers = 0;             // per thread: of machine code, or an estimate from liveness
    int registers_from = 0;                  // 80: machine code for sm_80; 0: the estimate
    std::uint32_t registers_there = 0;       // of that machine code
    RegisterBounds register_bounds;          // what the program says of them
    std::uint32_t max_threads = 1024;        // .maxntid, or the limit
    Dim3 cluster{0, 0, 0};                   // blocks of a cluster where the kernel says it (__cluster_dims__)
    std::optional<std::string> unsupported;  // an instruction the engine lacks, with its line: launching is refused
    bool may_wait = false;                   // its threads may look for what the host writes meanwhile
};

/// A module-scope variable; its memory lives in the module's copy for the process.
struct Variable {
    std::string name;
    void* address = nullptr;
    std::size_t bytes = 0;
    bool constant = false;
};

class Program;  // decoded PTX, internal

/// Which runs of arithmetic become machine code of this processor (native/machine_code.hpp). usual: those of a few
/// instructions at least; all: single instructions, too, for tests; none: as on processors without AVX2.
enum class MachineCode : std::uint8_t { none, usual, all };

/// One PTX module, decoded, its variables placed and initialised. Several translation units of one program are several
/// modules; PTX linked by -rdc is one.
class Module {
public:
    /// Parses and decodes. `origin` is named in errors. Throws PtxError.
    Module(std::string_view ptx, std::string origin, DeviceMemory& memory,
           MachineCode machine_code = MachineCode::usual);
    ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    const KernelInfo* kernel(std::string_view name) const;  // nullptr if there is none
    std::vector<const KernelInfo*> kernels() const;
    const Variable* variable(std::string_view name) const;  // nullptr if there is none
    int target() const;                                     // 80 for .target sm_80
    /// Makes of the registers per thread that its PTX seems to want those for a GPU. Once.
    void aim_registers(const OccupancyRules& gpu);
    /// The same from those that machine code for `target` has, for the kernels that it has.
    void take_registers(const RegistersByKernel& registers, int target, const OccupancyRules& gpu);
    const Program& program() const { return *program_; }
    /// Makes machine code of a function, by its number in the program, unless it has been made. No launch is running.
    void make_ready(std::size_t function) const;

private:
    std::unique_ptr<Program> program_;
};

/// A launch as the runtime asks for it.
struct LaunchRequest {
    const Module* module = nullptr;
    std::string_view kernel;
    Dim3 grid{1, 1, 1}, block{1, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
    std::span<const std::byte> parameters;  // laid out as KernelInfo::parameters says
    bool cooperative = false;               // all blocks must be resident at once
    Dim3 cluster{0, 0, 0};                  // blocks of a cluster; zeros: what the kernel says, or none
    bool count = true;                      // false: execute only
    /// Called once, from the launching thread, when the kernel seems to wait for the host; may be empty.
    std::function<void()> waits{};
    bool host_goes_on = false;                   // the host does other things meanwhile, from the beginning
    const std::atomic<bool>* stop = nullptr;     // when it is true, the launch ends with FaultKind::stopped
    const DeviceQuestions* questions = nullptr;  // nullptr: what kernels ask is an error
};

enum class FaultKind {
    illegal_address,
    outside_allocations,  // an illegal address that EngineOptions::ignore_out_of_bounds may let pass
    misaligned_address,
    assertion,
    trap,
    barrier,
    unsupported,
    timeout,
    stopped,
    invalid_launch
};

/// Why a launch stopped.
struct Fault {
    FaultKind kind = FaultKind::trap;
    std::string message;  // one line: what, kernel, block, thread, PTX or source line
};

/// A launch that a kernel has asked for; without a kernel a copy, without `from` a fill with a byte's value.
struct ChildLaunch {
    std::string kernel;  // of the same module
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0;
    int value = 0;
    Dim3 grid{1, 1, 1}, block{1, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
    std::vector<std::byte> parameters;
};

/// A kernel that a kernel wanted to launch, once at least, in a way that CUDA has an error for.
struct RefusedChild {
    std::string kernel;
    int code = 0;  // a cudaError_t
    std::string why;
};

struct LaunchReport {
    Counted counted;
    std::vector<ChildLaunch> children;  // to be run next, each with its own children, in this order
    std::vector<RefusedChild> refused;
    std::uint64_t counted_blocks = 0;          // fewer than the grid has: the counters are scaled to all
    std::uint64_t accesses_out_of_bounds = 0;  // those that EngineOptions::ignore_out_of_bounds let pass
    std::optional<Fault> fault;
    std::uint32_t resident_blocks_per_sm = 0;
    bool waited = false;    // for the host, so that some of its counters depend on how long that took
    bool repeated = false;  // it would have done again what an earlier launch did, and was not executed (repeats.hpp)
    bool passed_over = false;  // nor was this, which counts as a launch like it did (known_launches.hpp)
    bool cut_off = false;      // not all blocks have begun; those that have are counted, and the counters scaled
    bool steady = false;       // its memory traffic is that of an earlier launch, and was not simulated (steady.hpp)
    bool alike = false;        // that launch was much like it, and not the same
    /// Of its instructions, the share whose memory traffic is that of others beside them (windows.hpp).
    double estimated_share = 0;
    /// Where it is not 0, memory was simulated for one line in so many from some point on (sampled_lines.hpp).
    std::uint32_t sampled_lines = 0;
};

struct EngineOptions {
    int threads = 0;  // 0: all cores
    std::uint64_t seed = 0;
    std::optional<double> timeout_s;  // per launch
    std::optional<Sample> sample;     // none: every block is counted
    /// Global loads and atomics outside every allocation, but within a page of one, read 0, and what is written there
    /// vanishes: a GPU does not notice them, because it protects whole pages. What begins in an allocation is done.
    /// Shared memory is as large as the GPU gives it out.
    bool ignore_out_of_bounds = false;
    /// Launches that would repeat an earlier one exactly are executed like any other, and what all of them do to memory
    /// is counted, however alike or long (repeats.hpp, steady.hpp, windows.hpp).
    bool count_every_launch = false;
    /// simulation_work (window_sizes.hpp) before launches may be steady (steady.hpp), or passed over where only a
    /// sample is executed (known_launches.hpp).
    double steady_after = 0x1p27;
    /// While it is true, no more blocks of a launch begin: it is over when those end that have begun, or stopped a few
    /// seconds later (FaultKind::stopped). nullptr: never.
    const std::atomic<bool>* cut_off = nullptr;
    WindowSizes windows{};
    /// Called now and then from the launching thread with the share of blocks done; may be empty.
    std::function<void(double)> progress;
};

/// One simulated GPU: its caches live from launch to launch.
class Engine {
public:
    Engine(const Gpu& reference, DeviceMemory& memory, EngineOptions options);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Runs the grid to its end. Blocking; one launch at a time (the runtime serialises streams).
    LaunchReport launch(const LaunchRequest& request);
    /// The host has written this memory. What L2 holds of it is brought up to date there, and nothing comes in or goes.
    void host_wrote(const void* begin, std::size_t bytes);
    /// The memory is nobody's now, and what caches hold of it is gone.
    void released(const void* begin, std::size_t bytes);
    /// A copy, a fill or a library's kernel has read or written this memory on the device: it has passed through L2.
    void device_access(const void* begin, std::size_t bytes, bool written);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gpuproj::simulate
