// Mipmapped arrays.
#include <algorithm>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/array.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::ChannelFormat;
using cuda::CudaError;
using cuda::Extent;

// Layers and the faces of cubes are not halved.
constexpr unsigned layered = 1, cubemap = 4;

CudaError make_levels(Runtime& runtime, CudaMipmaps& mipmaps, const ChannelFormat& format, Extent extent,
                      unsigned wanted, unsigned flags) {
    const bool halve_depth = (flags & (layered | cubemap)) == 0;
    const std::size_t longest = std::max({extent.width, extent.height, halve_depth ? extent.depth : 0});
    const auto half = [](std::size_t side) { return side == 0 ? 0 : std::max<std::size_t>(side / 2, 1); };
    for (unsigned level = 0; level < std::max(wanted, 1U) && (longest >> level) != 0; ++level) {
        std::unique_ptr<CudaArray>& array = mipmaps.levels.emplace_back();
        if (const auto code = make_array(runtime, array, format, extent, flags); code != cuda::success) return code;
        extent = {half(extent.width), half(extent.height), halve_depth ? half(extent.depth) : extent.depth};
    }
    return mipmaps.levels.empty() ? cuda::invalid_value : cuda::success;
}

void release(Runtime& runtime, CudaMipmaps& mipmaps) {
    for (const auto& level : mipmaps.levels)
        if (level != nullptr) runtime.memory().release(level->data);
}

}  // namespace

GPUPROJ_CUDA_API CudaError cudaMallocMipmappedArray(CudaMipmaps** mipmaps, const ChannelFormat* format, Extent extent,
                                                    unsigned levels, unsigned flags) {
    return api(__func__, [&](Runtime& runtime) {
        if (mipmaps == nullptr || format == nullptr) return cuda::invalid_value;
        auto made = std::make_unique<CudaMipmaps>();
        const CudaError code = make_levels(runtime, *made, *format, extent, levels, flags);
        if (code != cuda::success) {
            release(runtime, *made);
            return code;
        }
        *mipmaps = made.release();
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaFreeMipmappedArray(CudaMipmaps* mipmaps) {
    return api(__func__, [&](Runtime& runtime) {
        if (mipmaps == nullptr) return cuda::success;
        release(runtime, *mipmaps);
        delete mipmaps;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGetMipmappedArrayLevel(CudaArray** array, const CudaMipmaps* mipmaps, unsigned level) {
    return api(__func__, [&](Runtime&) {
        if (array == nullptr || mipmaps == nullptr || level >= mipmaps->levels.size()) return cuda::invalid_value;
        *array = mipmaps->levels[level].get();
        return cuda::success;
    });
}

}  // namespace gpuproj::simulate
