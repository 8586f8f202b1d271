// Pi by random points, each thread with its own generator (xorshift, Marsaglia 2003); whole-number results.
#include "verify.hpp"

__host__ __device__ unsigned xorshift(unsigned& state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__host__ __device__ unsigned inside(unsigned thread, int points) {
    unsigned state = thread * 2654435761U + 1, hits = 0;
    for (int i = 0; i < points; ++i) {
        const unsigned long long x = xorshift(state) >> 1, y = xorshift(state) >> 1;
        hits += x * x + y * y < 1ULL << 62;
    }
    return hits;
}

__global__ void throw_points(unsigned long long* total, unsigned* own, int points) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    own[thread] = inside(thread, points);
    const int hits = __syncthreads_count(own[thread] > 0);
    if (threadIdx.x == 0 && hits != blockDim.x) __trap();
    atomicAdd(total, own[thread]);
}

int main(int argc, char** argv) {
    const int points = static_cast<int>(option(argc, argv, "--points", 100)), threads = 64 * 128;
    Device<unsigned> own(threads);
    Device<unsigned long long> total(std::vector<unsigned long long>{0});
    throw_points<<<threads / 128, 128>>>(total, own, points);
    std::vector<unsigned> expected(threads);
    unsigned long long sum = 0;
    for (int i = 0; i < threads; ++i) sum += expected[i] = inside(i, points);
    const double pi = 4.0 * static_cast<double>(total.host()[0]) / points / threads;
    return verdict(agree("hits", own.host(), expected) & agree("total", total.host()[0], sum) &
                   agree("pi", pi, 3.14159265, 0.01));
}
