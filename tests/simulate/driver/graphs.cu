// Graphs of the driver API that a program describes node by node: all kinds of nodes, what is told of them and of their
// edges, and what is changed before and after they are instantiated. Takes kernels.ptx.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "driver.hpp"

#define REFUSED(call) CHECK((call) == CUDA_ERROR_INVALID_VALUE)

static CUcontext context;
static CUfunction scale, mix;
static CUdeviceptr factor;

static CUDA_MEMCPY3D linear(CUdeviceptr to, const void* from, std::size_t bytes) {
    CUDA_MEMCPY3D p = {};
    p.srcMemoryType = CU_MEMORYTYPE_HOST;
    p.srcHost = from;
    p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    p.dstDevice = to;
    p.WidthInBytes = bytes;
    p.Height = p.Depth = 1;
    return p;
}

static CUDA_MEMCPY3D linear(void* to, CUdeviceptr from, std::size_t bytes) {
    CUDA_MEMCPY3D p = {};
    p.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    p.srcDevice = from;
    p.dstMemoryType = CU_MEMORYTYPE_HOST;
    p.dstHost = to;
    p.WidthInBytes = bytes;
    p.Height = p.Depth = 1;
    return p;
}

static CUDA_KERNEL_NODE_PARAMS of(CUfunction function, unsigned threads, void** arguments) {
    CUDA_KERNEL_NODE_PARAMS p = {};
    p.func = function;
    p.gridDimX = p.gridDimY = p.gridDimZ = 1;
    p.blockDimX = threads;
    p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = arguments;
    return p;
}

static void run(CUgraphExec executable) {
    OK(cuGraphLaunch(executable, nullptr));
    OK(cuCtxSynchronize());
}

static CUgraphExec instantiate(CUgraph graph) {
    CUgraphExec made = nullptr;
    OK(cuGraphInstantiateWithFlags(&made, graph, 0));
    return made;
}

static void add_one(void* value) {
    ++*static_cast<int*>(value);
}

// Copy in, scale, fill one, copy out, tell the host; then the like of it with other numbers.
static void nodes() {
    float in[4] = {1, 2, 3, 4}, more[4] = {5, 6, 7, 8}, out[4] = {}, other[4] = {};
    int told = 0, told_too = 0, count = 4;
    CUdeviceptr from, to;
    OK(cuMemAlloc(&from, sizeof in));
    OK(cuMemAlloc(&to, sizeof in));
    CUgraph graph;
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode copied, scaled, filled, returned, called;
    CUDA_MEMCPY3D in_copy = linear(from, in, sizeof in), out_copy = linear(out, to, sizeof out);
    OK(cuGraphAddMemcpyNode(&copied, graph, nullptr, 0, &in_copy, context));
    void* arguments[] = {&from, &to, &count};
    CUDA_KERNEL_NODE_PARAMS kernel = of(scale, 4, arguments);
    OK(cuGraphAddKernelNode(&scaled, graph, &copied, 1, &kernel));
    const float ten = 10;
    CUDA_MEMSET_NODE_PARAMS fill = {};
    fill.dst = to + sizeof(float);
    fill.elementSize = sizeof(float);
    std::memcpy(&fill.value, &ten, sizeof ten);
    fill.width = fill.height = 1;
    OK(cuGraphAddMemsetNode(&filled, graph, &scaled, 1, &fill, context));
    OK(cuGraphAddMemcpyNode(&returned, graph, &filled, 1, &out_copy, context));
    CUDA_HOST_NODE_PARAMS host = {};
    host.fn = add_one;
    host.userData = &told;
    OK(cuGraphAddHostNode(&called, graph, &returned, 1, &host));
    REFUSED(cuGraphAddMemcpyNode(&copied, graph, nullptr, 0, nullptr, context));

    CUgraphNodeType type;
    OK(cuGraphNodeGetType(filled, &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_MEMSET);
    CUDA_MEMCPY3D copy_said = {};
    OK(cuGraphMemcpyNodeGetParams(copied, &copy_said));
    CHECK(copy_said.srcMemoryType == CU_MEMORYTYPE_HOST && copy_said.srcHost == in);
    CHECK(copy_said.dstMemoryType == CU_MEMORYTYPE_DEVICE && copy_said.dstDevice == from);
    CHECK(copy_said.WidthInBytes == sizeof in && copy_said.Height == 1 && copy_said.Depth == 1);
    REFUSED(cuGraphMemcpyNodeGetParams(scaled, &copy_said));
    CUDA_MEMSET_NODE_PARAMS fill_said = {};
    OK(cuGraphMemsetNodeGetParams(filled, &fill_said));
    CHECK(fill_said.dst == fill.dst && fill_said.value == fill.value && fill_said.width == 1);
    CUDA_HOST_NODE_PARAMS host_said = {};
    OK(cuGraphHostNodeGetParams(called, &host_said));
    CHECK(host_said.fn == add_one && host_said.userData == &told);
    CUDA_KERNEL_NODE_PARAMS kernel_said = {};
    OK(cuGraphKernelNodeGetParams(scaled, &kernel_said));
    CHECK(kernel_said.func == scale && kernel_said.blockDimX == 4);
    CHECK(*static_cast<CUdeviceptr*>(kernel_said.kernelParams[1]) == to);

    CUgraphExec executable = instantiate(graph);
    run(executable);
    CHECK(out[0] == 2 && out[1] == 10 && out[2] == 6 && out[3] == 8 && told == 1);

    // Of the executable alone.
    in_copy.srcHost = more;
    OK(cuGraphExecMemcpyNodeSetParams(executable, copied, &in_copy, context));
    out_copy.dstHost = other;
    OK(cuGraphExecMemcpyNodeSetParams(executable, returned, &out_copy, context));
    count = 3;
    OK(cuGraphExecKernelNodeSetParams(executable, scaled, &kernel));
    fill.dst = to + 3 * sizeof(float);
    OK(cuGraphExecMemsetNodeSetParams(executable, filled, &fill, context));
    host.userData = &told_too;
    OK(cuGraphExecHostNodeSetParams(executable, called, &host));
    REFUSED(cuGraphExecHostNodeSetParams(executable, filled, &host));
    run(executable);
    CHECK(other[0] == 10 && other[1] == 12 && other[2] == 14 && other[3] == 10 && out[0] == 2);
    CHECK(told == 1 && told_too == 1);

    // Of the graph, and by it of the executable.
    OK(cuGraphMemcpyNodeSetParams(copied, &in_copy));
    fill.dst = to;
    OK(cuGraphMemsetNodeSetParams(filled, &fill));
    OK(cuGraphHostNodeSetParams(called, &host));
    OK(cuGraphKernelNodeSetParams(scaled, &kernel));
#if CUDA_VERSION >= 12000
    CUgraphExecUpdateResultInfo update = {};
    OK(cuGraphExecUpdate(executable, graph, &update));
    CHECK(update.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    run(executable);
    CHECK(out[0] == 10 && out[1] == 12 && out[2] == 14 && told_too == 2 && told == 1);
#endif
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuMemFree(from));
    OK(cuMemFree(to));
}

// Arguments in one buffer, as cuLaunchKernel takes them.
static void packed_arguments() {
    CUdeviceptr out;
    OK(cuMemAlloc(&out, sizeof(float)));
    struct {
        char a;
        double b;
        short c;
        CUdeviceptr out;
    } buffer = {1, 2.5, 4, out};
    std::size_t bytes = sizeof buffer;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CUDA_KERNEL_NODE_PARAMS kernel = of(mix, 1, nullptr);
    kernel.extra = extra;
    CUgraph graph;
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode node;
    OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
    void* arguments[] = {nullptr};
    kernel.kernelParams = arguments;
    REFUSED(cuGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
    CUgraphExec executable = instantiate(graph);
    run(executable);
    float value = 0;
    OK(cuMemcpyDtoH(&value, out, sizeof value));
    CHECK(value == 11);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuMemFree(out));
}

// Through an array and with a pitch: a box of 2 x 2 floats out of rows of 4.
static void boxes() {
    CUDA_ARRAY_DESCRIPTOR wanted = {};
    wanted.Width = wanted.Height = 2;
    wanted.Format = CU_AD_FORMAT_FLOAT;
    wanted.NumChannels = 1;
    CUarray array;
    OK(cuArrayCreate(&array, &wanted));
    float rows[8] = {0, 1, 2, 3, 4, 5, 6, 7}, box[4] = {};
    CUDA_MEMCPY3D in = {}, out = {};
    in.srcMemoryType = CU_MEMORYTYPE_HOST;
    in.srcHost = rows;
    in.srcPitch = 4 * sizeof(float);
    in.srcHeight = 2;
    in.srcXInBytes = sizeof(float);
    in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    in.dstArray = array;
    in.WidthInBytes = 2 * sizeof(float);
    in.Height = 2;
    in.Depth = 1;
    out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    out.srcArray = array;
    out.dstMemoryType = CU_MEMORYTYPE_HOST;
    out.dstHost = box;
    out.dstPitch = 2 * sizeof(float);
    out.WidthInBytes = 2 * sizeof(float);
    out.Height = 2;
    out.Depth = 1;
    CUgraph graph;
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode first, second;
    OK(cuGraphAddMemcpyNode(&first, graph, nullptr, 0, &in, context));
    OK(cuGraphAddMemcpyNode(&second, graph, &first, 1, &out, context));
    CUgraphExec executable = instantiate(graph);
    run(executable);
    CHECK(box[0] == 1 && box[1] == 2 && box[2] == 5 && box[3] == 6);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuArrayDestroy(array));
}

// Events, children, empty nodes, copies of graphs, and edges.
static void structure() {
    int calls = 0;
    CUevent first_event, second_event, said = nullptr;
    OK(cuEventCreate(&first_event, 0));
    OK(cuEventCreate(&second_event, 0));
    CUgraph child, graph, copy, inside;
    OK(cuGraphCreate(&child, 0));
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode called, start, recorded, waits, nested, end, found;
    CUDA_HOST_NODE_PARAMS host = {};
    host.fn = add_one;
    host.userData = &calls;
    OK(cuGraphAddHostNode(&called, child, nullptr, 0, &host));
    OK(cuGraphAddEmptyNode(&start, graph, nullptr, 0));
    OK(cuGraphAddEventRecordNode(&recorded, graph, &start, 1, first_event));
    OK(cuGraphAddEventWaitNode(&waits, graph, &recorded, 1, first_event));
    OK(cuGraphAddChildGraphNode(&nested, graph, &waits, 1, child));
    OK(cuGraphAddEmptyNode(&end, graph, nullptr, 0));
    OK(cuGraphEventRecordNodeGetEvent(recorded, &said));
    CHECK(said == first_event);
    OK(cuGraphEventRecordNodeSetEvent(recorded, second_event));
    OK(cuGraphEventRecordNodeGetEvent(recorded, &said));
    CHECK(said == second_event);
    REFUSED(cuGraphEventRecordNodeGetEvent(waits, &said));
    OK(cuGraphEventWaitNodeSetEvent(waits, second_event));
    OK(cuGraphEventWaitNodeGetEvent(waits, &said));
    CHECK(said == second_event);
    REFUSED(cuGraphEventWaitNodeSetEvent(recorded, second_event));
    OK(cuGraphChildGraphNodeGetGraph(nested, &inside));
    std::size_t count = 0;
    OK(cuGraphGetNodes(inside, nullptr, &count));
    CHECK(count == 1);
    OK(cuGraphGetRootNodes(graph, nullptr, &count));
    CHECK(count == 2);
#if CUDA_VERSION >= 13000
    OK(cuGraphAddDependencies(graph, &nested, &end, nullptr, 1));
    OK(cuGraphNodeGetDependencies(end, &found, nullptr, &(count = 1)));
    CHECK(count == 1 && found == nested);
    OK(cuGraphNodeGetDependentNodes(start, &found, nullptr, &(count = 1)));
    CHECK(count == 1 && found == recorded);
    OK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    CHECK(count == 4);
    // What is known of the edges, and no more of them than there are.
    std::vector<CUgraphNode> from(8), to(8);
    std::vector<CUgraphEdgeData> data(8, CUgraphEdgeData{7, 7, 7, {}});
    OK(cuGraphGetEdges(graph, from.data(), to.data(), data.data(), &(count = 8)));
    CHECK(count == 4 && data[0].type == 0 && data[3].from_port == 0 && data[3].to_port == 0 && data[4].type == 7);
    data[0] = {7, 7, 7, {}};
    OK(cuGraphNodeGetDependencies(end, &found, data.data(), &(count = 1)));
    CHECK(data[0].type == 0 && data[0].from_port == 0);
    data[0] = {7, 7, 7, {}};
    OK(cuGraphNodeGetDependentNodes(start, &found, data.data(), &(count = 1)));
    CHECK(data[0].type == 0 && data[0].from_port == 0);
    OK(cuGraphRemoveDependencies(graph, &nested, &end, nullptr, 1));
    OK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
#else
    OK(cuGraphAddDependencies(graph, &nested, &end, 1));
    OK(cuGraphNodeGetDependencies(end, &found, &(count = 1)));
    CHECK(count == 1 && found == nested);
    OK(cuGraphNodeGetDependentNodes(start, &found, &(count = 1)));
    CHECK(count == 1 && found == recorded);
    OK(cuGraphGetEdges(graph, nullptr, nullptr, &count));
    CHECK(count == 4);
    OK(cuGraphRemoveDependencies(graph, &nested, &end, 1));
    OK(cuGraphGetEdges(graph, nullptr, nullptr, &count));
#endif
    CHECK(count == 3);
    OK(cuGraphDestroyNode(end));
    OK(cuGraphClone(&copy, graph));
    OK(cuGraphNodeFindInClone(&found, nested, copy));
    OK(cuGraphGetNodes(copy, nullptr, &count));
    CHECK(count == 4 && found != nested);
    CUgraphExec executable = instantiate(copy);
    run(executable);
    CHECK(calls == 1 && cuEventQuery(second_event) == CUDA_SUCCESS);
    host.fn = [](void* value) { *static_cast<int*>(value) += 10; };
    OK(cuGraphHostNodeSetParams(called, &host));
    OK(cuGraphExecChildGraphNodeSetParams(executable, found, child));
    REFUSED(cuGraphExecEventRecordNodeSetEvent(executable, recorded, first_event));  // of the graph that was copied
    run(executable);
    CHECK(calls == 11);
    OK(cuGraphExecDestroy(executable));
    for (CUgraph each : {copy, graph, child}) OK(cuGraphDestroy(each));
    OK(cuEventDestroy(first_event));
    OK(cuEventDestroy(second_event));
}

// Memory that belongs to a graph; nodes that are switched off.
static void memory_and_switches() {
    CUgraph graph;
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEM_ALLOC_NODE_PARAMS wanted = {}, said = {};
    wanted.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    wanted.bytesize = 4 * sizeof(int);
    CUgraphNode allocated, filled, refilled, returned, freed;
    OK(cuGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &wanted));
    CHECK(wanted.dptr != 0);
    OK(cuGraphMemAllocNodeGetParams(allocated, &said));
    CHECK(said.dptr == wanted.dptr && said.bytesize == wanted.bytesize);
    CUDA_MEMSET_NODE_PARAMS fill = {};
    fill.dst = wanted.dptr;
    fill.elementSize = 4;
    fill.value = 3;
    fill.width = 4;
    fill.height = 1;
    OK(cuGraphAddMemsetNode(&filled, graph, &allocated, 1, &fill, context));
    fill.value = 7;
    OK(cuGraphAddMemsetNode(&refilled, graph, &filled, 1, &fill, context));
    int values[4] = {};
    CUDA_MEMCPY3D out = linear(values, wanted.dptr, sizeof values);
    OK(cuGraphAddMemcpyNode(&returned, graph, &refilled, 1, &out, context));
    OK(cuGraphAddMemFreeNode(&freed, graph, &returned, 1, wanted.dptr));
    CUdeviceptr what = 0;
    OK(cuGraphMemFreeNodeGetParams(freed, &what));
    CHECK(what == wanted.dptr);
    CUgraphExec executable = instantiate(graph);
    run(executable);
    CHECK(values[0] == 7 && values[3] == 7);
    OK(cuGraphNodeSetEnabled(executable, refilled, 0));
    unsigned enabled = 1;
    OK(cuGraphNodeGetEnabled(executable, refilled, &enabled));
    CHECK(enabled == 0);
    run(executable);
    CHECK(values[0] == 3 && values[3] == 3);
    cuuint64_t used = 0;
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &used));
    CHECK(used >= wanted.bytesize || used == 0);
    OK(cuDeviceGraphMemTrim(0));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
}

#if CUDA_VERSION >= 13000
// All parameters in one struct.
static void any_node() {
    float in[4] = {1, 2, 3, 4}, out[4] = {};
    int count = 4;
    CUdeviceptr from, to;
    OK(cuMemAlloc(&from, sizeof in));
    OK(cuMemAlloc(&to, sizeof in));
    CUgraph graph;
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode copied, scaled, returned, filled;
    CUgraphNodeParams p = {};
    p.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    p.memcpy.copyParams = linear(from, in, sizeof in);
    OK(cuGraphAddNode(&copied, graph, nullptr, nullptr, 0, &p));
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_KERNEL;
    void* arguments[] = {&from, &to, &count};
    CUgraphNodeParams kernel = p;
    kernel.kernel.func = scale;
    kernel.kernel.gridDimX = kernel.kernel.gridDimY = kernel.kernel.gridDimZ = 1;
    kernel.kernel.blockDimX = 4;
    kernel.kernel.blockDimY = kernel.kernel.blockDimZ = 1;
    kernel.kernel.kernelParams = arguments;
    OK(cuGraphAddNode(&scaled, graph, &copied, nullptr, 1, &kernel));
    p.type = CU_GRAPH_NODE_TYPE_MEMSET;
    p.memset.dst = to;
    p.memset.elementSize = 4;
    p.memset.width = p.memset.height = 1;
    OK(cuGraphAddNode(&filled, graph, &scaled, nullptr, 1, &p));
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    p.memcpy.copyParams = linear(out, to, sizeof out);
    OK(cuGraphAddNode(&returned, graph, &filled, nullptr, 1, &p));
    CUgraphExec executable = instantiate(graph);
    run(executable);
    CHECK(out[0] == 0 && out[1] == 4 && out[3] == 8);
    count = 2;
    OK(cuGraphExecNodeSetParams(executable, scaled, &kernel));
    float more[4] = {3, 5, 7, 9};
    p.memcpy.copyParams = linear(from, more, sizeof more);
    OK(cuGraphExecNodeSetParams(executable, copied, &p));
    run(executable);
    CHECK(out[0] == 0 && out[1] == 10 && out[3] == 8);
    OK(cuGraphNodeSetParams(copied, &p));
    REFUSED(cuGraphNodeSetParams(scaled, &p));
    OK(cuGraphExecDestroy(executable));
    CUDA_GRAPH_INSTANTIATE_PARAMS wanted = {};
    OK(cuGraphInstantiateWithParams(&executable, graph, &wanted));
    CHECK(wanted.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
    run(executable);
    CHECK(out[1] == 10 && out[3] == 18);  // the graph still has four elements
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuMemFree(from));
    OK(cuMemFree(to));
}

// What a launch says of itself is in the node that it becomes.
static void captured_attributes() {
    CUstream stream;
    OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -1));
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    attribute.value.priority = -3;
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUdeviceptr none = 0;
    int count = 0;
    void* arguments[] = {&none, &none, &count};
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuLaunchKernelEx(&config, scale, arguments, nullptr));
    config.numAttrs = 0;
    OK(cuLaunchKernelEx(&config, scale, arguments, nullptr));
    CUgraph graph;
    OK(cuStreamEndCapture(stream, &graph));
    CUgraphNode nodes[2];
    std::size_t n = 2;
    OK(cuGraphGetNodes(graph, nodes, &n));
    CHECK(n == 2);
    const auto priority = [&](CUgraphNode node) {
        CUkernelNodeAttrValue value = {};
        OK(cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
        return value.priority;
    };
    CHECK(priority(nodes[0]) == -3);
    CHECK(priority(nodes[1]) == -1);
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(stream));
}

// A stream goes on with a graph that has been begun by hand.
static void captured_into() {
    CUdeviceptr value;
    OK(cuMemAlloc(&value, 4));
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUgraph graph, same;
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode start;
    OK(cuGraphAddEmptyNode(&start, graph, nullptr, 0));
    OK(cuStreamBeginCaptureToGraph(stream, graph, &start, nullptr, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD32Async(value, 9, 1, stream));
    OK(cuStreamEndCapture(stream, &same));
    CHECK(same == graph);
    std::size_t count = 0;
    OK(cuGraphGetNodes(graph, nullptr, &count));
    CHECK(count == 2);
    CUgraphExec executable = instantiate(graph);
    run(executable);
    int seen = 0;
    OK(cuMemcpyDtoH(&seen, value, 4));
    CHECK(seen == 9);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(value));
}
#endif

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    OK(cuInit(0));
    context = new_context();
    CUmodule module;
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    OK(cuModuleGetFunction(&mix, module, "mix"));
    OK(cuModuleGetGlobal(&factor, nullptr, module, "factor"));
    const float two = 2;
    OK(cuMemcpyHtoD(factor, &two, sizeof two));
    nodes();
    packed_arguments();
    boxes();
    structure();
    memory_and_switches();
#if CUDA_VERSION >= 13000
    any_node();
    captured_into();
    captured_attributes();
#endif
    if (failures == 0) std::printf("PASSED\n");
    return failures;
}
