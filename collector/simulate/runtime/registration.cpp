// What compiled code calls before main and when a library is closed. Nothing here needs the device.
#include <exception>
#include <string>
#include <string_view>
#include <vector>

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

// What a reference's name in C++, "::scope::name", is in the PTX, templates and namespaces without a name aside.
std::string mangled(std::string_view name) {
    std::vector<std::string_view> parts;
    while (!name.empty()) {
        const std::size_t end = name.find("::");
        if (end != 0) parts.push_back(name.substr(0, end));
        name = end == std::string_view::npos ? std::string_view{} : name.substr(end + 2);
    }
    if (parts.size() == 1) return std::string(parts.front());
    std::string result = "_ZN";
    for (const std::string_view part : parts) result.append(std::to_string(part.size())).append(part);
    return result + "E";
}

// `device`, whatever its type says, is the name in the PTX.
void add_reference(void** handle, const void* host, const void** device, const char* name) {
    if (handle == nullptr) return;
    registering([&](Registry& registry) {
        const std::string in_ptx = device != nullptr ? reinterpret_cast<const char*>(device) : mangled(name);
        registry.add_variable(binary(handle), host, in_ptx.c_str(), sizeof(std::uint64_t), nullptr);
    });
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

// Texture and surface references are variables that hold the handle of an object.
GPUPROJ_CUDA_API void __cudaRegisterTexture(void** handle, const void* host, const void** device, const char* name, int,
                                            int, int) {
    add_reference(handle, host, device, name);
}
GPUPROJ_CUDA_API void __cudaRegisterSurface(void** handle, const void* host, const void** device, const char* name, int,
                                            int) {
    add_reference(handle, host, device, name);
}
GPUPROJ_CUDA_API void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

GPUPROJ_CUDA_API char __cudaInitModule(void** handle) {
    const auto code = api("__cudaInitModule", [&](Runtime&) {
        if (handle != nullptr) place_managed(binary(handle));
        return cuda::success;
    });
    return code == cuda::success ? 1 : 0;
}
// Its name in CUDA 6 to 8.
GPUPROJ_CUDA_ALIAS(__cudaInitManagedRuntime, __cudaInitModule);
// Of CUDA 8 and older: shared memory needs no telling.
GPUPROJ_CUDA_API void __cudaRegisterShared(void**, void**) {}
GPUPROJ_CUDA_API void __cudaRegisterSharedVar(void**, void**, std::size_t, std::size_t, int) {}

}  // namespace gpuproj::simulate
