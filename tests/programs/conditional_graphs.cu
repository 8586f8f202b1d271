// Loops of graphs in loops: each condition has its default when the graph is launched, and not each time that the graph
// which it was made for is run again. And loops in executable graphs that are updated.
#include "verify.hpp"

__global__ void count(int* passes, int* left, int times, cudaGraphConditionalHandle more) {
    ++*passes;
    if (*left == 0) *left = times;
    --*left;
    cudaGraphSetConditional(more, *left > 0);
}

namespace {

struct Loop {
    cudaGraphNode_t node;
    cudaGraph_t body;
};

Loop add_loop(cudaGraph_t graph, cudaGraphConditionalHandle more) {
    cudaGraphNodeParams parameters{};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = more;
    parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 1;
    Loop loop{};
    check(cudaGraphAddNode(&loop.node, graph, nullptr, nullptr, 0, &parameters));
    loop.body = parameters.conditional.phGraph_out[0];
    return loop;
}

cudaGraphNode_t add_count(cudaGraph_t graph, const cudaGraphNode_t* after, int* passes, int* left, int times,
                          cudaGraphConditionalHandle more) {
    void* arguments[] = {&passes, &left, &times, &more};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(count);
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    check(cudaGraphAddKernelNode(&node, graph, after, after == nullptr ? 0 : 1, &kernel));
    return node;
}

// Three passes of the outer loop; in the first of them the inner one does four, and then its condition stays 0. It is
// made for the outermost graph, or for the body that its node is in.
bool nests(bool for_outermost) {
    const Device<int> passes(std::vector<int>{0, 0}), left(std::vector<int>{0, 0});
    cudaGraph_t graph;
    check(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle more_outer, more_inner;
    check(cudaGraphConditionalHandleCreate(&more_outer, graph, 1, cudaGraphCondAssignDefault));
    const Loop outer = add_loop(graph, more_outer);
    check(cudaGraphConditionalHandleCreate(&more_inner, for_outermost ? graph : outer.body, 1,
                                           cudaGraphCondAssignDefault));
    const Loop inner = add_loop(outer.body, more_inner);
    add_count(inner.body, nullptr, passes + 1, left + 1, 4, more_inner);
    add_count(outer.body, &inner.node, passes, left, 3, more_outer);
    cudaGraphExec_t executable;
    check(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 2; ++i) check(cudaGraphLaunch(executable, nullptr));
    check(cudaDeviceSynchronize());
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    return agree(for_outermost ? "of the outermost" : "of the body", passes.host(), std::vector<int>{6, 8});
}

struct CountedLoop {
    cudaGraph_t graph;
    cudaGraphNode_t count;
};

CountedLoop make_loop(int* passes, int* left, int times, unsigned at_launch) {
    CountedLoop made{};
    check(cudaGraphCreate(&made.graph, 0));
    cudaGraphConditionalHandle more;
    check(cudaGraphConditionalHandleCreate(&more, made.graph, at_launch, cudaGraphCondAssignDefault));
    made.count = add_count(add_loop(made.graph, more).body, nullptr, passes, left, times, more);
    return made;
}

// The executable graph takes over the body and the default of another graph, and parameters for a node in the body.
bool updates() {
    const Device<int> passes(std::vector<int>{0, 0}), left(std::vector<int>{0, 0});
    const CountedLoop once = make_loop(passes, left, 1, 1), five = make_loop(passes + 1, left + 1, 5, 1),
                      never = make_loop(passes, left, 1, 0);
    cudaGraphExec_t executable;
    check(cudaGraphInstantiate(&executable, once.graph, 0));
    check(cudaGraphLaunch(executable, nullptr));
    for (const CountedLoop& other : {five, never}) {
        cudaGraphExecUpdateResultInfo result{};
        check(cudaGraphExecUpdate(executable, other.graph, &result));
        check(cudaGraphLaunch(executable, nullptr));
    }
    bool right = agree("updated", passes.host(), std::vector<int>{1, 5});

    cudaKernelNodeParams kernel{};
    check(cudaGraphKernelNodeGetParams(five.count, &kernel));
    int seven = 7;
    void* arguments[] = {kernel.kernelParams[0], kernel.kernelParams[1], &seven, kernel.kernelParams[3]};
    kernel.kernelParams = arguments;
    check(cudaGraphExecUpdate(executable, five.graph, nullptr));
    check(cudaGraphExecKernelNodeSetParams(executable, once.count, &kernel));
    check(cudaGraphLaunch(executable, nullptr));
    right &= agree("with a node's parameters", passes.host(), std::vector<int>{1, 12});
    check(cudaGraphExecDestroy(executable));
    for (const CountedLoop& each : {once, five, never}) check(cudaGraphDestroy(each.graph));
    return right;
}

}  // namespace

int main() {
    return verdict(nests(true) & nests(false) & updates());
}
