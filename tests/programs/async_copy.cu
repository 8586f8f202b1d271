// Tiles brought into shared memory asynchronously (cp.async) while the one before is used: a dot product.
#include <cuda_pipeline.h>

#include "verify.hpp"

constexpr int threads = 128, stages = 2;

__global__ void dot(const float4* a, const float4* b, float* out, int tiles) {
    __shared__ float4 part[stages][2][threads];
    const int t = threadIdx.x;
    const auto fetch = [&](int tile) {
        const int i = (blockIdx.x * tiles + tile) * threads + t;
        __pipeline_memcpy_async(&part[tile % stages][0][t], &a[i], sizeof(float4));
        __pipeline_memcpy_async(&part[tile % stages][1][t], &b[i], sizeof(float4));
        __pipeline_commit();
    };
    fetch(0);
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) fetch(tile + 1);
        __pipeline_wait_prior(tile + 1 < tiles ? 1 : 0);
        __syncthreads();
        const float4 x = part[tile % stages][0][threads - 1 - t], y = part[tile % stages][1][threads - 1 - t];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
        __syncthreads();
    }
    out[blockIdx.x * threads + t] = sum;
}

int main(int argc, char** argv) {
    const int tiles = static_cast<int>(option(argc, argv, "--tiles", 9)), blocks = 5, n = blocks * tiles * threads;
    Random random;
    std::vector<float4> a(n), b(n);
    for (auto* values : {&a, &b})
        for (float4& v : *values)
            v = make_float4(random.next() % 8, random.next() % 8, random.next() % 8, random.next() % 8);
    std::vector<float> expected(blocks * threads);
    for (int i = 0; i < n; ++i)
        expected[i / (tiles * threads) * threads + threads - 1 - i % threads] +=
            a[i].x * b[i].x + a[i].y * b[i].y + a[i].z * b[i].z + a[i].w * b[i].w;
    const Device<float4> d_a(a), d_b(b);
    Device<float> out(expected.size());
    dot<<<blocks, threads>>>(d_a, d_b, out, tiles);
    return verdict(agree("dot", out.host(), expected));
}
