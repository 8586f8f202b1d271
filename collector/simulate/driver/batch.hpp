// What functions have in common that do several things by one call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuproj::simulate::driver {

/// Is everything in one of `parts`, which begin at `first` and go to where the next one begins?
inline bool is_split(const std::size_t* first, std::size_t parts, std::size_t count) {
    if (first == nullptr || parts == 0 || first[0] != 0) return false;
    for (std::size_t i = 1; i < parts; ++i)
        if (first[i] <= first[i - 1]) return false;
    return first[parts - 1] < count;
}

/// The legacy stream takes none; 0 is it, too.
inline bool takes_batches(const void* stream) {
    constexpr std::uintptr_t legacy = 1;
    return reinterpret_cast<std::uintptr_t>(stream) > legacy;
}

/// What a program asks for that wants to know which of a batch failed: none of them.
inline constexpr std::size_t none_failed = SIZE_MAX;

/// cudaMemcpySrcAccessOrder; a hint here, for the copies are done in turn.
inline bool is_source_order(int order) {
    constexpr int first = 1, last = 3;
    return order >= first && order <= last;
}

}  // namespace gpuproj::simulate::driver
