// What is asked of where the entries of a sparse matrix are, and reorderings of them. On the host everywhere, so no
// note is made.
#include <algorithm>

#include "collector/simulate/libraries/cusolver_ordering.hpp"
#include "collector/simulate/libraries/cusolver_types.hpp"
#include "collector/simulate/libraries/cusparse_matrix_description.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

std::vector<int> inverse_of(const int* permutation, int n) {
    std::vector<int> inverse(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) inverse[permutation[i]] = i;
    return inverse;
}

/// Row i of the result is row p[i], column j is column q[j]. What `map` says of an entry goes where the entry goes.
void permute(int m, int n, int base, int* offsets, int* columns, const int* p, const int* q, int* map) {
    const auto new_column = inverse_of(q, n);
    const std::vector<int> old_offsets(offsets, offsets + m + 1);
    const auto count = static_cast<std::size_t>(old_offsets.back() - base);
    const std::vector<int> old_columns(columns, columns + count), old_map(map, map + count);
    int end = 0;
    for (int row = 0; row < m; ++row) {
        std::vector<std::pair<int, int>> entries;  // the new column, what the map says
        for (int k = old_offsets[p[row]] - base; k < old_offsets[p[row] + 1] - base; ++k)
            entries.emplace_back(new_column[old_columns[k] - base], old_map[k]);
        std::sort(entries.begin(), entries.end());
        for (const auto& [column, from] : entries) {
            columns[end] = column + base;
            map[end++] = from;
        }
        offsets[row + 1] = end + base;
    }
}

int give_order(void* h, const Pattern& pattern, std::vector<int> (*order_of)(const Pattern&), int* p) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (pattern.order < 0 || p == nullptr) return invalid_value;
    try {
        const auto order = order_of(pattern);
        std::copy(order.begin(), order.end(), p);
        return success;
    } catch (const std::exception&) {
        return allocation_failed;
    }
}

}  // namespace

/// 1 where each entry has one across the diagonal.
GPUPROJ_LIBRARY_API int cusolverSpXcsrissymHost(void* h, int m, int, const void* description, const int* offsets,
                                                const int* ends, const int* columns, int* symmetric) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (m < 0 || symmetric == nullptr) return invalid_value;
    const int base = cusparse::base_of(description);
    const auto has = [=](int row, int column) {
        for (int k = offsets[row] - base; k < ends[row] - base; ++k)
            if (columns[k] - base == column) return true;
        return false;
    };
    *symmetric = 1;
    for (int row = 0; row < m; ++row)
        for (int k = offsets[row] - base; k < ends[row] - base; ++k)
            if (!has(columns[k] - base, row)) *symmetric = 0;
    return success;
}

GPUPROJ_LIBRARY_API int cusolverSpXcsrsymrcmHost(void* h, int n, int, const void* description, const int* offsets,
                                                 const int* columns, int* p) {
    return give_order(h, {n, cusparse::base_of(description), offsets, columns}, near_diagonal, p);
}
GPUPROJ_LIBRARY_API int cusolverSpXcsrsymmdqHost(void* h, int n, int, const void* description, const int* offsets,
                                                 const int* columns, int* p) {
    return give_order(h, {n, cusparse::base_of(description), offsets, columns}, little_fill, p);
}
GPUPROJ_LIBRARY_API int cusolverSpXcsrsymamdHost(void* h, int n, int, const void* description, const int* offsets,
                                                 const int* columns, int* p) {
    return give_order(h, {n, cusparse::base_of(description), offsets, columns}, little_fill, p);
}
/// Nested dissection is METIS', with its options; what it is for is little fill.
GPUPROJ_LIBRARY_API int cusolverSpXcsrmetisndHost(void* h, int n, int, const void* description, const int* offsets,
                                                  const int* columns, const std::int64_t*, int* p) {
    return give_order(h, {n, cusparse::base_of(description), offsets, columns}, little_fill, p);
}

GPUPROJ_LIBRARY_API int cusolverSpXcsrperm_bufferSizeHost(void* h, int, int, int, const void*, const int*, const int*,
                                                          const int*, const int*, std::size_t* bytes) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (bytes == nullptr) return invalid_value;
    *bytes = workspace_elements;
    return success;
}
GPUPROJ_LIBRARY_API int cusolverSpXcsrpermHost(void* h, int m, int n, int, const void* description, int* offsets,
                                               int* columns, const int* p, const int* q, int* map, void*) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (m < 0 || n < 0 || p == nullptr || q == nullptr || map == nullptr) return invalid_value;
    try {
        permute(m, n, cusparse::base_of(description), offsets, columns, p, q, map);
        return success;
    } catch (const std::exception&) {
        return allocation_failed;
    }
}

}  // namespace gpuproj::simulate::libraries::cusolver
