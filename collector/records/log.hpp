// What an injected library writes down: one JSON object per line in <session>/<process id>.jsonl, amounts since the
// last line of the kind. A line that was cut off when the process died is ignored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/field.hpp"
#include "model/profile.hpp"

namespace gpuproj::records {

/// Something the application asked for that could not be done as a GPU would have.
struct Failure {
    std::string kind;                   // one of those below
    std::string what;                   // one line: the function, instruction or access
    std::optional<std::string> kernel;  // where there is one, demangled
    std::string advice;                 // what to do, may be empty

    static constexpr auto fields = std::tuple{
        Field{"kind", &Failure::kind, "what sort of failure"},
        Field{"what", &Failure::what, "what happened"},
        Field{"kernel", &Failure::kernel, "in which kernel"},
        Field{"advice", &Failure::advice, "what to do"},
    };
};

/// A feature that is not there: the profile would not be that of the program.
inline constexpr std::string_view unsupported = "unsupported";
/// The same for a function that prepares or asks, and for CUDA in a forked child: where the program itself goes on
/// without it, so does the profile.
inline constexpr std::string_view unsupported_function = "unsupported_function";
/// The program's own fault, reported to it as the CUDA error it would get: illegal address, assertion.
inline constexpr std::string_view kernel_fault = "fault";
/// Ours: the session could not be read or the like.
inline constexpr std::string_view internal = "internal";

/// A GPU that the process uses.
struct Device {
    int ordinal = 0;   // as its kernels name it
    std::string name;  // as the driver names it

    static constexpr auto fields = std::tuple{
        Field{"ordinal", &Device::ordinal, "as kernels name it"},
        Field{"name", &Device::name, "as the driver names it"},
    };
};

/// Calls of a closed library's function, which was done on the host instead of a GPU.
struct HostCall {
    std::string library, function;
    std::uint64_t count = 0;

    static constexpr auto fields = std::tuple{
        Field{"library", &HostCall::library, "as its maker calls it"},
        Field{"function", &HostCall::function, "as programs call it"},
        Field{"count", &HostCall::count, "calls"},
    };
};

/// One line; only one of these is set, but for what says more of a kernel.
struct Line {
    std::optional<std::string> begin{};  // the process starts to record: its program
    std::optional<Device> device{};      // before the first of its kernels
    std::optional<KernelRecord> kernel{};
    std::optional<std::uint64_t> graph_launch{};
    std::optional<std::uint64_t> order{};
    std::optional<Transfer> transfer{};
    std::optional<HostCall> host_call{};
    std::optional<Bytes> peak_device_memory{};
    std::optional<Seconds> gpu_idle_time{};
    std::optional<Hertz> core_clock{};
    std::optional<std::uint64_t> counter_passes{}, counter_runs{};
    std::optional<Failure> failure{};
    std::optional<std::string> note{};
    std::optional<std::string> passed_over{};  // a kernel that the filter did not choose, at its first launch
    std::optional<bool> end{};                 // the process ended in order

    static constexpr auto fields = std::tuple{
        Field{"begin", &Line::begin, "program of the process"},
        Field{"device", &Line::device, "a GPU that the process uses"},
        Field{"kernel", &Line::kernel, "launches since the last line of this kernel"},
        Field{"graph_launch", &Line::graph_launch, "the launch of a graph that the kernel belongs to, rising"},
        Field{"order", &Line::order, "of the kernel's launch in its process, where lines are in another order"},
        Field{"transfer", &Line::transfer, "copies since the last line of this direction"},
        Field{"host_call", &Line::host_call, "calls since the last line of this function"},
        Field{"peak_device_memory_byte", &Line::peak_device_memory, "most so far"},
        Field{"gpu_idle_time_s", &Line::gpu_idle_time, "of the process, between its first and last work on the GPU"},
        Field{"core_clock_hz", &Line::core_clock, "of the launches of a context, by their time"},
        Field{"counter_passes", &Line::counter_passes, "in how many passes the launches of a context are counted here"},
        Field{"counter_runs", &Line::counter_runs, "in how many runs of the program they are counted"},
        Field{"failure", &Line::failure, "what could not be done"},
        Field{"note", &Line::note, "what a reader must know"},
        Field{"passed_over", &Line::passed_over, "a kernel that was launched and not chosen"},
        Field{"end", &Line::end, "the process ended in order"},
    };
};

/// With the newline. Does not throw but for lack of memory.
std::string to_text(const Line& line);

/// What one process recorded, or all of them.
struct Log {
    std::vector<KernelRecord> kernels;          // not summed; as written, or in the order that the lines say
    std::vector<std::string> gpus;              // of each of them: its GPU's name, empty where nobody said
    std::vector<std::uint64_t> graph_launches;  // of each of them: different for every launch of a graph; 0: none
    std::vector<Transfer> transfers;
    std::vector<HostCall> host_calls;
    std::optional<Bytes> peak_device_memory;
    std::vector<Seconds> gpu_idle_times;                 // one of each process that used a GPU
    std::vector<Hertz> core_clocks;                      // one of each context
    std::uint64_t counter_passes = 0, counter_runs = 0;  // the most of any context
    std::vector<Failure> failures;
    std::vector<std::string> notes, passed_over;
    int begun = 0, ended = 0;
    int unwritten = 0;  // processes that ended with something that they had not written, or may have
};

/// Adds the lines of `text`. Throws Error if a whole line cannot be understood; `where` names the file.
void read_lines(std::string_view text, const std::string& where, Log& log);

/// All *.jsonl of a session's directory, in order of name.
Log read_logs(const std::filesystem::path& session);

}  // namespace gpuproj::records
