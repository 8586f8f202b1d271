// Texture and surface objects, as the application describes them.
#pragma once

#include <cstdint>

#include "collector/simulate/runtime/abi.hpp"
#include "collector/simulate/runtime/array.hpp"

namespace gpuproj::simulate {

class Runtime;

namespace cuda {

enum class ResourceType : int { array, mipmapped_array, linear, pitch_2d };
struct ResourceDescription {  // cudaResourceDesc
    ResourceType type;
    union {
        CudaArray* array;
        CudaMipmaps* mipmaps;
        struct {
            void* pointer;
            ChannelFormat format;
            std::size_t bytes;
        } linear;
        struct {
            void* pointer;
            ChannelFormat format;
            std::size_t width, height, pitch;
        } pitch_2d;
    };
};
struct TextureDescription {  // cudaTextureDesc
    int address[3];
    int filter, read, srgb;
    float border[4];
    int normalized_coordinates;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, least_mipmap, most_mipmap;
    int without_trilinear_optimization;  // CUDA 12 and 13 have seamless_cubemap behind it, which stays untouched
};

}  // namespace cuda

/// Whether CUDA makes a texture object of it, whatever it is read as.
cuda::CudaError check_resource(const cuda::ResourceDescription& resource);
/// Gives the handle that kernels get; without a description it is a surface's. It lives until destroy_object. Throws
/// Refused.
cuda::CudaError make_object(Runtime& runtime, std::uint64_t* handle, const cuda::ResourceDescription* resource,
                            const cuda::TextureDescription* description);
/// 0 is no object, and nothing to do.
cuda::CudaError destroy_object(Runtime& runtime, std::uint64_t handle);
/// Puts a handle, or 0, into the variable of a module that is a texture or surface reference, and destroys the object
/// whose handle was there.
cuda::CudaError replace_object(Runtime& runtime, void* variable, std::uint64_t handle);

}  // namespace gpuproj::simulate
