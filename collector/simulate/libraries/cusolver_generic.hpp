// What the functions of cuSOLVER's 64-bit interface have in common: types are named at run time, sizes have 64 bits.
#pragma once

#include <limits>

#include "collector/simulate/libraries/cusolver_letters.hpp"
#include "collector/simulate/libraries/data_type.hpp"

namespace gpuproj::simulate::libraries::cusolver {

inline DataType real_part(DataType type) {
    return type == DataType::c32 ? DataType::f32 : type == DataType::c64 ? DataType::f64 : type;
}
inline DataType complex_of(DataType type) {
    return type == DataType::f32 ? DataType::c32 : type == DataType::f64 ? DataType::c64 : type;
}

/// Calls `f` with the pointer to A as one to numbers of `type`, if all the other `types` are the same and are known.
template <class F>
int with_type(DataType type, std::initializer_list<DataType> types, void* A, F&& f) noexcept {
    for (const DataType other : types)
        if (other != type) return invalid_value;
    switch (type) {
        case DataType::f32:
            return f(static_cast<float*>(A));
        case DataType::f64:
            return f(static_cast<double*>(A));
        case DataType::c32:
            return f(static_cast<C32*>(A));
        case DataType::c64:
            return f(static_cast<C64*>(A));
        default:
            return invalid_value;
    }
}
/// What is not written, too; the callee takes it as const again.
template <class F>
int with_type(DataType type, std::initializer_list<DataType> types, const void* A, F&& f) noexcept {
    return with_type(type, types, const_cast<void*>(A), std::forward<F>(f));
}

/// Sizes that LAPACK, whose numbers have 32 bits, cannot take become one that is refused as no size.
inline int narrow(std::int64_t size) {
    return size >= 0 && size <= std::numeric_limits<int>::max() ? static_cast<int>(size) : -1;
}

/// What every ..._bufferSize of this interface comes to.
inline int give_workspaces(void* handle, std::size_t* device, std::size_t* host) noexcept {
    if (handle_of(handle) == nullptr) return not_initialized;
    if (device == nullptr || host == nullptr) return invalid_value;
    *device = *host = workspace_elements * sizeof(C64);
    return success;
}

}  // namespace gpuproj::simulate::libraries::cusolver
