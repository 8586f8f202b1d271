// Sums of two sparse matrices: rows of sorted columns with 32-bit indices.
#include "collector/simulate/libraries/cusparse_matrix_description.hpp"
#include "collector/simulate/libraries/cusparse_numbers.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

struct Structure {
    const int *offsets, *columns;
    int base;

    int begin(int row) const { return offsets[row] - base; }
    int end(int row) const { return offsets[row + 1] - base; }
    int column(int k) const { return columns[k] - base; }
};

Structure structure(const int* offsets, const int* columns, const void* description) {
    return {offsets, columns, base_of(description)};
}

/// use(column, k of a, k of b) for each column in which the row of one of them has an entry; -1 where it has none.
template <class Use>
void merge(const Structure& a, const Structure& b, int row, Use&& use) {
    int i = a.begin(row), j = b.begin(row);
    const int last_i = a.end(row), last_j = b.end(row);
    while (i < last_i || j < last_j) {
        const bool from_a = j == last_j || (i < last_i && a.column(i) <= b.column(j));
        const bool from_b = i == last_i || (j < last_j && b.column(j) <= a.column(i));
        use(from_a ? a.column(i) : b.column(j), from_a ? i : -1, from_b ? j : -1);
        i += from_a;
        j += from_b;
    }
}

/// Entries that cancel out stay.
void count(const Structure& a, const Structure& b, int rows, int base, int* offsets) {
    offsets[0] = base;
    for (int row = 0; row < rows; ++row) {
        int entries = 0;
        merge(a, b, row, [&](int, int, int) { ++entries; });
        offsets[row + 1] = offsets[row] + entries;
    }
    wrote(offsets, std::int64_t{rows} + 1, sizeof(int));
}

template <class T>
struct Summand {
    Scalar<T> factor;
    const T* values;
    Structure where;

    T at(int k) const { return k < 0 ? T{} : factor() * values[k]; }
};

template <class T>
void add(const Summand<T>& a, const Summand<T>& b, int rows, int base, T* values, const int* offsets, int* columns) {
    for (int row = 0; row < rows; ++row) {
        int to = offsets[row] - base;
        merge(a.where, b.where, row, [&](int column, int i, int j) {
            columns[to] = column + base;
            values[to++] = a.at(i) + b.at(j);
        });
    }
    const std::int64_t entries = std::int64_t{offsets[rows]} - base;
    wrote(columns, entries, sizeof(int));
    wrote(values, entries, sizeof(T));
}

}  // namespace

GPUPROJ_LIBRARY_API int cusparseXcsrgeam2Nnz(void* h, int m, int n, const void* description_a, int,
                                             const int* offsets_a, const int* columns_a, const void* description_b, int,
                                             const int* offsets_b, const int* columns_b, const void* description_c,
                                             int* offsets, int* entries, void*) {
    const Handle* const handle = handle_of(h);
    if (handle == nullptr) return not_initialized;
    if (m < 0 || n < 0) return invalid_value;
    const int base = base_of(description_c);
    const bool host_asks = entries != nullptr && handle->pointer_mode == 0;
    const int code = submit(
        "cusparseXcsrgeam2Nnz", h,
        [=, a = structure(offsets_a, columns_a, description_a), b = structure(offsets_b, columns_b, description_b)] {
            count(a, b, m, base, offsets);
            if (entries == nullptr) return;
            *entries = offsets[m] - base;
            if (!host_asks) wrote(entries, 1, sizeof(int));
        });
    return code == success && host_asks ? finish(h) : code;
}

#define GPUPROJ_SUM(T, X)                                                                                             \
    GPUPROJ_LIBRARY_API int cusparse##X##csrgeam2_bufferSizeExt(                                                      \
        void* h, int, int, const T*, const void*, int, const T*, const int*, const int*, const T*, const void*, int,  \
        const T*, const int*, const int*, const void*, const T*, const int*, const int*, std::size_t* bytes) {        \
        return give_buffer_size(h, bytes);                                                                            \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int cusparse##X##csrgeam2(                                                                    \
        void* h, int m, int n, const T* alpha, const void* description_a, int, const T* values_a,                     \
        const int* offsets_a, const int* columns_a, const T* beta, const void* description_b, int, const T* values_b, \
        const int* offsets_b, const int* columns_b, const void* description_c, T* values, const int* offsets,         \
        int* columns, void*) {                                                                                        \
        const Handle* const handle = handle_of(h);                                                                    \
        if (handle == nullptr) return not_initialized;                                                                \
        if (m < 0 || n < 0 || alpha == nullptr || beta == nullptr) return invalid_value;                              \
        const Summand<T> a{{*handle, alpha}, values_a, structure(offsets_a, columns_a, description_a)};               \
        const Summand<T> b{{*handle, beta}, values_b, structure(offsets_b, columns_b, description_b)};                \
        return submit("cusparse" #X "csrgeam2", h,                                                                    \
                      [=, base = base_of(description_c)] { add(a, b, m, base, values, offsets, columns); });          \
    }
GPUPROJ_SUM(float, S)
GPUPROJ_SUM(double, D)
GPUPROJ_SUM(C32, C)
GPUPROJ_SUM(C64, Z)

}  // namespace gpuproj::simulate::libraries::cusparse
