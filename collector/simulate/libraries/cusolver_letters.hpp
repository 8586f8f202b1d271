// cuSOLVER's numbers in LAPACK's letters.
#pragma once

#include <type_traits>

#include "collector/simulate/libraries/cusolver_types.hpp"

namespace gpuproj::simulate::libraries::cusolver {

inline char letter(Fill fill) {
    return fill == Fill::upper ? 'U' : 'L';
}
inline char letter(Side side) {
    return side == Side::left ? 'L' : 'R';
}
template <class T>
char letter(Operation operation) {
    if (operation == Operation::none) return 'N';
    return is_complex<T> && operation == Operation::conjugate ? 'C' : 'T';
}

/// Is it a matrix of `rows` rows and `columns` columns with as many rows in memory?
inline bool is_matrix(int rows, int columns, int leading) {
    return rows >= 0 && columns >= 0 && leading >= (rows > 1 ? rows : 1);
}

}  // namespace gpuproj::simulate::libraries::cusolver
