// Threads of one warp that have different parts to play and meet at __syncwarp from different places of the code
// (independent thread scheduling, from compute capability 7.0 on).
#include "verify.hpp"

constexpr int rounds = 6, warps = 3, threads = 32 * warps;

/// The lower half of each warp makes values, the upper half adds them up.
__global__ void produce_and_consume(int* sums, int n) {
    __shared__ volatile int made[threads];
    const int lane = threadIdx.x % 32, first = threadIdx.x - lane;
    int sum = 0;
    if (lane < 16) {
        for (int round = 0; round < n; ++round) {
            made[first + lane] = round * 100 + static_cast<int>(threadIdx.x);
            __syncwarp();
            __syncwarp();
        }
    } else {
        for (int round = 0; round < n; ++round) {
            __syncwarp();
            sum += made[first + lane - 16];
            __syncwarp();
        }
    }
    sums[threadIdx.x] = sum;
}

__device__ __noinline__ int even(volatile int* words, int lane) {
    words[lane] = lane * 3;
    __syncwarp();
    return words[lane + 1];
}
__device__ __noinline__ int odd(volatile int* words, int lane) {
    words[lane] = lane * 5;
    __syncwarp();
    return words[lane - 1];
}
/// The same in functions that are called.
__global__ void exchange(int* got) {
    __shared__ volatile int words[threads];
    const int lane = threadIdx.x % 32;
    volatile int* const own = words + (threadIdx.x - lane);
    got[threadIdx.x] = lane % 2 == 0 ? even(own, lane) : odd(own, lane);
}

int main() {
    bool right = true;
    const Device<int> values(std::vector<int>(threads, -1));
    produce_and_consume<<<1, threads>>>(values, rounds);
    auto got = values.host();
    for (int i = 0; i < threads; ++i)
        right &= got[i] == (i % 32 < 16 ? 0 : rounds * (i - 16) + 100 * rounds * (rounds - 1) / 2);
    exchange<<<1, threads>>>(values);
    got = values.host();
    for (int i = 0; i < threads; ++i) right &= got[i] == (i % 2 == 0 ? (i % 32 + 1) * 5 : (i % 32 - 1) * 3);
    return verdict(right);
}
