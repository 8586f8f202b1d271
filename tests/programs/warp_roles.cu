// Threads of one warp that have different parts to play and meet from different places of the code, also of functions
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

/// What builds with -G have everywhere: calls that exchange values.
__device__ __noinline__ int shuffled(unsigned members, int value, int lane) {
    return __shfl_sync(members, value, lane);
}
__device__ __noinline__ int sum_of_shuffled(unsigned members, int value, int lane) {
    int sum = 0;
    for (int round = 0; round < rounds; ++round) sum += __shfl_sync(members, value + round, lane);
    return sum;
}
__device__ __noinline__ int votes_and_matches(unsigned members, int value) {
    const unsigned odd = __ballot_sync(members, value % 2), like = __match_any_sync(members, value / 8);
    int all = 0;
    __match_all_sync(members, value / 32, &all);
    return __popc(odd) + 100 * __popc(like) + 10000 * __reduce_max_sync(members, value) + 10000000 * all;
}
/// From two calls of one function, and from a function and the kernel.
__global__ void exchange_values(int* got, unsigned members) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    int* const own = got + 3 * thread;
    if (lane % 2 == 0) {
        own[0] = shuffled(members, lane * 3, lane ^ 1);
        int sum = 0;
        for (int round = 0; round < rounds; ++round) sum += __shfl_sync(members, 10 * lane + round, lane ^ 1);
        own[1] = sum;
        own[2] = votes_and_matches(members, lane);
    } else {
        own[0] = shuffled(members, lane * 5, lane ^ 1);
        own[1] = sum_of_shuffled(members, 20 * lane, lane ^ 1);
        own[2] = votes_and_matches(members, lane + 100);
    }
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
    const Device<int> triples(std::vector<int>(3 * threads, -1));
    exchange_values<<<1, threads>>>(triples, 0xFFFFFFFF);
    got = triples.host();
    for (int i = 0; i < threads; ++i) {
        const int lane = i % 32, other = lane ^ 1;
        right &= got[3 * i] == (other % 2 == 0 ? other * 3 : other * 5);
        right &= got[3 * i + 1] == rounds * other * (other % 2 == 0 ? 10 : 20) + rounds * (rounds - 1) / 2;
        // Odd lanes have 101 to 131, of which 101 and 103 are the first two that one eighth of is the same.
        const int same = lane % 2 == 0 ? 4 : lane < 4 ? 2 : lane < 28 ? 4 : 2;
        right &= got[3 * i + 2] == 16 + 100 * same + 10000 * 131;
    }
    return verdict(right);
}
