// What the driver API tells of contexts, streams, captures and memory, and events that stand for a whole context.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

#include "driver.hpp"

__global__ void add(int* value, int what) {
    *value += what;
}

static CUdeviceptr address(const void* pointer) {
    return reinterpret_cast<CUdeviceptr>(pointer);
}

static void ids() {
#if CUDA_VERSION >= 12000
    CUcontext primary;
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    unsigned long long of_primary = 0, of_second = 0, again = 0;
    OK(cuCtxGetId(primary, &of_primary));
    OK(cuCtxGetId(nullptr, &again));
    CHECK(of_primary == again);
    CUcontext second = new_context();
    OK(cuCtxGetId(second, &of_second));
    OK(cuCtxGetId(nullptr, &again));
    CHECK(of_second == again && of_second != of_primary);
    CHECK(cuCtxGetId(second, nullptr) == CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxDestroy(second));
    CHECK(cuCtxGetId(second, &again) == CUDA_ERROR_INVALID_CONTEXT);
    second = new_context();
    OK(cuCtxGetId(second, &again));
    CHECK(again != of_second && again != of_primary);  // even at the same address
    OK(cuCtxDestroy(second));
#endif
}

// By name, in each form there was.
template <class Function>
static Function* form(const char* name, int version) {
    void* found = nullptr;
#if CUDA_VERSION >= 12000
    OK(cuGetProcAddress(name, &found, version, 0, nullptr));
#else
    OK(cuGetProcAddress(name, &found, version, 0));
#endif
    return reinterpret_cast<Function*>(found);
}

static void of_named_contexts() {
    // Older callers name no context.
    CUdevice of_current = -1;
    OK(form<CUresult(CUdevice*)>("cuCtxGetDevice", 12000)(&of_current));
    CHECK(of_current == 0);
    OK(form<CUresult()>("cuCtxSynchronize", 12000)());
#if CUDA_VERSION >= 13000
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    CUdevice device = -1;
    OK(cuCtxGetDevice_v2(&device, context));
    CHECK(device == 0);
    device = -1;
    OK(form<CUresult(CUdevice*, CUcontext)>("cuCtxGetDevice", 13000)(&device, nullptr));
    CHECK(device == 0);
    OK(cuCtxSynchronize_v2(context));
    OK(cuCtxSynchronize_v2(nullptr));
#endif
}

#if CUDA_VERSION >= 12050
// Streams that wait for the host show what waits for what.
static void events_of_contexts() {
    CUcontext primary;
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    cudaStream_t held, other;
    OK(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    volatile unsigned* flag = nullptr;
    int* value = nullptr;
    OK(cudaMallocHost(const_cast<unsigned**>(&flag), sizeof *flag));
    OK(cudaMallocHost(&value, sizeof *value));
    *flag = 0;
    *value = 0;
    cudaEvent_t all, of_held;
    OK(cudaEventCreate(&all));
    OK(cudaEventCreate(&of_held));

    OK(cuStreamWaitValue32(held, address(const_cast<unsigned*>(flag)), 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuCtxRecordEvent(primary, all));  // not before what is held up, ...
    CHECK(cuEventQuery(all) == CUDA_ERROR_NOT_READY);
    add<<<1, 1, 0, other>>>(value, 1);  // ... but nothing waits for it
    OK(cudaStreamSynchronize(other));
    CHECK(*value == 1);

    OK(cudaEventRecord(of_held, held));
    OK(cuCtxWaitEvent(primary, of_held));  // now everything does
    add<<<1, 1, 0, other>>>(value, 2);
    CHECK(cudaStreamQuery(other) == cudaErrorNotReady && *value == 1);
    *flag = 1;
    OK(cudaStreamSynchronize(other));
    OK(cuEventSynchronize(all));
    CHECK(*value == 3);
    OK(cuCtxWaitEvent(primary, of_held));
    OK(cuCtxRecordEvent(primary, all));
    OK(cuEventQuery(all));

    CHECK(cuCtxRecordEvent(nullptr, all) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxWaitEvent(reinterpret_cast<CUcontext>(&all), all) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxRecordEvent(primary, nullptr) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuCtxWaitEvent(primary, nullptr) == CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamBeginCapture(held, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(cuCtxRecordEvent(primary, all) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUgraph graph;
    CHECK(cuStreamEndCapture(held, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cudaEventDestroy(all));
    OK(cudaEventDestroy(of_held));
    OK(cudaFreeHost(value));
    OK(cudaFreeHost(const_cast<unsigned*>(flag)));
    OK(cudaStreamDestroy(held));
    OK(cudaStreamDestroy(other));
}
#endif

static void attributes_of_streams() {
    CUstream one, other;
    OK(cuStreamCreate(&one, 0));
    OK(cuStreamCreate(&other, 0));
    CUstreamAttrValue policy = {}, found = {};
    policy.syncPolicy = CU_SYNC_POLICY_YIELD;
    OK(cuStreamSetAttribute(one, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy));
    OK(cuStreamGetAttribute(one, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &found));
    CHECK(found.syncPolicy == CU_SYNC_POLICY_YIELD);
    OK(cuStreamGetAttribute(other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &found));
    CHECK(found.syncPolicy != CU_SYNC_POLICY_YIELD);
    OK(cuStreamCopyAttributes(other, one));
    OK(cuStreamGetAttribute(other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &found));
    CHECK(found.syncPolicy == CU_SYNC_POLICY_YIELD);
    CHECK(cuStreamSetAttribute(one, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, nullptr) == CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamDestroy(other));
    CHECK(cuStreamGetAttribute(other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &found) == CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamDestroy(one));
}

static void captures() {
    using First = CUresult(CUstream, CUstreamCaptureStatus*, cuuint64_t*);
    using Second = CUresult(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*, const CUgraphNode**, size_t*);
    using Third =
        CUresult(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*, const CUgraphNode**, const void**, size_t*);
    using Update = CUresult(CUstream, CUgraphNode*, size_t, unsigned);
    auto* const first = form<First>("cuStreamGetCaptureInfo", 10010);
    auto* const second = form<Second>("cuStreamGetCaptureInfo", 11030);
    auto* const third = form<Third>("cuStreamGetCaptureInfo", 12030);
    auto* const update = form<Update>("cuStreamUpdateCaptureDependencies", 11030);
    CHECK(reinterpret_cast<void*>(first) != reinterpret_cast<void*>(second));
    CHECK(reinterpret_cast<void*>(second) != reinterpret_cast<void*>(third));

    int* value = nullptr;
    OK(cudaMalloc(&value, sizeof *value));
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    cuuint64_t id = 0, same = 0;
    OK(first(stream, &status, &id));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    add<<<1, 1, 0, stream>>>(value, 1);
    OK(first(stream, &status, &id));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CUgraph graph = nullptr, captured = nullptr;
    const CUgraphNode* nodes = nullptr;
    size_t count = 0;
    OK(second(stream, &status, &same, &graph, &nodes, &count));
    CHECK(same == id && graph != nullptr && count == 1);
    CUgraphNode only = nullptr;
    size_t room = 1;
    OK(cuGraphGetNodes(graph, &only, &room));
    CHECK(only == nodes[0]);
    constexpr unsigned instead = 1;  // CU_STREAM_SET_CAPTURE_DEPENDENCIES
    OK(update(stream, nullptr, 0, instead));
    const void* edges = &edges;
    OK(third(stream, &status, nullptr, nullptr, &nodes, &edges, &count));
    CHECK(count == 0 && edges == nullptr);
    CHECK(third(stream, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
    OK(update(stream, &only, 1, instead));
    OK(cuStreamEndCapture(stream, &captured));
    CHECK(captured == graph);
    OK(cuGraphDestroy(captured));
    OK(cuStreamDestroy(stream));
    OK(cudaFree(value));
}

static void attributes_of_pointers() {
    char* memory = nullptr;
    OK(cudaMalloc(&memory, 64));
    unsigned on = 1, two = 2;
    int found = -1;
    const auto get = [&] {
        OK(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address(memory)));
        return found;
    };
    CHECK(get() == 0);
    OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address(memory + 8)));
    CHECK(get() == 1);
    CHECK(cuPointerSetAttribute(&two, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address(memory)) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuPointerSetAttribute(nullptr, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address(memory)) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(memory)) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address(&on)) == CUDA_ERROR_INVALID_VALUE);
    on = 0;
    OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address(memory)));
    CHECK(get() == 0);
    OK(cudaFree(memory));
}

static void attached() {
    CUcontext made = new_context(), current = nullptr;
    CHECK(cuCtxAttach(&current, 1) == CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxAttach(&current, 0));
    CHECK(current == made);
    OK(cuCtxDetach(made));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == made);
    OK(cuCtxDetach(made));  // the last use
    CHECK(cuCtxDetach(made) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxPushCurrent(made) == CUDA_ERROR_INVALID_CONTEXT);
}

int main() {
    OK(cudaFree(nullptr));
    ids();
    attached();
    of_named_contexts();
#if CUDA_VERSION >= 12050
    events_of_contexts();
#endif
    attributes_of_streams();
    captures();
    attributes_of_pointers();
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
