// cuSOLVER's functions by what is left over when their results are put in: A = L L^T, A x = b, A v = w v, A = U S V^T.
#define DISABLE_CUSOLVER_DEPRECATED
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusolverDn.h>
#include <cusolverSp.h>
#include <cusparse.h>

#include "matrices.hpp"

static bool fine(cusolverStatus_t status, const std::string& what) {
    return holds(status == CUSOLVER_STATUS_SUCCESS, what.c_str());
}

static bool cholesky(cusolverDnHandle_t handle) {
    const int n = 41, sides = 3;
    const auto a = positive<double>(n), b = random_matrix<double>(n, sides);
    Device<double> da(a.values), db(b.values);
    Device<int> info(std::vector<int>{7});
    int size = 0;
    bool right = fine(cusolverDnDpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, n, da, n, &size), "potrf's buffer");
    Device<double> work(size);
    right &= fine(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, n, da, n, work, size, info), "potrf") &&
             agree("potrf's info", info.host()[0], 0);
    const auto factor = lower(Matrix<double>{n, n, da.host()}, false);
    right &= equal("potrf", factor * turned(factor), a);
    right &= fine(cusolverDnDpotrs(handle, CUBLAS_FILL_MODE_LOWER, n, sides, da, n, db, n, info), "potrs") &&
             equal("potrs", a * Matrix<double>{n, sides, db.host()}, b);
    right &= fine(cusolverDnDpotri(handle, CUBLAS_FILL_MODE_LOWER, n, da, n, work, size, info), "potri");
    Matrix<double> inverse{n, n, da.host()};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < j; ++i) inverse(i, j) = inverse(j, i);
    right &= equal("potri", inverse * a, identity<double>(n));

    // One that has no root says where.
    auto negative = a;
    negative(4, 4) = -1;
    da = negative.values;
    right &= fine(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_UPPER, n, da, n, work, size, info), "potrf without root") &&
             agree("where", info.host()[0], 5);

    // Batches, by pointers in device memory.
    const int small = 6, count = 3;
    std::vector<Matrix<double>> as, bs;
    Device<double> all_a(small * small * count), all_b(small * count);
    std::vector<double*> pa, pb;
    std::vector<double> va, vb;
    for (int i = 0; i < count; ++i) {
        as.push_back(positive<double>(small)), bs.push_back(random_matrix<double>(small, 1));
        va.insert(va.end(), as[i].values.begin(), as[i].values.end());
        vb.insert(vb.end(), bs[i].values.begin(), bs[i].values.end());
        pa.push_back(all_a + i * small * small), pb.push_back(all_b + i * small);
    }
    all_a = va, all_b = vb;
    Device<double*> qa(pa), qb(pb);
    Device<int> infos(std::vector<int>(count, 7));
    right &= fine(cusolverDnDpotrfBatched(handle, CUBLAS_FILL_MODE_LOWER, small, qa, small, infos, count), "batches") &&
             agree("batches' infos", infos.host(), std::vector<int>(count)) &&
             fine(cusolverDnDpotrsBatched(handle, CUBLAS_FILL_MODE_LOWER, small, 1, qa, small, qb, small, info, count),
                  "batches solved");
    const auto solved = all_b.host();
    for (int i = 0; i < count; ++i)
        right &= equal("batches",
                       as[i] * Matrix<double>{small, 1, {solved.begin() + i * small, solved.begin() + (i + 1) * small}},
                       bs[i]);
    return right;
}

static bool lu(cusolverDnHandle_t handle) {
    const int n = 37, sides = 2;
    auto a = random_matrix<double>(n, n);
    a(0, 0) = 0;  // cannot do without pivots
    const auto b = random_matrix<double>(n, sides);
    Device<double> da(a.values), db(b.values);
    Device<int> pivots(n), info(1);
    int size = 0;
    bool right = fine(cusolverDnDgetrf_bufferSize(handle, n, n, da, n, &size), "getrf's buffer");
    Device<double> work(size);
    right &= fine(cusolverDnDgetrf(handle, n, n, da, n, work, pivots, info), "getrf") &&
             agree("getrf's info", info.host()[0], 0);
    const Matrix<double> factors{n, n, da.host()};
    auto exchanged = a;
    const auto rows = pivots.host();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) std::swap(exchanged(i, j), exchanged(rows[i] - 1, j));
    right &= equal("getrf", lower(factors, true) * upper(factors), exchanged);
    for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
        db = b.values;
        right &= fine(cusolverDnDgetrs(handle, op, n, sides, da, n, pivots, db, n, info), "getrs") &&
                 equal("getrs", (op == CUBLAS_OP_N ? a : turned(a)) * Matrix<double>{n, sides, db.host()}, b);
    }
    for (int i = 0; i < n; ++i) a(i, i) += 10;
    da = a.values, db = b.values;
    right &=
        fine(cusolverDnDgetrf(handle, n, n, da, n, work, nullptr, info), "getrf without pivots") &&
        fine(cusolverDnDgetrs(handle, CUBLAS_OP_N, n, sides, da, n, nullptr, db, n, info), "getrs without pivots") &&
        equal("without pivots", a * Matrix<double>{n, sides, db.host()}, b);
    return right;
}

// In single precision and complex numbers: the shapes differ.
static bool complex_solved(cusolverDnHandle_t handle) {
    const int n = 19;
    const auto a = random_matrix<Complex>(n, n), b = random_matrix<Complex>(n, 1);
    Device<cuDoubleComplex> da(n * n), db(n), work(64);
    const auto put = [](cuDoubleComplex* to, const Matrix<Complex>& from) {
        check(cudaMemcpy(to, from.values.data(), from.values.size() * sizeof(Complex), cudaMemcpyHostToDevice));
    };
    const auto got = [](const cuDoubleComplex* from, int rows, int columns) {
        auto m = zeros<Complex>(rows, columns);
        check(cudaMemcpy(m.values.data(), from, m.values.size() * sizeof(Complex), cudaMemcpyDeviceToHost));
        return m;
    };
    Device<int> pivots(n), info(1);
    put(da, a), put(db, b);
    bool right = fine(cusolverDnZgetrf(handle, n, n, da, n, work, pivots, info), "Zgetrf") &&
                 fine(cusolverDnZgetrs(handle, CUBLAS_OP_C, n, 1, da, n, pivots, db, n, info), "Zgetrs") &&
                 equal("Zgetrs", turned(a) * got(db, n, 1), b);
    const auto h = positive<Complex>(n);
    Device<double> w(n);
    put(da, h);
    int size = 0;
    right &=
        fine(cusolverDnZheevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, da, n, w, &size),
             "heevd's buffer") &&
        fine(cusolverDnZheevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, da, n, w, work, size, info),
             "heevd");
    const auto vectors = got(da, n, n);
    right &= equal("heevd", h * vectors, vectors * diagonal<Complex>(n, n, w.host()));

    const int m = 23;
    const auto c = random_matrix<Complex>(m, n);
    Device<cuDoubleComplex> dc(m * n), u(m * m), v(n * n);
    gesvdjInfo_t wishes;
    put(dc, c);
    right &=
        fine(cusolverDnCreateGesvdjInfo(&wishes), "gesvdj's info") &&
        fine(cusolverDnXgesvdjSetTolerance(wishes, 1e-12), "tolerance") &&
        fine(cusolverDnZgesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, 0, m, n, dc, m, w, u, m, v, n, work, 64, info, wishes),
             "gesvdj") &&
        equal("gesvdj", got(u, m, m) * diagonal<Complex>(m, n, w.host()) * turned(got(v, n, n)), c);
    cusolverDnDestroyGesvdjInfo(wishes);
    return right;
}

static bool qr(cusolverDnHandle_t handle) {
    const int m = 33, n = 20;
    const auto a = random_matrix<double>(m, n), b = random_matrix<double>(m, 1);
    Device<double> da(a.values), db(b.values), tau(n);
    Device<int> info(std::vector<int>{7});
    int size = 0;
    bool right = fine(cusolverDnDgeqrf_bufferSize(handle, m, n, da, m, &size), "geqrf's buffer");
    Device<double> work(size);
    right &= fine(cusolverDnDgeqrf(handle, m, n, da, m, tau, work, size, info), "geqrf") &&
             agree("geqrf's info", info.host()[0], 0);
    auto factor = upper(Matrix<double>{m, n, da.host()});
    auto r = zeros<double>(n, n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) r(i, j) = factor(i, j);
    right &= fine(cusolverDnDormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, m, 1, n, da, m, tau, db, m, work, size, info),
                  "ormqr") &&
             fine(cusolverDnDorgqr(handle, m, n, n, da, m, tau, work, size, info), "orgqr");
    const Matrix<double> q{m, n, da.host()};
    right &= equal("Q R", q * r, a) && equal("Q^T Q", turned(q) * q, identity<double>(n));
    Matrix<double> first{n, 1, db.host()};
    first.values.resize(n);
    return right & equal("Q^T b", first, turned(q) * b);
}

static bool eigenvalues(cusolverDnHandle_t handle) {
    const int n = 24;
    const auto a = positive<double>(n), b = positive<double>(n);
    Device<double> da(a.values), db(b.values), w(n);
    Device<int> info(1);
    int size = 0;
    const auto vector = CUSOLVER_EIG_MODE_VECTOR;
    const auto fill = CUBLAS_FILL_MODE_LOWER;
    bool right = fine(cusolverDnDsyevd_bufferSize(handle, vector, fill, n, da, n, w, &size), "syevd's buffer");
    Device<double> work(size);
    right &= fine(cusolverDnDsyevd(handle, vector, fill, n, da, n, w, work, size, info), "syevd");
    const auto values = w.host();
    const Matrix<double> v{n, n, da.host()};
    right &= equal("syevd", a * v, v * diagonal<double>(n, n, values));
    for (int i = 1; i < n; ++i) right &= holds(values[i - 1] <= values[i], "order of eigenvalues");

    syevjInfo_t wishes;
    da = a.values;
    right &= fine(cusolverDnCreateSyevjInfo(&wishes), "syevj's info") &&
             fine(cusolverDnDsyevj(handle, CUSOLVER_EIG_MODE_NOVECTOR, fill, n, da, n, w, work, size, info, wishes),
                  "syevj") &&
             agree("syevj", w.host(), values, 1e-10);
    // Two of order 12, one behind the other.
    const int half = 12;
    const auto one = positive<double>(half), two = positive<double>(half);
    auto both = one.values;
    both.insert(both.end(), two.values.begin(), two.values.end());
    Device<double> pair(both);
    Device<int> infos(2);
    right &= fine(cusolverDnDsyevjBatched(handle, vector, fill, half, pair, half, w, work, size, infos, wishes, 2),
                  "syevjBatched");
    const auto vectors = pair.host(), all = w.host();
    const Matrix<double> second{half, half, {vectors.begin() + half * half, vectors.end()}};
    right &= equal("syevjBatched", two * second,
                   second * diagonal<double>(half, half, std::vector<double>(all.begin() + half, all.end())));
    cusolverDnDestroySyevjInfo(wishes);

    da = a.values;
    right &= fine(cusolverDnDsygvd(handle, CUSOLVER_EIG_TYPE_1, vector, fill, n, da, n, db, n, w, work, size, info),
                  "sygvd");
    const Matrix<double> g{n, n, da.host()};
    return right & equal("sygvd", a * g, b * g * diagonal<double>(n, n, w.host()));
}

static bool singular_values(cusolverDnHandle_t handle) {
    const int m = 21, n = 13;
    const auto a = random_matrix<double>(m, n);
    Device<double> da(a.values), s(n), u(m * m), vt(n * n);
    Device<int> info(std::vector<int>{7});
    int size = 0;
    bool right = fine(cusolverDnDgesvd_bufferSize(handle, m, n, &size), "gesvd's buffer");
    Device<double> work(size);
    right &=
        fine(cusolverDnDgesvd(handle, 'A', 'A', m, n, da, m, s, u, m, vt, n, work, size, nullptr, info), "gesvd") &&
        agree("gesvd's info", info.host()[0], 0) &&
        equal("gesvd",
              Matrix<double>{m, m, u.host()} * diagonal<double>(m, n, s.host()) * Matrix<double>{n, n, vt.host()}, a);
    // Float, economic, with V instead of its transpose.
    std::vector<float> narrow(a.values.begin(), a.values.end());
    Device<float> fa(narrow), fs(n), fu(m * n), fv(n * n), few(64);
    gesvdjInfo_t wishes;
    right &= fine(cusolverDnCreateGesvdjInfo(&wishes), "gesvdj's info") &&
             fine(cusolverDnSgesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, fa, m, fs, fu, m, fv, n, few, 64, info,
                                    wishes),
                  "gesvdj");
    const auto values = fs.host();
    auto scaled = Matrix<float>{m, n, fu.host()};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) scaled(i, j) *= values[j];
    cusolverDnDestroyGesvdjInfo(wishes);
    return right & equal("gesvdj", scaled * turned(Matrix<float>{n, n, fv.host()}), {m, n, narrow}, 1e-5);
}

// Poisson's equation on a grid, its unknowns in an order that leaves entries far from the diagonal.
static bool sparse_systems() {
    const int side = 40, n = side * side;
    const auto number = [&](int x, int y) { return static_cast<int>((x + static_cast<long>(y) * side) * 7 % n); };
    std::vector<std::vector<std::pair<int, double>>> entries(n);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            auto& row = entries[number(x, y)];
            row.push_back({number(x, y), 4.5});
            const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
            for (int d = 0; d < 4; ++d)
                if (x + dx[d] >= 0 && x + dx[d] < side && y + dy[d] >= 0 && y + dy[d] < side)
                    row.push_back({number(x + dx[d], y + dy[d]), -1});
        }
    std::vector<int> offsets{1}, columns;
    std::vector<double> values, b;
    for (const auto& row : entries) {
        for (const auto& [column, value] : row) columns.push_back(column + 1), values.push_back(value);
        offsets.push_back(static_cast<int>(columns.size()) + 1);
        b.push_back(numbers.uniform());
    }
    const int count = static_cast<int>(values.size());
    const auto solves = [&](const std::string& what, const std::vector<double>& x) {
        for (int i = 0; i < n; ++i) {
            double sum = 0;
            for (int k = offsets[i] - 1; k < offsets[i + 1] - 1; ++k) sum += values[k] * x[columns[k] - 1];
            if (!(std::abs(sum - b[i]) < 1e-10)) return holds(false, what.c_str());
        }
        return true;
    };
    cusolverSpHandle_t handle;
    cusparseMatDescr_t description;
    bool right = fine(cusolverSpCreate(&handle), "create");
    right &= holds(cusparseCreateMatDescr(&description) == CUSPARSE_STATUS_SUCCESS, "description");
    cusparseSetMatIndexBase(description, CUSPARSE_INDEX_BASE_ONE);
    Device<double> dv(values), db(b), dx(n);
    Device<int> offsets_there(offsets), columns_there(columns);
    int singular = 7, symmetric = 0;
    right &= fine(cusolverSpXcsrissymHost(handle, n, count, description, offsets.data(), offsets.data() + 1,
                                          columns.data(), &symmetric),
                  "symmetric") &&
             agree("symmetric", symmetric, 1);
    right &= fine(cusolverSpDcsrlsvchol(handle, n, count, description, dv, offsets_there, columns_there, db, 1e-14, 0,
                                        dx, &singular),
                  "csrlsvchol") &&
             agree("singularity", singular, -1) && solves("csrlsvchol", dx.host());
    right &= fine(cusolverSpDcsrlsvqr(handle, n, count, description, dv, offsets_there, columns_there, db, 1e-14, 0, dx,
                                      &singular),
                  "csrlsvqr") &&
             solves("csrlsvqr", dx.host());
    std::vector<double> x(n);
    right &= fine(cusolverSpDcsrlsvluHost(handle, n, count, description, values.data(), offsets.data(), columns.data(),
                                          b.data(), 1e-14, 0, x.data(), &singular),
                  "csrlsvlu") &&
             solves("csrlsvlu", x);
    // A column of zeros.
    auto without = values;
    for (int k = 0; k < count; ++k)
        if (columns[k] == 12) without[k] = 0;
    right &= fine(cusolverSpDcsrlsvluHost(handle, n, count, description, without.data(), offsets.data(), columns.data(),
                                          b.data(), 1e-14, 0, x.data(), &singular),
                  "singular") &&
             holds(singular >= 0, "singular");
    cusparseDestroyMatDescr(description);
    return right & fine(cusolverSpDestroy(handle), "destroy");
}

__global__ void add_to_diagonal(double* a, int n, double value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * n + i] += value;
}

// A kernel makes the matrix one that has a root.
static bool in_order(cusolverDnHandle_t handle) {
    const int n = 16;
    Device<double> a(std::vector<double>(n * n)), work(64);
    Device<int> info(1);
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    bool right = fine(cusolverDnSetStream(handle, stream), "stream");
    add_to_diagonal<<<1, 32, 0, stream>>>(a, n, 9);
    right &= fine(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, n, a, n, work, 64, info), "potrf in a stream");
    add_to_diagonal<<<1, 32, 0, stream>>>(a, n, 1);
    check(cudaStreamSynchronize(stream));
    right &= agree("in a stream", a.host()[0], 4.0) && agree("info", info.host()[0], 0);
    cusolverDnSetStream(handle, nullptr);
    return right;
}

int main() {
    cusolverDnHandle_t handle = nullptr;
    bool right = fine(cusolverDnCreate(&handle), "create");
    right &= cholesky(handle) & lu(handle) & complex_solved(handle) & qr(handle) & eigenvalues(handle) &
             singular_values(handle) & sparse_systems() & in_order(handle);
    right &= fine(cusolverDnDestroy(handle), "destroy");
    return verdict(right);
}
