// Sparse systems that cuSOLVER solves step by step, by Cholesky's method and QR, on the device and on the host, and the
// orders that it gives the unknowns of such systems.
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include <algorithm>

#include "matrices.hpp"

static bool fine(cusolverStatus_t status, const std::string& what) {
    return holds(status == CUSOLVER_STATUS_SUCCESS, what.c_str());
}

/// Rows with indices from 1, as the descriptions below say.
template <class T>
struct Rows {
    int n;
    std::vector<int> offsets, columns;
    std::vector<T> values;

    int count() const { return static_cast<int>(columns.size()); }

    std::vector<T> operator*(const std::vector<T>& x) const {
        std::vector<T> y(n);
        for (int i = 0; i < n; ++i)
            for (int k = offsets[i] - 1; k < offsets[i + 1] - 1; ++k) y[i] += values[k] * x[columns[k] - 1];
        return y;
    }
};

/// Points of a grid, numbered in steps of 7 so that the matrix is no band; Hermitian and positive definite.
template <class T>
static Rows<T> grid(int width, T beside) {
    const int n = width * width;
    const auto number = [=](int x, int y) { return (y * width + x) * 7 % n; };
    std::vector<std::vector<std::pair<int, T>>> rows(n);
    for (int y = 0; y < width; ++y)
        for (int x = 0; x < width; ++x) {
            const int here = number(x, y);
            rows[here].push_back({here, T(5)});
            const auto join = [&](int there) {
                rows[here].push_back({there, beside});
                rows[there].push_back({here, conjugate(beside)});
            };
            if (x + 1 < width) join(number(x + 1, y));
            if (y + 1 < width) join(number(x, y + 1));
        }
    Rows<T> result{n, {1}, {}, {}};
    for (auto& row : rows) {
        std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [column, value] : row) {
            result.columns.push_back(column + 1);
            result.values.push_back(value);
        }
        result.offsets.push_back(result.count() + 1);
    }
    return result;
}

struct Setting {
    cusolverSpHandle_t handle = nullptr;
    cusparseMatDescr_t description = nullptr;
};

static bool cholesky(const Setting& in) {
    const auto a = grid<double>(6, -1);
    const int n = a.n;
    Device<double> values(a.values), x(n);
    Device<int> offsets(a.offsets), columns(a.columns);
    csrcholInfo_t info;
    size_t internal = 0, workspace = 0;
    int position = 7;
    bool right = fine(cusolverSpCreateCsrcholInfo(&info), "info");
    const auto factor = [&] {
        return cusolverSpDcsrcholFactor(in.handle, n, a.count(), in.description, values, offsets, columns, info,
                                        nullptr);
    };
    right &= holds(factor() == CUSOLVER_STATUS_INVALID_VALUE, "without an analysis");
    right &=
        fine(cusolverSpXcsrcholAnalysis(in.handle, n, a.count(), in.description, offsets, columns, info), "analysis") &&
        fine(cusolverSpDcsrcholBufferInfo(in.handle, n, a.count(), in.description, values, offsets, columns, info,
                                          &internal, &workspace),
             "buffers") &&
        holds(workspace > 0, "workspace");
    right &= fine(factor(), "factor") &&
             fine(cusolverSpDcsrcholZeroPivot(in.handle, info, 1e-12, &position), "pivot") &&
             agree("position", position, -1);
    // The factors serve for two right sides.
    for (int side = 0; side < 2; ++side) {
        std::vector<double> wanted(n);
        for (auto& value : wanted) value = numbers.uniform();
        Device<double> b(a * wanted);
        right &= fine(cusolverSpDcsrcholSolve(in.handle, n, b, x, info, nullptr), "solve") &&
                 close("csrchol", x.host(), wanted, 1e-10);
    }
    // Too large beside the diagonal to be positive definite; the same analysis.
    values = grid<double>(6, -3).values;
    right &= fine(factor(), "factor") &&
             fine(cusolverSpDcsrcholZeroPivot(in.handle, info, 1e-12, &position), "pivot") &&
             holds(position >= 0 && position < n, "not positive definite");
    return right & fine(cusolverSpDestroyCsrcholInfo(info), "info");
}

static bool cholesky_on_the_host(const Setting& in) {
    const auto a = grid<Complex>(5, {-1, 0.5});
    const int n = a.n;
    std::vector<Complex> wanted(n), x(n);
    for (auto& value : wanted) value = {numbers.uniform(), numbers.uniform()};
    const auto b = a * wanted;
    const auto raw = [](const auto& some) { return reinterpret_cast<const cuDoubleComplex*>(some.data()); };
    csrcholInfoHost_t info;
    int position = 7;
    bool right = fine(cusolverSpCreateCsrcholInfoHost(&info), "info") &&
                 fine(cusolverSpXcsrcholAnalysisHost(in.handle, n, a.count(), in.description, a.offsets.data(),
                                                     a.columns.data(), info),
                      "analysis");
    right &= holds(cusolverSpZcsrcholZeroPivotHost(in.handle, info, 0, &position) == CUSOLVER_STATUS_INVALID_VALUE,
                   "without factors");
    right &= fine(cusolverSpZcsrcholFactorHost(in.handle, n, a.count(), in.description, raw(a.values), a.offsets.data(),
                                               a.columns.data(), info, nullptr),
                  "factor") &&
             fine(cusolverSpZcsrcholZeroPivotHost(in.handle, info, 1e-12, &position), "pivot") &&
             agree("position", position, -1) &&
             fine(cusolverSpZcsrcholSolveHost(in.handle, n, raw(b), reinterpret_cast<cuDoubleComplex*>(x.data()), info,
                                              nullptr),
                  "solve") &&
             close("csrchol on the host", x, wanted, 1e-10);
    return right & fine(cusolverSpDestroyCsrcholInfoHost(info), "info");
}

/// Of the matrix less `shift` on its diagonal; b comes with the factors, and alone.
static bool qr(const Setting& in) {
    auto a = grid<float>(5, 2);
    a.values[3] = 9;  // no symmetry
    const int n = a.n;
    const float shift = 1.5f;
    std::vector<float> wanted(n);
    for (auto& value : wanted) value = static_cast<float>(numbers.uniform());
    auto right_side = a * wanted;
    for (int i = 0; i < n; ++i) right_side[i] -= shift * wanted[i];
    Device<float> values(a.values), b(right_side), x(n);
    Device<int> offsets(a.offsets), columns(a.columns);
    csrqrInfo_t info;
    size_t internal = 0, workspace = 0;
    int position = 7;
    bool right =
        fine(cusolverSpCreateCsrqrInfo(&info), "info") &&
        fine(cusolverSpXcsrqrAnalysis(in.handle, n, n, a.count(), in.description, offsets, columns, info),
             "analysis") &&
        fine(cusolverSpScsrqrBufferInfo(in.handle, n, n, a.count(), in.description, values, offsets, columns, info,
                                        &internal, &workspace),
             "buffers") &&
        fine(cusolverSpScsrqrSetup(in.handle, n, n, a.count(), in.description, values, offsets, columns, shift, info),
             "setup");
    // The matrix is the information's from here on.
    check(cudaMemset(static_cast<float*>(values), 0, sizeof(float) * a.count()));
    right &= fine(cusolverSpScsrqrFactor(in.handle, n, n, a.count(), b, x, info, nullptr), "factor and solve") &&
             fine(cusolverSpScsrqrZeroPivot(in.handle, info, 1e-6f, &position), "pivot") &&
             agree("position", position, -1) && close("csrqr", x.host(), wanted, 1e-4);
    x = std::vector<float>(n);
    right &= fine(cusolverSpScsrqrFactor(in.handle, n, n, a.count(), nullptr, nullptr, info, nullptr), "factor") &&
             fine(cusolverSpScsrqrSolve(in.handle, n, n, b, x, info, nullptr), "solve") &&
             close("csrqr", x.host(), wanted, 1e-4);
    return right & fine(cusolverSpDestroyCsrqrInfo(info), "info");
}

/// A row of zeros on the host.
static bool qr_of_a_singular_matrix(const Setting& in) {
    auto a = grid<double>(4, 1);
    const int n = a.n;
    for (int k = a.offsets[9] - 1; k < a.offsets[10] - 1; ++k) a.values[k] = 0;
    csrqrInfoHost_t info;
    int position = -7;
    bool right =
        fine(cusolverSpCreateCsrqrInfoHost(&info), "info") &&
        fine(cusolverSpXcsrqrAnalysisHost(in.handle, n, n, a.count(), in.description, a.offsets.data(),
                                          a.columns.data(), info),
             "analysis") &&
        fine(cusolverSpDcsrqrSetupHost(in.handle, n, n, a.count(), in.description, a.values.data(), a.offsets.data(),
                                       a.columns.data(), 0, info),
             "setup") &&
        fine(cusolverSpDcsrqrFactorHost(in.handle, n, n, a.count(), nullptr, nullptr, info, nullptr), "factor") &&
        fine(cusolverSpDcsrqrZeroPivotHost(in.handle, info, 1e-12, &position), "pivot") &&
        holds(position >= 0 && position < n, "singular");
    return right & fine(cusolverSpDestroyCsrqrInfoHost(info), "info");
}

/// The entries that Cholesky's method has below the diagonal, with the unknowns in that order.
static int entries_of_the_factor(const Rows<double>& a, const std::vector<int>& order) {
    std::vector<int> place(a.n);
    for (int i = 0; i < a.n; ++i) place[order[i]] = i;
    std::vector<std::vector<char>> there(a.n, std::vector<char>(a.n));
    for (int i = 0; i < a.n; ++i)
        for (int k = a.offsets[i] - 1; k < a.offsets[i + 1] - 1; ++k) there[place[i]][place[a.columns[k] - 1]] = 1;
    int count = 0;
    for (int k = 0; k < a.n; ++k)
        for (int i = k + 1; i < a.n; ++i) {
            if (!there[i][k]) continue;
            ++count;
            for (int j = k + 1; j < a.n; ++j)
                if (there[j][k]) there[i][j] = 1;
        }
    return count;
}

static bool orders(const Setting& in) {
    bool right = true;
    const auto order_of = [&](const char* what, const auto& function, const Rows<double>& a) {
        std::vector<int> order(a.n, -1);
        right &= fine(function(a, order.data()), what);
        auto sorted = order;
        std::sort(sorted.begin(), sorted.end());
        for (int i = 0; i < a.n; ++i) right &= holds(sorted[i] == i, what);
        return order;
    };
    const auto amd = [&](const Rows<double>& a, int* p) {
        return cusolverSpXcsrsymamdHost(in.handle, a.n, a.count(), in.description, a.offsets.data(), a.columns.data(),
                                        p);
    };
    const auto mdq = [&](const Rows<double>& a, int* p) {
        return cusolverSpXcsrsymmdqHost(in.handle, a.n, a.count(), in.description, a.offsets.data(), a.columns.data(),
                                        p);
    };
    const auto metis = [&](const Rows<double>& a, int* p) {
        return cusolverSpXcsrmetisndHost(in.handle, a.n, a.count(), in.description, a.offsets.data(), a.columns.data(),
                                         nullptr, p);
    };
    // The unknown that shares an equation with all others comes last, or next to last: nothing fills up.
    Rows<double> star{9, {1}, {}, {}};
    for (int i = 0; i < star.n; ++i) {
        for (int j = 0; j < star.n; ++j)
            if (i == j || i == 0 || j == 0) star.columns.push_back(j + 1);
        star.offsets.push_back(star.count() + 1);
    }
    star.values.assign(star.columns.size(), 1);
    std::vector<int> as_given(star.n);
    for (int i = 0; i < star.n; ++i) as_given[i] = i;
    right &= agree("a star as given", entries_of_the_factor(star, as_given), 36);
    right &= agree("a star by amd", entries_of_the_factor(star, order_of("amd", amd, star)), 8);
    right &= agree("a star by mdq", entries_of_the_factor(star, order_of("mdq", mdq, star)), 8);
    right &= agree("a star by metis", entries_of_the_factor(star, order_of("metis", metis, star)), 8);
    const auto a = grid<double>(12, -1);
    as_given.resize(a.n);
    for (int i = 0; i < a.n; ++i) as_given[i] = i;
    right &=
        holds(2 * entries_of_the_factor(a, order_of("amd", amd, a)) < entries_of_the_factor(a, as_given), "a grid");
    return right;
}

int main() {
    launch_own_kernel();
    Setting in;
    bool right = fine(cusolverSpCreate(&in.handle), "create");
    cusparseCreateMatDescr(&in.description);
    cusparseSetMatIndexBase(in.description, CUSPARSE_INDEX_BASE_ONE);
    right &= cholesky(in) & cholesky_on_the_host(in) & qr(in) & qr_of_a_singular_matrix(in) & orders(in);
    cusparseDestroyMatDescr(in.description);
    right &= fine(cusolverSpDestroy(in.handle), "destroy");
    return verdict(right);
}
