// Particles that wander, and for each the sum of distances to those near it, by lists of who is in which cell. How many
// there are differs from cell to cell and from step to step. Coordinates are whole numbers, so that all is exact.
#include <cstdint>
#include <numeric>

#include "verify.hpp"

struct Particle {
    int x, y;  // 0 <= x < extent
    unsigned random;
};

__host__ __device__ void wander(Particle& particle, int extent) {
    particle.random = particle.random * 1664525U + 1013904223U;
    const int reach = 64;
    particle.x = (particle.x + extent - reach / 2 + static_cast<int>(particle.random >> 26)) % extent;
    particle.y = (particle.y + extent - reach / 2 + static_cast<int>(particle.random >> 20) % reach) % extent;
}

__global__ void move(Particle* particles, int n, int extent) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) wander(particles[i], extent);
}

/// The particles of cell c are list[start[c]] to list[start[c + 1] - 1].
__host__ __device__ int sum_near(const Particle* particles, const int* start, const int* list, int cells, int size,
                                 int i) {
    const Particle here = particles[i];
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            const int x = here.x / size + dx, y = here.y / size + dy;
            if (x < 0 || y < 0 || x >= cells || y >= cells) continue;
            for (int k = start[y * cells + x]; k < start[y * cells + x + 1]; ++k) {
                const Particle other = particles[list[k]];
                const int ax = here.x - other.x, ay = here.y - other.y, square = ax * ax + ay * ay;
                if (square < size * size) sum += square;
            }
        }
    }
    return sum;
}

__global__ void near_sums(const Particle* particles, int n, const int* start, const int* list, int cells, int size,
                          int* sums) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sums[i] = sum_near(particles, start, list, cells, size, i);
}

int main(int argc, char** argv) {
    const int cells = static_cast<int>(option(argc, argv, "--cells", 16));  // in each direction
    const int steps = static_cast<int>(option(argc, argv, "--steps", 4));
    constexpr int size = 256, in_a_cell = 4;  // of a cell, and on average
    const int n = in_a_cell * cells * cells, extent = size * cells;
    Random random;
    std::vector<Particle> particles(n);
    for (auto& particle : particles)
        particle = {static_cast<int>(random.next() % extent), static_cast<int>(random.next() % extent), random.next()};
    std::vector<int> start(cells * cells + 1), list(n), expected(n);
    Device<Particle> d_particles(particles);
    Device<int> d_start(start.size()), d_list(n), sums(n);
    bool right = true;
    for (int step = 0; step < steps; ++step) {
        const int blocks = (n + 255) / 256;
        move<<<blocks, 256>>>(d_particles, n, extent);
        for (auto& particle : particles) wander(particle, extent);
        const auto cell = [&](const Particle& p) { return p.y / size * cells + p.x / size; };
        std::fill(start.begin(), start.end(), 0);
        for (const auto& particle : particles) ++start[cell(particle) + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<int> next = start;
        for (int i = 0; i < n; ++i) list[next[cell(particles[i])]++] = i;
        d_start = start;
        d_list = list;
        near_sums<<<blocks, 256>>>(d_particles, n, d_start, d_list, cells, size, sums);
        for (int i = 0; i < n; ++i) expected[i] = sum_near(particles.data(), start.data(), list.data(), cells, size, i);
        right = agree("sums", sums.host(), expected, 0) && right;
    }
    return verdict(right);
}
