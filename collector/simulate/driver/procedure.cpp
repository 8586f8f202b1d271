// Functions of the driver API by name, as libraries that know several versions of it ask for them.
#include <dlfcn.h>

#include <string>

#include "collector/simulate/driver/driver.hpp"

namespace gpuproj::simulate::driver {

namespace {

// The newest form that there is here; what is not simulated has an address, too, and is refused when it is called.
void* procedure(const std::string& name) {
    static void* const here = [] {
        Dl_info info;
        static const char anchor = 0;
        return dladdr(&anchor, &info) == 0 ? nullptr : dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }();
    if (here == nullptr) return nullptr;
    for (const char* version : {"_v4", "_v3", "_v2", ""})
        if (void* found = dlsym(here, (name + version).c_str())) return found;
    return nullptr;
}

CudaError find(void** function, const char* name, int* status) {
    constexpr int found = 0, not_found = 1;  // CUdriverProcAddressQueryResult
    if (function == nullptr || name == nullptr) return cuda::invalid_value;
    *function = procedure(name);
    if (status != nullptr) *status = *function == nullptr ? not_found : found;
    return *function == nullptr ? cuda::symbol_not_found : cuda::success;
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int* status) {
    return find(function, name, status);
}
GPUPROJ_CUDA_API CudaError cuGetProcAddress(const char* name, void** function, int, std::uint64_t) {
    return find(function, name, nullptr);
}

// Private tables of the driver, which NVRTC asks for and does without.
GPUPROJ_CUDA_API CudaError cuGetExportTable(const void**, const void*) {
    return cuda::symbol_not_found;
}

// A missing function is told by the status alone.
GPUPROJ_CUDA_API CudaError cudaGetDriverEntryPoint(const char* name, void** function, std::uint64_t, int* status) {
    return api(__func__, [&](Runtime&) {
        const CudaError code = find(function, name, status);
        return code == cuda::symbol_not_found ? cuda::success : code;
    });
}
GPUPROJ_CUDA_ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);
GPUPROJ_CUDA_API CudaError cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, std::uint64_t,
                                                            int* status) {
    return api(__func__, [&](Runtime&) {
        const CudaError code = find(function, name, status);
        return code == cuda::symbol_not_found ? cuda::success : code;
    });
}
GPUPROJ_CUDA_ALIAS(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion);

}  // namespace gpuproj::simulate::driver
