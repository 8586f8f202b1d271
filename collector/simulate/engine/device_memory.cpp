#include "collector/simulate/engine/device_memory.hpp"

#include "collector/simulate/engine/address_ranges.hpp"
#include "collector/simulate/engine/huge_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>

namespace gpuproj::simulate {

namespace {

// What the host's libraries read behind a matrix without using it: OpenBLAS' products of a complex matrix and a vector
// read as far as a vector register goes.
constexpr std::size_t read_beyond = 64;

/// May what is read beyond an allocation be on a page of its own?
bool reads_on(std::size_t bytes) {
    return bytes + read_beyond > whole_pages(bytes);
}

std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

}  // namespace

DeviceMemory::~DeviceMemory() {
    for (const auto& [begin, bytes] : owned_) munmap(pointer_to(begin), whole_pages(bytes));
    for (const auto& [begin, file] : shared_) ::close(file);
    for (const std::uint64_t begin : beyond_) munmap(pointer_to(begin), page);
    for (const auto& [begin, end] : reserved_) munmap(pointer_to(begin), end - begin);
}

void DeviceMemory::open_beyond(std::uint64_t end) {
    void* const made = mmap(pointer_to(end), page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (made == MAP_FAILED) return;
    if (address_of(made) == end)
        beyond_.insert(end);
    else  // Linux before 4.17, which takes the address for a wish
        munmap(made, page);
}

void DeviceMemory::close_beyond(std::uint64_t begin, std::uint64_t end) {
    const auto first = beyond_.lower_bound(begin), last = beyond_.lower_bound(end);
    for (auto at = first; at != last; ++at) munmap(pointer_to(*at), page);
    beyond_.erase(first, last);
}

void* DeviceMemory::allocate(std::size_t bytes, Writers writers) {
    if (bytes == 0 || bytes > SIZE_MAX - page) return nullptr;
    const std::unique_lock lock(mutex_);
    void* const memory = place(bytes, std::nullopt);
    if (memory == nullptr) return nullptr;
    prefer_huge_pages(memory, whole_pages(bytes));
    if (writers == Writers::device) version_[address_of(memory)] = ++last_version_;
    allocated_ += bytes;
    peak_ = std::max(peak_, allocated_);
    return memory;
}

void* DeviceMemory::place(std::size_t bytes, std::optional<int> file) {
    const std::size_t mapped = whole_pages(bytes);
    if (next_ == 0) next_ = first_address;
    // A freed place of the same size is taken again, as cudaMalloc does.
    const auto hole = holes_.find(mapped);
    const std::uint64_t wanted = hole != holes_.end() ? hole->second : next_;
    close_beyond(wanted, wanted + mapped);
    const int flags = file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void* memory = mmap(pointer_to(wanted), mapped, PROT_READ | PROT_WRITE, flags, file.value_or(-1), 0);
    if (memory == MAP_FAILED) return nullptr;
    if (hole != holes_.end())
        holes_.erase(hole);
    else if (first_address != 0)
        next_ += mapped;
    const std::uint64_t begin = address_of(memory);
    erase_overlaps(freed_, begin, begin + bytes);
    live_[begin] = begin + bytes;
    owned_[begin] = bytes;
    if (reads_on(bytes)) open_beyond(begin + mapped);
    return memory;
}

bool DeviceMemory::release(void* pointer) {
    const std::uint64_t begin = address_of(pointer);
    const std::unique_lock lock(mutex_);
    const auto found = owned_.find(begin);
    if (found == owned_.end()) return false;
    const std::size_t mapped = whole_pages(found->second);
    if (attached_.erase(begin) == 0) allocated_ -= found->second;
    if (const auto shared = shared_.find(begin); shared != shared_.end()) {
        ::close(shared->second);
        shared_.erase(shared);
    }
    freed_[begin] = begin + found->second;
    holes_.emplace(mapped, begin);
    live_.erase(begin);
    version_.erase(begin);
    const auto next = owned_.erase(found);
    generation_.fetch_add(1, std::memory_order_acq_rel);
    munmap(pointer, mapped);  // under the lock, so that the address cannot come back before the books are closed
    close_beyond(begin + mapped, begin + mapped + page);
    if (next != owned_.begin()) {
        const auto& [before, bytes] = *std::prev(next);
        if (before + whole_pages(bytes) == begin && reads_on(bytes)) open_beyond(begin);
    }
    return true;
}

void DeviceMemory::add(const void* begin, std::size_t bytes) {
    if (bytes == 0) return;
    const std::uint64_t address = address_of(begin);
    const std::unique_lock lock(mutex_);
    erase_overlaps(freed_, address, address + bytes);
    live_[address] = address + bytes;
    generation_.fetch_add(1, std::memory_order_acq_rel);
}

bool DeviceMemory::remove(const void* begin) {
    const std::uint64_t address = address_of(begin);
    const std::unique_lock lock(mutex_);
    const auto found = live_.find(address);
    if (found == live_.end() || owned_.contains(address)) return false;
    freed_[address] = found->second;
    live_.erase(found);
    generation_.fetch_add(1, std::memory_order_acq_rel);
    return true;
}

void DeviceMemory::wrote(std::uint64_t begin, std::uint64_t bytes) {
    const std::unique_lock lock(mutex_);
    auto first = version_.upper_bound(begin);
    if (first != version_.begin()) --first;  // it may reach up to there
    for (; first != version_.end() && first->first < begin + bytes; ++first) first->second = ++last_version_;
}

void DeviceMemory::wrote_everywhere() {
    const std::unique_lock lock(mutex_);
    for (auto& [begin, version] : version_) version = ++last_version_;
}

std::optional<std::uint64_t> DeviceMemory::version(const Range& range) const {
    const std::shared_lock lock(mutex_);
    const auto found = version_.find(range.begin);
    if (found == version_.end()) return std::nullopt;
    return found->second;
}

void* DeviceMemory::allocate_in_kernel(std::size_t bytes) {
    if (!heap_.has_begun()) {
        const std::scoped_lock lock(heap_begins_);
        if (!heap_.has_begun()) {
            void* const arena = reserve(heap_bytes_, page);
            if (arena == nullptr || mprotect(arena, heap_bytes_, PROT_READ | PROT_WRITE) != 0) return nullptr;
            try {
                heap_.begin(address_of(arena), heap_bytes_);
            } catch (const std::bad_alloc&) {
                unreserve(arena, heap_bytes_);
                return nullptr;
            }
        }
    }
    return pointer_to(heap_.allocate(bytes));
}

bool DeviceMemory::release_in_kernel(void* pointer) {
    if (!heap_.release(address_of(pointer))) return false;
    generation_.fetch_add(1, std::memory_order_acq_rel);
    return true;
}

bool DeviceMemory::set_heap_bytes(std::size_t bytes) {
    const std::scoped_lock lock(heap_begins_);
    if (heap_.has_begun()) return false;
    heap_bytes_ = std::max(whole_pages(std::min<std::size_t>(bytes, DeviceHeap::most_bytes)), page);
    return true;
}

std::optional<Range> DeviceMemory::find(std::uint64_t address) const {
    if (heap_.holds(address)) return heap_.find(address);
    const std::shared_lock lock(mutex_);
    return range_at(live_, address);
}

bool DeviceMemory::is_near(std::uint64_t address, std::uint64_t distance) const {
    if (heap_.holds(address)) return true;
    const std::shared_lock lock(mutex_);
    const auto behind = live_.upper_bound(address);
    if (behind != live_.end() && behind->first - address <= distance) return true;
    return behind != live_.begin() && address < std::prev(behind)->second + distance;
}

bool DeviceMemory::was_freed(std::uint64_t address) const {
    if (heap_.holds(address)) return heap_.was_freed(address);
    const std::shared_lock lock(mutex_);
    return holding(live_, address) == live_.end() && holding(freed_, address) != freed_.end();
}

std::uint64_t DeviceMemory::allocated() const {
    const std::shared_lock lock(mutex_);
    return allocated_ + heap_.allocated();
}

std::uint64_t DeviceMemory::peak() const {
    const std::shared_lock lock(mutex_);
    return peak_ + heap_.peak();
}

}  // namespace gpuproj::simulate
