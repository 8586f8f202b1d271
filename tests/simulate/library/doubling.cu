// A library with kernels of its own.
__global__ void doubled(int* values, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) values[i] *= 2;
}

extern "C" int run_doubling() {
    constexpr int n = 1000;
    int host[n];
    for (int i = 0; i < n; ++i) host[i] = i;
    int* device = nullptr;
    if (cudaMalloc(&device, sizeof host) != cudaSuccess) return 1;
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    doubled<<<(n + 127) / 128, 128>>>(device, n);
    if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    for (int i = 0; i < n; ++i)
        if (host[i] != 2 * i) return 3;
    return cudaFree(device) == cudaSuccess ? 0 : 4;
}
