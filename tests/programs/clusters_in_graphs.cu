// Clusters of kernels in graphs: captured, set as an attribute of a node, copied from another node, and kept when the
// node's parameters change.
#include <cooperative_groups.h>

#include "verify.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr int blocks = 8;

// Each block: the sum of the numbers of its cluster's blocks.
__global__ void add_up(int* out) {
    __shared__ int mine;
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) mine = blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < cluster.num_blocks(); ++i) sum += *cluster.map_shared_rank(&mine, i);
        out[blockIdx.x] = sum;
    }
    cluster.sync();  // nobody may leave while others read
}

std::vector<int> sums(int size) {
    std::vector<int> expected(blocks);
    for (int i = 0; i < blocks; ++i)
        for (int other = i / size * size; other < i / size * size + size; ++other) expected[i] += other;
    return expected;
}

cudaKernelNodeParams adding_up(void** arguments) {
    cudaKernelNodeParams parameters = {};
    parameters.func = reinterpret_cast<void*>(add_up);
    parameters.gridDim = dim3(blocks);
    parameters.blockDim = dim3(32);
    parameters.kernelParams = arguments;
    return parameters;
}

unsigned cluster_of(cudaGraphNode_t node) {
    cudaLaunchAttributeValue value = {};
    check(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
    return value.clusterDim.x;
}

void run(cudaGraphExec_t executable, cudaStream_t stream) {
    check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));
}

cudaGraph_t capture(int* out, unsigned size, cudaStream_t stream) {
    cudaLaunchAttribute attribute[1] = {};
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = size;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(32);
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaGraph_t graph;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    check(cudaLaunchKernelEx(&config, add_up, out));
    check(cudaStreamEndCapture(stream, &graph));
    return graph;
}

bool captured(cudaStream_t stream) {
    Device<int> first(blocks), second(blocks), third(blocks);
    cudaGraph_t graph = capture(first, 4, stream);
    cudaGraphNode_t node;
    size_t nodes = 1;
    check(cudaGraphGetNodes(graph, &node, &nodes));
    bool right = agree("cluster of a captured node", cluster_of(node), 4U);
    cudaGraphExec_t executable;
    check(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    run(executable, stream);
    right = agree("captured", first.host(), sums(4)) && right;

    int* out = second;
    void* arguments[] = {&out};
    const cudaKernelNodeParams parameters = adding_up(arguments);
    check(cudaGraphExecKernelNodeSetParams(executable, node, &parameters));
    run(executable, stream);
    right = agree("other parameters of an executable graph", second.host(), sums(4)) && right;
    check(cudaGraphExecDestroy(executable));

    out = third;
    check(cudaGraphKernelNodeSetParams(node, &parameters));
    check(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    run(executable, stream);
    right = agree("other parameters of a node", third.host(), sums(4)) && right;
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    return right;
}

bool by_attribute(cudaStream_t stream) {
    Device<int> first(blocks), second(blocks);
    cudaGraph_t graph;
    cudaGraphNode_t node, copy;
    check(cudaGraphCreate(&graph, 0));
    int* out = first;
    void* arguments[] = {&out};
    const cudaKernelNodeParams parameters = adding_up(arguments);
    check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
    out = second;
    check(cudaGraphAddKernelNode(&copy, graph, nullptr, 0, &parameters));
    cudaLaunchAttributeValue value = {};
    value.clusterDim.x = 2;
    value.clusterDim.y = value.clusterDim.z = 1;
    check(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
    check(cudaGraphKernelNodeCopyAttributes(copy, node));
    bool right = agree("cluster of a copy", cluster_of(copy), 2U);
    cudaGraphExec_t executable;
    check(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    run(executable, stream);
    right = agree("set", first.host(), sums(2)) && right;
    right = agree("copied", second.host(), sums(2)) && right;
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    return right;
}

// What the launch does not depend on is given back, too.
bool hints(cudaStream_t stream) {
    Device<int> out(blocks);
    int* pointer = out;
    void* arguments[] = {&pointer};
    const cudaKernelNodeParams parameters = adding_up(arguments);
    cudaGraph_t graph, captured;
    cudaGraphNode_t node, copy;
    check(cudaGraphCreate(&graph, 0));
    check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
    check(cudaGraphAddKernelNode(&copy, graph, nullptr, 0, &parameters));
    cudaLaunchAttributeValue priority = {}, window = {}, got = {};
    priority.priority = -2;
    window.accessPolicyWindow.base_ptr = pointer;
    window.accessPolicyWindow.num_bytes = 16;
    window.accessPolicyWindow.hitRatio = 0.5f;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    check(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &priority));
    check(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &window));
    check(cudaGraphKernelNodeCopyAttributes(copy, node));
    check(cudaGraphKernelNodeSetParams(copy, &parameters));
    check(cudaGraphKernelNodeGetAttribute(copy, cudaLaunchAttributePriority, &got));
    bool right = agree("priority", got.priority, -2);
    check(cudaGraphKernelNodeGetAttribute(copy, cudaLaunchAttributeAccessPolicyWindow, &got));
    right = holds(got.accessPolicyWindow.base_ptr == pointer && got.accessPolicyWindow.num_bytes == 16 &&
                      got.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting,
                  "access policy window") &&
            right;

    cudaLaunchAttribute attribute[1] = {};
    attribute[0].id = cudaLaunchAttributePriority;
    attribute[0].val = priority;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(32);
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    check(cudaLaunchKernelEx(&config, add_up, pointer));
    check(cudaStreamEndCapture(stream, &captured));
    size_t nodes = 1;
    check(cudaGraphGetNodes(captured, &node, &nodes));
    check(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &got));
    right = agree("priority of a captured node", got.priority, -2) && right;
    check(cudaGraphDestroy(captured));
    check(cudaGraphDestroy(graph));
    return right;
}

}  // namespace

int main() {
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    bool right = captured(stream);
    right = by_attribute(stream) && right;
    right = hints(stream) && right;
    check(cudaStreamDestroy(stream));
    return verdict(right);
}
