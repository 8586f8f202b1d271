// Texture and surface objects.
#include "collector/simulate/driver/array.hpp"
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"

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

}  // namespace

GPUPROJ_CUDA_API CudaError cuTexObjectCreate(std::uint64_t* handle, const Resource* resource,
                                             const TextureDescriptor* description, const void* view) {
    return call(__func__, [&](Runtime&) {
        if (resource == nullptr || description == nullptr) return cuda::invalid_value;
        cuda::ResourceDescription of{};
        if (const auto code = convert(*resource, of); code != cuda::success) return code;
        cuda::TextureDescription how = description_of(*description);
        how.mipmap_filter = description->mipmap_filter;
        how.mipmap_bias = description->mipmap_bias;
        how.least_mipmap = description->least_mipmap;
        how.most_mipmap = description->most_mipmap;
        return cudaCreateTextureObject(handle, &of, &how, view);
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

}  // namespace gpuproj::simulate::driver
