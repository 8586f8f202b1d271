// The numbers of cuBLASLt's interface, where they are others than cuBLAS'.
#pragma once

#include "collector/simulate/libraries/cublas_types.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

using cublas::allocation_failed;
using cublas::execution_failed;
using cublas::invalid_value;
using cublas::not_initialized;
using cublas::not_supported;
using cublas::Operation;
using cublas::success;

inline constexpr const char* library = "cuBLASLt";

// Types that cuBLAS' own functions do not take. Of complex halves only the two planes can be multiplied.
inline constexpr DataType e4m3{28}, e5m2{29}, c16{6}, cbf16{15};
/// An attribute's value for "the library chooses the type".
inline constexpr DataType type_not_set{-1};

enum class Compute : int {
    f16 = 64,
    f16_pedantic,
    f32 = 68,
    f32_pedantic,
    f64,
    f64_pedantic,
    i32,
    i32_pedantic,
    f32_by_f16,
    f32_by_bf16,
    f32_by_tf32 = 77,
    f32_emulated,
    f64_emulated
};
/// In which order a matrix' elements lie; the last three are those of the tensor units' 8-bit products.
enum class Order : int { column, row, column32, column4_4r2_8c, column32_2r_4r4 };
enum class BatchMode : std::uint32_t { strided, pointers };
enum class PointerMode : int { host, device, device_vectors, alpha_vector_beta_zero, alpha_vector_beta_host };
/// How the numbers at a scale pointer belong to the elements. Those beyond are of blocks.
enum class ScaleMode : int { scalar = 0, vector_of_outer = 3 };

/// What an epilogue consists of.
enum EpilogueBits : unsigned {
    no_epilogue = 1,
    relu = 2,
    add_bias = 4,
    relu_gradient = 8,
    bias_gradient = 16,
    gelu = 32,
    gelu_gradient = 64,
    with_auxiliary = 128,
    bias_gradient_of_a = 256,
    bias_gradient_of_b = 512
};

/// What cublasLtHandle_t points to.
struct Handle : LibraryHandle {
    static constexpr std::uint64_t alive = 0x6770756a626c6c74;
    static constexpr HandleCodes codes{success, not_initialized, allocation_failed, invalid_value, execution_failed};
};
/// A handle of cuBLAS is one of cuBLASLt, too.
inline bool is_handle(void* handle) noexcept {
    return live_handle<Handle>(handle) != nullptr || cublas::handle_of(handle) != nullptr;
}

inline bool is_complex_type(DataType type) {
    return type == DataType::c32 || type == DataType::c64 || type == c16 || type == cbf16;
}
inline bool is_fp8(DataType type) {
    return type == e4m3 || type == e5m2;
}
/// Of a complex number's parts.
inline DataType part_of(DataType type) {
    return type == c16             ? DataType::f16
           : type == cbf16         ? DataType::bf16
           : type == DataType::c64 ? DataType::f64
           : type == DataType::c32 ? DataType::f32
                                   : type;
}

}  // namespace gpuproj::simulate::libraries::cublas_lt
