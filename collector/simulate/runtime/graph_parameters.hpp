// The structs that describe nodes to cudaGraph* functions, and how they become work.
#pragma once

#include "collector/simulate/runtime/graph.hpp"

namespace gpuproj::simulate {

/// cudaGraphNodeType
enum class NodeType : int {
    kernel = 0,
    copy = 1,
    fill = 2,
    host = 3,
    child_graph = 4,
    empty = 5,
    wait_event = 6,
    record_event = 7,
    signal_semaphore = 8,
    wait_semaphore = 9,
    allocate = 10,
    free = 11,
    conditional = 13,
};

namespace cuda {

struct KernelNodeParameters {  // cudaKernelNodeParams
    void* function;
    Dim grid, block;
    unsigned dynamic_shared_bytes;
    void** arguments;
    void** extra;
};
struct MemsetParameters {  // cudaMemsetParams: width in elements
    void* destination;
    std::size_t pitch;
    unsigned value, element_bytes;
    std::size_t width, height;
};
struct HostNodeParameters {  // cudaHostNodeParams
    void (*function)(void*);
    void* data;
};
struct AllocateNodeParameters {  // cudaMemAllocNodeParams
    char pool_properties[88];
    const void* access;
    std::size_t access_count, bytes;
    void* pointer;
};
struct CopyNodeParameters {  // cudaMemcpyNodeParams
    int flags, reserved[3];
    Copy3D copy;
};
struct ChildGraphNodeParameters {  // cudaChildGraphNodeParams; from CUDA 12.9 on, before that zero was reserved
    void* graph;
    int ownership;  // cudaGraphChildGraphNodeOwnership
};
struct ConditionalNodeParameters {  // cudaConditionalNodeParams
    unsigned long long handle;
    int type;
    unsigned size;
    void** graphs;
};
struct GraphNodeParameters {  // cudaGraphNodeParams
    NodeType type;
    int reserved[3];
    union {
        long long space[29];
        KernelNodeParameters kernel;
        CopyNodeParameters copy;
        MemsetParameters fill;
        HostNodeParameters host;
        ChildGraphNodeParameters child;
        void* event;
        AllocateNodeParameters allocate;
        void* pointer;
        ConditionalNodeParameters conditional;
    };
    long long reserved_end;
};
static_assert(sizeof(GraphNodeParameters) == 256);

}  // namespace cuda

NodeType type_of(const Work& work);

/// What these ask for; invalid_value if they cannot be. Throws Refused.
cuda::CudaError make_work(Runtime& runtime, const cuda::KernelNodeParameters* p, Work& work);
cuda::CudaError make_work(const cuda::MemsetParameters* p, Work& work);
cuda::CudaError make_work(const cuda::HostNodeParameters* p, Work& work);
cuda::CudaError make_work(const cuda::Copy3D* p, Work& work);
cuda::CudaError make_work(Runtime& runtime, const cuda::GraphNodeParameters& p, Work& work);
Work linear_copy(void* to, const void* from, std::size_t bytes, cuda::CopyKind kind);
cuda::CudaError make_symbol_copy(Runtime& runtime, const void* symbol, std::size_t offset, void* plain,
                                 std::size_t bytes, cuda::CopyKind kind, bool to_symbol, Work& work);

/// Adds a node behind others; invalid_value if there is no such graph, or node to be behind.
cuda::CudaError add(void** node, void* graph, void* const* dependencies, std::size_t count, Work work);
/// What an executable graph has of a node of the graph that it was made from; nullptr: nothing.
GraphNode* node_of_executable(void* handle, void* node);

/// `work` is of the node's kind.
void replace(GraphNode& node, Work work);
/// Gives the node other work of the same kind, which `make(runtime, work)` makes; its attributes stay.
template <class Make>
cuda::CudaError change(Runtime& runtime, GraphNode* node, Make&& make) {
    if (node == nullptr) return cuda::invalid_value;
    Work work;
    const cuda::CudaError code = make(runtime, work);
    if (code != cuda::success) return code;
    if (work.index() != node->work.index()) return cuda::invalid_value;
    replace(*node, std::move(work));
    return cuda::success;
}

}  // namespace gpuproj::simulate
