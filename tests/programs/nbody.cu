// Gravitation of n bodies, all pairs, tiles of bodies in shared memory.
#include "verify.hpp"

constexpr int block = 128;
constexpr float softening = 0.01F;

__global__ void accelerate(const float4* bodies, float4* acceleration, int n) {
    __shared__ float4 tile[block];
    const int i = blockIdx.x * block + threadIdx.x;
    const float4 own = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int base = 0; base < n; base += block) {
        tile[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < block; ++j) {
            const float4 other = tile[j];
            const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            const float force = other.w * inverse * inverse * inverse;
            x += dx * force;
            y += dy * force;
            z += dz * force;
        }
        __syncthreads();
    }
    acceleration[i] = make_float4(x, y, z, 0);
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--bodies", 1024)) / block * block;
    Random random;
    std::vector<float4> bodies(n);
    for (float4& body : bodies) body = {random.uniform(), random.uniform(), random.uniform(), random.uniform()};
    const Device<float4> in(bodies);
    Device<float4> out(n);
    accelerate<<<n / block, block>>>(in, out, n);
    std::vector<double> got, expected;
    for (const float4& a : out.host()) got.insert(got.end(), {a.x, a.y, a.z});
    for (const float4& own : bodies) {
        double sum[3] = {};
        for (const float4& other : bodies) {
            const double d[3] = {double(other.x) - own.x, double(other.y) - own.y, double(other.z) - own.z};
            const double inverse = 1 / std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening);
            for (int c = 0; c < 3; ++c) sum[c] += d[c] * other.w * inverse * inverse * inverse;
        }
        expected.insert(expected.end(), sum, sum + 3);
    }
    return verdict(agree("acceleration", got, expected, 2e-4));
}
