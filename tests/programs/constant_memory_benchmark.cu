// On-chip memories, constant: the same word for a warp, and a different one for every thread (serialised).
#include "verify.hpp"

constexpr int words = 4096;
__constant__ unsigned table[words];

__global__ void uniform(unsigned* out, int rounds) {
    unsigned sum = 0;
    for (int i = 0; i < rounds; ++i) sum += table[(i * 7 + blockIdx.x) % words];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + threadIdx.x;
}

__global__ void divergent(unsigned* out, int rounds) {
    unsigned sum = 0;
    for (int i = 0; i < rounds; ++i) sum += table[(i * 7 + threadIdx.x * 33) % words];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main(int argc, char** argv) {
    const int rounds = static_cast<int>(option(argc, argv, "--rounds", 200)), blocks = 8, threads = 128;
    std::vector<unsigned> host(words), one(blocks * threads), two(one.size());
    for (unsigned i = 0; i < words; ++i) host[i] = i * i + 1;
    check(cudaMemcpyToSymbol(table, host.data(), sizeof table));
    for (int thread = 0; thread < blocks * threads; ++thread) {
        one[thread] = thread % threads;
        for (int i = 0; i < rounds; ++i) {
            one[thread] += host[(i * 7 + thread / threads) % words];
            two[thread] += host[(i * 7 + thread % threads * 33) % words];
        }
    }
    Device<unsigned> out(one.size());
    uniform<<<blocks, threads>>>(out, rounds);
    bool right = agree("uniform", out.host(), one);
    divergent<<<blocks, threads>>>(out, rounds);
    right &= agree("divergent", out.host(), two);
    std::vector<unsigned> back(words);
    check(cudaMemcpyFromSymbol(back.data(), table, sizeof table));
    return verdict(right & agree("table", back, host));
}
