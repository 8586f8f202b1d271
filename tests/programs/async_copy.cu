// Tiles brought into shared memory asynchronously (cp.async) while the one before is used: a dot product; and copies of
// which only the first bytes are data.
#include <cuda_pipeline.h>

#include <cstring>

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

/// Three copies each: of all 16 bytes, of four with twelve zeros, and of as many as the lane says.
__global__ void partial(const uint4* in, uint4* out) {
    __shared__ uint4 part[3][threads];
    const int t = threadIdx.x;
    for (auto& of_all : part) of_all[t] = make_uint4(~0U, ~0U, ~0U, ~0U);
    __syncthreads();
    __pipeline_memcpy_async(&part[0][t], &in[t], sizeof(uint4), 0);
    __pipeline_memcpy_async(&part[1][t], &in[t], sizeof(uint4), 12);
    if (t % 3 != 0) __pipeline_memcpy_async(&part[2][t], &in[t], sizeof(uint4), t % 17);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = 0; i < 3; ++i) out[i * threads + t] = part[i][threads - 1 - t];
}

bool partial_copies() {
    Random random;
    std::vector<uint4> in(threads);
    for (uint4& v : in) v = make_uint4(random.next(), random.next(), random.next(), random.next());
    std::vector<uint4> expected(3 * threads);
    for (int t = 0; t < threads; ++t) {
        const int from = threads - 1 - t;
        expected[t] = in[from];
        expected[threads + t] = make_uint4(in[from].x, 0, 0, 0);
        uint4& some = expected[2 * threads + t];
        if (from % 3 == 0)
            some = make_uint4(~0U, ~0U, ~0U, ~0U);
        else
            std::memcpy(&some, &in[from], sizeof(uint4) - from % 17);
    }
    const Device<uint4> d_in(in);
    Device<uint4> out(expected.size());
    partial<<<1, threads>>>(d_in, out);
    const std::vector<uint4> got = out.host();
    return holds(std::memcmp(got.data(), expected.data(), expected.size() * sizeof(uint4)) == 0, "partial copies");
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
    return verdict(agree("dot", out.host(), expected) && partial_copies());
}
