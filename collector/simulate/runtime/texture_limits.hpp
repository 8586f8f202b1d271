// How large textures and surfaces may be, in texels: the same for all GPUs since Pascal (CUDA C++ Programming Guide,
// technical specifications), and no limit here.
#pragma once

#include <array>

namespace gpuproj::simulate::texture_limits {

inline constexpr int texture_1d = 131072, texture_1d_mipmap = 32768, texture_1d_linear = 1 << 28;
inline constexpr std::array texture_2d{131072, 65536}, texture_2d_mipmap{32768, 32768}, texture_2d_gather{32768, 32768};
inline constexpr std::array texture_2d_linear{131072, 65000, 2097120};  // with the pitch in bytes
inline constexpr std::array texture_3d{16384, 16384, 16384}, texture_3d_alternate{8192, 8192, 32768};
inline constexpr std::array texture_1d_layered{32768, 2048};  // layers last
inline constexpr std::array texture_2d_layered{32768, 32768, 2048};
inline constexpr int texture_cubemap = 32768;
inline constexpr std::array texture_cubemap_layered{32768, 2046};
inline constexpr int surface_1d = 32768;
inline constexpr std::array surface_2d{131072, 65536};
inline constexpr std::array surface_3d{16384, 16384, 16384};
inline constexpr std::array surface_1d_layered{32768, 2048};
inline constexpr std::array surface_2d_layered{32768, 32768, 2048};
inline constexpr int surface_cubemap = 32768;
inline constexpr std::array surface_cubemap_layered{32768, 2046};
inline constexpr int alignment = 512, pitch_alignment = 32, surface_alignment = 512;  // bytes

}  // namespace gpuproj::simulate::texture_limits
