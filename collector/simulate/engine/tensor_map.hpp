// A tensor in device memory, and the box of it that one tensor copy moves: what cuTensorMapEncodeTiled and
// cuTensorMapEncodeIm2col write into the 128 bytes that programs do not look into, and what reads them there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gpuproj::simulate {

struct TensorMap {
    static constexpr std::uint32_t made = 0x544D4150;  // the mark of a map that was made
    static constexpr std::size_t most_dimensions = 5;

    enum class Type : std::uint8_t {  // CUtensorMapDataType
        u8,
        u16,
        u32,
        s32,
        u64,
        s64,
        f16,
        f32,
        f64,
        bf16,
        f32_ftz,
        tf32,
        tf32_ftz,
        b4_packed,
        b4_spread,
        b6_spread
    };
    enum class Swizzle : std::uint8_t { none, in_32, in_64, in_128, in_128_by_32, in_128_by_32_flip, in_128_by_64 };
    enum class Fill : std::uint8_t { zero, nan };
    enum class Walk : std::uint8_t { tiled, im2col };

    std::uint64_t address = 0;
    std::uint32_t mark = 0;  // CUTLASS clears bit 21 of the second word of 64 bits, whatever that is
    std::uint8_t rank = 0;
    std::uint8_t interleave = 0;
    Type type = Type::u8;
    Swizzle swizzle = Swizzle::none;
    std::array<std::uint64_t, 4> strides{};            // bytes, of the dimensions from the second on
    std::array<std::uint32_t, 5> last{};               // each dimension's elements less one
    std::array<std::uint16_t, 5> box{};                // tiled: elements that are walked along
    std::array<std::int16_t, 3> lower{}, upper{};      // im2col: corners of the box of pixels, w first
    std::uint16_t channels = 0, pixels = 0;            // im2col
    std::array<std::uint8_t, 5> steps{1, 1, 1, 1, 1};  // elements from one to the next
    Fill fill = Fill::zero;
    Walk walk = Walk::tiled;
    std::array<std::uint8_t, 27> unused{};

    std::uint32_t element_bytes() const;
    /// Of one row of the box, which is what lies side by side in shared memory.
    std::uint32_t row_bytes() const { return (walk == Walk::im2col ? channels : box[0]) * element_bytes(); }
    bool operator==(const TensorMap&) const = default;
};
static_assert(sizeof(TensorMap) == 128 && std::is_trivially_copyable_v<TensorMap>, "CUtensorMap");

/// A row of the box: of its elements [first, end) are in the tensor, the first of these at `address`.
struct TensorRow {
    std::uint64_t address = 0;
    std::uint32_t first = 0, end = 0;
};

/// Where a copy begins: coordinates, the innermost first; im2col: offsets of the filter; gather: one row of the matrix
/// for each row of the box.
struct TensorPlace {
    std::array<std::int32_t, 5> at{};
    std::array<std::uint16_t, 3> offsets{};
    bool gathers = false;
};

/// What keeps this map from being simulated, or from being a map; empty if nothing does.
std::string_view obstacle_of(const TensorMap& map, const TensorPlace& place);
/// Of the box in shared memory.
std::uint64_t box_bytes(const TensorMap& map, const TensorPlace& place);
/// The rows of the box in the order in which shared memory has them.
void tensor_rows(const TensorMap& map, const TensorPlace& place, std::vector<TensorRow>& rows);
/// The bits of an address in shared memory that a swizzle of pieces of 16 bytes changes, by the bits three above them.
constexpr std::uint32_t swizzle_bits(TensorMap::Swizzle swizzle) {
    using enum TensorMap::Swizzle;
    return swizzle == in_32 ? 0x10U : swizzle == in_64 ? 0x30U : swizzle == in_128 ? 0x70U : 0U;
}
/// Where the swizzle puts the 16 bytes at a place of shared memory.
constexpr std::uint32_t swizzled(TensorMap::Swizzle swizzle, std::uint32_t offset) {
    if (swizzle == TensorMap::Swizzle::in_128_by_32) return offset ^ (offset >> 2 & 0x60U);
    return offset ^ (offset >> 3 & swizzle_bits(swizzle));
}
/// What elements outside the tensor are, and what a copy makes of those inside, in place: types that flush denormals or
/// round to tf32 do.
void fill_outside(const TensorMap& map, std::span<std::byte> row);
void round_elements(TensorMap::Type type, std::span<std::byte> elements);

/// Fields that tensormap.replace changes; nothing for a value that PTX has no meaning for.
enum class TensorField : std::uint8_t {
    global_address,
    rank,
    box_dim,
    global_dim,
    global_stride,
    element_stride,
    elemtype,
    interleave_layout,
    swizzle_mode,
    swizzle_atomicity,
    fill_mode
};
bool replace_field(TensorMap& map, TensorField field, std::uint32_t index, std::uint64_t value);

}  // namespace gpuproj::simulate
