// The binary interface of the CUDA runtime, as far as the stand-in takes part in it: own declarations, because the
// library is built where there is no CUDA toolkit, and serves programs of several toolkit versions.
#pragma once

#include <cstddef>
#include <cstdint>

#define GPUPROJ_CUDA_API extern "C" __attribute__((visibility("default")))
/// Another name for a function of the same file; the per-thread-default-stream variants differ in nothing here, for
/// every stream runs at once.
#define GPUPROJ_CUDA_ALIAS(alias_name, name) \
    extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) alias_name

namespace gpuproj::simulate::cuda {

/// cudaError_t, the codes that are given here.
enum CudaError : int {
    success = 0,
    invalid_value = 1,
    memory_allocation = 2,
    initialization_error = 3,
    invalid_configuration = 9,
    invalid_pitch_value = 12,
    invalid_symbol = 13,
    invalid_texture = 18,
    invalid_channel_descriptor = 20,
    invalid_memcpy_direction = 21,
    invalid_filter_setting = 26,
    invalid_norm_setting = 27,
    missing_configuration = 52,
    invalid_device_function = 98,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    map_buffer_object_failed = 205,
    no_kernel_image = 209,
    peer_access_unsupported = 217,
    invalid_ptx = 218,
    file_not_found = 301,
    invalid_resource_handle = 400,
    illegal_state = 401,
    symbol_not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,
    peer_access_not_enabled = 705,
    assertion_failed = 710,
    host_memory_already_registered = 712,
    host_memory_not_registered = 713,
    misaligned_address = 716,
    launch_failure = 719,
    cooperative_launch_too_large = 720,
    not_permitted = 800,
    not_supported = 801,
    stream_capture_unsupported = 900,
    stream_capture_invalidated = 901,
    stream_capture_merge = 902,
    stream_capture_unmatched = 903,
    stream_capture_unjoined = 904,
    stream_capture_isolation = 905,
    stream_capture_implicit = 906,
    captured_event = 907,
    stream_capture_wrong_thread = 908,
    graph_exec_update_failure = 910,
    invalid_cluster_size = 912,
    invalid_resource_type = 914,
    invalid_resource_configuration = 915,
    unknown = 999,
};

struct Dim {  // dim3
    std::uint32_t x, y, z;
};

enum class CopyKind : int { host_to_host, host_to_device, device_to_host, device_to_device, automatic };

enum class PointerType : int { unregistered, host, device, managed };

struct Position {  // cudaPos
    std::size_t x, y, z;
};

struct Extent {  // cudaExtent: width in bytes where no array takes part
    std::size_t width, height, depth;
};

struct PitchedPointer {  // cudaPitchedPtr
    void* pointer;
    std::size_t pitch, width, height;
};

struct Copy3D {  // cudaMemcpy3DParms
    void* source_array;
    Position source_position;
    PitchedPointer source;
    void* destination_array;
    Position destination_position;
    PitchedPointer destination;
    Extent extent;
    CopyKind kind;
};

struct Copy3DPeer {  // cudaMemcpy3DPeerParms
    void* source_array;
    Position source_position;
    PitchedPointer source;
    int source_device;
    void* destination_array;
    Position destination_position;
    PitchedPointer destination;
    int destination_device;
    Extent extent;
};

struct PointerAttributes {  // cudaPointerAttributes; CUDA 13 has eight reserved words more, which stay untouched
    PointerType type;
    int device;
    void* device_pointer;
    void* host_pointer;
};

struct FunctionAttributes {  // cudaFuncAttributes up to CUDA 11
    std::size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
    int max_dynamic_shared_bytes, preferred_shared_carveout;
};

struct FunctionAttributes12 {  // since CUDA 12; not derived, as what follows begins where the above is padded
    std::size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
    int max_dynamic_shared_bytes, preferred_shared_carveout;
    int cluster_dimension_must_be_set;
    int required_cluster[3];
    int cluster_scheduling_policy, non_portable_cluster_size_allowed;
    int reserved[16];
};

struct LaunchAttribute {                                                       // cudaLaunchAttribute
    static constexpr int id_cooperative = 2, id_cluster = 4, id_priority = 8;  // cudaLaunchAttributeID
    int id;
    int padding;
    union {
        int flag;
        std::uint32_t cluster[3];
        char bytes[64];
    } value;
};

struct LaunchConfig {  // cudaLaunchConfig_t
    Dim grid, block;
    std::size_t dynamic_shared_bytes;
    void* stream;
    const LaunchAttribute* attributes;
    std::uint32_t attribute_count;
};

struct Location {  // cudaMemLocation
    int type, id;
};

struct PoolProperties {  // cudaMemPoolProps, as far as it is looked at
    int allocation_type, handle_types;
    Location location;
};

struct Uuid {
    char bytes[16];
};

/// First argument of __cudaRegisterFatBinary. Version 2 (-rdc=true) has a null-terminated list of the fat binaries of
/// the translation units beside the linked machine code.
struct FatbinWrapper {
    std::uint32_t magic, version;
    const void* fatbin;
    const void* const* units;
};

}  // namespace gpuproj::simulate::cuda
