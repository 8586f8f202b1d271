// Matrix multiplication on tensor cores through nvcuda::wmma: halves with float sums, and bytes with whole-number sums.
#include <cuda_fp16.h>
#include <mma.h>

#include "verify.hpp"

using namespace nvcuda;
constexpr int tile = 16;

template <class In, class Out>
__global__ void multiply(const In* a, const In* b, Out* c, int depth, int width) {
    const int row = blockIdx.y * tile, column = blockIdx.x * tile;
    wmma::fragment<wmma::matrix_a, tile, tile, tile, In, wmma::row_major> a_part;
    wmma::fragment<wmma::matrix_b, tile, tile, tile, In, wmma::col_major> b_part;
    wmma::fragment<wmma::accumulator, tile, tile, tile, Out> sum;
    wmma::fill_fragment(sum, Out(0));
    for (int k = 0; k < depth; k += tile) {
        wmma::load_matrix_sync(a_part, a + row * depth + k, depth);
        wmma::load_matrix_sync(b_part, b + column * depth + k, depth);  // B by columns
        wmma::mma_sync(sum, a_part, b_part, sum);
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] += Out(1);
    wmma::store_matrix_sync(c + row * width + column, sum, width, wmma::mem_row_major);
}

template <class In, class Out>
bool test(const char* name, int height, int depth, int width) {
    Random random;
    std::vector<In> a(height * depth), b(depth * width);
    std::vector<int> a_whole, b_whole;  // small whole numbers: exact in every type
    for (In& value : a) value = In(static_cast<float>(a_whole.emplace_back(static_cast<int>(random.next() % 15) - 7)));
    for (In& value : b) value = In(static_cast<float>(b_whole.emplace_back(static_cast<int>(random.next() % 15) - 7)));
    std::vector<Out> expected(height * width);
    for (int i = 0; i < height; ++i)
        for (int j = 0; j < width; ++j) {
            int sum = 1;
            for (int k = 0; k < depth; ++k) sum += a_whole[i * depth + k] * b_whole[j * depth + k];
            expected[i * width + j] = static_cast<Out>(sum);
        }
    const Device<In> d_a(a), d_b(b);
    Device<Out> c(expected.size());
    multiply<In, Out><<<dim3(width / tile, height / tile), 32>>>(d_a, d_b, c, depth, width);
    return agree(name, c.host(), expected);
}

int main(int argc, char** argv) {
    const int side = static_cast<int>(option(argc, argv, "--side", 64)) / tile * tile;
    return verdict(test<half, float>("halves", side, side + tile, side + 2 * tile) &
                   test<signed char, int>("bytes", side + tile, side, side));
}
