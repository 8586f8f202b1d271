// Parameters of functions that have an address.
#pragma once

#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate::ptx {

/// A function that takes the address of one of its parameters and uses it gets a copy in its local memory when it
/// begins, whose address that is (PTX ISA, mov). Compilers do so for arrays that they index; clang without -O takes the
/// address of every structure, and uses none.
void put_parameters_on_stack(Function& function);

}  // namespace gpuproj::simulate::ptx
