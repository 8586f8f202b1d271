// What the driver API tells of arrays, textures, managed memory and occupancy, copies between arrays, and what has no
// effect here but must be there. Takes kernels.ptx.
#include <cuda.h>

#include <cstdio>
#include <cstring>

#include "driver.hpp"

static CUarray array_of(std::size_t width, std::size_t height, std::size_t depth, CUarray_format format,
                        unsigned channels, unsigned flags = 0) {
    CUDA_ARRAY3D_DESCRIPTOR wanted = {};
    wanted.Width = width;
    wanted.Height = height;
    wanted.Depth = depth;
    wanted.Format = format;
    wanted.NumChannels = channels;
    wanted.Flags = flags;
    CUarray made = nullptr;
    OK(cuArray3DCreate(&made, &wanted));
    return made;
}

static void descriptors() {
    CUarray bytes = array_of(8, 4, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4),
            halves = array_of(5, 3, 2, CU_AD_FORMAT_HALF, 2, CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_ARRAY_DESCRIPTOR flat = {};
    OK(cuArrayGetDescriptor(&flat, bytes));
    CHECK(flat.Width == 8 && flat.Height == 4 && flat.Format == CU_AD_FORMAT_UNSIGNED_INT8 && flat.NumChannels == 4);
    CUDA_ARRAY3D_DESCRIPTOR deep = {};
    OK(cuArray3DGetDescriptor(&deep, halves));
    CHECK(deep.Width == 5 && deep.Height == 3 && deep.Depth == 2 && deep.Format == CU_AD_FORMAT_HALF);
    CHECK(deep.NumChannels == 2 && deep.Flags == CUDA_ARRAY3D_SURFACE_LDST);
    CHECK(cuArrayGetDescriptor(&flat, nullptr) == CUDA_ERROR_INVALID_HANDLE);
    OK(cuArrayDestroy(bytes));
    OK(cuArrayDestroy(halves));
}

static void properties() {
    CUdevprop all = {};
    OK(cuDeviceGetProperties(&all, 0));
    const auto attribute = [](CUdevice_attribute name) {
        int value = 0;
        OK(cuDeviceGetAttribute(&value, name, 0));
        return value;
    };
    CHECK(all.maxThreadsPerBlock == attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    CHECK(all.maxThreadsDim[2] == attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z));
    CHECK(all.maxGridSize[0] == attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X));
    CHECK(all.maxGridSize[1] == attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y));
    CHECK(all.sharedMemPerBlock == attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
    CHECK(all.totalConstantMemory == attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY));
    CHECK(all.SIMDWidth == 32);
    CHECK(all.memPitch == attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH));
    CHECK(all.regsPerBlock == attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK));
    CHECK(all.clockRate == attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
    CHECK(all.textureAlign == attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
    CHECK(cuDeviceGetProperties(&all, 1) == CUDA_ERROR_INVALID_DEVICE);
}

// Offsets and sizes count bytes.
static void array_copies() {
    CUarray first = array_of(8, 0, 0, CU_AD_FORMAT_FLOAT, 1), second = array_of(8, 0, 0, CU_AD_FORMAT_FLOAT, 1);
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    float in[8], out[8] = {};
    for (int i = 0; i < 8; ++i) in[i] = static_cast<float>(i);
    OK(cuMemcpyHtoAAsync(first, 0, in, sizeof in, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyAtoA(second, 0, first, 0, sizeof in));
    OK(cuMemcpyAtoA(second, 2 * sizeof(float), first, 4 * sizeof(float), 3 * sizeof(float)));
    CHECK(cuMemcpyAtoA(second, sizeof(float), first, 0, sizeof in) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyAtoA(second, 0, first, 64, 0) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyAtoHAsync(out, second, 0, sizeof out, stream));
    OK(cuStreamSynchronize(stream));
    const float expected[8] = {0, 1, 4, 5, 6, 5, 6, 7};
    CHECK(std::memcmp(out, expected, sizeof out) == 0);
    OK(cuStreamDestroy(stream));

    // A copy between contexts, here the same.
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    CUDA_MEMCPY3D_PEER peer = {};
    peer.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    peer.srcArray = second;
    peer.srcXInBytes = 2 * sizeof(float);
    peer.srcContext = peer.dstContext = context;
    peer.dstMemoryType = CU_MEMORYTYPE_HOST;
    peer.dstHost = out;
    peer.WidthInBytes = 2 * sizeof(float);
    peer.Height = peer.Depth = 1;
    OK(cuMemcpy3DPeer(&peer));
    CHECK(out[0] == 4 && out[1] == 5 && out[2] == 4);
    OK(cuArrayDestroy(first));
    OK(cuArrayDestroy(second));
}

static void textures() {
    CUdeviceptr memory;
    std::size_t pitch = 0;
    OK(cuMemAllocPitch(&memory, &pitch, 64, 4, 4));
    CUDA_RESOURCE_DESC resource = {}, said = {};
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.format = CU_AD_FORMAT_SIGNED_INT16;
    resource.res.pitch2D.numChannels = 2;
    resource.res.pitch2D.width = 16;
    resource.res.pitch2D.height = 4;
    resource.res.pitch2D.pitchInBytes = pitch;
    CUDA_TEXTURE_DESC description = {}, description_said = {};
    description.addressMode[0] = CU_TR_ADDRESS_MODE_CLAMP;
    description.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
    description.filterMode = CU_TR_FILTER_MODE_POINT;
    description.flags = CU_TRSF_READ_AS_INTEGER;
    CUtexObject texture;
    OK(cuTexObjectCreate(&texture, &resource, &description, nullptr));
    OK(cuTexObjectGetResourceDesc(&said, texture));
    CHECK(said.resType == CU_RESOURCE_TYPE_PITCH2D && said.res.pitch2D.devPtr == memory);
    CHECK(said.res.pitch2D.format == CU_AD_FORMAT_SIGNED_INT16 && said.res.pitch2D.numChannels == 2);
    CHECK(said.res.pitch2D.width == 16 && said.res.pitch2D.height == 4 && said.res.pitch2D.pitchInBytes == pitch);
    OK(cuTexObjectGetTextureDesc(&description_said, texture));
    CHECK(description_said.addressMode[1] == CU_TR_ADDRESS_MODE_BORDER);
    CHECK(description_said.flags == CU_TRSF_READ_AS_INTEGER);
    OK(cuTexObjectDestroy(texture));
    CHECK(cuTexObjectGetResourceDesc(&said, texture) == CUDA_ERROR_INVALID_VALUE);
    // The runtime refuses filters of integers and 32-bit integers as fractions, the driver does not: video filters
    // have the one, and the flag means nothing for the other.
    description.filterMode = CU_TR_FILTER_MODE_LINEAR;
    OK(cuTexObjectCreate(&texture, &resource, &description, nullptr));
    OK(cuTexObjectDestroy(texture));
    description.flags = 0;
    resource.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT32;
    resource.res.pitch2D.numChannels = 1;
    OK(cuTexObjectCreate(&texture, &resource, &description, nullptr));
    OK(cuTexObjectDestroy(texture));
    resource.res.pitch2D.devPtr = memory + 4;
    CHECK(cuTexObjectCreate(&texture, &resource, &description, nullptr) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(memory));

    CUarray array = array_of(8, 8, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
    resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUsurfObject surface;
    OK(cuSurfObjectCreate(&surface, &resource));
    OK(cuSurfObjectGetResourceDesc(&said, surface));
    CHECK(said.resType == CU_RESOURCE_TYPE_ARRAY && said.res.array.hArray == array);
    OK(cuSurfObjectDestroy(surface));
    OK(cuArrayDestroy(array));
}

static void managed_memory() {
    CUdeviceptr memory;
    OK(cuMemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
    int mostly_read = -1, place = -1;
    OK(cuMemRangeGetAttribute(&mostly_read, sizeof mostly_read, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 4096));
    void* data[] = {&mostly_read, &place};
    std::size_t bytes[] = {sizeof mostly_read, sizeof place};
    CUmem_range_attribute attributes[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                          CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
    OK(cuMemRangeGetAttributes(data, bytes, attributes, 2, memory, 4096));
    CHECK(mostly_read == 0 && place == CU_DEVICE_INVALID);
#if CUDA_VERSION >= 13000
    const CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, 0};
    OK(cuMemPrefetchAsync(memory, 4096, here, 0, nullptr));
#else
    const CUdevice here = 0;
    OK(cuMemPrefetchAsync(memory, 4096, here, nullptr));
#endif
    OK(cuMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
    OK(cuMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    OK(cuMemRangeGetAttributes(data, bytes, attributes, 2, memory, 4096));
    CHECK(mostly_read == 1 && place == 0);
    OK(cuMemRangeGetAttribute(&place, sizeof place, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, 1));
    CHECK(place == 0);
    OK(cuMemFree(memory));
}

static void occupancy(CUfunction function) {
    int blocks = 0, threads = 0, blocks_too = 0, threads_too = 0;
    OK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, function, nullptr, 0, 0));
    OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&blocks_too, &threads_too, function, nullptr, 0, 0, 0));
    CHECK(blocks > 0 && threads > 0 && blocks == blocks_too && threads == threads_too);
#if CUDA_VERSION >= 12000
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = static_cast<unsigned>(threads);
    config.blockDimY = config.blockDimZ = 1;
    int clusters = 0, size = 0;
    OK(cuOccupancyMaxActiveClusters(&clusters, function, &config));
    CHECK(clusters == blocks);  // of one block each
    OK(cuOccupancyMaxPotentialClusterSize(&size, function, &config));
    CHECK(size >= 1);
    CHECK(cuOccupancyMaxActiveClusters(&clusters, function, nullptr) == CUDA_ERROR_INVALID_VALUE);
#endif
}

static void contexts(CUcontext context) {
    CUsharedconfig banks = CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
    OK(cuCtxGetSharedMemConfig(&banks));
    CHECK(banks == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    CHECK(cuCtxEnablePeerAccess(context, 0) == CUDA_ERROR_INVALID_CONTEXT);  // the current one
    CUcontext primary;
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    CHECK(cuCtxEnablePeerAccess(primary, 0) == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    CHECK(cuCtxDisablePeerAccess(primary) == CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    OK(cuDevicePrimaryCtxRelease(0));
}

// What was preferred is told, though caches are split as the kernels' shared memory asks.
static void cache_preference() {
    CUfunc_cache preferred = CU_FUNC_CACHE_PREFER_EQUAL;
    OK(cuCtxGetCacheConfig(&preferred));
    CHECK(preferred == CU_FUNC_CACHE_PREFER_NONE);
    OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_SHARED));
    OK(cuCtxGetCacheConfig(&preferred));
    CHECK(preferred == CU_FUNC_CACHE_PREFER_SHARED);
    CHECK(cuCtxSetCacheConfig(static_cast<CUfunc_cache>(7)) == CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxGetCacheConfig(&preferred));
    CHECK(preferred == CU_FUNC_CACHE_PREFER_SHARED);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    OK(cuInit(0));
    CUcontext context = new_context();
    CUmodule module;
    CUfunction scale;
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    descriptors();
    properties();
    array_copies();
    textures();
    managed_memory();
    occupancy(scale);
    contexts(context);
    cache_preference();
    // A kernel, so that there is a profile.
    CUdeviceptr values;
    OK(cuMemAlloc(&values, 16));
    int none = 0;
    void* arguments[] = {&values, &values, &none};
    OK(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
    if (failures == 0) std::printf("PASSED\n");
    return failures;
}
