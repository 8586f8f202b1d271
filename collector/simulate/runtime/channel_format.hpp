// What texels are made of.
#pragma once

#include <optional>

namespace gpuproj::simulate {

namespace cuda {
struct ChannelFormat {  // cudaChannelFormatDesc: bits per channel
    // cudaChannelFormatKind, as far as it is told apart
    static constexpr int kind_signed = 0, kind_unsigned = 1, kind_float = 2, kind_none = 3, kind_nv12 = 4;
    // Integers that are always read as numbers from 0 or -1 to 1: without signs, then with them; of each 8 bits by 1, 2
    // and 4 channels, then 16 bits.
    static constexpr int first_normalized = 5, last_normalized = 16;
    static constexpr int first_compressed = 17, last_compressed = 30;  // BC1 to BC7
    int x, y, z, w;
    int kind;
};
}  // namespace cuda

/// Bits and kind (signed or unsigned) of the integers of a normalized kind; nullopt: it is none of these.
std::optional<cuda::ChannelFormat> integers_of_normalized(int kind);

}  // namespace gpuproj::simulate
