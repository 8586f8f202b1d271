// What cuBLAS and cuSOLVER do when they are given no place for pivots, and LAPACK does not.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/simulate/libraries/lapack.hpp"

namespace gpuproj::simulate::libraries::lapack {

/// LU by columns; gives the number of the first pivot that is 0, counted from 1, or 0.
template <class T>
int getrf_without_pivots(int m, int n, T* a, std::int64_t lda) {
    int info = 0;
    for (int k = 0; k < std::min(m, n); ++k) {
        const T pivot = a[k + k * lda];
        if (pivot == T{}) {
            if (info == 0) info = k + 1;
            continue;
        }
        for (int i = k + 1; i < m; ++i) a[i + k * lda] /= pivot;
        for (int j = k + 1; j < n; ++j) {
            const T factor = a[k + j * lda];
            if (factor == T{}) continue;
            for (int i = k + 1; i < m; ++i) a[i + j * lda] -= a[i + k * lda] * factor;
        }
    }
    return info;
}

/// `pivots` may be nullptr.
template <class T>
int factor_lu(int m, int n, T* a, int lda, int* pivots) {
    return pivots != nullptr ? getrf(m, n, a, lda, pivots) : getrf_without_pivots(m, n, a, lda);
}

/// The pivots given, or those that exchange nothing.
class Pivots {
public:
    Pivots(const int* given, int n) : given_(given) {
        if (given == nullptr) make(n, [](int i) { return i + 1; });
    }
    Pivots(const std::int64_t* given, int n) {
        make(n, [given](int i) { return given != nullptr ? static_cast<int>(given[i]) : i + 1; });
    }
    const int* get() const { return given_ != nullptr ? given_ : made_.data(); }

private:
    template <class F>
    void make(int n, F&& pivot) {
        for (int i = 0; i < n; ++i) made_.push_back(pivot(i));
    }

    const int* given_ = nullptr;
    std::vector<int> made_;
};

}  // namespace gpuproj::simulate::libraries::lapack
