// CUDA graphs: nodes of work with dependencies. Everything is done in one order here, the order in which nodes were
// added as far as dependencies allow it, which is one of those that a GPU may take.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "collector/simulate/runtime/condition.hpp"
#include "collector/simulate/runtime/user_object.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate {

/// Memory that belongs to graphs: its address is fixed when the node is made, and it is alive from the node that
/// allocates it until it is freed, by a node or by the application.
struct GraphMemory {
    GraphMemory(Runtime& owner, std::size_t wanted);
    ~GraphMemory();
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;

    Runtime& runtime;
    void* pointer = nullptr;  // nullptr: no memory
    std::size_t bytes = 0;
};

struct GraphNode {
    GraphNode();
    ~GraphNode();
    GraphNode(const GraphNode&) = delete;
    GraphNode& operator=(const GraphNode&) = delete;

    Work work;
    std::vector<GraphNode*> dependencies;  // of the same graph
    Graph* graph = nullptr;
    const GraphNode* original = nullptr;  // what this was cloned from
    bool enabled = true;
    std::vector<void*> arguments;         // into the parameters of a kernel, for cudaGraphKernelNodeGetParams
    std::vector<void*> graphs_of_bodies;  // of a conditional node, for the application
};

struct Graph : std::enable_shared_from_this<Graph> {
    Graph();
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    std::vector<std::unique_ptr<GraphNode>> nodes;
    std::vector<std::shared_ptr<Condition>> conditions;
    UserReferences user_objects;

    /// nullptr if a dependency is not a node of this graph.
    GraphNode* add(Work work, const std::vector<GraphNode*>& dependencies);
};

/// The node or graph with this address; nullptr if there is none (any more).
GraphNode* node_at(const void* handle);
std::shared_ptr<Graph> graph_at(const void* handle);

/// Dependencies first, else as added; empty if there is a cycle.
std::vector<GraphNode*> in_order(const Graph& graph);

/// A copy, the graphs within it included; each node names its original.
std::shared_ptr<Graph> clone(const Graph& graph);

/// Is `ancestor` among what `nodes` wait for, directly or not, or one of them?
bool reaches(const std::vector<GraphNode*>& nodes, const GraphNode* ancestor);

/// Does it call a function of the host, outside of conditional nodes?
bool calls_host(const Graph& graph);

/// Runs all nodes. The first error ends it.
cuda::CudaError run(Runtime& runtime, const Graph& graph);

/// Adds a node that allocates; memory that an ancestor has freed is used again. nullptr: no memory, or dependencies
/// of another graph.
GraphNode* add_allocation(Runtime& runtime, Graph& graph, std::size_t bytes,
                          const std::vector<GraphNode*>& dependencies);
/// Memory of a graph becomes alive, or ends being so. invalid_value: it already is; false: it is not, or not a graph's.
cuda::CudaError allocate_graph_memory(const std::shared_ptr<GraphMemory>& memory);
bool free_graph_memory(void* pointer);
std::uint64_t live_graph_bytes();

/// What cudaGraphInstantiate gives.
struct GraphExecutable {
    std::shared_ptr<Graph> graph;
    std::map<const GraphNode*, GraphNode*> copies;  // by node of the graph it was made of
    unsigned long long flags = 0;
};

/// The graphs and executable graphs that the application holds; thread-safe. Handles are addresses.
class Graphs {
public:
    static Graphs& instance();

    Graph* add(std::shared_ptr<Graph> graph);
    bool remove(const void* handle);
    bool holds(const void* handle);

    void* add(std::shared_ptr<GraphExecutable> executable);
    bool remove_executable(const void* handle);
    std::shared_ptr<GraphExecutable> executable(const void* handle);

private:
    template <class T>
    using Held = std::map<const void*, std::shared_ptr<T>>;

    /// nullptr if there is none; what is given is released after the lock.
    template <class T>
    std::shared_ptr<T> take(Held<T>& held, const void* handle);

    std::mutex mutex_;
    Held<Graph> graphs_;
    Held<GraphExecutable> executables_;
};

}  // namespace gpuproj::simulate
