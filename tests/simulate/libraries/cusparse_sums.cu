// Sums of sparse matrices, and products of blocks as cuSPARSE had them before its descriptors, against plain loops over
// a dense matrix.
#include "cusparse_of_old.hpp"

static constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE, transpose = CUSPARSE_OPERATION_TRANSPOSE;

template <class T>
struct Functions;

#define FUNCTIONS(T, X)                                                   \
    template <>                                                           \
    struct Functions<T> {                                                 \
        static constexpr auto size = cusparse##X##csrgeam2_bufferSizeExt; \
        static constexpr auto add = cusparse##X##csrgeam2;                \
        static constexpr auto times_vector = cusparse##X##bsrmv;          \
        static constexpr auto times_matrix = cusparse##X##bsrmm;          \
    };
FUNCTIONS(float, S)
FUNCTIONS(double, D)
FUNCTIONS(C32, C)
FUNCTIONS(Complex, Z)

/// Rows of the sum: columns in which either matrix has an entry, also where the two cancel out.
template <class T>
static Compressed<T, int> sum_of(T alpha, const Dense<T>& a, T beta, const Dense<T>& b, int base) {
    Compressed<T, int> c(zeros<T>(0, 0), base);
    for (int i = 0; i < a.rows; ++i) {
        for (int j = 0; j < a.columns; ++j) {
            if (a(i, j) == T{} && b(i, j) == T{}) continue;
            c.indices.push_back(j + base);
            c.values.push_back(alpha * a(i, j) + beta * b(i, j));
        }
        c.offsets.push_back(static_cast<int>(c.values.size()) + base);
    }
    return c;
}

template <class T>
static bool sums(cusparseHandle_t handle, int base_a, int base_b, int base_c, bool in_device, double tolerance) {
    const int m = 13, n = 17;
    const auto a = sparse<T>(m, n);
    auto b = sparse<T>(m, n);
    const T alpha{3}, beta{-2};
    for (int j = 0; j < n; j += 2) b(4, j) = a(4, j) * T{1.5f};  // cancel out
    for (int j = 0; j < n; ++j) b(5, j) = T{};
    const auto wanted = sum_of(alpha, a, beta, b, base_c);
    const Description of_a(base_a), of_b(base_b), of_c(base_c);
    InDevice<T> A{Compressed<T, int>(a, base_a)}, B{Compressed<T, int>(b, base_b)};
    Device<int> offsets(m + 1), entries(1);
    Device<T> factors(std::vector<T>{alpha, beta});
    const T* const at_alpha = in_device ? static_cast<T*>(factors) : &alpha;
    const T* const at_beta = in_device ? static_cast<T*>(factors) + 1 : &beta;
    cusparseSetPointerMode(handle, in_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST);

    using Of = Functions<T>;
    size_t bytes = 0;
    int count = 0;
    bool right =
        fine(Of::size(handle, m, n, raw(at_alpha), of_a, A.count, raw(A.values), A.offsets, A.indices, raw(at_beta),
                      of_b, B.count, raw(B.values), B.offsets, B.indices, of_c, nullptr, offsets, nullptr, &bytes),
             "buffer of a sum");
    Device<char> buffer(bytes);
    right &=
        fine(cusparseXcsrgeam2Nnz(handle, m, n, of_a, A.count, A.offsets, A.indices, of_b, B.count, B.offsets,
                                  B.indices, of_c, offsets, in_device ? static_cast<int*>(entries) : &count, buffer),
             "entries of a sum");
    if (in_device) count = entries.host()[0];
    right &= holds(count == static_cast<int>(wanted.values.size()), "number of entries of a sum") &&
             agree("offsets of a sum", offsets.host(), wanted.offsets);
    if (!right) return false;
    Device<int> indices(count);
    Device<T> values(count);
    right &=
        fine(Of::add(handle, m, n, raw(at_alpha), of_a, A.count, raw(A.values), A.offsets, A.indices, raw(at_beta),
                     of_b, B.count, raw(B.values), B.offsets, B.indices, of_c, raw(values), offsets, indices, buffer),
             "sum") &&
        agree("columns of a sum", indices.host(), wanted.indices) &&
        close("sum", values.host(), wanted.values, tolerance);
    cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST);
    return right;
}

/// Square blocks, about half of them there; what is not is 0 in `dense`.
template <class T>
struct Blocks {
    std::vector<int> offsets, indices;
    std::vector<T> values;
    Blocks(Dense<T>& dense, int side, cusparseDirection_t direction, int base) {
        offsets.push_back(base);
        for (int line = 0; line < dense.rows / side; ++line) {
            for (int block = 0; block < dense.columns / side; ++block) {
                const bool there = (line + block) % 2 == 0;
                if (there) indices.push_back(block + base);
                for (int k = 0; k < side * side; ++k) {
                    const int slow = k / side, fast = k % side;
                    const bool by_rows = direction == CUSPARSE_DIRECTION_ROW;
                    T& value = dense(line * side + (by_rows ? slow : fast), block * side + (by_rows ? fast : slow));
                    if (there)
                        values.push_back(value);
                    else
                        value = T{};
                }
            }
            offsets.push_back(static_cast<int>(indices.size()) + base);
        }
    }
};

/// `m` by columns, with some more rows than it has.
template <class T>
static std::vector<T> by_columns(const Dense<T>& m, int leading) {
    std::vector<T> values(leading * m.columns);
    for (int i = 0; i < m.rows; ++i)
        for (int j = 0; j < m.columns; ++j) values[j * leading + i] = m(i, j);
    return values;
}

template <class T>
static bool blocks(cusparseHandle_t handle, cusparseDirection_t direction, int base, double tolerance) {
    using Of = Functions<T>;
    const int lines = 3, across = 4, side = 3, m = lines * side, n = across * side, right_sides = 5;
    auto a = full<T>(m, n);
    const Blocks<T> from(a, side, direction, base);
    const Description description(base);
    Device<int> offsets(from.offsets), indices(from.indices);
    Device<T> values(from.values);
    const int count = static_cast<int>(from.indices.size());
    const T alpha{2}, beta{-3};

    const auto x = full<T>(n, 1), y = full<T>(m, 1);
    Device<T> dx(x.values), dy(y.values);
    const auto times_vector = [&](cusparseOperation_t op) {
        return Of::times_vector(handle, direction, op, lines, across, count, raw(&alpha), description, raw(values),
                                offsets, indices, side, raw(dx), raw(&beta), raw(dy));
    };
    bool right = fine(times_vector(none), "bsrmv") &&
                 close("bsrmv", dy.host(), sum(alpha, product(a, x).values, beta, y.values), tolerance);
    right &= holds(times_vector(transpose) == CUSPARSE_STATUS_NOT_SUPPORTED, "bsrmv of a transpose");

    const auto B = full<T>(n, right_sides), C = full<T>(m, right_sides);
    const auto wanted = sum(alpha, product(a, B).values, beta, C.values);
    const int ldc = m + 2;
    for (const auto op : {none, transpose}) {
        const auto given = operated(B, op);
        const int ldb = given.rows + 1;
        Device<T> db(by_columns(given, ldb)), dc(by_columns(C, ldc));
        right &= fine(Of::times_matrix(handle, direction, none, op, lines, right_sides, across, count, raw(&alpha),
                                       description, raw(values), offsets, indices, side, raw(db), ldb, raw(&beta),
                                       raw(dc), ldc),
                      "bsrmm") &&
                 close("bsrmm", dc.host(), by_columns(Dense<T>{m, right_sides, wanted}, ldc), tolerance);
    }
    return right;
}

int main() {
    launch_own_kernel();
    cusparseHandle_t handle = nullptr;
    bool right = fine(cusparseCreate(&handle), "create");
    right &= sums<float>(handle, 0, 0, 0, false, 1e-5) & sums<double>(handle, 1, 0, 0, false, 1e-13);
    right &= sums<C32>(handle, 0, 1, 0, true, 1e-5) & sums<Complex>(handle, 0, 0, 1, true, 1e-13);
    right &= blocks<float>(handle, CUSPARSE_DIRECTION_ROW, 0, 1e-5);
    right &= blocks<double>(handle, CUSPARSE_DIRECTION_COLUMN, 1, 1e-13);
    right &= blocks<C32>(handle, CUSPARSE_DIRECTION_COLUMN, 0, 1e-5);
    right &= blocks<Complex>(handle, CUSPARSE_DIRECTION_ROW, 1, 1e-13);
    right &= fine(cusparseDestroy(handle), "destroy");
    return verdict(right);
}
