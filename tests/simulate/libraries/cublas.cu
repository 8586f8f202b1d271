// cuBLAS' functions against plain loops, beside kernels of the program's own, in streams and in a captured graph.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <complex>
#include <vector>

#include "../../programs/verify.hpp"

using Complex = std::complex<float>;

static bool fine(cublasStatus_t status, const char* what) {
    return holds(status == CUBLAS_STATUS_SUCCESS, what);
}

template <class T>
struct Matrix {
    int rows, columns;
    std::vector<T> values;
    T operator()(int i, int j) const { return values[static_cast<size_t>(i) + static_cast<size_t>(j) * rows]; }
};

static Matrix<float> random_matrix(int rows, int columns) {
    static Random random;
    Matrix<float> m{rows, columns, {}};
    for (int i = 0; i < rows * columns; ++i) m.values.push_back(random.uniform() - 0.5F);
    return m;
}

// alpha op(A) op(B) + beta C
static std::vector<float> product(const Matrix<float>& a, bool ta, const Matrix<float>& b, bool tb,
                                  const Matrix<float>& c, float alpha, float beta) {
    std::vector<float> result(c.values.size());
    const int inner = ta ? a.rows : a.columns;
    for (int j = 0; j < c.columns; ++j)
        for (int i = 0; i < c.rows; ++i) {
            double sum = 0;
            for (int k = 0; k < inner; ++k)
                sum += static_cast<double>(ta ? a(k, i) : a(i, k)) * (tb ? b(j, k) : b(k, j));
            result[static_cast<size_t>(i) + static_cast<size_t>(j) * c.rows] =
                static_cast<float>(alpha * sum + beta * c(i, j));
        }
    return result;
}

__global__ void add_one(float* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += 1;
}

static bool vectors(cublasHandle_t handle) {
    const int n = 1000;
    const auto hx = random_floats(n, -1, 1), hy = random_floats(n, -1, 2);
    Device<float> x(hx), y(hy);
    const float alpha = 2.5F;
    bool right = fine(cublasSaxpy(handle, n, &alpha, x, 1, y, 1), "axpy");
    std::vector<float> wanted(n);
    for (int i = 0; i < n; ++i) wanted[i] = alpha * hx[i] + hy[i];
    right &= agree("axpy", y.host(), wanted, 1e-6);

    double dot = 0, square = 0, sum = 0;
    int largest = 0, smallest = 0;
    for (int i = 0; i < n; ++i) {
        dot += static_cast<double>(hx[i]) * wanted[i];
        square += static_cast<double>(hx[i]) * hx[i];
        sum += std::abs(hx[i]);
        if (std::abs(hx[i]) > std::abs(hx[largest])) largest = i;
        if (std::abs(hx[i]) < std::abs(hx[smallest])) smallest = i;
    }
    float got = 0;
    int index = 0;
    right &= fine(cublasSdot(handle, n, x, 1, y, 1, &got), "dot") && agree("dot", got, static_cast<float>(dot), 1e-4);
    right &= fine(cublasSnrm2(handle, n, x, 1, &got), "nrm2") &&
             agree("nrm2", got, static_cast<float>(std::sqrt(square)), 1e-5);
    right &= fine(cublasSasum(handle, n, x, 1, &got), "asum") && agree("asum", got, static_cast<float>(sum), 1e-4);
    right &= fine(cublasIsamax(handle, n, x, 1, &index), "amax") && agree("amax", index, largest + 1);
    right &= fine(cublasIsamin(handle, n, x, 1, &index), "amin") && agree("amin", index, smallest + 1);

    // Scalars and results in device memory.
    Device<float> factor(std::vector<float>{3}), result(std::vector<float>{0});
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    right &= fine(cublasSscal(handle, n, factor, x, 1), "scal") && fine(cublasSasum(handle, n, x, 1, result), "asum");
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    right &= agree("asum in device memory", result.host(), {static_cast<float>(3 * sum)}, 1e-4);

    std::vector<double> every_second(20);
    Device<double> strided(std::vector<double>(40, 7));
    for (int i = 0; i < 20; ++i) every_second[i] = i;
    right &= fine(cublasSetVector(20, sizeof(double), every_second.data(), 1, strided, 2), "set vector");
    std::vector<double> back(20);
    right &= fine(cublasGetVector(20, sizeof(double), strided, 2, back.data(), 1), "get vector");
    right &= agree("vector", back, every_second) && agree("between", strided.host()[1], 7.0);
    return right;
}

static bool matrices(cublasHandle_t handle) {
    bool right = true;
    const int m = 37, n = 29, k = 41;
    for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
            const auto a = ta ? random_matrix(k, m) : random_matrix(m, k);
            const auto b = tb ? random_matrix(n, k) : random_matrix(k, n);
            const auto c = random_matrix(m, n);
            Device<float> da(a.values), db(b.values), dc(c.values);
            const float alpha = 1.5F, beta = -0.5F;
            right &= fine(cublasSgemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                                      &alpha, da, a.rows, db, b.rows, &beta, dc, m),
                          "gemm");
            right &= agree("gemm", dc.host(), product(a, ta, b, tb, c, alpha, beta), 1e-5);
        }
    // Half precision in, float out; and everything in bfloat16.
    const auto a = random_matrix(m, k), b = random_matrix(k, n);
    const Matrix<float> none{m, n, std::vector<float>(m * n)};
    std::vector<__half> ha, hb;
    std::vector<__nv_bfloat16> ba, bb;
    for (const float v : a.values) ha.push_back(__float2half(v)), ba.push_back(__float2bfloat16(v));
    for (const float v : b.values) hb.push_back(__float2half(v)), bb.push_back(__float2bfloat16(v));
    Device<__half> da(ha), db(hb);
    Device<float> dc(none.values);
    const float one = 1, zero = 0;
    right &= fine(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, da, CUDA_R_16F, m, db, CUDA_R_16F, k,
                               &zero, dc, CUDA_R_32F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                  "GemmEx");
    right &= agree("GemmEx", dc.host(), product(a, false, b, false, none, 1, 0), 2e-3);
    Device<__nv_bfloat16> ea(ba), eb(bb);
    right &= fine(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, ea, CUDA_R_16BF, m, eb, CUDA_R_16BF, k,
                               &zero, dc, CUDA_R_32F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                  "GemmEx of bfloat16");
    right &= agree("GemmEx of bfloat16", dc.host(), product(a, false, b, false, none, 1, 0), 2e-2);

    // 8-bit integers, exactly.
    std::vector<signed char> ia(m * k), ib(k * n);
    std::vector<int> wanted(m * n);
    for (int i = 0; i < m * k; ++i) ia[i] = static_cast<signed char>(i * 7 % 251 - 125);
    for (int i = 0; i < k * n; ++i) ib[i] = static_cast<signed char>(i * 11 % 253 - 126);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            for (int l = 0; l < k; ++l) wanted[i + j * m] += ia[i + l * m] * ib[l + j * k];
    Device<signed char> ja(ia), jb(ib);
    Device<int> jc(std::vector<int>(m * n));
    const int one_int = 1, zero_int = 0;
    right &= fine(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one_int, ja, CUDA_R_8I, m, jb, CUDA_R_8I, k,
                               &zero_int, jc, CUDA_R_32I, m, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT),
                  "GemmEx of bytes");
    right &= agree("GemmEx of bytes", jc.host(), wanted);

    // Batches: strided, and by pointers in device memory.
    const int count = 3;
    std::vector<float> sa, sb, sc;
    for (int i = 0; i < count; ++i) {
        const auto p = random_matrix(m, k), q = random_matrix(k, n);
        sa.insert(sa.end(), p.values.begin(), p.values.end());
        sb.insert(sb.end(), q.values.begin(), q.values.end());
        const auto c = product(p, false, q, false, none, 1, 0);
        sc.insert(sc.end(), c.begin(), c.end());
    }
    Device<float> ta(sa), tb(sb), tc(std::vector<float>(sc.size()));
    right &= fine(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, ta, m, m * k, tb, k, k * n,
                                            &zero, tc, m, m * n, count),
                  "strided batches");
    right &= agree("strided batches", tc.host(), sc, 1e-5);
    std::vector<float*> pa, pb, pc;
    for (int i = 0; i < count; ++i)
        pa.push_back(ta + i * m * k), pb.push_back(tb + i * k * n), pc.push_back(tc + i * m * n);
    Device<float*> qa(pa), qb(pb), qc(pc);
    check(cudaMemset(tc, 0, sc.size() * sizeof(float)));
    right &=
        fine(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, qa, m, qb, k, &zero, qc, m, count),
             "batches");
    right &= agree("batches", tc.host(), sc, 1e-5);

    // A triangle solved and multiplied back; a transpose.
    Matrix<float> triangle = random_matrix(n, n);
    for (int i = 0; i < n; ++i) triangle.values[i + i * n] = 4 + static_cast<float>(i);
    const auto right_side = random_matrix(n, m);
    Device<float> dt(triangle.values), dr(right_side.values), back(std::vector<float>(n * m));
    right &= fine(cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, m,
                              &one, dt, n, dr, n),
                  "trsm");
    right &= fine(cublasStrmm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, m,
                              &one, dt, n, dr, n, back, n),
                  "trmm");
    right &= agree("trsm and trmm", back.host(), right_side.values, 1e-5);
    Device<float> turned(std::vector<float>(n * m));
    right &=
        fine(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, back, n, &zero, turned, m, turned, m), "geam");
    std::vector<float> transposed;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) transposed.push_back(right_side(j, i));
    right &= agree("geam", turned.host(), transposed, 1e-5);

    // Complex: C = A^H A is what herk gives in its triangle.
    const int order = 6;
    std::vector<Complex> z;
    for (int i = 0; i < order * order; ++i) z.push_back({a.values[2 * i], a.values[2 * i + 1]});
    Device<cuComplex> dz(order * order), gram(order * order), rank_k(order * order);
    check(cudaMemcpy(dz, z.data(), z.size() * sizeof(Complex), cudaMemcpyHostToDevice));
    check(cudaMemset(rank_k, 0, z.size() * sizeof(Complex)));
    const cuComplex c_one{1, 0}, c_zero{0, 0};
    right &= fine(cublasCgemm(handle, CUBLAS_OP_C, CUBLAS_OP_N, order, order, order, &c_one, dz, order, dz, order,
                              &c_zero, gram, order),
                  "Cgemm");
    right &= fine(
        cublasCherk(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, order, order, &one, dz, order, &zero, rank_k, order),
        "herk");
    const auto g = gram.host(), h = rank_k.host();
    for (int j = 0; j < order; ++j)
        for (int i = 0; i <= j; ++i) {
            Complex wanted_z{};
            for (int l = 0; l < order; ++l) wanted_z += std::conj(z[l + i * order]) * z[l + j * order];
            right &= agree("Cgemm", g[i + j * order].x, wanted_z.real(), 1e-5) &&
                     agree("herk", h[i + j * order].y, wanted_z.imag(), 1e-5);
        }
    return right;
}

// Many small systems: factors, solutions and inverses, with pivots and without.
static bool batched_lu(cublasHandle_t handle) {
    const int n = 9, sides = 2, count = 3, order = n * n;
    std::vector<float> a;
    for (int i = 0; i < count; ++i) {
        auto m = random_matrix(n, n);
        for (int j = 0; j < n; ++j) m.values[j * n + j] += 4;
        a.insert(a.end(), m.values.begin(), m.values.end());
    }
    const auto b = random_matrix(n, sides * count);
    Device<float> da(a), db(b.values), inverse(a.size());
    Device<int> pivots(n * count), info(std::vector<int>(count, 7));
    std::vector<float*> pa, pb, pc;
    for (int i = 0; i < count; ++i)
        pa.push_back(da + i * order), pb.push_back(db + i * n * sides), pc.push_back(inverse + i * order);
    Device<float*> qa(pa), qb(pb), qc(pc);
    const auto times = [&](int i, const std::vector<float>& x, int columns) {
        const Matrix<float> left{n, n, {a.begin() + i * order, a.begin() + (i + 1) * order}};
        const Matrix<float> right{n, columns, {x.begin() + i * n * columns, x.begin() + (i + 1) * n * columns}};
        return product(left, false, right, false, {n, columns, std::vector<float>(n * columns)}, 1, 0);
    };
    std::vector<float> identity(order);
    for (int i = 0; i < n; ++i) identity[i * n + i] = 1;
    bool right = true;
    for (int* const used : {static_cast<int*>(pivots), static_cast<int*>(nullptr)}) {
        da = a, db = b.values;
        int said = 7;
        right &= fine(cublasSgetrfBatched(handle, n, qa, n, used, info, count), "getrf") &&
                 agree("getrf's info", info.host(), std::vector<int>(count)) &&
                 fine(cublasSgetrsBatched(handle, CUBLAS_OP_N, n, sides, qa, n, used, qb, n, &said, count), "getrs") &&
                 agree("getrs' info", said, 0) &&
                 fine(cublasSgetriBatched(handle, n, qa, n, used, qc, n, info, count), "getri");
        const auto x = db.host(), inverted = inverse.host();
        for (int i = 0; i < count; ++i) {
            const std::vector<float> wanted(b.values.begin() + i * n * sides, b.values.begin() + (i + 1) * n * sides);
            right &= agree("getrs", times(i, x, sides), wanted, 1e-5) &&
                     agree("getri", times(i, inverted, n), identity, 1e-5);
        }
    }
    da = a;
    check(cudaMemset(inverse, 0, a.size() * sizeof(float)));
    right &= fine(cublasSmatinvBatched(handle, n, qa, n, qc, n, info, count), "matinv");
    for (int i = 0; i < count; ++i) right &= agree("matinv", times(i, inverse.host(), n), identity, 1e-5);
    right &= agree("matinv leaves its matrix", da.host(), a);
    // A row of zeros: the pivot that is missing.
    for (int j = 0; j < n; ++j) a[order + 3 + j * n] = 0;
    da = a;
    right &= fine(cublasSgetrfBatched(handle, n, qa, n, nullptr, info, count), "getrf");
    return right & agree("missing pivot", info.host(), {0, 4, 0});
}

// Each step takes what the one before has left, of whoever.
static bool in_order(cublasHandle_t handle) {
    const int n = 512;
    Device<float> x(std::vector<float>(n, 1));
    const float two = 2;
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    bool right = fine(cublasSetStream(handle, stream), "stream");
    const auto steps = [&] {
        add_one<<<n / 128, 128, 0, stream>>>(x, n);
        right &= fine(cublasSscal(handle, n, &two, x, 1), "scal");
        add_one<<<n / 128, 128, 0, stream>>>(x, n);
    };
    steps();
    check(cudaStreamSynchronize(stream));
    right &= agree("in a stream", x.host(), std::vector<float>(n, 5));
    cudaGraph_t graph;
    cudaGraphExec_t made;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    steps();
    check(cudaStreamEndCapture(stream, &graph));
    right &= agree("captured only", x.host(), std::vector<float>(n, 5));
    check(cudaGraphInstantiate(&made, graph, 0));
    check(cudaGraphLaunch(made, stream));
    check(cudaGraphLaunch(made, stream));
    check(cudaStreamSynchronize(stream));
    right &= agree("in a graph", x.host(), std::vector<float>(n, 29));
    cublasSetStream(handle, nullptr);
    return right;
}

// Sums over many k, for a matrix of much larger numbers: rounded once at the end, as a kernel does it.
static bool sums_to_large(cublasHandle_t handle) {
    const int n = 64, k = 4096;
    const auto a = random_matrix(n, k), b = random_matrix(k, n);
    const Matrix<float> zero{n, n, std::vector<float>(n * n)};
    const std::vector<float> large(n * n, 35000.125F);
    Device<float> da(a.values), db(b.values);
    const float alpha = 0.5F, beta = 3;
    auto wanted = product(a, false, b, false, zero, 1, 0);
    for (float& sum : wanted) sum = std::fma(alpha, sum, beta * large[0]);
    bool right = true;
    for (const bool typed : {false, true}) {
        Device<float> dc(large);
        right &=
            fine(typed ? cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, k, &alpha, da, CUDA_R_32F, n, db,
                                      CUDA_R_32F, k, &beta, dc, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT)
                       : cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, k, &alpha, da, n, db, k, &beta, dc, n),
                 "large");
        // One digit of float at 105,000 is 0.0078; added to in pieces it is 0.03 off.
        right &= agree("large", dc.host(), wanted, 0.0079 / 105000);
    }
    return right;
}

// Products that are asked for again, with what they read or wrote changed in between in every way, or not.
static bool again(cublasHandle_t handle) {
    const int n = 128, elements = n * n;
    auto a = random_matrix(n, n), b = random_matrix(n, n);
    const Matrix<float> zero{n, n, std::vector<float>(elements)};
    Device<float> da(a.values), db(b.values), dc(elements);
    Device<__half> ha(elements), hb(elements), hc(elements);
    const auto halves = [](const Matrix<float>& from) {
        return std::vector<__half>(from.values.begin(), from.values.end());
    };
    ha = halves(a);
    hb = halves(b);
    float alpha = 1;
    const float nothing = 0, one = 1;
    bool right = true;
    const auto check_products = [&](const char* what) {
        const auto wanted = product(a, false, b, false, zero, alpha, 0);
        right &=
            fine(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, da, n, db, n, &nothing, dc, n), what);
        right &= agree(what, dc.host(), wanted, 1e-4);
        right &= fine(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, ha, CUDA_R_16F, n, hb, CUDA_R_16F,
                                   n, &nothing, hc, CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                      what);
        const auto got = hc.host();
        right &= agree(what, std::vector<float>(got.begin(), got.end()), wanted, 2e-2);
    };
    add_one<<<1, 32>>>(dc, 0);
    check_products("once");
    check_products("again");
    add_one<<<n, n>>>(da, elements);
    for (float& value : a.values) value += 1;
    ha = halves(a);
    check_products("behind a kernel");
    b = random_matrix(n, n);
    db = b.values;
    hb = halves(b);
    check_products("behind a copy");
    cudaMemset(dc, 0, elements * sizeof(float));
    cudaMemset(hc, 0, elements * sizeof(__half));
    check_products("overwritten by a fill");
    add_one<<<n, n>>>(dc, elements);
    check_products("overwritten by a kernel");
    alpha = 2;
    check_products("another scalar");
    check_products("and again");
    for (int i = 0; i < 2; ++i)
        right &= fine(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, da, n, db, n, &one, dc, n), "sum");
    right &= agree("sum", dc.host(), product(a, false, b, false, zero, 3 * alpha, 0), 1e-4);
    check_products("behind a sum");
    // Memory that comes from cudaMalloc again, at the same place.
    const auto power = product(a, false, a, false, zero, 1, 0);
    alpha = 1;
    for (int i = 0; i < 2; ++i) {
        Device<float> other(elements);
        right &= fine(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, da, n, da, n, &nothing, other, n),
                      "other memory");
        right &= agree("other memory", other.host(), power, 1e-4);
    }
    return right;
}

int main() {
    cublasHandle_t handle = nullptr;
    bool right = fine(cublasCreate(&handle), "create");
    right &= vectors(handle) & matrices(handle) & batched_lu(handle) & in_order(handle) & again(handle) &
             sums_to_large(handle);
    right &= holds(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, nullptr, nullptr, 1, nullptr, 1, nullptr,
                               nullptr, 1) == CUBLAS_STATUS_NOT_INITIALIZED,
                   "no handle");
    right &= fine(cublasDestroy(handle), "destroy");
    return verdict(right);
}
