// Thread block clusters: a histogram whose bins are spread over the shared memory of a cluster's blocks, a halo
// exchange between neighbours, and a reduction over a cluster, each against the CPU. Clusters by attribute and by the
// kernel.
#include <cooperative_groups.h>
#include "verify.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr int bins_per_block = 64, values = 1 << 14, threads = 128;

__global__ void histogram(const int* data, int count, unsigned* bins) {
    extern __shared__ unsigned mine[];
    const cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) mine[i] = 0;
    cluster.sync();
    const int all = bins_per_block * cluster.num_blocks();
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < count; i += gridDim.x * blockDim.x) {
        const int bin = data[i] % all;
        unsigned* theirs = cluster.map_shared_rank(mine, bin / bins_per_block);
        atomicAdd(theirs + bin % bins_per_block, 1U);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        atomicAdd(bins + cluster.block_rank() * bins_per_block + i, mine[i]);
}

__global__ void __cluster_dims__(4, 1, 1) smooth(const float* in, float* out) {
    __shared__ float tile[threads];
    cg::cluster_group cluster = cg::this_cluster();
    const int i = blockIdx.x * threads + threadIdx.x;
    tile[threadIdx.x] = in[i];
    cluster.sync();
    const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    const float* left = cluster.map_shared_rank(tile, (rank + blocks - 1) % blocks);
    const float* right = cluster.map_shared_rank(tile, (rank + 1) % blocks);
    const float before = threadIdx.x > 0 ? tile[threadIdx.x - 1] : left[threads - 1];
    const float after = threadIdx.x < threads - 1 ? tile[threadIdx.x + 1] : right[0];
    out[i] = before + 2 * tile[threadIdx.x] + after;
    cluster.sync();  // nobody may leave while others read
}

__global__ void __cluster_dims__(2, 2, 1) sum_of_ranks(int* out) {
    __shared__ int total;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) total = 0;
    cluster.sync();
    int* first = cluster.map_shared_rank(&total, 0);
    if (threadIdx.x == 0) atomicAdd(first, static_cast<int>(cluster.block_rank() + 10 * cluster.block_index().y));
    cluster.barrier_arrive();
    cluster.barrier_wait();
    if (cluster.thread_rank() == 0) out[(blockIdx.y / 2) * (gridDim.x / 2) + blockIdx.x / 2] = total;
    if (cluster.query_shared_rank(first) != 0) out[0] = -1;
    cluster.sync();
}

std::vector<unsigned> on_cpu(const std::vector<int>& data, int bins) {
    std::vector<unsigned> counts(bins);
    for (const int value : data) counts[value % bins] += 1;
    return counts;
}

}  // namespace

int main() {
    bool good = true;
    std::vector<int> data(values);
    for (int i = 0; i < values; ++i) data[i] = (i * 7919 + i / 13) & 0xFFFF;
    int* device_data = nullptr;
    check(cudaMalloc(&device_data, values * sizeof(int)));
    check(cudaMemcpy(device_data, data.data(), values * sizeof(int), cudaMemcpyHostToDevice));
    check(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    for (const unsigned size : {1U, 2U, 8U, 16U}) {
        unsigned* bins = nullptr;
        const int all = bins_per_block * static_cast<int>(size);
        check(cudaMalloc(&bins, all * sizeof(unsigned)));
        check(cudaMemset(bins, 0, all * sizeof(unsigned)));
        cudaLaunchAttribute attribute[1];
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = size;
        attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(16);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = bins_per_block * sizeof(unsigned);
        config.attrs = attribute;
        config.numAttrs = 1;
        check(cudaLaunchKernelEx(&config, histogram, static_cast<const int*>(device_data), values, bins));
        std::vector<unsigned> got(all);
        check(cudaMemcpy(got.data(), bins, all * sizeof(unsigned), cudaMemcpyDeviceToHost));
        good = holds(got == on_cpu(data, all), "histogram over a cluster") && good;
    }

    constexpr int blocks = 16;
    std::vector<float> in(blocks * threads), out(in.size()), want(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 37 % 101);
    constexpr int ring = 4 * threads;
    for (int i = 0; i < static_cast<int>(in.size()); ++i) {
        const int base = i / ring * ring;
        want[i] = in[base + (i + ring - 1) % ring] + 2 * in[i] + in[base + (i + 1) % ring];
    }
    float *device_in = nullptr, *device_out = nullptr;
    check(cudaMalloc(&device_in, in.size() * sizeof(float)));
    check(cudaMalloc(&device_out, in.size() * sizeof(float)));
    check(cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    smooth<<<blocks, threads>>>(device_in, device_out);
    check(cudaMemcpy(out.data(), device_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
    good = holds(out == want, "halo exchange") && good;

    int* sums = nullptr;
    check(cudaMalloc(&sums, 6 * sizeof(int)));
    sum_of_ranks<<<dim3(6, 4), 64>>>(sums);
    std::vector<int> got(6);
    check(cudaMemcpy(got.data(), sums, 6 * sizeof(int), cudaMemcpyDeviceToHost));
    good = holds(got == std::vector<int>(6, 0 + 1 + 2 + 3 + 2 * 10), "ranks in two dimensions") && good;

    smooth<<<blocks - 1, threads>>>(device_in, device_out);
    good = holds(cudaGetLastError() != cudaSuccess, "a grid that is no multiple of its clusters") && good;

    // More blocks than every GPU has room for only where that is allowed, and never more than 16.
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, histogram));
    good = holds(attributes.nonPortableClusterSizeAllowed == 1, "larger clusters are allowed") && good;
    check(cudaFuncGetAttributes(&attributes, sum_of_ranks));
    good = holds(attributes.requiredClusterWidth == 2 && attributes.requiredClusterDepth == 1 &&
                     attributes.nonPortableClusterSizeAllowed == 0,
                 "the cluster that a kernel requires") &&
           good;
    const auto launch = [&](unsigned size) {
        cudaLaunchAttribute attribute[1];
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = size;
        attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = config.blockDim = dim3(32);
        config.dynamicSmemBytes = bins_per_block * sizeof(unsigned);
        config.attrs = attribute;
        config.numAttrs = 1;
        const cudaError_t code = cudaLaunchKernelEx(&config, histogram, static_cast<const int*>(device_data), 0,
                                                    static_cast<unsigned*>(nullptr));
        static_cast<void>(cudaGetLastError());
        return code;
    };
    good = holds(launch(32) == cudaErrorInvalidClusterSize, "a cluster of 32 blocks") && good;
    check(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    good = holds(launch(16) == cudaErrorInvalidClusterSize, "a cluster of 16 blocks that is not allowed") && good;
    return verdict(good);
}
