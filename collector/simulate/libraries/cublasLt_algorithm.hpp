// Algorithms: there is one, and what applications set in it is kept.
#pragma once

#include "collector/simulate/libraries/cublasLt_matmul_problem.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

/// For products of these types.
Algorithm algorithm_of(std::int32_t id, Compute compute, DataType scale, DataType a, DataType b, DataType c,
                       DataType d) noexcept;
/// Is this, whatever it points to, an algorithm that was made for products like this one?
bool is_for(const void* at, const MatmulProblem& p) noexcept;

}  // namespace gpuproj::simulate::libraries::cublas_lt
