// Products of matrices by warp groups (wgmma): a pipeline in which one thread fetches tiles by tensor copies for two
// groups that multiply, and one thread of each group gives them back; and a group that has A in registers and B, whose
// neighbours are along N, in shared memory that plain stores have swizzled.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuda/ptx>

#include "verify.hpp"

namespace ptx = cuda::ptx;

constexpr int group = 128, tile_m = 128, tile_n = 64, tile_k = 64, stages = 3;
constexpr unsigned row_bytes = tile_k * sizeof(__half);  // of the swizzle, too

#define REGISTERS(d)                                                                                            \
    "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), \
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),  \
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), \
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define NAMES                                                                                               \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
    "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
/// Eight rows of 128 bytes after the other, swizzled.
__device__ uint64_t described(const void* tile) {
    const auto at = static_cast<uint64_t>(__cvta_generic_to_shared(tile));
    return at >> 4 | uint64_t{8 * row_bytes >> 4} << 32 | uint64_t{1} << 62;
}
__device__ void begin() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
template <int left>
__device__ void commit_and_wait() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}
__device__ void wait(uint64_t& barrier, int phase) {
    while (!ptx::mbarrier_try_wait_parity(&barrier, phase)) {
    }
}
/// Stores the 64 x 64 sums of a group, whose first is in row 0.
__device__ void store(const float (&d)[32], float* to, int columns) {
    const int lane = threadIdx.x % 32, row = threadIdx.x % group / 32 * 16 + lane / 4;
    for (int i = 0; i < 32; ++i) to[(row + i / 2 % 2 * 8) * columns + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}
#endif

struct alignas(1024) Stage {
    __half a[tile_m * tile_k], b[tile_n * tile_k];
};

/// d = a b', a m x k and b n x k.
__global__ void pipeline(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* out,
                         int n, int k) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ Stage stage[];
    __shared__ uint64_t full[stages], empty[stages];
    const int role = threadIdx.x / group, row = blockIdx.y * tile_m, column = blockIdx.x * tile_n, steps = k / tile_k;
    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; ++i) {
            ptx::mbarrier_init(&full[i], 1);
            ptx::mbarrier_init(&empty[i], 2);
        }
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (role == 2) {
        if (threadIdx.x != 2 * group) return;
        for (int step = 0; step < steps; ++step) {
            const int i = step % stages, turn = step / stages;
            wait(empty[i], turn % 2 ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[i],
                                           uint32_t{sizeof(Stage)});
            const int of_a[2] = {step * tile_k, row}, of_b[2] = {step * tile_k, column};
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage[i].a, &a, of_a, &full[i]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage[i].b, &b, of_b, &full[i]);
        }
        return;
    }
    float d[32] = {};
    for (int step = 0; step < steps; ++step) {
        const int i = step % stages, turn = step / stages;
        wait(full[i], turn % 2);
        const uint64_t in_a = described(stage[i].a + role * 64 * tile_k), in_b = described(stage[i].b);
        begin();
        for (int part = 0; part < tile_k / 16; ++part)
            asm volatile(
                "{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NAMES ", %32, %33, p, 1, 1, 0, 0; }"
                : REGISTERS(d)
                : "l"(in_a + part * 2), "l"(in_b + part * 2), "r"(step + part));
        // The products of the step before this one are over: its tiles may be overwritten.
        commit_and_wait<1>();
        if (step > 0 && threadIdx.x % group == 0) ptx::mbarrier_arrive(&empty[(step - 1) % stages]);
    }
    commit_and_wait<0>();
    store(d, out + (row + role * 64) * n + column, n);
#endif
}

/// d -= a b, of 64 rows and columns; a 64 x k, b k x 64.
__global__ void turned(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int k) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    __shared__ __align__(1024) __nv_bfloat16 rows[tile_k * tile_n];
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
    float d[32];
    for (int i = 0; i < 32; ++i) d[i] = 1000;
    for (int first = 0; first < k; first += tile_k) {
        // Eight elements at a time: the chunk that they are goes to another place in each of eight rows.
        for (int i = threadIdx.x; i < tile_k * tile_n / 8; i += group) {
            const int in_row = i % 8, at = i / 8;
            *reinterpret_cast<uint4*>(rows + at * tile_n + (in_row ^ at % 8) * 8) =
                *reinterpret_cast<const uint4*>(b + (first + at) * tile_n + in_row * 8);
        }
        uint32_t of_a[tile_k / 16][4];
        for (int i = 0; i < tile_k / 4; ++i)
            of_a[i / 4][i % 4] =
                *reinterpret_cast<const uint32_t*>(a + (row + i % 2 * 8) * k + first + i / 2 * 8 + lane % 4 * 2);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        begin();
        for (int part = 0; part < tile_k / 16; ++part)
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " NAMES
                         ", {%32, %33, %34, %35}, %36, 1, -1, 1, 1;"
                         : REGISTERS(d)
                         : "r"(of_a[part][0]), "r"(of_a[part][1]), "r"(of_a[part][2]), "r"(of_a[part][3]),
                           "l"(described(rows + part * 16 * tile_n)));
        commit_and_wait<0>();
        __syncthreads();
    }
    store(d, out, tile_n);
#endif
}

static CUtensorMap map_of(__half* matrix, uint64_t rows, uint64_t columns, uint32_t box_rows) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
    CUtensorMap map;
    const uint64_t sizes[2] = {columns, rows}, strides[1] = {columns * sizeof(__half)};
    const uint32_t box[2] = {tile_k, box_rows}, steps[2] = {1, 1};
    const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result == CUDA_SUCCESS) return map;
    std::fprintf(stderr, "cuTensorMapEncodeTiled gives %d\n", static_cast<int>(result));
    std::exit(1);
}

/// Whole numbers from -4 to 4: every sum is exact.
template <class T>
std::vector<T> small_numbers(size_t n, unsigned seed) {
    Random random;
    for (unsigned i = 0; i < seed; ++i) random.next();
    std::vector<T> values(n);
    for (T& value : values) value = T(static_cast<float>(static_cast<int>(random.next() % 9) - 4));
    return values;
}

int main(int argc, char** argv) {
    const int m = static_cast<int>(option(argc, argv, "--m", 256)),
              n = static_cast<int>(option(argc, argv, "--n", 192)),
              k = static_cast<int>(option(argc, argv, "--k", 512));
    if (m % tile_m != 0 || n % tile_n != 0 || k % tile_k != 0) {
        std::fprintf(stderr, "--m, --n and --k are multiples of %d, %d and %d\n", tile_m, tile_n, tile_k);
        return 1;
    }
    const std::vector<__half> a = small_numbers<__half>(size_t(m) * k, 1), b = small_numbers<__half>(size_t(n) * k, 2);
    const std::vector<__nv_bfloat16> c = small_numbers<__nv_bfloat16>(64 * k, 3),
                                     e = small_numbers<__nv_bfloat16>(size_t(k) * tile_n, 4);
    std::vector<float> product(size_t(m) * n), difference(64 * tile_n, 1000);
    const auto widened = [](const auto& values) {
        std::vector<float> floats;
        for (const auto value : values) floats.push_back(static_cast<float>(value));
        return floats;
    };
    const std::vector<float> fa = widened(a), fb = widened(b), fc = widened(c), fe = widened(e);
    for (int row = 0; row < m; ++row)
        for (int column = 0; column < n; ++column) {
            float sum = 0;
            for (int i = 0; i < k; ++i) sum += fa[size_t(row) * k + i] * fb[size_t(column) * k + i];
            product[size_t(row) * n + column] = sum;
        }
    for (int row = 0; row < 64; ++row)
        for (int i = 0; i < k; ++i)
            for (int column = 0; column < tile_n; ++column)
                difference[row * tile_n + column] -= fc[size_t(row) * k + i] * fe[size_t(i) * tile_n + column];

    Device<__half> in_a(a), in_b(b);
    Device<__nv_bfloat16> in_c(c), in_e(e);
    Device<float> out(product.size()), other(difference.size());
    check(cudaFuncSetAttribute(pipeline, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * sizeof(Stage)));
    pipeline<<<dim3(n / tile_n, m / tile_m), 3 * group, stages * sizeof(Stage)>>>(
        map_of(in_a, m, k, tile_m), map_of(in_b, n, k, tile_n), out, n, k);
    turned<<<1, group>>>(in_c, in_e, other, k);
    return verdict(agree("product", out.host(), product) & agree("difference", other.host(), difference));
}
