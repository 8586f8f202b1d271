// Each step is a loop over the 32 lanes that the compiler vectorises: coordinates to texels, texels to places in
// memory, words from there, words to numbers, numbers to the sum of the filter.
#include "collector/simulate/engine/handlers/texture_warp.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/texture_axes.hpp"
#include "collector/simulate/engine/handlers/texture_words.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// The words of the texels at `place`, which is 0 where the border is read.
template <std::uint32_t Bytes>
void load_words(const std::byte* data, const Lanes<std::int32_t>& place, std::array<Lanes<std::uint32_t>, 4>& words) {
    constexpr std::uint32_t word_bytes = std::min<std::uint32_t>(Bytes, sizeof(std::uint32_t));
    for (std::uint32_t lane = 0; lane < width; ++lane) {
        std::array<std::uint32_t, 4> texel{};
        std::memcpy(texel.data(), data + place[lane], Bytes);
        for (std::uint32_t w = 0; w < Bytes / word_bytes; ++w) words[w][lane] = texel[w];
    }
}
void load_words(const Texture& texture, const Lanes<std::int32_t>& place, std::array<Lanes<std::uint32_t>, 4>& words) {
    switch (texture.texel_bytes()) {
        case 1:
            return load_words<1>(texture.data, place, words);
        case 2:
            return load_words<2>(texture.data, place, words);
        case 4:
            return load_words<4>(texture.data, place, words);
        case 8:
            return load_words<8>(texture.data, place, words);
        default:
            return load_words<16>(texture.data, place, words);
    }
}

/// The bits of a channel, sign and all.
template <std::uint32_t Bytes, bool Signed>
void take_channel(const std::array<Lanes<std::uint32_t>, 4>& words, std::uint32_t channel, Lanes<std::int32_t>& bits) {
    const auto& word = words[channel * Bytes / 4];
    const std::uint32_t up = 32 - 8 * (channel * Bytes % 4 + Bytes);
    constexpr std::uint32_t down = 32 - 8 * Bytes;
    for (std::uint32_t lane = 0; lane < width; ++lane) {
        const std::uint32_t top = word[lane] << up;
        bits[lane] = Signed ? static_cast<std::int32_t>(top) >> down : static_cast<std::int32_t>(top >> down);
    }
}
void take_channel(const Texture& texture, const std::array<Lanes<std::uint32_t>, 4>& words, std::uint32_t channel,
                  Lanes<std::int32_t>& bits) {
    const bool is_signed = texture.kind == ChannelKind::signed_integer;
    if (texture.channel_bytes == 4)
        take_channel<4, false>(words, channel, bits);
    else if (texture.channel_bytes == 2)
        is_signed ? take_channel<2, true>(words, channel, bits) : take_channel<2, false>(words, channel, bits);
    else
        is_signed ? take_channel<1, true>(words, channel, bits) : take_channel<1, false>(words, channel, bits);
}

/// The numbers that the bits of a channel mean. A quotient of integers below 2^16 rounds to the same float from double.
void to_real(const Texture& texture, const Lanes<std::int32_t>& bits, Lanes<float>& real) {
    if (texture.kind == ChannelKind::real && texture.channel_bytes == 4) {
        std::memcpy(real.data(), bits.data(), sizeof(real));
    } else if (texture.kind == ChannelKind::real) {
        for (std::uint32_t lane = 0; lane < width; ++lane)
            real[lane] = static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits[lane])));
    } else {
        const bool is_signed = texture.kind == ChannelKind::signed_integer;
        const auto most = static_cast<float>((1U << (8 * texture.channel_bytes - (is_signed ? 1 : 0))) - 1);
        for (std::uint32_t lane = 0; lane < width; ++lane)
            real[lane] = std::max(-1.0F, static_cast<float>(bits[lane]) / most);
    }
}

/// One texel of each lane: where it is, negative for the border, and its share of the sum.
struct Corner {
    alignas(64) Lanes<std::int32_t> place;
    alignas(64) Lanes<float> share;
};
void find_corner(const std::array<Axis, 3>& axes, std::uint32_t dimensions, std::uint32_t number, bool linear,
                 Corner& corner) {
    corner.share.fill(1);
    for (std::uint32_t d = 0; d < dimensions; ++d) {
        const Axis& axis = axes[d];
        const bool upper = ((number >> d) & 1U) != 0;
        const auto& part = upper ? axis.high : axis.low;
        if (d == 0) {
            corner.place = part;
        } else {
            for (std::uint32_t lane = 0; lane < width; ++lane) {
                const bool border = corner.place[lane] < 0 || part[lane] < 0;
                corner.place[lane] = border ? -1 : corner.place[lane] + part[lane];
            }
        }
        if (!linear) continue;
        for (std::uint32_t lane = 0; lane < width; ++lane)
            corner.share[lane] *= upper ? axis.weight[lane] : 1 - axis.weight[lane];
    }
}

/// Adds those that are read, by lanes of `mask`: none without a share, and none of the border.
void note_texels(const Corner& corner, const WarpFetch& fetch, std::uint32_t number) {
    const auto first = reinterpret_cast<std::uint64_t>(fetch.texture->data);
    alignas(64) Lanes<std::uint64_t> address;
    for (std::uint32_t lane = 0; lane < width; ++lane)
        address[lane] = first + static_cast<std::uint32_t>(corner.place[lane]);
    commit(fetch.texels->address[number].data(), address.data(), fetch.mask);
    fetch.texels->read[number] |= fetch.mask & bits_of_lanes([&](std::uint32_t lane) {
                                      return static_cast<std::uint32_t>(corner.share[lane] != 0) &
                                             ~static_cast<std::uint32_t>(corner.place[lane] >> 31);
                                  });
}
/// A texel without a share may be anything.
void add_share(Lanes<float>& sum, const Lanes<float>& share, const Lanes<float>& value) {
    for (std::uint32_t lane = 0; lane < width; ++lane) {
        const float part = share[lane] * value[lane];
        sum[lane] += share[lane] == 0 ? 0 : part;
    }
}

}  // namespace

bool fetch_together(const WarpFetch& fetch) {
    const Texture& texture = *fetch.texture;
    const TexturePlan& plan = *fetch.plan;
    alignas(64) Lanes<std::int32_t> active;
    for (std::uint32_t lane = 0; lane < width; ++lane)
        active[lane] = -static_cast<std::int32_t>(fetch.mask >> lane & 1U);
    std::array<Axis, 3> axes;
    for (std::uint32_t d = 0; d < plan.dimensions; ++d) {
        if (plan.integer_coordinates)
            take_texels(fetch, active, d, axes[d]);
        else if (!find_texels(fetch, active, d, axes[d]))
            return false;
    }
    const bool linear = texture.linear && !plan.integer_coordinates, real = plan.result == ptx::Type::f32;
    std::uint32_t between = 0;  // the dimensions
    for (std::uint32_t d = 0; d < plan.dimensions; ++d) between |= axes[d].between ? 1U << d : 0;
    if (between == 0 && texture.channel_bytes == sizeof(std::uint32_t)) {
        fetch_words(fetch, axes, linear);
        return true;
    }
    alignas(64) std::array<Lanes<float>, 4> sums;
    alignas(64) std::array<Lanes<std::int32_t>, 4> numbers;
    // Copied: what clears memory begins slowly.
    alignas(64) static constexpr Lanes<std::int32_t> zeros{};
    for (std::size_t c = 0; c < sums.size(); ++c) {
        if (fetch.values[c] == nullptr) continue;
        if (real)
            std::memcpy(sums[c].data(), zeros.data(), sizeof(zeros));
        else
            numbers[c] = zeros;
    }
    alignas(64) std::array<Lanes<std::uint32_t>, 4> words;
    for (std::uint32_t number = 0; number < 1U << plan.dimensions; ++number) {
        if ((number & ~between) != 0) continue;  // no lane has a share of it
        Corner corner;
        find_corner(axes, plan.dimensions, number, linear, corner);
        alignas(64) Lanes<std::int32_t> place;
        for (std::uint32_t lane = 0; lane < width; ++lane) place[lane] = std::max(corner.place[lane], 0);
        load_words(texture, place, words);
        if (fetch.texels != nullptr) note_texels(corner, fetch, number);
        for (std::uint32_t c = 0; c < texture.channels; ++c) {
            if (fetch.values[c] == nullptr) continue;
            alignas(64) Lanes<std::int32_t> bits;
            take_channel(texture, words, c, bits);
            if (!real) {
                for (std::uint32_t lane = 0; lane < width; ++lane)
                    numbers[c][lane] = corner.place[lane] < 0 ? 0 : bits[lane];
                continue;
            }
            alignas(64) Lanes<float> value;
            to_real(texture, bits, value);
            const float border = plan.integer_coordinates ? 0 : texture.border[c];
            for (std::uint32_t lane = 0; lane < width; ++lane)
                value[lane] = corner.place[lane] < 0 ? border : value[lane];
            if (linear)
                add_share(sums[c], corner.share, value);
            else
                sums[c] = value;
        }
    }
    for (std::size_t c = 0; c < sums.size(); ++c) {
        if (fetch.values[c] == nullptr) continue;
        if (real)
            commit(reinterpret_cast<float*>(fetch.values[c]), sums[c].data(), fetch.mask);
        else
            commit(reinterpret_cast<std::int32_t*>(fetch.values[c]), numbers[c].data(), fetch.mask);
    }
    return true;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
