// c = a + b. vector_add [--size N]
#include <cmath>
#include <vector>

#include "program.hpp"

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--size", 1 << 22));
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; ++i) {
        a[i] = 0.5F * (i % 1000);
        b[i] = 1000.0F - i % 777;
    }
    const size_t bytes = n * sizeof(float);
    float *d_a, *d_b, *d_c;
    check(cudaMalloc(&d_a, bytes));
    check(cudaMalloc(&d_b, bytes));
    check(cudaMalloc(&d_c, bytes));
    check(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
    vector_add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
    check(cudaGetLastError());
    check(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));

    bool right = true;
    for (int i = 0; i < n; ++i) right = right && c[i] == a[i] + b[i];
    check(cudaFree(d_a));
    check(cudaFree(d_b));
    check(cudaFree(d_c));
    return verdict(right);
}
