// Products of many matrices in groups of the same shape. All arrays but those of the matrices' addresses are on the
// host.
#include <algorithm>
#include <initializer_list>

#include "collector/simulate/libraries/cublas_level3.hpp"
#include "collector/simulate/libraries/cublas_typed_products.hpp"

namespace gpuproj::simulate::libraries::cublas {

namespace {

/// call(group, how many matrices come before it) for each group; the first status that is not success. `arrays`: those
/// with something of each group.
template <class Call>
int each_group(int groups, const int sizes[], std::initializer_list<const void*> arrays, Call&& call) {
    const bool complete = sizes != nullptr && std::ranges::find(arrays, nullptr) == arrays.end();
    if (groups < 0 || (groups > 0 && !complete)) return invalid_value;
    std::int64_t before = 0;
    for (int g = 0; g < groups; before += sizes[g++])
        if (const int code = call(g, before); code != success) return code;
    return success;
}

}  // namespace

#define GPUPROJ_GROUPED(T, X)                                                                                       \
    GPUPROJ_LIBRARY_API int cublas##X##gemmGroupedBatched(                                                          \
        void* h, const Operation oa[], const Operation ob[], const int m[], const int n[], const int k[],           \
        const T alpha[], const T* const A[], const int lda[], const T* const B[], const int ldb[], const T beta[],  \
        T* const C[], const int ldc[], int groups, const int sizes[]) {                                             \
        return each_group(                                                                                          \
            groups, sizes, {oa, ob, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc}, [=](int g, std::int64_t i) {     \
                return gemm_batched("cublas" #X "gemmGroupedBatched", h, oa[g], ob[g], m[g], n[g], k[g], alpha + g, \
                                    A + i, lda[g], B + i, ldb[g], beta + g, C + i, ldc[g], sizes[g]);               \
            });                                                                                                     \
    }
GPUPROJ_GROUPED(float, S)
GPUPROJ_GROUPED(double, D)

/// Noted as so many calls of cublasGemmBatchedEx.
GPUPROJ_LIBRARY_API int cublasGemmGroupedBatchedEx(void* h, const Operation oa[], const Operation ob[], const int m[],
                                                   const int n[], const int k[], const void* alpha,
                                                   const void* const A[], DataType type_a, const int lda[],
                                                   const void* const B[], DataType type_b, const int ldb[],
                                                   const void* beta, void* const C[], DataType type_c, const int ldc[],
                                                   int groups, const int sizes[], Compute compute) {
    // alpha and beta are doubles where the matrices are, and otherwise floats.
    const std::size_t scalar = type_c == DataType::f64 ? sizeof(double) : sizeof(float);
    const auto nth = [scalar](const void* begin, int g) {
        return static_cast<const char*>(begin) + scalar * static_cast<std::size_t>(g);
    };
    return each_group(groups, sizes, {oa, ob, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc},
                      [=](int g, std::int64_t i) {
                          return cublasGemmBatchedEx(h, oa[g], ob[g], m[g], n[g], k[g], nth(alpha, g), A + i, type_a,
                                                     lda[g], B + i, type_b, ldb[g], nth(beta, g), C + i, type_c, ldc[g],
                                                     sizes[g], compute, Algorithm{});
                      });
}

}  // namespace gpuproj::simulate::libraries::cublas
