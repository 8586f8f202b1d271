#include "collector/simulate/engine/launch/digest.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace gpuproj::simulate {

Digest digest_of(std::span<const std::byte> bytes) {
    // Four chains side by side, each step of which can be undone: one word that differs makes the end differ.
    constexpr std::array<std::uint64_t, 4> odd{0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                                               0xD6E8FEB86659FD93};
    std::array<std::uint64_t, 4> chain = odd;
    const auto step = [&](std::size_t i, std::uint64_t word) { chain[i] = std::rotl(chain[i] ^ word, 29) * odd[i]; };
    std::array<std::uint64_t, 4> words{};
    std::size_t done = 0;
    for (; done + sizeof(words) <= bytes.size(); done += sizeof(words)) {
        std::memcpy(words.data(), bytes.data() + done, sizeof(words));
        for (std::size_t i = 0; i < 4; ++i) step(i, words[i]);
    }
    words = {};
    if (done < bytes.size()) std::memcpy(words.data(), bytes.data() + done, bytes.size() - done);
    for (std::size_t i = 0; i < 4; ++i) step(i, words[i]);
    step(0, bytes.size());
    Digest digest;
    for (std::size_t i = 0; i < 4; ++i) {
        digest.low = std::rotl(digest.low ^ chain[i], 31) * odd[3 - i];
        digest.high = (digest.high + chain[3 - i]) * odd[i];
        digest.high ^= digest.high >> 32;
    }
    return digest;
}

}  // namespace gpuproj::simulate
