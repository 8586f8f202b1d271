// cuBLAS' old interface, without handles, against plain loops.
#include <cublas.h>

#include "matrices.hpp"

static bool fine(cublasStatus status, const char* what) {
    return holds(status == CUBLAS_STATUS_SUCCESS, what);
}

int main() {
    launch_own_kernel();
    const int m = 6, n = 5, k = 4;
    bool right = holds(cublasGetError() == CUBLAS_STATUS_SUCCESS, "no error yet");
    cublasSscal(0, 1, nullptr, 1);
    right &= holds(cublasGetError() == CUBLAS_STATUS_NOT_INITIALIZED, "before the beginning") &
             holds(cublasGetError() == CUBLAS_STATUS_SUCCESS, "an error is said once");
    right &= fine(cublasInit(), "init");
    const auto a = random_matrix<float>(m, k), b = random_matrix<float>(k, n), c = random_matrix<float>(m, n);
    float *da = nullptr, *db = nullptr, *dc = nullptr;
    right &= fine(cublasAlloc(m * k, sizeof(float), reinterpret_cast<void**>(&da)), "alloc") &&
             fine(cublasAlloc(k * n, sizeof(float), reinterpret_cast<void**>(&db)), "alloc") &&
             fine(cublasAlloc(m * n, sizeof(float), reinterpret_cast<void**>(&dc)), "alloc");
    right &= holds(cublasAlloc(0, 4, reinterpret_cast<void**>(&da)) == CUBLAS_STATUS_INVALID_VALUE, "nothing");
    cublasGetError();
    right &= fine(cublasSetMatrix(m, k, sizeof(float), a.values.data(), m, da, m), "set") &&
             fine(cublasSetVector(k * n, sizeof(float), b.values.data(), 1, db, 1), "set") &&
             fine(cublasSetVector(m * n, sizeof(float), c.values.data(), 1, dc, 1), "set");
    cublasSgemm('n', 'N', m, n, k, 2, da, m, db, k, 0.5F, dc, m);
    right &= fine(cublasGetError(), "sgemm");
    auto wanted = a * b;
    for (size_t i = 0; i < wanted.values.size(); ++i) wanted.values[i] = 2 * wanted.values[i] + 0.5F * c.values[i];
    auto got = zeros<float>(m, n);
    right &= fine(cublasGetVector(m * n, sizeof(float), dc, 1, got.values.data(), 1), "get") &&
             equal("sgemm", got, wanted, 1e-6);
    cublasSgemm('x', 'N', m, n, k, 2, da, m, db, k, 0.5F, dc, m);
    right &= holds(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE, "no such operation");

    // Results that are given back.
    float squares = 0, sum = 0, dot = 0;
    int largest = 0;
    for (int i = 0; i < m * k; ++i) {
        squares += a.values[i] * a.values[i], sum += std::abs(a.values[i]);
        if (i < k * n) dot += a.values[i] * b.values[i];
        if (std::abs(a.values[i]) > std::abs(a.values[largest])) largest = i;
    }
    const int both = std::min(m * k, k * n);
    dot = 0;
    for (int i = 0; i < both; ++i) dot += a.values[i] * b.values[i];
    right &= agree("snrm2", cublasSnrm2(m * k, da, 1), std::sqrt(squares), 1e-6) &
             agree("sasum", cublasSasum(m * k, da, 1), sum, 1e-6) &
             agree("isamax", cublasIsamax(m * k, da, 1), largest + 1) &
             agree("sdot", cublasSdot(both, da, 1, db, 1), dot, 1e-5);
    const auto z = random_matrix<Complex>(m, 1), w = random_matrix<Complex>(m, 1);
    Device<Complex> dz(z.values), dw(w.values);
    auto* const pz = reinterpret_cast<cuDoubleComplex*>(static_cast<Complex*>(dz));
    auto* const pw = reinterpret_cast<cuDoubleComplex*>(static_cast<Complex*>(dw));
    const cuDoubleComplex product = cublasZdotc(m, pz, 1, pw, 1);
    right &= close("zdotc", std::vector<Complex>{{product.x, product.y}}, (turned(z) * w).values, 1e-13);
    cublasZaxpy(m, make_cuDoubleComplex(0, 2), pz, 1, pw, 1);
    auto moved = w.values;
    for (int i = 0; i < m; ++i) moved[i] += Complex{0, 2} * z.values[i];
    right &= close("zaxpy", dw.host(), moved, 1e-14);

    // A triangle times a matrix, in place, and back.
    const auto t = random_matrix<double>(m, m), x = random_matrix<double>(m, n);
    auto triangle = lower(t, false);
    for (int i = 0; i < m; ++i) triangle(i, i) += 3;
    Device<double> dt(triangle.values), dx(x.values);
    cublasDtrmm('L', 'l', 'N', 'n', m, n, 2, dt, m, dx, m);
    auto twice = triangle * x;
    for (double& value : twice.values) value *= 2;
    right &= close("dtrmm", dx.host(), twice.values, 1e-13);
    cublasDtrsm('L', 'L', 'n', 'N', m, n, 0.5, dt, m, dx, m);
    right &= close("dtrsm", dx.host(), x.values, 1e-12) & fine(cublasGetError(), "no error");
    double p = 3, q = 4, cosine = 0, sine = 0;
    cublasDrotg(&p, &q, &cosine, &sine);
    right &= agree("drotg", cosine, 0.6, 1e-15) & agree("drotg", sine, 0.8, 1e-15);
    right &= fine(cublasFree(da), "free") & fine(cublasFree(db), "free") & fine(cublasFree(dc), "free") &
             fine(cublasShutdown(), "shutdown");
    return verdict(right);
}
