// What cuSPARSE's functions from before its descriptors take, one for each type of numbers.
#pragma once

#define DISABLE_CUSPARSE_DEPRECATED
#include "rows_of_matrices.hpp"

using C32 = std::complex<float>;

/// A number as the interface has it.
template <class T>
struct Number {
    using Type = T;
};
template <>
struct Number<C32> {
    using Type = cuComplex;
};
template <>
struct Number<Complex> {
    using Type = cuDoubleComplex;
};

/// The same numbers, as the interface has them.
template <class T>
auto* raw(const T* numbers) {
    return reinterpret_cast<typename Number<T>::Type*>(const_cast<T*>(numbers));
}
template <class T>
auto* raw(Device<T>& numbers) {
    return raw(static_cast<const T*>(static_cast<T*>(numbers)));
}

struct Description {
    cusparseMatDescr_t descr = nullptr;
    explicit Description(int base) { cusparseCreateMatDescr(&descr), cusparseSetMatIndexBase(descr, base_of(base)); }
    ~Description() { cusparseDestroyMatDescr(descr); }
    operator cusparseMatDescr_t() const { return descr; }
};

template <class T>
struct InDevice {
    int count;
    Device<int> offsets, indices;
    Device<T> values;
    explicit InDevice(const Compressed<T, int>& m)
        : count(static_cast<int>(m.values.size())), offsets(m.offsets), indices(m.indices), values(m.values) {}
};
