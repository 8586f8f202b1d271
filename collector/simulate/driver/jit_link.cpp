// Programs that link at run time by nvJitLink (Numba, CuPy, cuda.core) get PTX for the machine code that they ask for,
// which cuModuleLoadData takes as well. The auditor puts jumps to here into NVIDIA's library (runtime/audit.cpp).
//
// PTX is linked here. Intermediate code for link-time optimization is made PTX by NVIDIA's library, of which a second
// copy, without the jumps, is loaded into a namespace of its own.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/loaded_library.hpp"
#include "collector/simulate/driver/module.hpp"
#include "collector/simulate/ptx/link.hpp"

namespace gpuproj::simulate::driver {

namespace {

// nvJitLinkResult
enum Result : int {
    success = 0,
    missing_arch = 2,
    invalid_input = 3,
    internal_error = 6,
    null_input = 10,
};

enum class Input : int { ptx = 2, intermediate = 3 };  // nvJitLinkInputType, as far as it decides

struct Unit {
    std::string name, content;
};

struct JitLink {
    std::vector<std::string> options;
    std::vector<std::string> ptx;
    std::vector<Unit> intermediate;
    std::string linked;     // what nvJitLinkComplete made
    std::string error_log;  // of NVIDIA's library
};

Handles<std::shared_ptr<JitLink>>& links() {
    static auto* const all = new Handles<std::shared_ptr<JitLink>>;
    return *all;
}

std::shared_ptr<JitLink> link_of(void* handle) {
    std::shared_ptr<JitLink> found;
    links().with(handle, [&](const std::shared_ptr<JitLink>& one) { found = one; });
    return found;
}

// What a function of nvJitLink answers. What is refused is reported as everywhere.
template <class Body>
int link_call(const char* function, Body&& body) noexcept {
    int result = internal_error;
    const CudaError code = answered(function, [&](Runtime&) {
        result = body();
        return cuda::success;
    });
    return code == cuda::success ? result : internal_error;
}

// The same for one link.
template <class Body>
int of_link(const char* function, void* handle, Body&& body) noexcept {
    return link_call(function, [&]() -> int {
        const auto link = link_of(handle);
        return link ? body(*link) : invalid_input;
    });
}

int add(JitLink& link, int type, std::string content, std::string name) {
    if (static_cast<Input>(type) == Input::intermediate) {
        link.intermediate.push_back({std::move(name), std::move(content)});
        return success;
    }
    for (auto& text : texts_to_link(std::move(content), name)) link.ptx.push_back(std::move(text));
    return success;
}

// NVIDIA's library once more; nullptr where it cannot be.
void* second_copy() {
    static void* const copy = [] {
        const std::string file = path_of_loaded("libnvJitLink.so");
        return file.empty() ? nullptr : dlmopen(LM_ID_NEWLM, file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    }();
    return copy;
}

template <class Function>
Function* real(const char* name) {
    void* const library = second_copy();
    return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

// The intermediate code of `link` as PTX; a Result.
int compile(JitLink& link, std::string& ptx) {
    auto* const create = real<int(void**, std::uint32_t, const char**)>("nvJitLinkCreate");
    auto* const destroy = real<int(void**)>("nvJitLinkDestroy");
    auto* const add_data = real<int(void*, int, const void*, std::size_t, const char*)>("nvJitLinkAddData");
    auto* const complete = real<int(void*)>("nvJitLinkComplete");
    auto* const log_size = real<int(void*, std::size_t*)>("nvJitLinkGetErrorLogSize");
    auto* const log = real<int(void*, char*)>("nvJitLinkGetErrorLog");
    auto* const ptx_size = real<int(void*, std::size_t*)>("nvJitLinkGetLinkedPtxSize");
    auto* const get_ptx = real<int(void*, char*)>("nvJitLinkGetLinkedPtx");
    if (!(create && destroy && add_data && complete && log_size && log && ptx_size && get_ptx)) return internal_error;

    std::vector<const char*> options;
    for (const std::string& option : link.options)
        if (option != "-ptx" && option != "-lto") options.push_back(option.c_str());
    options.push_back("-lto");
    options.push_back("-ptx");
    void* handle = nullptr;
    int result = create(&handle, static_cast<std::uint32_t>(options.size()), options.data());
    if (result != success) return result;
    for (const Unit& unit : link.intermediate)
        if (result == success)
            result = add_data(handle, static_cast<int>(Input::intermediate), unit.content.data(), unit.content.size(),
                              unit.name.c_str());
    if (result == success) result = complete(handle);
    std::size_t bytes = 0;
    if (log_size(handle, &bytes) == success && bytes > 1) {
        link.error_log.resize(bytes);
        log(handle, link.error_log.data());
        link.error_log.resize(std::strlen(link.error_log.c_str()));
    }
    if (result == success) result = ptx_size(handle, &bytes);
    if (result == success) {
        ptx.resize(bytes);
        result = get_ptx(handle, ptx.data());
        while (!ptx.empty() && ptx.back() == '\0') ptx.pop_back();
    }
    destroy(&handle);
    return result;
}

int complete(JitLink& link) {
    std::vector<std::string> units = link.ptx;
    if (!link.intermediate.empty()) {
        const int result = compile(link, units.emplace_back());
        if (result != success) return result;
    }
    if (units.empty()) return invalid_input;
    link.linked = units.size() == 1 ? std::move(units.front()) : ptx::link(units);
    return success;
}

int size_of(const std::string& text, std::size_t* bytes) {
    if (bytes == nullptr) return null_input;
    *bytes = text.size() + 1;
    return success;
}

int copy(const std::string& text, void* out) {
    if (out == nullptr) return null_input;
    std::memcpy(out, text.c_str(), text.size() + 1);
    return success;
}

}  // namespace

GPUPROJ_CUDA_API int gpuproj_nvJitLinkCreate(void** handle, std::uint32_t count, const char** options) {
    return link_call("nvJitLinkCreate", [&]() -> int {
        if (handle == nullptr || (count != 0 && options == nullptr)) return null_input;
        auto link = std::make_shared<JitLink>();
        link->options.assign(options, options + count);
        const bool known =
            std::ranges::any_of(link->options, [](const std::string& option) { return option.starts_with("-arch="); });
        if (!known) return missing_arch;
        *handle = links().add(std::move(link));
        return success;
    });
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkDestroy(void** handle) {
    return link_call("nvJitLinkDestroy", [&]() -> int {
        if (handle == nullptr || !links().remove(*handle)) return invalid_input;
        *handle = nullptr;
        return success;
    });
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkAddData(void* handle, int type, const void* data, std::size_t bytes,
                                              const char* name) {
    return of_link("nvJitLinkAddData", handle, [&](JitLink& link) -> int {
        if (data == nullptr) return null_input;
        return add(link, type, {static_cast<const char*>(data), bytes}, name == nullptr ? "from memory" : name);
    });
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkAddFile(void* handle, int type, const char* path) {
    return of_link("nvJitLinkAddFile", handle, [&](JitLink& link) -> int {
        if (path == nullptr) return null_input;
        std::ifstream file(path, std::ios::binary);
        if (!file) return invalid_input;
        return add(link, type, {std::istreambuf_iterator<char>(file), {}}, path);
    });
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkComplete(void* handle) {
    return of_link("nvJitLinkComplete", handle, complete);
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkGetLinkedCubinSize(void* handle, std::size_t* bytes) {
    return of_link("nvJitLinkGetLinkedCubinSize", handle,
                   [&](const JitLink& link) { return size_of(link.linked, bytes); });
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkGetLinkedCubin(void* handle, void* cubin) {
    return of_link("nvJitLinkGetLinkedCubin", handle, [&](const JitLink& link) { return copy(link.linked, cubin); });
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkGetLinkedPtxSize(void* handle, std::size_t* bytes) {
    return gpuproj_nvJitLinkGetLinkedCubinSize(handle, bytes);
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkGetLinkedPtx(void* handle, char* ptx) {
    return gpuproj_nvJitLinkGetLinkedCubin(handle, ptx);
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkGetErrorLogSize(void* handle, std::size_t* bytes) {
    return of_link("nvJitLinkGetErrorLogSize", handle,
                   [&](const JitLink& link) { return size_of(link.error_log, bytes); });
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkGetErrorLog(void* handle, char* log) {
    return of_link("nvJitLinkGetErrorLog", handle, [&](const JitLink& link) { return copy(link.error_log, log); });
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkGetInfoLogSize(void* handle, std::size_t* bytes) {
    return of_link("nvJitLinkGetInfoLogSize", handle, [&](const JitLink&) { return size_of({}, bytes); });
}
GPUPROJ_CUDA_API int gpuproj_nvJitLinkGetInfoLog(void* handle, char* log) {
    return of_link("nvJitLinkGetInfoLog", handle, [&](const JitLink&) { return copy({}, log); });
}

}  // namespace gpuproj::simulate::driver
