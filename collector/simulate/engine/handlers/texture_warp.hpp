// Fetches of a texture by all lanes of a warp side by side, for textures and instructions as most are.
#pragma once

#include <array>
#include <cstdint>

#include "collector/simulate/engine/texture.hpp"

namespace gpuproj::simulate {

struct WarpFetch {
    const Texture* texture = nullptr;  // of all lanes in `mask`
    const TexturePlan* plan = nullptr;
    std::array<const std::uint32_t*, 4> coordinates{};
    std::array<std::uint32_t*, 4> values{};  // nullptr: nobody wants it
    std::uint32_t mask = 0;
    TexelPlaces* texels = nullptr;  // gets those that the lanes read; nullptr: nobody asks
};

/// Places in a texture are numbers of 31 bits.
inline constexpr std::uint64_t most_bytes_together = 0x7FFFFFFF;

/// For fetches of one image, without layers, levels or sRGB, of texels of 1 to 16 bytes; linear filters with results as
/// floats only, and no floats of 32-bit integers. All of the texture must be alive, and it must have texels. False, and
/// nothing done, where a coordinate is no number or beyond 2^30. What it reads is to the bit what one lane after the
/// other would.
using FetchTogether = bool(const WarpFetch& fetch);
namespace baseline {
FetchTogether fetch_together;
}
namespace avx2 {
FetchTogether fetch_together;
}
FetchTogether fetch_together;

}  // namespace gpuproj::simulate
