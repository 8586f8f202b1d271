// Where the elements of a transform lie: the basic and the advanced data layout of cuFFT's manual.
#pragma once

#include <array>
#include <cstddef>

#include "collector/simulate/libraries/cufft_types.hpp"

namespace gpuproj::simulate::libraries::cufft {

inline constexpr int most_dimensions = 3;
using Extents = std::array<std::size_t, most_dimensions>;

/// The places of one side, in its own elements: that of (x, y, z) of item b is b * item + x * step[0] + y * step[1] +
/// z * step[2].
struct Side {
    Extents step{};
    std::size_t item = 0;
};

/// A batch of transforms. Fewer than three dimensions have extents of 1 in front.
struct Layout {
    int type = c2c;
    Extents size{1, 1, 1};
    std::size_t batch = 1;
    Side in, out;                    // where source and result differ
    Side in_place_in, in_place_out;  // where they are the same: real rows of the basic layout are padded

    /// Complex numbers on the complex side of one item: of a real transform, the half that says all.
    Extents complex_size() const;
};

/// What the application gives of one side; `embed` may be null.
struct GivenSide {
    const long long* embed = nullptr;
    long long step = 1, item = 0;
};

/// Gives `layout` of `rank` dimensions `size`; success, invalid_type, invalid_value or invalid_size. The basic layout
/// if either `embed` is null.
Result make_layout(int rank, const long long* size, const GivenSide& in, const GivenSide& out, int type,
                   long long batch, Layout& layout);

}  // namespace gpuproj::simulate::libraries::cufft
