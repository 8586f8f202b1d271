// Parameters and results of CUPTI's functions.
#pragma once

#include <cupti_result.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <vector>

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

/// Names as CUPTI takes them; they last as long as the strings.
inline std::vector<const char*> c_strings(std::span<const std::string> names) {
    std::vector<const char*> pointers;
    pointers.reserve(names.size());
    std::ranges::transform(names, std::back_inserter(pointers), &std::string::c_str);
    return pointers;
}

}  // namespace gpuproj::cupti
