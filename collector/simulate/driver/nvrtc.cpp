// Programs that compile at run time and ask for machine code get the PTX of the same compilation, which
// cuModuleLoadData takes as well.
#include <dlfcn.h>

#include <cstddef>
#include <string>

#include "collector/simulate/driver/loaded_library.hpp"
#include "collector/simulate/runtime/abi.hpp"

namespace {

// NVRTC where the program loaded it by itself, so that it is not behind us in the order of libraries.
void* loaded_nvrtc() {
    const std::string file = gpuproj::simulate::driver::path_of_loaded("libnvrtc.so");
    return file.empty() ? nullptr : dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
}

template <class Function>
Function* of_nvrtc(const char* name) {
    void* function = dlsym(RTLD_NEXT, name);
    if (function == nullptr)
        if (void* const library = loaded_nvrtc()) function = dlsym(library, name);
    return reinterpret_cast<Function*>(function);
}

constexpr int internal_error = 11;  // NVRTC_ERROR_INTERNAL_ERROR

}  // namespace

// NVRTC's own form of these may be a jump to here (runtime/audit.cpp), so it is not asked for anything but PTX.
GPUPROJ_CUDA_API int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
    auto* const size = of_nvrtc<int(void*, std::size_t*)>("nvrtcGetPTXSize");
    return size == nullptr ? internal_error : size(program, bytes);
}
GPUPROJ_CUDA_API int nvrtcGetCUBIN(void* program, char* content) {
    auto* const get = of_nvrtc<int(void*, char*)>("nvrtcGetPTX");
    return get == nullptr ? internal_error : get(program, content);
}
