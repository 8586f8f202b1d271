// What the stand-in does not have answers by name instead of reaching the real runtime.
#include "collector/simulate/runtime/api.hpp"

namespace gpuproj::simulate {

using cuda::CudaError;

/// Writes down that the application called `function` and gives cudaErrorNotSupported. Also called by the thunks that
/// audit.cpp makes for names nobody knew when this was written; `function` lives as long as the process.
GPUPROJ_CUDA_API CudaError gpuproj_unsupported(const char* function) {
    return api(function, [&](Runtime&) -> CudaError {
        throw Refused(cuda::not_supported, "this function of the CUDA runtime is not simulated", "",
                      records::unsupported_function);
    });
}

}  // namespace gpuproj::simulate

#define GPUPROJ_UNSUPPORTED(name)                                                                       \
    extern "C" __attribute__((weak, visibility("default"))) gpuproj::simulate::cuda::CudaError name() { \
        return gpuproj::simulate::gpuproj_unsupported(#name);                                           \
    }
#include "collector/simulate/runtime/unsupported_names.inc"
