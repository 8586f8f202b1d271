// Particles in boxes act on those of the same and the 26 neighbouring boxes; double precision, exponentials.
#include "verify.hpp"

constexpr int particles = 32;  // per box
constexpr double a2 = 2 * 0.5 * 0.5;

struct Particle {
    double v, x, y, z;
};

__host__ __device__ void act(const Particle& own, const Particle& other, double charge, Particle& force) {
    const double r2 = own.v + other.v - (own.x * other.x + own.y * other.y + own.z * other.z);
    const double vij = exp(-a2 * r2), fs = 2 * vij;
    force.v += charge * vij;
    force.x += charge * fs * (own.x - other.x);
    force.y += charge * fs * (own.y - other.y);
    force.z += charge * fs * (own.z - other.z);
}

__global__ void forces(const Particle* particle, const double* charge, Particle* force, int side) {
    __shared__ Particle other[particles];
    __shared__ double q[particles];
    const int t = threadIdx.x, box = blockIdx.x;
    const int bx = box % side, by = box / side % side, bz = box / side / side;
    const Particle own = particle[box * particles + t];
    Particle sum = {0, 0, 0, 0};
    for (int n = 0; n < 27; ++n) {
        const int x = bx + n % 3 - 1, y = by + n / 3 % 3 - 1, z = bz + n / 9 - 1;
        if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) continue;
        const int neighbour = (z * side + y) * side + x;
        __syncthreads();
        other[t] = particle[neighbour * particles + t];
        q[t] = charge[neighbour * particles + t];
        __syncthreads();
        for (int j = 0; j < particles; ++j) act(own, other[j], q[j], sum);
    }
    force[box * particles + t] = sum;
}

std::vector<double> parts(const std::vector<Particle>& values) {
    std::vector<double> result;
    for (const auto& value : values) result.insert(result.end(), {value.v, value.x, value.y, value.z});
    return result;
}

int main(int argc, char** argv) {
    const int side = static_cast<int>(option(argc, argv, "--boxes", 3)), boxes = side * side * side;
    Random random;
    std::vector<Particle> particle(boxes * particles), expected(particle.size(), Particle{0, 0, 0, 0});
    std::vector<double> charge(particle.size());
    for (auto& p : particle) p = {random.uniform(), random.uniform(), random.uniform(), random.uniform()};
    for (double& value : charge) value = random.uniform();
    const Device<Particle> d_particle(particle);
    const Device<double> d_charge(charge);
    Device<Particle> force(particle.size());
    forces<<<boxes, particles>>>(d_particle, d_charge, force, side);
    for (int box = 0; box < boxes; ++box)
        for (int other = 0; other < boxes; ++other) {
            const int dx = box % side - other % side, dy = box / side % side - other / side % side,
                      dz = box / side / side - other / side / side;
            if (std::abs(dx) > 1 || std::abs(dy) > 1 || std::abs(dz) > 1) continue;
            for (int i = 0; i < particles; ++i)
                for (int j = 0; j < particles; ++j)
                    act(particle[box * particles + i], particle[other * particles + j], charge[other * particles + j],
                        expected[box * particles + i]);
        }
    return verdict(agree("force", parts(force.host()), parts(expected), 1e-10));
}
