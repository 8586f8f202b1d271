// Graphs that a program describes itself: their nodes, edges and copies, and changing what has been instantiated.
// Contexts are not told apart. Names that end in _v2 have edges that carry data, or kernels of libraries.
#include "collector/simulate/driver/array.hpp"
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"
#include "collector/simulate/runtime/graph_parameters.hpp"

// cuNAME, by the function of the runtime that has the same parameters.
#define GPUPROJ_AS_RUNTIME(NAME, FUNCTION, PARAMETERS, ARGUMENTS)            \
    GPUPROJ_CUDA_API CudaError cu##NAME PARAMETERS {                         \
        return call(__func__, [&](Runtime&) { return FUNCTION ARGUMENTS; }); \
    }

namespace gpuproj::simulate::driver {

namespace {

struct KernelNodeParameters2 {  // CUDA_KERNEL_NODE_PARAMS_v2
    cuda::KernelNodeParameters first;
    void *kernel, *context;
};
struct CopyNodeParameters {  // CUDA_MEMCPY_NODE_PARAMS
    int flags, reserved;
    void* context;
    Copy3D copy;
};
struct NodeParameters {  // CUgraphNodeParams; those of most types of nodes begin as the runtime's do
    NodeType type;
    int reserved[3];
    union {
        long long space[29];
        KernelNodeParameters2 kernel;
        CopyNodeParameters copy;
    };
    long long reserved_end;
};
static_assert(sizeof(NodeParameters) == sizeof(cuda::GraphNodeParameters));

// A kernel of a library may stand in place of a function.
cuda::KernelNodeParameters plain(const KernelNodeParameters2& p) {
    cuda::KernelNodeParameters first = p.first;
    if (first.function == nullptr) first.function = p.kernel;
    return first;
}

// The runtime's parameters where these are laid out otherwise; those of copies, which differ in size, are made work.
cuda::GraphNodeParameters as_runtime(const NodeParameters& p) {
    cuda::GraphNodeParameters made = reinterpret_cast<const cuda::GraphNodeParameters&>(p);
    if (p.type == NodeType::kernel) made.kernel = plain(p.kernel);
    return made;
}

CudaError as_handle(CudaError code) {
    return code == cuda::invalid_device_function ? cuda::invalid_resource_handle : code;
}

CudaError make_copy(const Copy3D* p, Work& work) {
    const auto made = work_of(p);
    if (made) work = *made;
    return made ? cuda::success : cuda::invalid_value;
}

CudaError add_copy(void** node, void* graph, void* const* nodes, std::size_t count, const Copy3D* p) {
    Work work;
    const CudaError code = make_copy(p, work);
    return code == cuda::success ? add(node, graph, nodes, count, std::move(work)) : code;
}

CudaError change_copy(Runtime& runtime, GraphNode* node, const Copy3D* p) {
    return change(runtime, node, [&](Runtime&, Work& work) { return make_copy(p, work); });
}

CudaError add_any(void** node, void* graph, void* const* nodes, std::size_t count, NodeParameters* p) {
    if (p == nullptr) return cuda::invalid_value;
    if (p->type == NodeType::copy) return add_copy(node, graph, nodes, count, &p->copy.copy);
    auto parameters = as_runtime(*p);
    const CudaError code = gpuproj_v12_cudaGraphAddNode(node, graph, nodes, count, &parameters);
    // What the call gives back is in these.
    if (p->type == NodeType::allocate || p->type == NodeType::conditional)
        *p = reinterpret_cast<const NodeParameters&>(parameters);
    return as_handle(code);
}

}  // namespace

// ---- nodes

GPUPROJ_AS_RUNTIME(GraphAddMemsetNode, cudaGraphAddMemsetNode,
                   (void** node, void* graph, void* const* nodes, std::size_t count, const cuda::MemsetParameters* p,
                    void*),
                   (node, graph, nodes, count, p))
GPUPROJ_AS_RUNTIME(GraphAddHostNode, cudaGraphAddHostNode,
                   (void** node, void* graph, void* const* nodes, std::size_t count, const cuda::HostNodeParameters* p),
                   (node, graph, nodes, count, p))
GPUPROJ_AS_RUNTIME(GraphAddChildGraphNode, cudaGraphAddChildGraphNode,
                   (void** node, void* graph, void* const* nodes, std::size_t count, void* child),
                   (node, graph, nodes, count, child))
GPUPROJ_AS_RUNTIME(GraphAddEmptyNode, cudaGraphAddEmptyNode,
                   (void** node, void* graph, void* const* nodes, std::size_t count), (node, graph, nodes, count))
GPUPROJ_AS_RUNTIME(GraphAddEventRecordNode, cudaGraphAddEventRecordNode,
                   (void** node, void* graph, void* const* nodes, std::size_t count, void* event),
                   (node, graph, nodes, count, event))
GPUPROJ_AS_RUNTIME(GraphAddEventWaitNode, cudaGraphAddEventWaitNode,
                   (void** node, void* graph, void* const* nodes, std::size_t count, void* event),
                   (node, graph, nodes, count, event))
GPUPROJ_AS_RUNTIME(GraphAddMemAllocNode, cudaGraphAddMemAllocNode,
                   (void** node, void* graph, void* const* nodes, std::size_t count, cuda::AllocateNodeParameters* p),
                   (node, graph, nodes, count, p))
GPUPROJ_AS_RUNTIME(GraphAddMemFreeNode, cudaGraphAddMemFreeNode,
                   (void** node, void* graph, void* const* nodes, std::size_t count, DevicePointer address),
                   (node, graph, nodes, count, pointer(address)))

GPUPROJ_CUDA_API CudaError cuGraphAddMemcpyNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                const Copy3D* parameters, void*) {
    return call(__func__, [&](Runtime&) { return add_copy(node, graph, nodes, count, parameters); });
}
// Parameters up to CUDA 11; those since then begin alike.
GPUPROJ_CUDA_API CudaError cuGraphAddKernelNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                const cuda::KernelNodeParameters* parameters) {
    return call(__func__,
                [&](Runtime&) { return as_handle(cudaGraphAddKernelNode(node, graph, nodes, count, parameters)); });
}
GPUPROJ_CUDA_API CudaError cuGraphAddKernelNode_v2(void** node, void* graph, void* const* nodes, std::size_t count,
                                                   const KernelNodeParameters2* parameters) {
    if (parameters == nullptr) return cuda::invalid_value;
    const cuda::KernelNodeParameters first = plain(*parameters);
    return cuGraphAddKernelNode(node, graph, nodes, count, &first);
}
GPUPROJ_CUDA_API CudaError cuGraphAddNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                          NodeParameters* parameters) {
    return call(__func__, [&](Runtime&) { return add_any(node, graph, nodes, count, parameters); });
}
GPUPROJ_CUDA_API CudaError cuGraphAddNode_v2(void** node, void* graph, void* const* nodes, const void*,
                                             std::size_t count, NodeParameters* parameters) {
    return cuGraphAddNode(node, graph, nodes, count, parameters);
}

// ---- what nodes do

GPUPROJ_AS_RUNTIME(GraphKernelNodeGetParams, cudaGraphKernelNodeGetParams, (void* node, cuda::KernelNodeParameters* p),
                   (node, p))
GPUPROJ_AS_RUNTIME(GraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute,
                   (void* node, int attribute, const int* value), (node, attribute, value))
GPUPROJ_AS_RUNTIME(GraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute,
                   (void* node, int attribute, int* value), (node, attribute, value))
GPUPROJ_AS_RUNTIME(GraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes, (void* to, void* from), (to, from))
GPUPROJ_AS_RUNTIME(GraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams, (void* node, cuda::MemsetParameters* p),
                   (node, p))
GPUPROJ_AS_RUNTIME(GraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams,
                   (void* node, const cuda::MemsetParameters* p), (node, p))
GPUPROJ_AS_RUNTIME(GraphHostNodeGetParams, cudaGraphHostNodeGetParams, (void* node, cuda::HostNodeParameters* p),
                   (node, p))
GPUPROJ_AS_RUNTIME(GraphHostNodeSetParams, cudaGraphHostNodeSetParams, (void* node, const cuda::HostNodeParameters* p),
                   (node, p))
GPUPROJ_AS_RUNTIME(GraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams,
                   (void* node, cuda::AllocateNodeParameters* p), (node, p))
GPUPROJ_AS_RUNTIME(GraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams, (void* node, void** address),
                   (node, address))
GPUPROJ_AS_RUNTIME(GraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph, (void* node, void** graph),
                   (node, graph))
GPUPROJ_AS_RUNTIME(GraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent, (void* node, void** event),
                   (node, event))
GPUPROJ_AS_RUNTIME(GraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent, (void* node, void* event),
                   (node, event))
GPUPROJ_AS_RUNTIME(GraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent, (void* node, void** event),
                   (node, event))
GPUPROJ_AS_RUNTIME(GraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent, (void* node, void* event), (node, event))

GPUPROJ_CUDA_API CudaError cuGraphKernelNodeGetParams_v2(void* node, KernelNodeParameters2* parameters) {
    if (parameters == nullptr) return cuda::invalid_value;
    parameters->kernel = parameters->context = nullptr;
    return cuGraphKernelNodeGetParams(node, &parameters->first);
}
GPUPROJ_CUDA_API CudaError cuGraphKernelNodeSetParams(void* node, const cuda::KernelNodeParameters* parameters) {
    return call(__func__, [&](Runtime&) { return as_handle(cudaGraphKernelNodeSetParams(node, parameters)); });
}
GPUPROJ_CUDA_API CudaError cuGraphKernelNodeSetParams_v2(void* node, const KernelNodeParameters2* parameters) {
    if (parameters == nullptr) return cuda::invalid_value;
    const cuda::KernelNodeParameters first = plain(*parameters);
    return cuGraphKernelNodeSetParams(node, &first);
}
GPUPROJ_CUDA_API CudaError cuGraphMemcpyNodeGetParams(void* node, Copy3D* parameters) {
    return call(__func__, [&](Runtime&) {
        const GraphNode* found = node_at(node);
        const auto* work = found == nullptr ? nullptr : std::get_if<CopyWork>(&found->work);
        return work == nullptr ? cuda::invalid_value : give(parameters, described(*work));
    });
}
GPUPROJ_CUDA_API CudaError cuGraphMemcpyNodeSetParams(void* node, const Copy3D* parameters) {
    return call(__func__, [&](Runtime& runtime) { return change_copy(runtime, node_at(node), parameters); });
}
GPUPROJ_CUDA_API CudaError cuGraphNodeSetParams(void* node, const NodeParameters* parameters) {
    return call(__func__, [&](Runtime& runtime) {
        if (parameters == nullptr) return cuda::invalid_value;
        if (parameters->type == NodeType::copy) return change_copy(runtime, node_at(node), &parameters->copy.copy);
        const auto made = as_runtime(*parameters);
        return as_handle(cudaGraphNodeSetParams(node, &made));
    });
}

// ---- graphs and their edges

GPUPROJ_AS_RUNTIME(GraphCreate, cudaGraphCreate, (void** graph, unsigned flags), (graph, flags))
GPUPROJ_AS_RUNTIME(GraphDestroy, cudaGraphDestroy, (void* graph), (graph))
GPUPROJ_AS_RUNTIME(GraphClone, cudaGraphClone, (void** copy, void* graph), (copy, graph))
GPUPROJ_AS_RUNTIME(GraphNodeFindInClone, cudaGraphNodeFindInClone, (void** node, void* original, void* graph),
                   (node, original, graph))
GPUPROJ_AS_RUNTIME(GraphDestroyNode, cudaGraphDestroyNode, (void* node), (node))
GPUPROJ_AS_RUNTIME(GraphNodeGetType, cudaGraphNodeGetType, (void* node, NodeType* type), (node, type))
GPUPROJ_AS_RUNTIME(GraphGetNodes, cudaGraphGetNodes, (void* graph, void** nodes, std::size_t* count),
                   (graph, nodes, count))
GPUPROJ_AS_RUNTIME(GraphGetRootNodes, cudaGraphGetRootNodes, (void* graph, void** nodes, std::size_t* count),
                   (graph, nodes, count))
GPUPROJ_AS_RUNTIME(GraphGetEdges, gpuproj_v12_cudaGraphGetEdges,
                   (void* graph, void** from, void** to, std::size_t* count), (graph, from, to, count))
GPUPROJ_AS_RUNTIME(GraphGetEdges_v2, cudaGraphGetEdges_v2,
                   (void* graph, void** from, void** to, void* data, std::size_t* count),
                   (graph, from, to, data, count))
GPUPROJ_AS_RUNTIME(GraphNodeGetDependencies, gpuproj_v12_cudaGraphNodeGetDependencies,
                   (void* node, void** out, std::size_t* count), (node, out, count))
GPUPROJ_AS_RUNTIME(GraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies_v2,
                   (void* node, void** out, void* data, std::size_t* count), (node, out, data, count))
GPUPROJ_AS_RUNTIME(GraphNodeGetDependentNodes, gpuproj_v12_cudaGraphNodeGetDependentNodes,
                   (void* node, void** out, std::size_t* count), (node, out, count))
GPUPROJ_AS_RUNTIME(GraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes_v2,
                   (void* node, void** out, void* data, std::size_t* count), (node, out, data, count))
GPUPROJ_AS_RUNTIME(GraphAddDependencies, gpuproj_v12_cudaGraphAddDependencies,
                   (void* graph, void* const* from, void* const* to, std::size_t count), (graph, from, to, count))
GPUPROJ_AS_RUNTIME(GraphAddDependencies_v2, cudaGraphAddDependencies_v2,
                   (void* graph, void* const* from, void* const* to, const void* data, std::size_t count),
                   (graph, from, to, data, count))
GPUPROJ_AS_RUNTIME(GraphRemoveDependencies, gpuproj_v12_cudaGraphRemoveDependencies,
                   (void* graph, void* const* from, void* const* to, std::size_t count), (graph, from, to, count))
GPUPROJ_AS_RUNTIME(GraphRemoveDependencies_v2, cudaGraphRemoveDependencies_v2,
                   (void* graph, void* const* from, void* const* to, const void* data, std::size_t count),
                   (graph, from, to, data, count))
GPUPROJ_AS_RUNTIME(GraphConditionalHandleCreate, cudaGraphConditionalHandleCreate,
                   (unsigned long long* handle, void* graph, void*, unsigned value, unsigned flags),
                   (handle, graph, value, flags))
GPUPROJ_AS_RUNTIME(GraphDebugDotPrint, cudaGraphDebugDotPrint, (void* graph, const char* path, unsigned flags),
                   (graph, path, flags))
GPUPROJ_AS_RUNTIME(DeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute,
                   (int device, int attribute, std::uint64_t* value), (device, attribute, value))
GPUPROJ_AS_RUNTIME(DeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute,
                   (int device, int attribute, const std::uint64_t* value), (device, attribute, value))
GPUPROJ_AS_RUNTIME(DeviceGraphMemTrim, cudaDeviceGraphMemTrim, (int device), (device))

// ---- executable graphs

GPUPROJ_AS_RUNTIME(GraphInstantiateWithFlags, cudaGraphInstantiateWithFlags,
                   (void** executable, void* graph, unsigned long long flags), (executable, graph, flags))
GPUPROJ_AS_RUNTIME(GraphInstantiateWithParams, cudaGraphInstantiateWithParams,
                   (void** executable, void* graph, void* parameters), (executable, graph, parameters))
GPUPROJ_CUDA_ALIAS(cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams);
// Before CUDA 12: with a node that stands in the way, and a log. Nothing stands in the way here.
GPUPROJ_CUDA_API CudaError cuGraphInstantiate_v2(void** executable, void* graph, void** error_node, char* log,
                                                 std::size_t bytes) {
    if (error_node != nullptr) *error_node = nullptr;
    if (log != nullptr && bytes > 0) *log = '\0';
    return cuGraphInstantiateWithFlags(executable, graph, 0);
}
GPUPROJ_CUDA_ALIAS(cuGraphInstantiate, cuGraphInstantiate_v2);
GPUPROJ_AS_RUNTIME(GraphExecGetFlags, cudaGraphExecGetFlags, (void* executable, unsigned long long* flags),
                   (executable, flags))
GPUPROJ_AS_RUNTIME(GraphExecDestroy, cudaGraphExecDestroy, (void* executable), (executable))
GPUPROJ_AS_RUNTIME(GraphLaunch, cudaGraphLaunch, (void* executable, void* stream), (executable, stream))
GPUPROJ_CUDA_ALIAS(cuGraphLaunch_ptsz, cuGraphLaunch);
GPUPROJ_AS_RUNTIME(GraphUpload, cudaGraphUpload, (void* executable, void* stream), (executable, stream))
GPUPROJ_CUDA_ALIAS(cuGraphUpload_ptsz, cuGraphUpload);
GPUPROJ_AS_RUNTIME(GraphExecUpdate, gpuproj_v11_cudaGraphExecUpdate,
                   (void* executable, void* graph, void** node, int* result), (executable, graph, node, result))
GPUPROJ_AS_RUNTIME(GraphExecUpdate_v2, gpuproj_v12_cudaGraphExecUpdate, (void* executable, void* graph, void* info),
                   (executable, graph, info))
GPUPROJ_AS_RUNTIME(GraphExecMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
                   (void* executable, void* node, const cuda::MemsetParameters* p, void*), (executable, node, p))
GPUPROJ_AS_RUNTIME(GraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams,
                   (void* executable, void* node, const cuda::HostNodeParameters* p), (executable, node, p))
GPUPROJ_AS_RUNTIME(GraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams,
                   (void* executable, void* node, void* child), (executable, node, child))
GPUPROJ_AS_RUNTIME(GraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
                   (void* executable, void* node, void* event), (executable, node, event))
GPUPROJ_AS_RUNTIME(GraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
                   (void* executable, void* node, void* event), (executable, node, event))
GPUPROJ_AS_RUNTIME(GraphNodeSetEnabled, cudaGraphNodeSetEnabled, (void* executable, void* node, unsigned enabled),
                   (executable, node, enabled))
GPUPROJ_AS_RUNTIME(GraphNodeGetEnabled, cudaGraphNodeGetEnabled, (void* executable, void* node, unsigned* enabled),
                   (executable, node, enabled))

GPUPROJ_CUDA_API CudaError cuGraphExecKernelNodeSetParams(void* executable, void* node,
                                                          const cuda::KernelNodeParameters* parameters) {
    return call(__func__,
                [&](Runtime&) { return as_handle(cudaGraphExecKernelNodeSetParams(executable, node, parameters)); });
}
GPUPROJ_CUDA_API CudaError cuGraphExecKernelNodeSetParams_v2(void* executable, void* node,
                                                             const KernelNodeParameters2* parameters) {
    if (parameters == nullptr) return cuda::invalid_value;
    const cuda::KernelNodeParameters first = plain(*parameters);
    return cuGraphExecKernelNodeSetParams(executable, node, &first);
}
GPUPROJ_CUDA_API CudaError cuGraphExecMemcpyNodeSetParams(void* executable, void* node, const Copy3D* parameters,
                                                          void*) {
    return call(__func__, [&](Runtime& runtime) {
        return change_copy(runtime, node_of_executable(executable, node), parameters);
    });
}
GPUPROJ_CUDA_API CudaError cuGraphExecNodeSetParams(void* executable, void* node, const NodeParameters* parameters) {
    return call(__func__, [&](Runtime& runtime) {
        if (parameters == nullptr) return cuda::invalid_value;
        if (parameters->type == NodeType::copy)
            return change_copy(runtime, node_of_executable(executable, node), &parameters->copy.copy);
        const auto made = as_runtime(*parameters);
        return as_handle(cudaGraphExecNodeSetParams(executable, node, &made));
    });
}

}  // namespace gpuproj::simulate::driver
