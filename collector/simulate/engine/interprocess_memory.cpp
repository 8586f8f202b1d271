// The part of DeviceMemory that several processes have: allocations whose bytes are in a file without a name.
#include "collector/simulate/engine/device_memory.hpp"

#include "collector/simulate/engine/address_ranges.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mutex>

namespace gpuproj::simulate {

namespace {

bool write_all(int file, const std::byte* from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t written = pwrite(file, from + done, bytes - done, static_cast<off_t>(done));
        if (written <= 0) return false;
        done += static_cast<std::size_t>(written);
    }
    return true;
}

/// A file with these bytes; -1: there is none.
int file_with(const void* begin, std::size_t bytes) {
    const int file = memfd_create("gpuproj", MFD_CLOEXEC);
    if (file >= 0 && write_all(file, static_cast<const std::byte*>(begin), bytes)) return file;
    if (file >= 0) close(file);
    return -1;
}

}  // namespace

std::optional<int> DeviceMemory::share(const void* begin) {
    const auto address = reinterpret_cast<std::uint64_t>(begin);
    const std::unique_lock lock(mutex_);
    if (const auto known = shared_.find(address); known != shared_.end()) return known->second;
    const auto found = owned_.find(address);
    if (found == owned_.end() || attached_.contains(address)) return std::nullopt;
    const std::size_t mapped = whole_pages(found->second);
    const int file = file_with(begin, mapped);
    if (file < 0) return std::nullopt;
    if (mmap(const_cast<void*>(begin), mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
        ::close(file);
        return std::nullopt;
    }
    version_.erase(address);  // others write there unnoticed
    shared_[address] = file;
    return file;
}

void* DeviceMemory::attach(int file, std::size_t bytes) {
    struct stat status {};
    if (bytes == 0 || fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) < whole_pages(bytes))
        return nullptr;
    const std::unique_lock lock(mutex_);
    void* const memory = place(bytes, file);
    if (memory != nullptr) attached_.insert(reinterpret_cast<std::uint64_t>(memory));
    return memory;
}

}  // namespace gpuproj::simulate
