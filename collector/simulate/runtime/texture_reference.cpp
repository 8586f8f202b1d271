// Texture and surface references, of toolkits up to 11: variables of the module that a binding gives an object.
#include <algorithm>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/symbols.hpp"
#include "collector/simulate/runtime/texture_object.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::ChannelFormat;
using cuda::CudaError;

// textureReference; what follows, of mipmaps and anisotropy, is not simulated.
struct TextureReference {
    int normalized_coordinates;
    int filter;
    int address[3];
    ChannelFormat format;
    int srgb;
};

CudaError bind(Runtime& runtime, const void* reference, const cuda::ResourceDescription& resource,
               const cuda::TextureDescription* description) {
    void* const variable = symbol_address(runtime, reference, 0, sizeof(std::uint64_t));
    if (variable == nullptr) return cuda::invalid_texture;
    std::uint64_t handle = 0;
    if (const CudaError code = make_object(runtime, &handle, &resource, description); code != cuda::success)
        return code;
    return replace_object(runtime, variable, handle);
}

CudaError bind_texture(Runtime& runtime, const TextureReference* reference, const cuda::ResourceDescription& resource) {
    if (reference == nullptr) return cuda::invalid_texture;
    cuda::TextureDescription description{};
    std::copy_n(reference->address, 3, description.address);
    description.filter = reference->filter;
    description.normalized_coordinates = reference->normalized_coordinates;
    return bind(runtime, reference, resource, &description);
}

cuda::ResourceDescription of_array(CudaArray* array) {
    cuda::ResourceDescription resource{};
    resource.type = cuda::ResourceType::array;
    resource.array = array;
    return resource;
}

}  // namespace

GPUPROJ_CUDA_API CudaError cudaBindTexture(std::size_t* offset, const TextureReference* reference, void* pointer,
                                           const ChannelFormat* format, std::size_t bytes) {
    return api(__func__, [&](Runtime& runtime) {
        if (pointer == nullptr || format == nullptr) return cuda::invalid_value;
        const auto begin = reinterpret_cast<std::uint64_t>(pointer);
        const auto range = runtime.memory().find(begin);
        if (!range) return cuda::invalid_value;
        cuda::ResourceDescription resource{};
        resource.type = cuda::ResourceType::linear;
        resource.linear = {pointer, *format, std::min<std::size_t>(bytes, range->end - begin)};
        if (offset != nullptr) *offset = 0;  // any address will do
        return bind_texture(runtime, reference, resource);
    });
}

GPUPROJ_CUDA_API CudaError cudaBindTexture2D(std::size_t* offset, const TextureReference* reference, void* pointer,
                                             const ChannelFormat* format, std::size_t width, std::size_t height,
                                             std::size_t pitch) {
    return api(__func__, [&](Runtime& runtime) {
        if (pointer == nullptr || format == nullptr) return cuda::invalid_value;
        cuda::ResourceDescription resource{};
        resource.type = cuda::ResourceType::pitch_2d;
        resource.pitch_2d = {pointer, *format, width, height, pitch};
        if (offset != nullptr) *offset = 0;
        return bind_texture(runtime, reference, resource);
    });
}

GPUPROJ_CUDA_API CudaError cudaBindTextureToArray(const TextureReference* reference, CudaArray* array,
                                                  const ChannelFormat*) {
    return api(__func__, [&](Runtime& runtime) { return bind_texture(runtime, reference, of_array(array)); });
}

GPUPROJ_CUDA_API CudaError cudaBindSurfaceToArray(const void* reference, CudaArray* array, const ChannelFormat*) {
    return api(__func__, [&](Runtime& runtime) { return bind(runtime, reference, of_array(array), nullptr); });
}

GPUPROJ_CUDA_API CudaError cudaUnbindTexture(const TextureReference* reference) {
    return api(__func__, [&](Runtime& runtime) {
        void* const variable = symbol_address(runtime, reference, 0, sizeof(std::uint64_t));
        if (variable == nullptr) return cuda::invalid_texture;
        return replace_object(runtime, variable, 0);
    });
}

GPUPROJ_CUDA_API CudaError cudaGetTextureAlignmentOffset(std::size_t* offset, const TextureReference*) {
    return api(__func__, [&](Runtime&) {
        if (offset == nullptr) return cuda::invalid_value;
        *offset = 0;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGetTextureReference(const void** reference, const void* symbol) {
    return api(__func__, [&](Runtime&) {
        if (reference == nullptr) return cuda::invalid_value;
        *reference = symbol;
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaGetSurfaceReference, cudaGetTextureReference);

}  // namespace gpuproj::simulate
