// cudaDeviceGetAttribute: the properties under their numbers (cudaDeviceAttr).
#include <algorithm>
#include <array>
#include <climits>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/device_identity.hpp"
#include "collector/simulate/runtime/kernels.hpp"

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

int cluster_launch(const DeviceDescription& device) {
    return device.major >= 9 ? 1 : 0;
}

using D = DeviceDescription;

// By number. Flags that no row names are 0: not supported, which is true of what they stand for.
constexpr std::array attributes{
    Attribute{1, member<&D::max_threads_per_block>},        // MaxThreadsPerBlock
    Attribute{2, member<&D::max_threads_per_block>},        // MaxBlockDimX
    Attribute{3, member<&D::max_threads_per_block>},        // MaxBlockDimY
    Attribute{4, constant<64>},                             // MaxBlockDimZ
    Attribute{5, constant<INT_MAX>},                        // MaxGridDimX
    Attribute{6, constant<65535>},                          // MaxGridDimY
    Attribute{7, constant<65535>},                          // MaxGridDimZ
    Attribute{8, member<&D::shared_per_block>},             // MaxSharedMemoryPerBlock
    Attribute{9, member<&D::constant_bytes>},               // TotalConstantMemory
    Attribute{10, constant<32>},                            // WarpSize
    Attribute{11, constant<INT_MAX>},                       // MaxPitch
    Attribute{12, member<&D::registers_per_block>},         // MaxRegistersPerBlock
    Attribute{13, member<&D::clock_khz>},                   // ClockRate
    Attribute{14, constant<512>},                           // TextureAlignment
    Attribute{15, constant<1>},                             // GpuOverlap
    Attribute{16, member<&D::sm_count>},                    // MultiProcessorCount
    Attribute{19, constant<1>},                             // CanMapHostMemory
    Attribute{21, constant<131072>},                        // MaxTexture1DWidth
    Attribute{22, constant<131072>},                        // MaxTexture2DWidth
    Attribute{23, constant<65536>},                         // MaxTexture2DHeight
    Attribute{24, constant<16384>},                         // MaxTexture3DWidth
    Attribute{25, constant<16384>},                         // MaxTexture3DHeight
    Attribute{26, constant<16384>},                         // MaxTexture3DDepth
    Attribute{30, constant<512>},                           // SurfaceAlignment
    Attribute{31, constant<1>},                             // ConcurrentKernels
    Attribute{32, member<&D::ecc>},                         // EccEnabled
    Attribute{33, constant<pci_bus>},                       // PciBusId
    Attribute{36, member<&D::memory_clock_khz>},            // MemoryClockRate
    Attribute{37, member<&D::bus_width_bits>},              // GlobalMemoryBusWidth
    Attribute{38, member<&D::l2_bytes>},                    // L2CacheSize
    Attribute{39, member<&D::max_threads_per_sm>},          // MaxThreadsPerMultiProcessor
    Attribute{40, constant<2>},                             // AsyncEngineCount
    Attribute{41, constant<1>},                             // UnifiedAddressing
    Attribute{51, constant<32>},                            // TexturePitchAlignment
    Attribute{75, member<&D::major>},                       // ComputeCapabilityMajor
    Attribute{76, member<&D::minor>},                       // ComputeCapabilityMinor
    Attribute{78, constant<1>},                             // StreamPrioritiesSupported
    Attribute{79, member<&D::global_l1>},                   // GlobalL1CacheSupported
    Attribute{80, constant<1>},                             // LocalL1CacheSupported
    Attribute{81, member<&D::shared_per_sm>},               // MaxSharedMemoryPerMultiprocessor
    Attribute{82, member<&D::registers_per_sm>},            // MaxRegistersPerMultiprocessor
    Attribute{83, constant<1>},                             // ManagedMemory
    Attribute{87, member<&D::fp32_to_fp64>},                // SingleToDoublePrecisionPerfRatio
    Attribute{89, constant<1>},                             // ConcurrentManagedAccess
    Attribute{90, constant<1>},                             // ComputePreemptionSupported
    Attribute{91, constant<1>},                             // CanUseHostPointerForRegisteredMem
    Attribute{92, constant<1>},                             // CanUseStreamMemOpsV1 (of the driver API, as 93, 94)
    Attribute{93, constant<1>},                             // CanUse64BitStreamMemOpsV1
    Attribute{94, constant<1>},                             // CanUseStreamWaitValueNorV1
    Attribute{95, constant<1>},                             // CooperativeLaunch
    Attribute{97, member<&D::shared_per_block_opt_in>},     // MaxSharedMemoryPerBlockOptin
    Attribute{99, constant<1>},                             // HostRegisterSupported
    Attribute{106, member<&D::max_blocks_per_sm>},          // MaxBlocksPerMultiprocessor
    Attribute{111, member<&D::reserved_shared_per_block>},  // ReservedSharedMemoryPerBlock
    Attribute{115, constant<1>},                            // MemoryPoolsSupported
    Attribute{120, &cluster_launch},                        // ClusterLaunch
    Attribute{122, constant<1>},                            // CanUse64BitStreamMemOps (of the driver API, as 123)
    Attribute{123, constant<1>},                            // CanUseStreamWaitValueNor
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

}  // namespace gpuproj::simulate
