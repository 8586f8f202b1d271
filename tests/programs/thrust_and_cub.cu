// Header-only libraries: Thrust's sort, scan and reduction by key, CUB's primitives of a block and of the device. With
// -rdc=true every kernel's shared memory is a variable of the module, as are the functions they have in common.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <map>
#include <numeric>

#include "verify.hpp"

constexpr int threads = 128, items = 4, tile = threads * items;

/// Sorts and sums up each tile of 512.
__global__ void sort_and_scan(int* values, int* sums) {
    using Sort = cub::BlockRadixSort<int, threads, items>;
    using Scan = cub::BlockScan<int, threads>;
    __shared__ union {
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
    } storage;
    int mine[items];
    const int first = blockIdx.x * tile + threadIdx.x * items;
    for (int i = 0; i < items; ++i) mine[i] = values[first + i];
    Sort(storage.sort).Sort(mine);
    for (int i = 0; i < items; ++i) values[first + i] = mine[i];
    __syncthreads();
    Scan(storage.scan).InclusiveSum(mine, mine);
    for (int i = 0; i < items; ++i) sums[first + i] = mine[i];
}

bool block_primitives(const std::vector<int>& input) {
    const Device<int> values(input);
    Device<int> sums(input.size());
    sort_and_scan<<<input.size() / tile, threads>>>(values, sums);
    std::vector<int> sorted = input, summed(input.size());
    for (size_t at = 0; at < input.size(); at += tile) {
        std::sort(sorted.begin() + at, sorted.begin() + at + tile);
        std::partial_sum(sorted.begin() + at, sorted.begin() + at + tile, summed.begin() + at);
    }
    return agree("block sort", values.host(), sorted) && agree("block scan", sums.host(), summed);
}

struct IsOdd {
    __device__ bool operator()(int value) const { return (value & 1) != 0; }
};

/// The two calls that CUB wants: how much temporary memory, then the work.
template <class Call>
void with_temporary_memory(Call call) {
    size_t bytes = 0;
    check(call(nullptr, bytes));
    const Device<char> memory(std::max<size_t>(bytes, 1));
    check(call(memory, bytes));
}

bool device_primitives(const std::vector<int>& input) {
    const int n = static_cast<int>(input.size());
    const Device<int> values(input), chosen(input.size()), count(1), sum(1);
    with_temporary_memory([&](void* memory, size_t& bytes) {
        return cub::DeviceSelect::If(memory, bytes, static_cast<int*>(values), static_cast<int*>(chosen),
                                     static_cast<int*>(count), n, IsOdd{});
    });
    with_temporary_memory([&](void* memory, size_t& bytes) {
        return cub::DeviceReduce::Sum(memory, bytes, static_cast<int*>(values), static_cast<int*>(sum), n);
    });
    std::vector<int> expected;
    std::copy_if(input.begin(), input.end(), std::back_inserter(expected), [](int v) { return (v & 1) != 0; });
    std::vector<int> got = chosen.host();
    got.resize(expected.size());
    return agree("count of selected", count.host()[0], static_cast<int>(expected.size())) &&
           agree("selected", got, expected) &&
           agree("sum", sum.host()[0], std::accumulate(input.begin(), input.end(), 0));
}

bool algorithms(const std::vector<int>& input) {
    thrust::device_vector<int> keys = input, values(input.size());
    thrust::inclusive_scan(keys.begin(), keys.end(), values.begin());
    std::vector<int> scanned(input.size());
    std::partial_sum(input.begin(), input.end(), scanned.begin());
    std::vector<int> got(input.size());
    thrust::copy(values.begin(), values.end(), got.begin());
    bool good = agree("scan", got, scanned);

    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
    thrust::device_vector<int> kinds(input.size()), totals(input.size());
    const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), kinds.begin(), totals.begin());
    std::map<int, int> expected;
    for (size_t i = 0; i < input.size(); ++i) expected[input[i]] += scanned[i];
    const size_t count = ends.first - kinds.begin();
    good = agree("kinds", count, expected.size()) && good;
    std::vector<int> got_kinds(count), got_totals(count), want_kinds, want_totals;
    thrust::copy_n(kinds.begin(), count, got_kinds.begin());
    thrust::copy_n(totals.begin(), count, got_totals.begin());
    for (const auto& [kind, total] : expected) {
        want_kinds.push_back(kind);
        want_totals.push_back(total);
    }
    return agree("sorted kinds", got_kinds, want_kinds) && agree("totals", got_totals, want_totals) && good;
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--tiles", 40)) * tile;
    Random random;
    std::vector<int> input(n);
    for (int& value : input) value = static_cast<int>(random.next() % 1000);
    const bool good = block_primitives(input) & device_primitives(input) & algorithms(input);
    return verdict(good);
}
