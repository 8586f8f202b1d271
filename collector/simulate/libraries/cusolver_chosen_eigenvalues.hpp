// Some of the eigenvalues of symmetric and Hermitian matrices: all are calculated, and those wanted are given.
#pragma once

#include <memory>

#include "collector/simulate/libraries/cusolver_eigenvalues.hpp"

namespace gpuproj::simulate::libraries::cusolver {

/// Which are wanted. `range`: a cusolverEigRange_t.
struct Choice {
    static constexpr int all = 1001, by_number = 1002, by_value = 1003;
    int range = all;
    double above = 0, up_to = 0;       // by value
    std::int64_t first = 1, last = 0;  // by number, counted from 1, both among them
    bool is_right(std::int64_t n) const {
        if (range == by_number) return n == 0 || (first >= 1 && first <= last && last <= n);
        return range == all || (range == by_value && above < up_to);
    }
};

/// Moves those wanted of `n` sorted values and their vectors to the front; gives how many there are.
template <class T, class R>
int choose(const Choice& choice, bool vectors, int n, T* A, int lda, R* W) {
    std::int64_t begin = 0, end = n;
    if (choice.range == Choice::by_number) begin = choice.first - 1, end = choice.last;
    if (choice.range == Choice::by_value) {
        begin = std::upper_bound(W, W + n, static_cast<R>(choice.above)) - W;
        end = std::upper_bound(W, W + n, static_cast<R>(choice.up_to)) - W;
    }
    if (n == 0) return 0;
    std::copy(W + begin, W + end, W);
    for (std::int64_t j = begin; vectors && begin > 0 && j < end; ++j)
        std::copy_n(A + j * lda, n, A + (j - begin) * lda);
    return static_cast<int>(end - begin);
}

/// `found`, on the host, is how many there are: this waits for it. `solve(A, W)` gives LAPACK's info.
template <class T, class R, class N, class F>
int chosen_of(const char* name, void* h, const Choice& choice, bool vectors, int n, T* A, int lda, R* W, N* found,
              int* info, F&& solve) noexcept {
    if (found == nullptr || !choice.is_right(n)) return invalid_value;
    try {
        const auto count = std::make_shared<int>(0);  // lives on in a call that is captured in a graph
        int code = submit(name, h, [=] {
            const int said = solve(A, W);
            give(info, said);
            if (said == 0) *count = choose(choice, vectors, n, A, lda, W);
            wrote(A, n, n, lda);
            wrote(W, n);
        });
        if (code == success) code = finish(h);
        *found = *count;
        return code;
    } catch (const std::bad_alloc&) {
        return allocation_failed;
    }
}

template <class T, class R, class N>
int syevdx_of(const char* name, void* h, int mode, const Choice& choice, Fill fill, int n, T* A, int lda, R* W,
              N* found, int* info) {
    if (!is_matrix(n, n, lda)) return invalid_value;
    return chosen_of(name, h, choice, mode == 1, n, A, lda, W, found, info,
                     [=](T* a, R* w) { return lapack::syevd(job(mode), letter(fill), n, a, lda, w); });
}
template <class T, class R>
int sygvdx_of(const char* name, void* h, int type, int mode, const Choice& choice, Fill fill, int n, T* A, int lda,
              T* B, int ldb, R* W, int* found, int* info) {
    if (!is_matrix(n, n, lda) || !is_matrix(n, n, ldb) || type < 1 || type > 3) return invalid_value;
    return chosen_of(name, h, choice, mode == 1, n, A, lda, W, found, info, [=](T* a, R* w) {
        const int said = lapack::sygvd(type, job(mode), letter(fill), n, a, lda, B, ldb, w);
        wrote(B, n, n, ldb);
        return said;
    });
}

}  // namespace gpuproj::simulate::libraries::cusolver
