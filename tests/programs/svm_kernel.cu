// Decision values of a support vector machine with a Gaussian kernel: sum_i alpha_i exp(-gamma |x - s_i|^2) + b.
#include "verify.hpp"

constexpr int features = 16, tile = 64;
constexpr float gamma_ = 0.05F, bias = -0.25F;

__global__ void decide(const float* points, const float* support, const float* alpha, float* decision, int vectors) {
    __shared__ float vector[tile][features], weight[tile];
    float x[features];
    const int i = blockIdx.x * tile + threadIdx.x;
#pragma unroll
    for (int f = 0; f < features; ++f) x[f] = points[i * features + f];
    float sum = bias;
    for (int base = 0; base < vectors; base += tile) {
        __syncthreads();
        for (int k = threadIdx.x; k < tile * features; k += tile) (&vector[0][0])[k] = support[base * features + k];
        weight[threadIdx.x] = alpha[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < tile; ++j) {
            float distance = 0;
#pragma unroll
            for (int f = 0; f < features; ++f) distance += (x[f] - vector[j][f]) * (x[f] - vector[j][f]);
            sum += weight[j] * expf(-gamma_ * distance);
        }
    }
    decision[i] = sum;
}

int main(int argc, char** argv) {
    const int points = static_cast<int>(option(argc, argv, "--points", 1024)) / tile * tile, vectors = 256;
    const auto point = random_floats(size_t{1} * points * features, -1, 1), alpha = random_floats(vectors, -1, 1);
    const auto support = random_floats(size_t{1} * vectors * features, -1.5F, 1.5F);
    const Device<float> d_point(point), d_support(support), d_alpha(alpha);
    Device<float> decision(points);
    decide<<<points / tile, tile>>>(d_point, d_support, d_alpha, decision, vectors);
    std::vector<float> expected(points);
    for (int i = 0; i < points; ++i) {
        double sum = bias;
        for (int j = 0; j < vectors; ++j) {
            double distance = 0;
            for (int f = 0; f < features; ++f) {
                const double d = double(point[i * features + f]) - support[j * features + f];
                distance += d * d;
            }
            sum += alpha[j] * std::exp(-gamma_ * distance);
        }
        expected[i] = static_cast<float>(sum);
    }
    return verdict(agree("decision", decision.host(), expected, 1e-4));
}
