// Several copies of boxes, and hints about several pieces of managed memory, by one call each.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <vector>

#include "driver.hpp"

#define REFUSED(call) CHECK(static_cast<int>(call) == static_cast<int>(cudaErrorInvalidValue))

__global__ void twice(int* values) {
    values[threadIdx.x] *= 2;
}

#if CUDA_VERSION >= 13000
static cudaMemcpy3DOperand memory(void* begin, std::size_t row = 0, std::size_t rows = 0) {
    cudaMemcpy3DOperand side = {};
    side.type = cudaMemcpyOperandTypePointer;
    side.op.ptr.ptr = begin;
    side.op.ptr.rowLength = row;
    side.op.ptr.layerHeight = rows;
    return side;
}

static cudaMemcpy3DOperand part(cudaArray_t array, std::size_t x, std::size_t y, std::size_t z) {
    cudaMemcpy3DOperand side = {};
    side.type = cudaMemcpyOperandTypeArray;
    side.op.array.array = array;
    side.op.array.offset = {x, y, z};
    return side;
}

static cudaMemcpy3DBatchOp copy(const cudaMemcpy3DOperand& from, const cudaMemcpy3DOperand& to, cudaExtent extent) {
    cudaMemcpy3DBatchOp made = {};
    made.src = from;
    made.dst = to;
    made.extent = extent;
    made.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    return made;
}

static constexpr int columns = 5, rows = 4, layers = 3;

static int number(int x, int y, int z) {
    return (z * rows + y) * columns + x;
}

static std::vector<int> numbers() {
    std::vector<int> all(columns * rows * layers);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    return all;
}

// Without an array, elements are bytes.
static void boxes_of_memory(cudaStream_t stream) {
    std::vector<int> host = numbers(), packed(2 * 2 * 2), back(columns * rows * layers, -1);
    int* device = nullptr;
    OK(cudaMalloc(&device, host.size() * sizeof(int)));
    constexpr std::size_t row = columns * sizeof(int);
    cudaMemcpy3DBatchOp in = copy(memory(host.data()), memory(device), make_cudaExtent(row, rows, layers));
    OK(cudaMemcpy3DBatchAsync(1, &in, 0, stream));
    const cudaExtent inner = make_cudaExtent(2 * sizeof(int), 2, 2);
    cudaMemcpy3DBatchOp out[] = {copy(memory(device + number(1, 2, 1), row, rows), memory(packed.data()), inner),
                                 copy(memory(device + number(3, 0, 0), row, rows), memory(&back[0], row, rows), inner)};
    OK(cudaMemcpy3DBatchAsync(2, out, 0, stream));
    OK(cudaStreamSynchronize(stream));
    for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 2; ++y)
            for (int x = 0; x < 2; ++x) {
                CHECK(packed[(z * 2 + y) * 2 + x] == number(x + 1, y + 2, z + 1));
                CHECK(back[number(x, y, z)] == number(x + 3, y, z));
            }
    CHECK(back[number(2, 0, 0)] == -1 && back[number(0, 2, 0)] == -1 && back[number(0, 0, 2)] == -1);
    OK(cudaFree(device));
}

static void boxes_of_arrays(cudaStream_t stream) {
    std::vector<int> host = numbers(), back(2 * 2 * 2);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t whole, small;
    OK(cudaMalloc3DArray(&whole, &format, make_cudaExtent(columns, rows, layers)));
    OK(cudaMalloc3DArray(&small, &format, make_cudaExtent(3, 3, 3)));
    const cudaExtent inner = make_cudaExtent(2, 2, 2);
    cudaMemcpy3DBatchOp copies[] = {
        copy(memory(host.data()), part(whole, 0, 0, 0), make_cudaExtent(columns, rows, layers)),
        copy(part(whole, 3, 1, 1), part(small, 1, 0, 1), inner),
        copy(part(small, 1, 0, 1), memory(back.data()), inner)};
    for (auto& each : copies) OK(cudaMemcpy3DBatchAsync(1, &each, 0, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 8; ++i) CHECK(back[i] == number(3 + i % 2, 1 + i / 2 % 2, 1 + i / 4));

    cudaMemcpy3DBatchOp wrong = copy(part(whole, 4, 1, 1), part(small, 1, 0, 1), inner);
    REFUSED(cudaMemcpy3DBatchAsync(1, &wrong, 0, stream));
    const cudaChannelFormatDesc narrow = cudaCreateChannelDesc<char>();
    cudaArray_t of_bytes;
    OK(cudaMalloc3DArray(&of_bytes, &narrow, make_cudaExtent(3, 3, 3)));
    wrong = copy(part(whole, 0, 0, 0), part(of_bytes, 0, 0, 0), inner);
    REFUSED(cudaMemcpy3DBatchAsync(1, &wrong, 0, stream));
    OK(cudaFreeArray(whole));
    OK(cudaFreeArray(small));
    OK(cudaFreeArray(of_bytes));
}

template <class Change>
static bool takes(cudaStream_t stream, Change&& change) {
    int from[8] = {}, to[8] = {};
    cudaMemcpy3DBatchOp one = copy(memory(from, 8, 2), memory(to, 8, 2), make_cudaExtent(8, 2, 2));
    change(one);
    return cudaMemcpy3DBatchAsync(1, &one, 0, stream) == cudaSuccess;
}

static void boxes_that_are_none(cudaStream_t stream) {
    using Copy = cudaMemcpy3DBatchOp;
    CHECK(takes(stream, [](Copy&) {}));
    CHECK(!takes(nullptr, [](Copy&) {}) && !takes(cudaStreamLegacy, [](Copy&) {}));
    CHECK(!takes(stream, [](Copy& c) { c.extent.depth = 0; }));
    CHECK(!takes(stream, [](Copy& c) { c.src.op.ptr.rowLength = 7; }));
    CHECK(!takes(stream, [](Copy& c) { c.dst.op.ptr.layerHeight = 1; }));
    CHECK(!takes(stream, [](Copy& c) { c.dst.op.ptr.ptr = nullptr; }));
    CHECK(!takes(stream, [](Copy& c) { c.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid; }));
    CHECK(!takes(stream, [](Copy& c) { c.src.type = static_cast<cudaMemcpy3DOperandType>(3); }));
    int from = 1, to = 0;
    CUDA_MEMCPY3D_BATCH_OP one = {};
    one.src.type = one.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    one.src.op.ptr.ptr = reinterpret_cast<CUdeviceptr>(&from);
    one.dst.op.ptr.ptr = reinterpret_cast<CUdeviceptr>(&to);
    one.extent = {sizeof(int), 1, 1};
    one.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    REFUSED(cuMemcpy3DBatchAsync(1, &one, 1, stream));
    OK(cuMemcpy3DBatchAsync(1, &one, 0, stream));
    CHECK(to == 1);

    // The form of CUDA 12 says which of them is wrong.
    void* found = nullptr;
    OK(cuGetProcAddress("cuMemcpy3DBatchAsync", &found, 12080, 0, nullptr));
    const auto older =
        reinterpret_cast<CUresult (*)(size_t, CUDA_MEMCPY3D_BATCH_OP*, size_t*, unsigned long long, CUstream)>(found);
    CUDA_MEMCPY3D_BATCH_OP two[] = {one, one};
    std::size_t failed = 7;
    from = 2;
    OK(older(2, two, &failed, 0, stream));
    CHECK(to == 2 && failed == SIZE_MAX);
    two[1].extent.height = 0;
    from = 3;
    REFUSED(older(2, two, &failed, 0, stream));
    CHECK(failed == 1 && to == 2);
}

static void hints(cudaStream_t stream) {
    int *values = nullptr, *device = nullptr;
    OK(cudaMallocManaged(&values, 64 * sizeof(int)));
    OK(cudaMalloc(&device, 64));
    for (int i = 0; i < 64; ++i) values[i] = i;
    void* pieces[] = {values, values + 32};
    std::size_t bytes[] = {16 * sizeof(int), 32 * sizeof(int)}, first[] = {0, 1}, second[] = {1, 1}, far[] = {0, 2};
    cudaMemLocation places[] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
    const auto prefetch = [&](std::size_t* of_places, std::size_t count, unsigned long long flags = 0) {
        return cudaMemPrefetchBatchAsync(pieces, bytes, 2, places, of_places, count, flags, stream);
    };
    OK(prefetch(first, 2));
    int where = 7;
    OK(cudaMemRangeGetAttribute(&where, sizeof where, cudaMemRangeAttributeLastPrefetchLocation, pieces[1], 8));
    CHECK(where == cudaCpuDeviceId);
    OK(prefetch(first, 1));
    twice<<<1, 64, 0, stream>>>(values);
    OK(cudaStreamSynchronize(stream));
    CHECK(values[1] == 2 && values[63] == 126);
    REFUSED(prefetch(first, 0));
    REFUSED(prefetch(second, 2));
    REFUSED(prefetch(far, 2));
    REFUSED(prefetch(first, 2, 1));
    places[1].type = cudaMemLocationTypeInvalid;
    CHECK(prefetch(first, 2) == cudaErrorInvalidDevice);
    places[1] = {cudaMemLocationTypeDevice, 1};
    CHECK(prefetch(first, 2) == cudaErrorInvalidDevice);

    OK(cudaMemDiscardBatchAsync(pieces, bytes, 2, 0, stream));
    OK(cudaMemDiscardAndPrefetchBatchAsync(pieces, bytes, 2, places, first, 1, 0, stream));
    REFUSED(cudaMemDiscardBatchAsync(pieces, bytes, 0, 0, stream));
    REFUSED(cudaMemDiscardBatchAsync(pieces, bytes, 2, 0, nullptr));
    bytes[1] += 1;  // one byte beyond
    REFUSED(cudaMemDiscardBatchAsync(pieces, bytes, 2, 0, stream));
    bytes[1] = 8;
    pieces[1] = device;
    REFUSED(cudaMemDiscardBatchAsync(pieces, bytes, 2, 0, stream));

    CUdeviceptr piece = reinterpret_cast<CUdeviceptr>(values);
    CUmemLocation place = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    OK(cuMemPrefetchBatchAsync(&piece, bytes, 1, &place, first, 1, 0, stream));
    OK(cuMemDiscardBatchAsync(&piece, bytes, 1, 0, stream));
    OK(cuMemDiscardAndPrefetchBatchAsync(&piece, bytes, 1, &place, first, 1, 0, stream));
    REFUSED(cuMemPrefetchBatchAsync(&piece, bytes, 1, nullptr, first, 1, 0, stream));
    OK(cudaFree(values));
    OK(cudaFree(device));
}
#endif

int main() {
#if CUDA_VERSION >= 13000
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    boxes_of_memory(stream);
    boxes_of_arrays(stream);
    boxes_that_are_none(stream);
    hints(stream);
    OK(cudaStreamDestroy(stream));
#else
    int* values = nullptr;
    OK(cudaMalloc(&values, sizeof(int)));
    twice<<<1, 1>>>(values);
    OK(cudaFree(values));
#endif
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
