// Loops of graphs in loops: each condition has its default when the graph is launched, and not each time that the graph
// which it was made for is run again.
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

void add_count(cudaGraph_t graph, const cudaGraphNode_t* after, int* passes, int* left, int times,
               cudaGraphConditionalHandle more) {
    void* arguments[] = {&passes, &left, &times, &more};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(count);
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    check(cudaGraphAddKernelNode(&node, graph, after, after == nullptr ? 0 : 1, &kernel));
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

}  // namespace

int main() {
    return verdict(nests(true) & nests(false));
}
