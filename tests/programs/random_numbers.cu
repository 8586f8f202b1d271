// The generators that cuRAND has as headers, in kernels. Checked against their published recurrences (Marsaglia,
// "Xorshift RNGs", 2003; L'Ecuyer, "Good parameters", 1999), Philox against its authors' known answer (Random123
// kat_vectors), skipping ahead against drawing as often.
#include <curand_kernel.h>

#include "verify.hpp"

constexpr int threads = 64, draws = 8, skipped = 1000;

/// A generator's state, `draws` numbers from it, and one drawn after skipping and after drawing.
template <class State>
struct Drawn {
    State begin;
    unsigned numbers[draws];
    unsigned after_skipping, after_drawing;
};

template <class State>
__global__ void draw(Drawn<State>* all, unsigned long long seed) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    State state;
    curand_init(seed, t, 0, &state);
    all[t].begin = state;
    for (unsigned& number : all[t].numbers) number = curand(&state);
    for (int i = draws; i < skipped; ++i) curand(&state);
    all[t].after_drawing = curand(&state);
    curand_init(seed, t, skipped, &state);
    all[t].after_skipping = curand(&state);
}

std::vector<unsigned> expected(curandStateXORWOW state) {
    std::vector<unsigned> numbers;
    for (int i = 0; i < draws; ++i) {
        const unsigned t = state.v[0] ^ (state.v[0] >> 2);
        for (int k = 0; k < 4; ++k) state.v[k] = state.v[k + 1];
        state.v[4] = (state.v[4] ^ (state.v[4] << 4)) ^ (t ^ (t << 1));
        state.d += 362437;
        numbers.push_back(state.v[4] + state.d);
    }
    return numbers;
}

std::vector<unsigned> expected(curandStateMRG32k3a state) {
    constexpr long long m1 = 4294967087, m2 = 4294944443;
    std::vector<unsigned> numbers;
    long long a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = static_cast<long long>(state.s1[i]);
        b[i] = static_cast<long long>(state.s2[i]);
    }
    const auto step = [](long long(&s)[3], long long next, long long m) {
        s[0] = s[1];
        s[1] = s[2];
        s[2] = next < 0 ? next + m : next;
    };
    for (int i = 0; i < draws; ++i) {
        step(
            a,
            static_cast<long long>((static_cast<__int128>(1403580) * a[1] - static_cast<__int128>(810728) * a[0]) % m1),
            m1);
        step(
            b,
            static_cast<long long>((static_cast<__int128>(527612) * b[2] - static_cast<__int128>(1370589) * b[0]) % m2),
            m2);
        const long long difference = a[2] - b[2];
        numbers.push_back(static_cast<unsigned>(difference <= 0 ? difference + m1 : difference));
    }
    return numbers;
}

template <class State>
std::vector<Drawn<State>> drawn(unsigned long long seed) {
    Device<Drawn<State>> all(threads);
    draw<<<2, threads / 2>>>(static_cast<Drawn<State>*>(all), seed);
    return all.host();
}

template <class State>
bool skips(const char* name, const std::vector<Drawn<State>>& all) {
    std::vector<unsigned> drawing, skipping;
    for (const auto& one : all) {
        drawing.push_back(one.after_drawing);
        skipping.push_back(one.after_skipping);
    }
    return agree(name, skipping, drawing);
}

template <class State>
bool follows(const char* name, const std::vector<Drawn<State>>& all, double tolerance) {
    for (const auto& one : all)
        if (!agree(name, std::vector<unsigned>(one.numbers, one.numbers + draws), expected(one.begin), tolerance))
            return false;
    return skips(name, all);
}

int main() {
    bool good = follows("XORWOW", drawn<curandStateXORWOW>(1234), 0);
    // cuRAND stretches 1 to m1 to all of 32 bits.
    good = follows("MRG32k3a", drawn<curandStateMRG32k3a>(1234), 1e-7) && good;
    const auto philox = drawn<curandStatePhilox4_32_10_t>(0);
    // philox4x32-10, counter and key of zeros
    const std::vector<unsigned> known{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    good = agree("Philox", std::vector<unsigned>(philox[0].numbers, philox[0].numbers + 4), known) && good;
    good = skips("Philox", philox) && good;
    return verdict(good);
}
