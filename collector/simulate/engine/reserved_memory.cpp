// Addresses of the simulated GPU that are reserved first, and get memory behind them later.
#include <sys/mman.h>

#include <algorithm>
#include <mutex>

#include "collector/simulate/engine/address_ranges.hpp"
#include "collector/simulate/engine/device_memory.hpp"

namespace gpuproj::simulate {

namespace {

std::uint64_t aligned(std::uint64_t address, std::uint64_t alignment) {
    return (address + alignment - 1) & ~(alignment - 1);
}

// Addresses that nothing else gets; at `wanted`, unless something is there. 0: none.
std::uint64_t blank(std::uint64_t wanted, std::size_t bytes, int flags = 0) {
    void* const made =
        mmap(pointer_to(wanted), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    return made == MAP_FAILED ? 0 : reinterpret_cast<std::uint64_t>(made);
}

std::uint64_t aligned_blank(std::uint64_t wanted, std::size_t bytes, std::size_t alignment) {
    const std::uint64_t there = blank(wanted, bytes);
    if (there % alignment == 0) return there;
    munmap(pointer_to(there), bytes);
    const std::uint64_t made = blank(0, bytes + alignment);
    if (made == 0) return 0;
    const std::uint64_t begin = aligned(made, alignment), end = begin + bytes;
    if (begin != made) munmap(pointer_to(made), begin - made);
    if (const std::uint64_t rest = made + bytes + alignment - end; rest != 0) munmap(pointer_to(end), rest);
    return begin;
}

}  // namespace

void* DeviceMemory::reserve(std::size_t bytes, std::size_t alignment) {
    constexpr std::size_t most = std::size_t{1} << 46;
    if (bytes == 0 || bytes > most || alignment > most) return nullptr;
    const std::unique_lock lock(mutex_);
    if (next_ == 0) next_ = first_address;
    auto hole = holes_.lower_bound(bytes);
    while (hole != holes_.end() && hole->first == bytes && hole->second % alignment != 0) ++hole;
    const bool again = hole != holes_.end() && hole->first == bytes;
    const std::uint64_t wanted = again ? hole->second : aligned(next_, alignment);
    close_beyond(wanted, wanted + bytes);
    const std::uint64_t begin = aligned_blank(wanted, bytes, alignment);
    if (begin == 0) return nullptr;
    if (again)
        holes_.erase(hole);
    else if (first_address != 0)
        next_ = std::max(next_, wanted + bytes);
    reserved_[begin] = begin + bytes;
    return pointer_to(begin);
}

bool DeviceMemory::unreserve(void* begin, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(begin);
    {
        const std::shared_lock lock(mutex_);
        const auto found = reserved_.find(address);
        if (found == reserved_.end() || found->second != address + bytes) return false;
    }
    close(address, bytes);
    const std::unique_lock lock(mutex_);
    holes_.emplace(bytes, address);
    reserved_.erase(address);
    munmap(begin, bytes);
    return true;
}

std::optional<Range> DeviceMemory::reservation(std::uint64_t address) const {
    const std::shared_lock lock(mutex_);
    return range_at(reserved_, address);
}

// A change of what the memory is, though none of what is known of it.
bool DeviceMemory::map(  // NOLINT(*-to-static)
    std::uint64_t begin, std::size_t bytes, int file) {
    return mmap(pointer_to(begin), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
}

void DeviceMemory::unmap(std::uint64_t begin, std::size_t bytes) {
    close(begin, bytes);
    blank(begin, bytes, MAP_FIXED);
}

void DeviceMemory::open(std::uint64_t begin, std::size_t bytes) {
    const std::unique_lock lock(mutex_);
    const auto is_reserved = [&](std::uint64_t address) { return holding(reserved_, address) != reserved_.end(); };
    if (!is_reserved(begin)) return;
    Range joined{begin, begin + bytes};
    erase_overlaps(freed_, joined.begin, joined.end);
    auto at = live_.upper_bound(begin);
    if (at != live_.begin() && std::prev(at)->second >= begin && is_reserved(std::prev(at)->first)) --at;
    while (at != live_.end() && at->first <= joined.end && is_reserved(at->first)) {
        joined = {std::min(joined.begin, at->first), std::max(joined.end, at->second)};
        at = live_.erase(at);
    }
    live_[joined.begin] = joined.end;
    generation_.fetch_add(1, std::memory_order_acq_rel);
}

void DeviceMemory::close(std::uint64_t begin, std::size_t bytes) {
    const std::unique_lock lock(mutex_);
    const std::uint64_t end = begin + bytes;
    auto at = live_.lower_bound(begin);
    if (at != live_.begin() && std::prev(at)->second > begin) --at;
    while (at != live_.end() && at->first < end) {
        const Range old{at->first, at->second};
        at = live_.erase(at);
        if (old.begin < begin) live_[old.begin] = begin;
        if (old.end > end) live_[end] = old.end;
        freed_[std::max(old.begin, begin)] = std::min(old.end, end);
    }
    generation_.fetch_add(1, std::memory_order_acq_rel);
}

void DeviceMemory::take(std::uint64_t bytes) {
    const std::unique_lock lock(mutex_);
    allocated_ += bytes;
    peak_ = std::max(peak_, allocated_);
}

void DeviceMemory::give_back(std::uint64_t bytes) {
    const std::unique_lock lock(mutex_);
    allocated_ -= bytes;
}

}  // namespace gpuproj::simulate
