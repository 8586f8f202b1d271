// What cuBLAS has beside its usual functions, against plain loops: matrices in bands and packed, rotations, triangles
// of products, groups, vectors of types named at run time, QR of many, and sizes of 64 bits.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "matrices.hpp"

using C = std::complex<float>;

static bool fine(cublasStatus_t status, const std::string& what) {
    return holds(status == CUBLAS_STATUS_SUCCESS, what.c_str());
}

static const cuDoubleComplex* cu(const Complex* z) {
    return reinterpret_cast<const cuDoubleComplex*>(z);
}
static cuDoubleComplex* cu(Complex* z) {
    return reinterpret_cast<cuDoubleComplex*>(z);
}
static const cuComplex* cu(const C* z) {
    return reinterpret_cast<const cuComplex*>(z);
}
static cuComplex* cu(C* z) {
    return reinterpret_cast<cuComplex*>(z);
}

/// Hermitian if it is complex.
template <class T>
static Matrix<T> mirrored(int n) {
    auto a = random_matrix<T>(n, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i <= j; ++i) a(i, j) = i == j ? T(std::real(a(i, i))) : conjugate(a(j, i));
    return a;
}

template <class T>
static std::vector<T> packed_lower(const Matrix<T>& a) {
    std::vector<T> values;
    for (int j = 0; j < a.columns; ++j)
        for (int i = j; i < a.rows; ++i) values.push_back(a(i, j));
    return values;
}

static bool packed(cublasHandle_t handle) {
    const int n = 11;
    const auto fill = CUBLAS_FILL_MODE_LOWER;
    const auto a = mirrored<double>(n), x = random_matrix<double>(n, 1), y = random_matrix<double>(n, 1);
    const auto h = mirrored<Complex>(n), z = random_matrix<Complex>(n, 1);
    const double one = 1, zero = 0, two = 2;
    const Complex i1{0, 1}, none{};
    Device<double> da(packed_lower(a)), dx(x.values), dy(y.values);
    Device<Complex> dh(packed_lower(h)), dz(z.values), dw(n);
    bool right = fine(cublasDspmv(handle, fill, n, &two, da, dx, 1, &one, dy, 1), "spmv");
    auto wanted = (a * x).values;
    for (int i = 0; i < n; ++i) wanted[i] = 2 * wanted[i] + y.values[i];
    right &= close("spmv", dy.host(), wanted, 1e-13);
    right &= fine(cublasZhpmv(handle, fill, n, cu(&i1), cu(dh), cu(dz), 1, cu(&none), cu(dw), 1), "hpmv");
    auto turned_by_i = (h * z).values;
    for (Complex& value : turned_by_i) value *= i1;
    right &= close("hpmv", dw.host(), turned_by_i, 1e-13);

    // A = A + x x^T + 2 (x y^T + y x^T)
    dy = y.values;
    right &= fine(cublasDspr(handle, fill, n, &one, dx, 1, da), "spr") &&
             fine(cublasDspr2(handle, fill, n, &two, dx, 1, dy, 1, da), "spr2");
    auto changed = a;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) changed(i, j) += x(i, 0) * x(j, 0) + 2 * (x(i, 0) * y(j, 0) + y(i, 0) * x(j, 0));
    right &= close("spr and spr2", da.host(), packed_lower(changed), 1e-13);
    right &= fine(cublasZhpr(handle, fill, n, &two, cu(dz), 1, cu(dh)), "hpr");
    auto risen = h;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) risen(i, j) += 2.0 * z(i, 0) * std::conj(z(j, 0));
    right &= close("hpr", dh.host(), packed_lower(risen), 1e-13);

    // A triangle there and back, and solved.
    auto triangle = lower(a, false);
    for (int i = 0; i < n; ++i) triangle(i, i) += 4;
    Device<double> whole(triangle.values), compact(n * (n + 1) / 2), back(std::vector<double>(n * n));
    right &= fine(cublasDtrttp(handle, fill, n, whole, n, compact), "trttp") &&
             close("trttp", compact.host(), packed_lower(triangle), 0) &&
             fine(cublasDtpttr(handle, fill, n, compact, back, n), "tpttr") &&
             close("tpttr", back.host(), triangle.values, 0);
    right &= fine(cublasDtpmv(handle, fill, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, compact, dx, 1), "tpmv") &&
             close("tpmv", dx.host(), (triangle * x).values, 1e-13) &&
             fine(cublasDtpsv(handle, fill, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, compact, dx, 1), "tpsv") &&
             close("tpsv", dx.host(), x.values, 1e-12);
    right &= holds(cublasDtpttr(handle, fill, n, compact, back, n - 1) == CUBLAS_STATUS_INVALID_VALUE, "tpttr's lda");
    return right & holds(cublasDspmv(handle, fill, n, nullptr, da, dx, 1, &zero, dy, 1) == CUBLAS_STATUS_INVALID_VALUE,
                         "spmv without alpha");
}

static bool bands(cublasHandle_t handle) {
    const int n = 13, k = 2, lda = k + 1;
    auto a = mirrored<double>(n);
    auto h = mirrored<Complex>(n);
    std::vector<double> band(lda * n);
    std::vector<Complex> complex_band(lda * n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            if (std::abs(i - j) > k)
                a(i, j) = 0, h(i, j) = 0;
            else if (i >= j)
                band[i - j + j * lda] = a(i, j), complex_band[i - j + j * lda] = h(i, j);
    const auto x = random_matrix<double>(n, 1);
    const auto z = random_matrix<Complex>(n, 1);
    Device<double> da(band), dx(x.values), dy(n);
    Device<Complex> dh(complex_band), dz(z.values), dw(n);
    const double one = 1, zero = 0;
    const Complex c1{1}, c0{};
    const auto fill = CUBLAS_FILL_MODE_LOWER;
    bool right = fine(cublasDsbmv(handle, fill, n, k, &one, da, lda, dx, 1, &zero, dy, 1), "sbmv") &&
                 close("sbmv", dy.host(), (a * x).values, 1e-13);
    right &= fine(cublasZhbmv(handle, fill, n, k, cu(&c1), cu(dh), lda, cu(dz), 1, cu(&c0), cu(dw), 1), "hbmv") &&
             close("hbmv", dw.host(), (h * z).values, 1e-13);
    auto triangle = lower(a, true);
    const auto unit = CUBLAS_DIAG_UNIT;
    right &= fine(cublasDtbmv(handle, fill, CUBLAS_OP_T, unit, n, k, da, lda, dx, 1), "tbmv") &&
             close("tbmv", dx.host(), (turned(triangle) * x).values, 1e-13) &&
             fine(cublasDtbsv(handle, fill, CUBLAS_OP_T, unit, n, k, da, lda, dx, 1), "tbsv") &&
             close("tbsv", dx.host(), x.values, 1e-12);
    return right;
}

// Complex and symmetric, not Hermitian.
static bool complex_symmetric(cublasHandle_t handle) {
    const int n = 9;
    auto a = random_matrix<Complex>(n, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < j; ++i) a(i, j) = a(j, i);
    const auto x = random_matrix<Complex>(n, 1), y = random_matrix<Complex>(n, 1);
    const Complex alpha{2, -1}, beta{0, 3};
    const auto fill = CUBLAS_FILL_MODE_LOWER;
    Device<Complex> da(lower(a, false).values), dx(x.values), dy(y.values);
    bool right = fine(cublasZsymv(handle, fill, n, cu(&alpha), cu(da), n, cu(dx), 1, cu(&beta), cu(dy), 1), "symv");
    auto wanted = (a * x).values;
    for (int i = 0; i < n; ++i) wanted[i] = alpha * wanted[i] + beta * y.values[i];
    right &= close("symv", dy.host(), wanted, 1e-13);
    dy = y.values;
    right &= fine(cublasZsyr(handle, fill, n, cu(&alpha), cu(dx), 1, cu(da), n), "syr") &&
             fine(cublasZsyr2(handle, fill, n, cu(&beta), cu(dx), 1, cu(dy), 1, cu(da), n), "syr2");
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            a(i, j) += alpha * x(i, 0) * x(j, 0) + beta * (x(i, 0) * y(j, 0) + y(i, 0) * x(j, 0));
    return right & close("syr and syr2", da.host(), lower(a, false).values, 1e-13);
}

static bool rotations(cublasHandle_t handle) {
    double a = 3, b = 4, c = 0, s = 0;
    bool right = fine(cublasDrotg(handle, &a, &b, &c, &s), "rotg") && agree("rotg's r", a, 5.0, 1e-15) &&
                 agree("rotg's c", c, 0.6, 1e-15) && agree("rotg's s", s, 0.8, 1e-15);
    // The rotation makes the second number 0, in complex numbers, too.
    const Complex first{1, 2}, second{-2, 0.5};
    Complex p = first, q = second, sine;
    right &= fine(cublasZrotg(handle, cu(&p), cu(&q), &c, cu(&sine)), "Zrotg") &&
             holds(std::abs(c * second - std::conj(sine) * first) < 1e-14, "Zrotg's zero") &&
             holds(std::abs(c * first + sine * second - p) < 1e-14, "Zrotg's r");
    // x1 and y1 by the modified one: the second becomes 0.
    double d1 = 2, d2 = 3, x1 = 1.5;
    const double y1 = 0.5, before = x1;
    std::vector<double> parameters(5, 7);
    right &= fine(cublasDrotmg(handle, &d1, &d2, &x1, &y1, parameters.data()), "rotmg");
    Device<double> x(std::vector<double>{before, before}), y(std::vector<double>{y1, y1}), there(parameters);
    right &= fine(cublasDrotm(handle, 1, x, 1, y, 1, parameters.data()), "rotm");
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    right &= fine(cublasDrotm(handle, 1, x + 1, 1, y + 1, 1, there), "rotm of parameters in device memory");
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    return right & agree("rotm's x", x.host(), {x1, x1}, 1e-14) & agree("rotm's y", y.host(), {0, 0}, 1e-14);
}

template <class T, class B, class Call>
static bool triangle_of(const char* what, bool hermitian, B beta, double tolerance, Call&& call) {
    const int n = 8, k = 5;
    const T alpha = T(1.5);
    bool right = true;
    for (const bool first_turned : {false, true}) {
        auto a = random_matrix<T>(n, k), b = random_matrix<T>(n, k);
        const auto c = random_matrix<T>(n, n);
        const auto bt = hermitian ? turned(b) : turned(Matrix<T>{n, k, [&] {
                                                                     auto values = b.values;
                                                                     for (T& value : values) value = conjugate(value);
                                                                     return values;
                                                                 }()});
        auto wanted = a * bt;
        auto given_a = a, given_b = b;
        if (first_turned) {  // the same product from what is turned already
            given_a = turned(a), given_b = turned(b);
            if (!hermitian)
                for (auto* const m : {&given_a, &given_b})
                    for (T& value : m->values) value = conjugate(value);
        }
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                wanted(i, j) = i >= j ? alpha * wanted(i, j) + beta * c(i, j) : c(i, j);
                if (hermitian && i == j) wanted(i, j) = std::real(wanted(i, j));
            }
        Device<T> da(given_a.values), db(given_b.values), dc(c.values);
        right &=
            fine(call(first_turned, n, k, alpha, da, first_turned ? k : n, db, first_turned ? k : n, beta, dc), what) &&
            close(what, dc.host(), wanted.values, tolerance);
    }
    return right;
}

static bool triangles_of_products(cublasHandle_t handle) {
    const auto fill = CUBLAS_FILL_MODE_LOWER;
    bool right = triangle_of<double>(
        "syrkx", false, 0.5, 1e-13,
        [&](bool turn, int n, int k, double alpha, double* a, int lda, double* b, int ldb, double beta, double* c) {
            return cublasDsyrkx(handle, fill, turn ? CUBLAS_OP_T : CUBLAS_OP_N, n, k, &alpha, a, lda, b, ldb, &beta, c,
                                n);
        });
    right &= triangle_of<Complex>(
        "herkx", true, 0.5, 1e-13,
        [&](bool turn, int n, int k, Complex alpha, Complex* a, int lda, Complex* b, int ldb, double beta, Complex* c) {
            return cublasZherkx(handle, fill, turn ? CUBLAS_OP_C : CUBLAS_OP_N, n, k, cu(&alpha), cu(a), lda, cu(b),
                                ldb, &beta, cu(c), n);
        });
    const int n = 6, k = 4;
    const auto a = random_matrix<C>(n, k), b = random_matrix<C>(k, n);
    Device<C> da(a.values), db(b.values), dc(std::vector<C>(n * n)), dd(std::vector<C>(n * n));
    const C one{1}, zero{};
    const float f1 = 1, f0 = 0;
    right &= fine(cublasCgemm3m(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, k, cu(&one), cu(da), n, cu(db), k, cu(&zero),
                                cu(dc), n),
                  "gemm3m") &&
             close("gemm3m", dc.host(), (a * b).values, 1e-5);
    right &= fine(cublasCherkEx(handle, fill, CUBLAS_OP_N, n, k, &f1, da, CUDA_C_32F, n, &f0, dd, CUDA_C_32F, n),
                  "CherkEx") &&
             close("CherkEx", dd.host(), lower(a * turned(a), false).values, 1e-5);
    return right & holds(cublasZsyrkx(handle, fill, CUBLAS_OP_C, n, k, nullptr, nullptr, n, nullptr, n, nullptr,
                                      nullptr, n) == CUBLAS_STATUS_INVALID_VALUE,
                         "conjugated, but symmetric");
}

// One group of two small products, and one of a larger one.
static bool groups(cublasHandle_t handle) {
    const std::vector<cublasOperation_t> none(2, CUBLAS_OP_N);
    const std::vector<int> m{2, 4}, n{3, 5}, k{2, 3}, sizes{2, 1};
    const std::vector<double> alpha{1, 2}, beta{0, 0};
    std::vector<Matrix<double>> as, bs;
    std::vector<double> va, vb;
    for (int i = 0; i < 3; ++i) {
        const int g = i / 2;
        as.push_back(random_matrix<double>(m[g], k[g])), bs.push_back(random_matrix<double>(k[g], n[g]));
        va.insert(va.end(), as[i].values.begin(), as[i].values.end());
        vb.insert(vb.end(), bs[i].values.begin(), bs[i].values.end());
    }
    Device<double> a(va), b(vb), c(std::vector<double>(2 * 6 + 20));
    Device<double*> pa(std::vector<double*>{a, a + 4, a + 8}), pb(std::vector<double*>{b, b + 6, b + 12}),
        pc(std::vector<double*>{c, c + 6, c + 12});
    bool right = true;
    for (const bool typed : {false, true}) {
        c = std::vector<double>(2 * 6 + 20);
        right &= fine(typed ? cublasGemmGroupedBatchedEx(
                                  handle, none.data(), none.data(), m.data(), n.data(), k.data(), alpha.data(),
                                  reinterpret_cast<const void* const*>(static_cast<double**>(pa)), CUDA_R_64F, m.data(),
                                  reinterpret_cast<const void* const*>(static_cast<double**>(pb)), CUDA_R_64F, k.data(),
                                  beta.data(), reinterpret_cast<void* const*>(static_cast<double**>(pc)), CUDA_R_64F,
                                  m.data(), 2, sizes.data(), CUBLAS_COMPUTE_64F)
                            : cublasDgemmGroupedBatched(handle, none.data(), none.data(), m.data(), n.data(), k.data(),
                                                        alpha.data(), pa, m.data(), pb, k.data(), beta.data(), pc,
                                                        m.data(), 2, sizes.data()),
                      "groups");
        std::vector<double> wanted;
        for (int i = 0; i < 3; ++i)
            for (const double value : (as[i] * bs[i]).values) wanted.push_back(alpha[i / 2] * value);
        right &= close("groups", c.host(), wanted, 1e-14);
    }
    return right;
}

// Halves, calculated in more than that; and complex numbers.
static bool typed_vectors(cublasHandle_t handle) {
    const int n = 50;
    std::vector<__half> x, y;
    std::vector<float> fx, fy;
    for (int i = 0; i < n; ++i) {
        x.push_back(__float2half(random_number<float>())), y.push_back(__float2half(random_number<float>()));
        fx.push_back(__half2float(x[i])), fy.push_back(__half2float(y[i]));
    }
    Device<__half> dx(x), dy(y);
    const float alpha = 2;
    __half result;
    float norm = 0, squares = 0, dot = 0;
    int largest = 0, found = 0;
    for (int i = 0; i < n; ++i) {
        dot += fx[i] * fy[i], squares += fx[i] * fx[i];
        if (std::abs(fx[i]) > std::abs(fx[largest])) largest = i;
    }
    const auto f16 = CUDA_R_16F, f32 = CUDA_R_32F;
    bool right = fine(cublasDotEx(handle, n, dx, f16, 1, dy, f16, 1, &result, f16, f32), "DotEx") &&
                 agree("DotEx", __half2float(result), dot, 2e-3);
    right &= fine(cublasNrm2Ex(handle, n, dx, f16, 1, &norm, f32, f32), "Nrm2Ex") &&
             agree("Nrm2Ex", norm, std::sqrt(squares), 1e-5);
    right &= fine(cublasIamaxEx(handle, n, dx, f16, 1, &found), "IamaxEx") && agree("IamaxEx", found, largest + 1);
    right &= fine(cublasAxpyEx(handle, n, &alpha, f32, dx, f16, 1, dy, f16, 1, f32), "AxpyEx");
    right &= fine(cublasScalEx(handle, n, &alpha, f32, dx, f16, -1, f32), "ScalEx");
    const auto gx = dx.host(), gy = dy.host();
    for (int i = 0; i < n; ++i)
        right &= agree("ScalEx", __half2float(gx[i]), 2 * fx[i], 1e-3) &&
                 agree("AxpyEx", __half2float(gy[i]), fy[i] + 2 * fx[i], 1e-3);
    const auto u = random_matrix<Complex>(n, 1), v = random_matrix<Complex>(n, 1);
    Device<Complex> du(u.values), dv(v.values);
    Complex product, wanted = (turned(u) * v).values[0];
    right &= fine(cublasDotcEx(handle, n, du, CUDA_C_64F, 1, dv, CUDA_C_64F, 1, &product, CUDA_C_64F, CUDA_C_64F),
                  "DotcEx") &&
             close("DotcEx", std::vector<Complex>{product}, {wanted}, 1e-13);
    const double c = 0.6;
    const Complex s{0, 0.8};
    right &=
        fine(cublasRotEx(handle, n, du, CUDA_C_64F, 1, dv, CUDA_C_64F, 1, &c, &s, CUDA_C_64F, CUDA_C_64F), "RotEx");
    auto wu = u.values, wv = v.values;
    for (int i = 0; i < n; ++i) {
        wu[i] = c * u.values[i] + s * v.values[i];
        wv[i] = c * v.values[i] - std::conj(s) * u.values[i];
    }
    right &= close("RotEx's x", du.host(), wu, 1e-14) & close("RotEx's y", dv.host(), wv, 1e-14);
    return right & holds(cublasNrm2Ex(handle, n, dx, CUDA_R_8I, 1, &norm, f32, f32) == CUBLAS_STATUS_NOT_SUPPORTED,
                         "a norm of bytes");
}

static bool least_squares_of_many(cublasHandle_t handle) {
    const int m = 9, n = 5, count = 2;
    std::vector<Matrix<double>> as, bs;
    Device<double> a(m * n * count), b(m * count), tau(n * count);
    std::vector<double> va, vb;
    for (int i = 0; i < count; ++i) {
        as.push_back(random_matrix<double>(m, n)), bs.push_back(random_matrix<double>(m, 1));
        va.insert(va.end(), as[i].values.begin(), as[i].values.end());
        vb.insert(vb.end(), bs[i].values.begin(), bs[i].values.end());
    }
    a = va, b = vb;
    Device<double*> pa(std::vector<double*>{a, a + m * n}), pb(std::vector<double*>{b, b + m}),
        pt(std::vector<double*>{tau, tau + n});
    int info = 7;
    bool right = fine(cublasDgeqrfBatched(handle, m, n, pa, m, pt, &info, count), "geqrf") && agree("info", info, 0);
    const auto factors = a.host(), scales = tau.host();
    for (int i = 0; i < count; ++i) {
        // Q R, reflection by reflection from the last.
        const Matrix<double> both{m, n, {factors.begin() + i * m * n, factors.begin() + (i + 1) * m * n}};
        auto product = upper(both);
        const auto v = lower(both, true);
        for (int r = n - 1; r >= 0; --r)
            for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int row = r; row < m; ++row) sum += v(row, r) * product(row, j);
                for (int row = r; row < m; ++row) product(row, j) -= scales[i * n + r] * sum * v(row, r);
            }
        right &= equal("geqrf", product, as[i], 1e-13);
    }
    a = va;
    Device<int> infos(std::vector<int>{7, 7});
    right &= fine(cublasDgelsBatched(handle, CUBLAS_OP_N, m, n, 1, pa, m, pb, m, &info, infos, count), "gels") &&
             agree("gels' infos", infos.host(), {0, 0});
    const auto solved = b.host();
    for (int i = 0; i < count; ++i) {
        auto rest = as[i] * Matrix<double>{n, 1, {solved.begin() + i * m, solved.begin() + i * m + n}};
        for (int row = 0; row < m; ++row) rest(row, 0) -= bs[i](row, 0);
        right &= equal("gels", turned(as[i]) * rest, zeros<double>(n, 1), 1e-12);
    }
    return right & holds(cublasDgeqrfBatched(handle, m, n, pa, m - 1, pt, &info, count) == CUBLAS_STATUS_INVALID_VALUE,
                         "geqrf's lda");
}

static bool wide_sizes(cublasHandle_t handle) {
    const int64_t m = 7, n = 5, k = 4;
    const auto a = random_matrix<double>(m, k), b = random_matrix<double>(k, n);
    Device<double> da(m * k), db(b.values), dc(std::vector<double>(m * n));
    const double one = 1, zero = 0;
    bool right = fine(cublasSetMatrix_64(m, k, sizeof(double), a.values.data(), m, da, m), "SetMatrix_64");
    right &=
        fine(cublasDgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, da, m, db, k, &zero, dc, m), "gemm_64") &&
        close("gemm_64", dc.host(), (a * b).values, 1e-14);
    // alpha and beta are doubles where doubles are emulated, too.
    for (const auto compute : {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT}) {
        dc = std::vector<double>(m * n);
        right &= fine(cublasGemmEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, da, CUDA_R_64F, m, db,
                                      CUDA_R_64F, k, &zero, dc, CUDA_R_64F, m, compute, CUBLAS_GEMM_DEFAULT),
                      "GemmEx_64") &&
                 close("GemmEx_64", dc.host(), (a * b).values, 1e-14);
    }
    int64_t place = -1, largest = 0;
    for (int64_t i = 0; i < m * k; ++i)
        if (std::abs(a.values[i]) > std::abs(a.values[largest])) largest = i;
    right &= fine(cublasIdamax_64(handle, m * k, da, 1, &place), "amax_64") && agree("amax_64", place, largest + 1);
    double norm = 0, squares = 0;
    for (const double value : a.values) squares += value * value;
    right &= fine(cublasDnrm2_64(handle, m * k, da, 1, &norm), "nrm2_64") &&
             agree("nrm2_64", norm, std::sqrt(squares), 1e-14);
    right &= fine(cublasDscal_64(handle, m * k, &one, da, 1), "scal_64");
    return right & holds(cublasDgemm_64(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, da, m, db, k, &zero, dc, m) ==
                             CUBLAS_STATUS_NOT_INITIALIZED,
                         "no handle");
}

// What has no place is refused; nothing has to have one where nothing is written.
static bool null_pointers(cublasHandle_t handle) {
    const int n = 4;
    const double one = 1;
    Device<double> a(n * n);
    double* const none = nullptr;
    const auto gemm = [&](int size, double* to) {
        return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, a, n, a, n, &one, to, n);
    };
    const auto strided = [&](int count) {
        return cublasDgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, 0, a, n, 0, &one, none,
                                         n, 0, count);
    };
    const auto typed = [&](int size) {
        return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, a, CUDA_R_64F, n, a, CUDA_R_64F,
                            n, &one, none, CUDA_R_64F, n, CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT);
    };
    const auto grouped = [&](int groups) {
        return cublasDgemmGroupedBatched(handle, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                         nullptr, nullptr, nullptr, nullptr, nullptr, groups, nullptr);
    };
    const auto refused = [](cublasStatus_t status, const char* what) {
        return holds(status == CUBLAS_STATUS_INVALID_VALUE, what);
    };
    return refused(gemm(n, nullptr), "gemm into nothing") & fine(gemm(0, nullptr), "no gemm into nothing") &
           fine(gemm(n, a), "gemm into itself") & refused(strided(2), "strided gemm into nothing") &
           fine(strided(0), "no strided gemm into nothing") & refused(typed(n), "GemmEx into nothing") &
           fine(typed(0), "no GemmEx into nothing") & refused(grouped(1), "groups of nothing") &
           fine(grouped(0), "no groups") &
           refused(cublasDsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, &one, a, n, &one, none, n),
                   "syrk into nothing") &
           refused(cublasDgemv(handle, CUBLAS_OP_N, n, n, &one, a, n, a, 1, &one, none, 1), "gemv into nothing") &
           refused(cublasDscal(handle, n, nullptr, a, 1), "scal by nothing") &
           refused(cublasDnrm2(handle, n, a, 1, nullptr), "nrm2 into nothing");
}

int main() {
    launch_own_kernel();
    cublasHandle_t handle = nullptr;
    bool right = fine(cublasCreate(&handle), "create");
    right &= packed(handle) & bands(handle) & complex_symmetric(handle) & rotations(handle) &
             triangles_of_products(handle) & groups(handle) & typed_vectors(handle) & least_squares_of_many(handle) &
             wide_sizes(handle) & null_pointers(handle);
    right &= fine(cublasDestroy(handle), "destroy");
    return verdict(right);
}
