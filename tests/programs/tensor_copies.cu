// Copies of boxes of tensors: a transposition through swizzled shared memory whose edges are cut off, a sum of tiles in
// device memory, a tile that goes to two blocks of a cluster, and a map that a kernel changes.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cuda/ptx>

#include "verify.hpp"

namespace ptx = cuda::ptx;

constexpr int tile = 32;
constexpr unsigned tile_bytes = tile * tile * sizeof(float);

__constant__ CUtensorMap sum_map;

#if __CUDA_ARCH__ >= 900
__device__ void expect(uint64_t& barrier) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                       uint32_t{tile_bytes});
    }
    __syncthreads();
}
__device__ void fetch(float* to, const CUtensorMap* map, int x, int y, uint64_t& barrier) {
    expect(barrier);
    const int at[2] = {x, y};
    if (threadIdx.x == 0) ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, at, &barrier);
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
    }
}
__device__ void finish() {
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
#endif

/// Rows of a tile are 128 bytes; the chunks of 16 bytes of row r are exchanged by r, so that columns have no conflicts.
__global__ void transpose(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(1024) float from[tile * tile];
    __shared__ alignas(1024) float to[tile * tile];
    __shared__ uint64_t barrier;
    fetch(from, &in, blockIdx.x * tile, blockIdx.y * tile, barrier);
    for (int i = threadIdx.x; i < tile * tile; i += blockDim.x) {
        const int row = i / tile, column = i % tile;
        to[column * tile + row] = from[row * tile + (column / 4 ^ row % 8) * 4 + column % 4];
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    const int at[2] = {static_cast<int>(blockIdx.y) * tile, static_cast<int>(blockIdx.x) * tile};
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, at, to);
        finish();
    }
#endif
}

/// Adds every tile of `in` to the one of sum_map.
__global__ void add_tiles(const __grid_constant__ CUtensorMap in) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(1024) float values[tile * tile];
    __shared__ uint64_t barrier;
    fetch(values, &in, blockIdx.x * tile, blockIdx.y * tile, barrier);
    const int at[2] = {0, 0};
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &sum_map, at, values);
        finish();
    }
#endif
}

/// The first block of each pair fetches a tile for both; the second doubles it.
__global__ void __cluster_dims__(2) shared_tile(const __grid_constant__ CUtensorMap in, float* out) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(1024) float values[tile * tile];
    __shared__ uint64_t barrier;
    expect(barrier);
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    const int at[2] = {static_cast<int>(blockIdx.x / 2) * tile, 0};
    if (threadIdx.x == 0 && blockIdx.x % 2 == 0)
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, values, &in, at, &barrier,
                                  static_cast<uint16_t>(3));
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
    }
    const float factor = blockIdx.x % 2 == 0 ? 1 : 2;
    for (int i = threadIdx.x; i < tile * tile; i += blockDim.x) out[blockIdx.x * tile * tile + i] = factor * values[i];
#endif
}

/// A map of another matrix in a copy of the map in device memory; a grid that comes later uses it.
__global__ void change_map(CUtensorMap* map, float* other) {
#if __CUDA_ARCH__ >= 900
    asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map), "l"(other) : "memory");
    asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], 1, 1;" ::"l"(map) : "memory");
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
#endif
}
__global__ void first_row(const CUtensorMap* map, float* out) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(1024) float values[tile * tile];
    __shared__ uint64_t barrier;
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    fetch(values, map, 0, 0, barrier);
    for (int i = threadIdx.x; i < tile * tile; i += blockDim.x) out[i] = values[i];
#endif
}

static void check_driver(CUresult result, const char* what) {
    if (result == CUDA_SUCCESS) return;
    std::fprintf(stderr, "%s gives %d\n", what, static_cast<int>(result));
    std::exit(1);
}

static CUtensorMap map_of(float* matrix, uint64_t columns, uint64_t rows, CUtensorMapSwizzle swizzle) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
    const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
    CUtensorMap map;
    const uint64_t sizes[2] = {columns, rows}, strides[1] = {columns * sizeof(float)};
    const uint32_t box[2] = {tile, tile}, steps[2] = {1, 1};
    check_driver(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, sizes, strides, box, steps,
                        CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                 "cuTensorMapEncodeTiled");
    return map;
}

int main() {
    constexpr int columns = 100, rows = 76, tiles_x = (columns + tile - 1) / tile, tiles_y = (rows + tile - 1) / tile;
    Random random;
    std::vector<float> matrix(columns * rows), transposed(columns * rows), sum(tile * tile), pairs(4 * tile * tile),
        row(tile * tile);
    for (float& value : matrix) value = static_cast<float>(random.next() % 1000);  // so that every sum is exact
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
            const float value = matrix[y * columns + x];
            transposed[x * rows + y] = value;
            sum[y % tile * tile + x % tile] += value;
            if (y >= tile || x >= 2 * tile) continue;
            for (int half = 0; half < 2; ++half)
                pairs[(2 * (x / tile) + half) * tile * tile + y * tile + x % tile] = (half + 1) * value;
        }
    for (int x = 0; x < tile; ++x) row[x] = transposed[x];

    Device<float> in(matrix), out(matrix.size()), total(std::vector<float>(sum.size())), doubled(pairs.size()),
        first(row.size());
    const CUtensorMap plain = map_of(in, columns, rows, CU_TENSOR_MAP_SWIZZLE_NONE);
    const CUtensorMap swizzled = map_of(in, columns, rows, CU_TENSOR_MAP_SWIZZLE_128B);
    const CUtensorMap result = map_of(out, rows, columns, CU_TENSOR_MAP_SWIZZLE_NONE);
    const CUtensorMap tile_of_sums = map_of(total, tile, tile, CU_TENSOR_MAP_SWIZZLE_NONE);
    check(cudaMemcpyToSymbol(sum_map, &tile_of_sums, sizeof tile_of_sums));
    Device<CUtensorMap> changed(std::vector<CUtensorMap>{result});

    const dim3 tiles(tiles_x, tiles_y);
    transpose<<<tiles, 128>>>(swizzled, result);
    add_tiles<<<tiles, 128>>>(plain);
    shared_tile<<<4, 128>>>(plain, doubled);
    change_map<<<1, 1>>>(changed, out);
    first_row<<<1, 128>>>(changed, first);
    const bool good = agree("transposed", out.host(), transposed) & agree("sum", total.host(), sum) &
                      agree("pairs", doubled.host(), pairs) & agree("first row", first.host(), row);
    return verdict(good);
}
