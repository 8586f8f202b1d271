// Functions of the driver API by name, as libraries that know several versions of it ask for them.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "collector/simulate/driver/driver.hpp"

namespace gpuproj::simulate::driver {

namespace {

struct Since {
    std::string_view name;
    int version;
};

// Forms of functions that are called otherwise than the one before: since which CUDA they are meant by the bare name
// (cudaTypedefs.h).
constexpr std::array changed{
    Since{"cuCtxCreate_v3", 11040},
    Since{"cuCtxCreate_v4", 12050},
    Since{"cuCtxGetDevice_v2", 13000},
    Since{"cuCtxSynchronize_v2", 13000},
    Since{"cuGetProcAddress_v2", 12000},
    Since{"cuGraphAddDependencies_v2", 12030},
    Since{"cuGraphAddKernelNode_v2", 12000},
    Since{"cuGraphAddNode_v2", 12030},
    Since{"cuGraphExecKernelNodeSetParams_v2", 12000},
    Since{"cuGraphExecUpdate_v2", 12000},
    Since{"cuGraphGetEdges_v2", 12030},
    Since{"cuGraphInstantiate_v2", 11000},
    Since{"cuGraphKernelNodeGetParams_v2", 12000},
    Since{"cuGraphKernelNodeSetParams_v2", 12000},
    Since{"cuGraphNodeGetDependencies_v2", 12030},
    Since{"cuGraphNodeGetDependentNodes_v2", 12030},
    Since{"cuGraphRemoveDependencies_v2", 12030},
    Since{"cuMemAdvise_v2", 12020},
    Since{"cuMemcpy3DBatchAsync_v2", 13000},
    Since{"cuMemcpyBatchAsync_v2", 13000},
    Since{"cuMemPrefetchAsync_v2", 12020},
    Since{"cuStreamGetCaptureInfo_v2", 11030},
    Since{"cuStreamGetCaptureInfo_v3", 12030},
    Since{"cuStreamGetCtx_v2", 12050},
    Since{"cuStreamUpdateCaptureDependencies_v2", 12030},
};

bool is_newer(const std::string& name, int version) {
    return std::ranges::any_of(changed, [&](const Since& form) { return form.name == name && form.version > version; });
}

// The newest form that there is here, but none newer than `version`; what is not simulated has an address, too, and is
// refused when it is called.
void* procedure(const std::string& name, int version) {
    static void* const here = [] {
        Dl_info info;
        static const char anchor = 0;
        return dladdr(&anchor, &info) == 0 ? nullptr : dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }();
    if (here == nullptr) return nullptr;
    // The one function whose bare name went over to another with CUDA 12.
    if (name == "cuGraphInstantiate" && version >= 12000) return procedure("cuGraphInstantiateWithFlags", version);
    for (const char* form : {"_v4", "_v3", "_v2", ""})
        if (!is_newer(name + form, version))
            if (void* found = dlsym(here, (name + form).c_str())) return found;
    return nullptr;
}

CudaError find(void** function, const char* name, int version, int* status) {
    constexpr int found = 0, not_found = 1;  // CUdriverProcAddressQueryResult
    if (function == nullptr || name == nullptr) return cuda::invalid_value;
    *function = procedure(name, version);
    if (status != nullptr) *status = *function == nullptr ? not_found : found;
    return *function == nullptr ? cuda::symbol_not_found : cuda::success;
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuGetProcAddress_v2(const char* name, void** function, int version, std::uint64_t,
                                               int* status) {
    return find(function, name, version, status);
}
GPUPROJ_CUDA_API CudaError cuGetProcAddress(const char* name, void** function, int version, std::uint64_t) {
    return find(function, name, version, nullptr);
}

// Private tables of the driver, which NVRTC asks for and does without.
GPUPROJ_CUDA_API CudaError cuGetExportTable(const void**, const void*) {
    return cuda::symbol_not_found;
}

// A missing function is told by the status alone. Those of the runtime's own version: up to CUDA 12, what
// cudaRuntimeGetVersion says there.
GPUPROJ_CUDA_API CudaError cudaGetDriverEntryPoint(const char* name, void** function, std::uint64_t, int* status) {
    return api(__func__, [&](Runtime&) {
        constexpr int last_without_version = 12080;
        const CudaError code = find(function, name, last_without_version, status);
        return code == cuda::symbol_not_found ? cuda::success : code;
    });
}
GPUPROJ_CUDA_ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);
GPUPROJ_CUDA_API CudaError cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                                            std::uint64_t, int* status) {
    return api(__func__, [&](Runtime&) {
        const CudaError code = find(function, name, static_cast<int>(version), status);
        return code == cuda::symbol_not_found ? cuda::success : code;
    });
}
GPUPROJ_CUDA_ALIAS(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion);

}  // namespace gpuproj::simulate::driver
