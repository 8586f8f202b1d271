#include "collector/simulate/runtime/allocations.hpp"

#include <iterator>

namespace gpuproj::simulate {

void Allocations::add(const Allocation& allocation) {
    const std::lock_guard lock(mutex_);
    by_begin_[allocation.begin] = allocation;
}

std::optional<Allocation> Allocations::find(const void* pointer) const {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const std::lock_guard lock(mutex_);
    const auto next = by_begin_.upper_bound(address);
    if (next == by_begin_.begin()) return std::nullopt;
    const Allocation& candidate = std::prev(next)->second;
    if (address - candidate.begin >= candidate.bytes) return std::nullopt;
    return candidate;
}

}  // namespace gpuproj::simulate
