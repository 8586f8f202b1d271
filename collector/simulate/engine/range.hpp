// A piece of memory.
#pragma once

#include <compare>
#include <cstdint>

namespace gpuproj::simulate {

struct Range {
    std::uint64_t begin = 0, end = 0;  // [begin, end)
    bool contains(std::uint64_t address, std::uint64_t bytes) const {
        return address >= begin && address + bytes <= end;
    }
    auto operator<=>(const Range&) const = default;
};

}  // namespace gpuproj::simulate
