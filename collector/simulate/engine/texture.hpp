// Texture and surface objects as kernels read them (CUDA C++ Programming Guide, "Texture Fetching").
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/simulate/engine/program.hpp"

namespace gpuproj::simulate {

enum class ChannelKind : std::uint8_t { signed_integer, unsigned_integer, real };
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };  // as cudaTextureAddressMode

/// What a handle stands for. The runtime makes one per texture or surface object and gives the kernel its address in
/// the texture window; the memory must stay registered with DeviceMemory.
struct Texture {
    std::byte* data = nullptr;
    std::uint32_t width = 0, height = 1, depth = 1;  // texels; depth also counts layers and cube faces
    std::uint64_t row_bytes = 0, slice_bytes = 0;
    std::uint32_t channels = 1, channel_bytes = 4;
    ChannelKind kind = ChannelKind::real;
    std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    bool linear = false;  // filter between texels
    bool normalized_coordinates = false;
    bool srgb = false;  // the first three of four 8-bit channels are sRGB, and read as linear numbers
    std::array<float, 4> border{};
    /// The levels of a mipmap lie behind each other, this the first; what follows holds for all of them.
    std::uint32_t levels = 1;
    bool linear_levels = false;  // filter between levels
    float level_bias = 0, least_level = 0, most_level = 0;
    std::uint32_t texel_bytes() const { return channels * channel_bytes; }
};
inline constexpr std::uint64_t texture_window = std::uint64_t{4} << 56;
inline std::uint64_t texture_handle(const Texture& texture) {
    return reinterpret_cast<std::uint64_t>(&texture) | texture_window;
}

/// The texels that the lanes of a warp read by one fetch; none where nothing is counted. A filter reads up to eight,
/// the upper one in dimension d where bit d of the corner's number says so, of one level or of two; a fetch without one
/// reads corner 0.
struct TexelPlaces {
    static constexpr std::size_t corners = 8, levels = 2;
    alignas(64) std::array<std::array<std::uint64_t, lanes>, corners * levels> address;  // of the lanes in `read` alone
    std::array<std::uint32_t, corners * levels> read{};                                  // lanes

    void add(std::size_t corner, std::uint32_t lane, std::uint64_t place) {
        address[corner][lane] = place;
        read[corner] |= 1U << lane;
    }
    bool any() const {
        return std::any_of(read.begin(), read.end(), [](std::uint32_t by) { return by != 0; });
    }
};

/// Inst::list is the plan, Inst::a the handle.
void run_texture(Warp& warp, const Inst& inst);

}  // namespace gpuproj::simulate
