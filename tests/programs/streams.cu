// What programs ask of the runtime: streams and events, pinned, pitched and managed memory, symbols, device properties,
// occupancy, function attributes, errors.
#include "verify.hpp"

__device__ int counter;
__managed__ int managed[256];

__global__ void scale(float* data, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
    if (i == 0) atomicAdd(&counter, 1);
}
__global__ void fill(char* data, size_t pitch) {
    (reinterpret_cast<int*>(data + blockIdx.x * pitch))[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
}
__global__ void touch_managed() {
    managed[threadIdx.x] += threadIdx.x;
}

bool expect(const char* what, bool condition) {
    if (!condition) std::printf("%s: wrong\n", what);
    return condition;
}

int main() {
    constexpr int n = 10000, streams = 3;
    bool right = true;
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0));
    right &= expect("properties", devices > 0 && properties.multiProcessorCount > 0 && properties.warpSize == 32 &&
                                      properties.name[0] != 0);
    int blocks = 0, size = 0, grid = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 128, 0));
    check(cudaOccupancyMaxPotentialBlockSize(&grid, &size, scale));
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, scale));
    right &= expect("occupancy", blocks > 0 && size > 0 && grid > 0 && attributes.maxThreadsPerBlock >= 128);

    cudaStream_t stream[streams];
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    float* host = nullptr;
    check(cudaMallocHost(&host, streams * n * sizeof(float)));
    float* data = nullptr;
    check(cudaMalloc(&data, streams * n * sizeof(float)));
    check(cudaEventRecord(begin));
    for (int s = 0; s < streams; ++s) {
        check(cudaStreamCreate(&stream[s]));
        for (int i = 0; i < n; ++i) host[s * n + i] = static_cast<float>(i);
        check(cudaMemcpyAsync(data + s * n, host + s * n, n * sizeof(float), cudaMemcpyHostToDevice, stream[s]));
        scale<<<(n + 127) / 128, 128, 0, stream[s]>>>(data + s * n, n, s + 1.0F);
        check(cudaMemcpyAsync(host + s * n, data + s * n, n * sizeof(float), cudaMemcpyDeviceToHost, stream[s]));
    }
    for (auto& s : stream) check(cudaStreamSynchronize(s));
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = -1;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    right &= expect("elapsed time", milliseconds >= 0);
    for (int i = 0; i < streams * n; ++i) right = right && host[i] == static_cast<float>(i % n * (i / n + 1));
    expect("streams", right);

    int launches = 0;
    check(cudaMemcpyFromSymbol(&launches, counter, sizeof launches));
    right &= expect("counter", launches == streams);

    char* rows = nullptr;
    size_t pitch = 0;
    check(cudaMallocPitch(&rows, &pitch, 100 * sizeof(int), 7));
    fill<<<7, 100>>>(rows, pitch);
    std::vector<int> packed(700);
    check(cudaMemcpy2D(packed.data(), 100 * sizeof(int), rows, pitch, 100 * sizeof(int), 7, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 700; ++i) right = right && packed[i] == i / 100 * 1000 + i % 100;
    expect("pitched", right);

    for (int i = 0; i < 256; ++i) managed[i] = i;
    touch_managed<<<1, 256>>>();
    check(cudaDeviceSynchronize());
    for (int i = 0; i < 256; ++i) right = right && managed[i] == 2 * i;
    expect("managed", right);

    scale<<<1, 100000>>>(data, n, 1);
    const cudaError_t error = cudaGetLastError();  // it is not promised which of the two it is
    right &= expect("error", error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue);
    right &= expect("error, once asked for", cudaGetLastError() == cudaSuccess);
    check(cudaFree(data));
    check(cudaFree(rows));
    check(cudaFreeHost(host));
    for (auto& s : stream) check(cudaStreamDestroy(s));
    return verdict(right);
}
