// On-chip memories, shared: swaps of words in a circle, in 4, 8 and 16 bytes, without and with bank conflicts.
#include "verify.hpp"

constexpr int threads = 256;

__device__ unsigned add(unsigned a, unsigned b) {
    return a + b;
}
__device__ uint2 add(uint2 a, uint2 b) {
    return make_uint2(a.x + b.x, a.y + b.y);
}
__device__ uint4 add(uint4 a, uint4 b) {
    return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ unsigned total(unsigned a) {
    return a;
}
__device__ unsigned total(uint2 a) {
    return a.x + a.y;
}
__device__ unsigned total(uint4 a) {
    return a.x + a.y + a.z + a.w;
}
template <class T>
__device__ T filled(unsigned value);
template <>
__device__ unsigned filled(unsigned value) {
    return value;
}
template <>
__device__ uint2 filled(unsigned value) {
    return make_uint2(value, value + 1);
}
template <>
__device__ uint4 filled(unsigned value) {
    return make_uint4(value, value + 1, value + 2, value + 3);
}

// Thread t uses element t * stride (mod threads), an odd or even stride: all different only for odd ones, so that
// threads of an even stride take turns over `stride` elements each.
template <class T, int stride>
__global__ void circulate(unsigned* out, int rounds) {
    __shared__ T data[threads * stride];
    const int t = threadIdx.x;
    data[t * stride] = filled<T>(t);
    T sum = filled<T>(0);
    for (int round = 0; round < rounds; ++round) {
        __syncthreads();
        const T value = data[(t + round) % threads * stride];
        sum = add(sum, value);
    }
    out[blockIdx.x * threads + t] = total(sum);
}

template <class T, int stride>
bool test(const char* name, int rounds) {
    constexpr unsigned words = sizeof(T) / 4;
    std::vector<unsigned> expected(2 * threads);
    for (unsigned i = 0; i < expected.size(); ++i) {
        const unsigned rest = words * (words - 1) / 2;  // 0 + 1 + ... in one element
        expected[i] = rest;
        for (int round = 0; round < rounds; ++round) expected[i] += words * ((i % threads + round) % threads) + rest;
    }
    Device<unsigned> out(expected.size());
    circulate<T, stride><<<2, threads>>>(out, rounds);
    return agree(name, out.host(), expected);
}

int main(int argc, char** argv) {
    const int rounds = static_cast<int>(option(argc, argv, "--rounds", 64));
    return verdict(test<unsigned, 1>("4 bytes", rounds) & test<uint2, 1>("8 bytes", rounds) &
                   test<uint4, 1>("16 bytes", rounds) & test<unsigned, 2>("2-way conflicts", rounds) &
                   test<unsigned, 32>("32-way conflicts", rounds));
}
