// Laplace's equation on a square by red/black successive over-relaxation in double precision (Konstantinidis 2017,
// section 5.1.1). The points of each colour are kept apart: point (i, j) is element (i, j / 2) of the red array if i +
// j is even, else of the black one, so that every row of updates is contiguous. red_black_sor [--side POINTS]
// [--iterations N]      (the side without the boundary, a multiple of 64)
#include <cmath>
#include <vector>

#include "program.hpp"

constexpr int tile_width = 32, tile_height = 8;
enum Colour { red, black };

// Updates the points of one colour from the other's. Rows and columns 0 and side + 1 are the boundary.
template <Colour colour>
__global__ void relax(double* own, const double* other, int columns, double omega) {
    __shared__ double tile[tile_height + 2][tile_width + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * tile_height + y + 1, k = blockIdx.x * tile_width + x;
    const double* const row = other + i * columns;
    tile[y + 1][x] = row[k];
    if (y == 0) tile[0][x] = row[k - columns];
    if (y == tile_height - 1) tile[tile_height + 1][x] = row[k + columns];
    if (x == tile_width - 1) {
        tile[y + 1][tile_width] = row[k + 1];
        if (y == 0) tile[0][tile_width] = row[k + 1 - columns];
        if (y == tile_height - 1) tile[tile_height + 1][tile_width] = row[k + 1 + columns];
    }
    __syncthreads();
    // The points of this colour in row i are j = 2 k + 1 (element k) or j = 2 k + 2 (element k + 1). In the row they
    // lie between the elements k and k + 1 of the other colour; above and below is the element of their own number.
    const int shift = (i + colour) % 2 == 0 ? 1 : 0;
    const double sum = tile[y][x + shift] + tile[y + 2][x + shift] + tile[y + 1][x] + tile[y + 1][x + 1];
    double& u = own[i * columns + k + shift];
    u = (1 - omega) * u + omega * sum / 4;
}

int main(int argc, char** argv) {
    const int side = static_cast<int>(option(argc, argv, "--side", 1024));
    const int iterations = static_cast<int>(option(argc, argv, "--iterations", 4));
    if (side % (2 * tile_width) != 0) {
        std::fprintf(stderr, "--side must be a multiple of %d\n", 2 * tile_width);
        return EXIT_FAILURE;
    }
    const double omega = 1.5;
    const int points = side + 2, columns = points / 2;
    std::vector<double> u(size_t{1} * points * points);
    for (int i = 0; i < points; ++i)
        for (int j = 0; j < points; ++j)
            u[size_t{1} * i * points + j] = i == 0 || j == 0 || i == points - 1 || j == points - 1
                                                ? 1.0 + std::sin(0.01 * i) * std::cos(0.02 * j)
                                                : 0.001 * ((i * 7 + j * 13) % 101);

    std::vector<double> colours[2];
    for (auto& colour : colours) colour.resize(size_t{1} * points * columns);
    for (int i = 0; i < points; ++i)
        for (int j = 0; j < points; ++j)
            colours[(i + j) % 2][size_t{1} * i * columns + j / 2] = u[size_t{1} * i * points + j];
    const size_t bytes = colours[0].size() * sizeof(double);
    double* d_colours[2];
    for (int colour : {red, black}) {
        check(cudaMalloc(&d_colours[colour], bytes));
        check(cudaMemcpy(d_colours[colour], colours[colour].data(), bytes, cudaMemcpyHostToDevice));
    }
    const dim3 block(tile_width, tile_height), grid(side / 2 / tile_width, side / tile_height);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        relax<red><<<grid, block>>>(d_colours[red], d_colours[black], columns, omega);
        relax<black><<<grid, block>>>(d_colours[black], d_colours[red], columns, omega);
    }
    check(cudaGetLastError());
    for (int colour : {red, black})
        check(cudaMemcpy(colours[colour].data(), d_colours[colour], bytes, cudaMemcpyDeviceToHost));

    for (int phase = 0; phase < 2 * iterations; ++phase)
        for (int i = 1; i <= side; ++i)
            for (int j = 1 + (i + 1 + phase) % 2; j <= side; j += 2) {
                double* const point = &u[size_t{1} * i * points + j];
                const double sum = point[-points] + point[points] + point[-1] + point[1];
                *point = (1 - omega) * *point + omega * sum / 4;
            }
    double worst = 0;
    for (int i = 0; i < points; ++i)
        for (int j = 0; j < points; ++j)
            worst = std::fmax(
                worst, std::abs(u[size_t{1} * i * points + j] - colours[(i + j) % 2][size_t{1} * i * columns + j / 2]));
    for (double* colour : d_colours) check(cudaFree(colour));
    // Multiply-adds may be fused on one side and not on the other.
    return verdict(worst < 1e-12);
}
