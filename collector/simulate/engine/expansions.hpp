// What a PTX instruction becomes on the machine, where that is not one instruction of its own kind.
#pragma once

#include <string_view>

#include "collector/simulate/engine/program.hpp"

namespace gpuproj::simulate {

/// One instruction of the given classes.
Mix one(std::initializer_list<Class> classes);
Mix operator+(const Mix& a, const Mix& b);
Mix operator*(float k, const Mix& mix);

/// The mix of "div.rn.f32", "sqrt.rn.f64", ...: nullptr where the instruction is one of its own kind.
const Mix* find_expansion(std::string_view key);

}  // namespace gpuproj::simulate
