// cuSOLVER's 64-bit interface in all four types, by what is left over when its results are put in.
#include <cusolverDn.h>

#include <algorithm>

#include "matrices.hpp"

static bool fine(cusolverStatus_t status, const std::string& what) {
    return holds(status == CUSOLVER_STATUS_SUCCESS, what.c_str());
}
static bool wrong(cusolverStatus_t status, const char* what) {
    return holds(status == CUSOLVER_STATUS_INVALID_VALUE, what);
}

template <class T>
using Real = decltype(std::abs(T{}));

template <class T>
constexpr double tolerance = sizeof(Real<T>) == sizeof(float) ? 1e-4 : 1e-11;

static constexpr auto lower_fill = CUBLAS_FILL_MODE_LOWER;
static constexpr auto vectors = CUSOLVER_EIG_MODE_VECTOR;

struct Solver {
    cusolverDnHandle_t handle = nullptr;
    cusolverDnParams_t params = nullptr;
    Device<int> info{std::vector<int>{7}};
    Device<char> device{4096};
    std::vector<char> host = std::vector<char>(4096);
};

template <class T>
static bool lu_and_cholesky(Solver& s) {
    const int n = 17, sides = 3;
    const auto type = type_of<T>;
    const auto a = random_matrix<T>(n, n), b = random_matrix<T>(n, sides), p = positive<T>(n);
    Device<T> da(a.values), db(b.values);
    Device<int64_t> pivots(n);
    size_t on_device = 0, on_host = 0;
    bool right = fine(cusolverDnXgetrf_bufferSize(s.handle, s.params, n, n, type, da, n, type, &on_device, &on_host),
                      "Xgetrf's buffers") &&
                 holds(on_device > 0 && on_device <= 4096 && on_host <= 4096, "sizes of buffers");
    right &= fine(cusolverDnXgetrf(s.handle, s.params, n, n, type, da, n, pivots, type, s.device, on_device,
                                   s.host.data(), on_host, s.info),
                  "Xgetrf") &&
             agree("Xgetrf's info", s.info.host()[0], 0);
    const Matrix<T> factors{n, n, da.host()};
    auto exchanged = a;
    const auto rows = pivots.host();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) std::swap(exchanged(i, j), exchanged(static_cast<int>(rows[i]) - 1, j));
    right &= equal("Xgetrf", lower(factors, true) * upper(factors), exchanged, tolerance<T>);
    for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_C}) {
        db = b.values;
        right &=
            fine(cusolverDnXgetrs(s.handle, s.params, op, n, sides, type, da, n, pivots, type, db, n, s.info),
                 "Xgetrs") &&
            equal("Xgetrs", (op == CUBLAS_OP_N ? a : turned(a)) * Matrix<T>{n, sides, db.host()}, b, 10 * tolerance<T>);
    }
    da = p.values, db = b.values;
    right &= fine(cusolverDnXpotrf(s.handle, s.params, lower_fill, n, type, da, n, type, s.device, 4096, s.host.data(),
                                   4096, s.info),
                  "Xpotrf");
    const auto root = lower(Matrix<T>{n, n, da.host()}, false);
    right &= equal("Xpotrf", root * turned(root), p, tolerance<T>);
    right &=
        fine(cusolverDnXpotrs(s.handle, s.params, lower_fill, n, sides, type, da, n, type, db, n, s.info), "Xpotrs") &&
        equal("Xpotrs", p * Matrix<T>{n, sides, db.host()}, b, 10 * tolerance<T>);
    // The inverse of the root.
    right &= fine(cusolverDnXtrtri(s.handle, lower_fill, CUBLAS_DIAG_NON_UNIT, n, type, da, n, s.device, 4096,
                                   s.host.data(), 4096, s.info),
                  "Xtrtri") &&
             equal("Xtrtri", lower(Matrix<T>{n, n, da.host()}, false) * root, identity<T>(n), tolerance<T>);

    right &= wrong(cusolverDnXpotrs(s.handle, s.params, lower_fill, n, sides, type, da, n - 1, type, db, n, s.info),
                   "a leading dimension that is too small");
    right &= wrong(cusolverDnXgetrf(s.handle, s.params, n, n, CUDA_R_16F, da, n, pivots, CUDA_R_16F, s.device, 4096,
                                    s.host.data(), 4096, s.info),
                   "halves");
    right &= wrong(cusolverDnXgetrs(s.handle, s.params, CUBLAS_OP_N, n, sides, type, da, n, pivots,
                                    type == CUDA_R_32F ? CUDA_R_64F : CUDA_R_32F, db, n, s.info),
                   "different types");
    return right;
}

template <class T>
static bool reflections(Solver& s) {
    const int m = 15, n = 9;
    const auto type = type_of<T>;
    const auto a = random_matrix<T>(m, n);
    Device<T> da(a.values), tau(n), dt(n * n);
    bool right = fine(cusolverDnXgeqrf(s.handle, s.params, m, n, type, da, m, type, tau, type, s.device, 4096,
                                       s.host.data(), 4096, s.info),
                      "Xgeqrf") &&
                 fine(cusolverDnXlarft(s.handle, s.params, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, m, n, type,
                                       da, m, type, tau, type, dt, n, type, s.device, 4096, s.host.data(), 4096),
                      "Xlarft");
    const Matrix<T> both{m, n, da.host()};
    const auto v = lower(both, true), t = upper(Matrix<T>{n, n, dt.host()});
    // Q = 1 - V T V^H, and Q R is what there was.
    auto q = v * t * turned(v);
    for (int j = 0; j < m; ++j)
        for (int i = 0; i < m; ++i) q(i, j) = (i == j ? T{1} : T{}) - q(i, j);
    return right & equal("Xgeqrf and Xlarft", q * upper(both), a, tolerance<T>);
}

template <class T>
static bool symmetric(Solver& s) {
    const int n = 14;
    using R = Real<T>;
    const auto type = type_of<T>, real = type_of<R>;
    const auto a = positive<T>(n);
    Device<T> da(a.values);
    Device<R> w(n);
    const auto fits = [&](const char* what, const Matrix<T>& v, const std::vector<R>& values, int count) {
        return equal(what, a * first_columns(v, count), first_columns(v, count) * diagonal<T>(count, count, values),
                     10 * tolerance<T>);
    };
    bool right = fine(cusolverDnXsyevd(s.handle, s.params, vectors, lower_fill, n, type, da, n, real, w, type, s.device,
                                       4096, s.host.data(), 4096, s.info),
                      "Xsyevd");
    const auto all = w.host();
    right &= fits("Xsyevd", {n, n, da.host()}, all, n);
    // By number, and by value: above, and not greater.
    int64_t found = 0;
    da = a.values;
    right &=
        fine(cusolverDnXsyevdx(s.handle, s.params, vectors, CUSOLVER_EIG_RANGE_I, lower_fill, n, type, da, n, nullptr,
                               nullptr, 3, 7, &found, real, w, type, s.device, 4096, s.host.data(), 4096, s.info),
             "Xsyevdx") &&
        agree("found by number", found, int64_t{5});
    auto some = w.host();
    right &= fits("Xsyevdx", {n, n, da.host()}, some, 5);
    for (int i = 0; i < 5; ++i) right &= agree("by number", some[i], all[i + 2], tolerance<T>);
    R above = (all[3] + all[4]) / 2, up_to = (all[9] + all[10]) / 2;
    da = a.values;
    right &=
        fine(cusolverDnXsyevdx(s.handle, s.params, vectors, CUSOLVER_EIG_RANGE_V, lower_fill, n, type, da, n, &above,
                               &up_to, 0, 0, &found, real, w, type, s.device, 4096, s.host.data(), 4096, s.info),
             "Xsyevdx") &&
        agree("found by value", found, int64_t{6});
    some = w.host();
    right &= fits("Xsyevdx by value", {n, n, da.host()}, some, 6);
    for (int i = 0; i < 6; ++i) right &= agree("by value", some[i], all[i + 4], tolerance<T>);
    right &=
        wrong(cusolverDnXsyevdx(s.handle, s.params, vectors, CUSOLVER_EIG_RANGE_I, lower_fill, n, type, da, n, nullptr,
                                nullptr, 3, n + 1, &found, real, w, type, s.device, 4096, s.host.data(), 4096, s.info),
              "more than there are");
    // Two, one behind the other.
    auto twice = a.values;
    const auto other = positive<T>(n);
    twice.insert(twice.end(), other.values.begin(), other.values.end());
    Device<T> dd(twice);
    Device<R> ww(2 * n);
    Device<int> infos(std::vector<int>{7, 7});
    right &= fine(cusolverDnXsyevBatched(s.handle, s.params, vectors, lower_fill, n, type, dd, n, real, ww, type,
                                         s.device, 4096, s.host.data(), 4096, infos, 2),
                  "XsyevBatched") &&
             agree("infos", infos.host(), {0, 0});
    const auto got = dd.host();
    const auto values = ww.host();
    const Matrix<T> second{n, n, {got.begin() + n * n, got.end()}};
    return right & equal("XsyevBatched", other * second,
                         second * diagonal<T>(n, n, std::vector<R>(values.begin() + n, values.end())),
                         10 * tolerance<T>);
}

// A real matrix' eigenvectors of a pair lie in two columns, as real and imaginary part.
template <class T>
static bool general(Solver& s) {
    const int n = 12;
    using C = std::complex<Real<T>>;
    const auto type = type_of<T>, complex = type_of<C>;
    const auto a = random_matrix<T>(n, n);
    Device<T> da(a.values), vl(1), vr(n * n), w(2 * n);
    Device<C> cw(n);
    const auto none = CUSOLVER_EIG_MODE_NOVECTOR;
    bool right = fine(cusolverDnXgeev(s.handle, s.params, none, vectors, n, type, da, n, complex, cw, type, vl, 1, type,
                                      vr, n, type, s.device, 4096, s.host.data(), 4096, s.info),
                      "Xgeev");
    const auto values = cw.host();
    const Matrix<T> columns{n, n, vr.host()};
    auto v = zeros<C>(n, n), full = v;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            full(i, j) = a(i, j);
            if constexpr (is_complex<T>)
                v(i, j) = columns(i, j);
            else if (values[j].imag() > 0)
                v(i, j) = {columns(i, j), columns(i, j + 1)};
            else if (values[j].imag() < 0)
                v(i, j) = {columns(i, j - 1), -columns(i, j)};
            else
                v(i, j) = columns(i, j);
        }
    right &= equal("Xgeev", full * v, v * diagonal<C>(n, n, values), 10 * tolerance<T>);
    if constexpr (!is_complex<T>) {
        da = a.values;
        right &= fine(cusolverDnXgeev(s.handle, s.params, none, none, n, type, da, n, type, w, type, vl, 1, type, vl, 1,
                                      type, s.device, 4096, s.host.data(), 4096, s.info),
                      "Xgeev's parts");
        const auto parts = w.host();
        // Without vectors their order may be another.
        const auto sorted = [](std::vector<C> list) {
            std::sort(list.begin(), list.end(), [](C x, C y) {
                return std::abs(x.real() - y.real()) > 1e-3F ? x.real() < y.real() : x.imag() < y.imag();
            });
            return list;
        };
        std::vector<C> joined(n);
        for (int i = 0; i < n; ++i) joined[i] = {parts[i], parts[i + n]};
        right &= close("Xgeev's parts", sorted(joined), sorted(values), 10 * tolerance<T>);
    }
    return right;
}

template <class T>
static bool singular_values(Solver& s) {
    const int m = 13, n = 8, rank = 3;
    using R = Real<T>;
    const auto type = type_of<T>, real = type_of<R>;
    const auto a = random_matrix<T>(m, n);
    Device<T> da(a.values), u(m * m), v(n * n);
    Device<R> w(n);
    bool right = fine(cusolverDnXgesvd(s.handle, s.params, 'A', 'A', m, n, type, da, m, real, w, type, u, m, type, v, n,
                                       type, s.device, 4096, s.host.data(), 4096, s.info),
                      "Xgesvd") &&
                 equal("Xgesvd", Matrix<T>{m, m, u.host()} * diagonal<T>(m, n, w.host()) * Matrix<T>{n, n, v.host()}, a,
                       tolerance<T>);
    const auto all = w.host();
    da = a.values;
    double error = 7;
    right &= fine(cusolverDnXgesvdp(s.handle, s.params, vectors, 1, m, n, type, da, m, real, w, type, u, m, type, v, n,
                                    type, s.device, 4096, s.host.data(), 4096, s.info, &error),
                  "Xgesvdp") &&
             agree("Xgesvdp's error", error, 0.0) &&
             equal("Xgesvdp",
                   first_columns(Matrix<T>{m, m, u.host()}, n) * diagonal<T>(n, n, w.host()) *
                       turned(Matrix<T>{n, n, v.host()}),
                   a, tolerance<T>);
    // Of a matrix of rank 3 nothing is left out, of another one the smaller values are.
    for (const auto& given : {random_matrix<T>(m, rank) * random_matrix<T>(rank, n), a}) {
        da = given.values;
        right &= fine(cusolverDnXgesvdr(s.handle, s.params, 'S', 'S', m, n, rank, 2, 4, type, da, m, real, w, type, u,
                                        m, type, v, n, type, s.device, 4096, s.host.data(), 4096, s.info),
                      "Xgesvdr");
        const auto low = first_columns(Matrix<T>{m, m, u.host()}, rank) * diagonal<T>(rank, rank, w.host()) *
                         turned(first_columns(Matrix<T>{n, n, v.host()}, rank));
        if (given.values != a.values) {
            right &= equal("Xgesvdr", low, given, tolerance<T>);
            continue;
        }
        double square = 0, wanted = 0;
        for (size_t i = 0; i < a.values.size(); ++i) square += std::norm(low.values[i] - a.values[i]);
        for (int i = rank; i < n; ++i) wanted += static_cast<double>(all[i]) * all[i];
        right &= agree("what Xgesvdr leaves", std::sqrt(square), std::sqrt(wanted), 10 * tolerance<T>);
    }
    right &= wrong(cusolverDnXgesvdr(s.handle, s.params, 'S', 'S', m, n, n, 1, 4, type, da, m, real, w, type, u, m,
                                     type, v, n, type, s.device, 4096, s.host.data(), 4096, s.info),
                   "more than the rank can be");
    return right &
           wrong(cusolverDnXgesvd(s.handle, s.params, 'A', 'A', m, n, type, da, m, is_complex<T> ? type : CUDA_C_64F, w,
                                  type, u, m, type, v, n, type, s.device, 4096, s.host.data(), 4096, s.info),
                 "complex singular values");
}

template <class T>
static bool all_of(Solver& s) {
    return lu_and_cholesky<T>(s) & reflections<T>(s) & symmetric<T>(s) & general<T>(s) & singular_values<T>(s);
}

int main() {
    launch_own_kernel();
    Solver s;
    bool right = fine(cusolverDnCreate(&s.handle), "create") && fine(cusolverDnCreateParams(&s.params), "params");
    right &= fine(cusolverDnSetAdvOptions(s.params, CUSOLVERDN_GETRF, CUSOLVER_ALG_0), "options");
    right &=
        wrong(cusolverDnSetAdvOptions(s.params, CUSOLVERDN_GETRF, static_cast<cusolverAlgMode_t>(9)), "algorithm") &
        wrong(cusolverDnCreateParams(nullptr), "no place for params");
    right &= all_of<float>(s) & all_of<double>(s) & all_of<std::complex<float>>(s) & all_of<Complex>(s);
    right &= fine(cusolverDnDestroyParams(s.params), "destroy params") & fine(cusolverDnDestroy(s.handle), "destroy");
    return verdict(right);
}
