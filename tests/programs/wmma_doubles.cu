// Products of matrices of doubles by the tensor units (8 x 8 x 4), of rows and of columns, from shared and from global
// memory.
#include <mma.h>

#include <type_traits>

#include "verify.hpp"

namespace wmma = nvcuda::wmma;

constexpr int side = 8, depth = 4, products = 5, pitch = 12;
using C = wmma::fragment<wmma::accumulator, side, side, depth, double>;

/// out = in + the sum of a's matrices times b's, each matrix `pitch` from line to line.
template <class LayoutA, class LayoutB>
__global__ void multiply(const double* a, const double* b, const double* in, double* out, wmma::layout_t layout) {
    __shared__ double tile[side * pitch];
    wmma::fragment<wmma::matrix_a, side, side, depth, double, LayoutA> left;
    wmma::fragment<wmma::matrix_b, side, side, depth, double, LayoutB> right;
    C sum;
    wmma::load_matrix_sync(sum, in, pitch, layout);
    for (int i = 0; i < products; ++i) {
        for (int k = threadIdx.x; k < side * pitch; k += warpSize) tile[k] = a[i * side * pitch + k];
        __syncwarp();
        wmma::load_matrix_sync(left, tile, pitch);
        wmma::load_matrix_sync(right, b + i * side * pitch, pitch);
        wmma::mma_sync(sum, left, right, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(out, sum, pitch, layout);
}

double at(const std::vector<double>& matrix, int first, int row, int col, bool by_rows) {
    return matrix[first + (by_rows ? row * pitch + col : col * pitch + row)];
}

struct Data {
    std::vector<double> a, b, c;
};

template <class LayoutA, class LayoutB>
bool is_right(const char* name, const Data& data, bool c_by_rows) {
    constexpr bool a_by_rows = std::is_same_v<LayoutA, wmma::row_major>;
    constexpr bool b_by_rows = std::is_same_v<LayoutB, wmma::row_major>;
    const Device<double> a(data.a), b(data.b), c(data.c);
    Device<double> out(data.c.size());
    multiply<LayoutA, LayoutB><<<1, 32>>>(a, b, c, out, c_by_rows ? wmma::mem_row_major : wmma::mem_col_major);
    const std::vector<double> all = out.host();
    std::vector<double> got, expected;
    for (int row = 0; row < side; ++row) {
        for (int col = 0; col < side; ++col) {
            double sum = at(data.c, 0, row, col, c_by_rows);
            for (int i = 0; i < products; ++i)
                for (int k = 0; k < depth; ++k)
                    sum += at(data.a, i * side * pitch, row, k, a_by_rows) *
                           at(data.b, i * side * pitch, k, col, b_by_rows);
            expected.push_back(sum);
            got.push_back(at(all, 0, row, col, c_by_rows));
        }
    }
    return agree(name, got, expected);
}

int main() {
    Random random;
    Data data{std::vector<double>(products * side * pitch), std::vector<double>(products * side * pitch),
              std::vector<double>(side * pitch)};
    for (auto* values : {&data.a, &data.b, &data.c})
        for (double& value : *values) value = static_cast<double>(random.next() % 16) - 8;
    using wmma::col_major;
    using wmma::row_major;
    bool right = true;
    for (const bool c_by_rows : {true, false}) {
        right &= is_right<row_major, row_major>("rows, rows", data, c_by_rows);
        right &= is_right<row_major, col_major>("rows, columns", data, c_by_rows);
        right &= is_right<col_major, row_major>("columns, rows", data, c_by_rows);
        right &= is_right<col_major, col_major>("columns, columns", data, c_by_rows);
    }
    return verdict(right);
}
