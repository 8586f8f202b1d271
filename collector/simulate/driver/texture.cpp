// Texture and surface objects.
#include "collector/simulate/driver/array.hpp"
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"
#include "collector/simulate/runtime/texture_limits.hpp"

namespace gpuproj::simulate::driver {

namespace {

struct Resource {  // CUDA_RESOURCE_DESC
    cuda::ResourceType type;
    union {
        CudaArray* array;
        struct {
            DevicePointer address;
            int format;
            unsigned channels;
            std::size_t bytes;
        } linear;
        struct {
            DevicePointer address;
            int format;
            unsigned channels;
            std::size_t width, height, pitch;
        } pitch_2d;
        int reserved[32];
    };
};
struct TextureDescriptor {  // CUDA_TEXTURE_DESC
    int address[3];
    int filter;
    unsigned flags;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, least_mipmap, most_mipmap;
    float border[4];
};

// Throws Refused.
CudaError convert(const Resource& from, cuda::ResourceDescription& to) {
    to.type = from.type;
    const bool linear = from.type == cuda::ResourceType::linear, pitched = from.type == cuda::ResourceType::pitch_2d;
    if (!linear && !pitched) {
        to.array = from.array;
        return cuda::success;
    }
    const auto format = linear ? format_of(from.linear.format, from.linear.channels)
                               : format_of(from.pitch_2d.format, from.pitch_2d.channels);
    if (!format) return cuda::invalid_value;
    if (linear)
        to.linear = {pointer(from.linear.address), *format, from.linear.bytes};
    else
        to.pitch_2d = {pointer(from.pitch_2d.address), *format, from.pitch_2d.width, from.pitch_2d.height,
                       from.pitch_2d.pitch};
    return cuda::success;
}

void convert(const cuda::ResourceDescription& from, Resource& to) {
    to = {};
    to.type = from.type;
    if (from.type == cuda::ResourceType::linear)
        to.linear = {reinterpret_cast<DevicePointer>(from.linear.pointer), format_number(from.linear.format),
                     channels_of(from.linear.format), from.linear.bytes};
    else if (from.type == cuda::ResourceType::pitch_2d)
        to.pitch_2d = {reinterpret_cast<DevicePointer>(from.pitch_2d.pointer),
                       format_number(from.pitch_2d.format),
                       channels_of(from.pitch_2d.format),
                       from.pitch_2d.width,
                       from.pitch_2d.height,
                       from.pitch_2d.pitch};
    else
        to.array = from.array;
}

CudaError resource_of(const char* name, Resource* resource, std::uint64_t handle) {
    return call(name, [&](Runtime&) {
        cuda::ResourceDescription found{};
        if (resource == nullptr) return cuda::invalid_value;
        const CudaError code = cudaGetTextureObjectResourceDesc(&found, handle);
        if (code == cuda::success) convert(found, *resource);
        return code;
    });
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuTexObjectCreate(std::uint64_t* handle, const Resource* resource,
                                             const TextureDescriptor* description, const void* view) {
    return call(__func__, [&](Runtime& runtime) {
        if (view != nullptr) throw Refused(cuda::not_supported, "a resource view of a texture", "");
        if (resource == nullptr || description == nullptr) return cuda::invalid_value;
        cuda::ResourceDescription of{};
        if (const auto code = convert(*resource, of); code != cuda::success) return code;
        if (const auto code = check_resource(of); code != cuda::success) return code;
        cuda::TextureDescription how = description_of(*description);
        how.mipmap_filter = description->mipmap_filter;
        how.mipmap_bias = description->mipmap_bias;
        how.least_mipmap = description->least_mipmap;
        how.most_mipmap = description->most_mipmap;
        return make_object(runtime, handle, &of, &how);
    });
}
GPUPROJ_CUDA_API CudaError cuTexObjectDestroy(std::uint64_t handle) {
    return call(__func__, [&](Runtime&) { return cudaDestroyTextureObject(handle); });
}
GPUPROJ_CUDA_API CudaError cuSurfObjectCreate(std::uint64_t* handle, const Resource* resource) {
    return call(__func__, [&](Runtime&) {
        if (resource == nullptr) return cuda::invalid_value;
        cuda::ResourceDescription of{};
        if (const auto code = convert(*resource, of); code != cuda::success) return code;
        return cudaCreateSurfaceObject(handle, &of);
    });
}
GPUPROJ_CUDA_API CudaError cuSurfObjectDestroy(std::uint64_t handle) {
    return call(__func__, [&](Runtime&) { return cudaDestroySurfaceObject(handle); });
}

GPUPROJ_CUDA_API CudaError cuTexObjectGetResourceDesc(Resource* resource, std::uint64_t handle) {
    return resource_of(__func__, resource, handle);
}
GPUPROJ_CUDA_API CudaError cuSurfObjectGetResourceDesc(Resource* resource, std::uint64_t handle) {
    return resource_of(__func__, resource, handle);
}
GPUPROJ_CUDA_API CudaError cuTexObjectGetTextureDesc(TextureDescriptor* description, std::uint64_t handle) {
    return call(__func__, [&](Runtime&) {
        cuda::TextureDescription found{};
        if (description == nullptr) return cuda::invalid_value;
        if (const auto code = cudaGetTextureObjectTextureDesc(&found, handle); code != cuda::success) return code;
        *description = {};
        std::copy_n(found.address, 3, description->address);
        std::copy_n(found.border, 4, description->border);
        description->filter = found.filter;
        description->flags = (found.read == 0 ? as_integer : 0) | (found.normalized_coordinates != 0 ? normalized : 0) |
                             (found.srgb != 0 ? srgb : 0);
        description->anisotropy = found.anisotropy;
        description->mipmap_filter = found.mipmap_filter;
        description->mipmap_bias = found.mipmap_bias;
        description->least_mipmap = found.least_mipmap;
        description->most_mipmap = found.most_mipmap;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cuDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, int, unsigned, int device) {
    return ask(__func__, [&](Runtime&) {
        return device == 0 ? give(texels, std::size_t{texture_limits::texture_1d_linear}) : cuda::invalid_device;
    });
}

}  // namespace gpuproj::simulate::driver
