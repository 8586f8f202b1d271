// Which memory the application got by which call, for cudaFree, cudaPointerGetAttributes and the like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "collector/simulate/runtime/abi.hpp"

namespace gpuproj::simulate {

struct Allocation {
    cuda::PointerType type = cuda::PointerType::unregistered;
    std::uint64_t begin = 0;
    std::size_t bytes = 0;
    unsigned flags = 0;
    bool registered = false;   // host memory of the application's own
    void* pool = nullptr;      // the memory pool it is from
    bool of_module = false;    // a __managed__ variable: nobody frees it
    bool of_graph = false;     // freed with the graph
    bool opened = false;       // of another process: closed and not freed
    bool synchronous = false;  // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, kept for whoever asks
};

/// Thread-safe book-keeping; it allocates nothing.
class Allocations {
public:
    void add(const Allocation& allocation);
    /// The one that starts at `pointer`, taken out, if `wanted` says so.
    template <class Wanted>
    std::optional<Allocation> take(const void* pointer, Wanted&& wanted) {
        const std::lock_guard lock(mutex_);
        const auto found = by_begin_.find(reinterpret_cast<std::uint64_t>(pointer));
        if (found == by_begin_.end() || !wanted(found->second)) return std::nullopt;
        const Allocation allocation = found->second;
        by_begin_.erase(found);
        return allocation;
    }
    /// Where those begin that `wanted` says so of.
    template <class Wanted>
    std::vector<void*> all(Wanted&& wanted) const {
        const std::lock_guard lock(mutex_);
        std::vector<void*> found;
        for (const auto& [begin, allocation] : by_begin_)
            if (wanted(allocation))
                found.push_back(reinterpret_cast<void*>(begin));  // NOLINT(performance-no-int-to-ptr)
        return found;
    }
    /// The one that `pointer` points into.
    std::optional<Allocation> find(const void* pointer) const;
    /// Whether any of them has some of these bytes.
    bool overlaps(const void* begin, std::size_t bytes) const;
    /// False if it points into none.
    bool set_synchronous(const void* pointer, bool synchronous);

private:
    const Allocation* at(std::uint64_t address) const;

    mutable std::mutex mutex_;
    std::map<std::uint64_t, Allocation> by_begin_;
};

}  // namespace gpuproj::simulate
