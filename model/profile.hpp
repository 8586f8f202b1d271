// What one run of an application recorded: schema `gpuproj.profile`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/boxed.hpp"
#include "model/field.hpp"
#include "model/kernel_metrics.hpp"
#include "model/maybe.hpp"
#include "model/other_gpus.hpp"
#include "model/quantity.hpp"

namespace gpuproj {

using Dim3 = std::array<std::uint32_t, 3>;  // x, y, z

constexpr std::optional<std::uint64_t> volume(const std::optional<Dim3>& d) {
    if (!d) return std::nullopt;
    return std::uint64_t{(*d)[0]} * (*d)[1] * (*d)[2];
}

/// Durations of a record's launches. `count` may be below the launches when some were not timed.
struct Duration {
    std::uint64_t count = 0;
    Seconds sum;
    Maybe<Seconds> min, max;  // absent where only the sum is known

    Seconds mean() const { return sum / static_cast<double>(count); }

    /// Takes in the durations of further launches.
    void add(const Duration& more) {
        count += more.count;
        sum += more.sum;
        min = min && more.min ? Maybe(std::min(*min, *more.min)) : std::nullopt;
        max = max && more.max ? Maybe(std::max(*max, *more.max)) : std::nullopt;
    }

    static constexpr auto fields = std::tuple{
        Field{"count", &Duration::count, "launches timed"},
        Field{"sum_s", &Duration::sum, "sum of their durations"},
        Field{"min_s", &Duration::min, "shortest"},
        Field{"max_s", &Duration::max, "longest"},
    };
};

/// What a program says of a kernel that bounds its registers; absent where it says nothing.
struct RegisterBounds {
    std::optional<std::uint32_t> threads_per_block;  // __launch_bounds__: at most
    std::optional<std::uint32_t> blocks_per_sm;      // its second number: at least so many are to be resident
    std::optional<std::uint32_t> registers;          // per thread, at most: -maxrregcount, __maxnreg__

    bool operator==(const RegisterBounds&) const = default;

    static constexpr auto fields = std::tuple{
        Field{"threads_per_block", &RegisterBounds::threads_per_block, "most threads of a block"},
        Field{"blocks_per_sm", &RegisterBounds::blocks_per_sm, "fewest blocks that are to be resident"},
        Field{"registers_per_thread", &RegisterBounds::registers, "most registers"},
    };
};

/// One record per (kernel, grid, block, dynamic shared bytes, device).
struct KernelRecord {
    std::string kernel;                  // demangled where possible
    std::optional<std::string> mangled;  // as in the binary, if it differs
    std::optional<Dim3> grid, block;     // absent where the source does not say (figures from a paper)
    Maybe<Bytes> dynamic_shared, static_shared, local_per_thread;
    std::optional<std::uint32_t> registers_per_thread;
    std::optional<RegisterBounds> register_bounds;
    int device = 0;
    std::uint64_t launches = 1;
    std::optional<Duration> duration;
    KernelMetrics metrics;
    Boxed<OtherGpus> other_gpus;
    Maybe<double> sampled_fraction;  // of the blocks, where not all were counted
    std::vector<std::string> notes;  // what a reader must know of this record

    /// Absent with the launch configuration.
    std::optional<std::uint64_t> threads_per_block() const { return volume(block); }
    std::optional<std::uint64_t> blocks() const { return volume(grid); }

    static constexpr auto fields = std::tuple{
        Field{"kernel", &KernelRecord::kernel, "name, demangled"},
        Field{"mangled", &KernelRecord::mangled, "name in the binary"},
        Field{"grid", &KernelRecord::grid, "blocks in x, y, z"},
        Field{"block", &KernelRecord::block, "threads in x, y, z"},
        Field{"dynamic_shared_byte", &KernelRecord::dynamic_shared, "dynamic shared memory per block"},
        Field{"static_shared_byte", &KernelRecord::static_shared, "static shared memory per block"},
        Field{"local_byte_per_thread", &KernelRecord::local_per_thread, "local memory per thread"},
        Field{"registers_per_thread", &KernelRecord::registers_per_thread, "registers per thread"},
        Field{"register_bounds", &KernelRecord::register_bounds, "what the program says that bounds them"},
        Field{"device", &KernelRecord::device, "ordinal in the profiled process"},
        Field{"launches", &KernelRecord::launches, "launches summed in this record"},
        Field{"duration", &KernelRecord::duration, "measured time of the launches"},
        Field{"metrics", &KernelRecord::metrics, "counters summed over the launches"},
        Field{"other_gpus", &KernelRecord::other_gpus, "what other GPUs would count of the same launches"},
        Field{"sampled_fraction", &KernelRecord::sampled_fraction, "share of the blocks that was counted"},
        Field{"notes", &KernelRecord::notes, "what a reader must know"},
    };
};

/// Copies of one kind, summed.
struct Transfer {
    std::string direction;  // host_to_device, device_to_host, device_to_device, host_to_host, memset
    std::uint64_t count = 0;
    Bytes bytes;
    std::optional<Seconds> duration;

    static constexpr auto fields = std::tuple{
        Field{"direction", &Transfer::direction, "from where to where"},
        Field{"count", &Transfer::count, "calls"},
        Field{"byte", &Transfer::bytes, "bytes moved"},
        Field{"duration_s", &Transfer::duration, "time, if known"},
    };
};

/// Where a profile comes from. `counters` says how its numbers are known.
struct Provenance {
    std::string counters = "unknown";  // measured | simulated | derived | unknown
    std::string collector;             // cupti, ncu, nvprof, rocprof, simulate, import:..., paper
    std::optional<std::string> source;
    std::optional<std::string> command;
    std::optional<std::string> program_sha256;
    std::optional<std::string> tool_version;
    std::optional<std::string> toolkit_version;
    std::optional<std::string> driver_version;
    std::optional<std::string> date;  // ISO 8601, UTC
    std::optional<Hertz> core_clock, memory_clock;
    std::optional<bool> ecc;

    static constexpr auto fields = std::tuple{
        Field{"counters", &Provenance::counters, "measured, simulated, derived or unknown"},
        Field{"collector", &Provenance::collector, "what collected them"},
        Field{"source", &Provenance::source, "paper, table or file they come from"},
        Field{"command", &Provenance::command, "the command line profiled"},
        Field{"program_sha256", &Provenance::program_sha256, "hash of the program"},
        Field{"tool_version", &Provenance::tool_version, "gpuproj's version"},
        Field{"toolkit_version", &Provenance::toolkit_version, "CUDA or ROCm the program was built with"},
        Field{"driver_version", &Provenance::driver_version, "driver"},
        Field{"date", &Provenance::date, "when, ISO 8601"},
        Field{"core_clock_hz", &Provenance::core_clock, "core clock while profiling"},
        Field{"memory_clock_hz", &Provenance::memory_clock, "memory clock while profiling"},
        Field{"ecc", &Provenance::ecc, "error-correcting memory on"},
    };
};

struct Profile {
    std::string gpu;  // the reference GPU, canonical name
    Provenance provenance;
    std::vector<KernelRecord> kernels;
    std::vector<Transfer> transfers;
    std::optional<Bytes> peak_device_memory;
    std::optional<Seconds> host_time;  // wall time of the application
    std::optional<Seconds> gpu_idle;   // between the first and last work of the GPU: when none ran
    bool partial = false;              // the application ended early; kernels are missing
    std::vector<std::string> notes;

    static constexpr auto fields = std::tuple{
        Field{"gpu", &Profile::gpu, "the reference GPU"},
        Field{"provenance", &Profile::provenance, "where it comes from"},
        Field{"kernels", &Profile::kernels, "one record per kernel and launch configuration"},
        Field{"transfers", &Profile::transfers, "copies between host and device"},
        Field{"peak_device_memory_byte", &Profile::peak_device_memory, "most device memory allocated at once"},
        Field{"host_time_s", &Profile::host_time, "wall time of the application"},
        Field{"gpu_idle_time_s", &Profile::gpu_idle, "time without work between the GPU's first and last"},
        Field{"partial", &Profile::partial, "the application ended early"},
        Field{"notes", &Profile::notes, "what a reader must know"},
    };
};

}  // namespace gpuproj
