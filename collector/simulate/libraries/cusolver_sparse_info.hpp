// What is kept of a sparse matrix between the functions that solve systems with it step by step.
#pragma once

#include <memory>
#include <variant>

#include "collector/simulate/libraries/cusolver_sparse_solver.hpp"

namespace gpuproj::simulate::libraries::cusolver {

/// Shared with what is still to be done in a stream.
using KeptFactors =
    std::shared_ptr<std::variant<std::monostate, Factors<float>, Factors<double>, Factors<C32>, Factors<C64>>>;

/// What csrqrInfo_t, csrcholInfo_t and theirs for the host point to. What the analysis finds out is found out again for
/// each matrix.
struct SparseInfo {
    bool analysed = false;
    KeptFactors factors = std::make_shared<KeptFactors::element_type>();
};

}  // namespace gpuproj::simulate::libraries::cusolver
