// What a stream is given to do, as a value: done at once, or kept as a node of a graph.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "collector/simulate/runtime/abi.hpp"
#include "collector/simulate/runtime/runtime.hpp"
#include "collector/simulate/runtime/transfers.hpp"

namespace gpuproj::simulate {

struct Graph;
struct GraphMemory;
struct Condition;

/// A launch as the application asks for it.
struct LaunchCall {
    const void* function = nullptr;
    cuda::Dim grid{1, 1, 1}, block{1, 1, 1};
    void** arguments = nullptr;
    std::size_t dynamic_shared_bytes = 0;
    bool cooperative = false;
    std::span<const std::byte> packed{};  // instead of `arguments`, laid out as the kernel's parameters are
    cuda::Dim cluster{0, 0, 0};           // zeros: not said
    std::span<const cuda::LaunchAttribute> attributes{};
};

struct KernelWork {
    Kernel* kernel = nullptr;
    const void* function = nullptr;  // as the application named it
    cuda::Dim grid{1, 1, 1}, block{1, 1, 1};
    std::size_t dynamic_shared_bytes = 0;
    std::vector<std::byte> parameters;  // laid out as KernelInfo says
    bool cooperative = false;
    cuda::Dim cluster{0, 0, 0};
    std::map<int, std::array<std::byte, 64>> hints{};  // other launch attributes by id, kept for whoever asks
};
struct CopyWork {
    Block to, from;
    Shape shape;
    cuda::CopyKind kind = cuda::CopyKind::automatic;
};
struct FillWork {
    Block to;
    std::uint32_t value = 0;
    std::uint32_t element_bytes = 1;
    Shape shape;
};
struct HostWork {
    void (*function)(void*) = nullptr;
    void* data = nullptr;
    void (*callback)(void*, cuda::CudaError, void*) = nullptr;  // instead of `function`: takes the stream and its state
    void* stream = nullptr;
};
/// What a library's stand-in does (host_library.cpp). May throw std::bad_alloc.
struct FunctionWork {
    std::function<void()> function;
};
struct EventRecordWork {
    void* event = nullptr;
};
struct EventWaitWork {
    void* event = nullptr;
};
struct EmptyWork {};
struct ChildGraphWork {
    std::shared_ptr<Graph> graph;
    bool launched = false;  // it is an executable graph's launch, and not a node
};
struct AllocateWork {
    std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
    void* pointer = nullptr;
};
enum class ConditionalKind : int { if_nonzero, while_nonzero, switch_value };
struct ConditionalWork {
    std::shared_ptr<Condition> condition;
    ConditionalKind kind = ConditionalKind::if_nonzero;
    std::vector<std::shared_ptr<Graph>> bodies;
};

using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, FunctionWork, EventRecordWork, EventWaitWork,
                          EmptyWork, ChildGraphWork, AllocateWork, FreeWork, ConditionalWork>;

/// Checks a launch against the limits of the device and copies its arguments. Throws Refused.
cuda::CudaError make_kernel_work(Runtime& runtime, const LaunchCall& call, KernelWork& work);

/// Arguments as one buffer, from a list of keys and values, ended by 0 (`extra` of cuLaunchKernel); none: leaves `call`
/// alone. invalid_value if the list makes no sense or there are arguments one by one, too.
cuda::CudaError set_packed(LaunchCall& call, void** extra);

/// What the attributes ask for becomes part of the call.
void apply_attributes(LaunchCall& call, std::span<const cuda::LaunchAttribute> attributes);

/// Launches in a stream. Throws Refused.
cuda::CudaError launch(Runtime& runtime, const LaunchCall& call, void* stream);

/// Does it stay within the rows of the arrays that take part?
bool fits_arrays(const CopyWork& work);

/// A copy as cudaMemcpy3D describes it.
cuda::CudaError make_copy_work(const cuda::Copy3D* parameters, CopyWork& work);

/// Does it, here and now, after whatever a kernel that waits for the host holds up.
cuda::CudaError perform(Runtime& runtime, const Work& work,
                        const StreamOrder& stream = {.after_all = true, .before_all = true});

/// Does it, or adds it to the graph that `stream` is being captured into, or puts it behind the kernel or host
/// function that holds the stream up. invalid_resource_handle: no such stream.
cuda::CudaError submit(Runtime& runtime, void* stream, Work work);

/// Does it, or puts it where `order` says among what all streams were given. stream_capture_unsupported, which ends the
/// capture: one of them is being captured.
cuda::CudaError submit_among_all(Runtime& runtime, const StreamOrder& order, Work work);

/// Holds up what `stream` is given from now on until `over` gives true, which whatever thread looks must be able to
/// ask. Throws Refused: the stream is being captured.
cuda::CudaError submit_wait(Runtime& runtime, void* stream, std::function<bool()> over);

}  // namespace gpuproj::simulate
