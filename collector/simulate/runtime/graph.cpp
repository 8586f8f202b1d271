#include "collector/simulate/runtime/graph.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace gpuproj::simulate {

using cuda::CudaError;

namespace {

// Graph memory that is alive, kept here so that it outlives its graphs.
struct LiveMemory {
    std::mutex mutex;
    std::map<void*, std::shared_ptr<GraphMemory>> all;
};
LiveMemory& live_memory() {
    static auto* const live = new LiveMemory;
    return *live;
}

}  // namespace

namespace {

// The addresses of all graphs and nodes there are, so that a handle that is none is told from one that is.
struct LiveObjects {
    std::mutex mutex;
    std::unordered_set<const void*> all;
};
LiveObjects& live_objects() {
    static auto* const live = new LiveObjects;
    return *live;
}
void born(const void* object) {
    const std::lock_guard lock(live_objects().mutex);
    live_objects().all.insert(object);
}
void gone(const void* object) {
    const std::lock_guard lock(live_objects().mutex);
    live_objects().all.erase(object);
}
bool lives(const void* object) {
    const std::lock_guard lock(live_objects().mutex);
    return live_objects().all.contains(object);
}

}  // namespace

GraphNode::GraphNode() {
    born(this);
}
GraphNode::~GraphNode() {
    gone(this);
}
Graph::Graph() {
    born(this);
}
Graph::~Graph() {
    gone(this);
}

GraphNode* node_at(const void* handle) {
    return lives(handle) ? static_cast<GraphNode*>(const_cast<void*>(handle)) : nullptr;
}
std::shared_ptr<Graph> graph_at(const void* handle) {
    return lives(handle) ? static_cast<Graph*>(const_cast<void*>(handle))->shared_from_this() : nullptr;
}

GraphMemory::GraphMemory(Runtime& owner, std::size_t wanted) : runtime(owner), bytes(wanted) {
    const auto total = runtime.device().memory_bytes;
    if (bytes == 0 || bytes > total || runtime.memory().allocated() > total - bytes) return;
    pointer = runtime.memory().allocate(bytes);
    if (pointer == nullptr) return;
    runtime.allocations().add({.type = cuda::PointerType::device,
                               .begin = reinterpret_cast<std::uint64_t>(pointer),
                               .bytes = bytes,
                               .of_graph = true});
    runtime.recorder().peak_device_memory(runtime.memory().peak());
}

GraphMemory::~GraphMemory() {
    if (pointer == nullptr) return;
    runtime.allocations().take(pointer, [](const Allocation&) { return true; });
    runtime.released(pointer, bytes);
    runtime.memory().release(pointer);
}

GraphNode* Graph::add(Work work, const std::vector<GraphNode*>& dependencies) {
    if (!std::ranges::all_of(dependencies, [&](const GraphNode* d) { return d != nullptr && d->graph == this; }))
        return nullptr;
    auto node = std::make_unique<GraphNode>();
    node->work = std::move(work);
    node->graph = this;
    for (GraphNode* dependency : dependencies)
        if (std::ranges::find(node->dependencies, dependency) == node->dependencies.end())
            node->dependencies.push_back(dependency);
    return nodes.emplace_back(std::move(node)).get();
}

std::vector<GraphNode*> in_order(const Graph& graph) {
    std::unordered_map<const GraphNode*, std::size_t> index;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) index[graph.nodes[i].get()] = i;
    std::vector<std::vector<std::size_t>> dependents(graph.nodes.size());
    std::vector<std::size_t> missing(graph.nodes.size());
    std::set<std::size_t> ready;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        missing[i] = graph.nodes[i]->dependencies.size();
        for (const GraphNode* dependency : graph.nodes[i]->dependencies) dependents[index.at(dependency)].push_back(i);
        if (missing[i] == 0) ready.insert(i);
    }
    std::vector<GraphNode*> order;
    while (!ready.empty()) {
        const std::size_t next = *ready.begin();
        ready.erase(ready.begin());
        order.push_back(graph.nodes[next].get());
        for (const std::size_t dependent : dependents[next])
            if (--missing[dependent] == 0) ready.insert(dependent);
    }
    if (order.size() != graph.nodes.size()) order.clear();
    return order;
}

std::shared_ptr<Graph> clone(const Graph& graph) {
    auto copy = std::make_shared<Graph>();
    copy->conditions = graph.conditions;
    copy->user_objects = graph.user_objects;
    std::unordered_map<const GraphNode*, GraphNode*> copies;
    for (const auto& node : graph.nodes) {
        GraphNode* made = copy->add(node->work, {});
        made->original = node.get();
        made->enabled = node->enabled;
        copies[node.get()] = made;
        if (auto* child = std::get_if<ChildGraphWork>(&made->work)) child->graph = clone(*child->graph);
        if (auto* conditional = std::get_if<ConditionalWork>(&made->work))
            for (auto& body : conditional->bodies) body = clone(*body);
    }
    for (const auto& node : graph.nodes)
        for (const GraphNode* dependency : node->dependencies)
            copies[node.get()]->dependencies.push_back(copies[dependency]);
    return copy;
}

namespace {

template <class Visit>
void each_ancestor(const std::vector<GraphNode*>& nodes, Visit&& visit) {
    std::vector<const GraphNode*> open(nodes.begin(), nodes.end());
    std::unordered_set<const GraphNode*> seen(open.begin(), open.end());
    while (!open.empty()) {
        const GraphNode* node = open.back();
        open.pop_back();
        visit(*node);
        for (const GraphNode* dependency : node->dependencies)
            if (seen.insert(dependency).second) open.push_back(dependency);
    }
}

}  // namespace

bool reaches(const std::vector<GraphNode*>& nodes, const GraphNode* ancestor) {
    bool found = false;
    each_ancestor(nodes, [&](const GraphNode& node) { found = found || &node == ancestor; });
    return found;
}

bool calls_host(const Graph& graph) {
    return std::ranges::any_of(graph.nodes, [](const auto& node) {
        const auto* child = std::get_if<ChildGraphWork>(&node->work);
        return std::holds_alternative<HostWork>(node->work) || (child != nullptr && calls_host(*child->graph));
    });
}

CudaError run(Runtime& runtime, const Graph& graph) {
    for (const GraphNode* node : in_order(graph)) {
        if (!node->enabled) continue;
        if (const CudaError code = perform(runtime, node->work); code != cuda::success) return code;
        if (runtime.sticky_error() != cuda::success) return runtime.sticky_error();
    }
    return cuda::success;
}

GraphNode* add_allocation(Runtime& runtime, Graph& graph, std::size_t bytes,
                          const std::vector<GraphNode*>& dependencies) {
    std::shared_ptr<GraphMemory> memory;
    // Memory that is free by then: freed by an ancestor as often as it is allocated anywhere in the graph.
    std::map<void*, int> freed;
    each_ancestor(dependencies, [&](const GraphNode& node) {
        if (const auto* free = std::get_if<FreeWork>(&node.work)) ++freed[free->pointer];
    });
    for (const auto& node : graph.nodes) {
        const auto* allocate = std::get_if<AllocateWork>(&node->work);
        if (allocate == nullptr || allocate->memory->bytes < bytes) continue;
        if (--freed[allocate->memory->pointer] == 0) memory = allocate->memory;
    }
    if (memory != nullptr && freed[memory->pointer] < 0) memory = nullptr;
    if (memory == nullptr) memory = std::make_shared<GraphMemory>(runtime, bytes);
    return memory->pointer == nullptr ? nullptr : graph.add(AllocateWork{memory}, dependencies);
}

CudaError allocate_graph_memory(const std::shared_ptr<GraphMemory>& memory) {
    auto& live = live_memory();
    const std::lock_guard lock(live.mutex);
    // Launched again before it was freed.
    return live.all.emplace(memory->pointer, memory).second ? cuda::success : cuda::invalid_value;
}

bool free_graph_memory(void* pointer) {
    std::shared_ptr<GraphMemory> last;  // released after the lock
    auto& live = live_memory();
    const std::lock_guard lock(live.mutex);
    const auto found = live.all.find(pointer);
    if (found == live.all.end()) return false;
    last = found->second;
    live.all.erase(found);
    return true;
}

std::uint64_t live_graph_bytes() {
    auto& live = live_memory();
    const std::lock_guard lock(live.mutex);
    std::uint64_t bytes = 0;
    for (const auto& [pointer, memory] : live.all) bytes += memory->bytes;
    return bytes;
}

Graphs& Graphs::instance() {
    static auto* const graphs = new Graphs;
    return *graphs;
}

template <class T>
std::shared_ptr<T> Graphs::take(Held<T>& held, const void* handle) {
    const std::lock_guard lock(mutex_);
    auto node = held.extract(handle);
    return node.empty() ? nullptr : std::move(node.mapped());
}

Graph* Graphs::add(std::shared_ptr<Graph> graph) {
    const std::lock_guard lock(mutex_);
    Graph* const handle = graph.get();
    graphs_[handle] = std::move(graph);
    return handle;
}

bool Graphs::remove(const void* handle) {
    return take(graphs_, handle) != nullptr;
}

bool Graphs::holds(const void* handle) {
    const std::lock_guard lock(mutex_);
    return graphs_.contains(handle);
}

void* Graphs::add(std::shared_ptr<GraphExecutable> executable) {
    const std::lock_guard lock(mutex_);
    void* const handle = executable.get();
    executables_[handle] = std::move(executable);
    return handle;
}

bool Graphs::remove_executable(const void* handle) {
    return take(executables_, handle) != nullptr;
}

std::shared_ptr<GraphExecutable> Graphs::executable(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = executables_.find(handle);
    return found == executables_.end() ? nullptr : found->second;
}

}  // namespace gpuproj::simulate
