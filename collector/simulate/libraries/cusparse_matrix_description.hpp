// What cusparseMatDescr_t points to: made by cuSPARSE, read by cuSOLVER too.
#pragma once

namespace gpuproj::simulate::libraries::cusparse {

struct MatrixDescription {
    int type = 0;      // general
    int fill = 0;      // 0: lower, 1: upper
    int diagonal = 0;  // 1: unit
    int base = 0;      // of the indices
};

/// 0 or 1; 0 where the application gives no description.
inline int base_of(const void* description) noexcept {
    return description != nullptr ? static_cast<const MatrixDescription*>(description)->base : 0;
}

}  // namespace gpuproj::simulate::libraries::cusparse
