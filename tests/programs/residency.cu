// What the properties of the device say of resident blocks is what is resident: programs size grids by them whose
// blocks wait for each other.
#include <algorithm>

#include "verify.hpp"

// Each block adds 1, and waits until all have; twice, so that a block that ended early would be missed.
__global__ void meet(unsigned* arrived, unsigned* wrong) {
    const unsigned blocks = gridDim.x;
    for (unsigned turn = 1; turn <= 2; ++turn) {
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1);
            while (*static_cast<volatile unsigned*>(arrived) < turn * blocks) {
            }
            if (*static_cast<volatile unsigned*>(arrived) > 2 * blocks) atomicAdd(wrong, 1);
        }
        __syncthreads();
    }
}

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0));
    bool right = true;
    for (const int threads : {32, 64, 256}) {
        const int by_threads = device.maxThreadsPerMultiProcessor / threads;
        const int resident = std::min(by_threads, device.maxBlocksPerMultiProcessor);
        int asked = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&asked, meet, threads, 0));
        right &= agree("resident blocks", resident, asked);
        Device<unsigned> counts(std::vector<unsigned>{0, 0});
        const int blocks = resident * device.multiProcessorCount;
        meet<<<blocks, threads>>>(counts, counts + 1);
        right &= agree("blocks that met", counts.host(), {2U * blocks, 0U});
    }
    return verdict(right);
}
