// Memory of the simulated GPU: ordinary host memory, so that device pointers are host pointers, plus the book of which
// ranges are alive. Every access of a kernel is checked against it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>

#include "collector/simulate/engine/device_heap.hpp"
#include "collector/simulate/engine/range.hpp"

namespace gpuproj::simulate {

/// Who writes an allocation: kernels and the runtime's copies alone, or the program itself as well, whenever it likes.
enum class Writers : std::uint8_t { device, anyone };

/// Thread-safe. `generation` changes whenever a range goes away, so that readers may cache ranges.
class DeviceMemory {
public:
    DeviceMemory() = default;
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    ~DeviceMemory();

    /// Zero bytes or no memory: nullptr. Aligned to a page. The same sequence of calls gives the same addresses in
    /// every run.
    void* allocate(std::size_t bytes, Writers writers = Writers::anyone);
    /// False if `pointer` is not the start of a live allocation made here.
    bool release(void* pointer);
    /// The file that holds the bytes of an allocation made here from now on, for other processes to map; it lives as
    /// long as the allocation. nullopt: `begin` is the start of none, or there is no such file. No kernel may run.
    std::optional<int> share(const void* begin);
    /// Makes the first bytes of such a file memory of this GPU, until release(); they are not counted as allocated
    /// here.
    void* attach(int file, std::size_t bytes);
    /// What kernels allocate and free themselves, in a heap of its own. nullptr: no bytes, or the heap is full.
    void* allocate_in_kernel(std::size_t bytes);
    bool release_in_kernel(void* pointer);
    /// How large it will be; false: kernels have used it already, and nothing changes.
    bool set_heap_bytes(std::size_t bytes);
    /// Its size, where kernels ever found no room in it.
    std::optional<std::size_t> full_heap() const {
        return heap_.was_full() ? std::optional(heap_bytes_) : std::nullopt;
    }
    bool is_of_heap(std::uint64_t address) const { return heap_.holds(address); }
    /// Makes memory owned by others visible to kernels (pinned, managed, registered host memory, module variables).
    void add(const void* begin, std::size_t bytes);
    bool remove(const void* begin);

    /// Addresses for later, which nothing may touch yet, aligned to `alignment`, a power of two; nullptr if there are
    /// none. They are no memory, and not counted as such.
    void* reserve(std::size_t bytes, std::size_t alignment);
    /// False if exactly these were not reserved. What is mapped there goes away.
    bool unreserve(void* begin, std::size_t bytes);
    /// The whole reservation that holds an address.
    std::optional<Range> reservation(std::uint64_t address) const;
    /// Makes the file's bytes [0, bytes) the memory at reserved addresses, for kernels to see once open() says so.
    bool map(std::uint64_t begin, std::size_t bytes, int file);
    void unmap(std::uint64_t begin, std::size_t bytes);
    /// Kernels and copies may use [begin, begin + bytes), of one reservation; pieces that adjoin become one range.
    void open(std::uint64_t begin, std::size_t bytes);
    void close(std::uint64_t begin, std::size_t bytes);
    /// Counts memory of the GPU that is not of allocate().
    void take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes);

    std::optional<Range> find(std::uint64_t address) const;
    /// Is it alive, or no more than `distance` bytes away from what is?
    bool is_near(std::uint64_t address, std::uint64_t distance) const;
    /// Was this address once alive? For the message "use after free".
    bool was_freed(std::uint64_t address) const;
    /// Notes that what [begin, begin + bytes) holds may have changed, of memory that has Writers::device.
    void wrote(std::uint64_t begin, std::uint64_t bytes);
    void wrote_everywhere();
    /// A number that no contents of the memory at `begin` had before these; none where they may change unnoticed.
    std::optional<std::uint64_t> version(const Range& range) const;
    std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

    std::uint64_t allocated() const;
    std::uint64_t peak() const;

private:
    /// Memory at the next place: anonymous, or `file`'s. The books are told of `bytes` of it. nullptr: there is none.
    void* place(std::size_t bytes, std::optional<int> file);
    /// Makes the page at `end`, where an allocation ends, readable if nothing is there.
    void open_beyond(std::uint64_t end);
    /// Takes such pages in [begin, end) away again.
    void close_beyond(std::uint64_t begin, std::uint64_t end);

    DeviceHeap heap_;
    std::mutex heap_begins_;
    std::size_t heap_bytes_ = std::size_t{8} << 20;  // cudaLimitMallocHeapSize, where nobody sets it
    mutable std::shared_mutex mutex_;
    std::map<std::uint64_t, std::uint64_t> live_;   // begin -> end
    std::map<std::uint64_t, std::uint64_t> owned_;  // begin -> bytes, of allocate()
    std::map<std::uint64_t, int> shared_;           // begin -> file, of allocate()
    std::set<std::uint64_t> attached_;              // begin, of other processes
    std::map<std::uint64_t, std::uint64_t> freed_;
    std::map<std::uint64_t, std::uint64_t> reserved_;  // begin -> end
    std::map<std::uint64_t, std::uint64_t> version_;   // by begin, of owned memory with Writers::device
    std::uint64_t last_version_ = 0;
    std::set<std::uint64_t> beyond_;                   // pages of open_beyond()
    std::multimap<std::size_t, std::uint64_t> holes_;  // bytes -> begin, of freed places
    std::uint64_t next_ = 0;                           // where the next new place is
    std::uint64_t allocated_ = 0, peak_ = 0;
    std::atomic<std::uint64_t> generation_{0};
};

}  // namespace gpuproj::simulate
