// Sparse times sparse, again and again with other values at the same places.
#include "collector/simulate/libraries/cusparse_spgemm.hpp"

namespace gpuproj::simulate::libraries::cusparse {

GPUPROJ_LIBRARY_API int cusparseSpGEMMreuse_workEstimation(void* h, Operation, Operation, const SparseMatrix* A,
                                                           const SparseMatrix* B, const SparseMatrix* C, int,
                                                           Multiplication* m, std::size_t* bytes, void* buffer) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    return buffer == nullptr ? give_buffer_size(h, bytes) : success;
}
GPUPROJ_LIBRARY_API int cusparseSpGEMMreuse_nnz(void* h, Operation op_a, Operation op_b, const SparseMatrix* A,
                                                const SparseMatrix* B, SparseMatrix* C, int, Multiplication* m,
                                                std::size_t* bytes_2, void* buffer_2, std::size_t* bytes_3, void*,
                                                std::size_t* bytes_4, void*) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    if (buffer_2 == nullptr) {
        for (std::size_t* const bytes : {bytes_2, bytes_3, bytes_4})
            if (const int code = give_buffer_size(h, bytes); code != success) return code;
        return success;
    }
    return with_compute_type("cusparseSpGEMMreuse_nnz", calculated_as(A->type), [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        return multiply_and_keep<T>("cusparseSpGEMMreuse_nnz", h, op_a, op_b, *A, *B, *C, *m);
    });
}
/// Where the entries are; their values come later.
GPUPROJ_LIBRARY_API int cusparseSpGEMMreuse_copy(void* h, Operation, Operation, const SparseMatrix* A,
                                                 const SparseMatrix* B, const SparseMatrix* C, int,
                                                 const Multiplication* m, std::size_t* bytes, void* buffer) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    if (buffer == nullptr) return give_buffer_size(h, bytes);
    if (m->product == nullptr) return invalid_value;
    return submit("cusparseSpGEMMreuse_copy", h, [C = *C, product = m->product] {
        std::visit([&](const auto& rows) { write_places(C, rows); }, *product);
    });
}
GPUPROJ_LIBRARY_API int cusparseSpGEMMreuse_compute(void* h, Operation op_a, Operation op_b, const void* alpha,
                                                    const SparseMatrix* A, const SparseMatrix* B, const void* beta,
                                                    const SparseMatrix* C, DataType type, int,
                                                    const Multiplication* m) {
    if (const int code = check(h, A, B, C, m); code != success) return code;
    if (alpha == nullptr || beta == nullptr || m->product == nullptr) return invalid_value;
    const Handle& handle = *handle_of(h);
    return with_compute_type("cusparseSpGEMMreuse_compute", type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        if (!stored_as<T>(A->type) || !stored_as<T>(B->type) || !stored_as<T>(C->type)) return not_supported;
        return submit("cusparseSpGEMMreuse_compute", h,
                      [=, A = *A, B = *B, C = *C, a = Scalar<T>(handle, alpha), b = Scalar<T>(handle, beta)] {
                          write_values(C, product(rows_of<T>(A, op_a), rows_of<T>(B, op_b)), a(), b());
                      });
    });
}

}  // namespace gpuproj::simulate::libraries::cusparse
