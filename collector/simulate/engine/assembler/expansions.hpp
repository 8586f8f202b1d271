// What a PTX instruction becomes on the machine, where that is not one instruction of its own kind.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "collector/simulate/engine/program.hpp"

namespace gpuproj::simulate {

/// One instruction of the given classes.
Mix one(std::initializer_list<Class> classes);
Mix operator+(const Mix& a, const Mix& b);
Mix operator*(float k, const Mix& mix);

/// The mix of "div.rn.f32", "sqrt.rn.f64", ... on GPUs of a compute capability (86 for 8.6): what ptxas generates for
/// the nearest lower one that it was asked for (expansions.inc, made by tools/dev/expansions.py), or for the lowest.
/// nullptr where the instruction is one of its own kind.
const Mix* find_expansion(std::string_view key, int capability);

/// 86 for "8.6"; for what is no CUDA compute capability, that of the newest machine code in the table.
int capability_number(std::string_view compute_capability);

/// What the table has of it, in the order of capabilities; empty where the cost is its own on all GPUs.
std::span<const Expansion> expansions_of(const Cost& cost);

/// The mix of a cost on GPUs of a compute capability. `expansions`: those of the cost.
const Mix& resolve(const Cost& cost, std::span<const Expansion> expansions, int capability);

/// Machine instructions that a cost is, for what is decided alike for all GPUs: where generations differ (a product is
/// three on Maxwell and Pascal), as many as on 7.5.
float machine_instructions(const Cost& cost);

}  // namespace gpuproj::simulate
