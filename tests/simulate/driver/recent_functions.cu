// Functions that came with CUDA 12 and 13, as the headers of the C++ standard library for CUDA use them: libraries and
// their kernels by the runtime, memory pools by place, what a stream and a pointer belong to, several copies at once.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "driver.hpp"

__managed__ int managed[4];
__device__ int plain[4];

__global__ void add(int* values, int what) {
    values[threadIdx.x] += what + managed[threadIdx.x];
}

static CUdeviceptr address(const void* pointer) {
    return reinterpret_cast<CUdeviceptr>(pointer);
}

static void streams() {
    CUcontext primary, second, found = nullptr;
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    cudaStream_t stream, of_second;
    OK(cudaStreamCreate(&stream));
    second = new_context();
    OK(cuStreamCreate(&of_second, CU_STREAM_NON_BLOCKING));
    OK(cuStreamGetCtx(stream, &found));
    CHECK(found == primary);
    OK(cuStreamGetCtx(of_second, &found));
    CHECK(found == second);
    OK(cuStreamGetCtx(nullptr, &found));
    CHECK(found == second);
    unsigned long long one = 0, same = 1, other = 0;
    OK(cuStreamGetId(stream, &one));
    OK(cudaStreamGetId(stream, &same));
    OK(cuStreamGetId(of_second, &other));
    CHECK(one == same && one != other);
    OK(cuStreamDestroy(of_second));
    CHECK(cuStreamGetCtx(of_second, &found) == CUDA_ERROR_INVALID_HANDLE);
    OK(cuCtxDestroy(second));
#if CUDA_VERSION >= 13000
    CUdevice device = 7;
    OK(cuStreamGetDevice(stream, &device));
    CHECK(device == 0);
    CUgreenCtx green = reinterpret_cast<CUgreenCtx>(1);
    found = nullptr;
    OK(cuStreamGetCtx_v2(stream, &found, &green));
    CHECK(found == primary && green == nullptr);
#endif
    // By its bare name, it is the form of the version that is asked for.
    void *before = nullptr, *after = nullptr;
    OK(cuGetProcAddress("cuStreamGetCtx", &before, 12000, 0, nullptr));
    OK(cuGetProcAddress("cuStreamGetCtx", &after, 12050, 0, nullptr));
    CHECK(before == reinterpret_cast<void*>(&cuStreamGetCtx) && after != before);
    OK(cudaStreamDestroy(stream));
}

static void pointers() {
    struct Answer {
        unsigned type = 77, managed = 77, mapped = 77;
        CUmemoryPool pool = reinterpret_cast<CUmemoryPool>(77);
        int device = 77;
        void* host = reinterpret_cast<void*>(77);
    };
    const auto ask = [](const void* pointer) {
        Answer a;
        CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                       CU_POINTER_ATTRIBUTE_MAPPED,         CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                                       CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_HOST_POINTER};
        void* where[] = {&a.type, &a.managed, &a.mapped, &a.pool, &a.device, &a.host};
        OK(cuPointerGetAttributes(6, which, where, address(pointer)));
        return a;
    };
    const auto is = [&](const Answer& a, unsigned type, bool of_managed, CUmemoryPool pool, const void* host) {
        return a.type == type && a.managed == of_managed && a.mapped == (type != 0) && a.pool == pool &&
               a.device == 0 && a.host == host;
    };
    int here = 0;
    CHECK(is(ask(&here), 0, false, nullptr, nullptr));
    void *device, *pooled, *pinned, *shared, *variable;
    OK(cudaMalloc(&device, 64));
    OK(cudaMallocAsync(&pooled, 64, nullptr));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaMallocManaged(&shared, 64));
    OK(cudaGetSymbolAddress(&variable, plain));
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(is(ask(device), CU_MEMORYTYPE_DEVICE, false, nullptr, nullptr));
    CHECK(is(ask(pooled), CU_MEMORYTYPE_DEVICE, false, pool, nullptr));
    CHECK(is(ask(pinned), CU_MEMORYTYPE_HOST, false, nullptr, pinned));
    CHECK(is(ask(shared), CU_MEMORYTYPE_DEVICE, true, nullptr, shared));
    CHECK(is(ask(variable), CU_MEMORYTYPE_DEVICE, false, nullptr, nullptr));
    CHECK(is(ask(&managed[1]), CU_MEMORYTYPE_DEVICE, true, nullptr, &managed[1]));
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, managed));
    CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == managed);
    CHECK(cudaFree(managed) == cudaErrorInvalidValue);
    OK(cudaFree(device));
    OK(cudaFreeAsync(pooled, nullptr));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(shared));
    cudaGetLastError();
}

static void libraries(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    cudaLibrary_t library, from_file;
    OK(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cudaLibraryLoadFromFile(&from_file, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
    cudaKernel_t scale, none;
    OK(cudaLibraryGetKernel(&scale, library, "scale"));
    CHECK(cudaLibraryGetKernel(&none, library, "scales") == cudaErrorSymbolNotFound);
    void* factor = nullptr;
    std::size_t bytes = 0;
    OK(cudaLibraryGetGlobal(&factor, &bytes, library, "factor"));
    CHECK(bytes == sizeof(float));
    const float three = 3;
    OK(cudaMemcpy(factor, &three, sizeof three, cudaMemcpyHostToDevice));
    float *in, *out;
    OK(cudaMallocManaged(&in, 32 * sizeof(float)));
    OK(cudaMallocManaged(&out, 32 * sizeof(float)));
    for (int i = 0; i < 32; ++i) in[i] = static_cast<float>(i);
    int n = 32;
    void* arguments[] = {&in, &out, &n};
    OK(cudaLaunchKernel(reinterpret_cast<const void*>(scale), dim3(1), dim3(32), arguments, 0, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(out[31] == 93);
    OK(cudaFree(in));
    OK(cudaFree(out));

    unsigned count = 0;
    OK(cudaLibraryGetKernelCount(&count, library));
    CHECK(count >= 4);
    std::vector<cudaKernel_t> kernels(count);
    OK(cudaLibraryEnumerateKernels(kernels.data(), count, library));
    CHECK(std::set(kernels.begin(), kernels.end()).size() == count);
    CHECK(std::set(kernels.begin(), kernels.end()).count(scale) == 1);

    const auto kernel = reinterpret_cast<CUkernel>(scale);
    CUlibrary owner = nullptr;
    int value = 0;
    OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    CHECK(value == 1024);
    OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, kernel, 0));
    OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, kernel, 0));
    CHECK(value == 50);
#if CUDA_VERSION >= 12050
    OK(cuKernelGetLibrary(&owner, kernel));
    CHECK(owner == reinterpret_cast<CUlibrary>(library));
#endif
    OK(cudaLibraryGetManaged(&factor, &bytes, from_file, "shared_with_host"));
    CHECK(bytes == 2 * sizeof(int) && static_cast<int*>(factor)[1] == 5);
    CHECK(cudaLibraryGetManaged(&factor, &bytes, from_file, "factor") == cudaErrorSymbolNotFound);
    CHECK(cudaLibraryGetUnifiedFunction(&factor, library, "scale") == cudaErrorSymbolNotFound);
    OK(cudaLibraryUnload(library));
    OK(cudaLibraryUnload(from_file));
    CHECK(cudaLibraryGetKernel(&scale, library, "scale") == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

static void graphs() {
    int* values = nullptr;
    OK(cudaMallocManaged(&values, 4 * sizeof(int)));
    for (int i = 0; i < 4; ++i) values[i] = managed[i] = i;
    cudaKernel_t kernel;
    OK(cudaGetKernel(&kernel, add));
    int what = 10;
    void* arguments[] = {&values, &what};
    CUDA_KERNEL_NODE_PARAMS parameters = {};
    parameters.kern = reinterpret_cast<CUkernel>(kernel);
    parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = 4;
    parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = arguments;
    CUgraph graph;
    CUgraphNode first, second;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddKernelNode(&first, graph, nullptr, 0, &parameters));
    OK(cuGraphAddKernelNode(&second, graph, &first, 1, &parameters));
    CUkernelNodeAttrValue attribute = {};
    attribute.cooperative = 1;
    OK(cuGraphKernelNodeSetAttribute(second, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &attribute));
    CUgraphExec executable;
    OK(cuGraphInstantiate(&executable, graph, 0));
    OK(cuGraphLaunch(executable, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(values[0] == 20 && values[3] == 29);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cudaFree(values));
}

#if CUDA_VERSION >= 13000
static void pools() {
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0},
                    nowhere = {cudaMemLocationTypeNone, 0};
    cudaMemPool_t of_device, of_host, of_managed, found;
    OK(cudaMemGetDefaultMemPool(&of_device, &device, cudaMemAllocationTypePinned));
    OK(cudaDeviceGetDefaultMemPool(&found, 0));
    CHECK(found == of_device);
    OK(cudaMemGetDefaultMemPool(&of_host, &host, cudaMemAllocationTypePinned));
    OK(cudaMemGetDefaultMemPool(&of_managed, &nowhere, cudaMemAllocationTypeManaged));
    CHECK(cudaMemGetDefaultMemPool(&found, &nowhere, cudaMemAllocationTypePinned) == cudaErrorInvalidValue);
    CUmemLocation place = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemoryPool same = nullptr;
    OK(cuMemGetDefaultMemPool(&same, &place, CU_MEM_ALLOCATION_TYPE_PINNED));
    CHECK(same == of_device && of_host != of_device && of_managed != of_host);

    const auto type_of = [&](cudaMemPool_t pool) {
        void* memory = nullptr;
        cudaPointerAttributes attributes = {};
        OK(cudaMallocFromPoolAsync(&memory, 64, pool, nullptr));
        OK(cudaPointerGetAttributes(&attributes, memory));
        CHECK(pool == of_device || std::memset(memory, 1, 64) == memory);  // the host reaches it
        OK(cudaFreeAsync(memory, nullptr));
        return attributes.type;
    };
    CHECK(type_of(of_device) == cudaMemoryTypeDevice);
    CHECK(type_of(of_host) == cudaMemoryTypeHost);
    CHECK(type_of(of_managed) == cudaMemoryTypeManaged);
    cudaMemAccessFlags access;
    OK(cudaMemPoolGetAccess(&access, of_device, &host));
    CHECK(access == cudaMemAccessFlagsProtNone);
    OK(cudaMemPoolGetAccess(&access, of_host, &host));
    CHECK(access == cudaMemAccessFlagsProtReadWrite);

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = device;
    cudaMemPool_t mine;
    OK(cudaMemPoolCreate(&mine, &properties));
    CHECK(cudaMemSetMemPool(&host, cudaMemAllocationTypePinned, mine) == cudaErrorInvalidValue);
    OK(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, mine));
    OK(cudaMemGetMemPool(&found, &device, cudaMemAllocationTypePinned));
    CHECK(found == mine);
    OK(cuDeviceGetMemPool(&same, 0));
    CHECK(same == mine);
    OK(cudaMemPoolDestroy(mine));
    OK(cudaDeviceGetMemPool(&found, 0));
    CHECK(found == of_device);
    CHECK(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&found), 64, mine, nullptr) == cudaErrorInvalidValue);
    cudaGetLastError();
}

static void several_copies() {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    std::vector<int> host = {1, 2, 3, 4, 5}, back(5);
    int* device = nullptr;
    OK(cudaMalloc(&device, 5 * sizeof(int)));
    void* to[] = {device, device + 2};
    const void* from[] = {&host[3], &host[0]};
    std::size_t bytes[] = {2 * sizeof(int), 3 * sizeof(int)}, first[] = {0};
    cudaMemcpyAttributes how = {};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    OK(cudaMemcpyBatchAsync(to, from, bytes, 2, &how, first, 1, stream));
    CUdeviceptr back_to[] = {address(&back[1]), address(&back[0])};
    CUdeviceptr back_from[] = {address(device), address(device + 4)};
    std::size_t back_bytes[] = {4 * sizeof(int), sizeof(int)};
    CUmemcpyAttributes same = {};
    same.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
    OK(cuMemcpyBatchAsync(back_to, back_from, back_bytes, 2, &same, first, 1, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK((back == std::vector<int>{3, 4, 5, 1, 2}));
    CHECK(cudaMemcpyBatchAsync(to, from, bytes, 2, &how, first, 1, nullptr) == cudaErrorInvalidValue);
    how.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    CHECK(cudaMemcpyBatchAsync(to, from, bytes, 2, &how, first, 1, stream) == cudaErrorInvalidValue);
    OK(cudaFree(device));
    OK(cudaStreamDestroy(stream));
}
#endif

// What cuda.h says of each parameter; the program tensor_copies uses the maps.
struct TensorParameters {
    int type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, interleave = CU_TENSOR_MAP_INTERLEAVE_NONE,
        swizzle = CU_TENSOR_MAP_SWIZZLE_NONE, fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    unsigned rank = 3;
    std::size_t address = 0x10000;
    cuuint64_t sizes[5] = {64, 32, 16, 8, 4}, strides[4] = {256, 8192, 131072, 1048576};
    cuuint32_t box[5] = {32, 16, 8, 4, 2}, steps[5] = {1, 1, 1, 1, 1};
    int lower[3] = {-1, 0, 0}, upper[3] = {-1, 0, 0};
    unsigned channels = 32, pixels = 64;

    CUresult tiled(CUtensorMap* map) const {
        return cuTensorMapEncodeTiled(
            map, static_cast<CUtensorMapDataType>(type), rank, reinterpret_cast<void*>(address), sizes, strides, box,
            steps, static_cast<CUtensorMapInterleave>(interleave), static_cast<CUtensorMapSwizzle>(swizzle),
            CU_TENSOR_MAP_L2_PROMOTION_L2_128B, static_cast<CUtensorMapFloatOOBfill>(fill));
    }
    CUresult pixelwise(CUtensorMap* map) const {
        return cuTensorMapEncodeIm2col(map, static_cast<CUtensorMapDataType>(type), rank,
                                       reinterpret_cast<void*>(address), sizes, strides, lower, upper, channels, pixels,
                                       steps, static_cast<CUtensorMapInterleave>(interleave),
                                       static_cast<CUtensorMapSwizzle>(swizzle), CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                       static_cast<CUtensorMapFloatOOBfill>(fill));
    }
};
template <class Change>
static bool takes(Change&& change) {
    CUtensorMap map;
    TensorParameters parameters;
    change(parameters);
    return parameters.tiled(&map) == CUDA_SUCCESS;
}
template <class Change>
static bool takes_pixels(Change&& change) {
    CUtensorMap map;
    TensorParameters parameters;
    change(parameters);
    return parameters.pixelwise(&map) == CUDA_SUCCESS;
}

static void tensor_maps() {
    using P = TensorParameters;
    CHECK(takes([](P&) {}));
    alignas(64) unsigned char place[256] = {};
    CHECK(P().tiled(reinterpret_cast<CUtensorMap*>(place)) == CUDA_SUCCESS);
    CHECK(P().tiled(reinterpret_cast<CUtensorMap*>(place + 32)) == CUDA_ERROR_INVALID_VALUE);
    CHECK(P().tiled(nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(!takes([](P& p) { p.rank = 0; }) && !takes([](P& p) { p.rank = 6; }) && takes([](P& p) { p.rank = 5; }));
    CHECK(takes([](P& p) { p.rank = 1; }) && !takes([](P& p) { p.rank = 2, p.interleave = 1; }));
    CHECK(!takes([](P& p) { p.address += 8; }) && !takes([](P& p) { p.type = 16; }));
    CHECK(!takes([](P& p) { p.sizes[1] = 0; }) && takes([](P& p) { p.sizes[1] = cuuint64_t{1} << 32; }));
    CHECK(!takes([](P& p) { p.sizes[1] = (cuuint64_t{1} << 32) + 1; }));
    CHECK(!takes([](P& p) { p.strides[0] = 264; }) && !takes([](P& p) { p.strides[1] = cuuint64_t{1} << 40; }));
    CHECK(!takes([](P& p) { p.box[1] = 0; }) && takes([](P& p) { p.box[1] = 256; }));
    CHECK(!takes([](P& p) { p.box[1] = 257; }) && !takes([](P& p) { p.box[0] = 31; }));
    CHECK(!takes([](P& p) { p.steps[1] = 0; }) && takes([](P& p) { p.steps[1] = 8; }));
    CHECK(!takes([](P& p) { p.steps[1] = 9; }));
    CHECK(takes([](P& p) { p.swizzle = CU_TENSOR_MAP_SWIZZLE_128B; }));
    CHECK(!takes([](P& p) { p.swizzle = CU_TENSOR_MAP_SWIZZLE_128B, p.box[0] = 36; }));
    CHECK(!takes([](P& p) { p.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; }));
    CHECK(takes([](P& p) { p.swizzle = CU_TENSOR_MAP_SWIZZLE_64B, p.box[0] = 16; }));
    CHECK(!takes([](P& p) { p.swizzle = CU_TENSOR_MAP_SWIZZLE_32B, p.box[0] = 12; }));
    CHECK(takes([](P& p) { p.interleave = CU_TENSOR_MAP_INTERLEAVE_32B, p.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; }));
    CHECK(!takes([](P& p) { p.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; }));
    CHECK(takes([](P& p) { p.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; }));
    CHECK(!takes([](P& p) {
        p.type = CU_TENSOR_MAP_DATA_TYPE_INT32, p.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    }));
    CHECK(takes_pixels([](P&) {}) && !takes_pixels([](P& p) { p.rank = 2; }));
    CHECK(!takes_pixels([](P& p) { p.channels = 257; }) && !takes_pixels([](P& p) { p.pixels = 1025; }));
    CHECK(takes_pixels([](P& p) { p.lower[0] = -32768; }) && !takes_pixels([](P& p) { p.lower[0] = -32769; }));
    CHECK(!takes_pixels([](P& p) { p.rank = 4, p.upper[1] = 128; }));
    CHECK(!takes_pixels([](P& p) { p.lower[0] = 31; }));  // none are left
    CUtensorMap map;
    CHECK(P().tiled(&map) == CUDA_SUCCESS);
    OK(cuTensorMapReplaceAddress(&map, reinterpret_cast<void*>(0x20000)));
    CHECK(cuTensorMapReplaceAddress(&map, reinterpret_cast<void*>(0x20008)) == CUDA_ERROR_INVALID_VALUE);
    P moved;
    moved.address = 0x20000;
    CUtensorMap other;
    CHECK(moved.tiled(&other) == CUDA_SUCCESS && std::memcmp(&map, &other, sizeof map) == 0);
    void* function = nullptr;
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress("cuTensorMapEncodeTiled", &function, 12000, 0, &status));
    CHECK(function == reinterpret_cast<void*>(&cuTensorMapEncodeTiled));
}

int main(int, char** argv) {
    OK(cudaFree(nullptr));
    streams();
    pointers();
    libraries(argv[1]);
    graphs();
    tensor_maps();
#if CUDA_VERSION >= 13000
    pools();
    several_copies();
#endif
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
