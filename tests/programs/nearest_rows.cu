// The nearest of some rows to each of many, every thread with a row of its own: neighbouring lanes are a row apart.
#include <algorithm>

#include "verify.hpp"

constexpr int others = 64;

__global__ void nearest(const float* rows, const float* other, float* distance, int n, int columns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float least = 1e30F;
    for (int j = 0; j < others; ++j) {
        float sum = 0;
        for (int k = 0; k < columns; ++k) {
            const float d = rows[i * columns + k] - other[j * columns + k];
            sum += d * d;
        }
        least = fminf(least, sum);
    }
    distance[i] = least;
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--rows", 4000));
    const int columns = static_cast<int>(option(argc, argv, "--columns", 32));
    // Multiples of 1/16 in a small range: all sums of squares are exact in any order of operations.
    Random random;
    std::vector<float> rows(size_t{1} * n * columns), other(size_t{1} * others * columns);
    for (float& value : rows) value = static_cast<float>(random.next() % 64) / 16;
    for (float& value : other) value = static_cast<float>(random.next() % 64) / 16;
    const Device<float> d_rows(rows), d_other(other);
    Device<float> distance(n);
    nearest<<<(n + 255) / 256, 256>>>(d_rows, d_other, distance, n, columns);
    std::vector<float> expected(n, 1e30F);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < others; ++j) {
            float sum = 0;
            for (int k = 0; k < columns; ++k) {
                const float d = rows[size_t{1} * i * columns + k] - other[j * columns + k];
                sum += d * d;
            }
            expected[i] = std::min(expected[i], sum);
        }
    }
    return verdict(agree("distance", distance.host(), expected, 0));
}
