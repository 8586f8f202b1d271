// Separable convolution of an image: weights in constant memory, rows through shared memory, columns from global
// memory.
#include <algorithm>

#include "verify.hpp"

constexpr int radius = 4, block_x = 64, block_y = 4;
__constant__ float weights[2 * radius + 1];

__global__ void rows(const float* in, float* out, int width, int height) {
    __shared__ float part[block_y][block_x + 2 * radius];
    const int x = blockIdx.x * block_x + threadIdx.x, y = blockIdx.y * block_y + threadIdx.y;
    for (int i = threadIdx.x; i < block_x + 2 * radius; i += block_x) {
        const int column = static_cast<int>(blockIdx.x * block_x) + i - radius;
        part[threadIdx.y][i] = column >= 0 && column < width && y < height ? in[y * width + column] : 0;
    }
    __syncthreads();
    if (x >= width || y >= height) return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * radius; ++k) sum += weights[k] * part[threadIdx.y][threadIdx.x + k];
    out[y * width + x] = sum;
}

__global__ void columns(const float* in, float* out, int width, int height) {
    const int x = blockIdx.x * block_x + threadIdx.x, y = blockIdx.y * block_y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k)
        if (y + k >= 0 && y + k < height) sum += weights[k + radius] * in[(y + k) * width + x];
    out[y * width + x] = sum;
}

int main(int argc, char** argv) {
    const int width = static_cast<int>(option(argc, argv, "--width", 301));
    const int height = static_cast<int>(option(argc, argv, "--height", 203));
    const auto image = random_floats(size_t{1} * width * height);
    std::vector<float> weight(2 * radius + 1), expected(image.size());
    for (int k = -radius; k <= radius; ++k) weight[k + radius] = std::exp(-0.1F * k * k) / 5;
    check(cudaMemcpyToSymbol(weights, weight.data(), sizeof weights));
    const Device<float> in(image);
    Device<float> middle(image.size()), out(image.size());
    const dim3 block(block_x, block_y), grid((width + block_x - 1) / block_x, (height + block_y - 1) / block_y);
    rows<<<grid, block>>>(in, middle, width, height);
    columns<<<grid, block>>>(middle, out, width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            double sum = 0;
            for (int j = std::max(-radius, -y); j <= std::min(radius, height - 1 - y); ++j)
                for (int i = std::max(-radius, -x); i <= std::min(radius, width - 1 - x); ++i)
                    sum += double(weight[j + radius]) * weight[i + radius] * image[(y + j) * width + x + i];
            expected[y * width + x] = static_cast<float>(sum);
        }
    return verdict(agree("image", out.host(), expected, 1e-5));
}
