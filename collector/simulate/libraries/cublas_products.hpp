// Products that would give again what is there already: programs repeat them to take the time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gpuproj::simulate::libraries::cublas {

/// A matrix in memory, from its first element to its last.
struct Stretch {
    const void* begin;
    std::size_t bytes;
};

/// Whether `to` holds the result of `call`, all that tells it from others, and nothing may have been written there nor
/// to what it was made of since. What is not memory from cudaMalloc may have been.
bool is_there(const std::string& call, const std::array<Stretch, 2>& from, Stretch to);
/// It was written there.
void note_there(const std::string& call, const std::array<Stretch, 2>& from, Stretch to);

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
