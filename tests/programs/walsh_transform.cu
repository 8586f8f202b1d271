// Fast Walsh-Hadamard transform: long distances in global memory, the last 1024 elements of each in shared memory.
#include "verify.hpp"

constexpr int span = 1024;

__global__ void long_distance(float* data, int stride) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (stride - 1));
    const float a = data[i], b = data[i + stride];
    data[i] = a + b;
    data[i + stride] = a - b;
}

__global__ void short_distances(float* data) {
    extern __shared__ float part[];
    const int t = threadIdx.x;
    float* const own = data + blockIdx.x * span;
    for (int i = t; i < span; i += blockDim.x) part[i] = own[i];
    for (int stride = span / 2; stride > 0; stride /= 2) {
        __syncthreads();
        for (int pair = t; pair < span / 2; pair += blockDim.x) {
            const int i = 2 * pair - (pair & (stride - 1));
            const float a = part[i], b = part[i + stride];
            part[i] = a + b;
            part[i + stride] = a - b;
        }
    }
    __syncthreads();
    for (int i = t; i < span; i += blockDim.x) own[i] = part[i];
}

int main(int argc, char** argv) {
    const int n = 1 << option(argc, argv, "--log-size", 15);
    if (n < span) return verdict(false);
    Random random;
    std::vector<float> values(n);
    for (float& value : values) value = static_cast<float>(random.next() % 16);  // whole numbers: exact
    Device<float> data(values);
    for (int stride = n / 2; stride >= span; stride /= 2) long_distance<<<n / 512, 256>>>(data, stride);
    short_distances<<<n / span, 256, span * sizeof(float)>>>(data);
    for (int stride = 1; stride < n; stride *= 2)
        for (int i = 0; i < n; ++i)
            if ((i & stride) == 0) {
                const float a = values[i], b = values[i + stride];
                values[i] = a + b;
                values[i + stride] = a - b;
            }
    return verdict(agree("transform", data.host(), values));
}
