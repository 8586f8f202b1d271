// In place of the driver: names two GPUs, and says of streams and graphs what their handles tell (fake_cupti.hpp).
#include <cuda.h>

#include <cstdint>
#include <cstdio>

#include "tests/cupti/fake_cupti.hpp"

extern "C" {

CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
    std::snprintf(name, static_cast<std::size_t>(bytes), "GPU %d", device);
    return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    const bool captured = reinterpret_cast<std::uintptr_t>(stream) == gpuproj::test::captured_stream;
    *status = captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

// A graph's handle is the number of its nodes. The first node of one with more than 1000 is a graph of 1000.

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
    const auto number = reinterpret_cast<std::uintptr_t>(graph);
    for (std::size_t i = 0; nodes != nullptr && i < *count; ++i)
        nodes[i] = reinterpret_cast<CUgraphNode>(i == 0 && number > 1000 ? std::uintptr_t{2} : std::uintptr_t{1});
    *count = number;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
    *type = reinterpret_cast<std::uintptr_t>(node) == 2 ? CU_GRAPH_NODE_TYPE_GRAPH : CU_GRAPH_NODE_TYPE_KERNEL;
    return CUDA_SUCCESS;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode, CUgraph* graph) {
    *graph = reinterpret_cast<CUgraph>(std::uintptr_t{1000});
    return CUDA_SUCCESS;
}
}
