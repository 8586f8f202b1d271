#include "collector/simulate/engine/held_memory.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "collector/simulate/engine/address_ranges.hpp"

namespace gpuproj::simulate {

void* hold(DeviceMemory& memory, std::size_t bytes) {
    if (bytes > SIZE_MAX - 2 * page) return nullptr;
    // Programs read a little beyond the end of what they have.
    const std::size_t all = whole_pages(bytes) + page;
    void* const begin = memory.reserve(all, page);
    if (begin == nullptr) return nullptr;
    // A mapping of its own, so that the system can say that there is not so much.
    if (mmap(begin, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
        return begin;
    memory.unreserve(begin, all);
    return nullptr;
}

void release_held(DeviceMemory& memory, const void* begin) {
    const auto all = memory.reservation(reinterpret_cast<std::uint64_t>(begin));
    if (all) memory.unreserve(pointer_to(all->begin), all->end - all->begin);
}

}  // namespace gpuproj::simulate
