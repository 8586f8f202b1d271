// Programs that know where the elements of wmma's fragments are in the registers: inputs of halves are filled by
// ldmatrix, and what is added to an accumulator depends on its row and column.
#include <cuda_fp16.h>
#include <mma.h>

#include "verify.hpp"

using namespace nvcuda;
constexpr int side = 16;
using Input = wmma::fragment<wmma::matrix_a, side, side, side, half, wmma::row_major>;
using Columns = wmma::fragment<wmma::matrix_b, side, side, side, half, wmma::col_major>;

__device__ unsigned& pair(half& first) {
    return *reinterpret_cast<unsigned*>(&first);
}

// Four squares of eight rows and columns: below each other, then beside each other.
__device__ void load_rows(half* registers, const half* matrix) {
    const half* row = matrix + threadIdx.x % side * side + threadIdx.x / side * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(pair(registers[0])), "=r"(pair(registers[2])), "=r"(pair(registers[4])),
                   "=r"(pair(registers[6]))
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row))));
}

template <class Sum>
__global__ void multiply(const half* a, const half* b, Sum* c) {
    __shared__ half a_part[side * side], b_part[side * side];
    for (int i = threadIdx.x; i < side * side; i += 32) {
        a_part[i] = a[i];
        b_part[i] = b[i];
    }
    __syncwarp();
    Input rows;
    Columns columns;  // whose squares are beside each other first
    wmma::fragment<wmma::accumulator, side, side, side, Sum> sum;
    load_rows(rows.x, a_part);
    load_rows(columns.x, b_part);
    const unsigned second = pair(columns.x[2]);
    pair(columns.x[2]) = pair(columns.x[4]);
    pair(columns.x[4]) = second;
    wmma::fill_fragment(sum, Sum(0));
    wmma::mma_sync(sum, rows, columns, sum);
    for (int i = 0; i < sum.num_elements; ++i) {
        const int row = threadIdx.x / 4 + i / 2 % 2 * 8, column = threadIdx.x % 4 * 2 + i % 2 + i / 4 * 8;
        sum.x[i] += Sum(row - column);
    }
    wmma::store_matrix_sync(c, sum, side, wmma::mem_row_major);
}

template <class Sum>
static bool right() {
    Random random;
    std::vector<half> a(side * side), b(side * side);
    for (half& value : a) value = __float2half(static_cast<float>(random.next() % 9) - 4);
    for (half& value : b) value = __float2half(static_cast<float>(random.next() % 9) - 4);
    const Device<half> device_a(a), device_b(b);
    const Device<Sum> device_c(side * side);
    multiply<<<1, 32>>>(device_a, device_b, static_cast<Sum*>(device_c));
    const std::vector<Sum> c = device_c.host();
    for (int row = 0; row < side; ++row) {
        for (int column = 0; column < side; ++column) {
            auto want = static_cast<float>(row - column);
            for (int k = 0; k < side; ++k) want += __half2float(a[row * side + k]) * __half2float(b[column * side + k]);
            if (static_cast<float>(c[row * side + column]) != want) return false;
        }
    }
    return true;
}

int main() {
    return verdict(right<float>() && right<half>());
}
