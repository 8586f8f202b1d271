// Where shared variables are. Of a program built with -rdc=true they are all at module scope, each of them of the few
// kernels that name it: a kernel gets room for what it can reach, not for all.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate {

/// The assembler places arrays so that wide accesses are possible.
std::uint32_t shared_align(const ptx::Variable& variable);

/// The shared memory of a block as one function sees it, in bytes from its begin.
struct SharedLayout {
    std::map<std::string, std::uint32_t, std::less<>> module_variables;  // of module scope, those that it names
    std::uint32_t own = 0;                                               // where the variables of its own scope begin
    std::uint32_t dynamic = 0;                                           // where dynamic shared memory begins
    std::uint32_t bytes = 0;  // static shared memory of a kernel and all that it can call
};

/// Device functions find their variables at the same place whoever calls them; behind these come those of each kernel.
std::map<const ptx::Function*, SharedLayout> lay_out_shared(const ptx::ParsedModule& module,
                                                            const std::vector<const ptx::Function*>& functions);

}  // namespace gpuproj::simulate
