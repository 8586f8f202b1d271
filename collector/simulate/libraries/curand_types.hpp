// The numbers of cuRAND's interface, as its manual and header give them.
#pragma once

#include "collector/simulate/libraries/host_library.hpp"

namespace gpuproj::simulate::libraries::curand {

inline constexpr const char* library = "cuRAND";

/// curandStatus_t. There is none for what a library does not have: arch_mismatch stands for a feature that the GPU does
/// not have.
enum Status : int {
    success = 0,
    not_initialized = 101,
    allocation_failed = 102,
    type_error = 103,
    out_of_range = 104,
    length_not_multiple = 105,
    launch_failure = 201,
    arch_mismatch = 204,
    internal_error = 999,
};

inline constexpr Statuses statuses{success, allocation_failed, launch_failure, arch_mismatch};

/// curandRngType_t.
enum Type : int {
    pseudo_default = 100,
    xorwow = 101,
    mrg32k3a = 121,
    mtgp32 = 141,
    mt19937 = 142,
    philox = 161,
    quasi_default = 200,
    sobol32 = 201,
    scrambled_sobol32 = 202,
    sobol64 = 203,
    scrambled_sobol64 = 204,
};

/// curandOrdering_t.
enum Ordering : int { first_pseudo_ordering = 100, last_pseudo_ordering = 104, quasi_ordering = 201 };

}  // namespace gpuproj::simulate::libraries::curand
