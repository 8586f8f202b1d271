// Tables for the application's own kernels, which begin Sobol sequences with them. Joe and Kuo's direction numbers for
// the first 20 dimensions; the others have their polynomials too, but first numbers that are drawn by chance.
#include "collector/simulate/libraries/curand_directions.hpp"

#include <new>
#include <vector>

#include "collector/simulate/libraries/curand_primitive.hpp"
#include "collector/simulate/libraries/curand_types.hpp"

namespace gpuproj::simulate::libraries::curand {

namespace {

constexpr unsigned all_dimensions = 20000;  // of cuRAND

constexpr bool is_order_of_joe_and_kuo() {
    bool same = true;
    for_primitive_polynomials(most_dimensions - 1, [&](unsigned i, const PrimitivePolynomial& polynomial) {
        same &= polynomial.degree == polynomials[i].degree && polynomial.coefficients == polynomials[i].coefficients;
    });
    return same;
}
static_assert(is_order_of_joe_and_kuo());

template <class Word>
Directions<Word> directions_of(unsigned dimension, const PrimitivePolynomial& polynomial) {
    if (dimension < most_dimensions) return directions<Word>(dimension);
    return curand::directions_of<Word>(polynomial.degree, polynomial.coefficients, [&](unsigned k) {
        return (drawn(drawn_number, dimension, k) >> (63 - k)) | 1U;  // odd, of k + 1 binary digits
    });
}

template <class Word>
using Table = std::vector<Directions<Word>>;

template <class Word>
Table<Word> make_table() {
    Table<Word> table;
    table.push_back(directions<Word>(0));
    for_primitive_polynomials(all_dimensions - 1, [&](unsigned i, const PrimitivePolynomial& polynomial) {
        table.push_back(directions_of<Word>(i + 1, polynomial));
    });
    return table;
}
template <class Word>
Table<Word> scrambled_table(Table<Word> table) {
    for (unsigned d = 0; d < all_dimensions; ++d) table[d] = scrambled(table[d], d);
    return table;
}
template <class Word>
std::vector<Word> constants() {
    std::vector<Word> all;
    for (unsigned d = 0; d < all_dimensions; ++d) all.push_back(scramble_constant<Word>(d));
    return all;
}

// Made when they are asked for first, and kept: applications never give them back.
template <class Word>
Table<Word>& plain_table() {
    static auto* const made = new Table<Word>(make_table<Word>());
    return *made;
}

template <class Word>
int give_table(Directions<Word>** out, int set, int plain) noexcept {
    if (out == nullptr || (set != plain && set != plain + 1)) return out_of_range;
    try {
        if (set == plain) {
            *out = plain_table<Word>().data();
            return success;
        }
        static auto* const made = new Table<Word>(scrambled_table(plain_table<Word>()));
        *out = made->data();
        return success;
    } catch (const std::bad_alloc&) {
        return allocation_failed;
    }
}
template <class Word>
int give_constants(Word** out) noexcept {
    if (out == nullptr) return out_of_range;
    try {
        static auto* const made = new std::vector<Word>(constants<Word>());
        *out = made->data();
        return success;
    } catch (const std::bad_alloc&) {
        return allocation_failed;
    }
}

/// curandDirectionVectorSet_t; behind each comes the scrambled one.
constexpr int set_of_32 = 101, set_of_64 = 103;

}  // namespace

GPUPROJ_LIBRARY_API int curandGetDirectionVectors32(Directions<std::uint32_t>** out, int set) {
    return give_table(out, set, set_of_32);
}
GPUPROJ_LIBRARY_API int curandGetDirectionVectors64(Directions<std::uint64_t>** out, int set) {
    return give_table(out, set, set_of_64);
}
GPUPROJ_LIBRARY_API int curandGetScrambleConstants32(std::uint32_t** out) {
    return give_constants(out);
}
GPUPROJ_LIBRARY_API int curandGetScrambleConstants64(std::uint64_t** out) {
    return give_constants(out);
}

}  // namespace gpuproj::simulate::libraries::curand
