// Parameters and results of CUPTI's functions.
#pragma once

#include <cupti_result.h>

#include <string>

#include "model/error.hpp"

namespace gpuproj::cupti {

inline std::string result_name(CUptiResult result) {
    const char* name = nullptr;
    if (cuptiGetResultString(result, &name) != CUPTI_SUCCESS || name == nullptr) return std::to_string(int(result));
    return name;
}

/// Throws Error with the name of the function unless it succeeded.
inline void check(CUptiResult result, const char* function) {
    if (result != CUPTI_SUCCESS) throw Error(std::string(function) + ": " + result_name(result));
}

/// Parameters of a function, all 0 but for their size, by which CUPTI knows their version.
template <class Params>
Params sized(std::size_t struct_size) {
    Params params{};
    params.structSize = struct_size;
    return params;
}

}  // namespace gpuproj::cupti
