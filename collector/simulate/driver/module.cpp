// Modules, their functions and variables; linking of PTX. A module is PTX or a fat binary with PTX; machine code alone
// is refused.
#include "collector/simulate/driver/module.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"
#include "collector/simulate/fatbin/fatbin.hpp"
#include "collector/simulate/fatbin/host_object.hpp"
#include "collector/simulate/ptx/link.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate::driver {

namespace {

constexpr std::string_view elf_magic = "\177ELF";
constexpr const char* load_ptx =
    "load PTX instead: nvcc -ptx, -fatbin with code=compute_XX, or nvrtcGetPTX of what was compiled for compute_XX";

// How much of the memory at `image` is the module. Machine code is not looked at further.
std::string image_at(const void* image) {
    const auto* bytes = static_cast<const std::byte*>(image);
    std::uint32_t magic = 0;
    std::memcpy(&magic, bytes, sizeof magic);
    if (magic == fatbin_wrapper_magic) return image_at(static_cast<const cuda::FatbinWrapper*>(image)->fatbin);
    if (magic == fatbin_magic) {
        const auto size = fatbin_bytes(std::span<const std::byte, fatbin_header_bytes>(bytes, fatbin_header_bytes));
        return {static_cast<const char*>(image), static_cast<std::size_t>(size.value_or(fatbin_header_bytes))};
    }
    if (std::memcmp(bytes, elf_magic.data(), elf_magic.size()) == 0) return std::string(elf_magic);
    return static_cast<const char*>(image);  // PTX ends with a zero
}

FatBinary& load(Runtime& runtime, std::string image, const std::string& origin) {
    if (image.starts_with(elf_magic))
        throw Refused(cuda::no_kernel_image, "machine code without PTX in " + origin, load_ptx,
                      records::unsupported_function);  // some load PTX then
    FatBinary& made = Registry::instance().add(std::move(image), origin);
    try {
        static_cast<void>(made.module(runtime.memory()));
    } catch (...) {
        Registry::instance().remove(&made);
        throw;
    }
    return made;
}

}  // namespace

CudaError load_data(Runtime& runtime, void** module, const void* image, const JitOptions& options) {
    if (module == nullptr || image == nullptr) return cuda::invalid_value;
    return options.told([&] {
        *module = &load(runtime, image_at(image), "a module loaded from memory");
        return cuda::success;
    });
}

CudaError load_file(Runtime& runtime, void** module, const char* path, const JitOptions& options) {
    if (module == nullptr || path == nullptr) return cuda::invalid_value;
    std::ifstream file(path, std::ios::binary);
    if (!file) return cuda::file_not_found;
    return options.told([&] {
        *module = &load(runtime, {std::istreambuf_iterator<char>(file), {}}, path);
        return cuda::success;
    });
}

FatBinary* module_of(void* handle) {
    auto* const module = static_cast<FatBinary*>(handle);
    return Registry::instance().knows(module) ? module : nullptr;
}

CudaError unload(void* handle) {
    FatBinary* const module = module_of(handle);
    if (module == nullptr) return cuda::invalid_resource_handle;
    Registry::instance().retire(module);
    return cuda::success;
}

CudaError count_functions(Runtime& runtime, unsigned* count, void* handle) {
    FatBinary* const module = module_of(handle);
    if (module == nullptr) return cuda::invalid_resource_handle;
    return give(count, static_cast<unsigned>(module->module(runtime.memory()).kernels().size()));
}

CudaError list_functions(Runtime& runtime, void** functions, unsigned room, void* handle) {
    FatBinary* const module = module_of(handle);
    if (module == nullptr) return cuda::invalid_resource_handle;
    if (functions == nullptr) return cuda::invalid_value;
    for (const KernelInfo* info : module->module(runtime.memory()).kernels()) {
        if (room-- == 0) break;
        *functions++ = &Registry::instance().kernel_by_name(*module, info->name);
    }
    return cuda::success;
}

CudaError find_function(Runtime& runtime, void** function, void* handle, const char* name) {
    FatBinary* const module = module_of(handle);
    if (module == nullptr) return cuda::invalid_resource_handle;
    if (function == nullptr || name == nullptr) return cuda::invalid_value;
    if (module->module(runtime.memory()).kernel(name) == nullptr) return cuda::symbol_not_found;
    *function = &Registry::instance().kernel_by_name(*module, name);
    return cuda::success;
}

CudaError find_variable(Runtime& runtime, DevicePointer* address, std::size_t* bytes, void* handle, const char* name) {
    FatBinary* const module = module_of(handle);
    if (module == nullptr) return cuda::invalid_resource_handle;
    if (name == nullptr) return cuda::invalid_value;
    const Variable* variable = module->module(runtime.memory()).variable(name);
    if (variable == nullptr) return cuda::symbol_not_found;
    if (address != nullptr) *address = reinterpret_cast<DevicePointer>(variable->address);
    if (bytes != nullptr) *bytes = variable->bytes;
    return cuda::success;
}

Kernel* kernel_of(const void* function) {
    return function == nullptr ? nullptr : Registry::instance().kernel(function);
}

GPUPROJ_CUDA_API CudaError cuModuleLoad(void** module, const char* path) {
    return in_context(__func__, [&](Runtime& runtime) { return load_file(runtime, module, path); });
}
GPUPROJ_CUDA_API CudaError cuModuleLoadData(void** module, const void* image) {
    return in_context(__func__, [&](Runtime& runtime) { return load_data(runtime, module, image); });
}
GPUPROJ_CUDA_ALIAS(cuModuleLoadFatBinary, cuModuleLoadData);
GPUPROJ_CUDA_API CudaError cuModuleLoadDataEx(void** module, const void* image, unsigned count, const int* options,
                                              void** values) {
    return in_context(__func__, [&](Runtime& runtime) {
        return load_data(runtime, module, image, {count, options, values});
    });
}
GPUPROJ_CUDA_API CudaError cuModuleUnload(void* module) {
    return call(__func__, [&](Runtime&) { return unload(module); });
}
GPUPROJ_CUDA_API CudaError cuModuleGetFunction(void** function, void* module, const char* name) {
    return call(__func__, [&](Runtime& runtime) { return find_function(runtime, function, module, name); });
}
GPUPROJ_CUDA_API CudaError cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, void* module,
                                                const char* name) {
    return call(__func__, [&](Runtime& runtime) { return find_variable(runtime, address, bytes, module, name); });
}
GPUPROJ_CUDA_API CudaError cuModuleGetFunctionCount(unsigned* count, void* handle) {
    return call(__func__, [&](Runtime& runtime) { return count_functions(runtime, count, handle); });
}
GPUPROJ_CUDA_API CudaError cuModuleEnumerateFunctions(void** functions, unsigned room, void* handle) {
    return call(__func__, [&](Runtime& runtime) { return list_functions(runtime, functions, room, handle); });
}
GPUPROJ_CUDA_API CudaError cuModuleGetLoadingMode(int* mode) {
    constexpr int eager = 1;
    return call(__func__, [&](Runtime&) { return give(mode, eager); });
}

CudaError get_attribute(int* value, int attribute, const void* function) {
    if (value == nullptr) return cuda::invalid_value;
    cuda::FunctionAttributes12 all{};
    if (const auto code = gpuproj_v12_cudaFuncGetAttributes(&all, function); code != cuda::success) return code;
    const int values[]{all.max_threads_per_block,
                       static_cast<int>(all.shared_bytes),
                       static_cast<int>(all.constant_bytes),
                       static_cast<int>(all.local_bytes),
                       all.registers,
                       all.ptx_version,
                       all.binary_version,
                       all.cache_mode_ca,
                       all.max_dynamic_shared_bytes,
                       all.preferred_shared_carveout,
                       all.cluster_dimension_must_be_set,
                       all.required_cluster[0],
                       all.required_cluster[1],
                       all.required_cluster[2],
                       all.non_portable_cluster_size_allowed};
    if (attribute < 0 || static_cast<std::size_t>(attribute) >= std::size(values)) return cuda::invalid_value;
    *value = values[attribute];
    return cuda::success;
}

CudaError set_attribute(const void* function, int attribute, int value) {
    return cudaFuncSetAttribute(function, attribute, value);
}

GPUPROJ_CUDA_API CudaError cuFuncGetAttribute(int* value, int attribute, const void* function) {
    return call(__func__, [&](Runtime&) { return get_attribute(value, attribute, function); });
}
GPUPROJ_CUDA_API CudaError cuFuncSetAttribute(const void* function, int attribute, int value) {
    return call(__func__, [&](Runtime&) { return set_attribute(function, attribute, value); });
}
GPUPROJ_CUDA_API CudaError cuFuncSetCacheConfig(const void* function, int) {
    return call(__func__, [&](Runtime&) {
        return kernel_of(function) == nullptr ? cuda::invalid_resource_handle : cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cuFuncSetSharedMemConfig, cuFuncSetCacheConfig);
GPUPROJ_CUDA_API CudaError cuFuncGetModule(void** module, const void* function) {
    return call(__func__, [&](Runtime&) {
        const Kernel* kernel = kernel_of(function);
        return kernel == nullptr ? cuda::invalid_resource_handle : give(module, static_cast<void*>(kernel->owner));
    });
}
GPUPROJ_CUDA_API CudaError cuFuncGetName(const char** name, const void* function) {
    return call(__func__, [&](Runtime&) { return cudaFuncGetName(name, function); });
}
GPUPROJ_CUDA_ALIAS(cuKernelGetName, cuFuncGetName);
GPUPROJ_CUDA_API CudaError cuFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                              std::size_t* bytes) {
    return call(__func__, [&](Runtime&) { return cudaFuncGetParamInfo(function, index, offset, bytes); });
}
GPUPROJ_CUDA_ALIAS(cuKernelGetParamInfo, cuFuncGetParamInfo);
GPUPROJ_CUDA_API CudaError cuFuncIsLoaded(int* state, const void* function) {
    return call(__func__, [&](Runtime&) {
        return kernel_of(function) == nullptr ? cuda::invalid_resource_handle : give(state, 1);
    });
}
GPUPROJ_CUDA_API CudaError cuFuncLoad(const void* function) {
    return call(__func__, [&](Runtime&) {
        return kernel_of(function) == nullptr ? cuda::invalid_resource_handle : cuda::success;
    });
}

// ---- linking

namespace {

struct Linking {
    JitOptions options;
    std::vector<std::string> units;
    std::string linked;  // what cuLinkComplete gave, until cuLinkDestroy
};
Handles<std::shared_ptr<Linking>>& linkings() {
    static auto* const all = new Handles<std::shared_ptr<Linking>>;
    return *all;
}
std::shared_ptr<Linking> linking_of(void* handle) {
    std::shared_ptr<Linking> found;
    linkings().with(handle, [&](const std::shared_ptr<Linking>& one) { found = one; });
    return found;
}

CudaError add_unit(void* handle, std::string image, const std::string& origin) {
    const auto linking = linking_of(handle);
    if (!linking) return cuda::invalid_resource_handle;
    for (auto& text : texts_to_link(std::move(image), origin)) linking->units.push_back(std::move(text));
    return cuda::success;
}

std::string ptx_of(const Fatbin& fatbin, const std::string& origin) {
    const auto ptx = std::ranges::find(fatbin.entries, FatbinKind::ptx, &FatbinEntry::kind);
    if (ptx == fatbin.entries.end())
        throw Refused(cuda::no_kernel_image, "machine code to be linked, " + origin, load_ptx);
    return entry_text(*ptx).text;
}

}  // namespace

std::vector<std::string> texts_to_link(std::string image, const std::string& origin) {
    const bool archive = image.starts_with("!<arch>");
    // What kernels launch kernels with: the engine has it.
    if (archive && origin.ends_with("libcudadevrt.a")) return {};
    if (archive || image.starts_with(elf_magic)) {
        std::vector<std::string> texts;
        for (const auto& fatbin : relocatable_fatbins(std::as_bytes(std::span(image))))
            texts.push_back(ptx_of(fatbin, origin));
        if (texts.empty()) throw Refused(cuda::no_kernel_image, "machine code to be linked, " + origin, load_ptx);
        return texts;
    }
    std::uint32_t magic = 0;
    if (image.size() >= sizeof magic) std::memcpy(&magic, image.data(), sizeof magic);
    if (magic == fatbin_magic) return {ptx_of(read_fatbin(std::as_bytes(std::span(image))), origin)};
    while (!image.empty() && image.back() == '\0') image.pop_back();
    return {std::move(image)};
}

GPUPROJ_CUDA_API CudaError cuLinkCreate_v2(unsigned count, const int* options, void** values, void** state) {
    return in_context(__func__, [&](Runtime&) {
        if (state == nullptr) return cuda::invalid_value;
        auto linking = std::make_shared<Linking>();
        linking->options = {count, options, values};
        return give(state, linkings().add(std::move(linking)));
    });
}
GPUPROJ_CUDA_ALIAS(cuLinkCreate, cuLinkCreate_v2);
GPUPROJ_CUDA_API CudaError cuLinkAddData_v2(void* state, int, const void* data, std::size_t bytes, const char* name,
                                            unsigned, const int*, void**) {
    return call(__func__, [&](Runtime&) {
        if (data == nullptr) return cuda::invalid_value;
        return add_unit(state, {static_cast<const char*>(data), bytes}, name == nullptr ? "from memory" : name);
    });
}
GPUPROJ_CUDA_ALIAS(cuLinkAddData, cuLinkAddData_v2);
GPUPROJ_CUDA_API CudaError cuLinkAddFile_v2(void* state, int, const char* path, unsigned, const int*, void**) {
    return call(__func__, [&](Runtime&) {
        if (path == nullptr) return cuda::invalid_value;
        std::ifstream file(path, std::ios::binary);
        if (!file) return cuda::file_not_found;
        return add_unit(state, {std::istreambuf_iterator<char>(file), {}}, path);
    });
}
GPUPROJ_CUDA_ALIAS(cuLinkAddFile, cuLinkAddFile_v2);
GPUPROJ_CUDA_API CudaError cuLinkComplete(void* state, void** image, std::size_t* bytes) {
    return call(__func__, [&](Runtime&) {
        const auto linking = linking_of(state);
        if (!linking || linking->units.empty()) return cuda::invalid_resource_handle;
        if (image == nullptr) return cuda::invalid_value;
        return linking->options.told([&] {
            const auto& units = linking->units;
            linking->linked = units.size() == 1 ? units.front() : ptx::link(units);
            *image = linking->linked.data();
            if (bytes != nullptr) *bytes = linking->linked.size() + 1;
            return cuda::success;
        });
    });
}
GPUPROJ_CUDA_API CudaError cuLinkDestroy(void* state) {
    // Of the host alone, and so not with the errors of earlier launches.
    return ask(__func__,
               [&](Runtime&) { return linkings().remove(state) ? cuda::success : cuda::invalid_resource_handle; });
}

}  // namespace gpuproj::simulate::driver
