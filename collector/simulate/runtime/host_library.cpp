// What the stand-ins for closed libraries ask of the runtime's: libraries/host_library.hpp.
#include "collector/simulate/libraries/host_library.hpp"

#include <fmt/format.h>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate {

using cuda::CudaError;

GPUPROJ_CUDA_API int gpuproj_library_work(const char* library, const char* function, void* stream, void (*work)(void*),
                                          void (*drop)(void*), void* data) {
    const std::shared_ptr<void> owned(data, drop);
    return static_cast<int>(guarded(function, [&](Runtime& runtime) {
        runtime.recorder().host_call(library, function);
        return submit(runtime, stream, FunctionWork{[work, owned] { work(owned.get()); }});
    }));
}

GPUPROJ_CUDA_API void gpuproj_library_refuses(const char* library, const char* function) {
    static_cast<void>(guarded(function, [&](Runtime&) -> CudaError {
        throw Refused(cuda::not_supported, fmt::format("this function of {} is not simulated", library),
                      "profile it on a machine with a GPU (--collector cupti)", records::unsupported_function);
    }));
}

GPUPROJ_CUDA_API void gpuproj_library_wrote(const void* begin, std::size_t bytes) {
    if (Runtime* const runtime = Runtime::existing()) runtime->device_access(begin, bytes, true);
}

GPUPROJ_CUDA_API unsigned long long gpuproj_library_version(const void* begin, std::size_t bytes) {
    Runtime* const runtime = Runtime::existing();
    return runtime != nullptr ? runtime->version_of(begin, bytes) : 0;
}

}  // namespace gpuproj::simulate
