// Texture and surface references, of toolkits up to 11: variables of a module, to which what they read is bound. A
// change of what is bound, or of how it is read, gives the variable another object.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "collector/simulate/driver/array.hpp"
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/module.hpp"
#include "collector/simulate/runtime/texture_object.hpp"

namespace gpuproj::simulate::driver {

namespace {

constexpr int floats = 0x20;  // CU_AD_FORMAT_FLOAT

struct Reference {
    void* variable = nullptr;  // of the module; none for those that the program makes itself
    bool surface = false;
    std::optional<cuda::ResourceDescription> bound;
    int format = floats, channels = 1;
    int address[3] = {1, 1, 1}, filter = 0;  // clamp, nearest
    unsigned flags = 0;
    float border[4] = {};
};

class References {
public:
    static References& instance() {
        static auto* const all = new References;
        return *all;
    }
    /// The one of a module's variable, or (nullptr) another one.
    Reference* add(void* variable, bool surface) {
        const std::lock_guard lock(mutex_);
        for (const auto& [handle, reference] : all_)
            if (variable != nullptr && reference->variable == variable) return reference.get();
        auto made = std::make_unique<Reference>();
        made->variable = variable;
        made->surface = surface;
        Reference* const handle = made.get();
        all_.emplace(handle, std::move(made));
        return handle;
    }
    bool remove(const void* handle) {
        const std::lock_guard lock(mutex_);
        return all_.erase(handle) != 0;
    }
    Reference* find(const void* handle) {
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(handle);
        return found == all_.end() ? nullptr : found->second.get();
    }

private:
    std::mutex mutex_;
    std::map<const void*, std::unique_ptr<Reference>> all_;
};

/// The handle in the module's variable takes the place of the one that was there; none where what is set so far does
/// not fit together, as programs bind first and say later how it is read. Throws Refused.
CudaError update(Runtime& runtime, const Reference& reference) {
    if (reference.variable == nullptr || !reference.bound) return cuda::success;
    const cuda::TextureDescription how = description_of(reference);
    std::uint64_t handle = 0;
    cuda::ResourceDescription bound = *reference.bound;
    if (bound.type == cuda::ResourceType::linear) {
        const auto format = format_of(reference.format, static_cast<unsigned>(reference.channels));
        if (format) bound.linear.format = *format;
    }
    if (make_object(runtime, &handle, &bound, reference.surface ? nullptr : &how) != cuda::success) handle = 0;
    return replace_object(runtime, reference.variable, handle);
}

/// Changes a reference by `how(Reference&)`, which gives an error or success.
template <class How>
CudaError change(const char* name, const void* handle, How&& how) {
    return call(name, [&](Runtime& runtime) -> CudaError {
        Reference* const reference = References::instance().find(handle);
        if (reference == nullptr) return cuda::invalid_resource_handle;
        if (const CudaError code = how(*reference); code != cuda::success) return code;
        return update(runtime, *reference);
    });
}
template <class Ask>
CudaError question(const char* name, const void* handle, Ask&& answer) {
    return call(name, [&](Runtime&) -> CudaError {
        const Reference* const reference = References::instance().find(handle);
        return reference == nullptr ? cuda::invalid_resource_handle : answer(*reference);
    });
}

CudaError of_module(const char* call_name, Reference** handle, void* module, const char* name, bool surface) {
    return call(call_name, [&](Runtime& runtime) -> CudaError {
        DevicePointer address = 0;
        std::size_t bytes = 0;
        if (handle == nullptr) return cuda::invalid_value;
        if (const CudaError code = find_variable(runtime, &address, &bytes, module, name); code != cuda::success)
            return code;
        if (bytes < sizeof(std::uint64_t)) return cuda::symbol_not_found;
        return give(handle, References::instance().add(pointer(address), surface));
    });
}

CudaError bind_array(Reference& reference, CudaArray* array) {
    if (array == nullptr) return cuda::invalid_value;
    cuda::ResourceDescription resource{};
    resource.type = cuda::ResourceType::array;
    resource.array = array;
    reference.bound = resource;
    return cuda::success;
}
CudaArray* array_of(const Reference& reference) {
    const bool is_array = reference.bound && reference.bound->type == cuda::ResourceType::array;
    return is_array ? reference.bound->array : nullptr;
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuModuleGetTexRef(Reference** handle, void* module, const char* name) {
    return of_module(__func__, handle, module, name, false);
}
GPUPROJ_CUDA_API CudaError cuModuleGetSurfRef(Reference** handle, void* module, const char* name) {
    return of_module(__func__, handle, module, name, true);
}
GPUPROJ_CUDA_API CudaError cuTexRefCreate(Reference** handle) {
    return call(__func__, [&](Runtime&) -> CudaError {
        if (handle == nullptr) return cuda::invalid_value;
        return give(handle, References::instance().add(nullptr, false));
    });
}
GPUPROJ_CUDA_API CudaError cuTexRefDestroy(const void* handle) {
    return call(__func__, [&](Runtime&) -> CudaError {
        return References::instance().remove(handle) ? cuda::success : cuda::invalid_resource_handle;
    });
}
// What a module's reference reads needs no further word.
GPUPROJ_CUDA_API CudaError cuParamSetTexRef(const void* function, int, const void* handle) {
    return question(__func__, handle, [&](const Reference&) {
        return kernel_of(function) == nullptr ? cuda::invalid_resource_handle : cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cuTexRefSetArray(const void* handle, CudaArray* array, unsigned) {
    return change(__func__, handle, [&](Reference& reference) { return bind_array(reference, array); });
}
GPUPROJ_CUDA_API CudaError cuSurfRefSetArray(const void* handle, CudaArray* array, unsigned) {
    return change(__func__, handle, [&](Reference& reference) { return bind_array(reference, array); });
}
GPUPROJ_CUDA_API CudaError cuTexRefSetAddress_v2(std::size_t* offset, const void* handle, DevicePointer address,
                                                 std::size_t bytes) {
    return change(__func__, handle, [&](Reference& reference) -> CudaError {
        const auto format = format_of(reference.format, static_cast<unsigned>(reference.channels));
        if (address == 0 || !format) return cuda::invalid_value;
        cuda::ResourceDescription resource{};
        resource.type = cuda::ResourceType::linear;
        resource.linear = {pointer(address), *format, bytes};
        reference.bound = resource;
        if (offset != nullptr) *offset = 0;  // any address will do
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuTexRefSetAddress2D_v3(const void* handle, const ArrayDescriptor* wanted,
                                                   DevicePointer address, std::size_t pitch) {
    return change(__func__, handle, [&](Reference& reference) -> CudaError {
        const auto format = wanted == nullptr ? std::nullopt : format_of(wanted->format, wanted->channels);
        if (address == 0 || !format) return cuda::invalid_value;
        cuda::ResourceDescription resource{};
        resource.type = cuda::ResourceType::pitch_2d;
        resource.pitch_2d = {pointer(address), *format, wanted->width, wanted->height, pitch};
        reference.bound = resource;
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cuTexRefSetAddress2D_v2, cuTexRefSetAddress2D_v3);
GPUPROJ_CUDA_API CudaError cuTexRefSetFormat(const void* handle, int format, int channels) {
    return change(__func__, handle, [&](Reference& reference) -> CudaError {
        if (!format_of(format, static_cast<unsigned>(channels))) return cuda::invalid_value;
        reference.format = format;
        reference.channels = channels;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuTexRefSetAddressMode(const void* handle, int dimension, int mode) {
    return change(__func__, handle, [&](Reference& reference) -> CudaError {
        if (dimension < 0 || dimension > 2 || mode < 0 || mode > 3) return cuda::invalid_value;
        reference.address[dimension] = mode;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuTexRefSetFilterMode(const void* handle, int mode) {
    return change(__func__, handle, [&](Reference& reference) -> CudaError {
        if (mode != 0 && mode != 1) return cuda::invalid_value;
        reference.filter = mode;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuTexRefSetFlags(const void* handle, unsigned flags) {
    return change(__func__, handle, [&](Reference& reference) -> CudaError {
        if ((flags & ~(as_integer | normalized | srgb)) != 0) return cuda::invalid_value;
        reference.flags = flags;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuTexRefSetBorderColor(const void* handle, const float* color) {
    return change(__func__, handle, [&](Reference& reference) -> CudaError {
        if (color == nullptr) return cuda::invalid_value;
        std::copy_n(color, 4, reference.border);
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cuTexRefGetArray(CudaArray** array, const void* handle) {
    return question(__func__, handle, [&](const Reference& reference) -> CudaError {
        CudaArray* const bound = array_of(reference);
        return bound == nullptr ? cuda::invalid_value : give(array, bound);
    });
}
GPUPROJ_CUDA_ALIAS(cuSurfRefGetArray, cuTexRefGetArray);
GPUPROJ_CUDA_API CudaError cuTexRefGetAddress_v2(DevicePointer* address, const void* handle) {
    return question(__func__, handle, [&](const Reference& reference) -> CudaError {
        if (!reference.bound || array_of(reference) != nullptr) return cuda::invalid_value;
        const bool linear = reference.bound->type == cuda::ResourceType::linear;
        const void* const bound = linear ? reference.bound->linear.pointer : reference.bound->pitch_2d.pointer;
        return give(address, reinterpret_cast<DevicePointer>(bound));
    });
}
GPUPROJ_CUDA_API CudaError cuTexRefGetFormat(int* format, int* channels, const void* handle) {
    return question(__func__, handle, [&](const Reference& reference) -> CudaError {
        if (format == nullptr || channels == nullptr) return cuda::invalid_value;
        *format = reference.format;
        *channels = reference.channels;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuTexRefGetAddressMode(int* mode, const void* handle, int dimension) {
    return question(__func__, handle, [&](const Reference& reference) -> CudaError {
        if (dimension < 0 || dimension > 2) return cuda::invalid_value;
        return give(mode, reference.address[dimension]);
    });
}
GPUPROJ_CUDA_API CudaError cuTexRefGetFilterMode(int* mode, const void* handle) {
    return question(__func__, handle, [&](const Reference& reference) { return give(mode, reference.filter); });
}
GPUPROJ_CUDA_API CudaError cuTexRefGetFlags(unsigned* flags, const void* handle) {
    return question(__func__, handle, [&](const Reference& reference) { return give(flags, reference.flags); });
}

}  // namespace gpuproj::simulate::driver
