// From parsed PTX to runnable code.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collector/simulate/engine/program.hpp"
#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate {

/// Places the module's variables, decodes every function. A function that uses something the engine lacks is kept with
/// Code::unsupported set (naming instruction and line), so that other kernels of the module can run. Throws PtxError.
std::unique_ptr<Program> decode(const ptx::ParsedModule& module, std::string origin, DeviceMemory& memory,
                                MachineCode machine_code);

/// Gives the variables of a program made of `module` the values that it says.
void set_variables(const Program& program, const ptx::ParsedModule& module);

/// The names of the instructions the engine knows, "add" for all of add's forms.
std::vector<std::string_view> instruction_names();

}  // namespace gpuproj::simulate
