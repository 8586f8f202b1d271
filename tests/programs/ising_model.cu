// Ising model by Metropolis' rule on a checkerboard, each site with random numbers of its own: which way branches go
// depends on the data, so that no two launches execute the same instructions.
#include <cmath>
#include <cstdint>

#include "verify.hpp"

__host__ __device__ uint32_t xorshift(uint32_t& state) {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/// `flips`: of 2^32, how often a spin flips that costs energy, by its neighbours that agree (3 or 4 of them).
struct Flips {
    uint32_t with_3, with_4;
};

__host__ __device__ void update(signed char* spins, uint32_t* random, int side, int x, int y, Flips flips) {
    const int right = (x + 1) % side, left = (x + side - 1) % side, below = (y + 1) % side,
              above = (y + side - 1) % side;
    const int sum =
        spins[y * side + right] + spins[y * side + left] + spins[below * side + x] + spins[above * side + x];
    const int spin = spins[y * side + x];
    if (spin * sum > 0 && xorshift(random[y * side + x]) >= (spin * sum == 2 ? flips.with_3 : flips.with_4)) return;
    spins[y * side + x] = static_cast<signed char>(-spin);
}

__global__ void sweep(signed char* spins, uint32_t* random, int side, int color, Flips flips) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= side * side || (i % side + i / side) % 2 != color) return;
    update(spins, random, side, i % side, i / side, flips);
}

int main(int argc, char** argv) {
    const int side = static_cast<int>(option(argc, argv, "--side", 64));
    const int sweeps = static_cast<int>(option(argc, argv, "--sweeps", 10));
    const auto often = [](double energy) { return static_cast<uint32_t>(std::exp(-0.44 * energy) * 4294967296.0); };
    const Flips flips{often(4), often(8)};
    Random random;
    std::vector<signed char> spins(size_t{1} * side * side);
    std::vector<uint32_t> states(spins.size());
    for (auto& spin : spins) spin = random.next() % 2 != 0 ? 1 : -1;
    for (auto& state : states) state = random.next() | 1;
    Device<signed char> d_spins(spins);
    Device<uint32_t> d_states(states);
    const int blocks = (side * side + 255) / 256;
    for (int i = 0; i < sweeps; ++i)
        for (const int color : {0, 1}) sweep<<<blocks, 256>>>(d_spins, d_states, side, color, flips);
    for (int i = 0; i < sweeps; ++i)
        for (const int color : {0, 1})
            for (int y = 0; y < side; ++y)
                for (int x = (y + color) % 2; x < side; x += 2) update(spins.data(), states.data(), side, x, y, flips);
    return verdict(agree("spins", d_spins.host(), spins, 0) && agree("states", d_states.host(), states, 0));
}
