// Many sparse systems of equations whose matrices have their entries at the same places. Square ones only: what has
// more equations than unknowns is refused.
#include "collector/simulate/libraries/cusolver_sparse_info.hpp"
#include "collector/simulate/libraries/cusparse_matrix_description.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

template <class T>
int solve_batch(const char* name, void* h, int m, const Pattern& pattern, int entries, const T* values, const T* b,
                T* x, int count, const SparseInfo* info) {
    if (m < pattern.order || pattern.order < 0 || entries < 0 || count < 0 || info == nullptr || !info->analysed)
        return invalid_value;
    if (m != pattern.order) {
        gpuproj_library_refuses(library, name);
        return not_supported;
    }
    return submit(name, h, [=] {
        const std::int64_t n = pattern.order;
        for (std::int64_t i = 0; i < count; ++i)
            solve(System<T>{pattern, values + i * entries, b + i * n, 0, x + i * n}, false);
        wrote(x, n * count);
    });
}

}  // namespace

#define GPUPROJ_SPARSE_BATCHES(T, X)                                                                                 \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrqrBufferInfoBatched(void* h, int, int, int, const void*, const T*,     \
                                                                  const int*, const int*, int, SparseInfo* info,     \
                                                                  std::size_t* internal, std::size_t* workspace) {   \
        if (handle_of(h) == nullptr) return not_initialized;                                                         \
        if (info == nullptr || internal == nullptr || workspace == nullptr) return invalid_value;                    \
        *internal = *workspace = workspace_elements * sizeof(T);                                                     \
        return success;                                                                                              \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int cusolverSp##X##csrqrsvBatched(void* h, int m, int n, int entries, const void* described, \
                                                          const T* values, const int* offsets, const int* columns,   \
                                                          const T* b, T* x, int count, SparseInfo* info, void*) {    \
        return solve_batch("cusolverSp" #X "csrqrsvBatched", h, m,                                                   \
                           {n, cusparse::base_of(described), offsets, columns}, entries, values, b, x, count, info); \
    }
GPUPROJ_SPARSE_BATCHES(float, S)
GPUPROJ_SPARSE_BATCHES(double, D)
GPUPROJ_SPARSE_BATCHES(C32, C)
GPUPROJ_SPARSE_BATCHES(C64, Z)

}  // namespace gpuproj::simulate::libraries::cusolver
