// Sparse matrix times vector in compressed rows: a thread per row, and a warp per row.
#include "verify.hpp"

template <class T>
__global__ void by_thread(const int* start, const int* column, const T* value, const T* x, T* y, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    T sum = 0;
    for (int i = start[row]; i < start[row + 1]; ++i) sum += value[i] * x[column[i]];
    y[row] = sum;
}

template <class T>
__global__ void by_warp(const int* __restrict__ start, const int* __restrict__ column, const T* __restrict__ value,
                        const T* __restrict__ x, T* y, int rows) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    T sum = 0;
    for (int i = start[row] + lane; i < start[row + 1]; i += 32) sum += value[i] * x[column[i]];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
    if (lane == 0) y[row] = sum;
}

template <class T>
bool test(int rows, double tolerance) {
    Random random;
    std::vector<int> start{0}, column;
    std::vector<T> value, x(rows);
    for (T& element : x) element = random.uniform();
    std::vector<T> expected(rows);
    for (int row = 0; row < rows; ++row) {
        const int length = row % 97 == 0 ? 300 : static_cast<int>(random.next() % 40);  // some long, some empty
        double sum = 0;
        for (int i = 0; i < length; ++i) {
            column.push_back(static_cast<int>(random.next() % rows));
            value.push_back(random.uniform() - T(0.5));
            sum += double(value.back()) * x[column.back()];
        }
        expected[row] = static_cast<T>(sum);
        start.push_back(static_cast<int>(column.size()));
    }
    const Device<int> d_start(start), d_column(column);
    const Device<T> d_value(value), d_x(x);
    Device<T> one(rows), two(rows);
    by_thread<T><<<(rows + 127) / 128, 128>>>(d_start, d_column, d_value, d_x, one, rows);
    by_warp<T><<<(rows + 3) / 4, 128>>>(d_start, d_column, d_value, d_x, two, rows);
    return agree("a thread per row", one.host(), expected, tolerance) &
           agree("a warp per row", two.host(), expected, tolerance);
}

int main(int argc, char** argv) {
    const int rows = static_cast<int>(option(argc, argv, "--rows", 3000));
    return verdict(test<float>(rows, 1e-4) & test<double>(rows, 1e-12));
}
