// Maps from where a range of addresses begins to its end, and where the simulated GPU's addresses are.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

#include "collector/simulate/engine/device_memory.hpp"

namespace gpuproj::simulate {

inline void* pointer_to(std::uint64_t address) {
    return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

inline constexpr std::size_t page = 4096;  // cudaMalloc guarantees 256

inline std::size_t whole_pages(std::size_t bytes) {
    return (bytes + page - 1) / page * page;
}

using Ranges = std::map<std::uint64_t, std::uint64_t>;

// Where allocations go, one after the other: far from everything that Linux places by itself, so that addresses, and
// with them the sets of the caches, are the same in every run. Only a wish: what is taken is placed elsewhere.
#ifdef __SANITIZE_THREAD__
constexpr std::uint64_t first_address = 0;  // its shadow memory is there
#else
constexpr std::uint64_t first_address = 0x2000'0000'0000;
#endif

// The range of a begin -> end map that holds `address`, or end().
inline auto holding(const Ranges& ranges, std::uint64_t address) {
    auto next = ranges.upper_bound(address);
    if (next == ranges.begin()) return ranges.end();
    const auto candidate = std::prev(next);
    return address < candidate->second ? candidate : ranges.end();
}

// Forgets every range of a begin -> end map that overlaps [begin, end): the addresses live again.
inline void erase_overlaps(Ranges& ranges, std::uint64_t begin, std::uint64_t end) {
    auto first = ranges.lower_bound(begin);
    if (first != ranges.begin() && std::prev(first)->second > begin) --first;
    ranges.erase(first, ranges.lower_bound(end));
}

inline std::optional<Range> range_at(const Ranges& ranges, std::uint64_t address) {
    const auto found = holding(ranges, address);
    if (found == ranges.end()) return std::nullopt;
    return Range{found->first, found->second};
}

}  // namespace gpuproj::simulate
