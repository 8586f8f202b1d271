// Addresses reserved apart from the memory behind them (cuMemCreate, cuMemAddressReserve, cuMemMap).
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/physical_memory.hpp"

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
struct AccessOf {  // CUmemAccessDesc
    Location location;
    int access;
};
constexpr int no_access = 0;   // CUmemAccess_flags
constexpr int pinned = 1;      // CU_MEM_ALLOCATION_TYPE_PINNED
constexpr int on_device = 1;   // CUmemLocationType
constexpr int posix_file = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

struct Physical {
    std::shared_ptr<PhysicalMemory> memory;  // a mapping keeps it, too
    Properties properties{};
    unsigned references = 1;
    unsigned mappings = 0;
};

struct Mapping {
    std::size_t bytes = 0;
    std::uint64_t handle = 0;
    int access = no_access;
};

class Book {
public:
    static Book& instance() {
        static auto* const book = new Book;
        return *book;
    }
    std::mutex mutex;
    std::map<std::uint64_t, Physical> physical;
    std::map<DevicePointer, Mapping> mapped;
    std::uint64_t next_handle = 1;

    /// Of a mapping or a reference that has gone: the memory goes with the last of them.
    void forget_unused(Runtime& runtime, std::uint64_t handle) {
        const auto found = physical.find(handle);
        if (found == physical.end() || found->second.references + found->second.mappings != 0) return;
        runtime.memory().give_back(found->second.memory->bytes());
        physical.erase(found);
    }
    /// One that the application has, not one that a mapping alone keeps.
    Physical* referred(std::uint64_t handle) {
        const auto found = physical.find(handle);
        return found == physical.end() || found->second.references == 0 ? nullptr : &found->second;
    }
    auto mapping_at(DevicePointer address) {
        const auto next = mapped.upper_bound(address);
        if (next == mapped.begin()) return mapped.end();
        const auto candidate = std::prev(next);
        return address < candidate->first + candidate->second.bytes ? candidate : mapped.end();
    }
    /// Are these addresses those of whole mappings, one behind the other?
    bool is_of_whole_mappings(DevicePointer begin, std::size_t bytes) const {
        const DevicePointer end = begin + bytes;
        DevicePointer next = begin;
        for (auto at = mapped.find(begin); next < end && at != mapped.end() && at->first == next; ++at)
            next += at->second.bytes;
        return next == end;
    }
};

}  // namespace

GPUPROJ_CUDA_API CudaError cuMemGetAllocationGranularity(std::size_t* bytes, const Properties* properties, int) {
    return call(__func__, [&](Runtime&) { return properties == nullptr ? cuda::invalid_value : give(bytes, granule); });
}
GPUPROJ_CUDA_API CudaError cuMemCreate(std::uint64_t* handle, std::size_t bytes, const Properties* properties,
                                       unsigned long long) {
    return call(__func__, [&](Runtime& runtime) {
        if (handle == nullptr || properties == nullptr || bytes == 0 || bytes % granule != 0)
            return cuda::invalid_value;
        if (properties->handle_types != 0 && properties->handle_types != posix_file)
            throw Refused(cuda::not_supported, "memory to be shared between processes", "");
        const auto total = runtime.device().memory_bytes;
        if (bytes > total || runtime.memory().allocated() > total - bytes) return cuda::memory_allocation;
        auto memory = std::make_shared<PhysicalMemory>(bytes);
        if (memory->file() < 0) return cuda::memory_allocation;
        runtime.memory().take(bytes);
        runtime.recorder().peak_device_memory(runtime.memory().peak());
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        *handle = book.next_handle++;
        book.physical[*handle] = {std::move(memory), *properties};
        book.physical[*handle].properties.compression = 0;  // as from a GPU that has none left
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemExportToShareableHandle(int* out, std::uint64_t handle, int type,
                                                        unsigned long long flags) {
    return call(__func__, [&](Runtime&) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        const Physical* const physical = book.referred(handle);
        if (out == nullptr || flags != 0 || physical == nullptr || type != posix_file ||
            physical->properties.handle_types != posix_file)
            return cuda::invalid_value;
        *out = dup(physical->memory->file());
        return *out >= 0 ? cuda::success : cuda::memory_allocation;
    });
}
GPUPROJ_CUDA_API CudaError cuMemImportFromShareableHandle(std::uint64_t* handle, void* file, int type) {
    return call(__func__, [&](Runtime& runtime) {
        if (handle == nullptr || type != posix_file) return cuda::invalid_value;
        auto memory = PhysicalMemory::of_file(static_cast<int>(reinterpret_cast<std::intptr_t>(file)));
        if (memory->file() < 0 || memory->bytes() == 0 || memory->bytes() % granule != 0) return cuda::invalid_value;
        runtime.memory().take(memory->bytes());
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        *handle = book.next_handle++;
        Physical& physical = book.physical[*handle];
        physical.memory = std::move(memory);
        physical.properties.type = pinned;
        physical.properties.handle_types = posix_file;
        physical.properties.location = {on_device, 0};
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemRelease(std::uint64_t handle) {
    return call(__func__, [&](Runtime& runtime) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        Physical* const physical = book.referred(handle);
        if (physical == nullptr) return cuda::invalid_value;
        --physical->references;
        book.forget_unused(runtime, handle);
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemRetainAllocationHandle(std::uint64_t* handle, void* address) {
    return call(__func__, [&](Runtime&) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        const auto mapping = book.mapping_at(reinterpret_cast<DevicePointer>(address));
        if (handle == nullptr || mapping == book.mapped.end()) return cuda::invalid_value;
        *handle = mapping->second.handle;
        ++book.physical[*handle].references;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemGetAllocationPropertiesFromHandle(Properties* properties, std::uint64_t handle) {
    return call(__func__, [&](Runtime&) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        const Physical* const physical = book.referred(handle);
        return physical == nullptr ? cuda::invalid_value : give(properties, physical->properties);
    });
}
GPUPROJ_CUDA_API CudaError cuMemAddressReserve(DevicePointer* address, std::size_t bytes, std::size_t alignment,
                                               DevicePointer, unsigned long long) {
    return call(__func__, [&](Runtime& runtime) {
        if (address == nullptr || bytes == 0 || bytes % granule != 0 || (alignment & (alignment - 1)) != 0)
            return cuda::invalid_value;
        void* const made = runtime.memory().reserve(bytes, std::max(alignment, granule));
        if (made == nullptr) return cuda::memory_allocation;
        *address = reinterpret_cast<DevicePointer>(made);
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemUnmap(DevicePointer address, std::size_t bytes) {
    return call(__func__, [&](Runtime& runtime) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        if (bytes == 0 || !book.is_of_whole_mappings(address, bytes)) return cuda::invalid_value;
        runtime.released(pointer(address), bytes);
        runtime.memory().unmap(address, bytes);
        for (auto at = book.mapped.find(address); at != book.mapped.end() && at->first < address + bytes;) {
            const std::uint64_t handle = at->second.handle;
            at = book.mapped.erase(at);
            --book.physical[handle].mappings;
            book.forget_unused(runtime, handle);
        }
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemAddressFree(DevicePointer address, std::size_t bytes) {
    return call(__func__, [&](Runtime& runtime) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        const auto first = book.mapped.lower_bound(address);
        if (first != book.mapped.end() && first->first < address + bytes) return cuda::invalid_value;
        return runtime.memory().unreserve(pointer(address), bytes) ? cuda::success : cuda::invalid_value;
    });
}
GPUPROJ_CUDA_API CudaError cuMemMap(DevicePointer address, std::size_t bytes, std::size_t offset, std::uint64_t handle,
                                    unsigned long long) {
    return call(__func__, [&](Runtime& runtime) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        Physical* const physical = book.referred(handle);
        const auto range = runtime.memory().reservation(address);
        if (physical == nullptr || !range || !range->contains(address, bytes) || offset != 0 || bytes == 0 ||
            bytes % granule != 0 || bytes > physical->memory->bytes())
            return cuda::invalid_value;
        const auto next = book.mapped.lower_bound(address);
        if (book.mapping_at(address) != book.mapped.end() ||
            (next != book.mapped.end() && next->first < address + bytes))
            return cuda::invalid_value;
        if (!runtime.memory().map(address, bytes, physical->memory->file())) return cuda::memory_allocation;
        book.mapped[address] = {bytes, handle};
        ++physical->mappings;
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemSetAccess(DevicePointer address, std::size_t bytes, const AccessOf* wanted,
                                          std::size_t count) {
    return call(__func__, [&](Runtime& runtime) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        if (wanted == nullptr || count == 0 || bytes == 0 || !book.is_of_whole_mappings(address, bytes))
            return cuda::invalid_value;
        for (const AccessOf& one : std::span(wanted, count)) {
            if (one.location.type != on_device) continue;
            if (one.location.id != 0) return cuda::invalid_device;
            for (auto at = book.mapped.find(address); at != book.mapped.end() && at->first < address + bytes; ++at)
                at->second.access = one.access;
            one.access == no_access ? runtime.memory().close(address, bytes) : runtime.memory().open(address, bytes);
        }
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuMemGetAccess(unsigned long long* access, const Location* location, DevicePointer address) {
    return call(__func__, [&](Runtime&) {
        Book& book = Book::instance();
        const std::lock_guard lock(book.mutex);
        const auto mapping = book.mapping_at(address);
        if (location == nullptr || mapping == book.mapped.end()) return cuda::invalid_value;
        return give(access, location->type == on_device ? static_cast<unsigned long long>(mapping->second.access) : 0);
    });
}

}  // namespace gpuproj::simulate::driver
