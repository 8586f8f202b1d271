// What the stand-in does not have answers by name instead of reaching the real runtime.
#include <string_view>

#include "collector/simulate/runtime/api.hpp"

namespace gpuproj::simulate {

using cuda::CudaError;

/// Writes down that the application called `function` and gives cudaErrorNotSupported. Also called by the thunks that
/// audit.cpp makes for names nobody knew when this was written; `function` lives as long as the process.
GPUPROJ_CUDA_API CudaError gpuproj_unsupported(const char* function) {
    const bool of_runtime = std::string_view(function).find("cuda") != std::string_view::npos;
    const auto refuse = [&](Runtime&) -> CudaError {
        throw Refused(cuda::not_supported,
                      of_runtime ? "this function of the CUDA runtime is not simulated"
                                 : "this function of the CUDA driver API is not simulated",
                      "", records::unsupported_function);
    };
    return of_runtime ? api(function, refuse) : guarded(function, refuse);
}

}  // namespace gpuproj::simulate

#define GPUPROJ_UNSUPPORTED(name)                                                                       \
    extern "C" __attribute__((weak, visibility("default"))) gpuproj::simulate::cuda::CudaError name() { \
        return gpuproj::simulate::gpuproj_unsupported(#name);                                           \
    }
#include "collector/simulate/driver/unsupported_names.inc"
#include "collector/simulate/runtime/unsupported_names.inc"
