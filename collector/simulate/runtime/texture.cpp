// CUDA arrays, texture objects and surface objects. An array is plain device memory, row after row.
#include "collector/simulate/engine/texture.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/texture_object.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::ChannelFormat;
using cuda::CopyKind;
using cuda::CudaError;
using cuda::ResourceDescription;
using cuda::ResourceType;
using cuda::TextureDescription;

// A texture or surface object: what the engine reads (the levels of a mipmap, else one), and what it was made of.
struct TextureObject {
    std::vector<Texture> levels = std::vector<Texture>(1);
    ResourceDescription resource{};
    TextureDescription description{};
};

// By the address in their handle.
class Objects {
public:
    static Objects& instance() {
        static auto* const all = new Objects;
        return *all;
    }
    void add(std::unique_ptr<TextureObject> object) {
        const std::lock_guard lock(mutex_);
        const std::uint64_t key = key_of(texture_handle(object->levels.front()));
        objects_[key] = std::move(object);
    }
    const TextureObject* find(std::uint64_t handle) {
        const std::lock_guard lock(mutex_);
        const auto found = objects_.find(key_of(handle));
        return found == objects_.end() ? nullptr : found->second.get();
    }
    std::unique_ptr<TextureObject> take(std::uint64_t handle) {
        const std::lock_guard lock(mutex_);
        const auto found = objects_.extract(key_of(handle));
        return found.empty() ? nullptr : std::move(found.mapped());
    }

private:
    static std::uint64_t key_of(std::uint64_t handle) {
        return (handle & window_mask) == texture_window ? handle & ~window_mask : 0;
    }
    std::mutex mutex_;
    std::map<std::uint64_t, std::unique_ptr<TextureObject>> objects_;
};

[[noreturn]] void refuse_format(int kind) {
    const bool compressed = kind >= ChannelFormat::first_compressed && kind <= ChannelFormat::last_compressed;
    throw Refused(cuda::not_supported,
                  compressed                         ? "a texture of compressed blocks (BC1 to BC7)"
                  : kind == ChannelFormat::kind_nv12 ? "a texture of video frames (NV12)"
                  : kind == ChannelFormat::kind_none ? "a channel format without numbers"
                                                     : "a texture of this channel format",
                  compressed ? "decompress it, and read texels of 8 bits or of half precision"
                  : kind == ChannelFormat::kind_nv12
                      ? "read its planes as two textures of 8 bits, with one channel and with two"
                      : "");
}

CudaError set_format(Texture& texture, const ChannelFormat& given) {
    ChannelFormat format = given;
    if (const auto integers = integers_of_normalized(given.kind)) {
        format = *integers;
        if (given.x != format.x || given.y != format.y || given.z != format.z || given.w != format.w)
            return cuda::invalid_channel_descriptor;
    } else if (given.kind > ChannelFormat::kind_float) {
        refuse_format(given.kind);
    }
    const int bits[4] = {format.x, format.y, format.z, format.w};
    texture.channels = static_cast<std::uint32_t>(std::ranges::count_if(bits, [](int b) { return b > 0; }));
    // One, two or four channels of one size.
    const bool alike = std::all_of(bits, bits + texture.channels, [&](int b) { return b == bits[0]; });
    if (texture.channels == 0 || texture.channels == 3 || !alike || bits[0] % 8 != 0 || bits[0] > 32 || bits[0] == 24)
        return cuda::invalid_channel_descriptor;
    texture.channel_bytes = static_cast<std::uint32_t>(bits[0]) / 8;
    texture.kind = format.kind == ChannelFormat::kind_signed     ? ChannelKind::signed_integer
                   : format.kind == ChannelFormat::kind_unsigned ? ChannelKind::unsigned_integer
                                                                 : ChannelKind::real;
    return cuda::success;
}

CudaError set_array(Texture& texture, const CudaArray& array) {
    texture.data = static_cast<std::byte*>(array.data);
    texture.width = static_cast<std::uint32_t>(array.width);
    texture.height = static_cast<std::uint32_t>(array.height);
    texture.depth = static_cast<std::uint32_t>(array.depth);
    texture.row_bytes = array.row_bytes();
    texture.slice_bytes = array.slice_bytes();
    return set_format(texture, array.format);
}

CudaError set_resource(std::vector<Texture>& levels, const ResourceDescription& resource) {
    Texture& texture = levels.front();
    switch (resource.type) {
        case ResourceType::array:
            return resource.array == nullptr ? cuda::invalid_value : set_array(texture, *resource.array);
        case ResourceType::mipmapped_array: {
            if (resource.mipmaps == nullptr) return cuda::invalid_value;
            levels.resize(resource.mipmaps->levels.size());
            for (std::size_t i = 0; i < levels.size(); ++i) {
                const CudaError code = set_array(levels[i], *resource.mipmaps->levels[i]);
                if (code != cuda::success) return code;
                levels[i].levels = static_cast<std::uint32_t>(levels.size());
            }
            return cuda::success;
        }
        case ResourceType::linear: {
            if (const CudaError code = set_format(texture, resource.linear.format); code != cuda::success) return code;
            texture.data = static_cast<std::byte*>(resource.linear.pointer);
            texture.width = static_cast<std::uint32_t>(resource.linear.bytes / texture.texel_bytes());
            texture.row_bytes = texture.slice_bytes = resource.linear.bytes;
            return cuda::success;
        }
        case ResourceType::pitch_2d:
            texture.data = static_cast<std::byte*>(resource.pitch_2d.pointer);
            texture.width = static_cast<std::uint32_t>(resource.pitch_2d.width);
            texture.height = static_cast<std::uint32_t>(resource.pitch_2d.height);
            texture.row_bytes = resource.pitch_2d.pitch;
            texture.slice_bytes = resource.pitch_2d.pitch * resource.pitch_2d.height;
            return set_format(texture, resource.pitch_2d.format);
    }
    return cuda::invalid_value;
}

void describe(Texture& texture, const TextureDescription& description) {
    for (std::size_t i = 0; i < 3; ++i)
        texture.address[i] = static_cast<AddressMode>(std::clamp(description.address[i], 0, 3));
    texture.linear = description.filter == 1;
    texture.normalized_coordinates = description.normalized_coordinates != 0;
    texture.srgb = description.srgb != 0 && texture.channel_bytes == 1;
    std::copy_n(description.border, 4, texture.border.begin());
    texture.linear_levels = description.mipmap_filter == 1;
    texture.level_bias = description.mipmap_bias;
    texture.least_level = description.least_mipmap;
    texture.most_level = description.most_mipmap;
    // Without normalised coordinates the hardware knows only clamp and border.
    if (texture.normalized_coordinates) return;
    for (AddressMode& mode : texture.address) {
        if (mode != AddressMode::border) mode = AddressMode::clamp;
    }
}

}  // namespace

CudaError make_object(Runtime& runtime, std::uint64_t* handle, const ResourceDescription* resource,
                      const TextureDescription* description) {
    if (handle == nullptr || resource == nullptr) return cuda::invalid_value;
    auto object = std::make_unique<TextureObject>();
    object->resource = *resource;
    if (const CudaError code = set_resource(object->levels, *resource); code != cuda::success) return code;
    if (description != nullptr) {
        object->description = *description;
        for (Texture& level : object->levels) describe(level, *description);
    }
    const Texture* const textures = object->levels.data();
    *handle = texture_handle(*textures);
    // Kept until it is destroyed: the kernel's handle is its address, and what it says is memory that a launch reads.
    runtime.memory().add(textures, object->levels.size() * sizeof(Texture));
    Objects::instance().add(std::move(object));
    return cuda::success;
}

CudaError destroy_object(Runtime& runtime, std::uint64_t handle) {
    if (handle == 0) return cuda::success;
    const auto object = Objects::instance().take(handle);
    if (object == nullptr) return cuda::invalid_value;
    runtime.memory().remove(object->levels.data());
    return cuda::success;
}

CudaError replace_object(Runtime& runtime, void* variable, std::uint64_t handle) {
    std::uint64_t before = 0;
    std::memcpy(&before, variable, sizeof before);
    std::memcpy(variable, &handle, sizeof handle);
    return destroy_object(runtime, before);
}

CudaError make_array(Runtime& runtime, std::unique_ptr<CudaArray>& array, const ChannelFormat& format,
                     const cuda::Extent& extent, unsigned flags) {
    if (extent.width == 0) return cuda::invalid_value;
    auto made = std::make_unique<CudaArray>();
    made->format = format;
    made->width = extent.width;
    made->height = std::max<std::size_t>(extent.height, 1);
    made->depth = std::max<std::size_t>(extent.depth, 1);
    made->extent = extent;
    made->flags = flags;
    Texture probe;
    if (const CudaError code = set_format(probe, format); code != cuda::success) return code;
    made->texel_bytes = probe.texel_bytes();
    made->data = runtime.memory().allocate(made->slice_bytes() * made->depth);
    if (made->data == nullptr) return cuda::memory_allocation;
    array = std::move(made);
    return cuda::success;
}

namespace {

CudaError make_array(Runtime& runtime, CudaArray** array, const ChannelFormat* format, const cuda::Extent& extent,
                     unsigned flags) {
    if (array == nullptr || format == nullptr) return cuda::invalid_value;
    std::unique_ptr<CudaArray> made;
    const CudaError code = make_array(runtime, made, *format, extent, flags);
    if (code == cuda::success) *array = made.release();
    return code;
}

Block place(const CudaArray& array, std::size_t x_bytes, std::size_t y, std::size_t z = 0) {
    const auto left = [](std::size_t all, std::size_t before) { return all - std::min(all, before); };
    return {static_cast<char*>(array.data) + z * array.slice_bytes() + y * array.row_bytes() + x_bytes,
            array.row_bytes(),
            array.slice_bytes(),
            left(array.row_bytes(), x_bytes),
            left(array.height, y),
            left(array.depth, z)};
}
Block rows(const void* begin, std::size_t pitch) {
    return {const_cast<void*>(begin), pitch, 0};
}

CudaError to_array(const char* name, CudaArray* array, std::size_t x, std::size_t y, const void* from,
                   std::size_t pitch, std::size_t width, std::size_t height, CopyKind kind, void* stream = nullptr) {
    return api(name, [&](Runtime& runtime) {
        if (array == nullptr) return cuda::invalid_value;
        return submit(runtime, stream, CopyWork{place(*array, x, y), rows(from, pitch), {width, height, 1}, kind});
    });
}
CudaError from_array(const char* name, void* to, std::size_t pitch, const CudaArray* array, std::size_t x,
                     std::size_t y, std::size_t width, std::size_t height, CopyKind kind, void* stream = nullptr) {
    return api(name, [&](Runtime& runtime) {
        if (array == nullptr) return cuda::invalid_value;
        return submit(runtime, stream, CopyWork{rows(to, pitch), place(*array, x, y), {width, height, 1}, kind});
    });
}

// What the array has from (x, y) on, row behind row: calls `copy` with the place of each rectangle and its shape.
template <class Copy>
CudaError each_rectangle(const CudaArray& array, std::size_t x, std::size_t y, std::size_t bytes, Copy&& copy) {
    const std::size_t row = array.row_bytes();
    if (bytes == 0) return cuda::success;
    if (x >= row || y >= array.height || bytes > (array.height - y) * row - x) return cuda::invalid_value;
    while (bytes > 0) {
        const bool whole = x == 0 && bytes >= row;
        const Shape shape{whole ? row : std::min(bytes, row - x), whole ? bytes / row : 1, 1};
        if (const CudaError code = copy(place(array, x, y), shape); code != cuda::success) return code;
        bytes -= shape.width * shape.height;
        y += shape.height;
        x = 0;
    }
    return cuda::success;
}
CudaError rows_to_array(const char* name, CudaArray* array, std::size_t x, std::size_t y, const void* from,
                        std::size_t bytes, CopyKind kind, void* stream = nullptr) {
    return api(name, [&](Runtime& runtime) {
        if (array == nullptr) return cuda::invalid_value;
        const auto* next = static_cast<const char*>(from);
        return each_rectangle(*array, x, y, bytes, [&](const Block& to, const Shape& shape) {
            const Block source = rows(next, shape.width);
            next += shape.width * shape.height;
            return submit(runtime, stream, CopyWork{to, source, shape, kind});
        });
    });
}
CudaError rows_from_array(const char* name, void* to, const CudaArray* array, std::size_t x, std::size_t y,
                          std::size_t bytes, CopyKind kind, void* stream = nullptr) {
    return api(name, [&](Runtime& runtime) {
        if (array == nullptr) return cuda::invalid_value;
        auto* next = static_cast<char*>(to);
        return each_rectangle(*array, x, y, bytes, [&](const Block& from, const Shape& shape) {
            const Block destination = rows(next, shape.width);
            next += shape.width * shape.height;
            return submit(runtime, stream, CopyWork{destination, from, shape, kind});
        });
    });
}

}  // namespace

Block array_block(const void* array, const cuda::Position& position) {
    const auto& found = *static_cast<const CudaArray*>(array);
    return place(found, position.x * found.texel_bytes, position.y, position.z);
}
std::size_t array_texel_bytes(const void* array) {
    return static_cast<const CudaArray*>(array)->texel_bytes;
}

GPUPROJ_CUDA_API CudaError cudaMallocArray(CudaArray** array, const ChannelFormat* format, std::size_t width,
                                           std::size_t height, unsigned flags) {
    return api(__func__, [&](Runtime& runtime) {
        return make_array(runtime, array, format, {width, height, 0}, flags);
    });
}
GPUPROJ_CUDA_API CudaError cudaMalloc3DArray(CudaArray** array, const ChannelFormat* format, cuda::Extent extent,
                                             unsigned flags) {
    return api(__func__, [&](Runtime& runtime) { return make_array(runtime, array, format, extent, flags); });
}
GPUPROJ_CUDA_API CudaError cudaFreeArray(CudaArray* array) {
    return api(__func__, [&](Runtime& runtime) {
        if (array == nullptr) return cuda::success;
        runtime.memory().release(array->data);
        delete array;
        return cuda::success;
    });
}
// The form with numbers, a function of the runtime; the one for types is in NVIDIA's header. It cannot fail.
GPUPROJ_CUDA_API ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return {x, y, z, w, kind};
}
GPUPROJ_CUDA_API CudaError cudaGetChannelDesc(ChannelFormat* format, const CudaArray* array) {
    return api(__func__, [&](Runtime&) {
        if (format == nullptr || array == nullptr) return cuda::invalid_value;
        *format = array->format;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cudaArrayGetInfo(ChannelFormat* format, cuda::Extent* extent, unsigned* flags,
                                            const CudaArray* array) {
    return api(__func__, [&](Runtime&) {
        if (array == nullptr) return cuda::invalid_value;
        if (format != nullptr) *format = array->format;
        if (extent != nullptr) *extent = array->extent;
        if (flags != nullptr) *flags = array->flags;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaMemcpy2DToArray(CudaArray* array, std::size_t x, std::size_t y, const void* from,
                                               std::size_t pitch, std::size_t width, std::size_t height,
                                               CopyKind kind) {
    return to_array(__func__, array, x, y, from, pitch, width, height, kind);
}
GPUPROJ_CUDA_API CudaError cudaMemcpy2DToArrayAsync(CudaArray* array, std::size_t x, std::size_t y, const void* from,
                                                    std::size_t pitch, std::size_t width, std::size_t height,
                                                    CopyKind kind, void* stream) {
    return to_array(__func__, array, x, y, from, pitch, width, height, kind, stream);
}
GPUPROJ_CUDA_API CudaError cudaMemcpyToArray(CudaArray* array, std::size_t x, std::size_t y, const void* from,
                                             std::size_t bytes, CopyKind kind) {
    return rows_to_array(__func__, array, x, y, from, bytes, kind);
}
GPUPROJ_CUDA_API CudaError cudaMemcpy2DFromArray(void* to, std::size_t pitch, const CudaArray* array, std::size_t x,
                                                 std::size_t y, std::size_t width, std::size_t height, CopyKind kind) {
    return from_array(__func__, to, pitch, array, x, y, width, height, kind);
}
GPUPROJ_CUDA_API CudaError cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, const CudaArray* array,
                                                      std::size_t x, std::size_t y, std::size_t width,
                                                      std::size_t height, CopyKind kind, void* stream) {
    return from_array(__func__, to, pitch, array, x, y, width, height, kind, stream);
}
GPUPROJ_CUDA_API CudaError cudaMemcpyFromArray(void* to, const CudaArray* array, std::size_t x, std::size_t y,
                                               std::size_t bytes, CopyKind kind) {
    return rows_from_array(__func__, to, array, x, y, bytes, kind);
}

GPUPROJ_CUDA_ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);
GPUPROJ_CUDA_ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);
GPUPROJ_CUDA_ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);
GPUPROJ_CUDA_ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);
GPUPROJ_CUDA_ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);
GPUPROJ_CUDA_ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);
GPUPROJ_CUDA_API CudaError cudaMemcpyToArrayAsync(CudaArray* array, std::size_t x, std::size_t y, const void* from,
                                                  std::size_t bytes, CopyKind kind, void* stream) {
    return rows_to_array(__func__, array, x, y, from, bytes, kind, stream);
}
GPUPROJ_CUDA_ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);
GPUPROJ_CUDA_API CudaError cudaMemcpyFromArrayAsync(void* to, const CudaArray* array, std::size_t x, std::size_t y,
                                                    std::size_t bytes, CopyKind kind, void* stream) {
    return rows_from_array(__func__, to, array, x, y, bytes, kind, stream);
}
GPUPROJ_CUDA_ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);
GPUPROJ_CUDA_API CudaError cudaMemcpy2DArrayToArray(CudaArray* to, std::size_t to_x, std::size_t to_y,
                                                    const CudaArray* from, std::size_t x, std::size_t y,
                                                    std::size_t width, std::size_t height, CopyKind kind) {
    return api(__func__, [&](Runtime& runtime) {
        if (to == nullptr || from == nullptr) return cuda::invalid_value;
        return submit(runtime, nullptr, CopyWork{place(*to, to_x, to_y), place(*from, x, y), {width, height, 1}, kind});
    });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);
GPUPROJ_CUDA_API CudaError cudaMemcpyArrayToArray(CudaArray* to, std::size_t to_x, std::size_t to_y,
                                                  const CudaArray* from, std::size_t x, std::size_t y,
                                                  std::size_t bytes, CopyKind kind) {
    // Whole rows of the source.
    const std::size_t row = from == nullptr ? bytes : std::min(bytes, from->row_bytes());
    return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, x, y, row, row == 0 ? 0 : bytes / row, kind);
}
GPUPROJ_CUDA_ALIAS(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray);

namespace {

constexpr std::uint64_t base_alignment = 512, pitch_alignment = 32;  // cudaDevAttrTextureAlignment, -PitchAlignment

bool is_aligned(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer) % base_alignment == 0;
}

/// What CUDA's runtime does not let be read so. Its driver does: bilinear filters of pictures' bytes rely on it.
CudaError check_reading(const ResourceDescription& resource, const TextureDescription& description) {
    ChannelFormat format{};
    switch (resource.type) {
        case ResourceType::array:
            format = resource.array->format;
            break;
        case ResourceType::mipmapped_array:
            format = resource.mipmaps->levels.front()->format;
            break;
        case ResourceType::linear:
            return cuda::success;  // it is never filtered
        case ResourceType::pitch_2d:
            format = resource.pitch_2d.format;
            break;
    }
    constexpr int normalized = 1, linear = 1, widest_normalized = 16;
    if (format.kind == ChannelFormat::kind_float || integers_of_normalized(format.kind)) return cuda::success;
    if (description.read == normalized && format.x > widest_normalized) return cuda::invalid_norm_setting;
    const bool filtered = description.filter == linear ||
                          (resource.type == ResourceType::mipmapped_array && description.mipmap_filter == linear);
    return filtered && description.read != normalized ? cuda::invalid_filter_setting : cuda::success;
}

}  // namespace

CudaError check_resource(const ResourceDescription& resource) {
    switch (resource.type) {
        case ResourceType::array:
            return resource.array != nullptr ? cuda::success : cuda::invalid_value;
        case ResourceType::mipmapped_array:
            return resource.mipmaps != nullptr ? cuda::success : cuda::invalid_value;
        case ResourceType::linear:
            return is_aligned(resource.linear.pointer) ? cuda::success : cuda::invalid_value;
        case ResourceType::pitch_2d:
            return is_aligned(resource.pitch_2d.pointer) && resource.pitch_2d.pitch % pitch_alignment == 0
                       ? cuda::success
                       : cuda::invalid_value;
    }
    return cuda::success;
}

GPUPROJ_CUDA_API CudaError cudaCreateTextureObject(std::uint64_t* handle, const ResourceDescription* resource,
                                                   const TextureDescription* description, const void* view) {
    return api(__func__, [&](Runtime& runtime) {
        if (view != nullptr) throw Refused(cuda::not_supported, "a resource view of a texture", "");
        if (resource == nullptr || description == nullptr) return cuda::invalid_value;
        if (const CudaError code = check_resource(*resource); code != cuda::success) return code;
        if (const CudaError code = check_reading(*resource, *description); code != cuda::success) return code;
        return make_object(runtime, handle, resource, description);
    });
}
GPUPROJ_CUDA_API CudaError cudaDestroyTextureObject(std::uint64_t handle) {
    return api(__func__, [&](Runtime& runtime) { return destroy_object(runtime, handle); });
}
GPUPROJ_CUDA_API CudaError cudaCreateSurfaceObject(std::uint64_t* handle, const ResourceDescription* resource) {
    return api(__func__, [&](Runtime& runtime) { return make_object(runtime, handle, resource, nullptr); });
}
GPUPROJ_CUDA_API CudaError cudaDestroySurfaceObject(std::uint64_t handle) {
    return api(__func__, [&](Runtime& runtime) { return destroy_object(runtime, handle); });
}
GPUPROJ_CUDA_API CudaError cudaGetTextureObjectResourceDesc(ResourceDescription* resource, std::uint64_t handle) {
    return api(__func__, [&](Runtime&) {
        const TextureObject* const object = Objects::instance().find(handle);
        if (resource == nullptr || object == nullptr) return cuda::invalid_value;
        *resource = object->resource;
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaGetSurfaceObjectResourceDesc, cudaGetTextureObjectResourceDesc);
GPUPROJ_CUDA_API CudaError cudaGetTextureObjectTextureDesc(TextureDescription* description, std::uint64_t handle) {
    return api(__func__, [&](Runtime&) {
        const TextureObject* const object = Objects::instance().find(handle);
        if (description == nullptr || object == nullptr) return cuda::invalid_value;
        *description = object->description;
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaGetTextureObjectTextureDesc_v2, cudaGetTextureObjectTextureDesc);

}  // namespace gpuproj::simulate
