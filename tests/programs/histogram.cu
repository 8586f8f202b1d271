// Histogram of bytes in 256 bins: atomics on global memory, and on shared memory with one merge per block.
#include "verify.hpp"

__global__ void global_atomics(const unsigned char* data, unsigned* bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1U);
}

__global__ void shared_atomics(const uchar4* data, unsigned* bins, int n) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uchar4 four = data[i];
        atomicAdd(&own[four.x], 1U);
        atomicAdd(&own[four.y], 1U);
        atomicAdd(&own[four.z], 1U);
        atomicAdd(&own[four.w], 1U);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--size", 1 << 18)) / 4 * 4;
    std::vector<unsigned char> data(n);
    std::vector<unsigned> expected(256);
    Random random;
    for (auto& value : data) ++expected[value = static_cast<unsigned char>(random.next() % 256 & random.next() % 256)];
    const Device<unsigned char> in(data);
    Device<unsigned> one(std::vector<unsigned>(256)), two(std::vector<unsigned>(256));
    global_atomics<<<30, 256>>>(in, one, n);
    shared_atomics<<<30, 256>>>(reinterpret_cast<const uchar4*>(static_cast<unsigned char*>(in)), two, n / 4);
    return verdict(agree("global atomics", one.host(), expected) & agree("shared atomics", two.host(), expected));
}
