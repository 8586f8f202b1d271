// A product as its descriptors say it: what is wrong with it, and what it comes to.
#pragma once

#include "collector/simulate/libraries/cublasLt_descriptions.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

/// D = epilogue(alpha op(A) op(B) + beta C); op(A) has m rows and k columns.
struct MatmulProblem {
    MatmulDescription description;
    MatrixLayout a, b, c, d;
    std::int64_t m = 0, n = 0, k = 0;
};

struct Verdict {
    int status = 0;
    const char* refused = nullptr;  // what cuBLASLt can do, and the stand-in cannot
};

/// Reads the descriptors into `problem`.
Verdict examine(const void* description, const void* a, const void* b, const void* c, const void* d,
                MatmulProblem& problem) noexcept;

/// Does cuBLASLt multiply numbers of these types? (The tables at cublasLtMatmul in its documentation.)
bool is_known_combination(Compute compute, DataType scale, DataType a, DataType b, DataType c, DataType d) noexcept;

inline bool has_bias(unsigned epilogue) {
    return (epilogue & (add_bias | bias_gradient | bias_gradient_of_a | bias_gradient_of_b)) != 0;
}
/// Of the numbers of bias or its gradient: as set, or as it is by itself.
DataType bias_type(const MatmulProblem& problem) noexcept;
/// Of the matrix beside D that GELU's input is kept in.
MatrixLayout auxiliary_layout(const MatmulProblem& problem) noexcept;

}  // namespace gpuproj::simulate::libraries::cublas_lt
