// cudaDeviceGetAttribute: the properties under their numbers (cudaDeviceAttr).
#include <algorithm>
#include <array>
#include <climits>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/device_identity.hpp"
#include "collector/simulate/runtime/kernels.hpp"
#include "collector/simulate/runtime/texture_limits.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;

struct Attribute {
    int number;
    int (*value)(const DeviceDescription&);
};

template <int Value>
int constant(const DeviceDescription&) {
    return Value;
}

template <auto Member>
int member(const DeviceDescription& device) {
    return static_cast<int>(device.*Member);
}

int since_hopper(const DeviceDescription& device) {
    return device.major >= 9 ? 1 : 0;
}

int memory_domains(const DeviceDescription& device) {  // CUDA C++ Programming Guide, memory synchronization domains
    return device.major >= 9 ? 4 : 1;
}

namespace limits = texture_limits;

using D = DeviceDescription;

// By number. Flags that no row names are 0: not supported, which is true of what they stand for.
constexpr std::array attributes{
    Attribute{1, member<&D::max_threads_per_block>},              // MaxThreadsPerBlock
    Attribute{2, member<&D::max_threads_per_block>},              // MaxBlockDimX
    Attribute{3, member<&D::max_threads_per_block>},              // MaxBlockDimY
    Attribute{4, constant<64>},                                   // MaxBlockDimZ
    Attribute{5, constant<INT_MAX>},                              // MaxGridDimX
    Attribute{6, constant<65535>},                                // MaxGridDimY
    Attribute{7, constant<65535>},                                // MaxGridDimZ
    Attribute{8, member<&D::shared_per_block>},                   // MaxSharedMemoryPerBlock
    Attribute{9, member<&D::constant_bytes>},                     // TotalConstantMemory
    Attribute{10, constant<32>},                                  // WarpSize
    Attribute{11, constant<INT_MAX>},                             // MaxPitch
    Attribute{12, member<&D::registers_per_block>},               // MaxRegistersPerBlock
    Attribute{13, member<&D::clock_khz>},                         // ClockRate
    Attribute{14, constant<limits::alignment>},                   // TextureAlignment
    Attribute{15, constant<1>},                                   // GpuOverlap
    Attribute{16, member<&D::sm_count>},                          // MultiProcessorCount
    Attribute{19, constant<1>},                                   // CanMapHostMemory
    Attribute{21, constant<limits::texture_1d>},                  // MaxTexture1DWidth
    Attribute{22, constant<limits::texture_2d[0]>},               // MaxTexture2DWidth
    Attribute{23, constant<limits::texture_2d[1]>},               // MaxTexture2DHeight
    Attribute{24, constant<limits::texture_3d[0]>},               // MaxTexture3DWidth
    Attribute{25, constant<limits::texture_3d[1]>},               // MaxTexture3DHeight
    Attribute{26, constant<limits::texture_3d[2]>},               // MaxTexture3DDepth
    Attribute{27, constant<limits::texture_2d_layered[0]>},       // MaxTexture2DLayeredWidth
    Attribute{28, constant<limits::texture_2d_layered[1]>},       // MaxTexture2DLayeredHeight
    Attribute{29, constant<limits::texture_2d_layered[2]>},       // MaxTexture2DLayeredLayers
    Attribute{30, constant<limits::surface_alignment>},           // SurfaceAlignment
    Attribute{31, constant<1>},                                   // ConcurrentKernels
    Attribute{32, member<&D::ecc>},                               // EccEnabled
    Attribute{33, constant<pci_bus>},                             // PciBusId
    Attribute{36, member<&D::memory_clock_khz>},                  // MemoryClockRate
    Attribute{37, member<&D::bus_width_bits>},                    // GlobalMemoryBusWidth
    Attribute{38, member<&D::l2_bytes>},                          // L2CacheSize
    Attribute{39, member<&D::max_threads_per_sm>},                // MaxThreadsPerMultiProcessor
    Attribute{40, constant<2>},                                   // AsyncEngineCount
    Attribute{41, constant<1>},                                   // UnifiedAddressing
    Attribute{42, constant<limits::texture_1d_layered[0]>},       // MaxTexture1DLayeredWidth
    Attribute{43, constant<limits::texture_1d_layered[1]>},       // MaxTexture1DLayeredLayers
    Attribute{44, constant<1>},                                   // CanTex2DGather (of the driver API)
    Attribute{45, constant<limits::texture_2d_gather[0]>},        // MaxTexture2DGatherWidth
    Attribute{46, constant<limits::texture_2d_gather[1]>},        // MaxTexture2DGatherHeight
    Attribute{47, constant<limits::texture_3d_alternate[0]>},     // MaxTexture3DWidthAlt
    Attribute{48, constant<limits::texture_3d_alternate[1]>},     // MaxTexture3DHeightAlt
    Attribute{49, constant<limits::texture_3d_alternate[2]>},     // MaxTexture3DDepthAlt
    Attribute{51, constant<limits::pitch_alignment>},             // TexturePitchAlignment
    Attribute{52, constant<limits::texture_cubemap>},             // MaxTextureCubemapWidth
    Attribute{53, constant<limits::texture_cubemap_layered[0]>},  // MaxTextureCubemapLayeredWidth
    Attribute{54, constant<limits::texture_cubemap_layered[1]>},  // MaxTextureCubemapLayeredLayers
    Attribute{55, constant<limits::surface_1d>},                  // MaxSurface1DWidth
    Attribute{56, constant<limits::surface_2d[0]>},               // MaxSurface2DWidth
    Attribute{57, constant<limits::surface_2d[1]>},               // MaxSurface2DHeight
    Attribute{58, constant<limits::surface_3d[0]>},               // MaxSurface3DWidth
    Attribute{59, constant<limits::surface_3d[1]>},               // MaxSurface3DHeight
    Attribute{60, constant<limits::surface_3d[2]>},               // MaxSurface3DDepth
    Attribute{61, constant<limits::surface_1d_layered[0]>},       // MaxSurface1DLayeredWidth
    Attribute{62, constant<limits::surface_1d_layered[1]>},       // MaxSurface1DLayeredLayers
    Attribute{63, constant<limits::surface_2d_layered[0]>},       // MaxSurface2DLayeredWidth
    Attribute{64, constant<limits::surface_2d_layered[1]>},       // MaxSurface2DLayeredHeight
    Attribute{65, constant<limits::surface_2d_layered[2]>},       // MaxSurface2DLayeredLayers
    Attribute{66, constant<limits::surface_cubemap>},             // MaxSurfaceCubemapWidth
    Attribute{67, constant<limits::surface_cubemap_layered[0]>},  // MaxSurfaceCubemapLayeredWidth
    Attribute{68, constant<limits::surface_cubemap_layered[1]>},  // MaxSurfaceCubemapLayeredLayers
    Attribute{69, constant<limits::texture_1d_linear>},           // MaxTexture1DLinearWidth
    Attribute{70, constant<limits::texture_2d_linear[0]>},        // MaxTexture2DLinearWidth
    Attribute{71, constant<limits::texture_2d_linear[1]>},        // MaxTexture2DLinearHeight
    Attribute{72, constant<limits::texture_2d_linear[2]>},        // MaxTexture2DLinearPitch
    Attribute{73, constant<limits::texture_2d_mipmap[0]>},        // MaxTexture2DMipmappedWidth
    Attribute{74, constant<limits::texture_2d_mipmap[1]>},        // MaxTexture2DMipmappedHeight
    Attribute{75, member<&D::major>},                             // ComputeCapabilityMajor
    Attribute{76, member<&D::minor>},                             // ComputeCapabilityMinor
    Attribute{77, constant<limits::texture_1d_mipmap>},           // MaxTexture1DMipmappedWidth
    Attribute{78, constant<1>},                                   // StreamPrioritiesSupported
    Attribute{79, member<&D::global_l1>},                         // GlobalL1CacheSupported
    Attribute{80, constant<1>},                                   // LocalL1CacheSupported
    Attribute{81, member<&D::shared_per_sm>},                     // MaxSharedMemoryPerMultiprocessor
    Attribute{82, member<&D::registers_per_sm>},                  // MaxRegistersPerMultiprocessor
    Attribute{83, constant<1>},                                   // ManagedMemory
    Attribute{87, member<&D::fp32_to_fp64>},                      // SingleToDoublePrecisionPerfRatio
    Attribute{89, constant<1>},                                   // ConcurrentManagedAccess
    Attribute{90, constant<1>},                                   // ComputePreemptionSupported
    Attribute{91, constant<1>},                                   // CanUseHostPointerForRegisteredMem
    Attribute{92, constant<1>},                                   // CanUseStreamMemOpsV1 (of the driver API, as 93, 94)
    Attribute{93, constant<1>},                                   // CanUse64BitStreamMemOpsV1
    Attribute{94, constant<1>},                                   // CanUseStreamWaitValueNorV1
    Attribute{95, constant<1>},                                   // CooperativeLaunch
    Attribute{97, member<&D::shared_per_block_opt_in>},           // MaxSharedMemoryPerBlockOptin
    Attribute{99, constant<1>},                                   // HostRegisterSupported
    Attribute{103, constant<1>},                                  // HandleTypePosixFileDescriptor (of the driver API)
    Attribute{106, member<&D::max_blocks_per_sm>},                // MaxBlocksPerMultiprocessor
    Attribute{111, member<&D::reserved_shared_per_block>},        // ReservedSharedMemoryPerBlock
    Attribute{113, constant<1>},                                  // HostRegisterReadOnlySupported
    Attribute{115, constant<1>},                                  // MemoryPoolsSupported
    Attribute{120, &since_hopper},                                // ClusterLaunch
    Attribute{122, constant<1>},                                  // CanUse64BitStreamMemOps (of the driver API, as 123)
    Attribute{123, constant<1>},                                  // CanUseStreamWaitValueNor
    Attribute{125, constant<1>},                                  // IpcEventSupport
    Attribute{126, &memory_domains},                              // MemSyncDomainCount
    Attribute{127, &since_hopper},                                // TensorMapAccessSupported (of the driver API)
    Attribute{129, constant<1>},                                  // UnifiedFunctionPointers
};
constexpr int most = 147;  // of CUDA 13.0

}  // namespace

std::optional<int> device_attribute(const Runtime& runtime, int number) {
    if (number < 1 || number > most) return std::nullopt;
    const auto* const found = std::ranges::find(attributes, number, &Attribute::number);
    return found == attributes.end() ? 0 : found->value(runtime.device());
}

GPUPROJ_CUDA_API CudaError cudaDeviceGetAttribute(int* value, int attribute, int device) {
    return query(__func__, [&](Runtime& runtime) {
        const auto known = device_attribute(runtime, attribute);
        if (value == nullptr || !known) return cuda::invalid_value;
        if (device != 0) return cuda::invalid_device;
        *value = *known;
        return cuda::success;
    });
}

// The same for texels of all sizes.
GPUPROJ_CUDA_API CudaError cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, const void* format, int device) {
    return query(__func__, [&](Runtime&) {
        if (texels == nullptr || format == nullptr) return cuda::invalid_value;
        if (device != 0) return cuda::invalid_device;
        *texels = limits::texture_1d_linear;
        return cuda::success;
    });
}

}  // namespace gpuproj::simulate
