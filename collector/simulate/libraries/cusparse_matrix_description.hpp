// What cusparseMatDescr_t points to: made by cuSPARSE, read by cuSOLVER too.
#pragma once

namespace gpuproj::simulate::libraries::cusparse {

struct MatrixDescription {
    int type = 0;      // general
    int fill = 0;      // 0: lower, 1: upper
    int diagonal = 0;  // 1: unit
    int base = 0;      // of the indices
};

/// Where the application gives no description, that of a general matrix.
inline MatrixDescription description_at(const void* description) noexcept {
    return description != nullptr ? *static_cast<const MatrixDescription*>(description) : MatrixDescription{};
}

/// 0 or 1
inline int base_of(const void* description) noexcept {
    return description_at(description).base;
}

}  // namespace gpuproj::simulate::libraries::cusparse
