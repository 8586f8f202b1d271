// Local modified SOR for convection and diffusion (Konstantinidis 2017, section 5.1.2, kernel #2): the points of each
// colour apart, coefficients recomputed from f' and g', a relaxation factor for every point.
#include "verify.hpp"

enum Colour { red, black };

// Point (i, j) is element (i, j / 2) of its colour's array; a row has `columns` elements, `side` inner points.
template <class T>
__host__ __device__ void relax(T* own, const T* other, const T* f, const T* g, const T* omega, int i, int k,
                               int columns, int colour, T w) {
    const int shift = (i + colour) % 2 == 0 ? 1 : 0, at = i * columns + k + shift;
    const T left = w * (1 + f[at]), right = w * (1 - f[at]), top = w * (1 - g[at]), bottom = w * (1 + g[at]);
    const T sum = left * other[i * columns + k] + right * other[i * columns + k + 1] + top * other[at + columns] +
                  bottom * other[at - columns];
    own[at] = (1 - omega[at]) * own[at] + omega[at] * sum;
}

__global__ void lmsor(double* own, const double* __restrict__ other, const double* __restrict__ f,
                      const double* __restrict__ g, const double* __restrict__ omega, int columns, int side, int colour,
                      double w) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (k < side / 2 && i <= side) relax(own, other, f, g, omega, i, k, columns, colour, w);
}

int main(int argc, char** argv) {
    const int side = static_cast<int>(option(argc, argv, "--side", 222)) / 2 * 2, iterations = 4;
    const int points = side + 2, columns = points / 2, n = points * columns;
    const double h = 1.0 / (side + 1), w = 0.25;  // h = k in equation 5.7
    std::vector<double> u[2], f[2], g[2], omega[2];
    Random random;
    for (int colour : {red, black})
        for (int i = 0; i < n; ++i) {
            u[colour].push_back(random.uniform());
            f[colour].push_back(0.5 * h * 10 * random.uniform());
            g[colour].push_back(0.5 * h * 10 * random.uniform());
            omega[colour].push_back(1 + 0.5 * random.uniform());
        }
    Device<double> d_u[2] = {Device<double>(u[0]), Device<double>(u[1])};
    const Device<double> d_f[2] = {Device<double>(f[0]), Device<double>(f[1])};
    const Device<double> d_g[2] = {Device<double>(g[0]), Device<double>(g[1])};
    const Device<double> d_omega[2] = {Device<double>(omega[0]), Device<double>(omega[1])};
    const dim3 block(32, 4), grid((side / 2 + 31) / 32, (side + 3) / 4);
    for (int phase = 0; phase < 2 * iterations; ++phase) {
        const int c = phase % 2;
        lmsor<<<grid, block>>>(d_u[c], d_u[1 - c], d_f[c], d_g[c], d_omega[c], columns, side, c, w);
        for (int i = 1; i <= side; ++i)
            for (int k = 0; k < side / 2; ++k)
                relax(u[c].data(), u[1 - c].data(), f[c].data(), g[c].data(), omega[c].data(), i, k, columns, c, w);
    }
    return verdict(agree("red", d_u[red].host(), u[red], 1e-12) & agree("black", d_u[black].host(), u[black], 1e-12));
}
