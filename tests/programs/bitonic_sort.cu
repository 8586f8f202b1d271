// Bitonic sorting network (Batcher 1968): the short distances in shared memory, the long ones in global memory.
#include <algorithm>

#include "verify.hpp"

constexpr int span = 512;  // per block, by half as many threads

__device__ void order(unsigned& a, unsigned& b, bool up) {
    if ((a > b) == up) {
        const unsigned kept = a;
        a = b;
        b = kept;
    }
}

__global__ void short_distances(unsigned* data, int first_size, int last_size) {
    __shared__ unsigned part[span];
    const int t = threadIdx.x, base = blockIdx.x * span;
    part[t] = data[base + t];
    part[t + span / 2] = data[base + t + span / 2];
    for (int size = first_size; size <= last_size; size *= 2)
        for (int stride = min(size, span) / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const int i = 2 * t - (t & (stride - 1));
            order(part[i], part[i + stride], ((base + i) & size) == 0);
        }
    __syncthreads();
    data[base + t] = part[t];
    data[base + t + span / 2] = part[t + span / 2];
}

__global__ void long_distance(unsigned* data, int size, int stride) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (stride - 1));
    order(data[i], data[i + stride], (i & size) == 0);
}

int main(int argc, char** argv) {
    const int n = 1 << option(argc, argv, "--log-size", 14);
    if (n < span) return verdict(false);
    std::vector<unsigned> values(n);
    Random random;
    for (unsigned& value : values) value = random.next();
    Device<unsigned> data(values);
    short_distances<<<n / span, span / 2>>>(data, 2, span);
    for (int size = 2 * span; size <= n; size *= 2) {
        for (int stride = size / 2; stride >= span; stride /= 2)
            long_distance<<<n / span, span / 2>>>(data, size, stride);
        short_distances<<<n / span, span / 2>>>(data, size, size);
    }
    std::sort(values.begin(), values.end());
    return verdict(agree("sorted", data.host(), values));
}
