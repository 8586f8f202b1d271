// Real and complex numbers alike, for tests of libraries.
#pragma once

#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "../../programs/verify.hpp"

using Complex = std::complex<double>;

template <class T>
constexpr bool is_complex = !std::is_arithmetic_v<T>;

template <class T>
constexpr inline cudaDataType type_of = CUDA_R_32F;
template <>
constexpr inline cudaDataType type_of<double> = CUDA_R_64F;
template <>
constexpr inline cudaDataType type_of<std::complex<float>> = CUDA_C_32F;
template <>
constexpr inline cudaDataType type_of<Complex> = CUDA_C_64F;

inline Random numbers;

static __global__ void kernel_of_its_own() {}

/// Without one a program has no profile.
inline void launch_own_kernel() {
    kernel_of_its_own<<<1, 32>>>();
}

template <class T>
T conjugate(T value) {
    if constexpr (is_complex<T>)
        return std::conj(value);
    else
        return value;
}

/// |got - wanted| <= tolerance * max(1, |wanted|) everywhere; says where not.
template <class T>
bool close(const std::string& what, const std::vector<T>& got, const std::vector<T>& wanted, double tolerance) {
    for (size_t i = 0; i < wanted.size() && i < got.size(); ++i)
        if (!(std::abs(got[i] - wanted[i]) <= tolerance * std::max(1.0, static_cast<double>(std::abs(wanted[i]))))) {
            std::printf("%s: differs at %zu\n", what.c_str(), i);
            return false;
        }
    return holds(got.size() == wanted.size(), what.c_str());
}
