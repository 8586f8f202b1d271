#include "collector/simulate/engine/handlers/texture_words.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "collector/simulate/engine/handlers/lanes.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// Where they are.
struct Words {
    alignas(64) Lanes<std::int32_t> place;  // 0 where the border is read
    std::uint32_t inside = ~0U;             // lanes that do not read the border
};
void find_words(const std::array<Axis, 3>& axes, std::uint32_t dimensions, Words& words) {
    std::int32_t any = 0;
    words.place = axes[0].low;
    for (std::uint32_t lane = 0; lane < width; ++lane) any |= words.place[lane];
    for (std::uint32_t d = 1; d < dimensions; ++d) {
        const auto& part = axes[d].low;
        for (std::uint32_t lane = 0; lane < width; ++lane) any |= part[lane];
        // The border in one dimension is the border of the texture.
        for (std::uint32_t lane = 0; lane < width; ++lane) {
            const std::int32_t outside = (words.place[lane] | part[lane]) >> 31;
            words.place[lane] = (words.place[lane] + part[lane]) | outside;
        }
    }
    if (any >= 0) return;
    words.inside = bits_of_lanes([&](std::uint32_t lane) { return words.place[lane] >= 0; });
    for (auto& place : words.place) place = std::max(place, 0);
}
/// The words of the texels of an octet of lanes; mostly they are a row.
Octet<std::uint32_t> octet_of_words(const std::byte* data, const std::int32_t* place) {
    constexpr std::uint32_t bytes = sizeof(std::uint32_t);
    Octet<std::uint32_t> words;
    if (is_zero<std::int32_t>((load_octet(place) - place[0]) ^ steps<std::int32_t>(bytes)))
        std::memcpy(&words, data + place[0], sizeof(words));
    else
        for (std::uint32_t i = 0; i < octet; ++i) {
            std::uint32_t word = 0;
            std::memcpy(&word, data + place[i], bytes);
            words[i] = word;
        }
    return words;
}

}  // namespace

void fetch_words(const WarpFetch& fetch, const std::array<Axis, 3>& axes, bool sums) {
    const Texture& texture = *fetch.texture;
    alignas(64) static constexpr Lanes<std::uint32_t> none{};
    Words words;
    find_words(axes, fetch.plan->dimensions, words);
    for (std::uint32_t c = 0; c < fetch.values.size(); ++c) {
        if (fetch.values[c] == nullptr) continue;
        if (c >= texture.channels) {
            commit(fetch.values[c], none.data(), fetch.mask);
            continue;
        }
        alignas(64) Lanes<std::uint32_t> some;
        std::uint32_t* const values = fetch.mask == full_mask ? fetch.values[c] : some.data();
        for (std::uint32_t lane = 0; lane < width; lane += octet) {
            auto read = octet_of_words(texture.data + c * sizeof(std::uint32_t), &words.place[lane]);
            // A filter's sum begins at 0.
            if (sums) read = bits_as<std::uint32_t>(0.0F + bits_as<float>(read));
            std::memcpy(values + lane, &read, sizeof(read));
        }
        if (words.inside != full_mask) {
            const bool of_texture = fetch.plan->result == ptx::Type::f32 && !fetch.plan->integer_coordinates;
            const float real = sums ? 0.0F + texture.border[c] : texture.border[c];
            const auto border = of_texture ? std::bit_cast<std::uint32_t>(real) : 0U;
            for (std::uint32_t lane = 0; lane < width; ++lane)
                values[lane] = (words.inside >> lane & 1U) != 0 ? values[lane] : border;
        }
        if (fetch.mask != full_mask) commit(fetch.values[c], values, fetch.mask);
    }
    if (fetch.texels == nullptr) return;
    const auto first = reinterpret_cast<std::uint64_t>(texture.data);
    alignas(64) Lanes<std::uint64_t> address;
    for (std::uint32_t lane = 0; lane < width; ++lane)
        address[lane] = first + static_cast<std::uint32_t>(words.place[lane]);
    commit(fetch.texels->address[0].data(), address.data(), fetch.mask);
    fetch.texels->read[0] |= fetch.mask & words.inside;
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
