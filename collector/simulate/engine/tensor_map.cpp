#include "collector/simulate/engine/tensor_map.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpuproj::simulate {

namespace {

using Type = TensorMap::Type;
using Swizzle = TensorMap::Swizzle;

constexpr std::uint32_t gathered_rows = 4;

std::uint32_t span_of(Swizzle swizzle) {
    switch (swizzle) {
        case Swizzle::none:
            return 16;
        case Swizzle::in_32:
            return 32;
        case Swizzle::in_64:
            return 64;
        default:
            return 128;
    }
}

std::int64_t extent(const TensorMap& map, std::size_t dimension) {
    return std::int64_t{map.last.at(dimension)} + 1;
}

/// How many elements of a dimension are in the box.
std::uint32_t steps_along(const TensorMap& map, std::size_t dimension) {
    return (map.box.at(dimension) + map.steps.at(dimension) - 1U) / map.steps.at(dimension);
}

/// The row that begins at `at`, innermost first.
TensorRow row_at(const TensorMap& map, const std::array<std::int64_t, 5>& at, std::uint32_t elements) {
    TensorRow row;
    std::uint64_t address = map.address;
    for (std::size_t i = 1; i < map.rank; ++i) {
        if (at.at(i) < 0 || at.at(i) >= extent(map, i)) return row;
        address += static_cast<std::uint64_t>(at.at(i)) * map.strides.at(i - 1);
    }
    const std::int64_t first = std::clamp<std::int64_t>(-at[0], 0, elements);
    const std::int64_t end = std::clamp<std::int64_t>(extent(map, 0) - at[0], first, elements);
    row.first = static_cast<std::uint32_t>(first);
    row.end = static_cast<std::uint32_t>(end);
    row.address = address + static_cast<std::uint64_t>(std::max<std::int64_t>(at[0], 0)) * map.element_bytes();
    return row;
}

void gathered(const TensorMap& map, const TensorPlace& place, std::vector<TensorRow>& rows) {
    for (std::uint32_t i = 0; i < gathered_rows; ++i)
        rows.push_back(row_at(map, {place.at[0], place.at.at(i + 1)}, map.box[0]));
}

void tiled(const TensorMap& map, const TensorPlace& place, std::vector<TensorRow>& rows) {
    std::array<std::int64_t, 5> at{};
    std::array<std::uint32_t, 5> count{1, 1, 1, 1, 1}, index{};
    for (std::size_t i = 1; i < map.rank; ++i) count.at(i) = steps_along(map, i);
    for (;;) {
        for (std::size_t i = 0; i < map.rank; ++i)
            at.at(i) = std::int64_t{place.at.at(i)} + std::int64_t{index.at(i)} * map.steps.at(i);
        rows.push_back(row_at(map, at, map.box[0]));
        std::size_t dimension = 1;
        while (dimension < map.rank && ++index.at(dimension) == count.at(dimension)) index.at(dimension++) = 0;
        if (dimension >= map.rank) return;
    }
}

/// Pixel after pixel through the box, w fastest; what the filter's offsets add is outside of the tensor or not.
void im2col(const TensorMap& map, const TensorPlace& place, std::vector<TensorRow>& rows) {
    const std::size_t spatial = map.rank - 2U, batch = map.rank - 1U;
    std::array<std::int64_t, 5> base{};
    std::copy(place.at.begin(), place.at.end(), base.begin());
    for (std::uint32_t pixel = 0; pixel < map.pixels; ++pixel) {
        std::array<std::int64_t, 5> at = base;
        for (std::size_t i = 0; i < spatial; ++i) at.at(i + 1) += place.offsets.at(i);
        rows.push_back(row_at(map, at, map.channels));
        std::size_t i = 0;
        for (; i < spatial; ++i) {
            base.at(i + 1) += map.steps.at(i + 1);
            if (base.at(i + 1) < extent(map, i + 1) + map.upper.at(i)) break;
            base.at(i + 1) = map.lower.at(i);
        }
        if (i == spatial) base.at(batch) += 1;
    }
}

}  // namespace

std::uint32_t TensorMap::element_bytes() const {
    switch (type) {
        case Type::u8:
            return 1;
        case Type::u16:
        case Type::f16:
        case Type::bf16:
            return 2;
        case Type::u64:
        case Type::s64:
        case Type::f64:
            return 8;
        default:
            return 4;
    }
}

std::string_view obstacle_of(const TensorMap& map, const TensorPlace& place) {
    constexpr std::uint32_t unit = 16;
    if (map.mark != TensorMap::made) return "what is no tensor map";
    if (map.interleave != 0) return "an interleaved layout";
    if (map.type >= Type::b4_packed) return "elements of 4 or 6 bits";
    if (map.swizzle == Swizzle::in_128_by_32_flip || map.swizzle == Swizzle::in_128_by_64)
        return "a swizzle with atoms of 64 bytes or flipped ones";
    const std::uint32_t row = map.row_bytes(), span = span_of(map.swizzle);
    if (row == 0 || row % unit != 0) return "a box whose rows are no multiple of 16 bytes";
    if (map.swizzle != Swizzle::none && row != span) return "a box that is narrower than its swizzle";
    for (std::size_t i = 0; i < map.rank && map.walk == TensorMap::Walk::tiled; ++i)
        if (map.box.at(i) == 0) return "a box without elements";
    if (place.gathers && (map.rank != 2 || map.box[1] != 1)) return "rows gathered of what is no matrix of rows";
    return {};
}

std::uint64_t box_bytes(const TensorMap& map, const TensorPlace& place) {
    std::uint64_t rows = 1;
    if (place.gathers)
        rows = gathered_rows;
    else if (map.walk == TensorMap::Walk::im2col)
        rows = map.pixels;
    else
        for (std::size_t i = 1; i < map.rank; ++i) rows *= steps_along(map, i);
    return rows * map.row_bytes();
}

void tensor_rows(const TensorMap& map, const TensorPlace& place, std::vector<TensorRow>& rows) {
    rows.clear();
    if (place.gathers) return gathered(map, place, rows);
    map.walk == TensorMap::Walk::im2col ? im2col(map, place, rows) : tiled(map, place, rows);
}

// Bits of the address above the span choose, by exclusive or, which of its atoms it is. Spans are aligned.
void fill_outside(const TensorMap& map, std::span<std::byte> row) {
    std::ranges::fill(row, std::byte{0});
    if (map.fill == TensorMap::Fill::zero) return;
    // Which NaN it is is not published: all bits but the sign.
    const std::size_t bytes = map.element_bytes();
    constexpr std::byte exponent{0x7F}, mantissa{0xFF};
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = (i + 1) % bytes == 0 ? exponent : mantissa;
}

void round_elements(Type type, std::span<std::byte> elements) {
    const bool flushes = type == Type::f32_ftz || type == Type::tf32_ftz;
    const bool rounds = type == Type::tf32 || type == Type::tf32_ftz;
    if (!flushes && !rounds) return;
    constexpr std::uint32_t exponent = 0x7F800000, sign = 0x80000000, dropped = 13;
    for (std::size_t i = 0; i + 4 <= elements.size(); i += 4) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &elements[i], sizeof bits);
        if (flushes && (bits & exponent) == 0) bits &= sign;
        if (rounds && (bits & exponent) != exponent)
            bits = (bits + (1U << (dropped - 1)) - 1 + (bits >> dropped & 1U)) >> dropped << dropped;
        std::memcpy(&elements[i], &bits, sizeof bits);
    }
}

bool replace_field(TensorMap& map, TensorField field, std::uint32_t index, std::uint64_t value) {
    // PTX numbers the types in another order than the driver.
    constexpr std::array types{Type::u8,       Type::u16,       Type::u32,       Type::s32,      Type::u64,  Type::s64,
                               Type::f16,      Type::f32,       Type::f32_ftz,   Type::f64,      Type::bf16, Type::tf32,
                               Type::tf32_ftz, Type::b4_packed, Type::b4_spread, Type::b6_spread};
    constexpr std::array swizzles{Swizzle::none, Swizzle::in_32, Swizzle::in_64, Swizzle::in_128};
    constexpr std::array atoms{Swizzle::in_128, Swizzle::in_128_by_32, Swizzle::in_128_by_32_flip,
                               Swizzle::in_128_by_64};
    if (index >= (field == TensorField::global_stride ? map.strides.size() : map.last.size())) return false;
    switch (field) {
        case TensorField::global_address:
            map.address = value;
            return true;
        case TensorField::rank:
            map.rank = static_cast<std::uint8_t>(value + 1);
            return value < TensorMap::most_dimensions;
        case TensorField::box_dim:
            map.box.at(index) = static_cast<std::uint16_t>(value);
            return value >= 1 && value <= 256;
        case TensorField::global_dim:
            map.last.at(index) = static_cast<std::uint32_t>(value - 1);
            return true;
        case TensorField::global_stride:
            map.strides.at(index) = value;
            return true;
        case TensorField::element_stride:
            map.steps.at(index) = static_cast<std::uint8_t>(value);
            return value >= 1 && value <= 8;
        case TensorField::elemtype:
            if (value >= types.size()) return false;
            map.type = types.at(value);
            return true;
        case TensorField::interleave_layout:
            map.interleave = static_cast<std::uint8_t>(value);
            return value <= 2;
        case TensorField::swizzle_mode:
            if (value >= swizzles.size()) return false;
            map.swizzle = swizzles.at(value);
            return true;
        case TensorField::swizzle_atomicity:
            if (value >= atoms.size() || (value != 0 && map.swizzle < Swizzle::in_128)) return false;
            if (map.swizzle >= Swizzle::in_128) map.swizzle = atoms.at(value);
            return true;
        case TensorField::fill_mode:
            map.fill = value == 0 ? TensorMap::Fill::zero : TensorMap::Fill::nan;
            return value <= 1;
    }
    return false;
}

}  // namespace gpuproj::simulate
