// Graphs: captured from one stream and from two that fork and join; built of nodes of each kind; copied, changed and
// updated after they were instantiated; with memory of their own.
#include "verify.hpp"

__global__ void scale(float* data, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}

namespace {

constexpr int n = 10000, block = 128, blocks = (n + block - 1) / block;
constexpr size_t bytes = n * sizeof(float);

std::vector<float> ramp(float factor) {
    std::vector<float> values(n);
    for (int i = 0; i < n; ++i) values[i] = factor * static_cast<float>(i);
    return values;
}

cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t executable;
    check(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    return executable;
}

void launch(cudaGraphExec_t executable, cudaStream_t stream, int times = 1) {
    for (int i = 0; i < times; ++i) check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));
}

cudaKernelNodeParams scaling(void** arguments) {
    cudaKernelNodeParams parameters{};
    parameters.func = reinterpret_cast<void*>(scale);
    parameters.gridDim = dim3(blocks);
    parameters.blockDim = dim3(block);
    parameters.kernelParams = arguments;
    return parameters;
}

/// How many nodes launch `scale`, by what the program itself calls it.
int scales(cudaGraph_t graph) {
    size_t count = 0;
    check(cudaGraphGetNodes(graph, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    check(cudaGraphGetNodes(graph, nodes.data(), &count));
    int found = 0;
    for (cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        check(cudaGraphNodeGetType(node, &type));
        if (type != cudaGraphNodeTypeKernel) continue;
        cudaKernelNodeParams parameters{};
        check(cudaGraphKernelNodeGetParams(node, &parameters));
        if (parameters.func == reinterpret_cast<void*>(scale)) ++found;
    }
    return found;
}

bool captured(cudaStream_t stream) {
    Device<float> data(ramp(1)), other(ramp(1)), zeroed(ramp(7));
    cudaStream_t second;
    cudaEvent_t fork, join;
    check(cudaStreamCreate(&second));
    check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    cudaGraph_t graph;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    check(cudaMemsetAsync(zeroed, 0, bytes, stream));
    check(cudaEventRecord(fork, stream));
    check(cudaStreamWaitEvent(second, fork, 0));
    scale<<<blocks, block, 0, stream>>>(data, n, 2);
    scale<<<blocks, block, 0, second>>>(other, n, 3);
    check(cudaEventRecord(join, second));
    check(cudaStreamWaitEvent(stream, join, 0));
    scale<<<blocks, block, 0, stream>>>(data, n, 0.25F);
    cudaStreamCaptureStatus status;
    check(cudaStreamIsCapturing(second, &status));
    bool right = agree("capturing", status == cudaStreamCaptureStatusActive, true);
    check(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    check(cudaGraphGetNodes(graph, nullptr, &nodes));
    right &= agree("captured nodes", static_cast<int>(nodes), 4);
    right &= agree("of one kernel", scales(graph), 3);
    // Nothing has run yet.
    right &= agree("before", data.host(), ramp(1));
    const auto executable = instantiate(graph);
    launch(executable, stream, 2);
    right &= agree("captured", data.host(), ramp(0.25F)) && agree("forked", other.host(), ramp(9));
    right &= agree("zeroed", zeroed.host(), ramp(0));
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    check(cudaEventDestroy(fork));
    check(cudaEventDestroy(join));
    check(cudaStreamDestroy(second));
    return right;
}

void count_up(void* counter) {
    ++*static_cast<int*>(counter);
}

// host values -> device, scaled there, back to the host, and a count of the runs.
bool built(cudaStream_t stream) {
    std::vector<float> in = ramp(1), out(n);
    Device<float> data(n), zeroed(ramp(7));
    int runs = 0, size = n;
    float factor = 3;
    float* pointer = data;
    cudaGraph_t graph;
    check(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t to_device, zero, kernel, from_device, host, empty;
    check(cudaGraphAddMemcpyNode1D(&to_device, graph, nullptr, 0, data, in.data(), bytes, cudaMemcpyHostToDevice));
    cudaMemsetParams fill{};
    fill.dst = zeroed;
    fill.elementSize = 4;
    fill.value = 0x40000000;  // 2.0F
    fill.width = n;
    fill.height = 1;
    check(cudaGraphAddMemsetNode(&zero, graph, nullptr, 0, &fill));
    void* arguments[] = {&pointer, &size, &factor};
    auto parameters = scaling(arguments);
    check(cudaGraphAddKernelNode(&kernel, graph, &to_device, 1, &parameters));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(data, bytes, n, 1);
    copy.dstPtr = make_cudaPitchedPtr(out.data(), bytes, n, 1);
    copy.extent = make_cudaExtent(bytes, 1, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    check(cudaGraphAddMemcpyNode(&from_device, graph, &kernel, 1, &copy));
    cudaHostNodeParams counting{};
    counting.fn = count_up;
    counting.userData = &runs;
    const cudaGraphNode_t both[] = {from_device, zero};
    check(cudaGraphAddEmptyNode(&empty, graph, both, 2));
    check(cudaGraphAddHostNode(&host, graph, &empty, 1, &counting));

    const auto executable = instantiate(graph);
    launch(executable, stream);
    bool right = agree("built", out, ramp(3)) && agree("filled", zeroed.host(), std::vector<float>(n, 2));
    // Other arguments for the executable graph, then for the graph itself and a copy of it.
    factor = 5;
    check(cudaGraphExecKernelNodeSetParams(executable, kernel, &parameters));
    launch(executable, stream);
    right &= agree("changed", out, ramp(5));
    factor = 6;
    check(cudaGraphKernelNodeSetParams(kernel, &parameters));
    cudaGraph_t copied;
    check(cudaGraphClone(&copied, graph));
    const auto of_copy = instantiate(copied);
    launch(of_copy, stream);
    right &= agree("cloned", out, ramp(6));
    cudaGraphNodeType type;
    check(cudaGraphNodeGetType(host, &type));
    right &= agree("type", type == cudaGraphNodeTypeHost, true) && agree("runs", runs, 3);
    cudaKernelNodeParams read{};
    check(cudaGraphKernelNodeGetParams(kernel, &read));
    right &= agree("factor", *static_cast<float*>(read.kernelParams[2]), 6.0F);

    // The executable graph takes over what the changed graph says.
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo result{};
    check(cudaGraphExecUpdate(executable, graph, &result));
#else
    cudaGraphNode_t problem;
    cudaGraphExecUpdateResult result;
    check(cudaGraphExecUpdate(executable, graph, &problem, &result));
#endif
    out.assign(n, 0);
    launch(executable, stream);
    right &= agree("updated", out, ramp(6));

    // The graph as a node of another.
    cudaGraph_t outer;
    cudaGraphNode_t child, again;
    check(cudaGraphCreate(&outer, 0));
    check(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
    check(cudaGraphAddKernelNode(&again, outer, &child, 1, &parameters));
    const auto of_outer = instantiate(outer);
    launch(of_outer, stream);
    right &= agree("nested", data.host(), ramp(36)) && agree("runs", runs, 5);
    for (auto each : {executable, of_copy, of_outer}) check(cudaGraphExecDestroy(each));
    for (auto each : {graph, copied, outer}) check(cudaGraphDestroy(each));
    return right;
}

// Memory that exists while the graph runs.
bool allocated(cudaStream_t stream) {
    std::vector<float> in = ramp(1), out(n);
    cudaGraph_t graph;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    float* memory = nullptr;
    check(cudaMallocAsync(&memory, bytes, stream));
    check(cudaMemcpyAsync(memory, in.data(), bytes, cudaMemcpyHostToDevice, stream));
    scale<<<blocks, block, 0, stream>>>(memory, n, 2);
    check(cudaMemcpyAsync(out.data(), memory, bytes, cudaMemcpyDeviceToHost, stream));
    check(cudaFreeAsync(memory, stream));
    check(cudaStreamEndCapture(stream, &graph));
    const auto executable = instantiate(graph);
    launch(executable, stream, 3);
    const bool right = agree("allocated", out, ramp(2));
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    return right;
}

#if CUDART_VERSION >= 13000
// A graph that becomes another's by moving stays the same graph, with memory of its own; the outer one destroys it.
bool moved(cudaStream_t stream) {
    const Device<float> data(ramp(1));
    cudaGraph_t outer, child;
    float* memory = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    check(cudaMallocAsync(&memory, bytes, stream));
    check(cudaMemcpyAsync(memory, data, bytes, cudaMemcpyDeviceToDevice, stream));
    scale<<<blocks, block, 0, stream>>>(memory, n, 2);
    check(cudaMemcpyAsync(data, memory, bytes, cudaMemcpyDeviceToDevice, stream));
    check(cudaFreeAsync(memory, stream));
    check(cudaStreamEndCapture(stream, &child));
    size_t count = 0;
    check(cudaGraphGetNodes(child, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    check(cudaGraphGetNodes(child, nodes.data(), &count));

    check(cudaGraphCreate(&outer, 0));
    cudaGraphNodeParams parameters{};
    parameters.type = cudaGraphNodeTypeGraph;
    parameters.graph.graph = child;
    parameters.graph.ownership = cudaGraphChildGraphOwnershipMove;
    cudaGraphNode_t node, added;
    check(cudaGraphAddNode(&node, outer, nullptr, nullptr, 0, &parameters));
    cudaGraph_t of_node;
    check(cudaGraphChildGraphNodeGetGraph(node, &of_node));
    bool right = agree("the same graph", of_node == child, true);
    right &= agree("not to be destroyed", cudaGraphDestroy(child) != cudaSuccess, true);
    cudaGetLastError();

    float* pointer = data;
    float factor = 3;
    int size = n;
    void* arguments[] = {&pointer, &size, &factor};
    const cudaKernelNodeParams kernel = scaling(arguments);
    check(cudaGraphAddKernelNode(&added, child, &nodes.back(), 1, &kernel));
    const auto executable = instantiate(outer);
    launch(executable, stream);
    right &= agree("moved", data.host(), ramp(6));
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(outer));
    return right;
}

// A capture that adds to a graph gives that one.
bool captured_into(cudaStream_t stream) {
    const Device<float> data(ramp(1));
    cudaGraph_t graph, captured = nullptr;
    check(cudaGraphCreate(&graph, 0));
    check(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal));
    scale<<<blocks, block, 0, stream>>>(data, n, 5);
    check(cudaStreamEndCapture(stream, &captured));
    bool right = agree("captured into", captured == graph, true);
    const auto executable = instantiate(graph);
    launch(executable, stream);
    right &= agree("scaled", data.host(), ramp(5));
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    return right;
}
#endif

// What a captured stream does not allow ends the capture, and is told.
bool refused(cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    bool right = agree("waiting", cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported, true);
    right &= agree("ended", cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated, true);
    cudaGetLastError();
    right &= agree("afterwards", cudaStreamSynchronize(stream) == cudaSuccess, true);

    // Only the stream that began a capture can end it.
    cudaStream_t joined;
    cudaEvent_t event;
    check(cudaStreamCreate(&joined));
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    check(cudaEventRecord(event, stream));
    check(cudaStreamWaitEvent(joined, event, 0));
    right &= agree("other", cudaStreamEndCapture(joined, &graph) == cudaErrorStreamCaptureUnmatched, true);
    right &= agree("origin", cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated, true);
    cudaGetLastError();
    right &= agree("joined afterwards", cudaStreamSynchronize(joined) == cudaSuccess, true);
    check(cudaEventDestroy(event));
    check(cudaStreamDestroy(joined));
    return right;
}

}  // namespace

int main() {
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    bool right = captured(stream);
    right &= built(stream);
    right &= allocated(stream);
#if CUDART_VERSION >= 13000
    right &= moved(stream) & captured_into(stream);
#endif
    right &= refused(stream);
    check(cudaStreamDestroy(stream));
    return verdict(right);
}
