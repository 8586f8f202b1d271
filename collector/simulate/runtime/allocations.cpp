#include "collector/simulate/runtime/allocations.hpp"

#include <iterator>

namespace gpuproj::simulate {

void Allocations::add(const Allocation& allocation) {
    const std::lock_guard lock(mutex_);
    by_begin_[allocation.begin] = allocation;
}

const Allocation* Allocations::at(std::uint64_t address) const {
    const auto next = by_begin_.upper_bound(address);
    if (next == by_begin_.begin()) return nullptr;
    const Allocation& candidate = std::prev(next)->second;
    return address - candidate.begin < candidate.bytes ? &candidate : nullptr;
}

std::optional<Allocation> Allocations::find(const void* pointer) const {
    const std::lock_guard lock(mutex_);
    const Allocation* found = at(reinterpret_cast<std::uint64_t>(pointer));
    return found == nullptr ? std::nullopt : std::optional(*found);
}

bool Allocations::overlaps(const void* begin, std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    const auto address = reinterpret_cast<std::uint64_t>(begin);
    const auto next = by_begin_.lower_bound(address);
    return at(address) != nullptr || (next != by_begin_.end() && next->first - address < bytes);
}

bool Allocations::set_synchronous(const void* pointer, bool synchronous) {
    const std::lock_guard lock(mutex_);
    const Allocation* found = at(reinterpret_cast<std::uint64_t>(pointer));
    if (found == nullptr) return false;
    by_begin_[found->begin].synchronous = synchronous;
    return true;
}

}  // namespace gpuproj::simulate
