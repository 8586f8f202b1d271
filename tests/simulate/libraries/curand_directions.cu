// cuRAND's tables for kernels that make Sobol sequences of their own: with them they make what the generators on the
// host make, and every dimension is spread evenly.
#include <curand.h>
#include <curand_kernel.h>

#include <algorithm>

#include "../../programs/verify.hpp"

namespace {

constexpr int points = 256;

bool fine(curandStatus_t status, const char* what) {
    return holds(status == CURAND_STATUS_SUCCESS, what);
}

__global__ void plain32(const curandDirectionVectors32_t* vectors, unsigned* out) {
    curandStateSobol32_t state;
    curand_init(const_cast<unsigned*>(vectors[blockIdx.x]), threadIdx.x, &state);
    out[blockIdx.x * blockDim.x + threadIdx.x] = curand(&state);
}
__global__ void scrambled32(const curandDirectionVectors32_t* vectors, const unsigned* constants, unsigned* out) {
    curandStateScrambledSobol32_t state;
    curand_init(const_cast<unsigned*>(vectors[blockIdx.x]), constants[blockIdx.x], threadIdx.x, &state);
    out[blockIdx.x * blockDim.x + threadIdx.x] = curand(&state);
}
__global__ void scrambled64(const curandDirectionVectors64_t* vectors, const unsigned long long* constants,
                            unsigned long long* out) {
    curandStateScrambledSobol64_t state;
    curand_init(const_cast<unsigned long long*>(vectors[blockIdx.x]), constants[blockIdx.x], threadIdx.x, &state);
    out[blockIdx.x * blockDim.x + threadIdx.x] = curand(&state);
}

// The first 2^k points of a dimension are one in each of 2^k equal intervals.
template <class Word>
bool is_even(const char* what, const std::vector<Word>& values, int dimensions) {
    for (int d = 0; d < dimensions; ++d)
        for (int count = 2; count <= points; count *= 2) {
            std::vector<int> seen(count);
            for (int i = 0; i < count; ++i)
                ++seen[static_cast<size_t>(static_cast<double>(values[d * points + i]) /
                                           std::pow(2.0, 8.0 * sizeof(Word)) * count)];
            if (!holds(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }), what)) return false;
        }
    return true;
}

template <class Word, class Table>
std::vector<Word> rows(const Table* table, int first, int dimensions) {
    const Word* const begin = table[first];
    return {begin, begin + static_cast<size_t>(dimensions) * sizeof(Table) / sizeof(Word)};
}

// What a generator makes: all points of a dimension, then all of the next.
std::vector<unsigned> of_generator(curandRngType_t type, int dimensions) {
    curandGenerator_t generator;
    fine(curandCreateGenerator(&generator, type), "generator");
    fine(curandSetQuasiRandomGeneratorDimensions(generator, dimensions), "dimensions");
    Device<unsigned> out(dimensions * points);
    fine(curandGenerate(generator, out, dimensions * points), "bits");
    curandDestroyGenerator(generator);
    return out.host();
}

bool plain() {
    const int dimensions = 20;
    curandDirectionVectors32_t* table = nullptr;
    bool right = fine(curandGetDirectionVectors32(&table, CURAND_DIRECTION_VECTORS_32_JOEKUO6), "table");
    // Joe and Kuo's second dimension, by hand: x + 1 and 1 give 1, 3, 5, 15, 17 over 2, 4, 8, 16, 32.
    right &= agree("dimension 2", std::vector<unsigned>(table[1], table[1] + 5),
                   {1U << 31, 3U << 30, 5U << 29, 15U << 28, 17U << 27});
    Device<unsigned> vectors(rows<unsigned>(table, 0, dimensions)), out(dimensions * points);
    plain32<<<dimensions, points>>>(
        reinterpret_cast<const curandDirectionVectors32_t*>(static_cast<unsigned*>(vectors)), out);
    const auto made = out.host();
    right &= agree("as the generator has it", made, of_generator(CURAND_RNG_QUASI_SOBOL32, dimensions)) &
             is_even("even", made, dimensions);
    // The last dimensions that there are.
    vectors = rows<unsigned>(table, 20000 - dimensions, dimensions);
    plain32<<<dimensions, points>>>(
        reinterpret_cast<const curandDirectionVectors32_t*>(static_cast<unsigned*>(vectors)), out);
    return right & is_even("the last are even", out.host(), dimensions);
}

bool scrambled() {
    const int dimensions = 8;
    curandDirectionVectors32_t* table = nullptr;
    unsigned* constants = nullptr;
    bool right = fine(curandGetDirectionVectors32(&table, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6), "table") &&
                 fine(curandGetScrambleConstants32(&constants), "constants");
    Device<unsigned> vectors(rows<unsigned>(table, 0, dimensions)),
        added(std::vector<unsigned>(constants, constants + dimensions)), out(dimensions * points);
    scrambled32<<<dimensions, points>>>(
        reinterpret_cast<const curandDirectionVectors32_t*>(static_cast<unsigned*>(vectors)), added, out);
    const auto made = out.host();
    right &= agree("as the generator has it", made, of_generator(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, dimensions)) &
             is_even("scrambled, and even", made, dimensions) &
             holds(made != of_generator(CURAND_RNG_QUASI_SOBOL32, dimensions), "scrambled");

    curandDirectionVectors64_t* wide = nullptr;
    unsigned long long* words = nullptr;
    right &= fine(curandGetDirectionVectors64(&wide, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6), "table") &&
             fine(curandGetScrambleConstants64(&words), "constants");
    Device<unsigned long long> vectors64(rows<unsigned long long>(wide, 0, dimensions)),
        added64(std::vector<unsigned long long>(words, words + dimensions)), out64(dimensions * points);
    scrambled64<<<dimensions, points>>>(
        reinterpret_cast<const curandDirectionVectors64_t*>(static_cast<unsigned long long*>(vectors64)), added64,
        out64);
    right &= is_even("64 bits, scrambled, and even", out64.host(), dimensions);
    curandGenerator_t generator;
    Device<unsigned long long> again(dimensions * points);
    right &= fine(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64), "generator") &&
             fine(curandSetQuasiRandomGeneratorDimensions(generator, dimensions), "dimensions") &&
             fine(curandGenerateLongLong(generator, again, dimensions * points), "words") &&
             holds(again.host() == out64.host(), "as the generator of 64 bits has it");
    Device<double> uniform(dimensions * points);
    right &= fine(curandGenerateUniformDouble(generator, uniform, dimensions * points), "uniform");
    double mean = 0;
    for (const double value : uniform.host()) mean += value / (dimensions * points);
    right &= agree("mean", mean, 0.5, 0.01);
    curandDestroyGenerator(generator);
    return right;
}

bool mistakes() {
    curandDirectionVectors32_t* table = nullptr;
    return holds(curandGetDirectionVectors32(&table, CURAND_DIRECTION_VECTORS_64_JOEKUO6) == CURAND_STATUS_OUT_OF_RANGE,
                 "a set of 64 bits") &
           holds(curandGetScrambleConstants32(nullptr) == CURAND_STATUS_OUT_OF_RANGE, "no place for constants");
}

}  // namespace

int main() {
    bool right = plain();
    right &= scrambled();
    right &= mistakes();
    return verdict(right);
}
