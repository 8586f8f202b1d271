// Addresses with memory behind them that comes and goes (cuMemMap): what is where, what it holds, and what is refused.
#include <cuda.h>
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "driver.hpp"

#define WRONG(call) CHECK((call) == CUDA_ERROR_INVALID_VALUE)

static std::size_t granule;
static CUmemAllocationProp device_memory() {
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return properties;
}

static CUmemGenericAllocationHandle create(std::size_t bytes) {
    const CUmemAllocationProp properties = device_memory();
    CUmemGenericAllocationHandle handle = 0;
    OK(cuMemCreate(&handle, bytes, &properties, 0));
    return handle;
}
static CUdeviceptr reserve(std::size_t bytes, std::size_t alignment = 0) {
    CUdeviceptr address = 0;
    OK(cuMemAddressReserve(&address, bytes, alignment, 0, 0));
    return address;
}
static CUresult allow(CUdeviceptr address, std::size_t bytes, CUmemAccess_flags flags) {
    const CUmemAccessDesc access = {device_memory().location, flags};
    return cuMemSetAccess(address, bytes, &access, 1);
}
static void map(CUdeviceptr address, CUmemGenericAllocationHandle handle) {
    OK(cuMemMap(address, granule, 0, handle, 0));
    OK(allow(address, granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
}
static std::size_t free_memory() {
    std::size_t free = 0;
    OK(cuMemGetInfo(&free, nullptr));
    return free;
}

__global__ void fill(int* values, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) values[i] = i;
}
__global__ void sum_around(const int* middle, int* sum) {
    *sum = middle[-1] + middle[0];
}

// More addresses than there is memory; a pool grows in them, and its pieces are one array for kernels and copies.
static void grows() {
    std::size_t total = 0, before = free_memory();
    OK(cuDeviceTotalMem(&total, 0));
    const std::size_t bytes = total / granule * granule * 2;
    const CUdeviceptr pool = reserve(bytes);
    CHECK(free_memory() == before);
    for (int piece = 0; piece < 3; ++piece) {
        const auto handle = create(granule);
        map(pool + piece * granule, handle);
        OK(cuMemRelease(handle));
    }
    CHECK(free_memory() == before - 3 * granule);
    const int count = static_cast<int>(3 * granule / sizeof(int));
    fill<<<(count + 255) / 256, 256>>>(reinterpret_cast<int*>(pool), count);
    OK(cudaDeviceSynchronize());
    int border[2] = {}, last = 0;
    OK(cuMemcpyDtoH(border, pool + 2 * granule - sizeof(int), sizeof border));
    CHECK(border[1] == static_cast<int>(2 * granule / sizeof(int)) && border[0] == border[1] - 1);
    OK(cuMemsetD32(pool + granule - 4, 7, 2));
    OK(cuMemcpyDtoH(&last, pool + granule, sizeof last));
    CHECK(last == 7);
    WRONG(cuMemUnmap(pool, granule / 2));
    WRONG(cuMemUnmap(pool + 3 * granule, granule));
    WRONG(cuMemAddressFree(pool, bytes));  // mapped still
    OK(cuMemUnmap(pool, 3 * granule));
    CHECK(free_memory() == before);
    OK(cuMemAddressFree(pool, bytes));
    WRONG(cuMemAddressFree(pool, bytes));
}

// What memory holds goes where it is mapped next.
static void moves() {
    const auto handle = create(granule);
    const CUdeviceptr first = reserve(granule), second = reserve(2 * granule);
    map(first, handle);
    OK(cuMemsetD32(first, 5, granule / 4));
    WRONG(cuMemMap(first, granule, 0, handle, 0));
    OK(cuMemUnmap(first, granule));
    map(second + granule, handle);
    int value = 0;
    OK(cuMemcpyDtoH(&value, second + 2 * granule - sizeof value, sizeof value));
    CHECK(value == 5);
    // And it is the same memory in two places.
    map(second, handle);
    OK(cuMemsetD32(second + granule - 4, 3, 1));
    OK(cuMemcpyDtoH(&value, second + 2 * granule - sizeof value, sizeof value));
    CHECK(value == 3);
    int* sum = nullptr;
    OK(cudaMalloc(&sum, sizeof *sum));
    sum_around<<<1, 1>>>(reinterpret_cast<const int*>(second + granule), sum);
    OK(cudaMemcpy(&value, sum, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(value == 3 + 5);
    OK(cudaFree(sum));
    OK(cuMemUnmap(second, 2 * granule));
    OK(cuMemRelease(handle));
    WRONG(cuMemRelease(handle));
    OK(cuMemAddressFree(second, 2 * granule));
    OK(cuMemAddressFree(first, granule));
}

// A vector that grows reserves what is behind it as well: one array in two reservations.
static void adjoins() {
    const std::size_t bytes = 5 * granule;  // no freed place is as large
    const CUdeviceptr first = reserve(bytes), second = reserve(bytes), border = first + bytes;
    CHECK(second == border);
    const auto one = create(granule), other = create(granule);
    map(border - granule, one);
    map(border, other);
    OK(cuMemsetD8(border - granule, 9, 2 * granule));
    OK(cuMemUnmap(border - granule, 2 * granule));
    OK(cuMemRelease(one));
    OK(cuMemRelease(other));
    OK(cuMemAddressFree(first, bytes));
    OK(cuMemAddressFree(second, bytes));
}

static void who_may() {
    const auto handle = create(granule);
    const CUdeviceptr address = reserve(granule, 8 * granule);
    CHECK(address % (8 * granule) == 0);
    WRONG(allow(address, granule, CU_MEM_ACCESS_FLAGS_PROT_READ));  // nothing is there
    OK(cuMemMap(address, granule, 0, handle, 0));
    const CUmemLocation device = device_memory().location;
    unsigned long long flags = 9;
    OK(cuMemGetAccess(&flags, &device, address));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    WRONG(cuMemsetD8(address, 1, granule));
    OK(allow(address, granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    OK(cuMemGetAccess(&flags, &device, address + granule - 1));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cuMemsetD8(address, 1, granule));
    CUmemGenericAllocationHandle again = 0;
    OK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(address + 100)));
    CHECK(again == handle);
    OK(cuMemRelease(handle));
    CUmemAllocationProp properties = {};
    OK(cuMemGetAllocationPropertiesFromHandle(&properties, again));
    CHECK(properties.type == CU_MEM_ALLOCATION_TYPE_PINNED);
    OK(cuMemRelease(again));
    WRONG(cuMemRelease(again));
    OK(cuMemUnmap(address, granule));
    WRONG(cuMemsetD8(address, 1, granule));
    OK(cuMemAddressFree(address, granule));
}

// Memory that could be shared with other processes serves as any other does.
static void could_be_shared() {
    CUmemAllocationProp properties = device_memory(), said = {};
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemGenericAllocationHandle handle = 0;
    OK(cuMemCreate(&handle, granule, &properties, 0));
    OK(cuMemGetAllocationPropertiesFromHandle(&said, handle));
    CHECK(said.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    const CUdeviceptr address = reserve(granule);
    map(address, handle);
    OK(cuMemsetD32(address, 6, granule / 4));
    int value = 0;
    OK(cuMemcpyDtoH(&value, address + granule - sizeof value, sizeof value));
    CHECK(value == 6);

    // As another process would get it.
    int file = -1;
    OK(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CHECK(file >= 0);
    CUmemGenericAllocationHandle imported = 0;
    void* const given = reinterpret_cast<void*>(static_cast<std::intptr_t>(file));
    OK(cuMemImportFromShareableHandle(&imported, given, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    const CUdeviceptr there = reserve(granule);
    map(there, imported);
    OK(cuMemsetD32(address, 7, 1));
    OK(cuMemcpyDtoH(&value, there, sizeof value));
    CHECK(value == 7);
    OK(cuMemcpyDtoH(&value, there + granule - sizeof value, sizeof value));
    CHECK(value == 6);
    const auto own = create(granule);
    WRONG(cuMemExportToShareableHandle(&file, own, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cuMemRelease(own));
    WRONG(cuMemImportFromShareableHandle(&imported, reinterpret_cast<void*>(std::intptr_t{-1}),
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    OK(cuMemUnmap(there, granule));
    OK(cuMemRelease(imported));
    OK(cuMemAddressFree(there, granule));
    OK(cuMemUnmap(address, granule));
    OK(cuMemRelease(handle));
    OK(cuMemAddressFree(address, granule));
}

int main() {
    OK(cudaFree(nullptr));
    const CUmemAllocationProp properties = device_memory();
    OK(cuMemGetAllocationGranularity(&granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    grows();
    moves();
    adjoins();
    who_may();
    could_be_shared();
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
