// Addresses reserved apart from the memory behind them (cuMemCreate, cuMemAddressReserve, cuMemMap). A reservation here
// is memory at once; what is mapped into it is only kept account of, so a piece of physical memory mapped at two
// addresses would be two: that is refused.
#include <map>
#include <mutex>

#include "collector/simulate/driver/driver.hpp"

namespace gpuproj::simulate::driver {

namespace {

constexpr std::size_t granule = std::size_t{2} << 20;

struct Location {  // CUmemLocation
    int type, id;
};
struct Properties {  // CUmemAllocationProp
    int type, handle_types;
    Location location;
    void* handle_metadata;
    unsigned char compression, rdma_capable;
    unsigned short usage;
    unsigned char reserved[4];
};

struct Physical {
    std::size_t bytes = 0;
    Properties properties{};
    DevicePointer mapped_at = 0;
};

class Book {
public:
    static Book& instance() {
        static auto* const book = new Book;
        return *book;
    }
    std::mutex mutex;
    std::map<std::uint64_t, Physical> physical;
    std::uint64_t next_handle = 1;
};

}  // namespace

GPUPROJ_CUDA_API CudaError cuMemGetAllocationGranularity(std::size_t* bytes, const Properties* properties, int) {
    return call(__func__, [&](Runtime&) { return properties == nullptr ? cuda::invalid_value : give(bytes, granule); });
}
GPUPROJ_CUDA_API CudaError cuMemCreate(std::uint64_t* handle, std::size_t bytes, const Properties* properties,
                                       unsigned long long) {
    return call(__func__, [&](Runtime&) {
        if (handle == nullptr || properties == nullptr || bytes == 0 || bytes % granule != 0)
            return cuda::invalid_value;
        if (properties->handle_types != 0)
            throw Refused(cuda::not_supported, "memory to be shared between processes", "");
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        *handle = book.next_handle++;
        book.physical[*handle] = {bytes, *properties};
        book.physical[*handle].properties.compression = 0;  // as from a GPU that has none left
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemRelease(std::uint64_t handle) {
    return call(__func__, [&](Runtime&) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        return book.physical.erase(handle) > 0 ? cuda::success : cuda::invalid_value;
    });
}
GPUPROJ_CUDA_API CudaError cuMemGetAllocationPropertiesFromHandle(Properties* properties, std::uint64_t handle) {
    return call(__func__, [&](Runtime&) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        const auto found = book.physical.find(handle);
        return found == book.physical.end() ? cuda::invalid_value : give(properties, found->second.properties);
    });
}
GPUPROJ_CUDA_API CudaError cuMemAddressReserve(DevicePointer* address, std::size_t bytes, std::size_t, DevicePointer,
                                               unsigned long long) {
    return call(__func__, [&](Runtime& runtime) {
        if (address == nullptr || bytes == 0 || bytes % granule != 0) return cuda::invalid_value;
        if (bytes > runtime.device().memory_bytes) return cuda::memory_allocation;
        void* const memory = runtime.memory().allocate(bytes);
        if (memory == nullptr) return cuda::memory_allocation;
        runtime.recorder().peak_device_memory(runtime.memory().peak());
        *address = reinterpret_cast<DevicePointer>(memory);
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemAddressFree(DevicePointer address, std::size_t) {
    return call(__func__, [&](Runtime& runtime) {
        return runtime.memory().release(pointer(address)) ? cuda::success : cuda::invalid_value;
    });
}
GPUPROJ_CUDA_API CudaError cuMemMap(DevicePointer address, std::size_t bytes, std::size_t offset, std::uint64_t handle,
                                    unsigned long long) {
    return call(__func__, [&](Runtime& runtime) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        const auto found = book.physical.find(handle);
        const auto range = runtime.memory().find(address);
        if (found == book.physical.end() || !range || !range->contains(address, bytes) || offset != 0 ||
            bytes > found->second.bytes)
            return cuda::invalid_value;
        if (found->second.mapped_at != 0)
            throw Refused(cuda::not_supported, "memory mapped at two addresses", "map it at one");
        found->second.mapped_at = address;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemUnmap(DevicePointer address, std::size_t bytes) {
    return call(__func__, [&](Runtime&) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        for (auto& [handle, physical] : book.physical)
            if (physical.mapped_at >= address && physical.mapped_at < address + bytes) physical.mapped_at = 0;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemSetAccess(DevicePointer address, std::size_t bytes, const void*, std::size_t) {
    return call(__func__, [&](Runtime& runtime) {
        const auto range = runtime.memory().find(address);
        return range && range->contains(address, bytes) ? cuda::success : cuda::invalid_value;
    });
}

}  // namespace gpuproj::simulate::driver
