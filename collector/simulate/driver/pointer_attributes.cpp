// What a pointer points to.
#include <cstring>
#include <optional>

#include "collector/simulate/driver/driver.hpp"

namespace gpuproj::simulate::driver {

namespace {

// CUpointer_attribute
enum class About {
    context = 1,
    memory_type,
    device_pointer,
    host_pointer,
    peer_tokens,
    synchronous,
    buffer_id,
    is_managed,
    device,
    old_sharing,
    range_begin,
    range_bytes,
    mapped,
    handle_types,
    direct_access,
    access,
    pool,
    mapping_bytes,
    mapping_begin,
    block_id,
    decompression,
};

// What the attributes of one pointer are given as; `found` and `range` are empty where nothing is known of it.
struct Teller {
    void* data;
    DevicePointer address;
    std::optional<Allocation> found;
    std::optional<Range> range;

    template <class T>
    CudaError put(T value) const {
        std::memcpy(data, &value, sizeof value);
        return cuda::success;
    }
    bool is(cuda::PointerType type) const { return found && found->type == type; }
    bool known() const { return found || range; }
    std::uint64_t begin() const { return range ? range->begin : found ? found->begin : 0; }
    std::uint64_t bytes() const { return range ? range->end - range->begin : found ? found->bytes : 0; }

    // Zeros for memory that is not CUDA's, as cuPointerGetAttributes gives them.
    CudaError tell(About about) const {
        constexpr int no_memory = 0, host_memory = 1, device_memory = 2;  // CUmemorytype
        constexpr int read_and_write = 3;
        const bool on_host = is(cuda::PointerType::host), managed = is(cuda::PointerType::managed);
        switch (about) {
            case About::memory_type:
                return put(!known() ? no_memory : on_host ? host_memory : device_memory);
            case About::device_pointer:
                return put(known() ? address : 0);
            case About::host_pointer:
                if (known() && !on_host && !managed) return cuda::invalid_value;
                return put(known() ? address : 0);
            case About::is_managed:
                return put(managed ? 1U : 0U);
            case About::range_begin:
            case About::mapping_begin:
                return put(begin());
            case About::range_bytes:
            case About::mapping_bytes:
                return put(bytes());
            case About::mapped:
                return put(known() ? 1U : 0U);
            case About::access:
                return put(known() ? read_and_write : 0);
            case About::pool:
                return put(found ? found->pool : nullptr);
            case About::context:
                return put(static_cast<void*>(nullptr));
            case About::handle_types:
                return put(std::uint64_t{0});
            case About::synchronous:
                return put(found && found->synchronous ? 1 : 0);
            case About::device:
            case About::old_sharing:
            case About::direct_access:
            case About::decompression:
                return put(0);
            case About::peer_tokens:
            case About::buffer_id:
            case About::block_id:
                break;
        }
        return cuda::not_supported;
    }
};

Teller teller(Runtime& runtime, DevicePointer address, void* data) {
    return {data, address, runtime.allocations().find(pointer(address)), runtime.memory().find(address)};
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuPointerGetAttribute(void* data, int attribute, DevicePointer address) {
    return call(__func__, [&](Runtime& runtime) {
        const Teller about = teller(runtime, address, data);
        if (data == nullptr || !about.known()) return cuda::invalid_value;
        return about.tell(static_cast<About>(attribute));
    });
}
// What does not apply to the pointer is zero.
GPUPROJ_CUDA_API CudaError cuPointerGetAttributes(unsigned count, const int* attributes, void** data,
                                                  DevicePointer address) {
    return call(__func__, [&](Runtime& runtime) {
        if (attributes == nullptr || data == nullptr) return cuda::invalid_value;
        for (unsigned i = 0; i < count; ++i) {
            if (data[i] == nullptr) return cuda::invalid_value;
            const CudaError code = teller(runtime, address, data[i]).tell(static_cast<About>(attributes[i]));
            if (code == cuda::not_supported) return code;
            if (code != cuda::success) *static_cast<void**>(data[i]) = nullptr;  // a pointer of the host to what is not
        }
        return cuda::success;
    });
}
// Of all attributes this one can be set. Copies are done when their call returns, so that it changes nothing.
GPUPROJ_CUDA_API CudaError cuPointerSetAttribute(const unsigned* value, int attribute, DevicePointer address) {
    return call(__func__, [&](Runtime& runtime) {
        if (value == nullptr || static_cast<About>(attribute) != About::synchronous || *value > 1)
            return cuda::invalid_value;
        return runtime.allocations().set_synchronous(pointer(address), *value == 1) ? cuda::success
                                                                                    : cuda::invalid_value;
    });
}

}  // namespace gpuproj::simulate::driver
