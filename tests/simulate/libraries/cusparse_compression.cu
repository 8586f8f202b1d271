// Small entries are left out of compressed rows, against the same matrix without them.
#include "cusparse_of_old.hpp"

template <class T>
struct Functions;

#define FUNCTIONS(T, X)                                                 \
    template <>                                                         \
    struct Functions<T> {                                               \
        static constexpr auto count = cusparse##X##nnz_compress;        \
        static constexpr auto compress = cusparse##X##csr2csr_compress; \
    };
FUNCTIONS(float, S)
FUNCTIONS(double, D)
FUNCTIONS(C32, C)
FUNCTIONS(Complex, Z)

template <class T>
static bool compresses(cusparseHandle_t handle, int base, bool in_device, double least) {
    const int m = 23, n = 19;
    const auto a = full<T>(m, n);  // in eighths, so that some are as large as the tolerance
    auto large = a;
    for (T& value : large.values)
        if (std::abs(value) <= least) value = T{};
    const Compressed<T, int> from(a, base), wanted(large, base);
    typename Number<T>::Type tolerance{};
    if constexpr (is_complex<T>)
        tolerance.x = least;
    else
        tolerance = least;

    const Description description(base);
    cusparseSetPointerMode(handle, in_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST);
    InDevice<T> A{from};
    Device<int> in_row(m), in_all(1);
    int count = -1;
    bool right = fine(Functions<T>::count(handle, m, description, raw(A.values), A.offsets, in_row,
                                          in_device ? static_cast<int*>(in_all) : &count, tolerance),
                      "nnz_compress");
    if (in_device) count = in_all.host()[0];
    right &= holds(count == static_cast<int>(wanted.values.size()), "number of entries that stay");
    std::vector<int> stay;
    for (int i = 0; i < m; ++i) stay.push_back(wanted.offsets[i + 1] - wanted.offsets[i]);
    right &= agree("entries of each row", in_row.host(), stay);
    if (!right) return false;

    Device<int> to_offsets(m + 1), to_columns(count);
    Device<T> to_values(count);
    right &= fine(Functions<T>::compress(handle, m, n, description, raw(A.values), A.indices, A.offsets, A.count,
                                         in_row, raw(to_values), to_columns, to_offsets, tolerance),
                  "csr2csr_compress") &&
             agree("offsets", to_offsets.host(), wanted.offsets) &&
             agree("columns", to_columns.host(), wanted.indices) && close("values", to_values.host(), wanted.values, 0);
    return right;
}

int main() {
    launch_own_kernel();
    cusparseHandle_t handle = nullptr;
    bool right = fine(cusparseCreate(&handle), "create");
    right &= compresses<float>(handle, 0, false, 0.5);
    right &= compresses<double>(handle, 1, true, 0);
    right &= compresses<C32>(handle, 1, false, 1);
    right &= compresses<Complex>(handle, 0, true, 1.25);
    right &= fine(cusparseDestroy(handle), "destroy");
    return verdict(right);
}
