// C = A x B with tiles of A and B in shared memory; A is 1280 x 640, B 640 x 640 (rows x columns).
// matrix_multiply [--tile 32|16] [--height ROWS_OF_A] [--width COLUMNS_OF_B] [--depth COLUMNS_OF_A]
#include <cmath>
#include <vector>

#include "program.hpp"

template <int tile>
__global__ void matrix_multiply(const float* a, const float* b, float* c, int depth, int width) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    float sum = 0;
    for (int step = 0; step < depth; step += tile) {
        a_tile[y][x] = a[row * depth + step + x];
        b_tile[y][x] = b[(step + y) * width + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < tile; ++k) sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }
    c[row * width + column] = sum;
}

int main(int argc, char** argv) {
    const int tile = static_cast<int>(option(argc, argv, "--tile", 32));
    const int height = static_cast<int>(option(argc, argv, "--height", 1280));
    const int width = static_cast<int>(option(argc, argv, "--width", 640));
    const int depth = static_cast<int>(option(argc, argv, "--depth", 640));
    if ((tile != 16 && tile != 32) || height % tile || width % tile || depth % tile) {
        std::fprintf(stderr, "--tile is 16 or 32, and divides --height, --width and --depth\n");
        return EXIT_FAILURE;
    }
    std::vector<float> a(size_t{1} * height * depth), b(size_t{1} * depth * width), c(size_t{1} * height * width);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 13) / 13;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 17) / 17 - 0.5F;

    float *d_a, *d_b, *d_c;
    check(cudaMalloc(&d_a, a.size() * sizeof(float)));
    check(cudaMalloc(&d_b, b.size() * sizeof(float)));
    check(cudaMalloc(&d_c, c.size() * sizeof(float)));
    check(cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaMemcpy(d_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
    const dim3 block(tile, tile), grid(width / tile, height / tile);
    if (tile == 32) {
        matrix_multiply<32><<<grid, block>>>(d_a, d_b, d_c, depth, width);
    } else {
        matrix_multiply<16><<<grid, block>>>(d_a, d_b, d_c, depth, width);
    }
    check(cudaGetLastError());
    check(cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));

    // Every 61st element only: 61 divides no power of two, so that all rows, columns and places in a tile occur.
    bool right = true;
    for (size_t i = 0; i < c.size(); i += 61) {
        double sum = 0;
        for (int k = 0; k < depth; ++k) sum += double{a[i / width * depth + k]} * b[size_t{1} * k * width + i % width];
        right = right && std::abs(c[i] - sum) <= 1e-5 * depth;
    }
    check(cudaFree(d_a));
    check(cudaFree(d_b));
    check(cudaFree(d_c));
    return verdict(right);
}
