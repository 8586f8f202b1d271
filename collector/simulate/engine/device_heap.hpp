// Memory that kernels allocate for themselves (malloc and new in device code), objects side by side as in the heap of a
// GPU, whose size cudaLimitMallocHeapSize bounds.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "collector/simulate/engine/range.hpp"

namespace gpuproj::simulate {

/// Thread-safe; find() takes no lock, as every access of a kernel to another object asks it.
class DeviceHeap {
public:
    /// What malloc in device code aligns to (CUDA C++ Programming Guide, Dynamic Global Memory Allocation).
    static constexpr std::uint64_t alignment = 16;
    static constexpr std::uint64_t most_bytes = alignment * ((std::uint64_t{1} << 32) - 2);

    /// The memory that objects are in, aligned; until then there are none. Once only, before other threads use the
    /// heap. std::bad_alloc: there is no memory for its tables.
    void begin(std::uint64_t address, std::uint64_t bytes);
    bool has_begun() const { return bytes_.load(std::memory_order_acquire) != 0; }

    /// Its address; 0: no bytes are wanted, or there is no room.
    std::uint64_t allocate(std::uint64_t bytes);
    /// False if no object begins there.
    bool release(std::uint64_t address);

    /// Whether this is an address of the heap, of an object or not.
    bool holds(std::uint64_t address) const { return address - begin_ < bytes_.load(std::memory_order_acquire); }
    /// The object that has the byte at `address`.
    std::optional<Range> find(std::uint64_t address) const;
    /// Whether the byte was of an object, and is of none now.
    bool was_freed(std::uint64_t address) const;
    /// Whether there was ever no room.
    bool was_full() const { return was_full_.load(std::memory_order_relaxed); }
    /// Of all objects; and the most at any time.
    std::uint64_t allocated() const;
    std::uint64_t peak() const;

private:
    static constexpr std::uint32_t freed = ~std::uint32_t{0};
    std::uint64_t take(std::uint64_t room);
    std::uint32_t object_at(std::uint64_t address) const;
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    /// One for each place of an object's beginning; the host gives memory for those that are used only.
    template <class T>
    using Places = std::unique_ptr<T[], Free>;  // NOLINT(*-avoid-c-arrays)

    std::uint64_t begin_ = 0;
    std::atomic<std::uint64_t> bytes_ = 0;
    std::atomic<bool> was_full_ = false;
    Places<std::uint32_t> object_;   // by place: 1 + the place where its object begins; 0: there never was one; freed
    Places<std::uint64_t> size_of_;  // by the place where an object begins: its bytes
    mutable std::mutex mutex_;
    std::uint64_t next_ = 0;                                  // from begin_: what was never used begins there
    std::map<std::uint64_t, std::uint64_t> holes_;            // begin -> bytes, no two of them neighbours
    std::set<std::pair<std::uint64_t, std::uint64_t>> room_;  // the same, as bytes and begin
    std::uint64_t allocated_ = 0, peak_ = 0;
};

}  // namespace gpuproj::simulate
