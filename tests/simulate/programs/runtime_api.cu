// Calls the functions of the runtime as programs do and checks what they promise. Knows nothing of gpuproj.
#include <cuda_profiler_api.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "../checks.hpp"

#define OK(call) CHECK((call) == cudaSuccess)

__constant__ float factors[4];
__device__ int counter[2] = {5, 6};
__managed__ int managed[3] = {1, 2, 3};

__global__ void scale(const float* in, float* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = in[i] * factors[i % 4];
}

__global__ void count(int by) {
    if (threadIdx.x == 0) {
        counter[0] += by;
        managed[2] += by;
    }
}

__global__ void shared_sum(const int* in, int* out) {
    extern __shared__ int values[];
    values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < blockDim.x; ++i) sum += values[i];
        *out = sum;
    }
}

__global__ void wait_for(const volatile int* flag, int* out) {
    while (*flag == 0) {
    }
    *out = 7;
}

static void devices() {
    int n = 0, device = -1, value = 0;
    OK(cudaGetDeviceCount(&n));
    CHECK(n == 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaSuccess);
    cudaDeviceProp properties;
    OK(cudaGetDeviceProperties(&properties, 0));
    CHECK(std::strlen(properties.name) > 0);
    CHECK(properties.warpSize == 32);
    CHECK(properties.maxThreadsPerBlock == 1024);
    CHECK(properties.maxGridSize[1] == 65535);
    CHECK(properties.totalConstMem == 65536);
    CHECK(properties.multiProcessorCount == 15);  // GTX 480
    CHECK(properties.l2CacheSize == 768 * 1024);
    CHECK(properties.major * 10 + properties.minor >= 75);  // what nvcc 13 compiles for at least
    CHECK(properties.sharedMemPerBlock == 48 * 1024);
    CHECK(properties.unifiedAddressing == 1);
    CHECK(properties.maxThreadsPerMultiProcessor >= 1024);
    CHECK(properties.regsPerMultiprocessor == 65536);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == properties.multiProcessorCount);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(value == properties.major);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(static_cast<std::size_t>(value) == properties.sharedMemPerBlockOptin);
    const auto attribute = [](cudaDeviceAttr name) {
        int found = -1;
        OK(cudaDeviceGetAttribute(&found, name, 0));
        return found;
    };
    CHECK(attribute(cudaDevAttrMaxTexture1DLayeredLayers) == properties.maxTexture1DLayered[1]);
    CHECK(attribute(cudaDevAttrMaxTexture2DLayeredHeight) == properties.maxTexture2DLayered[1]);
    CHECK(attribute(cudaDevAttrMaxTexture2DGatherWidth) == properties.maxTexture2DGather[0]);
    CHECK(attribute(cudaDevAttrMaxTexture2DLinearPitch) == properties.maxTexture2DLinear[2]);
    CHECK(attribute(cudaDevAttrMaxTexture3DDepthAlt) == properties.maxTexture3DAlt[2]);
    CHECK(attribute(cudaDevAttrMaxTextureCubemapWidth) == properties.maxTextureCubemap);
    CHECK(attribute(cudaDevAttrMaxSurface2DHeight) == properties.maxSurface2D[1]);
    CHECK(attribute(cudaDevAttrMaxSurface3DDepth) == properties.maxSurface3D[2]);
    CHECK(attribute(cudaDevAttrMaxSurfaceCubemapLayeredLayers) == properties.maxSurfaceCubemapLayered[1]);
    CHECK(attribute(cudaDevAttrMaxTexture2DMipmappedWidth) == properties.maxTexture2DMipmap[0]);
    CHECK(properties.maxTexture1DLayered[1] > 0 && properties.maxSurface2D[1] > 0);
#if CUDART_VERSION >= 12000
    CHECK(attribute(cudaDevAttrMemSyncDomainCount) >= 1);
#endif
    std::size_t texels = 0;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&texels, &format, 0));
    CHECK(texels == static_cast<std::size_t>(attribute(cudaDevAttrMaxTexture1DLinearWidth)) && texels > 0);
    CHECK(cudaDeviceGetTexture1DLinearMaxWidth(&texels, &format, 1) == cudaErrorInvalidDevice);
    (void)cudaGetLastError();
    int runtime = 0, driver = 0;
    OK(cudaRuntimeGetVersion(&runtime));
    OK(cudaDriverGetVersion(&driver));
    CHECK(runtime == CUDART_VERSION);
    CHECK(driver >= runtime);
    std::size_t free_bytes = 0, total = 0;
    OK(cudaMemGetInfo(&free_bytes, &total));
    CHECK(total == properties.totalGlobalMem);
    CHECK(free_bytes <= total);
}

static void memory() {
    void* pointer = nullptr;
    OK(cudaMalloc(&pointer, 1000));
    CHECK(reinterpret_cast<std::size_t>(pointer) % 256 == 0);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, static_cast<char*>(pointer) + 10));
    CHECK(attributes.type == cudaMemoryTypeDevice);
    std::vector<unsigned char> host(1000);
    OK(cudaMemset(pointer, 0xAB, 1000));
    OK(cudaMemcpy(host.data(), pointer, 1000, cudaMemcpyDeviceToHost));
    CHECK(host[999] == 0xAB);
    CHECK(cudaMemcpy(host.data(), pointer, 1001, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(pointer, host.data(), 1001, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    OK(cudaFree(pointer));
    CHECK(cudaFree(pointer) == cudaErrorInvalidValue);
    OK(cudaFree(nullptr));
    OK(cudaPointerGetAttributes(&attributes, host.data()));
    CHECK(attributes.type == cudaMemoryTypeUnregistered);
    CHECK(cudaMalloc(&pointer, std::size_t{1} << 60) == cudaErrorMemoryAllocation);
    (void)cudaGetLastError();

    std::size_t pitch = 0;
    OK(cudaMallocPitch(&pointer, &pitch, 100, 10));
    CHECK(pitch >= 100);
    std::vector<unsigned char> rows(100 * 10), back(100 * 10);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<unsigned char>(i);
    OK(cudaMemcpy2D(pointer, pitch, rows.data(), 100, 100, 10, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(back.data(), 100, pointer, pitch, 100, 10, cudaMemcpyDeviceToHost));
    CHECK(rows == back);
    OK(cudaMemset2D(pointer, pitch, 1, 50, 10));
    OK(cudaMemcpy2D(back.data(), 100, pointer, pitch, 100, 10, cudaMemcpyDefault));
    CHECK(back[949] == 1 && back[950] == rows[950]);
    OK(cudaFree(pointer));

    cudaPitchedPtr box;
    const cudaExtent extent = make_cudaExtent(64, 4, 3);
    OK(cudaMalloc3D(&box, extent));
    std::vector<unsigned char> volume(64 * 4 * 3), returned(64 * 4 * 3);
    for (std::size_t i = 0; i < volume.size(); ++i) volume[i] = static_cast<unsigned char>(i * 7);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(volume.data(), 64, 64, 4);
    copy.dstPtr = box;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(returned.data(), 64, 64, 4);
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    CHECK(volume == returned);
    OK(cudaFree(box.ptr));

    int* pinned = nullptr;
    OK(cudaMallocHost(&pinned, 4 * sizeof(int)));
    int* mapped = nullptr;
    OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
    OK(cudaPointerGetAttributes(&attributes, pinned));
    CHECK(attributes.type == cudaMemoryTypeHost);
    CHECK(attributes.devicePointer == mapped);
    // At one of the GPU's addresses, so that what kernels that read it count is the same in every run.
    int* on_device = nullptr;
    OK(cudaMalloc(&on_device, sizeof(int)));
    CHECK(std::max(pinned, on_device) - std::min(pinned, on_device) < std::ptrdiff_t{1} << 36);
    OK(cudaFree(on_device));
    OK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(pinned) == cudaErrorInvalidValue);
    OK(cudaHostRegister(host.data(), host.size(), cudaHostRegisterDefault));
    CHECK(cudaHostRegister(host.data(), host.size(), cudaHostRegisterDefault) == cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostUnregister(host.data()));
    (void)cudaGetLastError();
}

// By numbers: a function of the runtime, as the template for types is not.
static void arrays() {
    const cudaChannelFormatDesc wanted = cudaCreateChannelDesc(16, 8, 0, 0, cudaChannelFormatKindUnsigned);
    CHECK(wanted.x == 16 && wanted.y == 8 && wanted.z == 0 && wanted.w == 0);
    CHECK(wanted.f == cudaChannelFormatKindUnsigned);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array = nullptr;
    OK(cudaMallocArray(&array, &format, 16, 4));
    cudaChannelFormatDesc back = {};
    OK(cudaGetChannelDesc(&back, array));
    CHECK(back.x == 32 && back.y == 0 && back.f == cudaChannelFormatKindFloat);
    OK(cudaFreeArray(array));
}

static void pools() {
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = ~0ULL, used = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(threshold == ~0ULL);
    void* pointer = nullptr;
    OK(cudaMallocFromPoolAsync(&pointer, 1 << 20, pool, nullptr));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used >= 1 << 20);
    OK(cudaFreeAsync(pointer, nullptr));
    // What is free stays with the pool, as its threshold says, until it is trimmed.
    const auto amount = [&](cudaMemPoolAttr which) {
        unsigned long long bytes = 0;
        OK(cudaMemPoolGetAttribute(pool, which, &bytes));
        return bytes;
    };
    CHECK(amount(cudaMemPoolAttrUsedMemCurrent) == 0);
    CHECK(amount(cudaMemPoolAttrUsedMemHigh) >= 1 << 20);
    CHECK(amount(cudaMemPoolAttrReservedMemCurrent) >= 1 << 20);
    unsigned long long none = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none));
    CHECK(amount(cudaMemPoolAttrUsedMemHigh) == 0);
    OK(cudaMemPoolTrimTo(pool, 0));
    CHECK(amount(cudaMemPoolAttrReservedMemCurrent) == 0);
    CHECK(amount(cudaMemPoolAttrReservedMemHigh) >= 1 << 20);
    none = 1;  // only zero resets it
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none) == cudaErrorInvalidValue);
    CHECK(cudaMemPoolDestroy(pool) == cudaErrorInvalidValue);  // the device's own
    (void)cudaGetLastError();
}

// Each pool counts its own, and holds no more than it was made for.
static void own_pool() {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
#if CUDART_VERSION >= 12020
    properties.maxSize = 4 << 20;
#endif
    cudaMemPool_t pool;
    OK(cudaMemPoolCreate(&pool, &properties));
    void *first = nullptr, *elsewhere = nullptr;
    OK(cudaMallocAsync(&elsewhere, 1 << 20, nullptr));
    OK(cudaMallocFromPoolAsync(&first, 3 << 20, pool, nullptr));
    unsigned long long used = 0, reserved = 0;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    CHECK(used == 3 << 20 && reserved == 4 << 20);
#if CUDART_VERSION >= 12020
    void* second = nullptr;
    CHECK(cudaMallocFromPoolAsync(&second, 2 << 20, pool, nullptr) == cudaErrorMemoryAllocation);
    (void)cudaGetLastError();
#endif
    OK(cudaFree(first));
    OK(cudaFreeAsync(elsewhere, nullptr));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    CHECK(reserved == 0);  // its threshold is
    OK(cudaMemPoolDestroy(pool));
}

static void access_of_pools() {
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    cudaMemLocation here = {};
    here.type = cudaMemLocationTypeDevice;
    cudaMemAccessDesc wanted = {here, cudaMemAccessFlagsProtReadWrite};
    OK(cudaMemPoolSetAccess(pool, &wanted, 1));
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    OK(cudaMemPoolGetAccess(&flags, pool, &here));
    CHECK(flags == cudaMemAccessFlagsProtReadWrite);
    CHECK(cudaMemPoolGetAccess(nullptr, pool, &here) == cudaErrorInvalidValue);
    CHECK(cudaMemPoolGetAccess(&flags, reinterpret_cast<cudaMemPool_t>(&here), &here) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
}

// The legacy stream would wait for a blocking stream that is captured, and so cannot be used, in any mode.
static void legacy_stream_during_captures() {
    cudaStream_t stream, apart;
    cudaEvent_t event;
    cudaGraph_t graph = nullptr;
    char* memory = nullptr;
    char byte = 0;
    OK(cudaMalloc(&memory, 64));
    OK(cudaEventCreate(&event));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    const auto end = [&](cudaStream_t captured) {
        const cudaError_t code = cudaStreamEndCapture(captured, &graph);
        if (code == cudaSuccess) OK(cudaGraphDestroy(graph));
        (void)cudaGetLastError();
        return code;
    };
    const auto refuses = [&](auto&& call) {
        OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
        CHECK(call() == cudaErrorStreamCaptureImplicit);
        CHECK(end(stream) == cudaErrorStreamCaptureInvalidated);
        OK(cudaStreamBeginCapture(apart, cudaStreamCaptureModeRelaxed));
        OK(call());
        OK(end(apart));
    };
    refuses([&] { return cudaMemsetAsync(memory, 0, 64, nullptr); });
    refuses([&] { return cudaMemcpy(&byte, memory, 1, cudaMemcpyDeviceToHost); });
    refuses([&] {
        count<<<1, 1>>>(0);
        return cudaGetLastError();
    });
    refuses([&] { return cudaStreamSynchronize(cudaStreamLegacy); });
    refuses([&] { return cudaStreamQuery(nullptr); });
    refuses([&] { return cudaEventRecord(event, nullptr); });
    refuses([&] { return cudaStreamWaitEvent(nullptr, event, 0); });
    // Who only asks ends nothing; and other streams are not concerned.
    cudaStreamCaptureStatus status;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamIsCapturing(nullptr, &status) == cudaErrorStreamCaptureImplicit);
    OK(cudaMemsetAsync(memory, 0, 64, apart));
    OK(end(stream));
    OK(cudaStreamIsCapturing(nullptr, &status));
    CHECK(status == cudaStreamCaptureStatusNone);

    // A capture depends on nothing outside of it, and ends where it began.
    OK(cudaEventRecord(event, apart));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamWaitEvent(stream, event, 0) == cudaErrorStreamCaptureIsolation);
    CHECK(end(stream) == cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaStreamBeginCapture(apart, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event, apart));
    CHECK(cudaStreamWaitEvent(stream, event, 0) == cudaErrorStreamCaptureMerge);
    CHECK(end(stream) == cudaErrorStreamCaptureInvalidated);
    CHECK(end(apart) == cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    std::thread([&] { CHECK(end(stream) == cudaErrorStreamCaptureWrongThread); }).join();
    OK(end(stream));
    OK(cudaStreamDestroy(stream));
    OK(cudaStreamDestroy(apart));
    OK(cudaEventDestroy(event));
    OK(cudaFree(memory));
}

// Each thread has a default stream of its own, which only its own work is in.
static void default_streams_of_threads() {
    int *flag = nullptr, *out = nullptr;
    OK(cudaMallocHost(&flag, sizeof(int)));
    OK(cudaMalloc(&out, sizeof(int)));
    *flag = 0;
    wait_for<<<1, 1, 0, cudaStreamPerThread>>>(flag, out);
    CHECK(cudaStreamQuery(cudaStreamPerThread) == cudaErrorNotReady);
    std::thread([&] {
        const int one = 1;
        OK(cudaStreamQuery(cudaStreamPerThread));
        OK(cudaMemcpyAsync(flag, &one, sizeof one, cudaMemcpyDefault, cudaStreamPerThread));
        OK(cudaStreamSynchronize(cudaStreamPerThread));
    }).join();
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    int seen = 0;
    OK(cudaMemcpy(&seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    CHECK(seen == 7);
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status;
    OK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
    std::thread([&] {
        OK(cudaStreamIsCapturing(cudaStreamPerThread, &status));
        CHECK(status == cudaStreamCaptureStatusNone);
    }).join();
    OK(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaFreeHost(flag));
    OK(cudaFree(out));
}

// A captured launch has the attributes of its stream, unless it has its own.
static void attributes_of_captures() {
#if CUDART_VERSION >= 12000  // before, they have other names
    cudaStream_t stream;
    cudaGraph_t graph = nullptr;
    OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2));
    cudaStreamAttrValue value = {};
    OK(cudaStreamGetAttribute(stream, cudaLaunchAttributePriority, &value));
    CHECK(value.priority == -2);
    value.syncPolicy = cudaSyncPolicySpin;
    OK(cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    count<<<1, 1, 0, stream>>>(0);
    cudaLaunchAttribute own = {};
    own.id = cudaLaunchAttributePriority;
    own.val.priority = -4;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    config.stream = stream;
    config.attrs = &own;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, count, 0));
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t nodes[2];
    std::size_t n = 2;
    OK(cudaGraphGetNodes(graph, nodes, &n));
    CHECK(n == 2);
    const auto priority = [&](cudaGraphNode_t node) {
        cudaKernelNodeAttrValue of_node = {};
        OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &of_node));
        return of_node.priority;
    };
    CHECK(priority(nodes[0]) == -2);
    CHECK(priority(nodes[1]) == -4);
    cudaKernelNodeAttrValue of_node = {};
    OK(cudaGraphKernelNodeGetAttribute(nodes[0], cudaLaunchAttributeSynchronizationPolicy, &of_node));
    CHECK(of_node.syncPolicy == cudaSyncPolicySpin);
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
#endif
}

// Gives back what nobody has freed.
static void reset() {
    std::size_t free = 0, all = 0;
    char *memory = nullptr, *pinned = nullptr, *shared = nullptr;
    OK(cudaDeviceReset());
    OK(cudaMemGetInfo(&free, &all));
    for (int round = 0; round < 3; ++round) {
        OK(cudaMalloc(&memory, free / 4 * 3));
        OK(cudaMallocManaged(&shared, 4096));
        OK(cudaMallocHost(&pinned, 4096));
        OK(cudaDeviceReset());
        CHECK(cudaFree(memory) == cudaErrorInvalidValue);
        CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    }
    const float given = 3;
    OK(cudaMemcpyToSymbol(factors, &given, sizeof given));
    count<<<1, 1>>>(1);
    OK(cudaDeviceSynchronize());
    int found[2] = {};
    OK(cudaMemcpyFromSymbol(found, counter, sizeof found));
    CHECK(found[0] == 6 && found[1] == 6);  // as they were to begin with, and counted on
    OK(cudaDeviceReset());
    OK(cudaMemcpyFromSymbol(found, counter, sizeof found));
    CHECK(found[0] == 5 && found[1] == 6 && managed[2] == 3);
    float factor = -1;
    OK(cudaMemcpyFromSymbol(&factor, factors, sizeof factor));
    CHECK(factor == 0);
}

// What memory, events and waiting are asked for has to make sense.
static void impossible_flags() {
    void* memory = nullptr;
    cudaEvent_t event = nullptr, made = nullptr;
    std::vector<char> own(4096);
    CHECK(cudaHostAlloc(&memory, 64, 0x100) == cudaErrorInvalidValue);
    CHECK(cudaHostRegister(own.data(), own.size(), 0x100) == cudaErrorInvalidValue);
    CHECK(cudaMallocManaged(&memory, 64, cudaMemAttachGlobal | cudaMemAttachHost) == cudaErrorInvalidValue);
    CHECK(cudaMallocManaged(&memory, 64, cudaMemAttachSingle) == cudaErrorInvalidValue);
    CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess) == cudaErrorInvalidValue);
    OK(cudaEventCreateWithFlags(&made, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaEventRecordWithFlags(made, nullptr, 8) == cudaErrorInvalidValue);
    CHECK(cudaStreamWaitEvent(nullptr, made, 8) == cudaErrorInvalidValue);
    OK(cudaEventDestroy(made));
    OK(cudaHostRegister(own.data() + 1024, 1024, 0));
    for (const int begin : {0, 1024, 1536, 2047})
        CHECK(cudaHostRegister(own.data() + begin, 1536, 0) == cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostUnregister(own.data() + 1024));
    int word = 0;
    CHECK(cudaMemcpyToSymbol(counter, &word, 4, 0, cudaMemcpyDeviceToHost) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaMemcpyFromSymbol(&word, counter, 4, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidMemcpyDirection);
    (void)cudaGetLastError();
}

// What might wait for streams is refused while one is captured, and ends the capture, as far as its mode says.
static void calls_during_captures() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaEvent_t event;
    char *memory = nullptr, *pinned = nullptr;
    OK(cudaMalloc(&memory, 64));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaEventCreate(&event));
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    void* other = nullptr;
    const auto refuses = [&](cudaStreamCaptureMode mode, auto&& call) {
        OK(cudaStreamBeginCapture(stream, mode));
        const cudaError_t code = call();
        const cudaError_t end = cudaStreamEndCapture(stream, &graph);
        if (end == cudaSuccess) OK(cudaGraphDestroy(graph));
        CHECK((code == cudaErrorStreamCaptureUnsupported) == (end == cudaErrorStreamCaptureInvalidated));
        CHECK(code == cudaSuccess || code == cudaErrorStreamCaptureUnsupported);
        (void)cudaGetLastError();
        return code != cudaSuccess;
    };
    const auto allocate = [&] {
        const cudaError_t code = cudaMalloc(&other, 64);
        if (code == cudaSuccess) OK(cudaFree(other));
        return code;
    };
    CHECK(refuses(cudaStreamCaptureModeGlobal, allocate));
    CHECK(refuses(cudaStreamCaptureModeThreadLocal, allocate));
    CHECK(!refuses(cudaStreamCaptureModeRelaxed, allocate));
    CHECK(refuses(cudaStreamCaptureModeGlobal, [&] { return cudaFree(memory); }));
    CHECK(refuses(cudaStreamCaptureModeGlobal, [&] { return cudaHostAlloc(&other, 64, 0); }));
    CHECK(refuses(cudaStreamCaptureModeGlobal, [&] { return cudaFreeHost(pinned); }));
    CHECK(refuses(cudaStreamCaptureModeGlobal, [&] { return cudaEventQuery(event); }));
    CHECK(refuses(cudaStreamCaptureModeRelaxed, [] { return cudaDeviceSynchronize(); }));
    CHECK(!refuses(cudaStreamCaptureModeGlobal, [&] { return cudaFree(nullptr); }));
    // A thread can say that it knows what it does, and others are bound only by global captures.
    CHECK(!refuses(cudaStreamCaptureModeGlobal, [&] {
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        OK(cudaThreadExchangeStreamCaptureMode(&mode));
        const cudaError_t code = allocate();
        OK(cudaThreadExchangeStreamCaptureMode(&mode));
        return code;
    }));
    const auto on_other_thread = [&] {
        cudaError_t code = cudaSuccess;
        std::thread([&] { code = allocate(); }).join();
        return code;
    };
    CHECK(refuses(cudaStreamCaptureModeGlobal, on_other_thread));
    CHECK(!refuses(cudaStreamCaptureModeThreadLocal, on_other_thread));
    OK(cudaStreamDestroy(stream));
    OK(cudaEventDestroy(event));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(memory));
}

// Copies stay within the rows of an array.
static void rows_of_arrays() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array, other;
    OK(cudaMallocArray(&array, &format, 4, 4));
    OK(cudaMallocArray(&other, &format, 4, 4));
    float values[16], back[16] = {};
    for (int i = 0; i < 16; ++i) values[i] = i + 1.0f;
    const auto to_array = [&](std::size_t x, std::size_t y, std::size_t width, std::size_t height) {
        return cudaMemcpy2DToArray(array, x, y, values, 16, width, height, cudaMemcpyHostToDevice);
    };
    OK(to_array(0, 0, 16, 4));
    OK(to_array(8, 3, 8, 1));
    CHECK(to_array(8, 0, 16, 1) == cudaErrorInvalidValue);
    CHECK(to_array(16, 0, 4, 1) == cudaErrorInvalidValue);
    CHECK(to_array(0, 3, 16, 2) == cudaErrorInvalidValue);
    CHECK(to_array(0, 4, 16, 1) == cudaErrorInvalidValue);
    OK(to_array(16, 0, 0, 1));
    CHECK(cudaMemcpy2DFromArray(back, 16, array, 4, 0, 16, 1, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy2DArrayToArray(other, 4, 0, array, 0, 0, 16, 1) == cudaErrorInvalidValue);
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(values, 16, 4, 4);
    box.dstArray = array;
    box.dstPos = make_cudaPos(1, 0, 0);
    box.extent = make_cudaExtent(4, 1, 1);
    box.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&box) == cudaErrorInvalidValue);
    cudaGraph_t graph;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &box) == cudaErrorInvalidValue);
    OK(cudaGraphDestroy(graph));
    box.extent.width = 3;
    OK(cudaMemcpy3D(&box));
    // Linear copies go on in the next row, from within one on, too.
    OK(cudaMemcpyToArray(array, 0, 0, values, 64, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToArray(array, 8, 1, values, 28, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToArray(array, 8, 3, values, 12, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    OK(cudaMemcpyFromArray(back, array, 4, 0, 60, cudaMemcpyDeviceToHost));
    const float expected[15] = {2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 7, 14, 15, 16};
    for (int i = 0; i < 15; ++i) CHECK(back[i] == expected[i]);
    (void)cudaGetLastError();
    OK(cudaFreeArray(array));
    OK(cudaFreeArray(other));
}

// What no texture can be made of.
static void impossible_textures() {
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat};
    const cudaChannelFormatDesc unequal = {8, 16, 0, 0, cudaChannelFormatKindUnsigned};
    CHECK(cudaMallocArray(&array, &three, 4, 4) == cudaErrorInvalidChannelDescriptor);
    CHECK(cudaMallocArray(&array, &unequal, 4, 4) == cudaErrorInvalidChannelDescriptor);
    const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>(), ints = cudaCreateChannelDesc<int>();
    cudaTextureObject_t texture = 0;
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    const auto make = [&] {
        const cudaError_t code = cudaCreateTextureObject(&texture, &resource, &description, nullptr);
        if (code == cudaSuccess) OK(cudaDestroyTextureObject(texture));
        return code;
    };
    OK(cudaMallocArray(&array, &bytes, 4, 4));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    description.filterMode = cudaFilterModeLinear;
    CHECK(make() == cudaErrorInvalidFilterSetting);
    description.readMode = cudaReadModeNormalizedFloat;
    OK(make());
    OK(cudaFreeArray(array));
    OK(cudaMallocArray(&array, &ints, 4, 4));
    resource.res.array.array = array;
    CHECK(make() == cudaErrorInvalidNormSetting);
    OK(cudaFreeArray(array));
    char* memory = nullptr;
    OK(cudaMalloc(&memory, 4096));
    description = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = bytes;
    resource.res.pitch2D.width = resource.res.pitch2D.height = 16;
    resource.res.pitch2D.pitchInBytes = 32;
    OK(make());
    resource.res.pitch2D.pitchInBytes = 17;
    CHECK(make() == cudaErrorInvalidValue);
    resource.res.pitch2D.pitchInBytes = 32;
    resource.res.pitch2D.devPtr = memory + 32;
    CHECK(make() == cudaErrorInvalidValue);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {memory, three, 4096};
    CHECK(make() == cudaErrorInvalidChannelDescriptor);
    resource.res.linear.desc = bytes;
    OK(make());
    (void)cudaGetLastError();
    OK(cudaFree(memory));
}

#if CUDART_VERSION >= 13000
static const cudaMemLocation here{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
static cudaError_t prefetch(const void* begin, std::size_t bytes, cudaMemLocation place) {
    return cudaMemPrefetchAsync(begin, bytes, place, 0, nullptr);
}
#else
constexpr int here = 0, host = cudaCpuDeviceId;
static cudaError_t prefetch(const void* begin, std::size_t bytes, int place) {
    return cudaMemPrefetchAsync(begin, bytes, place, nullptr);
}
#endif

// What was said of pages is told of ranges where it holds for all of them.
static void advice() {
    constexpr std::size_t page = 4096;
    char *range = nullptr, *device = nullptr;
    OK(cudaMallocManaged(&range, 16 * page));
    OK(cudaMalloc(&device, page));
    const auto told = [&](cudaMemRangeAttribute attribute, std::size_t begin, std::size_t pages) {
        int value = 7;
        OK(cudaMemRangeGetAttribute(&value, sizeof value, attribute, range + begin * page, pages * page));
        return value;
    };
    OK(cudaMemAdvise(range, 16 * page, cudaMemAdviseSetReadMostly, here));
    CHECK(told(cudaMemRangeAttributeReadMostly, 0, 16) == 1);
    OK(cudaMemAdvise(range + 4 * page, 4 * page, cudaMemAdviseUnsetReadMostly, here));
    CHECK(told(cudaMemRangeAttributeReadMostly, 0, 16) == 0);
    CHECK(told(cudaMemRangeAttributeReadMostly, 0, 4) == 1 && told(cudaMemRangeAttributeReadMostly, 8, 8) == 1);
    OK(cudaMemAdvise(range, 8 * page, cudaMemAdviseSetPreferredLocation, here));
    OK(cudaMemAdvise(range + 8 * page, 8 * page, cudaMemAdviseSetPreferredLocation, host));
    CHECK(told(cudaMemRangeAttributePreferredLocation, 0, 8) == 0);
    CHECK(told(cudaMemRangeAttributePreferredLocation, 8, 8) == cudaCpuDeviceId);
    CHECK(told(cudaMemRangeAttributePreferredLocation, 7, 2) == cudaInvalidDeviceId);
    OK(cudaMemAdvise(range, 8 * page, cudaMemAdviseUnsetPreferredLocation, here));
    CHECK(told(cudaMemRangeAttributePreferredLocation, 0, 8) == cudaInvalidDeviceId);
    OK(prefetch(range + page, 1, host));
    CHECK(told(cudaMemRangeAttributeLastPrefetchLocation, 1, 1) == cudaCpuDeviceId);
    CHECK(told(cudaMemRangeAttributeLastPrefetchLocation, 0, 2) == cudaInvalidDeviceId);
    OK(cudaMemAdvise(range, page, cudaMemAdviseSetAccessedBy, host));
    OK(cudaMemAdvise(range, page, cudaMemAdviseSetAccessedBy, here));
    int users[3];
    OK(cudaMemRangeGetAttribute(users, sizeof users, cudaMemRangeAttributeAccessedBy, range, page));
    CHECK(users[0] == 0 && users[1] == cudaCpuDeviceId && users[2] == cudaInvalidDeviceId);
    OK(cudaMemAdvise(range, page, cudaMemAdviseUnsetAccessedBy, here));
    OK(cudaMemRangeGetAttribute(users, sizeof users, cudaMemRangeAttributeAccessedBy, range, page));
    CHECK(users[0] == cudaCpuDeviceId && users[1] == cudaInvalidDeviceId);
    CHECK(cudaMemAdvise(range, 17 * page, cudaMemAdviseSetReadMostly, here) == cudaErrorInvalidValue);
    CHECK(cudaMemAdvise(device, page, cudaMemAdviseSetReadMostly, here) == cudaErrorInvalidValue);
    CHECK(prefetch(device, page, here) == cudaErrorInvalidValue);
    CHECK(cudaMemRangeGetAttribute(users, 4, cudaMemRangeAttributeReadMostly, device, page) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
    OK(cudaFree(device));
    OK(cudaFree(range));
}

static void ranges_and_peers() {
    int *range = nullptr, value = 7;
    OK(cudaMallocManaged(&range, 4096));
    OK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, range, 4096));
    CHECK(value == 0);
    OK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributePreferredLocation, range, 4096));
    CHECK(value == cudaInvalidDeviceId);
    int accessed_by[3] = {1, 1, 1};
    OK(cudaMemRangeGetAttribute(accessed_by, sizeof accessed_by, cudaMemRangeAttributeAccessedBy, range, 4096));
    CHECK(accessed_by[0] == cudaInvalidDeviceId && accessed_by[2] == cudaInvalidDeviceId);
    CHECK(cudaMemRangeGetAttribute(&value, 3, cudaMemRangeAttributeReadMostly, range, 4096) == cudaErrorInvalidValue);
    void* places[] = {&value, accessed_by};
    std::size_t sizes[] = {sizeof value, sizeof accessed_by};
    cudaMemRangeAttribute both[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributeAccessedBy};
    accessed_by[1] = 1;
    OK(cudaMemRangeGetAttributes(places, sizes, both, 2, range, 4096));
    CHECK(value == 0 && accessed_by[1] == cudaInvalidDeviceId);
    CHECK(cudaMemRangeGetAttributes(places, sizes, both, 0, range, 4096) == cudaErrorInvalidValue);
    OK(cudaFree(range));
    advice();
    CHECK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0) == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceGetP2PAttribute(nullptr, cudaDevP2PAttrAccessSupported, 0, 0) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
}

static void attributes_of_streams() {
    cudaStream_t stream, other;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreate(&other));
    cudaStreamAttrValue value = {}, back = {};
    value.accessPolicyWindow.num_bytes = 4096;
    value.accessPolicyWindow.hitRatio = 0.5f;
    OK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
    OK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &back));
    CHECK(back.accessPolicyWindow.num_bytes == 4096 && back.accessPolicyWindow.hitRatio == 0.5f);
    OK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &back));
    CHECK(back.accessPolicyWindow.num_bytes == 0);
    OK(cudaStreamCopyAttributes(other, stream));
    OK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &back));
    CHECK(back.accessPolicyWindow.num_bytes == 4096);
    CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, nullptr) == cudaErrorInvalidValue);
    OK(cudaStreamDestroy(stream));
    CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &back) ==
          cudaErrorInvalidResourceHandle);
    // One made later has none of it, also where it has the address of one that is gone.
    for (int i = 0; i < 8; ++i) {
        OK(cudaStreamCreate(&stream));
        OK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &back));
        CHECK(back.accessPolicyWindow.num_bytes == 0);
        OK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
        OK(cudaStreamDestroy(stream));
    }
    OK(cudaStreamDestroy(other));
    (void)cudaGetLastError();
}

static void symbols() {
    const float values[4] = {1, 2, 3, 4};
    OK(cudaMemcpyToSymbol(factors, values, sizeof values));
    float back[2] = {};
    OK(cudaMemcpyFromSymbol(back, factors, sizeof back, 2 * sizeof(float)));
    CHECK(back[0] == 3 && back[1] == 4);
    std::size_t bytes = 0;
    OK(cudaGetSymbolSize(&bytes, counter));
    CHECK(bytes == sizeof(int) * 2);
    CHECK(cudaMemcpyToSymbol(factors, values, sizeof values, 4) == cudaErrorInvalidValue);
    void* address = nullptr;
    OK(cudaGetSymbolAddress(&address, counter));
    int initial[2] = {};
    OK(cudaMemcpy(initial, address, sizeof initial, cudaMemcpyDeviceToHost));
    CHECK(initial[0] == 5 && initial[1] == 6);
    CHECK(managed[0] == 1 && managed[2] == 3);
    count<<<1, 32>>>(10);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(initial, counter, sizeof initial));
    CHECK(initial[0] == 15);
    CHECK(managed[2] == 13);
    (void)cudaGetLastError();
}

static void launches() {
    constexpr int n = 1000;
    std::vector<float> host(n, 2.0f);
    float *in = nullptr, *out = nullptr;
    OK(cudaMallocManaged(&in, n * sizeof(float)));
    OK(cudaMallocAsync(reinterpret_cast<void**>(&out), n * sizeof(float), nullptr));
    std::memcpy(in, host.data(), n * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(in, out, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(host[0] == 2 && host[3] == 8 && host[999] == 8);
    OK(cudaFreeAsync(out, nullptr));
    OK(cudaFree(in));

    std::vector<int> ints(128, 3);
    int *values = nullptr, sum = 0;
    OK(cudaMalloc(&values, 129 * sizeof(int)));
    OK(cudaMemcpy(values, ints.data(), 128 * sizeof(int), cudaMemcpyHostToDevice));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(128);
    config.dynamicSmemBytes = 128 * sizeof(int);
    OK(cudaLaunchKernelEx(&config, shared_sum, static_cast<const int*>(values), values + 128));
    OK(cudaMemcpy(&sum, values + 128, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(sum == 384);
    OK(cudaFree(values));

    int resident = 0, none = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, count, 256, 0));
    cudaDeviceProp device;
    OK(cudaGetDeviceProperties(&device, 0));
    void* arguments[] = {&none};
    const auto* const waiting = reinterpret_cast<const void*>(count);
    const auto most = static_cast<unsigned>(resident * device.multiProcessorCount);
    OK(cudaLaunchCooperativeKernel(waiting, dim3(most), dim3(256), arguments, 0, nullptr));
    CHECK(cudaLaunchCooperativeKernel(waiting, dim3(most + 1), dim3(256), arguments, 0, nullptr) ==
          cudaErrorCooperativeLaunchTooLarge);
    count<<<most + 1, 256>>>(0);
    CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);  // of the launch before

    scale<<<1, 2000>>>(nullptr, nullptr, 0);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    scale<<<0, 1>>>(nullptr, nullptr, 0);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, scale));
    CHECK(attributes.maxThreadsPerBlock == 1024);
    CHECK(attributes.numRegs > 0);
    CHECK(attributes.ptxVersion >= 75);
    OK(cudaFuncSetAttribute(shared_sum, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 * 1024));
    CHECK(cudaFuncSetAttribute(shared_sum, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) ==
          cudaErrorInvalidValue);
    int blocks = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
    CHECK(blocks >= 1 && blocks <= 8);  // GTX 480
    int best_grid = 0, best_block = 0;
    OK(cudaOccupancyMaxPotentialBlockSize(&best_grid, &best_block, scale, 0, 0));
    CHECK(best_block >= 32 && best_block <= 1024 && best_grid >= 15);
#if CUDART_VERSION >= 12040
    std::size_t offset = 1, bytes = 0;
    OK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(scale), 0, &offset, &bytes));
    CHECK(offset == 0 && bytes == 8);
    OK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(scale), 2, &offset, &bytes));
    CHECK(offset == 16 && bytes == 4);
    CHECK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(scale), 3, &offset, &bytes) == cudaErrorInvalidValue);
#endif
    (void)cudaGetLastError();
}

static void streams_and_events() {
    cudaStream_t stream;
    cudaEvent_t begin, end, untimed;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end) == cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(begin, stream));
    count<<<1, 32, 0, stream>>>(0);
    OK(cudaEventRecord(end, stream));
    OK(cudaEventRecord(untimed, stream));
    OK(cudaStreamWaitEvent(nullptr, end, 0));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(milliseconds > 0 && milliseconds < 1e5f);
    CHECK(cudaEventElapsedTime(&milliseconds, begin, untimed) == cudaErrorInvalidResourceHandle);
    static int order = 0;
    OK(cudaLaunchHostFunc(
        stream, [](void* data) { order += *static_cast<int*>(data); }, &failures));
    const cudaStreamCallback_t callback = [](cudaStream_t, cudaError_t status, void*) {
        order += status == cudaSuccess ? 100 : 0;
    };
    OK(cudaStreamAddCallback(stream, callback, nullptr, 0));
    static cudaError_t inside = cudaSuccess;  // host functions must not use CUDA
    OK(cudaLaunchHostFunc(
        stream,
        [](void*) {
            void* memory = nullptr;
            inside = cudaMalloc(&memory, 4);
        },
        nullptr));
    OK(cudaStreamSynchronize(stream));
    CHECK(order >= 100);
    CHECK(inside == cudaErrorNotPermitted);
    (void)cudaGetLastError();
    OK(cudaStreamQuery(stream));
    unsigned flags = 0;
    OK(cudaStreamGetFlags(stream, &flags));
    CHECK(flags == cudaStreamNonBlocking);
    OK(cudaStreamDestroy(stream));
    CHECK(cudaStreamSynchronize(stream) != cudaSuccess);
    OK(cudaEventDestroy(begin));
    OK(cudaEventDestroy(end));
    OK(cudaEventDestroy(untimed));
    OK(cudaProfilerStart());
    OK(cudaProfilerStop());
    (void)cudaGetLastError();
}

static void threads() {
    std::atomic<int> good{0};
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t)
        all.emplace_back([&good] {
            for (int round = 0; round < 20; ++round) {
                int *device = nullptr, back[64] = {};
                if (cudaMalloc(&device, sizeof back) != cudaSuccess) return;
                if (cudaMemset(device, 0, sizeof back) != cudaSuccess) return;
                count<<<1, 32>>>(0);
                if (cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost) != cudaSuccess) return;
                if (cudaFree(device) != cudaSuccess) return;
            }
            if (cudaSetDevice(7) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice) ++good;
        });
    for (auto& thread : all) thread.join();
    CHECK(good == 4);
    CHECK(cudaGetLastError() == cudaSuccess);  // errors are the thread's own
    CHECK(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
    CHECK(std::strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
}

int main() {
    devices();
    memory();
    arrays();
    impossible_flags();
    calls_during_captures();
    legacy_stream_during_captures();
    attributes_of_captures();
    default_streams_of_threads();
    rows_of_arrays();
    impossible_textures();
    pools();
    own_pool();
    access_of_pools();
    ranges_and_peers();
    attributes_of_streams();
    symbols();
    launches();
    streams_and_events();
    threads();
    reset();
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
