// Coordinates of a warp's lanes to texels, and these to places in memory, one dimension at a time.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "collector/simulate/engine/handlers/lie.hpp"
#include "collector/simulate/engine/handlers/texture_warp.hpp"
#include "collector/simulate/engine/texture_wrap.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

inline constexpr std::uint32_t width = lanes;
template <class T>
using Lanes = std::array<T, width>;

/// One dimension of where the lanes read: the lower texel and the one above it, as bytes from the first texel, negative
/// for the border; and how much of the upper one.
struct Axis {
    alignas(64) Lanes<std::int32_t> low, high;  // high: where a lane reads between texels
    alignas(64) Lanes<float> weight;            // of linear filters
    bool between = false;                       // a lane has some of the upper one
};

inline std::uint32_t size_of(const Texture& texture, std::uint32_t dimension) {
    return dimension == 0 ? texture.width : dimension == 1 ? texture.height : texture.depth;
}
inline std::int32_t stride_of(const Texture& texture, std::uint32_t dimension) {
    const std::uint64_t bytes = dimension == 0   ? texture.texel_bytes()
                                : dimension == 1 ? texture.row_bytes
                                                 : texture.slice_bytes;
    return static_cast<std::int32_t>(bytes);
}

/// Texels as the texture's mode has them, then as bytes.
inline void to_bytes(Lanes<std::int32_t>& texels, std::uint32_t size, AddressMode mode, std::int32_t stride) {
    const auto n = static_cast<std::int32_t>(std::max(size, 1U));
    if (mode == AddressMode::clamp) {
        for (auto& i : texels) i = std::min(std::max(i, 0), n - 1) * stride;
        return;
    }
    std::uint32_t outside = 0;
    for (const auto i : texels) outside |= static_cast<std::uint32_t>(i < 0) | static_cast<std::uint32_t>(i >= n);
    if (outside != 0)
        for (auto& i : texels) i = static_cast<std::int32_t>(wrap_index(i, size, mode));
    for (auto& i : texels) i = i < 0 ? -1 : i * stride;
}

template <class To, class From>
inline Octet<To> bits_as(const From& from) {
    Octet<To> to;
    static_assert(sizeof(to) == sizeof(from));
    std::memcpy(&to, &from, sizeof(to));
    return to;
}
/// The functions of the same names, of eight; -1 and 0 for true and false.
inline Octet<std::int32_t> are_ordinary(Octet<float> x) {
    return bits_as<float>(bits_as<std::int32_t>(x) & INT32_MAX) < 0x1p30F;
}
inline Octet<std::int32_t> floor_of_ordinary(Octet<float> x) {
    const auto toward_zero = __builtin_convertvector(x, Octet<std::int32_t>);
    return toward_zero + (__builtin_convertvector(toward_zero, Octet<float>) > x);
}
inline Octet<float> fraction_of_ordinary(Octet<float> x, Octet<std::int32_t> floor) {
    constexpr float units = 0x1.8p23F;
    const Octet<float> part = (x - __builtin_convertvector(floor, Octet<float>)) * 256.0F;
    return ((part + units) - units) / 256.0F;
}

/// `active`: -1 where a lane is, 0 elsewhere. False if a lane has no ordinary coordinate.
inline bool find_texels(const WarpFetch& fetch, const Lanes<std::int32_t>& active, std::uint32_t dimension,
                        Axis& axis) {
    const Texture& texture = *fetch.texture;
    const float scale = texture.normalized_coordinates ? static_cast<float>(size_of(texture, dimension)) : 1.0F;
    const float shift = texture.linear ? 0.5F : 0.0F;
    Octet<std::int32_t> odd{}, between{};
    for (std::uint32_t lane = 0; lane < width; lane += octet) {
        const Octet<float> x = bits_as<float>(load_octet(fetch.coordinates[dimension] + lane)) * scale - shift;
        const Octet<std::int32_t> ordinary = are_ordinary(x), on = load_octet(&active[lane]);
        odd |= ~ordinary & on;
        const Octet<float> place = bits_as<float>(bits_as<std::int32_t>(x) & ordinary & on);
        const Octet<std::int32_t> low = floor_of_ordinary(place);
        std::memcpy(&axis.low[lane], &low, sizeof(low));
        if (!texture.linear) continue;
        const Octet<float> weight = fraction_of_ordinary(place, low);
        std::memcpy(&axis.weight[lane], &weight, sizeof(weight));
        between |= weight != 0.0F;
    }
    if (!is_zero<std::int32_t>(odd)) return false;
    axis.between = !is_zero<std::int32_t>(between);
    const AddressMode mode = texture.address[dimension];
    if (axis.between) {
        for (std::uint32_t lane = 0; lane < width; ++lane) axis.high[lane] = axis.low[lane] + 1;
        to_bytes(axis.high, size_of(texture, dimension), mode, stride_of(texture, dimension));
    }
    to_bytes(axis.low, size_of(texture, dimension), mode, stride_of(texture, dimension));
    return true;
}

/// Texels by their numbers; outside is -1, which reads as 0.
inline void take_texels(const WarpFetch& fetch, const Lanes<std::int32_t>& active, std::uint32_t dimension,
                        Axis& axis) {
    const auto* numbers = reinterpret_cast<const std::int32_t*>(fetch.coordinates[dimension]);
    const auto n = static_cast<std::int32_t>(size_of(*fetch.texture, dimension));
    const std::int32_t stride = stride_of(*fetch.texture, dimension);
    for (std::uint32_t lane = 0; lane < width; ++lane) {
        const std::int32_t i = active[lane] != 0 ? numbers[lane] : 0;
        axis.low[lane] = i < 0 || i >= n ? -1 : i * stride;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
