// Sparse times sparse, in three calls: sizes of workspaces, the product, its copy to where the application wants it.
#include "collector/simulate/libraries/cusparse_spgemm.hpp"

#include <cmath>

namespace gpuproj::simulate::libraries::cusparse {

GPUPROJ_LIBRARY_API int cusparseSpGEMM_createDescr(Multiplication** out) {
    if (out == nullptr) return invalid_value;
    *out = new (std::nothrow) Multiplication;
    return *out != nullptr ? success : allocation_failed;
}
GPUPROJ_LIBRARY_API int cusparseSpGEMM_destroyDescr(Multiplication* multiplication) {
    delete multiplication;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpGEMM_workEstimation(void* h, Operation op_a, Operation op_b, const void*,
                                                      const SparseMatrix* A, const SparseMatrix* B, const void*,
                                                      const SparseMatrix* C, DataType type, int, Multiplication* m,
                                                      std::size_t* bytes, void* buffer) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    if (buffer == nullptr) return give_buffer_size(h, bytes);
    return with_compute_type("cusparseSpGEMM_workEstimation", type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        if (!stored_as<T>(A->type) || !stored_as<T>(B->type)) return not_supported;
        const auto count = std::make_shared<std::int64_t>(0);
        int code = submit("cusparseSpGEMM_workEstimation", h,
                          [=, A = *A, B = *B] { *count = products_of(rows_of<T>(A, op_a), rows_of<T>(B, op_b)); });
        if (code == success) code = finish(h);
        m->products = *count;
        return code;
    });
}
GPUPROJ_LIBRARY_API int cusparseSpGEMM_getNumProducts(const Multiplication* m, std::int64_t* count) {
    if (m == nullptr || count == nullptr) return invalid_value;
    *count = m->products;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpGEMM_estimateMemory(void* h, Operation, Operation, const void*, const SparseMatrix* A,
                                                      const SparseMatrix* B, const void*, const SparseMatrix* C,
                                                      DataType, int, Multiplication* m, float fraction,
                                                      std::size_t* bytes, void* buffer, std::size_t* compute_bytes) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    if (fraction <= 0 || fraction > 1 || std::isnan(fraction)) return invalid_value;
    return buffer == nullptr ? give_buffer_size(h, bytes) : give_buffer_size(h, compute_bytes);
}
GPUPROJ_LIBRARY_API int cusparseSpGEMM_compute(void* h, Operation op_a, Operation op_b, const void*,
                                               const SparseMatrix* A, const SparseMatrix* B, const void*,
                                               SparseMatrix* C, DataType type, int, Multiplication* m,
                                               std::size_t* bytes, void* buffer) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    if (buffer == nullptr) return give_buffer_size(h, bytes);
    return with_compute_type("cusparseSpGEMM_compute", type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        return multiply_and_keep<T>("cusparseSpGEMM_compute", h, op_a, op_b, *A, *B, *C, *m);
    });
}
GPUPROJ_LIBRARY_API int cusparseSpGEMM_copy(void* h, Operation, Operation, const void* alpha, const SparseMatrix* A,
                                            const SparseMatrix* B, const void* beta, const SparseMatrix* C,
                                            DataType type, int, const Multiplication* m) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    if (alpha == nullptr || beta == nullptr || m->product == nullptr) return invalid_value;
    const Handle& handle = *handle_of(h);
    return with_compute_type("cusparseSpGEMM_copy", type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        if (!std::holds_alternative<Rows<T>>(*m->product)) return invalid_value;
        return submit("cusparseSpGEMM_copy", h,
                      [C = *C, product = m->product, a = Scalar<T>(handle, alpha), b = Scalar<T>(handle, beta)] {
                          write_places(C, *std::get_if<Rows<T>>(product.get()));
                          write_values(C, *std::get_if<Rows<T>>(product.get()), a(), b());
                      });
    });
}

}  // namespace gpuproj::simulate::libraries::cusparse
