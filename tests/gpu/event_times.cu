// Launches of known length, each between two CUDA events: what tests/gpu/run.py holds the collectors' times against.
// Prints "scale LAUNCHES SECONDS" with the sum over all launches.
#include "../../examples/program.hpp"

__global__ void scale(float* values, int n, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = values[i];
    for (int round = 0; round < rounds; ++round) value = value * 0.999F + 0.001F;
    values[i] = value;
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--size", 1 << 24));
    const int rounds = static_cast<int>(option(argc, argv, "--rounds", 2000));
    const int launches = static_cast<int>(option(argc, argv, "--launches", 20));
    float* values;
    check(cudaMalloc(&values, n * sizeof(float)));
    check(cudaMemset(values, 0, n * sizeof(float)));
    scale<<<(n + 255) / 256, 256>>>(values, n, 1);  // what the first launch costs once
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    double seconds = 0;
    for (int launch = 0; launch < launches; ++launch) {
        check(cudaEventRecord(begin));
        // One block less than the launch before: another record in the profile.
        scale<<<(n + 255) / 256 - 1, 256>>>(values, n, rounds);
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        seconds += milliseconds * 1e-3;
    }
    check(cudaFree(values));
    std::printf("scale %d %.9f\n", launches, seconds);
    return EXIT_SUCCESS;
}
