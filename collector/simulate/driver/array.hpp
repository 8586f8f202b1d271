// What the driver API's arrays and textures have in common; array.cpp has it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/runtime/texture_object.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate::driver {

struct ArrayDescriptor {  // CUDA_ARRAY_DESCRIPTOR
    std::size_t width, height;
    int format;
    unsigned channels;
};

enum class Place : int { host = 1, device, array, unified };  // CUmemorytype

struct Copy3D {  // CUDA_MEMCPY3D
    struct Side {
        std::size_t x, y, z, level;
        Place place;
        void* host;
        DevicePointer device;
        CudaArray* array;
        void* reserved;
        std::size_t pitch, height;
    } from, to;
    std::size_t width, height, depth;
};

/// What a copy asks for, arrays as the memory that they are; none where a side is missing.
std::optional<CopyWork> work_of(const Copy3D* p);
/// The same backwards, of what was said of no array.
Copy3D described(const CopyWork& work);

/// The bits and the cudaChannelFormatKind of 1, 2 or 4 channels of a CUarray_format; none where there is no such
/// format.
std::optional<cuda::ChannelFormat> format_of(int format, unsigned channels);

/// The other way round: a CUarray_format, 0 if it is none, and how many channels have bits.
int format_number(const cuda::ChannelFormat& format);
unsigned channels_of(const cuda::ChannelFormat& format);

constexpr unsigned as_integer = 1, normalized = 2, srgb = 0x10;  // CU_TRSF_*

/// A texture's description, without what mipmaps need, from a CUDA_TEXTURE_DESC or what a reference has of the same.
template <class From>
cuda::TextureDescription description_of(const From& from) {
    cuda::TextureDescription description{};
    std::copy_n(from.address, 3, description.address);
    std::copy_n(from.border, 4, description.border);
    description.filter = from.filter;
    description.read = (from.flags & as_integer) != 0 ? 0 : 1;
    description.srgb = (from.flags & srgb) != 0 ? 1 : 0;
    description.normalized_coordinates = (from.flags & normalized) != 0 ? 1 : 0;
    return description;
}

}  // namespace gpuproj::simulate::driver
