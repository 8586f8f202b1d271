// cuSPARSE's functions against plain loops over a dense matrix, beside a kernel of the program's own.
#define DISABLE_CUSPARSE_DEPRECATED
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cusparse.h>

#include "rows_of_matrices.hpp"

template <class T, class I>
static bool products_with_vectors(cusparseHandle_t handle, int base, double tolerance) {
    const int m = 37, n = 23;
    const auto a = sparse<T>(m, n);
    const Compressed<T, I> rows(a, base), columns(a, base, true);
    std::vector<I> row_of_entry;
    for (int i = 0; i < m; ++i)
        row_of_entry.insert(row_of_entry.end(), rows.offsets[i + 1] - rows.offsets[i], i + base);
    const int64_t count = static_cast<int64_t>(rows.values.size());
    Device<I> ro(rows.offsets), ri(rows.indices), co(columns.offsets), ci(columns.indices), coordinate(row_of_entry);
    Device<T> rv(rows.values), cv(columns.values);
    cusparseSpMatDescr_t matrices[3];
    bool right = fine(
        cusparseCreateCsr(&matrices[0], m, n, count, ro, ri, rv, index_of<I>, index_of<I>, base_of(base), type_of<T>),
        "csr");
    right &= fine(
        cusparseCreateCsc(&matrices[1], m, n, count, co, ci, cv, index_of<I>, index_of<I>, base_of(base), type_of<T>),
        "csc");
    right &=
        fine(cusparseCreateCoo(&matrices[2], m, n, count, coordinate, ri, rv, index_of<I>, base_of(base), type_of<T>),
             "coo");
    const T alpha = random_number<T>() + T{3}, beta = random_number<T>() + T{3};
    for (const auto op :
         {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE})
        for (const auto matrix : matrices)
            for (const bool on_device : {false, true}) {
                const auto oa = operated(a, op);
                const auto x = full<T>(oa.columns, 1), y = full<T>(oa.rows, 1);
                Device<T> dx(x.values), dy(y.values), factor(std::vector<T>{alpha, beta});
                cusparseDnVecDescr_t vx, vy;
                right &= fine(cusparseCreateDnVec(&vx, x.rows, dx, type_of<T>), "x") &&
                         fine(cusparseCreateDnVec(&vy, y.rows, dy, type_of<T>), "y");
                const void* const pa = on_device ? static_cast<const void*>(factor) : &alpha;
                const void* const pb = on_device ? static_cast<const void*>(factor + 1) : &beta;
                cusparseSetPointerMode(handle, on_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST);
                size_t bytes = 0;
                right &= fine(cusparseSpMV_bufferSize(handle, op, pa, matrix, vx, pb, vy, type_of<T>,
                                                      CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
                              "SpMV's buffer");
                Device<char> buffer(bytes);
                right &= fine(cusparseSpMV(handle, op, pa, matrix, vx, pb, vy, type_of<T>, CUSPARSE_SPMV_ALG_DEFAULT,
                                           buffer),
                              "SpMV") &&
                         close("SpMV", dy.host(), sum(alpha, product(oa, x).values, beta, y.values), tolerance);
                cusparseDestroyDnVec(vx), cusparseDestroyDnVec(vy);
            }
    cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST);
    for (const auto matrix : matrices) right &= fine(cusparseDestroySpMat(matrix), "destroy");
    return right;
}

// Half precision and bfloat16, calculated in float.
template <class H>
static bool narrow_products(cusparseHandle_t handle, cudaDataType type, H (*narrowed)(float), float (*widened)(H),
                            double tolerance) {
    const int m = 19, n = 31;
    const auto a = sparse<float>(m, n), x = full<float>(n, 1);
    const Compressed<float, int> rows(a, 0);
    const auto all = [&](const std::vector<float>& from) {
        std::vector<H> to;
        for (const float v : from) to.push_back(narrowed(v));
        return to;
    };
    Device<int> offsets(rows.offsets), indices(rows.indices);
    Device<H> values(all(rows.values)), dx(all(x.values)), dy(m);
    check(cudaMemset(dy, 0xFF, m * sizeof(H)));  // not a number: not read
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t vx, vy;
    bool right = fine(cusparseCreateCsr(&matrix, m, n, rows.values.size(), offsets, indices, values, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
                      "csr of half") &&
                 fine(cusparseCreateDnVec(&vx, n, dx, type), "x") && fine(cusparseCreateDnVec(&vy, m, dy, type), "y");
    const float one = 1, zero = 0;
    right &= fine(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vx, &zero, vy, CUDA_R_32F,
                               CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
                  "SpMV of half");
    std::vector<float> got;
    for (const H v : dy.host()) got.push_back(widened(v));
    right &= close("SpMV of half", got, product(a, x).values, tolerance);
    cusparseDestroySpMat(matrix), cusparseDestroyDnVec(vx), cusparseDestroyDnVec(vy);
    return right;
}

/// Row behind row, or column behind column with one more row than needed.
template <class T>
static std::vector<T> laid_out(const Dense<T>& m, cusparseOrder_t order) {
    if (order == CUSPARSE_ORDER_ROW) return m.values;
    std::vector<T> values((m.rows + 1) * m.columns, T{-7});
    for (int j = 0; j < m.columns; ++j)
        for (int i = 0; i < m.rows; ++i) values[i + j * (m.rows + 1)] = m(i, j);
    return values;
}

template <class T>
static int leading(const Dense<T>& m, cusparseOrder_t order) {
    return order == CUSPARSE_ORDER_ROW ? m.columns : m.rows + 1;
}

template <class T>
static cusparseDnMatDescr_t described(const Dense<T>& m, T* values, cusparseOrder_t order) {
    cusparseDnMatDescr_t made = nullptr;
    fine(cusparseCreateDnMat(&made, m.rows, m.columns, leading(m, order), values, type_of<T>, order), "dense matrix");
    return made;
}

template <class T>
static bool products_with_matrices(cusparseHandle_t handle, double tolerance) {
    const int m = 17, k = 29, n = 11;
    bool right = true;
    const T alpha{2}, beta{-1};
    const cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE, turned = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    for (const auto op_a : {none, turned})
        for (const auto op_b : {none, turned})
            for (const auto order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
                const auto a = op_a == none ? sparse<T>(m, k) : sparse<T>(k, m);
                const auto b = op_b == none ? full<T>(k, n) : full<T>(n, k), c = full<T>(m, n);
                const Compressed<T, int> rows(a, 1);
                Device<int> offsets(rows.offsets), indices(rows.indices);
                Device<T> values(rows.values), db(laid_out(b, order)), dc(laid_out(c, order));
                cusparseSpMatDescr_t matrix;
                right &=
                    fine(cusparseCreateCsr(&matrix, a.rows, a.columns, rows.values.size(), offsets, indices, values,
                                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, type_of<T>),
                         "csr");
                const auto B = described<T>(b, db, order), C = described<T>(c, dc, order);
                size_t bytes = 0;
                right &= fine(cusparseSpMM_bufferSize(handle, op_a, op_b, &alpha, matrix, B, &beta, C, type_of<T>,
                                                      CUSPARSE_SPMM_ALG_DEFAULT, &bytes),
                              "SpMM's buffer") &&
                         holds(bytes > 0, "SpMM's buffer");
                right &= fine(cusparseSpMM(handle, op_a, op_b, &alpha, matrix, B, &beta, C, type_of<T>,
                                           CUSPARSE_SPMM_ALG_DEFAULT, nullptr),
                              "SpMM");
                Dense<T> wanted{m, n, sum(alpha, product(operated(a, op_a), operated(b, op_b)).values, beta, c.values)};
                right &= close("SpMM", dc.host(), laid_out(wanted, order), tolerance);

                // The product of two dense ones where the sparse one has entries.
                const auto left = op_a == none ? full<T>(m, n) : full<T>(n, m);
                const auto above = op_b == none ? full<T>(n, k) : full<T>(k, n);
                const auto pattern = sparse<T>(m, k);
                const Compressed<T, int> sampled(pattern, 0);
                Device<int> so(sampled.offsets), si(sampled.indices);
                Device<T> sv(sampled.values), dl(laid_out(left, order)), da(laid_out(above, order));
                cusparseSpMatDescr_t result;
                right &= fine(cusparseCreateCsr(&result, m, k, sampled.values.size(), so, si, sv, CUSPARSE_INDEX_32I,
                                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of<T>),
                              "csr");
                const auto L = described<T>(left, dl, order), A = described<T>(above, da, order);
                right &= fine(cusparseSDDMM(handle, op_a, op_b, &alpha, L, A, &beta, result, type_of<T>,
                                            CUSPARSE_SDDMM_ALG_DEFAULT, nullptr),
                              "SDDMM");
                const auto whole = product(operated(left, op_a), operated(above, op_b));
                std::vector<T> entries;
                for (int i = 0; i < m; ++i)
                    for (int j = 0; j < k; ++j)
                        if (pattern(i, j) != T{}) entries.push_back(alpha * whole(i, j) + beta * pattern(i, j));
                right &= close("SDDMM", sv.host(), entries, tolerance);
                for (const auto d : {B, C, L, A}) cusparseDestroyDnMat(d);
                cusparseDestroySpMat(matrix), cusparseDestroySpMat(result);
            }
    return right;
}

static bool vectors(cusparseHandle_t handle) {
    const std::vector<int> places{1, 4, 5, 9};
    const std::vector<float> x{2, -3, 5, 7};
    std::vector<float> y(10);
    for (int i = 0; i < 10; ++i) y[i] = static_cast<float>(i) + 0.5F;
    Device<int> indices(places);
    Device<float> dx(x), dy(y);
    cusparseSpVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    bool right =
        fine(cusparseCreateSpVec(&vx, 10, 4, indices, dx, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F),
             "sparse vector") &&
        fine(cusparseCreateDnVec(&vy, 10, dy, CUDA_R_32F), "vector");
    float dot = 0, wanted = 0;
    for (int i = 0; i < 4; ++i) wanted += x[i] * y[places[i] - 1];
    right &= fine(cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, vx, vy, &dot, CUDA_R_32F, nullptr), "SpVV") &&
             agree("SpVV", dot, wanted, 1e-6);
    const float two = 2, half = 0.5F;
    right &= fine(cusparseAxpby(handle, &two, vx, &half, vy), "Axpby");
    for (float& value : y) value *= half;
    for (int i = 0; i < 4; ++i) y[places[i] - 1] += two * x[i];
    right &= agree("Axpby", dy.host(), y, 1e-6);
    right &= fine(cusparseGather(handle, vy, vx), "Gather");
    right &= agree("Gather", dx.host(), {y[0], y[3], y[4], y[8]});
    check(cudaMemset(dy, 0, 10 * sizeof(float)));
    right &= fine(cusparseScatter(handle, vx, vy), "Scatter");
    right &= agree("Scatter", dy.host(), {y[0], 0, 0, y[3], y[4], 0, 0, 0, y[8], 0});

    // A rotation of what x has entries for.
    dx = x;
    const float c = 0.6F, s = 0.8F;
    const auto before = dy.host();
    auto wanted_x = x, wanted_y = before;
    for (int i = 0; i < 4; ++i) {
        wanted_x[i] = c * x[i] + s * before[places[i] - 1];
        wanted_y[places[i] - 1] = c * before[places[i] - 1] - s * x[i];
    }
    right &= fine(cusparseRot(handle, &c, &s, vx, vy), "Rot") && agree("Rot's x", dx.host(), wanted_x, 1e-6) &&
             agree("Rot's y", dy.host(), wanted_y, 1e-6);
    right &= holds(cusparseRot(handle, nullptr, &s, vx, vy) == CUSPARSE_STATUS_INVALID_VALUE, "Rot without a scalar");

    // A result on the host, in a graph: it is there when the graph has run, and each time anew.
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    check(cudaStreamCreate(&stream));
    cusparseSetStream(handle, stream);
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    right &=
        fine(cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, vx, vy, &dot, CUDA_R_32F, nullptr), "captured");
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiateWithFlags(&made, graph, 0));
    dx = std::vector<float>(4, 1), dy = std::vector<float>(10, 3);
    check(cudaGraphLaunch(made, stream));
    check(cudaStreamSynchronize(stream));
    right &= agree("SpVV in a graph", dot, 12.0F);
    cusparseSetStream(handle, nullptr);
    cusparseDestroySpVec(vx), cusparseDestroyDnVec(vy);
    return right;
}

static bool conversions(cusparseHandle_t handle) {
    const int m = 13, n = 21;
    const auto a = sparse<float>(m, n);
    bool right = true;
    for (const auto order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
        const Compressed<float, int64_t> rows(a, 1);
        Device<float> da(laid_out(a, order)), back(laid_out(zeros<float>(m, n), order));
        Device<int64_t> offsets(m + 1);
        const auto A = described<float>(a, da, order), B = described<float>(a, back, order);
        cusparseSpMatDescr_t matrix;
        right &= fine(cusparseCreateCsr(&matrix, m, n, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_64I,
                                        CUSPARSE_INDEX_64I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F),
                      "csr");
        right &= fine(cusparseDenseToSparse_analysis(handle, A, matrix, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr),
                      "DenseToSparse's analysis");
        int64_t got_m = 0, got_n = 0, count = 0;
        right &= fine(cusparseSpMatGetSize(matrix, &got_m, &got_n, &count), "size") &&
                 agree("entries", count, static_cast<int64_t>(rows.values.size()));
        Device<int64_t> indices(count);
        Device<float> values(count);
        right &= fine(cusparseCsrSetPointers(matrix, offsets, indices, values), "pointers") &&
                 fine(cusparseDenseToSparse_convert(handle, A, matrix, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr),
                      "DenseToSparse") &&
                 agree("offsets", offsets.host(), rows.offsets) && agree("indices", indices.host(), rows.indices) &&
                 agree("values", values.host(), rows.values);
        right &= fine(cusparseSparseToDense(handle, matrix, B, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr),
                      "SparseToDense") &&
                 agree("SparseToDense", back.host(), laid_out(a, order));
        cusparseDestroyDnMat(A), cusparseDestroyDnMat(B), cusparseDestroySpMat(matrix);
    }
    const Compressed<float, int> rows(a, 1), columns(a, 1, true);
    const int count = static_cast<int>(rows.values.size());
    Device<int> offsets(rows.offsets), indices(rows.indices), coordinates(count), again(m + 1), co(n + 1), ci(count);
    Device<float> values(rows.values), cv(count);
    right &= fine(cusparseXcsr2coo(handle, offsets, count, m, coordinates, CUSPARSE_INDEX_BASE_ONE), "csr2coo") &&
             fine(cusparseXcoo2csr(handle, coordinates, count, m, again, CUSPARSE_INDEX_BASE_ONE), "coo2csr") &&
             agree("coo2csr", again.host(), rows.offsets);
    right &= fine(cusparseCsr2cscEx2(handle, m, n, count, values, offsets, indices, cv, co, ci, CUDA_R_32F,
                                     CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ONE, CUSPARSE_CSR2CSC_ALG1, nullptr),
                  "csr2csc") &&
             agree("csc's offsets", co.host(), columns.offsets) && agree("csc's indices", ci.host(), columns.indices) &&
             agree("csc's values", cv.host(), columns.values);
    // Sorted by columns, coordinates are those of the compressed columns.
    Device<int> order(count);
    right &= fine(cusparseCreateIdentityPermutation(handle, count, order), "identity") &&
             fine(cusparseXcoosortByColumn(handle, m, n, count, coordinates, indices, order, nullptr), "coosort") &&
             agree("coosort", coordinates.host(), columns.indices);
    std::vector<float> permuted;
    for (const int i : order.host()) permuted.push_back(rows.values[i]);
    return right & agree("permutation", permuted, columns.values);
}

/// With a diagonal that is larger than all the rest.
template <class T>
static Dense<T> dominant(int n) {
    auto a = sparse<T>(n, n);
    for (int i = 0; i < n; ++i) a(i, i) = T{30} + static_cast<T>(i % 3);
    return a;
}

template <class T>
static bool triangles(cusparseHandle_t handle, double tolerance) {
    const int n = 33, sides = 4;
    const auto a = dominant<T>(n);
    const Compressed<T, int> rows(a, 0);
    Device<int> offsets(rows.offsets), indices(rows.indices);
    Device<T> values(rows.values);
    cusparseSpMatDescr_t matrix;
    bool right = fine(cusparseCreateCsr(&matrix, n, n, rows.values.size(), offsets, indices, values, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of<T>),
                      "csr");
    const T alpha{2};
    for (const auto fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER})
        for (const auto diagonal : {CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT})
            for (const auto op : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                  CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE}) {
                right &= fine(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE,
                                                        const_cast<cusparseFillMode_t*>(&fill), sizeof fill),
                              "fill mode") &&
                         fine(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_DIAG_TYPE,
                                                        const_cast<cusparseDiagType_t*>(&diagonal), sizeof diagonal),
                              "diagonal");
                auto triangle = zeros<T>(n, n);
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j) {
                        if (fill == CUSPARSE_FILL_MODE_LOWER ? j <= i : j >= i) triangle(i, j) = a(i, j);
                        if (i == j && diagonal == CUSPARSE_DIAG_TYPE_UNIT) triangle(i, j) = T{1};
                    }
                // Where 1s are the diagonal, solutions grow: the residual is what tells.
                const auto b = full<T>(n, sides);
                const auto first_column = [&](const Dense<T>& m) {
                    auto column = zeros<T>(n, 1);
                    for (int i = 0; i < n; ++i) column(i, 0) = m(i, 0);
                    return column;
                };
                const auto residual = [&](const Dense<T>& x, const Dense<T>& wanted) {
                    const auto got = product(operated(triangle, op), x);
                    double largest = 1, worst = 0;
                    for (const T v : x.values) largest = std::max(largest, static_cast<double>(std::abs(v)));
                    for (size_t i = 0; i < got.values.size(); ++i)
                        worst =
                            std::max(worst, static_cast<double>(std::abs(got.values[i] - alpha * wanted.values[i])));
                    return worst / largest;
                };
                const auto one = first_column(b);
                Device<T> dx(one.values), dy(n);
                cusparseDnVecDescr_t x, y;
                cusparseCreateDnVec(&x, n, dx, type_of<T>), cusparseCreateDnVec(&y, n, dy, type_of<T>);
                cusparseSpSVDescr_t sv;
                size_t bytes = 0;
                right &= fine(cusparseSpSV_createDescr(&sv), "SpSV") &&
                         fine(cusparseSpSV_bufferSize(handle, op, &alpha, matrix, x, y, type_of<T>,
                                                      CUSPARSE_SPSV_ALG_DEFAULT, sv, &bytes),
                              "SpSV's buffer");
                Device<char> buffer(bytes);
                right &= fine(cusparseSpSV_analysis(handle, op, &alpha, matrix, x, y, type_of<T>,
                                                    CUSPARSE_SPSV_ALG_DEFAULT, sv, buffer),
                              "SpSV's analysis") &&
                         fine(cusparseSpSV_solve(handle, op, &alpha, matrix, x, y, type_of<T>,
                                                 CUSPARSE_SPSV_ALG_DEFAULT, sv),
                              "SpSV") &&
                         holds(residual({n, 1, dy.host()}, one) < tolerance, "SpSV's residual");
                cusparseSpSV_destroyDescr(sv);

                Device<T> db(b.values), dc(n * sides);
                const auto B = described<T>(b, db, CUSPARSE_ORDER_ROW), C = described<T>(b, dc, CUSPARSE_ORDER_ROW);
                cusparseSpSMDescr_t sm;
                const auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
                right &= fine(cusparseSpSM_createDescr(&sm), "SpSM") &&
                         fine(cusparseSpSM_analysis(handle, op, none, &alpha, matrix, B, C, type_of<T>,
                                                    CUSPARSE_SPSM_ALG_DEFAULT, sm, buffer),
                              "SpSM's analysis") &&
                         fine(cusparseSpSM_solve(handle, op, none, &alpha, matrix, B, C, type_of<T>,
                                                 CUSPARSE_SPSM_ALG_DEFAULT, sm),
                              "SpSM") &&
                         holds(residual({n, sides, dc.host()}, b) < tolerance, "SpSM's residual");
                cusparseSpSM_destroyDescr(sm);
                cusparseDestroyDnVec(x), cusparseDestroyDnVec(y), cusparseDestroyDnMat(B), cusparseDestroyDnMat(C);
            }
    cusparseDestroySpMat(matrix);
    return right;
}

static bool sparse_products(cusparseHandle_t handle) {
    const int m = 25, k = 31, n = 19;
    const auto a = sparse<double>(m, k), b = sparse<double>(k, n);
    const Compressed<double, int> ra(a, 0), rb(b, 1);
    Device<int> ao(ra.offsets), ai(ra.indices), bo(rb.offsets), bi(rb.indices), co(m + 1);
    Device<double> av(ra.values), bv(rb.values);
    cusparseSpMatDescr_t A, B, C;
    const auto i32 = CUSPARSE_INDEX_32I;
    const auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
    bool right =
        fine(cusparseCreateCsr(&A, m, k, ra.values.size(), ao, ai, av, i32, i32, zero_based, CUDA_R_64F), "A") &&
        fine(cusparseCreateCsr(&B, k, n, rb.values.size(), bo, bi, bv, i32, i32, CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F),
             "B") &&
        fine(cusparseCreateCsr(&C, m, n, 0, nullptr, nullptr, nullptr, i32, i32, zero_based, CUDA_R_64F), "C");
    const double alpha = 1.5, beta = 0;
    const auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto algorithm = CUSPARSE_SPGEMM_DEFAULT;
    cusparseSpGEMMDescr_t description;
    size_t first = 0, second = 0;
    right &= fine(cusparseSpGEMM_createDescr(&description), "SpGEMM") &&
             fine(cusparseSpGEMM_workEstimation(handle, none, none, &alpha, A, B, &beta, C, CUDA_R_64F, algorithm,
                                                description, &first, nullptr),
                  "SpGEMM's first size");
    Device<char> buffer(first);
    right &= fine(cusparseSpGEMM_workEstimation(handle, none, none, &alpha, A, B, &beta, C, CUDA_R_64F, algorithm,
                                                description, &first, buffer),
                  "SpGEMM's estimation") &&
             fine(cusparseSpGEMM_compute(handle, none, none, &alpha, A, B, &beta, C, CUDA_R_64F, algorithm, description,
                                         &second, nullptr),
                  "SpGEMM's second size");
    Device<char> larger(second);
    right &= fine(cusparseSpGEMM_compute(handle, none, none, &alpha, A, B, &beta, C, CUDA_R_64F, algorithm, description,
                                         &second, larger),
                  "SpGEMM");
    int64_t rows = 0, columns = 0, count = 0;
    right &= fine(cusparseSpMatGetSize(C, &rows, &columns, &count), "size") && agree("rows", rows, int64_t{m});
    Device<int> ci(count);
    Device<double> cv(count);
    right &= fine(cusparseCsrSetPointers(C, co, ci, cv), "pointers") &&
             fine(cusparseSpGEMM_copy(handle, none, none, &alpha, A, B, &beta, C, CUDA_R_64F, algorithm, description),
                  "SpGEMM's copy");
    auto got = zeros<double>(m, n);
    const auto offsets = co.host(), indices = ci.host();
    const auto values = cv.host();
    for (int i = 0; i < m; ++i)
        for (int e = offsets[i]; e < offsets[i + 1]; ++e) got(i, indices[e]) = values[e];
    const auto wanted = product(a, b);
    right &= close("SpGEMM", got.values, sum(alpha, wanted.values, 0.0, wanted.values), 1e-13);
    cusparseSpGEMM_destroyDescr(description);
    for (const auto matrix : {A, B, C}) cusparseDestroySpMat(matrix);
    return right;
}

// A matrix that is to be factored in place, and what its factoring takes.
struct Factored {
    Factored(const Dense<double>& full, cusparseMatDescr_t described)
        : n(full.rows),
          description(described),
          rows(full, 1),
          offsets(rows.offsets),
          indices(rows.indices),
          values(rows.values) {}

    /// The buffer, the analysis, the factors and their pivot, by the functions of one kind of factors.
    template <class Info, class Size, class Analyse, class Factor, class Pivot>
    bool factor(cusparseHandle_t handle, const std::string& kind, Info info, Size size, Analyse analyse, Factor factor,
                Pivot pivot) {
        const auto policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL;
        int bytes = 0, position = 7;
        const bool sized =
            fine(size(handle, n, n * n, description, values, offsets, indices, info, &bytes), kind + "'s buffer");
        Device<char> buffer(bytes);
        return sized &&
               fine(analyse(handle, n, n * n, description, values, offsets, indices, info, policy, buffer),
                    kind + "'s analysis") &&
               fine(factor(handle, n, n * n, description, values, offsets, indices, info, policy, buffer), kind) &&
               fine(pivot(handle, info, &position), kind + "'s pivot") && agree("pivot", position, -1);
    }

    int n;
    cusparseMatDescr_t description;
    Compressed<double, int> rows;
    Device<int> offsets, indices;
    Device<double> values;
};

// Where no entry is left out, incomplete factors are complete: their product is the matrix.
static bool incomplete_factors(cusparseHandle_t handle) {
    const int n = 20;
    auto general = full<double>(n, n);
    for (int i = 0; i < n; ++i) {
        general(i, i) += 50;
        for (int j = 0; j < n; ++j)
            if (general(i, j) == 0) general(i, j) = 0.5;
    }
    const auto symmetric = product(general, operated(general, CUSPARSE_OPERATION_TRANSPOSE));
    cusparseMatDescr_t description;
    cusparseCreateMatDescr(&description);
    cusparseSetMatIndexBase(description, CUSPARSE_INDEX_BASE_ONE);
    bool right = agree("base", static_cast<int>(cusparseGetMatIndexBase(description)), 1) &
                 agree("base of no description", static_cast<int>(cusparseGetMatIndexBase(nullptr)), 0);
    {
        csrilu02Info_t info;
        Factored matrix(general, description);
        right &= fine(cusparseCreateCsrilu02Info(&info), "ilu's info") &&
                 matrix.factor(handle, "ilu", info, cusparseDcsrilu02_bufferSize, cusparseDcsrilu02_analysis,
                               cusparseDcsrilu02, cusparseXcsrilu02_zeroPivot);
        const Dense<double> both{n, n, matrix.values.host()};
        auto lower = zeros<double>(n, n), upper = zeros<double>(n, n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) (j < i ? lower : upper)(i, j) = both(i, j), lower(i, i) = 1;
        right &= close("ilu", product(lower, upper).values, general.values, 1e-12);
        cusparseDestroyCsrilu02Info(info);
    }
    {
        csric02Info_t info;
        Factored matrix(symmetric, description);
        right &= fine(cusparseCreateCsric02Info(&info), "ic's info") &&
                 matrix.factor(handle, "ic", info, cusparseDcsric02_bufferSize, cusparseDcsric02_analysis,
                               cusparseDcsric02, cusparseXcsric02_zeroPivot);
        Dense<double> lower{n, n, matrix.values.host()};
        for (int i = 0; i < n; ++i)
            for (int j = i + 1; j < n; ++j) lower(i, j) = 0;
        right &=
            close("ic", product(lower, operated(lower, CUSPARSE_OPERATION_TRANSPOSE)).values, symmetric.values, 1e-12);
        // A negative diagonal has no root.
        auto negative = matrix.rows.values;
        negative[0] = -1;
        matrix.values = negative;
        int position = 7;
        cusparseDcsric02(handle, n, n * n, description, matrix.values, matrix.offsets, matrix.indices, info,
                         CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr);
        right &= holds(cusparseXcsric02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_ZERO_PIVOT, "no root") &&
                 agree("where", position, 1);
        cusparseDestroyCsric02Info(info);
    }
    cusparseDestroyMatDescr(description);
    return right;
}

static bool tridiagonal(cusparseHandle_t handle) {
    const int m = 40, systems = 3;
    std::vector<double> lower, main, upper, x, b(m * systems);
    for (int i = 0; i < m * systems; ++i) {
        lower.push_back(i % m == 0 ? 0 : random_value());
        main.push_back(i % 7 == 0 ? 0 : random_value());  // cannot do without pivots
        upper.push_back(i % m == m - 1 ? 0 : random_value());
        x.push_back(random_value());
    }
    for (int i = 0; i < m * systems; ++i)
        b[i] = (i % m == 0 ? 0 : lower[i] * x[i - 1]) + main[i] * x[i] + (i % m == m - 1 ? 0 : upper[i] * x[i + 1]);
    Device<double> dl(lower), d(main), du(upper), db(b);
    size_t bytes = 0;
    bool right =
        fine(cusparseDgtsv2StridedBatch_bufferSizeExt(handle, m, dl, d, du, db, systems, m, &bytes), "gtsv2's size");
    Device<char> buffer(bytes);
    right &= fine(cusparseDgtsv2StridedBatch(handle, m, dl, d, du, db, systems, m, buffer), "gtsv2StridedBatch") &&
             agree("gtsv2StridedBatch", db.host(), x, 1e-8);
    const std::vector<double> of_first(x.begin(), x.begin() + m);
    const auto first = [&] {
        auto values = db.host();
        values.resize(m);
        return values;
    };
    db = b;
    right &= fine(cusparseDgtsv2(handle, m, 1, dl, d, du, db, m, buffer), "gtsv2") &&
             agree("gtsv2", first(), of_first, 1e-8);
    db = b;
    right &= fine(cusparseDgtsv2_nopivot_bufferSizeExt(handle, m, 1, dl, d, du, db, m, &bytes), "nopivot's size") &&
             fine(cusparseDgtsv2_nopivot(handle, m, 1, dl, d, du, db, m, buffer), "gtsv2_nopivot") &&
             agree("gtsv2_nopivot", first(), of_first, 1e-8);
    // The same systems, number behind number of each.
    const auto interleaved = [&](const std::vector<double>& values) {
        std::vector<double> mixed(values.size());
        for (int i = 0; i < systems; ++i)
            for (int j = 0; j < m; ++j) mixed[j * systems + i] = values[i * m + j];
        return mixed;
    };
    dl = interleaved(lower), d = interleaved(main), du = interleaved(upper), db = interleaved(b);
    right &= fine(cusparseDgtsvInterleavedBatch_bufferSizeExt(handle, 0, m, dl, d, du, db, systems, &bytes), "size");
    return right &
           (fine(cusparseDgtsvInterleavedBatch(handle, 0, m, dl, d, du, db, systems, buffer), "gtsvInterleavedBatch") &&
            agree("gtsvInterleavedBatch", db.host(), interleaved(x), 1e-8));
}

// Each row's columns in order, and where they were before.
static bool sorted_rows(cusparseHandle_t handle) {
    const std::vector<int> offsets{0, 3, 3, 7}, columns{4, 0, 2, 9, 1, 5, 3};
    Device<int> to(offsets), tc(columns), order(7);
    cusparseMatDescr_t description;
    cusparseCreateMatDescr(&description);
    size_t bytes = 0;
    bool right = fine(cusparseXcsrsort_bufferSizeExt(handle, 3, 10, 7, to, tc, &bytes), "csrsort's buffer");
    Device<char> buffer(bytes);
    right &= fine(cusparseCreateIdentityPermutation(handle, 7, order), "in order") &&
             fine(cusparseXcsrsort(handle, 3, 10, 7, description, to, tc, order, buffer), "csrsort") &&
             agree("csrsort", tc.host(), {0, 2, 4, 1, 3, 5, 9}) &&
             agree("csrsort's places", order.host(), {1, 2, 0, 4, 6, 5, 3});
    cusparseDestroyMatDescr(description);
    return right;
}

__global__ void add_one(float* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += 1;
}

// x = 2 x + 1, in a graph.
static bool in_order(cusparseHandle_t handle) {
    const int n = 256;
    auto twice = zeros<float>(n, n);
    for (int i = 0; i < n; ++i) twice(i, i) = 2;
    const Compressed<float, int> rows(twice, 0);
    Device<int> offsets(rows.offsets), indices(rows.indices);
    Device<float> values(rows.values), x(std::vector<float>(n, 1)), y(n);
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t vx, vy;
    cusparseCreateCsr(&matrix, n, n, n, offsets, indices, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&vx, n, x, CUDA_R_32F), cusparseCreateDnVec(&vy, n, y, CUDA_R_32F);
    const float one = 1, zero = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    check(cudaStreamCreate(&stream));
    bool right = fine(cusparseSetStream(handle, stream), "stream");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    right &= fine(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vx, &zero, vy, CUDA_R_32F,
                               CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
                  "captured");
    add_one<<<n / 128, 128, 0, stream>>>(y, n);
    check(cudaMemcpyAsync(x, y, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiateWithFlags(&made, graph, 0));
    for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(made, stream));
    check(cudaStreamSynchronize(stream));
    right &= agree("in a graph", x.host(), std::vector<float>(n, 15));
    cusparseSetStream(handle, nullptr);
    cusparseDestroySpMat(matrix), cusparseDestroyDnVec(vx), cusparseDestroyDnVec(vy);
    return right;
}

int main() {
    cusparseHandle_t handle = nullptr;
    bool right = fine(cusparseCreate(&handle), "create");
    right &= products_with_vectors<float, int>(handle, 0, 1e-5) & products_with_vectors<double, int>(handle, 1, 1e-13) &
             products_with_vectors<Complex, int64_t>(handle, 1, 1e-13) &
             products_with_vectors<float, int64_t>(handle, 0, 1e-5);
    right &= narrow_products<__half>(handle, CUDA_R_16F, __float2half, __half2float, 1e-2) &
             narrow_products<__nv_bfloat16>(handle, CUDA_R_16BF, __float2bfloat16, __bfloat162float, 2e-2);
    right &= products_with_matrices<float>(handle, 1e-5) & products_with_matrices<Complex>(handle, 1e-13);
    right &= vectors(handle) & conversions(handle) & triangles<double>(handle, 1e-12) &
             triangles<Complex>(handle, 1e-12) & triangles<float>(handle, 1e-4);
    right &= sparse_products(handle) & incomplete_factors(handle) & tridiagonal(handle) & sorted_rows(handle) &
             in_order(handle);
    right &= fine(cusparseDestroy(handle), "destroy");
    return verdict(right);
}
