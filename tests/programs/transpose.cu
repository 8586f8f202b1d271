// Matrix transposition: naive (uncoalesced stores), through a shared tile (bank conflicts), through a padded tile.
#include "verify.hpp"

constexpr int tile = 32, rows = 8;

__global__ void naive(const float* in, float* out, int width, int height) {
    const int x = blockIdx.x * tile + threadIdx.x;
    for (int y = blockIdx.y * tile + threadIdx.y; y < (blockIdx.y + 1) * tile; y += rows)
        out[x * height + y] = in[y * width + x];
}

template <int pitch>
__global__ void tiled(const float* in, float* out, int width, int height) {
    __shared__ float part[tile][pitch];
    const int x = blockIdx.x * tile, y = blockIdx.y * tile;
    for (int j = threadIdx.y; j < tile; j += rows) part[j][threadIdx.x] = in[(y + j) * width + x + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < tile; j += rows) out[(x + j) * height + y + threadIdx.x] = part[threadIdx.x][j];
}

int main(int argc, char** argv) {
    const int width = static_cast<int>(option(argc, argv, "--width", 512)) / tile * tile;
    const int height = static_cast<int>(option(argc, argv, "--height", 256)) / tile * tile;
    std::vector<float> matrix(size_t{1} * width * height), expected(matrix.size());
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            matrix[y * width + x] = static_cast<float>(y * width + x);
            expected[x * height + y] = matrix[y * width + x];
        }
    const Device<float> in(matrix);
    const dim3 grid(width / tile, height / tile), block(tile, rows);
    bool right = true;
    const auto test = [&](const char* name, auto kernel) {
        Device<float> out(matrix.size());
        kernel<<<grid, block>>>(in, out, width, height);
        right &= agree(name, out.host(), expected);
    };
    test("naive", naive);
    test("tiled", tiled<tile>);
    test("padded", tiled<tile + 1>);
    return verdict(right);
}
