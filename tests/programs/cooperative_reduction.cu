// Sums with cooperative groups: tiles of a warp, a block, and the whole grid at once (cooperative launch).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <numeric>

#include "verify.hpp"

namespace cg = cooperative_groups;
constexpr int threads = 128;

__global__ void by_tiles(const int* in, int* total, int n) {
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto eight = cg::tiled_partition<8>(warp);
    int sum = 0;
    for (int i = block.group_index().x * threads + block.thread_rank(); i < n; i += gridDim.x * threads) sum += in[i];
    for (int offset = eight.size() / 2; offset > 0; offset /= 2) sum += eight.shfl_down(sum, offset);
    sum = eight.thread_rank() == 0 ? sum : 0;
    sum = cg::reduce(warp, sum, cg::plus<int>());
    if (warp.thread_rank() == 0) atomicAdd(total, sum);
}

__global__ void by_grid(const int* in, int* parts, int* total, int n) {
    const auto grid = cg::this_grid();
    const auto block = cg::this_thread_block();
    __shared__ int part[threads];
    int sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
    part[block.thread_rank()] = sum;
    block.sync();
    for (int s = threads / 2; s > 0; s /= 2) {
        if (block.thread_rank() < s) part[block.thread_rank()] += part[block.thread_rank() + s];
        block.sync();
    }
    if (block.thread_rank() == 0) parts[blockIdx.x] = part[0];
    grid.sync();
    if (grid.thread_rank() == 0)
        for (int i = 0; i < gridDim.x; ++i) *total += parts[i];
}

int main(int argc, char** argv) {
    int n = static_cast<int>(option(argc, argv, "--size", 50001));
    Random random;
    std::vector<int> values(n);
    for (int& value : values) value = static_cast<int>(random.next() % 100);
    const int expected = std::accumulate(values.begin(), values.end(), 0), blocks = 8;
    const Device<int> in(values);
    Device<int> one(std::vector<int>{0}), two(std::vector<int>{0}), parts(blocks);
    by_tiles<<<blocks, threads>>>(in, one, n);
    int *d_in = in, *d_parts = parts, *d_total = two;
    void* arguments[] = {&d_in, &d_parts, &d_total, &n};
    check(cudaLaunchCooperativeKernel(by_grid, dim3(blocks), dim3(threads), arguments, 0, nullptr));
    return verdict(agree("tiles", one.host()[0], expected) & agree("grid", two.host()[0], expected));
}
