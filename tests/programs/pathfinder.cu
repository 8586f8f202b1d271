// The cheapest way down a grid, row by row: dynamic programming, several rows per launch with a ghost zone.
#include <algorithm>

#include "verify.hpp"

constexpr int block = 256;

__global__ void advance(const int* wall, const int* in, int* out, int columns, int first, int rows) {
    __shared__ int previous[block];
    const int t = threadIdx.x, x = static_cast<int>(blockIdx.x) * (block - 2 * rows) + t - rows;
    const bool inside = x >= 0 && x < columns;
    previous[t] = inside ? in[x] : INT_MAX;
    __syncthreads();
    int cost = 0;
    for (int row = 0; row < rows; ++row) {
        const bool computed = inside && t >= row + 1 && t < block - row - 1;
        if (computed)
            cost = wall[(first + row) * columns + x] + min(previous[t], min(previous[t - 1], previous[t + 1]));
        __syncthreads();
        if (computed) previous[t] = cost;
        __syncthreads();
    }
    if (inside && t >= rows && t < block - rows) out[x] = previous[t];
}

int main(int argc, char** argv) {
    const int columns = static_cast<int>(option(argc, argv, "--columns", 5000)), rows = 41, height = 10;
    Random random;
    std::vector<int> wall(columns * rows);
    for (int& value : wall) value = static_cast<int>(random.next() % 10);
    std::vector<int> cost(wall.begin(), wall.begin() + columns);
    const Device<int> d_wall(wall);
    Device<int> a(cost), b(columns);
    int *in = a, *out = b;
    for (int row = 1; row < rows; row += height, std::swap(in, out)) {
        const int now = std::min(height, rows - row), width = block - 2 * now;
        advance<<<(columns + width - 1) / width, block>>>(d_wall, in, out, columns, row, now);
    }
    for (int row = 1; row < rows; ++row) {
        const auto old = cost;
        for (int x = 0; x < columns; ++x)
            cost[x] = wall[row * columns + x] +
                      std::min({old[x], old[std::max(x - 1, 0)], old[std::min(x + 1, columns - 1)]});
    }
    return verdict(agree("cost", in == a ? a.host() : b.host(), cost));
}
