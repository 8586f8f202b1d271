// Sums of blocks whose last warp is not full, by shuffles from all of its lanes: what those give that are no threads
// PTX leaves open. Here it is 0, also where another launch has had whole warps before.
#include "../../programs/verify.hpp"

__device__ int sum_of_warp(int value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0U, value, step);
    return value;
}

__global__ void sum(const int* in, int* out, int rounds) {
    extern __shared__ int total[];
    if (threadIdx.x == 0) total[0] = 0;
    for (int round = 0; round < rounds; ++round) {
        int value = 0;
        for (unsigned i = threadIdx.x; i < 2 * blockDim.x; i += blockDim.x) value += in[i] * (round + 1);
        value = sum_of_warp(value);
        __syncthreads();
        if (threadIdx.x % 32 == 0) atomicAdd(total, value);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = total[0];
}

int main() {
    const int blocks = 40;
    bool right = true;
    for (const int threads : {160, 20, 100}) {
        std::vector<int> in(2 * threads);
        int expected = 0;
        for (int i = 0; i < 2 * threads; ++i) {
            in[i] = i * 7 % 100;
            expected += in[i] * 3;
        }
        const Device<int> there(in);
        Device<int> out(blocks);
        sum<<<blocks, threads, sizeof(int)>>>(there, out, 2);
        right &= agree("sums of blocks", out.host(), std::vector<int>(blocks, expected));
    }
    return verdict(right);
}
