// User objects: whoever refers to one, the application, a graph, a copy or an executable of it, keeps it; the
// destructor is called once, with the last reference.
#include <cuda.h>
#include <cuda_runtime.h>

#include <climits>
#include <cstdio>

#include "driver.hpp"

#define REFUSED(call) CHECK(static_cast<int>(call) == static_cast<int>(cudaErrorInvalidValue))

__managed__ int launches = 0;

__global__ void launched() {
    ++launches;
}

static void count(void* destroyed) {
    ++*static_cast<int*>(destroyed);
}

static cudaUserObject_t make(int& destroyed, unsigned references = 1) {
    destroyed = 0;
    cudaUserObject_t object = nullptr;
    OK(cudaUserObjectCreate(&object, &destroyed, count, references, cudaUserObjectNoDestructorSync));
    return object;
}

// An object that `graph` alone refers to.
static void give(cudaGraph_t graph, int& destroyed) {
    OK(cudaGraphRetainUserObject(graph, make(destroyed), 1, cudaGraphUserObjectMove));
}

static void of_application() {
    int destroyed;
    cudaUserObject_t object = make(destroyed, 3);
    OK(cudaUserObjectRetain(object, 2));
    OK(cudaUserObjectRelease(object, 4));
    CHECK(destroyed == 0);
    OK(cudaUserObjectRelease(object, 1));
    CHECK(destroyed == 1);
    REFUSED(cudaUserObjectRelease(object, 1));
    REFUSED(cudaUserObjectRetain(object, 1));
    CHECK(destroyed == 1);
}

static void refused() {
    int destroyed;
    cudaUserObject_t object = make(destroyed, 2), other = nullptr;
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    REFUSED(cudaUserObjectCreate(nullptr, &destroyed, count, 1, cudaUserObjectNoDestructorSync));
    REFUSED(cudaUserObjectCreate(&other, &destroyed, nullptr, 1, cudaUserObjectNoDestructorSync));
    REFUSED(cudaUserObjectCreate(&other, &destroyed, count, 0, cudaUserObjectNoDestructorSync));
    REFUSED(cudaUserObjectCreate(&other, &destroyed, count, 1, 0));
    REFUSED(cudaUserObjectRetain(object, 0));
    REFUSED(cudaUserObjectRetain(object, INT_MAX + 1U));
    REFUSED(cudaUserObjectRelease(object, 0));
    REFUSED(cudaGraphRetainUserObject(graph, object, 0, 0));
    REFUSED(cudaGraphRetainUserObject(graph, object, 1, 2));
    REFUSED(cudaGraphRetainUserObject(graph, object, 3, cudaGraphUserObjectMove));
    REFUSED(cudaGraphReleaseUserObject(graph, object, 1));
    OK(cudaGraphRetainUserObject(graph, object, 1, 0));
    REFUSED(cudaGraphReleaseUserObject(graph, object, 2));
    OK(cudaUserObjectRelease(object, 2));
    CHECK(destroyed == 0);
    OK(cudaGraphReleaseUserObject(graph, object, 1));
    CHECK(destroyed == 1);
    OK(cudaGraphDestroy(graph));
    CHECK(destroyed == 1);
}

static void of_graphs() {
    int destroyed;
    cudaUserObject_t object = make(destroyed, 3);
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphRetainUserObject(graph, object, 2, 0));                        // application 3, graph 2
    OK(cudaGraphRetainUserObject(graph, object, 3, cudaGraphUserObjectMove));  // graph 5
    REFUSED(cudaUserObjectRelease(object, 1));
    OK(cudaUserObjectRetain(object, 1));  // of what a graph keeps
    OK(cudaGraphReleaseUserObject(graph, object, 5));
    CHECK(destroyed == 0);
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    OK(cudaGraphDestroy(graph));
    CHECK(destroyed == 1);
}

static void of_copies() {
    int destroyed, of_child;
    cudaGraph_t graph, child, copy;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&child, 0));
    give(graph, destroyed);
    give(child, of_child);
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(launched);
    kernel.gridDim = kernel.blockDim = dim3(1);
    OK(cudaGraphAddKernelNode(&node, child, nullptr, 0, &kernel));
    OK(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
    OK(cudaGraphDestroy(child));
    OK(cudaGraphClone(&copy, graph));
    cudaGraphExec_t executable;
    OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    OK(cudaGraphDestroy(graph));
    CHECK(destroyed == 0 && of_child == 0);
    OK(cudaGraphDestroy(copy));
    CHECK(destroyed == 0 && of_child == 0);
    OK(cudaGraphLaunch(executable, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(launches == 1 && destroyed == 0 && of_child == 0);
    OK(cudaGraphExecDestroy(executable));
    CHECK(destroyed == 1 && of_child == 1);
}

// What an executable graph is updated with takes the place of what it kept.
static void of_updates() {
    int before, after;
    cudaGraph_t first, second;
    OK(cudaGraphCreate(&first, 0));
    OK(cudaGraphCreate(&second, 0));
    give(first, before);
    give(second, after);
    cudaGraphExec_t executable;
    OK(cudaGraphInstantiateWithFlags(&executable, first, 0));
    OK(cudaGraphDestroy(first));
    CHECK(before == 0);
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(executable, second, &info));
#else
    cudaGraphNode_t node;
    cudaGraphExecUpdateResult result;
    OK(cudaGraphExecUpdate(executable, second, &node, &result));
#endif
    OK(cudaGraphDestroy(second));
    CHECK(before == 1 && after == 0);
    OK(cudaGraphExecDestroy(executable));
    CHECK(after == 1);
}

// A graph in the making, as a library that is being captured gives its buffers to it.
static void of_captures() {
    int destroyed;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    unsigned long long id;
    cudaGraph_t graph = nullptr, captured = nullptr;
#if CUDART_VERSION >= 13000
    OK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph));
#else
    OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph));
#endif
    give(graph, destroyed);
    OK(cudaStreamEndCapture(stream, &captured));
    CHECK(captured == graph && destroyed == 0);
    OK(cudaGraphDestroy(captured));
    CHECK(destroyed == 1);
    OK(cudaStreamDestroy(stream));
}

static void of_driver() {
    int destroyed = 0;
    CUuserObject object;
    CUgraph graph;
    OK(cuUserObjectCreate(&object, &destroyed, count, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cuGraphCreate(&graph, 0));
    OK(cuUserObjectRetain(object, 1));
    OK(cuGraphRetainUserObject(graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE));
    CHECK(cuUserObjectRelease(object, 1) == CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphReleaseUserObject(graph, object, 1));
    CHECK(destroyed == 0);
    OK(cuGraphDestroy(graph));
    CHECK(destroyed == 1);
}

int main() {
    of_application();
    refused();
    of_graphs();
    of_copies();
    of_updates();
    of_captures();
    of_driver();
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
