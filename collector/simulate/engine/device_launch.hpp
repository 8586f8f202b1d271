// Kernels that kernels launch (CUDA Dynamic Parallelism 2): asked for while a grid runs, run when it is over. No thread
// can wait for them, so that nobody sees the difference but who reads their results without having been told to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "collector/simulate/engine/engine.hpp"

namespace gpuproj::simulate {

struct Code;
struct Warp;
struct Inst;
struct SmContext;

/// What a device-side <<<...>>> says.
struct DeviceLaunch {
    std::uint64_t function = 0;  // the kernel's address
    Dim3 grid{1, 1, 1}, block{1, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
};

/// What the blocks of one SM have asked for, and the memory that holds the parameters.
class DeviceLaunches {
public:
    struct Entry {
        DeviceLaunch call;
        std::uint64_t block = 0;  // of the parent, in its grid
        std::uint32_t thread = 0;
        std::byte* parameters = nullptr;
        std::uint32_t parameter_bytes = 0;
        bool launched = false, last = false;  // last: when all others are over
        // Of a copy or fill, which has no parameters.
        std::uint64_t to = 0, from = 0, bytes = 0;
        int value = 0;
    };

    /// Memory for parameters, so that kernels find it at the same addresses in every run.
    void reserve(DeviceMemory& memory);
    /// nullptr: no memory.
    std::byte* buffer(DeviceMemory& memory, std::uint32_t bytes);
    void release(DeviceMemory& memory);
    std::vector<Entry>& entries() { return entries_; }
    /// What cudaGetLastError gives a thread of a block, where that is an error.
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t>& errors() { return errors_; }
    /// The first of each kernel that was not launched for an error.
    std::map<std::pair<const Code*, int>, DeviceLaunch>& refused() { return refused_; }

private:
    std::vector<Entry> entries_;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> errors_;
    std::map<std::pair<const Code*, int>, DeviceLaunch> refused_;
    std::vector<std::byte*> chunks_;
    std::uint32_t used_ = 0;
};

/// The kernel whose address device code has; nullptr if that is none's.
const Code* kernel_at(const Program& program, std::uint64_t address);
/// Gives `code`, a cudaError_t, back; if it is an error it is the thread's last one.
std::uint64_t remember_error(Warp& warp, std::uint32_t lane, std::uint64_t code);
/// The thread's last error.
std::uint64_t last_error(Warp& warp, std::uint32_t lane, bool forget);
/// Where the caller is to put the parameters; 0 if there is no memory, or, with the thread's last error, where such a
/// launch is not possible.
std::uint64_t parameter_buffer(Warp& warp, const Inst& inst, std::uint32_t lane, const DeviceLaunch& wanted);
/// The same of `bytes`, before it is known for which kernel.
std::uint64_t parameter_buffer(Warp& warp, std::uint32_t lane, std::uint64_t bytes);
/// `buffer` is what parameter_buffer gave.
void launch_from_device(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t buffer, std::uint64_t stream);
/// The same where the kernel comes with the launch; without parameters `buffer` may be 0. Gives the error code.
std::uint64_t launch_from_device(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t buffer,
                                 std::uint64_t stream, const DeviceLaunch& wanted);
/// A copy to `to` from `from`, or where that is 0 a fill with `value`.
void transfer_from_device(Warp& warp, std::uint32_t lane, const DeviceLaunches::Entry& wanted, std::uint64_t stream);
/// Kernels that were not launched, by name and error.
std::vector<RefusedChild> collect_refused(std::span<SmContext> sms);
/// In the order of the parent's threads, whatever SM they ran on; those of the stream of tail launches at the end. The
/// memory of their parameters is released.
std::vector<ChildLaunch> collect_launches(std::span<SmContext> sms, DeviceMemory& memory);

}  // namespace gpuproj::simulate
