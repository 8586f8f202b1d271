// Atomic operations on 32- and 64-bit words, in global and in shared memory.
#include <algorithm>

#include "verify.hpp"

struct Totals {
    int sum, least, most, last;
    unsigned bits_and, bits_or, bits_xor, wrapped_up, wrapped_down;
    unsigned long long wide_sum, wide_most, spun;
    float real;
    double wide_real;
};

__device__ void apply(Totals* t, int value) {
    atomicAdd(&t->sum, value);
    atomicMin(&t->least, value);
    atomicMax(&t->most, value);
    atomicAnd(&t->bits_and, ~static_cast<unsigned>(value & 6));
    atomicOr(&t->bits_or, value & 0xF0FU);
    atomicXor(&t->bits_xor, static_cast<unsigned>(value));
    atomicInc(&t->wrapped_up, 9);
    atomicDec(&t->wrapped_down, 9);
    atomicAdd(&t->wide_sum, static_cast<unsigned long long>(value) << 20);
    atomicMax(&t->wide_most, static_cast<unsigned long long>(value) << 33);
    atomicAdd(&t->real, static_cast<float>(value % 8));
    atomicAdd(&t->wide_real, 0.5 * (value % 8));
    unsigned long long seen = t->spun, expected;
    do {
        expected = seen;
        seen = atomicCAS(&t->spun, expected, expected + 3);
    } while (seen != expected);
    if (value == 77) atomicExch(&t->last, value);
}

__global__ void run(const int* in, Totals* global, int n) {
    __shared__ Totals shared;
    if (threadIdx.x == 0) shared = *global;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        apply(&shared, in[i]);
        apply(global + 1, in[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) *global = shared;
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--size", 1999));
    Random random;
    std::vector<int> values(n);
    for (int& value : values) value = static_cast<int>(random.next() % 1000000);
    values[n / 2] = 77;
    Totals start = {0, 1 << 30, 0, -1, ~0U, 0, 0, 0, 3, 0, 0, 0, 0, 0}, expected = start;
    for (const int value : values) {
        expected.sum += value;
        expected.least = std::min(expected.least, value);
        expected.most = std::max(expected.most, value);
        expected.bits_and &= ~static_cast<unsigned>(value & 6);
        expected.bits_or |= value & 0xF0FU;
        expected.bits_xor ^= static_cast<unsigned>(value);
        expected.wrapped_up = expected.wrapped_up >= 9 ? 0 : expected.wrapped_up + 1;
        expected.wrapped_down = expected.wrapped_down == 0 || expected.wrapped_down > 9 ? 9 : expected.wrapped_down - 1;
        expected.wide_sum += static_cast<unsigned long long>(value) << 20;
        expected.wide_most = std::max(expected.wide_most, static_cast<unsigned long long>(value) << 33);
        expected.real += static_cast<float>(value % 8);
        expected.wide_real += 0.5 * (value % 8);
        expected.spun += 3;
    }
    expected.last = 77;
    const Device<int> in(values);
    Device<Totals> totals(std::vector<Totals>{start, start});
    run<<<1, 192>>>(in, totals, n);
    bool right = true;
    for (const Totals& t : totals.host())
        right &= agree("32 bits", std::vector<int>{t.sum, t.least, t.most, t.last},
                       {expected.sum, expected.least, expected.most, expected.last}) &
                 agree("logic", std::vector<unsigned>{t.bits_and, t.bits_or, t.bits_xor, t.wrapped_up, t.wrapped_down},
                       {expected.bits_and, expected.bits_or, expected.bits_xor, expected.wrapped_up,
                        expected.wrapped_down}) &
                 agree("64 bits", std::vector<unsigned long long>{t.wide_sum, t.wide_most, t.spun},
                       {expected.wide_sum, expected.wide_most, expected.spun}) &
                 agree("float", t.real, expected.real) & agree("double", t.wide_real, expected.wide_real);
    return verdict(right);
}
