// Executable graphs: instantiating, launching, updating.
#include <algorithm>
#include <unordered_map>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/capture.hpp"
#include "collector/simulate/runtime/graph_parameters.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate {

using cuda::CopyKind;
using cuda::CudaError;

GraphNode* node_of_executable(void* handle, void* node) {
    const auto executable = Graphs::instance().executable(handle);
    if (!executable) return nullptr;
    const auto found = executable->copies.find(static_cast<const GraphNode*>(node));
    return found == executable->copies.end() ? nullptr : found->second;
}

namespace {

constexpr unsigned long long auto_free_on_launch = 1;  // cudaGraphInstantiateFlagAutoFreeOnLaunch

void map_copies(const Graph& graph, std::map<const GraphNode*, GraphNode*>& copies) {
    for (const auto& node : graph.nodes) {
        copies[node->original] = node.get();
        if (const auto* child = std::get_if<ChildGraphWork>(&node->work)) map_copies(*child->graph, copies);
        if (const auto* conditional = std::get_if<ConditionalWork>(&node->work))
            for (const auto& body : conditional->bodies) map_copies(*body, copies);
    }
}

CudaError instantiate(Runtime&, void** handle, void* graph, unsigned long long flags) {
    const auto source = graph_at(graph);
    if (handle == nullptr || !source) return cuda::invalid_value;
    if (!source->nodes.empty() && in_order(*source).empty()) return cuda::invalid_value;  // a cycle
    auto executable = std::make_shared<GraphExecutable>();
    executable->graph = clone(*source);
    executable->flags = flags;
    map_copies(*executable->graph, executable->copies);
    *handle = Graphs::instance().add(std::move(executable));
    return cuda::success;
}

CudaError launch(Runtime& runtime, void* handle, void* stream) {
    const auto executable = Graphs::instance().executable(handle);
    if (!executable) return cuda::invalid_value;
    if (!is_stream(runtime, stream)) return cuda::invalid_resource_handle;
    if (Captures::instance().of(stream)) return submit(runtime, stream, ChildGraphWork{clone(*executable->graph)});
    if ((executable->flags & auto_free_on_launch) != 0) {
        runtime.queue().wait();  // for who may use it still
        for (const auto& node : executable->graph->nodes)
            if (const auto* allocate = std::get_if<AllocateWork>(&node->work))
                free_graph_memory(allocate->memory->pointer);
    }
    return submit(runtime, stream, ChildGraphWork{executable->graph, true});
}

// cudaGraphExecUpdateResult
enum class UpdateResult : int {
    success = 0,
    topology_changed = 2,
    type_changed = 3,
    parameters_changed = 5,
    not_supported = 6
};

struct UpdateReport {
    UpdateResult result = UpdateResult::success;
    GraphNode* node = nullptr;  // of the new graph
};

using Places = std::unordered_map<const GraphNode*, std::size_t>;

Places places_in(const Graph& graph) {
    Places places;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) places[graph.nodes[i].get()] = i;
    return places;
}

std::vector<std::size_t> dependency_places(const Places& places, const GraphNode& node) {
    std::vector<std::size_t> found;
    found.reserve(node.dependencies.size());
    for (const GraphNode* dependency : node.dependencies) found.push_back(places.at(dependency));
    std::ranges::sort(found);
    return found;
}

UpdateReport compare(const Graph& old_graph, const Graph& new_graph);

UpdateReport compare(const ConditionalWork& before, GraphNode& node) {
    const auto& after = std::get<ConditionalWork>(node.work);
    if (before.kind != after.kind || before.bodies.size() != after.bodies.size())
        return {UpdateResult::parameters_changed, &node};
    for (std::size_t i = 0; i < before.bodies.size(); ++i) {
        const auto report = compare(*before.bodies[i], *after.bodies[i]);
        if (report.result != UpdateResult::success) return report;
    }
    return {};
}

UpdateReport compare(const Graph& old_graph, const Graph& new_graph) {
    if (old_graph.nodes.size() != new_graph.nodes.size()) return {UpdateResult::topology_changed, nullptr};
    const Places old_places = places_in(old_graph), new_places = places_in(new_graph);
    for (std::size_t i = 0; i < old_graph.nodes.size(); ++i) {
        const GraphNode& before = *old_graph.nodes[i];
        GraphNode& after = *new_graph.nodes[i];
        if (before.dependencies.size() != after.dependencies.size() ||
            dependency_places(old_places, before) != dependency_places(new_places, after))
            return {UpdateResult::topology_changed, &after};
        if (before.work.index() != after.work.index()) return {UpdateResult::type_changed, &after};
        if (std::holds_alternative<AllocateWork>(after.work)) return {UpdateResult::not_supported, &after};
        if (const auto* conditional = std::get_if<ConditionalWork>(&before.work)) {
            const auto inner = compare(*conditional, after);
            if (inner.result != UpdateResult::success) return inner;
        }
        if (const auto* child = std::get_if<ChildGraphWork>(&before.work)) {
            const auto inner = compare(*child->graph, *std::get<ChildGraphWork>(after.work).graph);
            if (inner.result != UpdateResult::success) return inner;
        }
    }
    return {};
}

void adopt(Graph& old_graph, const Graph& new_graph) {
    old_graph.user_objects = new_graph.user_objects;
    for (std::size_t i = 0; i < old_graph.nodes.size(); ++i) {
        Work& before = old_graph.nodes[i]->work;
        const Work& after = new_graph.nodes[i]->work;
        if (const auto* child = std::get_if<ChildGraphWork>(&before)) {
            adopt(*child->graph, *std::get<ChildGraphWork>(after).graph);
        } else if (auto* conditional = std::get_if<ConditionalWork>(&before)) {
            // The condition is the new graph's, as its kernels have that one's handle.
            const auto& replacing = std::get<ConditionalWork>(after);
            conditional->condition = replacing.condition;
            for (std::size_t b = 0; b < conditional->bodies.size(); ++b)
                adopt(*conditional->bodies[b], *replacing.bodies[b]);
        } else {
            before = after;
        }
    }
}

CudaError update(void* handle, void* graph, UpdateReport& report) {
    const auto executable = Graphs::instance().executable(handle);
    const auto source = graph_at(graph);
    if (!executable || !source) return cuda::invalid_value;
    report = compare(*executable->graph, *source);
    if (report.result != UpdateResult::success) return cuda::graph_exec_update_failure;
    adopt(*executable->graph, *source);
    return cuda::success;
}

template <class Make>
CudaError changing(const char* name, void* handle, void* node, Make&& make) {
    return api(name, [&](Runtime& runtime) { return change(runtime, node_of_executable(handle, node), make); });
}

}  // namespace

// Up to CUDA 11 three arguments follow that tell of an error in words; from 12 on the flags.
GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaGraphInstantiate(void** executable, void* graph) {
    return api("cudaGraphInstantiate", [&](Runtime& runtime) { return instantiate(runtime, executable, graph, 0); });
}
GPUPROJ_CUDA_API CudaError cudaGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long flags) {
    return api(__func__, [&](Runtime& runtime) { return instantiate(runtime, executable, graph, flags); });
}
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaGraphInstantiate, cudaGraphInstantiateWithFlags);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaGraphInstantiate, cudaGraphInstantiateWithFlags);

namespace {
struct InstantiateParameters {  // cudaGraphInstantiateParams
    unsigned long long flags;
    void* upload_stream;
    void* error_node;
    int result;
};
}  // namespace

GPUPROJ_CUDA_API CudaError cudaGraphInstantiateWithParams(void** executable, void* graph, InstantiateParameters* p) {
    return api(__func__, [&](Runtime& runtime) {
        if (p == nullptr) return cuda::invalid_value;
        const CudaError code = instantiate(runtime, executable, graph, p->flags);
        p->error_node = nullptr;
        p->result = code == cuda::success ? 0 : 1;
        return code;
    });
}
GPUPROJ_CUDA_ALIAS(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

GPUPROJ_CUDA_API CudaError cudaGraphExecGetFlags(void* executable, unsigned long long* flags) {
    return api(__func__, [&](Runtime&) {
        const auto found = Graphs::instance().executable(executable);
        if (!found || flags == nullptr) return cuda::invalid_value;
        *flags = found->flags;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphExecDestroy(void* executable) {
    return api(__func__, [&](Runtime&) {
        return Graphs::instance().remove_executable(executable) ? cuda::success : cuda::invalid_value;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphLaunch(void* executable, void* stream) {
    return api(__func__, [&](Runtime& runtime) { return launch(runtime, executable, stream); });
}
GPUPROJ_CUDA_ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch);

GPUPROJ_CUDA_API CudaError cudaGraphUpload(void* executable, void* stream) {
    return api(__func__, [&](Runtime& runtime) {
        const bool known = Graphs::instance().executable(executable) && is_stream(runtime, stream);
        return known ? cuda::success : cuda::invalid_value;
    });
}
GPUPROJ_CUDA_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);

GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaGraphExecUpdate(void* executable, void* graph, void** node,
                                                           UpdateResult* result) {
    return api("cudaGraphExecUpdate", [&](Runtime&) {
        UpdateReport report;
        const CudaError code = update(executable, graph, report);
        if (node != nullptr) *node = report.node;
        if (result != nullptr) *result = report.result;
        return code;
    });
}

namespace {
struct UpdateInfo {  // cudaGraphExecUpdateResultInfo
    UpdateResult result;
    void* node;
    void* from_node;
};
}  // namespace

GPUPROJ_CUDA_API CudaError gpuproj_v12_cudaGraphExecUpdate(void* executable, void* graph, UpdateInfo* info) {
    return api("cudaGraphExecUpdate", [&](Runtime&) {
        UpdateReport report;
        const CudaError code = update(executable, graph, report);
        if (info != nullptr) *info = {report.result, report.node, nullptr};
        return code;
    });
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaGraphExecUpdate, gpuproj_v12_cudaGraphExecUpdate);

GPUPROJ_CUDA_API CudaError cudaGraphExecKernelNodeSetParams(void* executable, void* node,
                                                            const cuda::KernelNodeParameters* p) {
    return changing(__func__, executable, node,
                    [&](Runtime& runtime, Work& work) { return make_work(runtime, p, work); });
}
GPUPROJ_CUDA_API CudaError cudaGraphExecMemcpyNodeSetParams(void* executable, void* node, const cuda::Copy3D* p) {
    return changing(__func__, executable, node, [&](Runtime&, Work& work) { return make_work(p, work); });
}
GPUPROJ_CUDA_API CudaError cudaGraphExecMemcpyNodeSetParams1D(void* executable, void* node, void* to, const void* from,
                                                              std::size_t bytes, CopyKind kind) {
    return changing(__func__, executable, node, [&](Runtime&, Work& work) {
        work = linear_copy(to, from, bytes, kind);
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphExecMemcpyNodeSetParamsToSymbol(void* executable, void* node, const void* symbol,
                                                                    const void* from, std::size_t bytes,
                                                                    std::size_t offset, CopyKind kind) {
    return changing(__func__, executable, node, [&](Runtime& runtime, Work& work) {
        return make_symbol_copy(runtime, symbol, offset, const_cast<void*>(from), bytes, kind, true, work);
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphExecMemcpyNodeSetParamsFromSymbol(void* executable, void* node, void* to,
                                                                      const void* symbol, std::size_t bytes,
                                                                      std::size_t offset, CopyKind kind) {
    return changing(__func__, executable, node, [&](Runtime& runtime, Work& work) {
        return make_symbol_copy(runtime, symbol, offset, to, bytes, kind, false, work);
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphExecMemsetNodeSetParams(void* executable, void* node,
                                                            const cuda::MemsetParameters* p) {
    return changing(__func__, executable, node, [&](Runtime&, Work& work) { return make_work(p, work); });
}
GPUPROJ_CUDA_API CudaError cudaGraphExecHostNodeSetParams(void* executable, void* node,
                                                          const cuda::HostNodeParameters* p) {
    return changing(__func__, executable, node, [&](Runtime&, Work& work) { return make_work(p, work); });
}
GPUPROJ_CUDA_API CudaError cudaGraphExecEventRecordNodeSetEvent(void* executable, void* node, void* event) {
    return changing(__func__, executable, node, [&](Runtime&, Work& work) {
        work = EventRecordWork{event};
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphExecEventWaitNodeSetEvent(void* executable, void* node, void* event) {
    return changing(__func__, executable, node, [&](Runtime&, Work& work) {
        work = EventWaitWork{event};
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphExecNodeSetParams(void* executable, void* node,
                                                      const cuda::GraphNodeParameters* p) {
    return changing(__func__, executable, node, [&](Runtime& runtime, Work& work) {
        return p == nullptr ? cuda::invalid_value : make_work(runtime, *p, work);
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphExecChildGraphNodeSetParams(void* executable, void* node, void* child) {
    return api(__func__, [&](Runtime&) {
        GraphNode* found = node_of_executable(executable, node);
        const auto source = graph_at(child);
        auto* work = found == nullptr ? nullptr : std::get_if<ChildGraphWork>(&found->work);
        if (work == nullptr || !source || compare(*work->graph, *source).result != UpdateResult::success)
            return cuda::invalid_value;
        adopt(*work->graph, *source);
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphNodeSetEnabled(void* executable, void* node, unsigned enabled) {
    return api(__func__, [&](Runtime&) {
        GraphNode* found = node_of_executable(executable, node);
        if (found == nullptr) return cuda::invalid_value;
        const NodeType type = type_of(found->work);
        if (type != NodeType::kernel && type != NodeType::copy && type != NodeType::fill) return cuda::invalid_value;
        found->enabled = enabled != 0;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaGraphNodeGetEnabled(void* executable, void* node, unsigned* enabled) {
    return api(__func__, [&](Runtime&) {
        const GraphNode* found = node_of_executable(executable, node);
        if (found == nullptr || enabled == nullptr) return cuda::invalid_value;
        *enabled = found->enabled ? 1 : 0;
        return cuda::success;
    });
}

}  // namespace gpuproj::simulate
