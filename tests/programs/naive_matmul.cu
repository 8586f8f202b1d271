// Matrix multiplication, one thread per element, everything from global memory; single and double precision.
#include "verify.hpp"

template <class T>
__global__ void multiply(const T* a, const T* b, T* c, int height, int depth, int width) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || column >= width) return;
    T sum = 0;
    for (int k = 0; k < depth; ++k) sum += a[row * depth + k] * b[k * width + column];
    c[row * width + column] = sum;
}

template <class T>
bool test(int height, int depth, int width, double tolerance) {
    Random random;
    std::vector<T> a(height * depth), b(depth * width), expected(height * width);
    for (auto* matrix : {&a, &b})
        for (T& value : *matrix) value = random.uniform() - T(0.5);
    for (int i = 0; i < height; ++i)
        for (int j = 0; j < width; ++j) {
            double sum = 0;
            for (int k = 0; k < depth; ++k) sum += double(a[i * depth + k]) * b[k * width + j];
            expected[i * width + j] = static_cast<T>(sum);
        }
    const Device<T> d_a(a), d_b(b);
    Device<T> c(expected.size());
    multiply<T><<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(d_a, d_b, c, height, depth, width);
    return agree("product", c.host(), expected, tolerance);
}

int main(int argc, char** argv) {
    const int side = static_cast<int>(option(argc, argv, "--side", 120));
    return verdict(test<float>(side, side + 3, side + 7, 1e-5) & test<double>(side + 1, side, side - 1, 1e-13));
}
