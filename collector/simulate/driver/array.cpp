// Arrays, and copies of rectangles and boxes.
#include "collector/simulate/driver/array.hpp"

#include <algorithm>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate::driver {

namespace {
// CU_AD_FORMAT_UNORM_INT8X1 to -SNORM_INT16X4, in the order of the runtime's kinds
constexpr int first_normalized = 0xc0, last_normalized = 0xcb;
}  // namespace

std::optional<cuda::ChannelFormat> format_of(int format, unsigned channels) {
    struct Row {
        int format, bits, kind;
    };
    constexpr Row rows[]{{0x01, 8, 1},  {0x02, 16, 1}, {0x03, 32, 1}, {0x08, 8, 0},
                         {0x09, 16, 0}, {0x0a, 32, 0}, {0x10, 16, 2}, {0x20, 32, 2}};
    if (format >= first_normalized && format <= last_normalized) {
        const int kind = cuda::ChannelFormat::first_normalized + (format - first_normalized);
        auto integers = integers_of_normalized(kind);
        if (!integers || channels_of(*integers) != channels) return std::nullopt;
        integers->kind = kind;
        return integers;
    }
    const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.format == format; });
    if (row == std::end(rows) || (channels != 1 && channels != 2 && channels != 4)) return std::nullopt;
    const auto bits = [&](unsigned channel) { return channel < channels ? row->bits : 0; };
    return cuda::ChannelFormat{bits(0), bits(1), bits(2), bits(3), row->kind};
}

int format_number(const cuda::ChannelFormat& format) {
    if (integers_of_normalized(format.kind))
        return first_normalized + (format.kind - cuda::ChannelFormat::first_normalized);
    for (const int number : {0x01, 0x02, 0x03, 0x08, 0x09, 0x0a, 0x10, 0x20}) {
        const auto row = format_of(number, 1);
        if (row->x == format.x && row->kind == format.kind) return number;
    }
    return 0;
}
unsigned channels_of(const cuda::ChannelFormat& format) {
    return (format.x > 0 ? 1U : 0U) + (format.y > 0 ? 1U : 0U) + (format.z > 0 ? 1U : 0U) + (format.w > 0 ? 1U : 0U);
}

namespace {

struct Array3DDescriptor {  // CUDA_ARRAY3D_DESCRIPTOR
    std::size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

struct Copy2D {  // CUDA_MEMCPY2D
    struct Side {
        std::size_t x, y;
        Place place;
        void* host;
        DevicePointer device;
        CudaArray* array;
        std::size_t pitch;
    } from, to;
    std::size_t width, height;
};
CudaError create(CudaArray** array, int format, unsigned channels, Extent extent, unsigned flags) {
    const auto wanted = format_of(format, channels);
    if (!wanted) return cuda::invalid_value;
    return cudaMalloc3DArray(array, &*wanted, extent, flags);
}

bool on_device(Place place) {
    return place == Place::device || place == Place::array;
}
CopyKind kind_of(Place from, Place to) {
    if (from == Place::unified || to == Place::unified) return CopyKind::automatic;
    if (on_device(from)) return on_device(to) ? CopyKind::device_to_device : CopyKind::device_to_host;
    return on_device(to) ? CopyKind::host_to_device : CopyKind::host_to_host;
}

// Where a side begins, x in bytes.
template <class Side>
Block block_of(const Side& side, std::size_t z, std::size_t rows, std::size_t width) {
    if (side.place == Place::array) {
        Block block = array_block(side.array, {0, side.y, z});
        block.begin = static_cast<char*>(block.begin) + side.x;
        block.width -= std::min(block.width, side.x);
        return block;
    }
    const std::size_t pitch = side.pitch == 0 ? side.x + width : side.pitch;
    void* const begin = side.place == Place::host ? side.host : pointer(side.device);
    return {static_cast<char*>(begin) + z * pitch * rows + side.y * pitch + side.x, pitch, pitch * rows};
}
template <class Side>
bool is_complete(const Side& side) {
    switch (side.place) {
        case Place::host:
            return side.host != nullptr;
        case Place::array:
            return side.array != nullptr;
        case Place::device:
        case Place::unified:
            return side.device != 0;
    }
    return false;
}

}  // namespace

std::optional<CopyWork> work_of(const Copy3D* p) {
    if (p == nullptr || !is_complete(p->from) || !is_complete(p->to)) return std::nullopt;
    const auto block = [&](const Copy3D::Side& side) {
        return block_of(side, side.z, side.height == 0 ? p->height : side.height, p->width);
    };
    return CopyWork{block(p->to), block(p->from), {p->width, p->height, p->depth}, kind_of(p->from.place, p->to.place)};
}

Copy3D described(const CopyWork& work) {
    const auto side = [](const Block& block, bool host) {
        const std::size_t rows = block.row_pitch == 0 ? 0 : block.slice_pitch / block.row_pitch;
        Copy3D::Side made{};
        made.place = host ? Place::host : Place::device;
        if (host)
            made.host = block.begin;
        else
            made.device = reinterpret_cast<DevicePointer>(block.begin);
        made.pitch = block.row_pitch;
        made.height = rows;
        return made;
    };
    Copy3D made{side(work.from, work.kind == CopyKind::host_to_device || work.kind == CopyKind::host_to_host),
                side(work.to, work.kind == CopyKind::device_to_host || work.kind == CopyKind::host_to_host),
                work.shape.width, work.shape.height, work.shape.depth};
    if (work.kind == CopyKind::automatic) made.from.place = made.to.place = Place::unified;
    return made;
}

namespace {

CudaError copy_2d(const char* name, const Copy2D* p, void* stream) {
    return call(name, [&](Runtime& runtime) {
        if (p == nullptr || !is_complete(p->from) || !is_complete(p->to)) return cuda::invalid_value;
        return submit(runtime, stream,
                      CopyWork{block_of(p->to, 0, p->height, p->width),
                               block_of(p->from, 0, p->height, p->width),
                               {p->width, p->height, 1},
                               kind_of(p->from.place, p->to.place)});
    });
}
CudaError copy_3d(const char* name, const Copy3D* p, void* stream) {
    return call(name, [&](Runtime& runtime) {
        const auto work = work_of(p);
        return work ? submit(runtime, stream, *work) : cuda::invalid_value;
    });
}

bool fits(const CudaArray& array, std::size_t offset, std::size_t bytes) {
    const std::size_t whole = array.slice_bytes() * array.depth;
    return offset <= whole && bytes <= whole - offset;
}

CudaError copy_array(const char* name, void* array, std::size_t offset, void* other, std::size_t bytes, bool to_array,
                     Place place, void* stream) {
    Copy2D p{};
    const std::size_t row = array == nullptr ? bytes : std::min(bytes, static_cast<CudaArray*>(array)->row_bytes());
    const std::size_t y = row == 0 ? 0 : offset / row;
    const Copy2D::Side inside{offset - y * row, y, Place::array, nullptr, 0, static_cast<CudaArray*>(array), 0};
    const Copy2D::Side outside{0, 0, place, other, reinterpret_cast<DevicePointer>(other), nullptr, row};
    p.from = to_array ? outside : inside;
    p.to = to_array ? inside : outside;
    p.width = row;
    p.height = row == 0 ? 0 : bytes / row;
    return copy_2d(name, &p, stream);
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuArrayCreate_v2(CudaArray** array, const ArrayDescriptor* wanted) {
    return call(__func__, [&](Runtime&) {
        if (wanted == nullptr) return cuda::invalid_value;
        return create(array, wanted->format, wanted->channels, {wanted->width, wanted->height, 0}, 0);
    });
}
GPUPROJ_CUDA_API CudaError cuArray3DCreate_v2(CudaArray** array, const Array3DDescriptor* wanted) {
    return call(__func__, [&](Runtime&) {
        if (wanted == nullptr) return cuda::invalid_value;
        return create(array, wanted->format, wanted->channels, {wanted->width, wanted->height, wanted->depth},
                      wanted->flags);
    });
}
GPUPROJ_CUDA_API CudaError cuArrayGetDescriptor_v2(ArrayDescriptor* out, const CudaArray* array) {
    return call(__func__, [&](Runtime&) {
        if (array == nullptr) return cuda::invalid_resource_handle;
        const ArrayDescriptor found{array->extent.width, array->extent.height, format_number(array->format),
                                    channels_of(array->format)};
        return found.format == 0 ? cuda::invalid_resource_handle : give(out, found);
    });
}
GPUPROJ_CUDA_API CudaError cuArray3DGetDescriptor_v2(Array3DDescriptor* out, const CudaArray* array) {
    return call(__func__, [&](Runtime&) {
        if (array == nullptr) return cuda::invalid_resource_handle;
        const Array3DDescriptor found{array->extent.width,          array->extent.height,       array->extent.depth,
                                      format_number(array->format), channels_of(array->format), array->flags};
        return found.format == 0 ? cuda::invalid_resource_handle : give(out, found);
    });
}
GPUPROJ_CUDA_API CudaError cuArrayDestroy(CudaArray* array) {
    return call(__func__, [&](Runtime&) { return cudaFreeArray(array); });
}

GPUPROJ_CUDA_API CudaError cuMipmappedArrayCreate(CudaMipmaps** mipmaps, const Array3DDescriptor* wanted,
                                                  unsigned levels) {
    return call(__func__, [&](Runtime&) {
        const auto format = wanted == nullptr ? std::nullopt : format_of(wanted->format, wanted->channels);
        if (!format) return cuda::invalid_value;
        return cudaMallocMipmappedArray(mipmaps, &*format, {wanted->width, wanted->height, wanted->depth}, levels,
                                        wanted->flags);
    });
}
GPUPROJ_CUDA_API CudaError cuMipmappedArrayDestroy(CudaMipmaps* mipmaps) {
    return call(__func__, [&](Runtime&) { return cudaFreeMipmappedArray(mipmaps); });
}
GPUPROJ_CUDA_API CudaError cuMipmappedArrayGetLevel(CudaArray** array, const CudaMipmaps* mipmaps, unsigned level) {
    return call(__func__, [&](Runtime&) { return cudaGetMipmappedArrayLevel(array, mipmaps, level); });
}

GPUPROJ_CUDA_API CudaError cuMemcpy2D_v2(const Copy2D* p) {
    return copy_2d(__func__, p, nullptr);
}
GPUPROJ_CUDA_ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
GPUPROJ_CUDA_API CudaError cuMemcpy2DAsync_v2(const Copy2D* p, void* stream) {
    return copy_2d(__func__, p, stream);
}
GPUPROJ_CUDA_API CudaError cuMemcpy3D_v2(const Copy3D* p) {
    return copy_3d(__func__, p, nullptr);
}
GPUPROJ_CUDA_API CudaError cuMemcpy3DAsync_v2(const Copy3D* p, void* stream) {
    return copy_3d(__func__, p, stream);
}
GPUPROJ_CUDA_ALIAS(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2);
GPUPROJ_CUDA_ALIAS(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2);
GPUPROJ_CUDA_ALIAS(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2);
GPUPROJ_CUDA_ALIAS(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2);
// One device: the contexts, which stand where CUDA_MEMCPY3D has nothing, share all memory.
GPUPROJ_CUDA_ALIAS(cuMemcpy3DPeer, cuMemcpy3D_v2);
GPUPROJ_CUDA_ALIAS(cuMemcpy3DPeer_ptds, cuMemcpy3D_v2);
GPUPROJ_CUDA_ALIAS(cuMemcpy3DPeerAsync, cuMemcpy3DAsync_v2);
GPUPROJ_CUDA_ALIAS(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DAsync_v2);
GPUPROJ_CUDA_ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2);
GPUPROJ_CUDA_API CudaError cuMemcpyHtoAAsync_v2(void* array, std::size_t offset, const void* from, std::size_t bytes,
                                                void* stream) {
    return copy_array(__func__, array, offset, const_cast<void*>(from), bytes, true, Place::host, stream);
}
GPUPROJ_CUDA_ALIAS(cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoAAsync_v2);
GPUPROJ_CUDA_API CudaError cuMemcpyAtoHAsync_v2(void* to, void* array, std::size_t offset, std::size_t bytes,
                                                void* stream) {
    return copy_array(__func__, array, offset, to, bytes, false, Place::host, stream);
}
GPUPROJ_CUDA_ALIAS(cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync_v2);
GPUPROJ_CUDA_API CudaError cuMemcpyHtoA_v2(void* array, std::size_t offset, const void* from, std::size_t bytes) {
    return cuMemcpyHtoAAsync_v2(array, offset, from, bytes, nullptr);
}
GPUPROJ_CUDA_ALIAS(cuMemcpyHtoA_v2_ptds, cuMemcpyHtoA_v2);
GPUPROJ_CUDA_API CudaError cuMemcpyAtoH_v2(void* to, void* array, std::size_t offset, std::size_t bytes) {
    return cuMemcpyAtoHAsync_v2(to, array, offset, bytes, nullptr);
}
GPUPROJ_CUDA_ALIAS(cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH_v2);
GPUPROJ_CUDA_API CudaError cuMemcpyDtoA_v2(void* array, std::size_t offset, DevicePointer from, std::size_t bytes) {
    return copy_array(__func__, array, offset, pointer(from), bytes, true, Place::device, nullptr);
}
GPUPROJ_CUDA_ALIAS(cuMemcpyDtoA_v2_ptds, cuMemcpyDtoA_v2);
GPUPROJ_CUDA_API CudaError cuMemcpyAtoD_v2(DevicePointer to, void* array, std::size_t offset, std::size_t bytes) {
    return copy_array(__func__, array, offset, pointer(to), bytes, false, Place::device, nullptr);
}
GPUPROJ_CUDA_ALIAS(cuMemcpyAtoD_v2_ptds, cuMemcpyAtoD_v2);
GPUPROJ_CUDA_API CudaError cuMemcpyAtoA_v2(CudaArray* to, std::size_t to_offset, CudaArray* from,
                                           std::size_t from_offset, std::size_t bytes) {
    return call(__func__, [&](Runtime& runtime) {
        if (to == nullptr || from == nullptr || !fits(*to, to_offset, bytes) || !fits(*from, from_offset, bytes))
            return cuda::invalid_value;
        return submit(runtime, nullptr,
                      CopyWork{{static_cast<char*>(to->data) + to_offset, bytes, bytes},
                               {static_cast<char*>(from->data) + from_offset, bytes, bytes},
                               {bytes, 1, 1},
                               CopyKind::device_to_device});
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyAtoA_v2_ptds, cuMemcpyAtoA_v2);

}  // namespace gpuproj::simulate::driver
