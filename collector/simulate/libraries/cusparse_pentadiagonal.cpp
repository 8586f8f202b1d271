// Systems with five diagonals: Gaussian elimination with exchanges of rows, whatever method is asked for.
#include <array>
#include <cstdlib>
#include <vector>

#include "collector/simulate/libraries/cusparse_numbers.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

/// The diagonals from the lowest to the highest, `step` apart like the right side `x`, which is replaced.
template <class T>
void solve(std::int64_t m, const std::array<const T*, 5>& diagonals, T* x, std::int64_t step) {
    constexpr std::int64_t below = 2, width = 5;  // exchanges bring two more diagonals above
    // Row i begins with column i, once those before it are eliminated.
    std::vector<std::array<T, width>> rows(static_cast<std::size_t>(m));
    const auto given = [&](std::int64_t i, std::int64_t j) {
        const std::int64_t d = j - i + below;
        return d < 0 || d >= width || j >= m ? T{} : diagonals[static_cast<std::size_t>(d)][i * step];
    };
    // The rows that column k can be eliminated from, whole from column k on.
    std::array<std::array<T, width>, below + 1> window{};
    const auto load = [&](std::int64_t i, std::int64_t k) {
        std::array<T, width> row{};
        for (std::int64_t j = 0; j < width; ++j) row[static_cast<std::size_t>(j)] = i < m ? given(i, k + j) : T{};
        return row;
    };
    for (std::int64_t i = 0; i <= below; ++i) window[static_cast<std::size_t>(i)] = load(i, 0);
    for (std::int64_t k = 0; k < m; ++k) {
        std::size_t best = 0;
        for (std::size_t i = 1; i <= below && k + static_cast<std::int64_t>(i) < m; ++i)
            if (std::abs(window[i][0]) > std::abs(window[best][0])) best = i;
        std::swap(window[0], window[best]);
        std::swap(x[k * step], x[(k + static_cast<std::int64_t>(best)) * step]);
        rows[static_cast<std::size_t>(k)] = window[0];
        for (std::size_t i = 1; i <= below && k + static_cast<std::int64_t>(i) < m; ++i) {
            const T factor = window[i][0] / rows[static_cast<std::size_t>(k)][0];
            for (std::size_t j = 0; j + 1 < width; ++j)
                window[i - 1][j] = window[i][j + 1] - factor * rows[static_cast<std::size_t>(k)][j + 1];
            window[i - 1][width - 1] = T{};
            x[(k + static_cast<std::int64_t>(i)) * step] -= factor * x[k * step];
        }
        window[below] = load(k + below + 1, k + 1);
    }
    for (std::int64_t k = m - 1; k >= 0; --k) {
        const auto& row = rows[static_cast<std::size_t>(k)];
        T rest = x[k * step];
        for (std::int64_t j = 1; j < width && k + j < m; ++j)
            rest -= row[static_cast<std::size_t>(j)] * x[(k + j) * step];
        x[k * step] = rest / row[0];
    }
}

/// Number j of system i lies at j * count + i.
template <class T>
int solve_interleaved(const char* name, void* h, int m, const std::array<const T*, 5>& diagonals, T* x, int count) {
    if (m < 0 || count < 0) return invalid_value;
    return submit(name, h, [=] {
        for (int i = 0; i < count; ++i) {
            auto own = diagonals;
            for (const T*& diagonal : own) diagonal += i;
            solve(m, own, x + i, count);
        }
        wrote(x, static_cast<std::int64_t>(m) * count, sizeof(T));
    });
}

}  // namespace

#define GPUPROJ_PENTADIAGONAL(T, X)                                                                                  \
    GPUPROJ_LIBRARY_API int cusparse##X##gpsvInterleavedBatch_bufferSizeExt(                                         \
        void* h, int, int, const T*, const T*, const T*, const T*, const T*, const T*, int, std::size_t* bytes) {    \
        return give_buffer_size(h, bytes);                                                                           \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusparse##X##gpsvInterleavedBatch(void* h, int, int m, T* ds, T* dl, T* d, T* du, T* dw, \
                                                              T* x, int count, void*) {                              \
        return solve_interleaved<T>("cusparse" #X "gpsvInterleavedBatch", h, m, {ds, dl, d, du, dw}, x, count);      \
    }
GPUPROJ_PENTADIAGONAL(float, S)
GPUPROJ_PENTADIAGONAL(double, D)
GPUPROJ_PENTADIAGONAL(C32, C)
GPUPROJ_PENTADIAGONAL(C64, Z)

}  // namespace gpuproj::simulate::libraries::cusparse
