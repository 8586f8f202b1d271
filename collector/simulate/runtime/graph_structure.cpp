// Graphs as the application builds and looks at them: nodes, edges, copies, conditions, memory.
#include <algorithm>
#include <cstdint>
#include <fstream>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/graph_parameters.hpp"

namespace gpuproj::simulate {

using cuda::CudaError;

namespace {

// Lists are given as CUDA does: without a place their length is told, with one as many as it has room for.
CudaError give(const std::vector<void*>& all, void** out, std::size_t* count) {
    if (count == nullptr) return cuda::invalid_value;
    if (out != nullptr) {
        for (std::size_t i = 0; i < *count; ++i) out[i] = i < all.size() ? all[i] : nullptr;
        *count = std::min(*count, all.size());
    } else {
        *count = all.size();
    }
    return cuda::success;
}

// cudaGraphEdgeData: ports, kind, and what is reserved. All edges here are of the ordinary kind, whatever they were
// asked for as: kernels begin when those that they depend on are over.
struct EdgeData {
    std::uint8_t from_port = 0, to_port = 0, type = 0, reserved[5] = {};
};

// What is known of the edges that were told: as many as `count` says now.
CudaError give_data(CudaError code, const void* told, EdgeData* data, const std::size_t* count) {
    if (code == cuda::success && told != nullptr && data != nullptr) std::fill_n(data, *count, EdgeData{});
    return code;
}

template <class Wanted>
CudaError give_nodes(const char* name, void* graph, void** out, std::size_t* count, Wanted&& wanted) {
    return api(name, [&](Runtime&) {
        const auto found = graph_at(graph);
        if (!found) return cuda::invalid_value;
        std::vector<void*> nodes;
        for (const auto& node : found->nodes)
            if (wanted(*node)) nodes.push_back(node.get());
        return give(nodes, out, count);
    });
}

CudaError give_edges(void* graph, void** from, void** to, std::size_t* count) {
    return api("cudaGraphGetEdges", [&](Runtime&) {
        const auto found = graph_at(graph);
        if (!found || count == nullptr) return cuda::invalid_value;
        std::vector<void*> sources, targets;
        for (const auto& node : found->nodes) {
            for (GraphNode* dependency : node->dependencies) {
                sources.push_back(dependency);
                targets.push_back(node.get());
            }
        }
        if ((from == nullptr) != (to == nullptr)) return cuda::invalid_value;
        std::size_t room = *count;
        give(sources, from, &room);
        return give(targets, to, count);
    });
}

CudaError give_dependencies(void* node, void** out, std::size_t* count) {
    return api("cudaGraphNodeGetDependencies", [&](Runtime&) {
        const GraphNode* found = node_at(node);
        if (found == nullptr) return cuda::invalid_value;
        return give({found->dependencies.begin(), found->dependencies.end()}, out, count);
    });
}

CudaError give_dependents(void* node, void** out, std::size_t* count) {
    return api("cudaGraphNodeGetDependentNodes", [&](Runtime&) {
        const GraphNode* found = node_at(node);
        if (found == nullptr) return cuda::invalid_value;
        std::vector<void*> nodes;
        for (const auto& other : found->graph->nodes)
            if (std::ranges::find(other->dependencies, found) != other->dependencies.end())
                nodes.push_back(other.get());
        return give(nodes, out, count);
    });
}

CudaError change_edges(const char* name, void* graph, void* const* from, void* const* to, std::size_t count, bool add) {
    return api(name, [&](Runtime&) {
        for (std::size_t i = 0; i < count; ++i) {
            GraphNode* source = node_at(from[i]);
            GraphNode* target = node_at(to[i]);
            if (source == nullptr || target == nullptr || source->graph != graph || target->graph != graph ||
                source == target)
                return cuda::invalid_value;
            const auto known = std::ranges::find(target->dependencies, source);
            if ((known == target->dependencies.end()) != add) return cuda::invalid_value;
            if (add)
                target->dependencies.push_back(source);
            else
                target->dependencies.erase(known);
        }
        return cuda::success;
    });
}

}  // namespace

GPUPROJ_CUDA_API CudaError cudaGraphCreate(void** graph, unsigned flags) {
    return api(__func__, [&](Runtime&) {
        if (graph == nullptr || flags != 0) return cuda::invalid_value;
        *graph = Graphs::instance().add(std::make_shared<Graph>());
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphDestroy(void* graph) {
    return api(__func__,
               [&](Runtime&) { return Graphs::instance().remove(graph) ? cuda::success : cuda::invalid_value; });
}

GPUPROJ_CUDA_API CudaError cudaGraphClone(void** copy, void* graph) {
    return api(__func__, [&](Runtime&) {
        const auto found = graph_at(graph);
        if (!found || copy == nullptr) return cuda::invalid_value;
        *copy = Graphs::instance().add(clone(*found));
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphNodeFindInClone(void** node, void* original, void* graph) {
    return api(__func__, [&](Runtime&) {
        const auto found = graph_at(graph);
        if (!found || node == nullptr) return cuda::invalid_value;
        const auto same = std::ranges::find_if(found->nodes, [&](const auto& n) { return n->original == original; });
        if (same == found->nodes.end()) return cuda::invalid_value;
        *node = same->get();
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphDestroyNode(void* node) {
    return api(__func__, [&](Runtime&) {
        GraphNode* found = node_at(node);
        if (found == nullptr) return cuda::invalid_value;
        auto& nodes = found->graph->nodes;
        for (const auto& other : nodes) std::erase(other->dependencies, found);
        std::erase_if(nodes, [&](const auto& n) { return n.get() == found; });
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphNodeGetType(void* node, NodeType* type) {
    return api(__func__, [&](Runtime&) {
        const GraphNode* found = node_at(node);
        if (found == nullptr || type == nullptr) return cuda::invalid_value;
        *type = type_of(found->work);
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphGetNodes(void* graph, void** nodes, std::size_t* count) {
    return give_nodes(__func__, graph, nodes, count, [](const GraphNode&) { return true; });
}
GPUPROJ_CUDA_API CudaError cudaGraphGetRootNodes(void* graph, void** nodes, std::size_t* count) {
    return give_nodes(__func__, graph, nodes, count, [](const GraphNode& node) { return node.dependencies.empty(); });
}

// From CUDA 13 on, and in names that end in _v2, edges carry data; those that can be had here carry none.
GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaGraphGetEdges(void* graph, void** from, void** to, std::size_t* count) {
    return give_edges(graph, from, to, count);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaGraphGetEdges, gpuproj_v11_cudaGraphGetEdges);
GPUPROJ_CUDA_API CudaError cudaGraphGetEdges_v2(void* graph, void** from, void** to, void* data, std::size_t* count) {
    return give_data(give_edges(graph, from, to, count), from, static_cast<EdgeData*>(data), count);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaGraphGetEdges, cudaGraphGetEdges_v2);

GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaGraphNodeGetDependencies(void* node, void** out, std::size_t* count) {
    return give_dependencies(node, out, count);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaGraphNodeGetDependencies, gpuproj_v11_cudaGraphNodeGetDependencies);
GPUPROJ_CUDA_API CudaError cudaGraphNodeGetDependencies_v2(void* node, void** out, void* data, std::size_t* count) {
    return give_data(give_dependencies(node, out, count), out, static_cast<EdgeData*>(data), count);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaGraphNodeGetDependencies, cudaGraphNodeGetDependencies_v2);

GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaGraphNodeGetDependentNodes(void* node, void** out, std::size_t* count) {
    return give_dependents(node, out, count);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaGraphNodeGetDependentNodes, gpuproj_v11_cudaGraphNodeGetDependentNodes);
GPUPROJ_CUDA_API CudaError cudaGraphNodeGetDependentNodes_v2(void* node, void** out, void* data, std::size_t* count) {
    return give_data(give_dependents(node, out, count), out, static_cast<EdgeData*>(data), count);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes_v2);

GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaGraphAddDependencies(void* graph, void* const* from, void* const* to,
                                                                std::size_t count) {
    return change_edges("cudaGraphAddDependencies", graph, from, to, count, true);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaGraphAddDependencies, gpuproj_v11_cudaGraphAddDependencies);
GPUPROJ_CUDA_API CudaError cudaGraphAddDependencies_v2(void* graph, void* const* from, void* const* to, const void*,
                                                       std::size_t count) {
    return change_edges("cudaGraphAddDependencies", graph, from, to, count, true);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaGraphAddDependencies, cudaGraphAddDependencies_v2);

GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaGraphRemoveDependencies(void* graph, void* const* from, void* const* to,
                                                                   std::size_t count) {
    return change_edges("cudaGraphRemoveDependencies", graph, from, to, count, false);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaGraphRemoveDependencies, gpuproj_v11_cudaGraphRemoveDependencies);
GPUPROJ_CUDA_API CudaError cudaGraphRemoveDependencies_v2(void* graph, void* const* from, void* const* to, const void*,
                                                          std::size_t count) {
    return change_edges("cudaGraphRemoveDependencies", graph, from, to, count, false);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaGraphRemoveDependencies, cudaGraphRemoveDependencies_v2);

GPUPROJ_CUDA_API CudaError cudaGraphConditionalHandleCreate(unsigned long long* handle, void* graph, unsigned value,
                                                            unsigned flags) {
    constexpr unsigned assign_default = 1;  // cudaGraphCondAssignDefault
    return api(__func__, [&](Runtime& runtime) {
        const auto found = graph_at(graph);
        if (!found || handle == nullptr) return cuda::invalid_value;
        std::uint64_t made = 0;
        auto condition = make_condition(runtime, made);
        condition->at_launch = value;
        condition->set_at_launch = (flags & assign_default) != 0;
        *handle = made;
        found->conditions.push_back(std::move(condition));
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphDebugDotPrint(void* graph, const char* path, unsigned) {
    return api(__func__, [&](Runtime&) {
        const auto found = graph_at(graph);
        if (!found || path == nullptr) return cuda::invalid_value;
        constexpr std::array names{"kernel",       "memcpy", "memset", "host",  "child graph", "empty", "event wait",
                                   "event record", "signal", "wait",   "alloc", "free",        "",      "conditional"};
        std::map<const GraphNode*, std::size_t> place;
        std::ofstream file(path);
        file << "digraph graph_1 {\n";
        for (const auto& node : found->nodes) {
            const std::size_t i = place.size();
            place[node.get()] = i;
            const auto* kernel = std::get_if<KernelWork>(&node->work);
            file << "  node_" << i << " [label=\""
                 << (kernel != nullptr ? kernel->kernel->name : names[static_cast<std::size_t>(type_of(node->work))])
                 << "\"];\n";
        }
        for (const auto& node : found->nodes)
            for (const GraphNode* dependency : node->dependencies)
                file << "  node_" << place[dependency] << " -> node_" << place[node.get()] << ";\n";
        file << "}\n";
        return file ? cuda::success : cuda::invalid_value;
    });
}

namespace {

// cudaGraphMemAttributeType: bytes used and reserved, now and at most. Memory is not kept when it is freed, so both are
// the same.
std::uint64_t most_used = 0;

}  // namespace

GPUPROJ_CUDA_API CudaError cudaDeviceGetGraphMemAttribute(int device, int attribute, std::uint64_t* value) {
    return api(__func__, [&](Runtime&) {
        if (device != 0) return cuda::invalid_device;
        if (value == nullptr || attribute < 0 || attribute > 3) return cuda::invalid_value;
        const std::uint64_t used = live_graph_bytes();
        most_used = std::max(most_used, used);
        *value = attribute % 2 == 0 ? used : most_used;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaDeviceSetGraphMemAttribute(int device, int attribute, const std::uint64_t* value) {
    return api(__func__, [&](Runtime&) {
        if (device != 0) return cuda::invalid_device;
        if (value == nullptr || *value != 0 || (attribute != 1 && attribute != 3)) return cuda::invalid_value;
        most_used = 0;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaDeviceGraphMemTrim(int device) {
    return api(__func__, [&](Runtime&) { return device == 0 ? cuda::success : cuda::invalid_device; });
}

}  // namespace gpuproj::simulate
