// A layer of a neural network: forward (products reduced in shared memory) and adjustment of the weights.
#include "verify.hpp"

constexpr int block = 16;  // hidden nodes, and inputs per block
constexpr float eta = 0.3F, momentum = 0.3F;

__global__ void forward(const float* input, const float* weight, float* partial) {
    __shared__ float node[block], product[block][block];
    const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * block + ty;
    if (tx == 0) node[ty] = input[i];
    __syncthreads();
    product[ty][tx] = weight[i * block + tx] * node[ty];
    __syncthreads();
    for (int step = 1; step < block; step *= 2) {
        if (ty % (2 * step) == 0) product[ty][tx] += product[ty + step][tx];
        __syncthreads();
    }
    if (ty == 0) partial[blockIdx.x * block + tx] = product[0][tx];
}

__global__ void adjust(const float* delta, const float* input, float* weight, float* previous) {
    const int i = blockIdx.x * block + threadIdx.y, j = threadIdx.x, index = i * block + j;
    const float change = eta * delta[j] * input[i] + momentum * previous[index];
    weight[index] += change;
    previous[index] = change;
}

int main(int argc, char** argv) {
    const int inputs = static_cast<int>(option(argc, argv, "--inputs", 4096)) / block * block;
    const auto input = random_floats(inputs, -1, 1), delta = random_floats(block, -1, 1);
    auto weight = random_floats(size_t{1} * inputs * block, -0.5F, 0.5F), previous = weight;
    const Device<float> d_input(input), d_delta(delta);
    Device<float> d_weight(weight), d_previous(previous), d_partial(inputs);
    const dim3 threads(block, block);
    forward<<<inputs / block, threads>>>(d_input, d_weight, d_partial);
    adjust<<<inputs / block, threads>>>(d_delta, d_input, d_weight, d_previous);

    std::vector<double> sums(block), expected(block);
    const auto partial = d_partial.host();
    for (int i = 0; i < inputs; ++i) {
        sums[i % block] += partial[i];
        for (int j = 0; j < block; ++j) expected[j] += double(input[i]) * weight[i * block + j];
    }
    for (size_t i = 0; i < weight.size(); ++i) {
        previous[i] = eta * delta[i % block] * input[i / block] + momentum * previous[i];
        weight[i] += previous[i];
    }
    return verdict(agree("sums", sums, expected, 1e-5) & agree("weights", d_weight.host(), weight, 1e-6) &
                   agree("changes", d_previous.host(), previous, 1e-6));
}
