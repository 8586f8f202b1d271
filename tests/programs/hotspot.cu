// Heat in a chip: an explicit time step of the temperature under a power map, two steps per launch with a ghost zone.
#include <algorithm>

#include "verify.hpp"

constexpr int block = 16, steps = 2, inner = block - 2 * steps;
constexpr float ambient = 80, rx = 0.1F, ry = 0.15F, rz = 0.05F, gain = 0.3F;

__host__ __device__ float next(float t, float n, float s, float w, float e, float power) {
    return t + gain * (power + (n + s - 2 * t) * ry + (w + e - 2 * t) * rx + (ambient - t) * rz);
}

__global__ void heat(const float* power, const float* in, float* out, int side) {
    __shared__ float now[block][block], watts[block][block];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = static_cast<int>(blockIdx.x) * inner + tx - steps,
              y = static_cast<int>(blockIdx.y) * inner + ty - steps;
    const bool inside = x >= 0 && y >= 0 && x < side && y < side;
    if (inside) {
        now[ty][tx] = in[y * side + x];
        watts[ty][tx] = power[y * side + x];
    }
    __syncthreads();
    // At the edge of the chip a point's missing neighbour is the point itself.
    const int north = y == 0 ? ty : ty - 1, south = y == side - 1 ? ty : ty + 1;
    const int west = x == 0 ? tx : tx - 1, east = x == side - 1 ? tx : tx + 1;
    for (int step = 1; step <= steps; ++step) {
        const bool computed = inside && tx >= step && tx < block - step && ty >= step && ty < block - step;
        float t = 0;
        if (computed)
            t = next(now[ty][tx], now[north][tx], now[south][tx], now[ty][west], now[ty][east], watts[ty][tx]);
        __syncthreads();
        if (computed) now[ty][tx] = t;
        __syncthreads();
    }
    if (inside && tx >= steps && tx < block - steps && ty >= steps && ty < block - steps)
        out[y * side + x] = now[ty][tx];
}

int main(int argc, char** argv) {
    const int side = static_cast<int>(option(argc, argv, "--side", 200)), launches = 3;
    std::vector<float> temperature = random_floats(size_t{1} * side * side, 320, 340),
                       power = random_floats(temperature.size());
    const Device<float> d_power(power);
    Device<float> a(temperature), b(temperature.size());
    float *in = a, *out = b;
    const int blocks = (side + inner - 1) / inner;
    for (int i = 0; i < launches; ++i, std::swap(in, out))
        heat<<<dim3(blocks, blocks), dim3(block, block)>>>(d_power, in, out, side);
    for (int i = 0; i < launches * steps; ++i) {
        const std::vector<float> old = temperature;
        const auto at = [&](int y, int x) {
            return old[std::clamp(y, 0, side - 1) * side + std::clamp(x, 0, side - 1)];
        };
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x)
                temperature[y * side + x] =
                    next(at(y, x), at(y - 1, x), at(y + 1, x), at(y, x - 1), at(y, x + 1), power[y * side + x]);
    }
    return verdict(agree("temperature", in == a ? a.host() : b.host(), temperature, 1e-5));
}
