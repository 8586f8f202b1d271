// Loaded by driver_api.cu as PTX and as a fat binary, by recent_functions.cu as PTX, and compiled by
// compiles_by_nvcc.cu when that runs.
extern "C" {

__constant__ float factor = 1;
__device__ int calls;
#ifndef __CUDACC_RTC__
__managed__ int shared_with_host[2] = {4, 5};
#endif

__global__ void scale(const float* in, float* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = in[i] * factor;
    if (i == 0) ++calls;
}

__global__ void reverse(int* values) {
    extern __shared__ int copy[];
    copy[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

// Parameters of different sizes, so that their places in a packed buffer matter.
__global__ void mix(char a, double b, short c, float* out) {
    *out = static_cast<float>(a + b * c);
}

__global__ void sample(unsigned long long texture, float* out) {
    out[threadIdx.x] = tex1D<float>(texture, static_cast<float>(threadIdx.x) + 0.5f);
}
}
