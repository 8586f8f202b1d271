// Calls a device function, and reads a variable, of another file; and a kernel fills memory by the device runtime.
#include <cstdio>

extern __device__ int factor;
__device__ int scaled(int x);
void run_increment(int* values);

static __device__ int helper(int x) {
    return x - 1;
}

__global__ void scale(int* values) {
    values[threadIdx.x] = scaled(helper(values[threadIdx.x])) + factor;
}

__global__ void fill(int* values) {
    cudaMemsetAsync(values, 1, 4 * sizeof(int), 0);
}

int main() {
    int host[32], other = 5;
    for (int i = 0; i < 32; ++i) host[i] = i;
    int* device = nullptr;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(factor, &other, sizeof other);
    scale<<<1, 32>>>(device);
    run_increment(device);
    if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    for (int i = 0; i < 32; ++i)
        if (host[i] != 5 * (i - 1) + 5 + 1) return 1;
    fill<<<1, 1>>>(device);
    if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    for (int i = 0; i < 32; ++i)
        if (host[i] != (i < 4 ? 0 : 5 * (i - 1) + 5 + 1)) return 3;
    std::puts("PASSED");
    return 0;
}
