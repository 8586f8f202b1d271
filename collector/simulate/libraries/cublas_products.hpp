// Products that would give again what is there already: programs repeat them to take the time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "collector/simulate/libraries/cublas_types.hpp"

namespace gpuproj::simulate::libraries::cublas {

/// A matrix in memory, from its first element to its last.
struct Stretch {
    const void* begin;
    std::size_t bytes;
};
/// One of which op(X) has so many rows and columns, of elements of `size` bytes.
inline Stretch stretch_of(const void* begin, std::size_t size, Operation o, int high, int wide, int leading) {
    return {begin,
            size * (o == Operation::none ? bytes_of<char>(high, wide, leading) : bytes_of<char>(wide, high, leading))};
}

/// Whether `to` holds the result of `call`, all that tells it from others, and nothing may have been written there nor
/// to what it was made of since. What is not memory from cudaMalloc may have been.
bool is_there(const std::string& call, const std::array<Stretch, 2>& from, Stretch to);
/// It was written there.
void note_there(const std::string& call, const std::array<Stretch, 2>& from, Stretch to);

/// Calls `calculate()` and says that `to` was written, unless its result is there already. An empty call: it never is.
template <class Calculate>
void once(const std::string& call, const std::array<Stretch, 2>& from, Stretch to, const Calculate& calculate) {
    if (!call.empty() && is_there(call, from, to)) return;
    calculate();
    if (to.bytes > 0) gpuproj_library_wrote(to.begin, to.bytes);
    if (!call.empty()) note_there(call, from, to);
}

/// The bytes of all of it.
template <class... Values>
std::string call_of(const Values&... values) {
    std::string call;
    const auto add = [&](std::span<const std::byte> bytes) {
        call.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    (add(std::as_bytes(std::span(&values, 1))), ...);
    return call;
}

/// To look is worth it for so many multiplications.
inline bool is_long(int m, int n, int k) {
    constexpr double enough = 1 << 20;
    return static_cast<double>(m) * n * k >= enough;
}

}  // namespace gpuproj::simulate::libraries::cublas
