// Sum of an array: interleaved addressing (divergent), sequential addressing, warp shuffles, and atomics at the end.
#include <numeric>

#include "verify.hpp"

constexpr int block = 256;

__global__ void interleaved(const int* in, int* out, int n) {
    __shared__ int part[block];
    const unsigned t = threadIdx.x, i = blockIdx.x * block + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < block; s *= 2) {
        if (t % (2 * s) == 0) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void sequential(const int* in, int* out, int n) {
    __shared__ int part[block];
    const unsigned t = threadIdx.x;
    int sum = 0;
    for (unsigned i = blockIdx.x * block + t; i < n; i += gridDim.x * block) sum += in[i];
    part[t] = sum;
    __syncthreads();
    for (unsigned s = block / 2; s > 32; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t < 32) {  // one warp
        volatile int* const v = part;
        sum = v[t] + v[t + 32];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
        if (t == 0) out[blockIdx.x] = sum;
    }
}

template <class T>
__global__ void shuffled(const T* in, T* total, int n) {
    T sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(~0U, sum, mask);
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--size", 100003));
    std::vector<int> values(n);
    Random random;
    for (int& value : values) value = static_cast<int>(random.next() % 2001) - 1000;
    const int expected = std::accumulate(values.begin(), values.end(), 0);
    const Device<int> in(values);
    const auto total = [](const std::vector<int>& parts) { return std::accumulate(parts.begin(), parts.end(), 0); };

    const int blocks = (n + block - 1) / block;
    Device<int> out(blocks);
    interleaved<<<blocks, block>>>(in, out, n);
    bool right = agree("interleaved", total(out.host()), expected);

    Device<int> few(16);
    sequential<<<16, block>>>(in, few, n);
    right &= agree("sequential", total(few.host()), expected);

    Device<int> sum(std::vector<int>{0});
    shuffled<<<16, block>>>(static_cast<const int*>(in), static_cast<int*>(sum), n);
    right &= agree("shuffled", sum.host()[0], expected);

    const std::vector<double> reals(values.begin(), values.end());
    const Device<double> in_reals(reals);
    Device<double> sum_reals(std::vector<double>{0});
    shuffled<<<16, block>>>(static_cast<const double*>(in_reals), static_cast<double*>(sum_reals), n);
    right &= agree("shuffled doubles", sum_reals.host()[0], double(expected));  // whole numbers: exact in any order
    return verdict(right);
}
