// Speckle-reducing anisotropic diffusion (Yu and Acton 2002): coefficients, then the update; statistics by a reduction.
#include <algorithm>

#include "verify.hpp"

constexpr float lambda = 0.5F;

__global__ void statistics(const float* image, float2* sums, int n) {
    __shared__ float2 part[256];
    float2 sum = {0, 0};
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        sum.x += image[i];
        sum.y += image[i] * image[i];
    }
    part[threadIdx.x] = sum;
    for (int s = 128; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) {
            part[threadIdx.x].x += part[threadIdx.x + s].x;
            part[threadIdx.x].y += part[threadIdx.x + s].y;
        }
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

template <class T>
__host__ __device__ T coefficient(T j, T n, T s, T w, T e, T q0) {
    const T dn = n - j, ds = s - j, dw = w - j, de = e - j;
    const T gradient = (dn * dn + ds * ds + dw * dw + de * de) / (j * j);
    const T laplacian = (dn + ds + dw + de) / j;
    const T number = T(0.5) * gradient - T(1.0 / 16) * laplacian * laplacian, denominator = 1 + T(0.25) * laplacian;
    const T q = number / (denominator * denominator);
    const T c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    return c < 0 ? T(0) : c > 1 ? T(1) : c;
}

template <class T>
__host__ __device__ void diffusion(const T* image, T* c, int i, int j, int side, T q0) {
    const int n = i > 0 ? i - 1 : 0, s = i < side - 1 ? i + 1 : i, w = j > 0 ? j - 1 : 0, e = j < side - 1 ? j + 1 : j;
    c[i * side + j] = coefficient(image[i * side + j], image[n * side + j], image[s * side + j], image[i * side + w],
                                  image[i * side + e], q0);
}

template <class T>
__host__ __device__ T updated(const T* image, const T* c, int i, int j, int side) {
    const int n = i > 0 ? i - 1 : 0, s = i < side - 1 ? i + 1 : i, w = j > 0 ? j - 1 : 0, e = j < side - 1 ? j + 1 : j;
    const T own = image[i * side + j];
    const T divergence = c[i * side + j] * (image[n * side + j] - own) + c[s * side + j] * (image[s * side + j] - own) +
                         c[i * side + j] * (image[i * side + w] - own) + c[i * side + e] * (image[i * side + e] - own);
    return own + T(0.25) * lambda * divergence;
}

__global__ void srad1(const float* image, float* c, int side, float q0) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < side && j < side) diffusion(image, c, i, j, side, q0);
}

__global__ void srad2(const float* image, const float* c, float* out, int side) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < side && j < side) out[i * side + j] = updated(image, c, i, j, side);
}

int main(int argc, char** argv) {
    const int side = static_cast<int>(option(argc, argv, "--side", 160)), n = side * side, iterations = 2;
    std::vector<float> image = random_floats(n, 1, 2);
    std::vector<double> expected(image.begin(), image.end()), c_expected(n), next(n);
    Device<float> a(image), b(n), c(n);
    Device<float2> sums(16);
    float *in = a, *out = b;
    const dim3 block(16, 16), grid((side + 15) / 16, (side + 15) / 16);
    for (int iteration = 0; iteration < iterations; ++iteration, std::swap(in, out)) {
        statistics<<<16, 256>>>(in, sums, n);
        double sum = 0, squares = 0;
        for (const float2& part : sums.host()) {
            sum += part.x;
            squares += part.y;
        }
        const double mean = sum / n, q0 = (squares / n - mean * mean) / (mean * mean);
        srad1<<<grid, block>>>(in, c, side, static_cast<float>(q0));
        srad2<<<grid, block>>>(in, c, out, side);

        sum = squares = 0;
        for (const double value : expected) {
            sum += value;
            squares += value * value;
        }
        const double m = sum / n, q = (squares / n - m * m) / (m * m);
        for (int i = 0; i < side; ++i)
            for (int j = 0; j < side; ++j) diffusion(expected.data(), c_expected.data(), i, j, side, q);
        for (int i = 0; i < side; ++i)
            for (int j = 0; j < side; ++j) next[i * side + j] = updated(expected.data(), c_expected.data(), i, j, side);
        expected.swap(next);
    }
    const auto got = in == a ? a.host() : b.host();
    return verdict(agree("image", std::vector<double>(got.begin(), got.end()), expected, 1e-4));
}
