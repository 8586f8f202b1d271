#include "collector/simulate/libraries/cufft_layout.hpp"

#include <algorithm>

namespace gpuproj::simulate::libraries::cufft {

namespace {

// Rows of `extents`, one behind the other.
Side packed(const Extents& extents) {
    return {{extents[1] * extents[2], extents[2], 1}, extents[0] * extents[1] * extents[2]};
}

// The first number of `embed` says nothing: it would be the distance of items, which is given.
Side embedded(int rank, const GivenSide& given) {
    Side side;
    side.item = static_cast<std::size_t>(given.item);
    auto step = static_cast<std::size_t>(given.step);
    for (int i = rank - 1; i >= 0; --i) {
        side.step[static_cast<std::size_t>(i + most_dimensions - rank)] = step;
        step *= static_cast<std::size_t>(std::max(given.embed[i], 1LL));
    }
    return side;
}

bool is_sound(int rank, const GivenSide& given) {
    return given.step > 0 && given.item >= 0 &&
           std::all_of(given.embed + 1, given.embed + rank, [](long long extent) { return extent > 0; });
}

}  // namespace

Extents Layout::complex_size() const {
    if (!is_from_real(type) && !is_to_real(type)) return size;
    return {size[0], size[1], size[2] / 2 + 1};
}

Result make_layout(int rank, const long long* size, const GivenSide& in, const GivenSide& out, int type,
                   long long batch, Layout& layout) {
    if (!is_type(type)) return invalid_type;
    if (rank < 1 || rank > most_dimensions || size == nullptr) return invalid_value;
    if (batch < 1 || std::any_of(size, size + rank, [](long long extent) { return extent < 1; })) return invalid_size;

    Layout made;
    made.type = type;
    made.batch = static_cast<std::size_t>(batch);
    std::transform(size, size + rank, made.size.begin() + (most_dimensions - rank),
                   [](long long extent) { return static_cast<std::size_t>(extent); });
    if (in.embed == nullptr || out.embed == nullptr) {
        const Extents half = made.complex_size(), padded{half[0], half[1], 2 * half[2]};
        made.in = packed(is_to_real(type) ? half : made.size);
        made.out = packed(is_from_real(type) ? half : made.size);
        made.in_place_in = is_from_real(type) ? packed(padded) : made.in;
        made.in_place_out = is_to_real(type) ? packed(padded) : made.out;
    } else {
        if (!is_sound(rank, in) || !is_sound(rank, out)) return invalid_size;
        made.in = made.in_place_in = embedded(rank, in);
        made.out = made.in_place_out = embedded(rank, out);
    }
    layout = made;
    return success;
}

}  // namespace gpuproj::simulate::libraries::cufft
