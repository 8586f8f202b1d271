// cudaGetDeviceProperties: one description, in the layouts of all versions.
#include "collector/simulate/runtime/device_properties.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/device_identity.hpp"
#include "collector/simulate/runtime/texture_limits.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;

template <class Properties>
void fill_texture_limits(Properties& p) {
    namespace limits = texture_limits;
    const auto set = [](auto& out, const auto& values) { std::ranges::copy(values, out); };
    p.max_texture_1d = limits::texture_1d;
    p.max_texture_1d_mipmap = limits::texture_1d_mipmap;
    set(p.max_texture_2d, limits::texture_2d);
    set(p.max_texture_2d_mipmap, limits::texture_2d_mipmap);
    set(p.max_texture_2d_linear, limits::texture_2d_linear);
    set(p.max_texture_2d_gather, limits::texture_2d_gather);
    set(p.max_texture_3d, limits::texture_3d);
    set(p.max_texture_3d_alternate, limits::texture_3d_alternate);
    p.max_texture_cubemap = limits::texture_cubemap;
    set(p.max_texture_1d_layered, limits::texture_1d_layered);
    set(p.max_texture_2d_layered, limits::texture_2d_layered);
    set(p.max_texture_cubemap_layered, limits::texture_cubemap_layered);
    p.max_surface_1d = limits::surface_1d;
    set(p.max_surface_2d, limits::surface_2d);
    set(p.max_surface_3d, limits::surface_3d);
    set(p.max_surface_1d_layered, limits::surface_1d_layered);
    set(p.max_surface_2d_layered, limits::surface_2d_layered);
    p.max_surface_cubemap = limits::surface_cubemap;
    set(p.max_surface_cubemap_layered, limits::surface_cubemap_layered);
    p.texture_alignment = limits::alignment;
    p.texture_pitch_alignment = limits::pitch_alignment;
    p.surface_alignment = limits::surface_alignment;
}

template <class Properties>
void fill(Properties& p, const DeviceDescription& device) {
    p = {};
    device.name.copy(p.name, sizeof p.name - 1);
    p.total_global_memory = device.memory_bytes;
    p.shared_per_block = device.shared_per_block;
    p.registers_per_block = device.registers_per_block;
    p.warp_size = threads_per_warp;
    p.memory_pitch = INT_MAX;
    p.max_threads_per_block = device.max_threads_per_block;
    p.max_threads_dim[0] = p.max_threads_dim[1] = device.max_threads_per_block;
    p.max_threads_dim[2] = 64;
    p.max_grid_size[0] = INT_MAX;
    p.max_grid_size[1] = p.max_grid_size[2] = 65535;
    p.total_constant_memory = device.constant_bytes;
    p.major = device.major;
    p.minor = device.minor;
    p.multiprocessor_count = device.sm_count;
    p.can_map_host_memory = 1;
    p.concurrent_kernels = 1;
    p.ecc_enabled = device.ecc;
    p.pci_domain = pci_domain;
    p.pci_bus = pci_bus;
    p.pci_device = pci_device;
    if constexpr (requires { p.uuid; }) std::copy(device_uuid.begin(), device_uuid.end(), p.uuid);
    p.async_engine_count = 2;
    p.unified_addressing = 1;
    p.memory_bus_width = device.bus_width_bits;
    p.l2_cache_size = static_cast<int>(device.l2_bytes);
    p.max_threads_per_multiprocessor = device.max_threads_per_sm;
    p.stream_priorities_supported = 1;
    p.global_l1_cache_supported = device.global_l1;
    p.local_l1_cache_supported = 1;
    p.shared_per_multiprocessor = device.shared_per_sm;
    p.registers_per_multiprocessor = device.registers_per_sm;
    p.managed_memory = 1;
    p.concurrent_managed_access = 1;
    p.compute_preemption_supported = 1;
    p.can_use_host_pointer_for_registered_memory = 1;
    p.cooperative_launch = 1;
    if constexpr (requires { p.cluster_launch; }) p.cluster_launch = device.major >= 9 ? 1 : 0;
    p.shared_per_block_opt_in = device.shared_per_block_opt_in;
    if constexpr (requires { p.max_blocks_per_multiprocessor; }) {
        p.max_blocks_per_multiprocessor = device.max_blocks_per_sm;
        p.reserved_shared_per_block = device.reserved_shared_per_block;
    }
    fill_texture_limits(p);
    if constexpr (requires { p.clock_rate_khz; }) {
        p.clock_rate_khz = device.clock_khz;
        p.memory_clock_rate_khz = device.memory_clock_khz;
        p.device_overlap = 1;
        p.max_texture_1d_linear = texture_limits::texture_1d_linear;
        p.single_to_double_ratio = device.fp32_to_fp64;
    }
    if constexpr (requires { p.memory_pools_supported; }) {
        p.host_register_supported = 1;
        p.memory_pools_supported = 1;
        p.unified_function_pointers = 1;
        p.ipc_event_supported = 1;
    }
}

template <class Properties>
CudaError give(Properties* properties, int device) {
    return query("cudaGetDeviceProperties", [&](Runtime& runtime) {
        if (properties == nullptr) return cuda::invalid_value;
        if (device != 0) return cuda::invalid_device;
        fill(*properties, runtime.device());
        return cuda::success;
    });
}

/// What comes before a field is all that the caller has room for.
CudaError give_before(int cuda::DeviceProperties9::*end, cuda::DeviceProperties9* properties, int device) {
    cuda::DeviceProperties9 all{};
    const CudaError code = give(properties == nullptr ? nullptr : &all, device);
    if (properties != nullptr && code == cuda::success)
        std::memcpy(static_cast<void*>(properties), &all,
                    static_cast<std::size_t>(reinterpret_cast<const char*>(&(all.*end)) - all.name));
    return code;
}

}  // namespace

GPUPROJ_CUDA_API CudaError gpuproj_v5_cudaGetDeviceProperties(cuda::DeviceProperties9* properties, int device) {
    return give_before(&cuda::DeviceProperties9::stream_priorities_supported, properties, device);
}
// 6.0 to 7.5
GPUPROJ_CUDA_API CudaError gpuproj_v6_cudaGetDeviceProperties(cuda::DeviceProperties9* properties, int device) {
    return give_before(&cuda::DeviceProperties9::host_native_atomic_supported, properties, device);
}
GPUPROJ_CUDA_API CudaError gpuproj_v8_cudaGetDeviceProperties(cuda::DeviceProperties9* properties, int device) {
    return give_before(&cuda::DeviceProperties9::compute_preemption_supported, properties, device);
}
// As 9.0 and 9.1 have it; 9.2 has two fields more, which a program finds as they were.
GPUPROJ_CUDA_API CudaError gpuproj_v9_cudaGetDeviceProperties(cuda::DeviceProperties9* properties, int device) {
    return give_before(&cuda::DeviceProperties9::pageable_memory_access_uses_host_page_tables, properties, device);
}
GPUPROJ_CUDA_API CudaError gpuproj_v10_cudaGetDeviceProperties(cuda::DeviceProperties10* properties, int device) {
    return give(properties, device);
}

GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaGetDeviceProperties(cuda::DeviceProperties11* properties, int device) {
    return give(properties, device);
}
// A program built by CUDA 12 that asks by the old name knows the old layout.
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaGetDeviceProperties, gpuproj_v11_cudaGetDeviceProperties);

GPUPROJ_CUDA_API CudaError cudaGetDeviceProperties_v2(cuda::DeviceProperties12* properties, int device) {
    return give(properties, device);
}

GPUPROJ_CUDA_API CudaError gpuproj_v13_cudaGetDeviceProperties(cuda::DeviceProperties13* properties, int device) {
    return give(properties, device);
}

}  // namespace gpuproj::simulate
