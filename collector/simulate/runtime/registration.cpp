// What compiled code calls before main and when a library is closed. Nothing here needs the device.
#include <exception>

#include "collector/simulate/runtime/api.hpp"

namespace gpuproj::simulate {

namespace {

FatBinary& binary(void** handle) {
    return *reinterpret_cast<FatBinary*>(handle);
}

// Registering has no way to fail; lack of memory makes the kernel unknown when it is launched.
template <class Body>
void registering(Body&& body) noexcept {
    try {
        body(Registry::instance());
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
}

// Places a managed variable where host code looks for it.
void place_managed(FatBinary& owner) {
    const auto variables = Registry::instance().managed_variables(owner);
    if (variables.empty()) return;
    Runtime& runtime = Runtime::instance();
    const Module& module = owner.module(runtime.memory());
    for (const auto* variable : variables)
        if (const Variable* placed = module.variable(variable->name)) *variable->managed_pointer = placed->address;
}

}  // namespace

GPUPROJ_CUDA_API void** __cudaRegisterFatBinary(void* wrapper) {
    void** handle = nullptr;
    registering([&](Registry& registry) {
        handle = reinterpret_cast<void**>(&registry.add(*static_cast<const cuda::FatbinWrapper*>(wrapper)));
    });
    return handle;
}

GPUPROJ_CUDA_API void __cudaRegisterFatBinaryEnd(void**) {}

GPUPROJ_CUDA_API void __cudaUnregisterFatBinary(void** handle) {
    if (handle == nullptr) return;
    registering([&](Registry& registry) { registry.remove(&binary(handle)); });
}

GPUPROJ_CUDA_API void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*,
                                             void*, void*, void*, int*) {
    if (handle == nullptr) return;
    registering([&](Registry& registry) { registry.add_kernel(binary(handle), host, name); });
}

GPUPROJ_CUDA_API void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes, int,
                                        int) {
    if (handle == nullptr) return;
    registering([&](Registry& registry) { registry.add_variable(binary(handle), host, name, bytes, nullptr); });
}

GPUPROJ_CUDA_API void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* name, int,
                                               std::size_t bytes, int, int) {
    if (handle == nullptr) return;
    registering(
        [&](Registry& registry) { registry.add_variable(binary(handle), host_pointer, name, bytes, host_pointer); });
}

GPUPROJ_CUDA_ALIAS(__cudaRegisterManagedVariable, __cudaRegisterManagedVar);

// Texture and surface references are named by the functions that bind them.
GPUPROJ_CUDA_API void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {}
GPUPROJ_CUDA_API void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {}
GPUPROJ_CUDA_API void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

GPUPROJ_CUDA_API char __cudaInitModule(void** handle) {
    const auto code = api("__cudaInitModule", [&](Runtime&) {
        if (handle != nullptr) place_managed(binary(handle));
        return cuda::success;
    });
    return code == cuda::success ? 1 : 0;
}

}  // namespace gpuproj::simulate
