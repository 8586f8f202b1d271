// Threads of one warp that wait for each other inside of functions that are not inlined: whoever has what the others
// wait for has returned already, or is in another function (independent thread scheduling, from compute capability 7.0
// on).
#include "verify.hpp"

constexpr int rounds = 3, threads = 96;

struct Shared {
    int mutex, count, sum, flag;
};

__device__ __noinline__ void lock(int* mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {
    }
    __threadfence();
}
__device__ __noinline__ bool try_lock(int* mutex) {
    return atomicCAS(mutex, 0, 1) == 0;
}
__device__ __noinline__ void unlock(int* mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}
/// What the count was, one more each time; by way of another function, which has values of its own to keep.
__device__ __noinline__ int counted(Shared* shared, int own) {
    const int before = own * 7 + 1;
    lock(&shared->mutex);
    volatile int* const count = &shared->count;
    const int old = *count;
    *count = old + 1;
    unlock(&shared->mutex);
    return old * 1000 + (before - 1) / 7;
}
__device__ __noinline__ void meet() {
    __syncthreads();
}
__device__ __noinline__ int waiter(Shared* shared) {
    volatile int* const flag = &shared->flag;
    while (*flag == 0) {
    }
    return *flag;
}
__device__ __noinline__ int setter(Shared* shared) {
    atomicExch(&shared->flag, 42);
    return 1;
}

__global__ void count_in_turns(Shared* shared, int* seen) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all = 0;
    for (int round = 0; round < rounds; ++round) {
        const int got = counted(shared, i);
        if (got % 1000 != i) all = -1000000;
        all += got / 1000;
        meet();
    }
    seen[i] = all;
}
__global__ void try_in_turns(Shared* shared) {
    while (!try_lock(&shared->mutex)) {
    }
    volatile int* const sum = &shared->sum;
    *sum = *sum + static_cast<int>(threadIdx.x);
    unlock(&shared->mutex);
    // All lanes are there again.
    if (__reduce_add_sync(~0U, 1U) != 32) atomicAdd(&shared->sum, 1000000);
}
__global__ void call_each_other(Shared* shared, int* seen, bool by_address) {
    int (*const functions[])(Shared*) = {waiter, setter};
    if (by_address)
        seen[threadIdx.x] = functions[threadIdx.x % 2](shared);
    else
        seen[threadIdx.x] = threadIdx.x % 2 == 0 ? waiter(shared) : setter(shared);
}

int main() {
    bool right = true;
    const Device<Shared> shared(std::vector<Shared>(1, Shared{}));
    const Device<int> seen(std::vector<int>(2 * threads));
    count_in_turns<<<2, threads>>>(shared, seen);
    long long sum = 0;
    for (const int turns : seen.host()) sum += turns;
    const long long all = 2 * threads * rounds;
    right &= sum == all * (all - 1) / 2 && shared.host()[0].count == all;
    try_in_turns<<<2, threads>>>(shared);
    right &= shared.host()[0].sum == 2 * threads * (threads - 1) / 2;
    for (const bool by_address : {false, true}) {
        const Device<Shared> fresh(std::vector<Shared>(1, Shared{}));
        call_each_other<<<1, 32>>>(fresh, seen, by_address);
        const auto got = seen.host();
        for (int i = 0; i < 32; ++i) right &= got[i] == (i % 2 == 0 ? 42 : 1);
    }
    return verdict(right);
}
