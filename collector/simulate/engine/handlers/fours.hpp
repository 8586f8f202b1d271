// Four doubles at a time, and squares of four by four.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <cstddef>
#include <cstring>

namespace gpuproj::simulate::GPUPROJ_ISA {

using Four [[gnu::vector_size(4 * sizeof(double))]] = double;

inline Four four_of(const double* from) {
    Four values;  // NOLINT(*-init-variables): filled at once
    std::memcpy(&values, from, sizeof(values));
    return values;
}
inline void put(Four values, double* to) {
    std::memcpy(to, &values, sizeof(values));
}
/// Four rows of `from` become four columns of `to`, whose rows are `to_length` long. Written out: as matrix_ops.cpp's
/// turn_square has it for any type, mma takes half as long again.
inline void turn_four(const double* from, std::size_t length, double* to, std::size_t to_length) {
    const Four a = four_of(from), b = four_of(from + length), c = four_of(from + 2 * length),
               d = four_of(from + 3 * length);
    const Four low = __builtin_shufflevector(a, b, 0, 4, 2, 6), high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Four low_2 = __builtin_shufflevector(c, d, 0, 4, 2, 6), high_2 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    put(__builtin_shufflevector(low, low_2, 0, 1, 4, 5), to);
    put(__builtin_shufflevector(high, high_2, 0, 1, 4, 5), to + to_length);
    put(__builtin_shufflevector(low, low_2, 2, 3, 6, 7), to + 2 * to_length);
    put(__builtin_shufflevector(high, high_2, 2, 3, 6, 7), to + 3 * to_length);
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
