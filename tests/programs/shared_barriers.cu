// Barriers in shared memory as compilers make them of ordinary code: cuda::barrier, cuda::pipeline and asynchronous
// copies of groups; from compute capability 9.0 on with bulk copies, which report their bytes to the barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include "verify.hpp"

// Barriers in shared memory are initialised by a thread.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int threads = 128, tile = 2 * threads, stages = 2;

/// Half of the threads fill a buffer, the others add it up: two barriers per buffer, none of them of the whole block.
__global__ void produce_and_consume(const int* in, int* out, int tiles) {
    constexpr int half = threads / 2;
    __shared__ int buffer[stages][half];
    __shared__ Barrier full[stages], empty[stages];
    const int t = threadIdx.x % half;
    if (threadIdx.x < stages) {
        init(&full[threadIdx.x], threads);
        init(&empty[threadIdx.x], threads);
    }
    __syncthreads();
    if (threadIdx.x < half) {
        for (int i = 0; i < tiles; ++i) {
            empty[i % stages].arrive_and_wait();
            buffer[i % stages][t] = in[(blockIdx.x * tiles + i) * half + t];
            (void)full[i % stages].arrive();
        }
    } else {
        for (Barrier& barrier : empty) (void)barrier.arrive();
        int sum = 0;
        for (int i = 0; i < tiles; ++i) {
            full[i % stages].arrive_and_wait();
            sum += (i + 1) * buffer[i % stages][half - 1 - t];
            (void)empty[i % stages].arrive();
        }
        out[blockIdx.x * half + t] = sum;
    }
}

/// Thread t takes part in t + 1 rounds and leaves; each round counts who is left.
__global__ void drop_out(int* left) {
    __shared__ Barrier barrier;
    __shared__ int count[32];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    count[threadIdx.x] = 0;
    __syncthreads();
    for (int round = 0; round <= threadIdx.x; ++round) {
        atomicAdd(&count[round], 1);
        auto token = barrier.arrive();
        barrier.wait(cuda::std::move(token));
        if (round == threadIdx.x) {
            left[threadIdx.x] = count[round];
            barrier.arrive_and_drop();
        } else {
            barrier.arrive_and_wait();
        }
    }
}

/// Two stages of one tile each: the copy of the next one runs while this one is added up.
__global__ void pipelined_sum(const int* in, int* out, int tiles) {
    __shared__ int buffer[stages][tile];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    const auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const int* from = in + blockIdx.x * tiles * tile;
    const auto fetch = [&](int i) {
        pipeline.producer_acquire();
        cuda::memcpy_async(block, buffer[i % stages], from + i * tile, sizeof(int) * tile, pipeline);
        pipeline.producer_commit();
    };
    fetch(0);
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
        if (i + 1 < tiles) fetch(i + 1);
        pipeline.consumer_wait();
        sum += (i + 1) * (buffer[i % stages][threads - 1 - threadIdx.x] + buffer[i % stages][tile - 1 - threadIdx.x]);
        pipeline.consumer_release();
    }
    out[blockIdx.x * threads + threadIdx.x] = sum;
}

/// The same with cooperative groups' copies, and with a barrier that a copy of aligned memory arrives at.
__global__ void copied_sum(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int first[tile];
    __shared__ alignas(16) int second[tile];
    __shared__ Barrier barrier;
    const auto block = cg::this_thread_block();
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    block.sync();
    const int* from = in + blockIdx.x * tiles * tile;
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
        cg::memcpy_async(block, first, from + i * tile, sizeof(int) * tile);
        cuda::memcpy_async(block, second, from + i * tile, cuda::aligned_size_t<16>(sizeof(int) * tile), barrier);
        cg::wait(block);
        barrier.arrive_and_wait();
        sum += (i + 1) * (first[threads - 1 - threadIdx.x] + second[tile - 1 - threadIdx.x]);
        block.sync();
    }
    out[blockIdx.x * threads + threadIdx.x] = sum;
}

/// Bulk copies by one thread, in and out again; the barrier waits for the bytes.
__global__ void bulk_negation(const int* in, int* out) {
#if __CUDA_ARCH__ >= 900
    namespace ptx = cuda::ptx;
    __shared__ alignas(128) int buffer[tile];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(buffer, in + blockIdx.x * tile, cuda::aligned_size_t<16>(sizeof buffer), barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof buffer);
    } else {
        token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    for (int i = threadIdx.x; i < tile; i += blockDim.x) buffer[i] = -buffer[i];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * tile, buffer, sizeof buffer);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
#else
    for (int i = threadIdx.x; i < tile; i += blockDim.x) out[blockIdx.x * tile + i] = -in[blockIdx.x * tile + i];
#endif
}

int main(int argc, char** argv) {
    const int tiles = static_cast<int>(option(argc, argv, "--tiles", 7)), blocks = 5, n = blocks * tiles * tile;
    Random random;
    std::vector<int> input(n);
    for (int& value : input) value = static_cast<int>(random.next() % 1000);
    const Device<int> in(input);

    constexpr int half = threads / 2;
    std::vector<int> halves(blocks * half), sums(blocks * threads), negated(n), left(32);
    for (int i = 0; i < blocks * tiles * half; ++i)
        halves[i / (tiles * half) * half + half - 1 - i % half] += (i / half % tiles + 1) * input[i];
    for (int i = 0; i < n; ++i) {
        sums[i / (tiles * tile) * threads + threads - 1 - i % threads] += (i / tile % tiles + 1) * input[i];
        negated[i] = -input[i];
    }
    for (int i = 0; i < 32; ++i) left[i] = 32 - i;

    const Device<int> by_halves(halves.size()), counts(32), pipelined(sums.size()), copied(sums.size()), out(n);
    produce_and_consume<<<blocks, threads>>>(in, by_halves, tiles);
    drop_out<<<1, 32>>>(counts);
    pipelined_sum<<<blocks, threads>>>(in, pipelined, tiles);
    copied_sum<<<blocks, threads>>>(in, copied, tiles);
    bulk_negation<<<n / tile, threads>>>(in, out);
    const bool good = agree("produced and consumed", by_halves.host(), halves) & agree("left", counts.host(), left) &
                      agree("pipelined", pipelined.host(), sums) & agree("copied", copied.host(), sums) &
                      agree("bulk", out.host(), negated);
    return verdict(good);
}
