// Systems of equations that cuSOLVER has functions of their own for: with iterative refinement, least squares,
// symmetric and indefinite ones, many sparse ones; some of the eigenvalues; approximations of low rank.
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusolverDn.h>
#include <cusolverSp.h>
#include <cusparse.h>

#include "matrices.hpp"

static bool fine(cusolverStatus_t status, const std::string& what) {
    return holds(status == CUSOLVER_STATUS_SUCCESS, what.c_str());
}

static bool refined(cusolverDnHandle_t handle) {
    const int n = 21, m = 30, sides = 2;
    const auto a = random_matrix<double>(n, n), b = random_matrix<double>(n, sides);
    Device<double> da(a.values), db(b.values), dx(n * sides);
    Device<int> pivots(n), info(std::vector<int>{7});
    size_t bytes = 0;
    bool right =
        fine(cusolverDnDHgesv_bufferSize(handle, n, sides, da, n, pivots, db, n, dx, n, nullptr, &bytes), "size");
    Device<char> work(bytes);
    int iterations = 7;
    const auto solved = [&](const char* what) {
        const bool same = agree(what, iterations, 0) & agree("gesv's info", info.host()[0], 0) &
                          equal(what, a * Matrix<double>{n, sides, dx.host()}, b, 1e-10) &
                          agree("gesv leaves its matrix", da.host(), a.values);
        iterations = 7;
        dx = std::vector<double>(n * sides);
        return same;
    };
    right &= fine(cusolverDnDHgesv(handle, n, sides, da, n, pivots, db, n, dx, n, work, bytes, &iterations, info),
                  "DHgesv") &&
             solved("DHgesv");
    cusolverDnIRSParams_t params = nullptr;
    cusolverDnIRSInfos_t infos = nullptr;
    right &= fine(cusolverDnIRSParamsCreate(&params), "params") && fine(cusolverDnIRSInfosCreate(&infos), "infos");
    const auto call = [&] {
        return cusolverDnIRSXgesv(handle, params, infos, n, sides, da, n, db, n, dx, n, work, bytes, &iterations, info);
    };
    right &= holds(call() == CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE, "no refinement chosen");
    right &= fine(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_GMRES), "refinement");
    right &= holds(call() == CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC, "no precision chosen");
    right &= holds(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, static_cast<cusolverPrecType_t>(3)) ==
                       CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC,
                   "no such precision");
    right &= fine(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, CUSOLVER_R_16F), "precisions") &&
             fine(call(), "IRSXgesv") && solved("IRSXgesv");
    right &= fine(cusolverDnIRSInfosGetNiters(infos, &iterations), "iterations") && agree("iterations", iterations, 0);
    right &= holds(cusolverDnIRSParamsSetTol(nullptr, 1) == CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED, "no params");
    right &= fine(cusolverDnIRSInfosDestroy(infos), "infos") && fine(cusolverDnIRSParamsDestroy(params), "params");

    // What is left of least squares is at right angles to the columns.
    const auto tall = random_matrix<double>(m, n), c = random_matrix<double>(m, 1);
    Device<double> dt(tall.values), dc(c.values);
    right &= fine(cusolverDnDSgels(handle, m, n, 1, dt, m, dc, m, dx, n, work, bytes, &iterations, info), "DSgels");
    auto x = dx.host();
    x.resize(n);
    auto rest = tall * Matrix<double>{n, 1, x};
    for (int i = 0; i < m; ++i) rest(i, 0) -= c(i, 0);
    return right & equal("DSgels", turned(tall) * rest, zeros<double>(n, 1), 1e-10) &
           holds(cusolverDnDSgels(handle, n, m, 1, dt, m, dc, m, dx, m, work, bytes, &iterations, info) ==
                     CUSOLVER_STATUS_INVALID_VALUE,
                 "fewer equations than unknowns");
}

static bool indefinite(cusolverDnHandle_t handle) {
    const int n = 18;
    const auto half = random_matrix<double>(n, n), b = random_matrix<double>(n, 1);
    auto a = half;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) a(i, j) = half(i, j) + half(j, i);
    a(0, 0) = 0;
    Device<double> da(a.values), db(b.values), work(1024);
    Device<int> pivots(n), info(std::vector<int>{7});
    int size = 0;
    bool right = fine(cusolverDnDsytrf_bufferSize(handle, n, da, n, &size), "sytrf's buffer") &&
                 fine(cusolverDnDsytrf(handle, CUBLAS_FILL_MODE_LOWER, n, da, n, pivots, work, 1024, info), "sytrf") &&
                 agree("sytrf's info", info.host()[0], 0);
    const auto exchanged = pivots.host();
    Device<int64_t> wide(std::vector<int64_t>(exchanged.begin(), exchanged.end()));
    right &= fine(cusolverDnXsytrs(handle, CUBLAS_FILL_MODE_LOWER, n, 1, CUDA_R_64F, da, n, wide, CUDA_R_64F, db, n,
                                   nullptr, 0, nullptr, 0, info),
                  "Xsytrs") &&
             equal("Xsytrs", a * Matrix<double>{n, 1, db.host()}, b, 1e-10);
    right &= fine(cusolverDnDsytri(handle, CUBLAS_FILL_MODE_LOWER, n, da, n, pivots, work, 1024, info), "sytri");
    Matrix<double> inverse{n, n, da.host()};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < j; ++i) inverse(i, j) = inverse(j, i);
    return right & equal("sytri", inverse * a, identity<double>(n), 1e-9);
}

static bool some_eigenvalues(cusolverDnHandle_t handle) {
    const int n = 15;
    const auto a = positive<double>(n), b = positive<double>(n);
    Device<double> da(a.values), db(b.values), w(n), work(64);
    Device<int> info(1);
    const auto fill = CUBLAS_FILL_MODE_UPPER;
    int found = 0;
    bool right = fine(cusolverDnDsyevdx(handle, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, fill, n, da, n, 0, 0,
                                        n - 2, n, &found, w, work, 64, info),
                      "syevdx") &&
                 agree("syevdx finds", found, 3);
    const auto v = first_columns(Matrix<double>{n, n, da.host()}, 3);
    right &= equal("syevdx", a * v, v * diagonal<double>(3, 3, w.host()), 1e-9);
    da = a.values;
    right &= fine(cusolverDnDsygvdx(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, fill,
                                    n, da, n, db, n, 0, 0, 2, 5, &found, w, work, 64, info),
                  "sygvdx") &&
             agree("sygvdx finds", found, 4);
    const auto g = first_columns(Matrix<double>{n, n, da.host()}, 4);
    return right & equal("sygvdx", a * g, b * g * diagonal<double>(4, 4, w.host()), 1e-9);
}

// Two of them, at distances of their own; the second is less than its rank.
static bool low_rank(cusolverDnHandle_t handle) {
    const int m = 12, n = 7, rank = 2, count = 2, gap = 5, lda = m + 1;
    const auto whole = random_matrix<float>(m, n), thin = random_matrix<float>(m, 1) * random_matrix<float>(1, n);
    std::vector<float> given(2 * (lda * n + gap));
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            given[j * lda + i] = whole(i, j);
            given[lda * n + gap + j * lda + i] = thin(i, j);
        }
    Device<float> a(given), s(std::vector<float>(2 * rank)), u(2 * m * rank), v(2 * n * rank), work(64);
    Device<int> infos(std::vector<int>{7, 7});
    std::vector<double> left(count, 7);
    bool right =
        fine(cusolverDnSgesvdaStridedBatched(handle, CUSOLVER_EIG_MODE_VECTOR, rank, m, n, a, lda, lda * n + gap, s,
                                             rank, u, m, m * rank, v, n, n * rank, work, 64, infos, left.data(), count),
             "gesvda") &&
        agree("gesvda's infos", infos.host(), {0, 0});
    const auto su = u.host(), sv = v.host(), ss = s.host();
    for (int i = 0; i < count; ++i) {
        const Matrix<float> uu{m, rank, {su.begin() + i * m * rank, su.begin() + (i + 1) * m * rank}};
        const Matrix<float> vv{n, rank, {sv.begin() + i * n * rank, sv.begin() + (i + 1) * n * rank}};
        const auto low =
            uu * diagonal<float>(rank, rank, std::vector<float>(ss.begin() + i * rank, ss.end())) * turned(vv);
        double square = 0;
        for (size_t k = 0; k < low.values.size(); ++k)
            square += std::norm(low.values[k] - (i == 0 ? whole : thin).values[k]);
        right &= agree("what gesvda leaves", std::sqrt(square), left[i], 1e-4);
    }
    return right & holds(left[0] > 0.1 && left[1] < 1e-5, "only the second has so low a rank");
}

// The same places, other values.
static bool sparse_batch() {
    const int n = 4, count = 3;
    const std::vector<int> offsets{1, 3, 5, 7, 10}, columns{1, 4, 1, 2, 2, 3, 1, 3, 4};
    std::vector<double> values, b;
    for (int i = 0; i < count * 9; ++i) values.push_back(1 + numbers.uniform());
    for (int i = 0; i < count * n; ++i) b.push_back(numbers.uniform());
    Device<int> to(offsets), tc(columns);
    Device<double> dv(values), db(b), dx(n * count);
    cusolverSpHandle_t handle;
    csrqrInfo_t info;
    cusparseMatDescr_t description;
    bool right = fine(cusolverSpCreate(&handle), "create") && fine(cusolverSpCreateCsrqrInfo(&info), "info");
    cusparseCreateMatDescr(&description);
    cusparseSetMatIndexBase(description, CUSPARSE_INDEX_BASE_ONE);
    size_t internal = 0, workspace = 0;
    const auto solve = [&](int rows) {
        return cusolverSpDcsrqrsvBatched(handle, rows, n, 9, description, dv, to, tc, db, dx, count, info, nullptr);
    };
    right &= holds(solve(n) == CUSOLVER_STATUS_INVALID_VALUE, "without an analysis");
    right &= fine(cusolverSpXcsrqrAnalysisBatched(handle, n, n, 9, description, to, tc, info), "analysis") &&
             fine(cusolverSpDcsrqrBufferInfoBatched(handle, n, n, 9, description, dv, to, tc, count, info, &internal,
                                                    &workspace),
                  "buffers") &&
             fine(solve(n), "csrqrsvBatched");
    const auto x = dx.host();
    for (int s = 0; s < count; ++s)
        for (int i = 0; i < n; ++i) {
            double sum = 0;
            for (int k = offsets[i] - 1; k < offsets[i + 1] - 1; ++k)
                sum += values[s * 9 + k] * x[s * n + columns[k] - 1];
            right &= agree("csrqrsvBatched", sum, b[s * n + i], 1e-10);
        }
    cusparseDestroyMatDescr(description);
    return right & fine(cusolverSpDestroyCsrqrInfo(info), "info") & fine(cusolverSpDestroy(handle), "destroy");
}

int main() {
    launch_own_kernel();
    cusolverDnHandle_t handle = nullptr;
    bool right = fine(cusolverDnCreate(&handle), "create");
    right &= refined(handle) & indefinite(handle) & some_eigenvalues(handle) & low_rank(handle) & sparse_batch();
    right &= fine(cusolverDnDestroy(handle), "destroy");
    return verdict(right);
}
