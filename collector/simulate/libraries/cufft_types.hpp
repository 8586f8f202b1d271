// The numbers of cuFFT's interface, as its manual and header give them.
#pragma once

#include "collector/simulate/libraries/host_library.hpp"

namespace gpuproj::simulate::libraries::cufft {

inline constexpr const char* library = "cuFFT";

/// cufftResult.
enum Result : int {
    success = 0,
    invalid_plan = 1,
    alloc_failed = 2,
    invalid_type = 3,
    invalid_value = 4,
    internal_error = 5,
    exec_failed = 6,
    invalid_size = 8,
    not_supported = 16,
};

inline constexpr Statuses statuses{success, alloc_failed, exec_failed, not_supported};

/// cufftType.
enum Type : int { c2c = 0x29, r2c = 0x2a, c2r = 0x2c, z2z = 0x69, d2z = 0x6a, z2d = 0x6c };

constexpr bool is_type(int type) {
    return type == c2c || type == r2c || type == c2r || type == z2z || type == d2z || type == z2d;
}
constexpr bool is_double(int type) {
    return type == z2z || type == d2z || type == z2d;
}
constexpr bool is_from_real(int type) {
    return type == r2c || type == d2z;
}
constexpr bool is_to_real(int type) {
    return type == c2r || type == z2d;
}

/// The sign of the exponent.
enum Direction : int { forward = -1, inverse = 1 };

}  // namespace gpuproj::simulate::libraries::cufft
