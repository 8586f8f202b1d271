// Libraries and their kernels, by the driver API and by the runtime's.
#include "collector/simulate/driver/module.hpp"

namespace gpuproj::simulate::driver {

GPUPROJ_CUDA_API CudaError cuLibraryLoadData(void** library, const void* image, const int*, void**, unsigned,
                                             const int*, void**, unsigned) {
    return call(__func__, [&](Runtime& runtime) { return load_data(runtime, library, image); });
}
GPUPROJ_CUDA_API CudaError cuLibraryLoadFromFile(void** library, const char* path, const int*, void**, unsigned,
                                                 const int*, void**, unsigned) {
    return call(__func__, [&](Runtime& runtime) { return load_file(runtime, library, path); });
}
GPUPROJ_CUDA_API CudaError cuLibraryUnload(void* library) {
    return call(__func__, [&](Runtime&) { return unload(library); });
}
GPUPROJ_CUDA_API CudaError cuLibraryGetKernel(void** kernel, void* library, const char* name) {
    return call(__func__, [&](Runtime& runtime) { return find_function(runtime, kernel, library, name); });
}
GPUPROJ_CUDA_API CudaError cuLibraryGetModule(void** module, void* library) {
    return call(__func__, [&](Runtime&) {
        return module_of(library) == nullptr ? cuda::invalid_resource_handle : give(module, library);
    });
}
GPUPROJ_CUDA_API CudaError cuLibraryGetGlobal(DevicePointer* address, std::size_t* bytes, void* library,
                                              const char* name) {
    return call(__func__, [&](Runtime& runtime) { return find_variable(runtime, address, bytes, library, name); });
}
GPUPROJ_CUDA_API CudaError cuKernelGetFunction(void** function, void* kernel) {
    return call(__func__, [&](Runtime&) {
        return kernel_of(kernel) == nullptr ? cuda::invalid_resource_handle : give(function, kernel);
    });
}
GPUPROJ_CUDA_API CudaError cuLibraryGetKernelCount(unsigned* count, void* library) {
    return call(__func__, [&](Runtime& runtime) { return count_functions(runtime, count, library); });
}
GPUPROJ_CUDA_API CudaError cuLibraryEnumerateKernels(void** kernels, unsigned room, void* library) {
    return call(__func__, [&](Runtime& runtime) { return list_functions(runtime, kernels, room, library); });
}
GPUPROJ_CUDA_API CudaError cuLibraryGetManaged(DevicePointer* address, std::size_t* bytes, void* library,
                                               const char* name) {
    return call(__func__, [&](Runtime& runtime) {
        DevicePointer found = 0;
        const CudaError code = find_variable(runtime, &found, bytes, library, name);
        if (code != cuda::success) return code;
        const auto memory = runtime.allocations().find(pointer(found));
        if (!memory || memory->type != cuda::PointerType::managed) return cuda::symbol_not_found;
        if (address != nullptr) *address = found;
        return cuda::success;
    });
}
// Functions that host and device share are those of systems that are not simulated.
GPUPROJ_CUDA_API CudaError cuLibraryGetUnifiedFunction(void**, void* library, const char*) {
    return call(__func__, [&](Runtime&) {
        return module_of(library) == nullptr ? cuda::invalid_resource_handle : cuda::symbol_not_found;
    });
}
GPUPROJ_CUDA_API CudaError cuKernelGetLibrary(void** library, const void* kernel) {
    return call(__func__, [&](Runtime&) {
        const Kernel* found = kernel_of(kernel);
        return found == nullptr ? cuda::invalid_resource_handle : give(library, static_cast<void*>(found->owner));
    });
}
GPUPROJ_CUDA_API CudaError cuKernelGetAttribute(int* value, int attribute, const void* kernel, int device) {
    return call(__func__,
                [&](Runtime&) { return device == 0 ? get_attribute(value, attribute, kernel) : cuda::invalid_device; });
}
GPUPROJ_CUDA_API CudaError cuKernelSetAttribute(int attribute, int value, const void* kernel, int device) {
    return call(__func__,
                [&](Runtime&) { return device == 0 ? set_attribute(kernel, attribute, value) : cuda::invalid_device; });
}

// ---- the runtime's

GPUPROJ_CUDA_API CudaError cudaLibraryLoadData(void** library, const void* image, const int*, void**, unsigned,
                                               const int*, void**, unsigned) {
    return api(__func__, [&](Runtime& runtime) { return load_data(runtime, library, image); });
}
GPUPROJ_CUDA_API CudaError cudaLibraryLoadFromFile(void** library, const char* path, const int*, void**, unsigned,
                                                   const int*, void**, unsigned) {
    return api(__func__, [&](Runtime& runtime) { return load_file(runtime, library, path); });
}
GPUPROJ_CUDA_API CudaError cudaLibraryUnload(void* library) {
    return api(__func__, [&](Runtime&) { return unload(library); });
}
GPUPROJ_CUDA_API CudaError cudaLibraryGetKernel(void** kernel, void* library, const char* name) {
    return api(__func__, [&](Runtime& runtime) { return find_function(runtime, kernel, library, name); });
}
GPUPROJ_CUDA_API CudaError cudaLibraryGetKernelCount(unsigned* count, void* library) {
    return api(__func__, [&](Runtime& runtime) { return count_functions(runtime, count, library); });
}
GPUPROJ_CUDA_API CudaError cudaLibraryEnumerateKernels(void** kernels, unsigned room, void* library) {
    return api(__func__, [&](Runtime& runtime) { return list_functions(runtime, kernels, room, library); });
}
GPUPROJ_CUDA_API CudaError cudaLibraryGetGlobal(DevicePointer* address, std::size_t* bytes, void* library,
                                                const char* name) {
    return api(__func__, [&](Runtime& runtime) { return find_variable(runtime, address, bytes, library, name); });
}
GPUPROJ_CUDA_API CudaError cudaLibraryGetManaged(DevicePointer* address, std::size_t* bytes, void* library,
                                                 const char* name) {
    return api(__func__, [&](Runtime&) { return cuLibraryGetManaged(address, bytes, library, name); });
}
GPUPROJ_CUDA_API CudaError cudaLibraryGetUnifiedFunction(void** function, void* library, const char* name) {
    return api(__func__, [&](Runtime&) { return cuLibraryGetUnifiedFunction(function, library, name); });
}
GPUPROJ_CUDA_API CudaError cudaKernelSetAttributeForDevice(const void* kernel, int attribute, int value, int device) {
    return api(__func__, [&](Runtime&) { return cuKernelSetAttribute(attribute, value, kernel, device); });
}

}  // namespace gpuproj::simulate::driver
