// Nodes of graphs: adding them, and reading and changing what they do.
#include <algorithm>
#include <cstring>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/graph.hpp"
#include "collector/simulate/runtime/graph_parameters.hpp"
#include "collector/simulate/runtime/kernels.hpp"
#include "collector/simulate/runtime/symbols.hpp"

namespace gpuproj::simulate {

using cuda::CopyKind;
using cuda::CudaError;

CudaError make_work(Runtime& runtime, const cuda::KernelNodeParameters* p, Work& work) {
    if (p == nullptr) return cuda::invalid_value;
    LaunchCall call{p->function, p->grid, p->block, p->arguments, p->dynamic_shared_bytes, false};
    if (const CudaError code = set_packed(call, p->extra); code != cuda::success) return code;
    KernelWork kernel;
    const CudaError code = make_kernel_work(runtime, call, kernel);
    work = std::move(kernel);
    return code;
}

CudaError make_work(const cuda::MemsetParameters* p, Work& work) {
    if (p == nullptr || p->destination == nullptr) return cuda::invalid_value;
    if (p->element_bytes != 1 && p->element_bytes != 2 && p->element_bytes != 4) return cuda::invalid_value;
    const std::size_t row = p->width * p->element_bytes;
    work = FillWork{{p->destination, std::max(p->pitch, row), 0}, p->value, p->element_bytes, {row, p->height, 1}};
    return cuda::success;
}

CudaError make_work(const cuda::HostNodeParameters* p, Work& work) {
    if (p == nullptr || p->function == nullptr) return cuda::invalid_value;
    work = HostWork{p->function, p->data};
    return cuda::success;
}

CudaError make_work(const cuda::Copy3D* p, Work& work) {
    CopyWork made;
    const CudaError code = make_copy_work(p, made);
    work = made;
    return code;
}

Work linear_copy(void* to, const void* from, std::size_t bytes, CopyKind kind) {
    return CopyWork{{to, bytes, bytes}, {const_cast<void*>(from), bytes, bytes}, {bytes, 1, 1}, kind};
}

CudaError make_symbol_copy(Runtime& runtime, const void* symbol, std::size_t offset, void* plain, std::size_t bytes,
                           CopyKind kind, bool to_symbol, Work& work) {
    void* const address = symbol_address(runtime, symbol, offset, bytes);
    if (address == nullptr) return cuda::invalid_symbol;
    work = to_symbol ? linear_copy(address, plain, bytes, kind) : linear_copy(plain, address, bytes, kind);
    return cuda::success;
}

CudaError add(void** node, void* graph, void* const* dependencies, std::size_t count, Work work) {
    const auto into = graph_at(graph);
    if (node == nullptr || !into || (count > 0 && dependencies == nullptr)) return cuda::invalid_value;
    std::vector<GraphNode*> nodes;
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(node_at(dependencies[i]));
    *node = into->add(std::move(work), nodes);
    return *node == nullptr ? cuda::invalid_value : cuda::success;
}

namespace {

CudaError add_memory(Runtime& runtime, void** node, void* graph, void* const* dependencies, std::size_t count,
                     cuda::AllocateNodeParameters* p) {
    const auto into = graph_at(graph);
    if (node == nullptr || !into || p == nullptr) return cuda::invalid_value;
    std::vector<GraphNode*> nodes;
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(node_at(dependencies[i]));
    if (std::ranges::any_of(nodes, [](const GraphNode* n) { return n == nullptr; })) return cuda::invalid_value;
    GraphNode* made = add_allocation(runtime, *into, p->bytes, nodes);
    if (made == nullptr) return cuda::memory_allocation;
    *node = made;
    p->pointer = std::get<AllocateWork>(made->work).memory->pointer;
    return cuda::success;
}

CudaError make_child(void* child, Work& work) {
    const auto graph = graph_at(child);
    if (!graph) return cuda::invalid_value;
    work = ChildGraphWork{clone(*graph)};
    return cuda::success;
}

// The node gets the graph itself: what is added by the old handle is the child's, and the application no longer holds
// it. One that it does not hold is a body's or another node's.
CudaError add_moved(void** node, void* graph, void* const* dependencies, std::size_t count, void* child) {
    const auto moved = graph_at(child);
    if (!moved || child == graph || !Graphs::instance().holds(child)) return cuda::invalid_value;
    const CudaError code = add(node, graph, dependencies, count, ChildGraphWork{moved});
    if (code == cuda::success) Graphs::instance().remove(child);
    return code;
}

CudaError add_conditional(void** node, void* graph, void* const* dependencies, std::size_t count,
                          cuda::ConditionalNodeParameters& p) {
    const auto into = graph_at(graph);
    if (!into || p.size == 0) return cuda::invalid_value;
    ConditionalWork work;
    work.kind = static_cast<ConditionalKind>(p.type);
    work.condition = condition_at(p.handle);
    if (work.condition == nullptr) return cuda::invalid_value;
    std::vector<void*> graphs;
    for (unsigned i = 0; i < p.size; ++i) {
        auto body = std::make_shared<Graph>();
        graphs.push_back(body.get());
        work.bodies.push_back(std::move(body));
    }
    const CudaError code = add(node, graph, dependencies, count, std::move(work));
    if (code != cuda::success) return code;
    auto& made = *node_at(*node);
    made.graphs_of_bodies = std::move(graphs);
    p.graphs = made.graphs_of_bodies.data();
    return cuda::success;
}

// cudaGraphAddNode: parameters of all kinds of nodes in one struct.
CudaError add_any(Runtime& runtime, void** node, void* graph, void* const* dependencies, std::size_t count,
                  cuda::GraphNodeParameters* p) {
    if (p == nullptr || node == nullptr) return cuda::invalid_value;
    if (p->type == NodeType::allocate) return add_memory(runtime, node, graph, dependencies, count, &p->allocate);
    if (p->type == NodeType::conditional) return add_conditional(node, graph, dependencies, count, p->conditional);
    constexpr int move = 1;  // cudaGraphChildGraphOwnershipMove
    if (p->type == NodeType::child_graph && p->child.ownership == move)
        return add_moved(node, graph, dependencies, count, p->child.graph);
    Work work;
    const CudaError code = make_work(runtime, *p, work);
    return code == cuda::success ? add(node, graph, dependencies, count, std::move(work)) : code;
}

template <class Make>
CudaError adding(const char* name, void** node, void* graph, void* const* dependencies, std::size_t count,
                 Make&& make) {
    return api(name, [&](Runtime& runtime) {
        Work work;
        const CudaError code = make(runtime, work);
        return code == cuda::success ? add(node, graph, dependencies, count, std::move(work)) : code;
    });
}

}  // namespace

CudaError make_work(Runtime& runtime, const cuda::GraphNodeParameters& p, Work& work) {
    switch (p.type) {
        case NodeType::kernel:
            return make_work(runtime, &p.kernel, work);
        case NodeType::copy:
            return make_work(&p.copy.copy, work);
        case NodeType::fill:
            return make_work(&p.fill, work);
        case NodeType::host:
            return make_work(&p.host, work);
        case NodeType::child_graph:
            return make_child(p.child.graph, work);
        case NodeType::empty:
            work = EmptyWork{};
            return cuda::success;
        case NodeType::wait_event:
            work = EventWaitWork{p.event};
            return cuda::success;
        case NodeType::record_event:
            work = EventRecordWork{p.event};
            return cuda::success;
        case NodeType::free:
            work = FreeWork{p.pointer};
            return cuda::success;
        case NodeType::signal_semaphore:
        case NodeType::wait_semaphore:
        case NodeType::allocate:
        case NodeType::conditional:
            break;
    }
    throw Refused(cuda::not_supported, "a graph node of type " + std::to_string(static_cast<int>(p.type)), "");
}

NodeType type_of(const Work& work) {
    // In the order of the variant; a library's functions would be kernels.
    constexpr std::array types{NodeType::kernel,     NodeType::copy,   NodeType::fill,
                               NodeType::host,       NodeType::kernel, NodeType::record_event,
                               NodeType::wait_event, NodeType::empty,  NodeType::child_graph,
                               NodeType::allocate,   NodeType::free,   NodeType::conditional};
    static_assert(types.size() == std::variant_size_v<Work>);
    return types[work.index()];
}

GPUPROJ_CUDA_API CudaError cudaGraphAddKernelNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                  const cuda::KernelNodeParameters* parameters) {
    return adding(__func__, node, graph, nodes, count,
                  [&](Runtime& runtime, Work& work) { return make_work(runtime, parameters, work); });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddMemcpyNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                  const cuda::Copy3D* parameters) {
    return adding(__func__, node, graph, nodes, count,
                  [&](Runtime&, Work& work) { return make_work(parameters, work); });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddMemcpyNode1D(void** node, void* graph, void* const* nodes, std::size_t count,
                                                    void* to, const void* from, std::size_t bytes, CopyKind kind) {
    return adding(__func__, node, graph, nodes, count, [&](Runtime&, Work& work) {
        work = linear_copy(to, from, bytes, kind);
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddMemcpyNodeToSymbol(void** node, void* graph, void* const* nodes,
                                                          std::size_t count, const void* symbol, const void* from,
                                                          std::size_t bytes, std::size_t offset, CopyKind kind) {
    return adding(__func__, node, graph, nodes, count, [&](Runtime& runtime, Work& work) {
        return make_symbol_copy(runtime, symbol, offset, const_cast<void*>(from), bytes, kind, true, work);
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddMemcpyNodeFromSymbol(void** node, void* graph, void* const* nodes,
                                                            std::size_t count, void* to, const void* symbol,
                                                            std::size_t bytes, std::size_t offset, CopyKind kind) {
    return adding(__func__, node, graph, nodes, count, [&](Runtime& runtime, Work& work) {
        return make_symbol_copy(runtime, symbol, offset, to, bytes, kind, false, work);
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddMemsetNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                  const cuda::MemsetParameters* parameters) {
    return adding(__func__, node, graph, nodes, count,
                  [&](Runtime&, Work& work) { return make_work(parameters, work); });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddHostNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                const cuda::HostNodeParameters* parameters) {
    return adding(__func__, node, graph, nodes, count,
                  [&](Runtime&, Work& work) { return make_work(parameters, work); });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddChildGraphNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                      void* child) {
    return adding(__func__, node, graph, nodes, count, [&](Runtime&, Work& work) { return make_child(child, work); });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddEmptyNode(void** node, void* graph, void* const* nodes, std::size_t count) {
    return adding(__func__, node, graph, nodes, count, [](Runtime&, Work& work) {
        work = EmptyWork{};
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddEventRecordNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                       void* event) {
    return adding(__func__, node, graph, nodes, count, [&](Runtime&, Work& work) {
        work = EventRecordWork{event};
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddEventWaitNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                     void* event) {
    return adding(__func__, node, graph, nodes, count, [&](Runtime&, Work& work) {
        work = EventWaitWork{event};
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddMemAllocNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                    cuda::AllocateNodeParameters* parameters) {
    return api(__func__, [&](Runtime& runtime) { return add_memory(runtime, node, graph, nodes, count, parameters); });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddMemFreeNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                   void* pointer) {
    return adding(__func__, node, graph, nodes, count, [&](Runtime&, Work& work) {
        work = FreeWork{pointer};
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError gpuproj_v12_cudaGraphAddNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                        cuda::GraphNodeParameters* parameters) {
    return api("cudaGraphAddNode",
               [&](Runtime& runtime) { return add_any(runtime, node, graph, nodes, count, parameters); });
}
GPUPROJ_CUDA_API CudaError cudaGraphAddNode_v2(void** node, void* graph, void* const* nodes, const void*,
                                               std::size_t count, cuda::GraphNodeParameters* parameters) {
    return gpuproj_v12_cudaGraphAddNode(node, graph, nodes, count, parameters);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaGraphAddNode, cudaGraphAddNode_v2);

namespace {

template <class T, class Read>
CudaError reading(const char* name, void* node, T* out, Read&& read) {
    return api(name, [&](Runtime&) {
        GraphNode* found = node_at(node);
        if (found == nullptr || out == nullptr) return cuda::invalid_value;
        return read(*found) ? cuda::success : cuda::invalid_value;
    });
}

template <class Make>
CudaError changing(const char* name, void* node, Make&& make) {
    return api(name, [&](Runtime& runtime) { return change(runtime, node_at(node), make); });
}

// What the parameters of a kernel's node leave alone.
void copy_attributes(KernelWork& to, const KernelWork& from) {
    to.cooperative = from.cooperative;
    to.cluster = from.cluster;
    to.hints = from.hints;
}

}  // namespace

void replace(GraphNode& node, Work work) {
    auto* kernel = std::get_if<KernelWork>(&work);
    const auto* before = std::get_if<KernelWork>(&node.work);
    if (kernel != nullptr && before != nullptr) copy_attributes(*kernel, *before);
    node.work = std::move(work);
}

GPUPROJ_CUDA_API CudaError cudaGraphKernelNodeGetParams(void* node, cuda::KernelNodeParameters* p) {
    return reading(__func__, node, p, [&](GraphNode& found) {
        auto* work = std::get_if<KernelWork>(&found.work);
        if (work == nullptr) return false;
        const Module& module = work->kernel->owner->module(Runtime::instance().memory());
        found.arguments.clear();
        for (const auto& parameter : info_of(module, *work->kernel).parameters)
            found.arguments.push_back(work->parameters.data() + parameter.offset);
        *p = {const_cast<void*>(work->function),
              work->grid,
              work->block,
              static_cast<unsigned>(work->dynamic_shared_bytes),
              found.arguments.data(),
              nullptr};
        return true;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphKernelNodeSetParams(void* node, const cuda::KernelNodeParameters* p) {
    return changing(__func__, node, [&](Runtime& runtime, Work& work) { return make_work(runtime, p, work); });
}

GPUPROJ_CUDA_API CudaError cudaGraphMemcpyNodeGetParams(void* node, cuda::Copy3D* p) {
    return reading(__func__, node, p, [&](GraphNode& found) {
        const auto* work = std::get_if<CopyWork>(&found.work);
        if (work == nullptr) return false;
        const auto pitched = [&](const Block& b) {
            return cuda::PitchedPointer{b.begin, b.row_pitch, work->shape.width,
                                        b.row_pitch == 0 ? 1 : std::max<std::size_t>(b.slice_pitch / b.row_pitch, 1)};
        };
        *p = {nullptr,
              {},
              pitched(work->from),
              nullptr,
              {},
              pitched(work->to),
              {work->shape.width, work->shape.height, work->shape.depth},
              work->kind};
        return true;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphMemcpyNodeSetParams(void* node, const cuda::Copy3D* p) {
    return changing(__func__, node, [&](Runtime&, Work& work) { return make_work(p, work); });
}
GPUPROJ_CUDA_API CudaError cudaGraphMemcpyNodeSetParams1D(void* node, void* to, const void* from, std::size_t bytes,
                                                          CopyKind kind) {
    return changing(__func__, node, [&](Runtime&, Work& work) {
        work = linear_copy(to, from, bytes, kind);
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphMemcpyNodeSetParamsToSymbol(void* node, const void* symbol, const void* from,
                                                                std::size_t bytes, std::size_t offset, CopyKind kind) {
    return changing(__func__, node, [&](Runtime& runtime, Work& work) {
        return make_symbol_copy(runtime, symbol, offset, const_cast<void*>(from), bytes, kind, true, work);
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphMemcpyNodeSetParamsFromSymbol(void* node, void* to, const void* symbol,
                                                                  std::size_t bytes, std::size_t offset,
                                                                  CopyKind kind) {
    return changing(__func__, node, [&](Runtime& runtime, Work& work) {
        return make_symbol_copy(runtime, symbol, offset, to, bytes, kind, false, work);
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphMemsetNodeGetParams(void* node, cuda::MemsetParameters* p) {
    return reading(__func__, node, p, [&](GraphNode& found) {
        const auto* work = std::get_if<FillWork>(&found.work);
        if (work == nullptr) return false;
        *p = {work->to.begin,
              work->to.row_pitch,
              work->value,
              work->element_bytes,
              work->shape.width / work->element_bytes,
              work->shape.height};
        return true;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphMemsetNodeSetParams(void* node, const cuda::MemsetParameters* p) {
    return changing(__func__, node, [&](Runtime&, Work& work) { return make_work(p, work); });
}

GPUPROJ_CUDA_API CudaError cudaGraphHostNodeGetParams(void* node, cuda::HostNodeParameters* p) {
    return reading(__func__, node, p, [&](GraphNode& found) {
        const auto* work = std::get_if<HostWork>(&found.work);
        if (work == nullptr) return false;
        *p = {work->function, work->data};
        return true;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphHostNodeSetParams(void* node, const cuda::HostNodeParameters* p) {
    return changing(__func__, node, [&](Runtime&, Work& work) { return make_work(p, work); });
}

GPUPROJ_CUDA_API CudaError cudaGraphNodeSetParams(void* node, const cuda::GraphNodeParameters* p) {
    return changing(__func__, node, [&](Runtime& runtime, Work& work) {
        return p == nullptr ? cuda::invalid_value : make_work(runtime, *p, work);
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphMemAllocNodeGetParams(void* node, cuda::AllocateNodeParameters* p) {
    return reading(__func__, node, p, [&](GraphNode& found) {
        const auto* work = std::get_if<AllocateWork>(&found.work);
        if (work == nullptr) return false;
        *p = {};
        p->bytes = work->memory->bytes;
        p->pointer = work->memory->pointer;
        return true;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphMemFreeNodeGetParams(void* node, void** pointer) {
    return reading(__func__, node, pointer, [&](GraphNode& found) {
        const auto* work = std::get_if<FreeWork>(&found.work);
        if (work != nullptr) *pointer = work->pointer;
        return work != nullptr;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphChildGraphNodeGetGraph(void* node, void** graph) {
    return reading(__func__, node, graph, [&](GraphNode& found) {
        const auto* work = std::get_if<ChildGraphWork>(&found.work);
        if (work != nullptr) *graph = work->graph.get();
        return work != nullptr;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphEventRecordNodeGetEvent(void* node, void** event) {
    return reading(__func__, node, event, [&](GraphNode& found) {
        const auto* work = std::get_if<EventRecordWork>(&found.work);
        if (work != nullptr) *event = work->event;
        return work != nullptr;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphEventRecordNodeSetEvent(void* node, void* event) {
    return changing(__func__, node, [&](Runtime&, Work& work) {
        work = EventRecordWork{event};
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphEventWaitNodeGetEvent(void* node, void** event) {
    return reading(__func__, node, event, [&](GraphNode& found) {
        const auto* work = std::get_if<EventWaitWork>(&found.work);
        if (work != nullptr) *event = work->event;
        return work != nullptr;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphEventWaitNodeSetEvent(void* node, void* event) {
    return changing(__func__, node, [&](Runtime&, Work& work) {
        work = EventWaitWork{event};
        return cuda::success;
    });
}

namespace {

constexpr int attribute_cooperative = cuda::LaunchAttribute::id_cooperative;
constexpr int attribute_cluster = cuda::LaunchAttribute::id_cluster;
constexpr std::size_t value_bytes = 64;  // of cudaLaunchAttributeValue

// Zeros: not said.
bool set_cluster(KernelWork& work, const int* value) {
    cuda::Dim cluster{};
    std::memcpy(&cluster, value, sizeof cluster);
    const auto& [x, y, z] = cluster;
    const bool none = x == 0 && y == 0 && z == 0;
    if (!none && (x == 0 || y == 0 || z == 0)) return false;
    work.cluster = cluster;
    return true;
}

}  // namespace

GPUPROJ_CUDA_API CudaError cudaGraphKernelNodeSetAttribute(void* node, int attribute, const int* value) {
    return reading(__func__, node, value, [&](GraphNode& found) {
        auto* work = std::get_if<KernelWork>(&found.work);
        if (work == nullptr) return false;
        if (attribute == attribute_cluster) return set_cluster(*work, value);
        if (attribute == attribute_cooperative)
            work->cooperative = *value != 0;
        else
            std::memcpy(work->hints[attribute].data(), value, value_bytes);
        return true;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphKernelNodeGetAttribute(void* node, int attribute, int* value) {
    return reading(__func__, node, value, [&](GraphNode& found) {
        const auto* work = std::get_if<KernelWork>(&found.work);
        if (work == nullptr) return false;
        std::memset(value, 0, value_bytes);
        if (const auto hint = work->hints.find(attribute); hint != work->hints.end())
            std::memcpy(value, hint->second.data(), value_bytes);
        if (attribute == attribute_cooperative) *value = work->cooperative ? 1 : 0;
        if (attribute == attribute_cluster) std::memcpy(value, &work->cluster, sizeof work->cluster);
        return true;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphKernelNodeCopyAttributes(void* to, void* from) {
    return reading(__func__, to, from, [&](GraphNode& found) {
        auto* work = std::get_if<KernelWork>(&found.work);
        const GraphNode* other = node_at(from);
        const auto* source = other == nullptr ? nullptr : std::get_if<KernelWork>(&other->work);
        if (work == nullptr || source == nullptr) return false;
        copy_attributes(*work, *source);
        return true;
    });
}

}  // namespace gpuproj::simulate
