#include "collector/simulate/engine/device_heap.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace gpuproj::simulate {

namespace {

constexpr std::uint64_t rounded(std::uint64_t bytes) {
    return (bytes + DeviceHeap::alignment - 1) / DeviceHeap::alignment * DeviceHeap::alignment;
}

template <class T>
T* zeros(std::uint64_t count) {
    void* const made = std::calloc(count, sizeof(T));
    if (made == nullptr) throw std::bad_alloc();
    return static_cast<T*>(made);
}

}  // namespace

void DeviceHeap::begin(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t places = std::min(bytes, most_bytes) / alignment;
    object_.reset(zeros<std::uint32_t>(places));
    size_of_.reset(zeros<std::uint64_t>(places));
    begin_ = address;
    bytes_.store(places * alignment, std::memory_order_release);
}

/// Room for an object, from begin_: the smallest hole that is large enough; `room`, of which nothing is left: none.
std::uint64_t DeviceHeap::take(std::uint64_t room) {
    const auto found = room_.lower_bound({room, 0});
    if (found == room_.end()) {
        if (bytes_ - next_ < room) return bytes_;
        return std::exchange(next_, next_ + room);
    }
    const auto [bytes, at] = *found;
    room_.erase(found);
    holes_.erase(at);
    if (bytes > room) {
        holes_.emplace(at + room, bytes - room);
        room_.emplace(bytes - room, at + room);
    }
    return at;
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
    if (bytes == 0 || !has_begun()) return 0;
    const std::scoped_lock lock(mutex_);
    const std::uint64_t at = bytes > bytes_ ? bytes_.load() : take(rounded(bytes));
    if (at == bytes_) {
        was_full_ = true;
        return 0;
    }
    const std::uint64_t first = at / alignment, end = first + rounded(bytes) / alignment;
    size_of_[first] = bytes;
    for (std::uint64_t place = first; place < end; ++place)
        std::atomic_ref(object_[place]).store(static_cast<std::uint32_t>(first + 1), std::memory_order_release);
    allocated_ += bytes;
    peak_ = std::max(peak_, allocated_);
    return begin_ + at;
}

bool DeviceHeap::release(std::uint64_t address) {
    const std::scoped_lock lock(mutex_);
    const auto object = find(address);
    if (!object || object->begin != address) return false;
    std::uint64_t at = address - begin_, bytes = rounded(object->end - object->begin);
    for (std::uint64_t place = at / alignment; place < (at + bytes) / alignment; ++place)
        std::atomic_ref(object_[place]).store(freed, std::memory_order_release);
    allocated_ -= object->end - object->begin;
    // Holes that are neighbours become one.
    const auto behind = holes_.lower_bound(at);
    const auto join = [&](auto hole) {
        bytes += hole->second;
        room_.erase({hole->second, hole->first});
        holes_.erase(hole);
    };
    if (behind != holes_.begin())
        if (const auto before = std::prev(behind); before->first + before->second == at) {
            at = before->first;
            join(before);
        }
    if (behind != holes_.end() && at + bytes == behind->first) join(behind);
    holes_.emplace(at, bytes);
    room_.emplace(bytes, at);
    return true;
}

/// What object_ has for an address of the heap.
std::uint32_t DeviceHeap::object_at(std::uint64_t address) const {
    return std::atomic_ref(object_[(address - begin_) / alignment]).load(std::memory_order_acquire);
}

std::optional<Range> DeviceHeap::find(std::uint64_t address) const {
    if (!holds(address)) return std::nullopt;
    const std::uint32_t object = object_at(address);
    if (object == 0 || object == freed) return std::nullopt;
    const std::uint64_t begin = begin_ + (object - 1) * alignment, end = begin + size_of_[object - 1];
    return address < end ? std::optional(Range{begin, end}) : std::nullopt;
}

bool DeviceHeap::was_freed(std::uint64_t address) const {
    return holds(address) && object_at(address) == freed;
}

std::uint64_t DeviceHeap::allocated() const {
    const std::scoped_lock lock(mutex_);
    return allocated_;
}

std::uint64_t DeviceHeap::peak() const {
    const std::scoped_lock lock(mutex_);
    return peak_;
}

}  // namespace gpuproj::simulate
