// Uses the driver API as programs do, by NVIDIA's own header, and checks what its functions promise. Knows nothing of
// gpuproj. Arguments: kernels.cu compiled to PTX, to a fat binary, and to machine code without PTX.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "driver.hpp"

static void devices_and_contexts() {
    int count = 0;
    CHECK(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    CHECK(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    CHECK(count == 1);
    CUdevice device = -1;
    OK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE);
    char name[100] = "", cut[4] = "";
    OK(cuDeviceGetName(name, sizeof name, 0));
    CHECK(std::strcmp(name, "GeForce GTX 480") == 0);
    OK(cuDeviceGetName(cut, sizeof cut, 0));
    CHECK(std::strcmp(cut, "GeF") == 0);
    std::size_t bytes = 0;
    OK(cuDeviceTotalMem(&bytes, 0));
    CHECK(bytes > std::size_t{1} << 30);
    int value = 0;
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    CHECK(value == 15);
    CHECK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1) == CUDA_ERROR_INVALID_DEVICE);

    CUcontext none = reinterpret_cast<CUcontext>(1), first, second, current, popped;
    OK(cuCtxGetCurrent(&none));
    CHECK(none == nullptr);
    CHECK(cuCtxGetDevice(&device) == CUDA_ERROR_INVALID_CONTEXT);
    CUdeviceptr memory = 0;
    CUmodule module = nullptr;
    CUstream stream = nullptr;
    CUevent event = nullptr;
    CHECK(cuMemAlloc(&memory, 4) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuModuleLoadData(&module, "") == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuStreamCreate(&stream, 0) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuEventCreate(&event, 0) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxPopCurrent(&popped) == CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRetain(&first, 0));
    OK(cuCtxSetCurrent(first));
    second = new_context(CU_CTX_SCHED_SPIN);
    OK(cuCtxGetCurrent(&current));
    CHECK(current == second && second != first);
    unsigned flags = 0;
    OK(cuCtxGetFlags(&flags));
    CHECK(flags == CU_CTX_SCHED_SPIN);
#if CUDA_VERSION >= 12010
    OK(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
    OK(cuCtxGetFlags(&flags));
    CHECK(flags == CU_CTX_SCHED_YIELD);
    CHECK(cuCtxSetFlags(0x10000) == CUDA_ERROR_INVALID_VALUE);
#endif
    OK(cuCtxPopCurrent(&popped));
    CHECK(popped == second);
    OK(cuCtxPushCurrent(second));
    std::thread([&] {
        CUcontext theirs = second;
        OK(cuCtxGetCurrent(&theirs));  // it is the thread's own
        CHECK(theirs == nullptr);
    }).join();
    OK(cuCtxDestroy(second));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == first);
    CHECK(cuCtxSetCurrent(second) == CUDA_ERROR_INVALID_CONTEXT);
    const char* text = nullptr;
    OK(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(std::strcmp(text, "CUDA_ERROR_INVALID_CONTEXT") == 0);
    OK(cuGetErrorString(CUDA_SUCCESS, &text));
    CHECK(std::strcmp(text, "no error") == 0);
    OK(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(std::strcmp(text, "invalid device context") == 0);
    OK(cuGetErrorName(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, &text));
    CHECK(std::strcmp(text, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION") == 0);
    CHECK(cuGetErrorName(static_cast<CUresult>(12345), &text) == CUDA_ERROR_INVALID_VALUE && text == nullptr);
}

static void run(CUmodule module, float factor) {
    CUfunction scale, reverse, mix;
    OK(cuModuleGetFunction(&scale, module, "scale"));
    OK(cuModuleGetFunction(&reverse, module, "reverse"));
    OK(cuModuleGetFunction(&mix, module, "mix"));
    CHECK(cuModuleGetFunction(&mix, module, "scales") == CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetFunction(&mix, module, "mix"));

    CUdeviceptr variable = 0;
    std::size_t bytes = 0;
    OK(cuModuleGetGlobal(&variable, &bytes, module, "factor"));
    CHECK(bytes == sizeof(float));
    OK(cuMemcpyHtoD(variable, &factor, sizeof factor));
    CHECK(cuModuleGetGlobal(&variable, nullptr, module, "no_such") == CUDA_ERROR_NOT_FOUND);

    int n = 1000;
    std::vector<float> host(1000, 3.0f);
    CUdeviceptr in = 0, out = 0;
    OK(cuMemAlloc(&in, 4000));
    OK(cuMemAlloc(&out, 4000));
    OK(cuMemcpyHtoD(in, host.data(), 4000));
    CUstream stream;
    CUevent begin, end;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    void* arguments[] = {&in, &out, &n};
    OK(cuEventRecord(begin, stream));
    OK(cuLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
    OK(cuEventRecord(end, stream));
    OK(cuStreamSynchronize(stream));
    float milliseconds = -1;
    OK(cuEventElapsedTime(&milliseconds, begin, end));
    CHECK(milliseconds > 0);
    OK(cuMemcpyDtoHAsync(host.data(), out, 4000, stream));
    CHECK(host[0] == 3 * factor && host[999] == 3 * factor);
    OK(cuEventDestroy(begin));
    OK(cuEventDestroy(end));
    OK(cuStreamDestroy(stream));

    int calls = 0;
    OK(cuModuleGetGlobal(&variable, nullptr, module, "calls"));
    OK(cuMemcpyDtoH(&calls, variable, sizeof calls));
    CHECK(calls == 1);

    std::vector<int> values(64);
    for (int i = 0; i < 64; ++i) values[i] = i;
    OK(cuMemcpyHtoD(in, values.data(), 256));
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 64;
    config.sharedMemBytes = 256;
    void* one[] = {&in};
    OK(cuLaunchKernelEx(&config, reverse, one, nullptr));
    OK(cuMemcpyDtoH(values.data(), in, 256));
    CHECK(values[0] == 63 && values[63] == 0);

    struct {
        char a;
        double b;
        short c;
        CUdeviceptr out;
    } packed = {1, 2.5, 4, out};
    std::size_t packed_bytes = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_bytes,
                     CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(mix, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    OK(cuMemcpyDtoH(host.data(), out, 4));
    CHECK(host[0] == 11);
    for (const std::size_t wrong : {sizeof packed - 4, sizeof packed + 8}) {
        packed_bytes = wrong;
        CHECK(cuLaunchKernel(mix, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra) == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    }
    std::size_t offset = 0;
    OK(cuFuncGetParamInfo(mix, 2, &offset, &bytes));
    CHECK(offset == 16 && bytes == 2);
    CHECK(cuFuncGetParamInfo(mix, 4, &offset, &bytes) == CUDA_ERROR_INVALID_VALUE);

    CHECK(cuLaunchKernel(scale, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 2000, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_ERROR_INVALID_HANDLE);
    int attribute = 0, blocks = 0, fewest = 0;
    OK(cuFuncGetAttribute(&attribute, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    CHECK(attribute == 1024);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
    CHECK(blocks >= 1 && blocks <= 8);
    OK(cuOccupancyMaxPotentialBlockSize(&fewest, &attribute, scale, nullptr, 0, 0));
    CHECK(attribute >= 32 && attribute <= 1024 && fewest >= 15);
    OK(cuMemFree(in));
    OK(cuMemFree(out));
    CHECK(cuMemFree(out) == CUDA_ERROR_INVALID_VALUE);
}

// As before CUDA 4.0: all that is set stays with the function.
static void run_by_steps(CUmodule module) {
    CUfunction reverse, mix;
    OK(cuModuleGetFunction(&reverse, module, "reverse"));
    OK(cuModuleGetFunction(&mix, module, "mix"));
    CUdeviceptr memory = 0;
    OK(cuMemAlloc(&memory, 256));
    int values[64];
    for (int i = 0; i < 64; ++i) values[i] = i;
    OK(cuMemcpyHtoD(memory, values, sizeof values));
    CHECK(cuLaunch(reverse) == CUDA_ERROR_INVALID_VALUE);  // no shape yet
    CHECK(cuFuncSetBlockShape(reverse, 0, 1, 1) == CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetBlockShape(reverse, 64, 1, 1));
    OK(cuFuncSetSharedSize(reverse, sizeof values));
    OK(cuParamSetv(reverse, 0, &memory, sizeof memory));
    OK(cuParamSetSize(reverse, sizeof memory));
    CHECK(cuLaunchGrid(reverse, 0, 1) == CUDA_ERROR_INVALID_VALUE);
    OK(cuLaunch(reverse));
    OK(cuMemcpyDtoH(values, memory, sizeof values));
    CHECK(values[0] == 63 && values[63] == 0);
    OK(cuLaunchGridAsync(reverse, 1, 1, nullptr));
    OK(cuMemcpyDtoH(values, memory, sizeof values));
    CHECK(values[0] == 0 && values[63] == 63);

    const double b = 2.5;
    OK(cuFuncSetBlockShape(mix, 1, 1, 1));
    OK(cuParamSeti(mix, 0, 7));
    OK(cuParamSetv(mix, 8, const_cast<double*>(&b), sizeof b));
    OK(cuParamSeti(mix, 16, 4));
    OK(cuParamSetv(mix, 24, &memory, sizeof memory));
    OK(cuParamSetSize(mix, 32));
    OK(cuLaunchGrid(mix, 1, 1));
    float mixed = 0;
    OK(cuMemcpyDtoH(&mixed, memory, sizeof mixed));
    CHECK(mixed == 17);
    CHECK(cuParamSeti(mix, -1, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSetSize(mix, ~0U) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSetf(reinterpret_cast<CUfunction>(&mixed), 0, 1) == CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemFree(memory));
}

// A captured launch computes when its graph is launched, as often as that is.
static void capture(CUmodule module) {
    CUfunction scale;
    OK(cuModuleGetFunction(&scale, module, "scale"));
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUmemoryPool pool;
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    CUdeviceptr in = 0, out = 0;
    OK(cuMemAllocFromPoolAsync(&in, 256, pool, stream));
    OK(cuMemAllocAsync(&out, 256, stream));
    cuuint64_t used = 0;
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used >= 512);
    const float one = 1, factor = 4;
    unsigned bits = 0;
    std::memcpy(&bits, &one, sizeof bits);
    OK(cuMemsetD32Async(in, bits, 64, stream));
    OK(cuMemsetD2D16Async(out, 32, 0x1234, 16, 8, stream));
    unsigned short half = 0;
    OK(cuMemcpyDtoH(&half, out + 254, 2));
    CHECK(half == 0x1234);
    CUdeviceptr variable = 0;
    OK(cuModuleGetGlobal(&variable, nullptr, module, "factor"));
    OK(cuMemcpyHtoD(variable, &factor, sizeof factor));

    CUgraph graph;
    CUgraphExec executable;
    int n = 64;
    void* there[] = {&in, &out, &n};
    void* back[] = {&out, &in, &n};
    CUstreamCaptureStatus status;
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, stream, there, nullptr));
    OK(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, stream, back, nullptr));
    OK(cuStreamIsCapturing(stream, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuStreamEndCapture(stream, &graph));
    std::size_t nodes = 0;
    OK(cuGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 2);
    OK(cuGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 2; ++i) OK(cuGraphLaunch(executable, stream));
    OK(cuStreamSynchronize(stream));
    float first = 0;
    OK(cuMemcpyDtoH(&first, in, sizeof first));
    CHECK(first == 256);  // 4 to the power of four launches
    OK(cuGraphExecDestroy(executable));
    // Made by what CUDA 11 and CUDA 12 mean by the bare name: the latter's has flags.
    void *before = nullptr, *since = nullptr;
    CUdriverProcAddressQueryResult found;
    OK(cuGetProcAddress("cuGraphInstantiate", &before, 11080, 0, &found));
    OK(cuGetProcAddress("cuGraphInstantiate", &since, 12000, 0, &found));
    using Older = CUresult(CUgraphExec*, CUgraph, CUgraphNode*, char*, std::size_t);
    CUgraphNode node = nullptr;
    char log[] = "log";
    OK(reinterpret_cast<Older*>(before)(&executable, graph, &node, log, sizeof log));
    CHECK(node == nullptr && log[0] == '\0');
    OK(cuGraphExecDestroy(executable));
    OK(reinterpret_cast<PFN_cuGraphInstantiateWithFlags_v11040>(since)(&executable, graph, 0));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuMemFreeAsync(in, stream));
    OK(cuMemFreeAsync(out, stream));
    OK(cuStreamDestroy(stream));
}

static std::string content(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// What is written over the values of the options, and where they point.
static void messages(const std::string& ptx) {
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    char info[64], error[32];
    void* values[5];
    const auto begin = [&] {
        std::memset(info, 'x', sizeof info);
        std::memset(error, 'x', sizeof error);
        void* const given[] = {info, reinterpret_cast<void*>(sizeof info), nullptr, error,
                               reinterpret_cast<void*>(sizeof error)};
        std::copy(std::begin(given), std::end(given), values);
    };
    const auto written = [&](int value) { return reinterpret_cast<std::size_t>(values[value]); };
    CUmodule module = nullptr;
    begin();
    OK(cuModuleLoadDataEx(&module, ptx.c_str(), 5, options, values));
    CHECK(info[0] == '\0' && error[0] == '\0' && written(1) == 0 && written(4) == 0);
    float milliseconds = 0;
    std::memcpy(&milliseconds, &values[2], sizeof milliseconds);
    CHECK(milliseconds > 0);
    OK(cuModuleUnload(module));
    begin();
    CHECK(cuModuleLoadDataEx(&module, "no PTX, whatever else it may be", 5, options, values) == CUDA_ERROR_INVALID_PTX);
    CHECK(written(1) == 0 && written(4) == sizeof error - 1 && std::strlen(error) == sizeof error - 1);

    CUlinkState state;
    void* image = nullptr;
    begin();
    OK(cuLinkCreate(5, options, values, &state));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()), ptx.size() + 1, "kernels", 0, nullptr,
                     nullptr));
    OK(cuLinkComplete(state, &image, nullptr));
    OK(cuLinkDestroy(state));
    CHECK(info[0] == '\0' && error[0] == '\0' && written(1) == 0);
}

static void modules(const char* ptx, const char* fatbin) {
    CUmodule module;
    CHECK(cuModuleLoad(&module, "/no/such/file") == CUDA_ERROR_FILE_NOT_FOUND);
    OK(cuModuleLoad(&module, ptx));
    run(module, 2);
    capture(module);
    run_by_steps(module);
    OK(cuModuleUnload(module));
    CUfunction function;
    CHECK(cuModuleGetFunction(&function, module, "scale") == CUDA_ERROR_INVALID_HANDLE);
    OK(cuModuleLoad(&module, fatbin));
    run(module, 3);
    OK(cuModuleUnload(module));
    const std::string text = content(ptx), binary = content(fatbin);
    OK(cuModuleLoadData(&module, binary.data()));
    run(module, 4);
    OK(cuModuleUnload(module));
    messages(text);

    CUlinkState state;
    void* image = nullptr;
    std::size_t bytes = 0;
    OK(cuLinkCreate(0, nullptr, nullptr, &state));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text.c_str()), text.size() + 1, "kernels", 0, nullptr,
                     nullptr));
    // The library that kernels launch kernels with is machine code, and not missed.
    char place[] = "/tmp/gpuproj-driver-api-XXXXXX";
    CHECK(mkdtemp(place) != nullptr);
    const std::string library_file = std::string(place) + "/libcudadevrt.a";
    std::ofstream(library_file) << "!<arch>\n";
    OK(cuLinkAddFile(state, CU_JIT_INPUT_LIBRARY, library_file.c_str(), 0, nullptr, nullptr));
    std::remove(library_file.c_str());
    rmdir(place);
    OK(cuLinkComplete(state, &image, &bytes));
    OK(cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr));
    OK(cuLinkDestroy(state));
    run(module, 5);
    OK(cuModuleUnload(module));

    CUlibrary library;
    CUkernel kernel;
    OK(cuLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuLibraryGetKernel(&kernel, library, "scale"));
    OK(cuKernelGetFunction(&function, kernel));
    OK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
    CHECK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 1) == CUDA_ERROR_INVALID_DEVICE);
    OK(cuLibraryUnload(library));
}

static void memory() {
    CUdeviceptr pointer = 0;
    CHECK(cuMemAlloc(&pointer, 0) == CUDA_ERROR_INVALID_VALUE);
    char rows[4][16] = {};
    CUDA_MEMCPY2D wide = {};
    wide.srcMemoryType = wide.dstMemoryType = CU_MEMORYTYPE_HOST;
    wide.srcHost = rows[0];
    wide.dstHost = rows[2];
    wide.srcPitch = wide.dstPitch = 16;
    wide.WidthInBytes = 17;
    wide.Height = 2;
    CHECK(cuMemcpy2D(&wide) == CUDA_ERROR_INVALID_VALUE);  // the runtime has a number of its own for that
    OK(cuMemAlloc(&pointer, 1024));
    std::vector<unsigned short> shorts(512);
    OK(cuMemsetD16(pointer, 0x1234, 512));
    OK(cuMemcpyDtoH(shorts.data(), pointer, 1024));
    CHECK(shorts[0] == 0x1234 && shorts[511] == 0x1234);
    CHECK(cuMemsetD32(pointer + 1, 0, 1) == CUDA_ERROR_INVALID_VALUE);  // misaligned
    CHECK(cuMemsetD8(pointer, 0, 1025) == CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr begin = 0;
    std::size_t bytes = 0;
    OK(cuMemGetAddressRange(&begin, &bytes, pointer + 100));
    CHECK(begin == pointer && bytes == 1024);
    unsigned type = 0;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer));
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&type)) ==
          CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(pointer));

    // Rows 2 and 3, columns 1 to 3, of a 4 x 5 image, to a pitched one and back.
    unsigned char image[4][5], back[2][3] = {};
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 5; ++x) image[y][x] = static_cast<unsigned char>(10 * y + x);
    std::size_t pitch = 0;
    OK(cuMemAllocPitch(&pointer, &pitch, 3, 2, 4));
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = image;
    copy.srcPitch = 5;
    copy.srcXInBytes = 1;
    copy.srcY = 2;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = pointer;
    copy.dstPitch = pitch;
    copy.WidthInBytes = 3;
    copy.Height = 2;
    OK(cuMemcpy2D(&copy));
    CUDA_MEMCPY2D home = {};
    home.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    home.srcDevice = pointer;
    home.srcPitch = pitch;
    home.dstMemoryType = CU_MEMORYTYPE_HOST;
    home.dstHost = back;
    home.dstPitch = 3;
    home.WidthInBytes = 3;
    home.Height = 2;
    OK(cuMemcpy2D(&home));
    CHECK(back[0][0] == 21 && back[1][2] == 33);
    copy.srcHost = nullptr;
    CHECK(cuMemcpy2D(&copy) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(pointer));

    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    OK(cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CUmemGenericAllocationHandle handle;
    CHECK(cuMemCreate(&handle, bytes + 1, &properties, 0) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemCreate(&handle, bytes, &properties, 0));
    OK(cuMemAddressReserve(&pointer, bytes, 0, 0, 0));
    OK(cuMemMap(pointer, bytes, 0, handle, 0));
    CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuMemSetAccess(pointer, bytes, &access, 1));
    OK(cuMemsetD8(pointer, 7, bytes));
    unsigned char last = 0;
    OK(cuMemcpyDtoH(&last, pointer + bytes - 1, 1));
    CHECK(last == 7);
    OK(cuMemUnmap(pointer, bytes));
    OK(cuMemRelease(handle));
    CHECK(cuMemRelease(handle) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressFree(pointer, bytes));
}

static void textures(const char* ptx) {
    CUmodule module;
    CUfunction sample;
    OK(cuModuleLoad(&module, ptx));
    OK(cuModuleGetFunction(&sample, module, "sample"));
    CUDA_ARRAY_DESCRIPTOR shape = {8, 0, CU_AD_FORMAT_FLOAT, 1};
    CUarray array;
    OK(cuArrayCreate(&array, &shape));
    float values[8] = {1, 2, 4, 8, 16, 32, 64, 128}, back[10] = {};
    OK(cuMemcpyHtoA(array, 0, values, sizeof values));
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC how = {};
    how.addressMode[0] = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject texture;
    OK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
    CUdeviceptr out = 0;
    OK(cuMemAlloc(&out, sizeof back));
    void* arguments[] = {&texture, &out};
    OK(cuLaunchKernel(sample, 1, 1, 1, 10, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    CHECK(back[0] == 1 && back[7] == 128 && back[9] == 128);
    OK(cuTexObjectDestroy(texture));
    OK(cuArrayDestroy(array));
    OK(cuMemFree(out));
}

static void found_by_name() {
    void* function = nullptr;
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress("cuMemAlloc", &function, 12000, 0, &status));
    CHECK(status == CU_GET_PROC_ADDRESS_SUCCESS);
    CUdeviceptr pointer = 0;
    OK(reinterpret_cast<PFN_cuMemAlloc_v3020>(function)(&pointer, 64));
    OK(cuMemFree(pointer));
    CHECK(cuGetProcAddress("cuNoSuchFunction", &function, 12000, 0, &status) == CUDA_ERROR_NOT_FOUND);
    CHECK(status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(library != nullptr && dlsym(library, "cuLaunchKernel") == reinterpret_cast<void*>(&cuLaunchKernel));
    // Forms of before CUDA 6.5 that are called like today's: found by their bare names.
    for (const auto& [bare, recent] : {std::pair{"cuStreamDestroy", "cuStreamDestroy_v2"},
                                       {"cuEventDestroy", "cuEventDestroy_v2"},
                                       {"cuMemHostRegister", "cuMemHostRegister_v2"},
                                       {"cuLinkCreate", "cuLinkCreate_v2"},
                                       {"cuLinkAddData", "cuLinkAddData_v2"},
                                       {"cuLinkAddFile", "cuLinkAddFile_v2"}})
        CHECK(dlsym(library, recent) != nullptr && dlsym(library, bare) == dlsym(library, recent));
    // What is not simulated is there all the same: a library that is linked with it could not be loaded else.
    for (const char* name : {"cuGLRegisterBufferObject", "cuGLCtxCreate_v2", "cuGraphicsEGLRegisterImage",
                             "cuVDPAUGetDevice", "cudaGLSetGLDevice"})
        CHECK(dlsym(RTLD_DEFAULT, name) != nullptr);
}

static void beside_the_runtime() {
    CHECK(cudaSetDevice(5) == cudaErrorInvalidDevice);
    CHECK(cuMemAlloc(nullptr, 8) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);  // the runtime's own last error
    void* pointer = nullptr;
    CHECK(cudaMalloc(&pointer, 64) == cudaSuccess);
    OK(cuMemsetD8(reinterpret_cast<CUdeviceptr>(pointer), 1, 64));
    CHECK(cudaFree(pointer) == cudaSuccess);
    std::thread([] {
        CHECK(cudaFree(nullptr) == cudaSuccess);
        CUcontext current = nullptr, primary = nullptr;
        OK(cuCtxGetCurrent(&current));
        OK(cuDevicePrimaryCtxRetain(&primary, 0));
        CHECK(current == primary);
        OK(cuDevicePrimaryCtxRelease(0));
    }).join();
}

int main(int argc, char** argv) {
    if (argc == 2) {  // machine code without PTX
        CUmodule module;
        use_primary_context();
        OK(cuModuleLoad(&module, argv[1]));
    } else {
        devices_and_contexts();
        modules(argv[1], argv[2]);
        memory();
        textures(argv[1]);
        found_by_name();
        beside_the_runtime();
    }
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
