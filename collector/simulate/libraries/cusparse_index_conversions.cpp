// From one sparse layout to another, with 32-bit indices.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>
#include <vector>

#include "collector/simulate/libraries/cusparse_matrix_description.hpp"
#include "collector/simulate/libraries/cusparse_numbers.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

// 8-bit integers are copied too.
bool is_copied(DataType type) {
    return type == DataType::i8 || is_floating(type);
}

/// `to[i] = from[order[i]]`
void reorder(int* values, const std::vector<int>& order, std::size_t first = 0) {
    if (values == nullptr) return;
    std::vector<int> old;
    old.reserve(order.size());
    for (const int i : order) old.push_back(values[i]);
    std::copy(old.begin(), old.end(), values + first);
    wrote(values + first, static_cast<std::int64_t>(order.size()), sizeof(int));
}

int sort_coordinates(const char* name, void* h, int count, int* first, int* second, int* permutation) {
    if (count < 0) return invalid_value;
    return submit(name, h, [=] {
        std::vector<int> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [=](int a, int b) { return std::tie(first[a], second[a]) < std::tie(first[b], second[b]); });
        for (int* const values : {first, second, permutation}) reorder(values, order);
    });
}

int sort_lines(const char* name, void* h, int lines, const void* description, const int* offsets, int* indices,
               int* permutation) {
    if (lines < 0) return invalid_value;
    return submit(name, h, [=, base = base_of(description)] {
        for (int line = 0; line < lines; ++line) {
            const int first = offsets[line] - base, last = offsets[line + 1] - base;
            std::vector<int> order(static_cast<std::size_t>(last - first));
            std::iota(order.begin(), order.end(), first);
            std::stable_sort(order.begin(), order.end(), [=](int a, int b) { return indices[a] < indices[b]; });
            for (int* const values : {indices, permutation}) reorder(values, order, static_cast<std::size_t>(first));
        }
    });
}

}  // namespace

GPUPROJ_LIBRARY_API int cusparseXcsr2coo(void* h, const int* offsets, int count, int m, int* rows, int base) {
    if (count < 0 || m < 0) return invalid_value;
    return submit("cusparseXcsr2coo", h, [=] {
        for (int row = 0; row < m; ++row)
            for (int k = offsets[row] - base; k < offsets[row + 1] - base; ++k) rows[k] = row + base;
        wrote(rows, count, sizeof(int));
    });
}
GPUPROJ_LIBRARY_API int cusparseXcoo2csr(void* h, const int* rows, int count, int m, int* offsets, int base) {
    if (count < 0 || m < 0) return invalid_value;
    return submit("cusparseXcoo2csr", h, [=] {
        std::fill_n(offsets, m + 1, 0);
        for (int k = 0; k < count; ++k) ++offsets[rows[k] - base + 1];
        offsets[0] = base;
        for (int row = 0; row < m; ++row) offsets[row + 1] += offsets[row];
        wrote(offsets, m + 1, sizeof(int));
    });
}

GPUPROJ_LIBRARY_API int cusparseCsr2cscEx2_bufferSize(void* h, int, int, int, const void*, const int*, const int*,
                                                      void*, int*, int*, int, int, int, int, std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseCsr2cscEx2(void* h, int m, int n, int count, const void* values, const int* offsets,
                                           const int* columns, void* csc_values, int* csc_offsets, int* csc_rows,
                                           DataType type, int copy_values, int base, int, void*) {
    if (m < 0 || n < 0 || count < 0) return invalid_value;
    if (copy_values != 0 && !is_copied(type)) return refuse("cusparseCsr2cscEx2");
    const std::size_t bytes = copy_values != 0 ? bytes_of(type) : 0;
    return submit("cusparseCsr2cscEx2", h, [=] {
        std::vector<int> next(static_cast<std::size_t>(n) + 1);
        for (int k = 0; k < count; ++k) ++next[columns[k] - base + 1];
        for (int column = 0; column < n; ++column) next[column + 1] += next[column];
        for (int column = 0; column <= n; ++column) csc_offsets[column] = next[column] + base;
        for (int row = 0; row < m; ++row)
            for (int k = offsets[row] - base; k < offsets[row + 1] - base; ++k) {
                const std::size_t place = next[columns[k] - base]++;
                csc_rows[place] = row + base;
                std::memcpy(static_cast<char*>(csc_values) + place * bytes,
                            static_cast<const char*>(values) + k * bytes, bytes);
            }
        wrote(csc_offsets, n + 1, sizeof(int));
        wrote(csc_rows, count, sizeof(int));
        wrote(csc_values, count, bytes);
    });
}

GPUPROJ_LIBRARY_API int cusparseCreateIdentityPermutation(void* h, int n, int* p) {
    if (n < 0) return invalid_value;
    return submit("cusparseCreateIdentityPermutation", h, [=] {
        std::iota(p, p + n, 0);
        wrote(p, n, sizeof(int));
    });
}
GPUPROJ_LIBRARY_API int cusparseXcoosort_bufferSizeExt(void* h, int, int, int, const int*, const int*,
                                                       std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseXcoosortByRow(void* h, int, int, int count, int* rows, int* columns, int* p, void*) {
    return sort_coordinates("cusparseXcoosortByRow", h, count, rows, columns, p);
}
GPUPROJ_LIBRARY_API int cusparseXcoosortByColumn(void* h, int, int, int count, int* rows, int* columns, int* p, void*) {
    return sort_coordinates("cusparseXcoosortByColumn", h, count, columns, rows, p);
}
GPUPROJ_LIBRARY_API int cusparseXcsrsort_bufferSizeExt(void* h, int, int, int, const int*, const int*,
                                                       std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseXcsrsort(void* h, int m, int, int, const void* description, const int* offsets,
                                         int* columns, int* p, void*) {
    return sort_lines("cusparseXcsrsort", h, m, description, offsets, columns, p);
}
GPUPROJ_LIBRARY_API int cusparseXcscsort_bufferSizeExt(void* h, int, int, int, const int*, const int*,
                                                       std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseXcscsort(void* h, int, int n, int, const void* description, const int* offsets,
                                         int* rows, int* p, void*) {
    return sort_lines("cusparseXcscsort", h, n, description, offsets, rows, p);
}

}  // namespace gpuproj::simulate::libraries::cusparse
