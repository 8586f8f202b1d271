// What modules and libraries, which are modules under another name, have in common: module.cpp has it.
#pragma once

#include <string>
#include <vector>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/jit_options.hpp"

namespace gpuproj::simulate::driver {

/// These give what the cuModule functions give, and throw Refused for machine code without PTX and for what is no PTX.
CudaError load_data(Runtime& runtime, void** module, const void* image, const JitOptions& options = {});
CudaError load_file(Runtime& runtime, void** module, const char* path, const JitOptions& options = {});
CudaError unload(void* handle);
CudaError count_functions(Runtime& runtime, unsigned* count, void* handle);
CudaError list_functions(Runtime& runtime, void** functions, unsigned room, void* handle);
CudaError find_function(Runtime& runtime, void** function, void* handle, const char* name);
CudaError find_variable(Runtime& runtime, DevicePointer* address, std::size_t* bytes, void* handle, const char* name);

/// nullptr if it is none, or unloaded.
FatBinary* module_of(void* handle);
Kernel* kernel_of(const void* function);

/// The PTX of what is to be linked: PTX, a fat binary, or the relocatable code in an object, a program or a library of
/// the host's (several units, then). Nothing for the library of the device runtime, which the engine has. Throws
/// Refused for machine code.
std::vector<std::string> texts_to_link(std::string image, const std::string& origin);

/// Those of CUfunction_attribute.
CudaError get_attribute(int* value, int attribute, const void* function);
CudaError set_attribute(const void* function, int attribute, int value);

}  // namespace gpuproj::simulate::driver
