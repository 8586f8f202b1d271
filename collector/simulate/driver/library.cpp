// Libraries and their kernels, by the driver API and by the runtime's.
#include "collector/simulate/driver/module.hpp"

namespace gpuproj::simulate::driver {

namespace {

CudaError find_managed(Runtime& runtime, DevicePointer* address, std::size_t* bytes, void* library, const char* name) {
    DevicePointer found = 0;
    const CudaError code = find_variable(runtime, &found, bytes, library, name);
    if (code != cuda::success) return code;
    const auto memory = runtime.allocations().find(pointer(found));
    if (!memory || memory->type != cuda::PointerType::managed) return cuda::symbol_not_found;
    if (address != nullptr) *address = found;
    return cuda::success;
}

// Functions that host and device share are those of systems that are not simulated.
CudaError find_unified(void* library) {
    return module_of(library) == nullptr ? cuda::invalid_resource_handle : cuda::symbol_not_found;
}

}  // namespace

GPUPROJ_BOTH_INTERFACES(LibraryLoadData,
                        (void** library, const void* image, const int* options, void** values, unsigned count,
                         const int*, void**, unsigned),
                        load_data(runtime, library, image, {count, options, values}))
GPUPROJ_BOTH_INTERFACES(LibraryLoadFromFile,
                        (void** library, const char* path, const int* options, void** values, unsigned count,
                         const int*, void**, unsigned),
                        load_file(runtime, library, path, {count, options, values}))
GPUPROJ_BOTH_INTERFACES(LibraryGetKernel, (void** kernel, void* library, const char* name),
                        find_function(runtime, kernel, library, name))
GPUPROJ_BOTH_INTERFACES(LibraryGetKernelCount, (unsigned* count, void* library),
                        count_functions(runtime, count, library))
GPUPROJ_BOTH_INTERFACES(LibraryEnumerateKernels, (void** kernels, unsigned room, void* library),
                        list_functions(runtime, kernels, room, library))
GPUPROJ_BOTH_INTERFACES(LibraryGetGlobal,
                        (DevicePointer * address, std::size_t* bytes, void* library, const char* name),
                        find_variable(runtime, address, bytes, library, name))
GPUPROJ_BOTH_INTERFACES(LibraryGetManaged,
                        (DevicePointer * address, std::size_t* bytes, void* library, const char* name),
                        find_managed(runtime, address, bytes, library, name))
GPUPROJ_BOTH_INTERFACES(LibraryUnload, (void* library), unload(library))
GPUPROJ_BOTH_INTERFACES(LibraryGetUnifiedFunction, (void**, void* library, const char*), find_unified(library))

GPUPROJ_CUDA_API CudaError cuLibraryGetModule(void** module, void* library) {
    return call(__func__, [&](Runtime&) {
        return module_of(library) == nullptr ? cuda::invalid_resource_handle : give(module, library);
    });
}
GPUPROJ_CUDA_API CudaError cuKernelGetFunction(void** function, void* kernel) {
    return call(__func__, [&](Runtime&) {
        return kernel_of(kernel) == nullptr ? cuda::invalid_resource_handle : give(function, kernel);
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
GPUPROJ_CUDA_API CudaError cuKernelSetCacheConfig(const void* kernel, int, int device) {
    return call(__func__, [&](Runtime&) {
        if (kernel_of(kernel) == nullptr) return cuda::invalid_resource_handle;
        return device == 0 ? cuda::success : cuda::invalid_device;
    });
}
GPUPROJ_CUDA_API CudaError cudaKernelSetAttributeForDevice(const void* kernel, int attribute, int value, int device) {
    return api(__func__, [&](Runtime&) { return cuKernelSetAttribute(attribute, value, kernel, device); });
}

}  // namespace gpuproj::simulate::driver
