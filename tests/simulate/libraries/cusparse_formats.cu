// cuSPARSE's formats of blocks and of rows filled up, products whose structure is used again, and five diagonals,
// against plain loops over a dense matrix.
#define DISABLE_CUSPARSE_DEPRECATED
#include "rows_of_matrices.hpp"

static constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
static constexpr auto i32 = CUSPARSE_INDEX_32I;
static constexpr auto from_0 = CUSPARSE_INDEX_BASE_ZERO;

/// y = A x, of a matrix that is described already.
template <class T>
static bool multiplies(cusparseHandle_t handle, const char* what, cusparseSpMatDescr_t matrix, const Dense<T>& a,
                       double tolerance) {
    const auto x = full<T>(a.columns, 1);
    Device<T> dx(x.values), dy(a.rows);
    cusparseDnVecDescr_t vx, vy;
    cusparseCreateDnVec(&vx, a.columns, dx, type_of<T>), cusparseCreateDnVec(&vy, a.rows, dy, type_of<T>);
    const T one{1}, zero{0};
    const bool right =
        fine(cusparseSpMV(handle, none, &one, matrix, vx, &zero, vy, type_of<T>, CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
             what) &&
        close(what, dy.host(), product(a, x).values, tolerance);
    cusparseDestroyDnVec(vx), cusparseDestroyDnVec(vy);
    return right;
}

template <class T>
static bool sliced(cusparseHandle_t handle, double tolerance) {
    const int m = 11, n = 9, height = 4, slices = 3;  // the last slice is not full
    const auto a = sparse<T>(m, n);
    const Compressed<T, int> rows(a, 0);
    std::vector<int> offsets{0}, indices;
    std::vector<T> values;
    for (int s = 0; s < slices; ++s) {
        int width = 0;
        for (int i = s * height; i < std::min(m, (s + 1) * height); ++i)
            width = std::max(width, rows.offsets[i + 1] - rows.offsets[i]);
        for (int k = 0; k < width; ++k)
            for (int i = s * height; i < (s + 1) * height; ++i) {
                const bool there = i < m && rows.offsets[i] + k < rows.offsets[i + 1];
                indices.push_back(there ? rows.indices[rows.offsets[i] + k] : -1);
                values.push_back(there ? rows.values[rows.offsets[i] + k] : T{});
            }
        offsets.push_back(static_cast<int>(values.size()));
    }
    Device<int> to(offsets), ti(indices);
    Device<T> tv(values);
    cusparseSpMatDescr_t matrix = nullptr;
    const auto count = static_cast<int64_t>(rows.values.size()), stored = static_cast<int64_t>(values.size());
    bool right = holds(cusparseCreateSlicedEll(&matrix, m, n, count, stored, 0, to, ti, tv, i32, i32, from_0,
                                               type_of<T>) == CUSPARSE_STATUS_INVALID_VALUE,
                       "slices of no rows");
    right &=
        fine(cusparseCreateSlicedEll(&matrix, m, n, count, stored, height, to, ti, tv, i32, i32, from_0, type_of<T>),
             "sliced ELL") &&
        multiplies(handle, "sliced ELL", matrix, a, tolerance);
    cusparseDestroySpMat(matrix);
    return right;
}

template <class T>
static bool block_rows(cusparseHandle_t handle, cusparseOrder_t order, double tolerance) {
    const int lines = 3, across = 4, height = 2, breadth = 3, m = lines * height, n = across * breadth;
    auto a = full<T>(m, n);
    std::vector<int> offsets{0}, indices;
    std::vector<T> values;
    for (int line = 0; line < lines; ++line) {
        for (int b = 0; b < across; ++b) {
            const bool there = (line + b) % 2 == 0;
            if (there) indices.push_back(b);
            for (int k = 0; k < height * breadth; ++k) {
                const int i = order == CUSPARSE_ORDER_ROW ? k / breadth : k % height;
                const int j = order == CUSPARSE_ORDER_ROW ? k % breadth : k / height;
                T& value = a(line * height + i, b * breadth + j);
                if (there)
                    values.push_back(value);
                else
                    value = T{};
            }
        }
        offsets.push_back(static_cast<int>(indices.size()));
    }
    Device<int> to(offsets), ti(indices);
    Device<T> tv(values);
    cusparseSpMatDescr_t matrix = nullptr;
    const auto blocks = static_cast<int64_t>(indices.size());
    bool right = fine(cusparseCreateBsr(&matrix, lines, across, blocks, height, breadth, to, ti, tv, i32, i32, from_0,
                                        type_of<T>, order),
                      "BSR") &&
                 multiplies(handle, "BSR", matrix, a, tolerance);
    // A product where there are blocks.
    const int inner = 5;
    const auto left = full<T>(m, inner), other = full<T>(inner, n);
    Device<T> dl(left.values), dr(other.values);
    cusparseDnMatDescr_t ml, mr;
    cusparseCreateDnMat(&ml, m, inner, inner, dl, type_of<T>, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&mr, inner, n, n, dr, type_of<T>, CUSPARSE_ORDER_ROW);
    const T one{1}, zero{0};
    right &= fine(
        cusparseSDDMM(handle, none, none, &one, ml, mr, &zero, matrix, type_of<T>, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr),
        "SDDMM");
    const auto all = product(left, other);
    const auto got = tv.host();
    auto wanted = got;
    for (int line = 0, b = 0; line < lines; ++line)
        for (; b < offsets[line + 1]; ++b)
            for (int k = 0; k < height * breadth; ++k) {
                const int i = order == CUSPARSE_ORDER_ROW ? k / breadth : k % height;
                const int j = order == CUSPARSE_ORDER_ROW ? k % breadth : k / height;
                wanted[b * height * breadth + k] = all(line * height + i, indices[b] * breadth + j);
            }
    right &= close("SDDMM", got, wanted, tolerance);
    cusparseDestroyDnMat(ml), cusparseDestroyDnMat(mr), cusparseDestroySpMat(matrix);
    return right;
}

// Dense, to blocks that are given, and times a dense matrix.
static bool blocked_ell(cusparseHandle_t handle) {
    const int m = 4, n = 6, side = 2, width = 4, columns = 3;
    auto a = full<float>(m, n);
    for (const auto& [i, j] : {std::pair{0, 0}, {0, 2}, {2, 1}})  // blocks that are not there
        for (int k = 0; k < 4; ++k) a(i + k / 2, j * side + k % 2) = 0;
    Device<float> dense(a.values), values(std::vector<float>(m * width, 7));
    Device<int> blocks(std::vector<int>{1, -1, 0, 2});
    cusparseDnMatDescr_t ma, mb, mc;
    cusparseSpMatDescr_t matrix = nullptr;
    a(0, 4) = a(0, 5) = a(1, 4) = a(1, 5) = 0;
    dense = a.values;
    cusparseCreateDnMat(&ma, m, n, n, dense, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    bool right = holds(cusparseCreateBlockedEll(&matrix, m, n, side, 3, blocks, values, i32, from_0, CUDA_R_32F) ==
                           CUSPARSE_STATUS_INVALID_VALUE,
                       "half a block");
    right &= fine(cusparseCreateBlockedEll(&matrix, m, n, side, width, blocks, values, i32, from_0, CUDA_R_32F),
                  "blocked ELL") &&
             fine(cusparseDenseToSparse_analysis(handle, ma, matrix, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr),
                  "analysis") &&
             fine(cusparseDenseToSparse_convert(handle, ma, matrix, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr),
                  "to blocks");
    right &= agree("to blocks", values.host(),
                   {a(0, 2), a(0, 3), 0, 0, a(1, 2), a(1, 3), 0, 0, a(2, 0), a(2, 1), a(2, 4), a(2, 5), a(3, 0),
                    a(3, 1), a(3, 4), a(3, 5)});
    const auto b = full<float>(n, columns);
    Device<float> db(b.values), dc(m * columns);
    cusparseCreateDnMat(&mb, n, columns, columns, db, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&mc, m, columns, columns, dc, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    const float one = 1, zero = 0;
    right &= fine(cusparseSpMM(handle, none, none, &one, matrix, mb, &zero, mc, CUDA_R_32F,
                               CUSPARSE_SPMM_BLOCKED_ELL_ALG1, nullptr),
                  "SpMM") &&
             close("SpMM", dc.host(), product(a, b).values, 1e-6);
    cusparseDestroyDnMat(ma), cusparseDestroyDnMat(mb), cusparseDestroyDnMat(mc), cusparseDestroySpMat(matrix);
    return right;
}

static bool structure_again(cusparseHandle_t handle) {
    const int m = 14, k = 10, n = 12;
    const auto a = sparse<double>(m, k), b = sparse<double>(k, n);
    const Compressed<double, int> ra(a, 0), rb(b, 0), rc(product(a, b), 0);
    Device<int> ao(ra.offsets), ai(ra.indices), bo(rb.offsets), bi(rb.indices), co(m + 1);
    Device<double> av(ra.values), bv(rb.values);
    cusparseSpMatDescr_t ma, mb, mc;
    cusparseCreateCsr(&ma, m, k, ra.values.size(), ao, ai, av, i32, i32, from_0, CUDA_R_64F);
    cusparseCreateCsr(&mb, k, n, rb.values.size(), bo, bi, bv, i32, i32, from_0, CUDA_R_64F);
    cusparseCreateCsr(&mc, m, n, 0, co, nullptr, nullptr, i32, i32, from_0, CUDA_R_64F);
    cusparseSpGEMMDescr_t descriptor;
    const auto algorithm = CUSPARSE_SPGEMM_DEFAULT;
    size_t b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0;
    bool right =
        fine(cusparseSpGEMM_createDescr(&descriptor), "descriptor") &&
        fine(cusparseSpGEMMreuse_workEstimation(handle, none, none, ma, mb, mc, algorithm, descriptor, &b1, nullptr),
             "estimation") &&
        fine(cusparseSpGEMMreuse_nnz(handle, none, none, ma, mb, mc, algorithm, descriptor, &b2, nullptr, &b3, nullptr,
                                     &b4, nullptr),
             "sizes");
    Device<char> buffer(std::max(std::max(b1, b2), std::max(b3, b4)));
    right &= fine(cusparseSpGEMMreuse_nnz(handle, none, none, ma, mb, mc, algorithm, descriptor, &b2, buffer, &b3,
                                          buffer, &b4, buffer),
                  "entries");
    int64_t rows = 0, columns = 0, count = 0;
    cusparseSpMatGetSize(mc, &rows, &columns, &count);
    right &= holds(count >= static_cast<int64_t>(rc.values.size()), "as many entries as are not 0");
    Device<int> ci(count);
    Device<double> cv(std::vector<double>(count, 0));
    cusparseCsrSetPointers(mc, co, ci, cv);
    right &= fine(cusparseSpGEMMreuse_copy(handle, none, none, ma, mb, mc, algorithm, descriptor, &b5, nullptr), "") &&
             fine(cusparseSpGEMMreuse_copy(handle, none, none, ma, mb, mc, algorithm, descriptor, &b5, buffer), "copy");
    const double zero = 0;
    for (const double factor : {1.0, -2.5}) {  // the second time with other values
        auto values = ra.values;
        for (double& value : values) value *= factor;
        av = values;
        const double two = 2;
        right &= fine(
            cusparseSpGEMMreuse_compute(handle, none, none, &two, ma, mb, &zero, mc, CUDA_R_64F, algorithm, descriptor),
            "compute");
        const auto offsets = co.host(), indices = ci.host();
        const auto got = cv.host();
        auto dense = zeros<double>(m, n);
        for (int i = 0; i < m; ++i)
            for (int e = offsets[i]; e < offsets[i + 1]; ++e) dense(i, indices[e]) = got[e];
        right &=
            close("SpGEMMreuse", dense.values, sum(2 * factor, product(a, b).values, 0.0, product(a, b).values), 1e-12);
    }
    // How many products of two entries there are.
    int64_t products = 0, wanted = 0;
    for (const int column : ra.indices) wanted += rb.offsets[column + 1] - rb.offsets[column];
    right &= fine(cusparseSpGEMM_workEstimation(handle, none, none, &zero, ma, mb, &zero, mc, CUDA_R_64F, algorithm,
                                                descriptor, &b1, buffer),
                  "estimation") &&
             fine(cusparseSpGEMM_getNumProducts(descriptor, &products), "products") &&
             agree("products", products, wanted);
    cusparseSpGEMM_destroyDescr(descriptor);
    cusparseDestroySpMat(ma), cusparseDestroySpMat(mb), cusparseDestroySpMat(mc);
    return right;
}

template <class T, class Solve>
static bool five_diagonals(Solve&& solve, double tolerance) {
    const int m = 23, systems = 2;
    std::vector<std::vector<T>> diagonals(5, std::vector<T>(m * systems));
    std::vector<T> x(m * systems), b(m * systems);
    for (auto& diagonal : diagonals)
        for (T& value : diagonal) value = static_cast<T>(random_value());
    for (int i = 0; i < m * systems; ++i) x[i] = static_cast<T>(random_value());
    for (int i = 0; i < m; i += 5)
        for (int s = 0; s < systems; ++s) diagonals[2][i * systems + s] = 0;  // cannot do without exchanges
    for (int s = 0; s < systems; ++s)
        for (int i = 0; i < m; ++i)
            for (int d = 0; d < 5; ++d)
                if (i + d - 2 >= 0 && i + d - 2 < m)
                    b[i * systems + s] += diagonals[d][i * systems + s] * x[(i + d - 2) * systems + s];
    Device<T> ds(diagonals[0]), dl(diagonals[1]), d(diagonals[2]), du(diagonals[3]), dw(diagonals[4]), db(b);
    return fine(solve(m, ds, dl, d, du, dw, db, systems), "gpsv") && close("gpsv", db.host(), x, tolerance);
}

int main() {
    launch_own_kernel();
    cusparseHandle_t handle = nullptr;
    bool right = fine(cusparseCreate(&handle), "create");
    right &= sliced<float>(handle, 1e-5) & sliced<double>(handle, 1e-13);
    right &=
        block_rows<double>(handle, CUSPARSE_ORDER_ROW, 1e-13) & block_rows<float>(handle, CUSPARSE_ORDER_COL, 1e-5);
    right &= blocked_ell(handle) & structure_again(handle);
    right &= five_diagonals<double>(
        [&](int m, double* ds, double* dl, double* d, double* du, double* dw, double* x, int count) {
            size_t bytes = 0;
            cusparseDgpsvInterleavedBatch_bufferSizeExt(handle, 0, m, ds, dl, d, du, dw, x, count, &bytes);
            Device<char> buffer(bytes);
            return cusparseDgpsvInterleavedBatch(handle, 0, m, ds, dl, d, du, dw, x, count, buffer);
        },
        1e-8);
    right &= fine(cusparseDestroy(handle), "destroy");
    return verdict(right);
}
