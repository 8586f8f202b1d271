// On-chip memories, caches: a chain of dependent loads through arrays of growing size, and strided sweeps of many
// threads.
#include <numeric>

#include "verify.hpp"

__global__ void chase(const unsigned* next, unsigned* end, int steps) {
    unsigned place = threadIdx.x;
    for (int i = 0; i < steps; ++i) place = next[place];
    end[threadIdx.x] = place;
}

__global__ void sweep(const float4* __restrict__ data, float* out, int n, int stride) {
    float sum = 0;
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < n; i += gridDim.x * blockDim.x) {
        const float4 v = data[static_cast<int>(static_cast<long long>(i) * stride % n)];
        sum += v.x + v.y + v.z + v.w;
    }
    out[thread] = sum;
}

int main(int argc, char** argv) {
    const int steps = static_cast<int>(option(argc, argv, "--steps", 2000));
    bool right = true;
    for (const unsigned kib : {8, 256, 4096}) {
        // One cycle through all elements, in random order (Sattolo).
        std::vector<unsigned> order(kib * 256), next(order.size()), expected(32), end(32);
        std::iota(order.begin(), order.end(), 0U);
        Random random;
        for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random.next() % i]);
        for (size_t i = 0; i < order.size(); ++i) next[order[i]] = order[(i + 1) % order.size()];
        for (unsigned lane = 0; lane < 32; ++lane) {
            expected[lane] = lane;
            for (int i = 0; i < steps; ++i) expected[lane] = next[expected[lane]];
        }
        const Device<unsigned> chain(next);
        Device<unsigned> out(32);
        chase<<<1, 32>>>(chain, out, steps);
        right &= agree("chain", out.host(), expected);
    }
    const int n = 1 << 15, threads = 64 * 256;
    std::vector<float4> data(n);
    for (int i = 0; i < n; ++i) data[i] = make_float4(i % 64, 1, 2, 3);
    const Device<float4> d_data(data);
    Device<float> out(threads);
    for (const int stride : {1, 4, 33}) {
        std::vector<float> expected(threads);
        for (int i = 0; i < n; ++i) expected[i % threads] += data[static_cast<long long>(i) * stride % n].x + 6;
        sweep<<<64, 256>>>(d_data, out, n, stride);
        right &= agree("sweep", out.host(), expected);
    }
    return verdict(right);
}
