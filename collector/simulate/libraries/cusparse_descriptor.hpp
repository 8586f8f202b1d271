// Making and asking descriptors.
#pragma once

#include "collector/simulate/libraries/cusparse_numbers.hpp"

namespace gpuproj::simulate::libraries::cusparse {

template <class T>
int make(T** out, const T& made) noexcept {
    if (out == nullptr) return invalid_value;
    *out = new (std::nothrow) T(made);
    return *out != nullptr ? success : allocation_failed;
}

template <class T>
int destroy(const T* descriptor) noexcept {
    delete descriptor;
    return success;
}

// What the application does not want to know, it has no place for.
template <class T, class V>
void give(T* to, V value) {
    if (to != nullptr) *to = value;
}

inline int make_matrix(const char* function, SparseMatrix** out, const SparseMatrix& m) {
    const bool known = is_index(m.offset_type) && is_index(m.index_type) && is_floating(m.type);
    if (m.rows < 0 || m.columns < 0 || m.nonzeros < 0) return invalid_value;
    return known ? make(out, m) : refuse(function);
}

}  // namespace gpuproj::simulate::libraries::cusparse
