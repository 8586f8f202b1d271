// Green contexts: how multiprocessors are split, and what contexts and streams made of them tell. Kernels run in them.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "driver.hpp"

__global__ void add(int* value, int what) {
    *value += what;
}

#if CUDA_VERSION >= 12050
static CUdevResource whole_device() {
    CUdevResource whole = {};
    OK(cuDeviceGetDevResource(0, &whole, CU_DEV_RESOURCE_TYPE_SM));
    return whole;
}

static void splitting() {
    const CUdevResource whole = whole_device();
    int multiprocessors = 0;
    OK(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    CHECK(whole.type == CU_DEV_RESOURCE_TYPE_SM && whole.sm.smCount == static_cast<unsigned>(multiprocessors));
    unsigned count = 0;
    OK(cuDevSmResourceSplitByCount(nullptr, &count, &whole, nullptr, 0, 15));
    CHECK(count == whole.sm.smCount / 16);
    std::vector<CUdevResource> parts(count);
    CUdevResource rest = {};
    count = 2;
    OK(cuDevSmResourceSplitByCount(parts.data(), &count, &whole, &rest, 0, 15));
    CHECK(count == 2 && parts[0].sm.smCount == 16 && parts[1].sm.smCount == 16);
    CHECK(rest.type == CU_DEV_RESOURCE_TYPE_SM && rest.sm.smCount == whole.sm.smCount - 32);
    CHECK(parts[2].type == CU_DEV_RESOURCE_TYPE_INVALID);
    OK(cuDevSmResourceSplitByCount(nullptr, &count, &whole, nullptr, 0, 0));
    CHECK(count == whole.sm.smCount / 2);
    count = 1;
    OK(cuDevSmResourceSplitByCount(parts.data(), &count, &whole, &rest, 0, whole.sm.smCount));
    CHECK(count == 1 && rest.type == CU_DEV_RESOURCE_TYPE_INVALID);

    CHECK(cuDevSmResourceSplitByCount(nullptr, &count, &whole, nullptr, 0, 1000) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDevSmResourceSplitByCount(nullptr, &count, &whole, nullptr, 8, 4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDevSmResourceSplitByCount(nullptr, &count, &rest, nullptr, 0, 4) == CUDA_ERROR_INVALID_RESOURCE_TYPE);
    CHECK(cuDevSmResourceSplitByCount(nullptr, &count, &parts[0], nullptr, 0, 4) ==
          CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    CHECK(cuDeviceGetDevResource(0, &rest, CU_DEV_RESOURCE_TYPE_INVALID) == CUDA_ERROR_INVALID_RESOURCE_TYPE);
    CHECK(cuDeviceGetDevResource(1, &rest, CU_DEV_RESOURCE_TYPE_SM) == CUDA_ERROR_INVALID_DEVICE);
}

static void describing() {
    const CUdevResource whole = whole_device();
    CUdevResource one[2], other[1], mixed[2];
    unsigned two = 2, single = 1;
    OK(cuDevSmResourceSplitByCount(one, &two, &whole, nullptr, 0, 8));
    OK(cuDevSmResourceSplitByCount(other, &single, &whole, nullptr, 0, 8));
    CUdevResourceDesc description;
    OK(cuDevResourceGenerateDesc(&description, one, 2));
    CUgreenCtx green;
    CUdevResource found;
    OK(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    OK(cuGreenCtxGetDevResource(green, &found, CU_DEV_RESOURCE_TYPE_SM));
    CHECK(found.sm.smCount == 16);
    unsigned count = 0;
    OK(cuDevSmResourceSplitByCount(nullptr, &count, &found, nullptr, 0, 4));  // of a context, it is split again
    CHECK(count == 4);
    OK(cuGreenCtxDestroy(green));
    mixed[0] = one[0];
    mixed[1] = other[0];
    CHECK(cuDevResourceGenerateDesc(&description, mixed, 2) == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    CHECK(cuDevResourceGenerateDesc(&description, one, 0) == CUDA_ERROR_INVALID_VALUE);
}

static void contexts() {
    CUcontext primary, converted, found;
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    CUdevResource part, rest;
    const CUdevResource whole = whole_device();
    unsigned one = 1;
    OK(cuDevSmResourceSplitByCount(&part, &one, &whole, &rest, 0, 8));
    CUdevResourceDesc description;
    OK(cuDevResourceGenerateDesc(&description, &part, 1));
    CUgreenCtx green, seen;
    CHECK(cuGreenCtxCreate(&green, description, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGreenCtxCreate(&green, nullptr, 0, CU_GREEN_CTX_DEFAULT_STREAM) == CUDA_ERROR_INVALID_VALUE);
    OK(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    OK(cuCtxFromGreenCtx(&converted, green));
    CHECK(cuCtxDestroy(converted) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxFromGreenCtx(&found, reinterpret_cast<CUgreenCtx>(primary)) == CUDA_ERROR_INVALID_CONTEXT);
    CUdevResource given;
    OK(cuCtxGetDevResource(converted, &given, CU_DEV_RESOURCE_TYPE_SM));
    CHECK(given.sm.smCount == 8);
    OK(cuCtxGetDevResource(primary, &given, CU_DEV_RESOURCE_TYPE_SM));
    CHECK(given.sm.smCount == whole.sm.smCount);

    CUstream stream, plain, while_current;
    CHECK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_DEFAULT, 0) == CUDA_ERROR_INVALID_VALUE);
    OK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    OK(cuStreamCreate(&plain, CU_STREAM_NON_BLOCKING));
    OK(cuStreamGetGreenCtx(stream, &seen));
    CHECK(seen == green);
    OK(cuStreamGetGreenCtx(plain, &seen));
    CHECK(seen == nullptr);
    OK(cuCtxPushCurrent(converted));
    OK(cuStreamCreate(&while_current, CU_STREAM_NON_BLOCKING));
    OK(cuCtxPopCurrent(&found));
    CHECK(found == converted);
    OK(cuStreamGetGreenCtx(while_current, &seen));
    CHECK(seen == green);

    int* value = nullptr;
    OK(cudaMallocManaged(&value, sizeof *value));
    *value = 1;
    CUevent event;
    OK(cuEventCreate(&event, 0));
    add<<<1, 1, 0, stream>>>(value, 2);
    OK(cuGreenCtxRecordEvent(green, event));
    OK(cuGreenCtxWaitEvent(green, event));
    OK(cuEventSynchronize(event));
    CHECK(*value == 3);
    CHECK(cuGreenCtxRecordEvent(reinterpret_cast<CUgreenCtx>(primary), event) == CUDA_ERROR_INVALID_CONTEXT);
    OK(cuEventDestroy(event));
    OK(cudaFree(value));
    OK(cuStreamDestroy(stream));
    OK(cuStreamDestroy(plain));
    OK(cuStreamDestroy(while_current));
    OK(cuGreenCtxDestroy(green));
    CHECK(cuGreenCtxDestroy(green) == CUDA_ERROR_INVALID_CONTEXT);
}
#endif

int main() {
    int* value = nullptr;
    OK(cudaMalloc(&value, sizeof *value));
    add<<<1, 1>>>(value, 1);
    OK(cudaFree(value));
#if CUDA_VERSION >= 12050
    splitting();
    describing();
    contexts();
#endif
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
