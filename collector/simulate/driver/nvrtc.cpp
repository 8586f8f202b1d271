// Programs that compile at run time and ask for machine code get the PTX of the same compilation, which
// cuModuleLoadData takes as well.
#include <dlfcn.h>

#include <cstddef>

#include "collector/simulate/runtime/abi.hpp"

namespace {

template <class Function>
Function* of_nvrtc(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

using Size = int(void* program, std::size_t* bytes);
using Content = int(void* program, char* content);
constexpr int internal_error = 11;  // NVRTC_ERROR_INTERNAL_ERROR

// Is there PTX in the place of machine code? Without -arch=sm_XX there is no machine code to begin with.
bool stands_in(void* program) {
    auto* const machine_code = of_nvrtc<Size>("nvrtcGetCUBINSize");
    auto* const ptx = of_nvrtc<Size>("nvrtcGetPTXSize");
    std::size_t machine_bytes = 0, ptx_bytes = 0;
    return machine_code != nullptr && ptx != nullptr && machine_code(program, &machine_bytes) == 0 &&
           machine_bytes > 0 && ptx(program, &ptx_bytes) == 0 && ptx_bytes > 1;
}

}  // namespace

GPUPROJ_CUDA_API int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
    auto* const size = of_nvrtc<Size>(stands_in(program) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize");
    return size == nullptr ? internal_error : size(program, bytes);
}
GPUPROJ_CUDA_API int nvrtcGetCUBIN(void* program, char* content) {
    auto* const get = of_nvrtc<Content>(stands_in(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
    return get == nullptr ? internal_error : get(program, content);
}
