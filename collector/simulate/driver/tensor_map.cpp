// Tensor maps: what the header says of their parameters is checked as it says, and the map is written as the engine
// reads it.
#include <cstring>
#include <limits>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/engine/tensor_map.hpp"

namespace gpuproj::simulate::driver {

namespace {

using Type = TensorMap::Type;
using Swizzle = TensorMap::Swizzle;

enum Interleave { not_interleaved, by_16_bytes, by_32_bytes };  // CUtensorMapInterleave

// What both kinds of maps have.
struct Common {
    int type;
    std::uint32_t rank;
    void* address;
    const std::uint64_t* dimensions;
    const std::uint64_t* strides;
    const std::uint32_t* steps;
    int interleave, swizzle, promotion, fill;
};

constexpr bool is_spread(Type type) {
    return type == Type::b4_spread || type == Type::b6_spread;
}
constexpr bool is_number(Type type) {
    return type >= Type::f16 && type <= Type::tf32_ftz;
}
// Of so many elements in shared memory.
std::uint64_t bytes_of(const TensorMap& map, std::uint64_t elements) {
    if (map.type == Type::b4_packed) return elements / 2;
    if (is_spread(map.type)) return elements;  // 16 of them in 16 bytes
    return elements * map.element_bytes();
}

// Whether the parameters are what CUDA wants; then they are in the map.
bool fill_common(const Common& wanted, std::uint32_t least_rank, TensorMap& map) {
    constexpr std::uint64_t most_elements = std::uint64_t{1} << 32, most_stride = std::uint64_t{1} << 40;
    constexpr std::uint32_t most_step = 8;
    constexpr int types = 16, swizzles = 7, promotions = 4, fills = 2;
    const auto within = [](int value, int count) { return value >= 0 && value < count; };
    if (!within(wanted.type, types) || !within(wanted.swizzle, swizzles) || !within(wanted.promotion, promotions) ||
        !within(wanted.fill, fills) || !within(wanted.interleave, by_32_bytes + 1))
        return false;
    if (wanted.rank < least_rank || wanted.rank > TensorMap::most_dimensions || wanted.dimensions == nullptr ||
        wanted.steps == nullptr || (wanted.strides == nullptr && wanted.rank > 1))
        return false;
    if (wanted.interleave != not_interleaved && wanted.rank < 3) return false;
    map.type = static_cast<Type>(wanted.type);
    const std::uint64_t unit = wanted.interleave == by_32_bytes || is_spread(map.type) ? 32 : 16;
    map.address = reinterpret_cast<std::uint64_t>(wanted.address);
    if (map.address % unit != 0) return false;
    for (std::uint32_t i = 0; i < wanted.rank; ++i) {
        if (wanted.dimensions[i] == 0 || wanted.dimensions[i] > most_elements) return false;
        if (wanted.steps[i] == 0 || wanted.steps[i] > most_step) return false;
        map.last.at(i) = static_cast<std::uint32_t>(wanted.dimensions[i] - 1);
        map.steps.at(i) = static_cast<std::uint8_t>(wanted.steps[i]);
    }
    for (std::uint32_t i = 0; i + 1 < wanted.rank; ++i) {
        if (wanted.strides[i] % unit != 0 || wanted.strides[i] >= most_stride) return false;
        map.strides.at(i) = wanted.strides[i];
    }
    constexpr std::uint64_t spread_elements = 128, packed_elements = 2;
    if (is_spread(map.type) && wanted.dimensions[0] % spread_elements != 0) return false;
    if (map.type == Type::b4_packed && wanted.dimensions[0] % packed_elements != 0) return false;
    if (map.type == Type::b6_spread && wanted.interleave != not_interleaved) return false;
    map.swizzle = static_cast<Swizzle>(wanted.swizzle);
    if (wanted.interleave == by_32_bytes && map.swizzle != Swizzle::in_32) return false;
    if (wanted.fill != 0 && !is_number(map.type)) return false;
    map.fill = static_cast<TensorMap::Fill>(wanted.fill);
    map.rank = static_cast<std::uint8_t>(wanted.rank);
    map.interleave = static_cast<std::uint8_t>(wanted.interleave);
    map.mark = TensorMap::made;
    return true;
}

// Whether the elements that lie side by side are as many as a copy without interleaving can have.
bool row_fits(const TensorMap& map, std::uint64_t elements) {
    constexpr std::uint64_t unit = 16, spread_elements = 128;
    if (is_spread(map.type) && elements != spread_elements) return false;
    if (map.interleave != not_interleaved) return true;
    const std::uint64_t bytes = bytes_of(map, elements);
    const std::uint64_t most = map.swizzle == Swizzle::none    ? std::numeric_limits<std::uint64_t>::max()
                               : map.swizzle == Swizzle::in_32 ? 32
                               : map.swizzle == Swizzle::in_64 ? 64
                                                               : 128;
    return bytes % unit == 0 && bytes <= most;
}

CudaError put(TensorMap* to, const TensorMap& map) {
    std::memcpy(static_cast<void*>(to), &map, sizeof map);
    return cuda::success;
}

bool is_place(const TensorMap* map) {
    constexpr std::uint64_t align = 64;
    return map != nullptr && reinterpret_cast<std::uint64_t>(map) % align == 0;
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuTensorMapEncodeTiled(TensorMap* to, int type, std::uint32_t rank, void* address,
                                                  const std::uint64_t* dimensions, const std::uint64_t* strides,
                                                  const std::uint32_t* box, const std::uint32_t* steps, int interleave,
                                                  int swizzle, int promotion, int fill) {
    return call(__func__, [&](Runtime&) {
        constexpr std::uint32_t most = 256;
        TensorMap map;
        if (!is_place(to) || box == nullptr ||
            !fill_common({type, rank, address, dimensions, strides, steps, interleave, swizzle, promotion, fill}, 1,
                         map))
            return cuda::invalid_value;
        for (std::uint32_t i = 0; i < rank; ++i) {
            if (box[i] == 0 || box[i] > most) return cuda::invalid_value;
            map.box.at(i) = static_cast<std::uint16_t>(box[i]);
        }
        return row_fits(map, box[0]) ? put(to, map) : cuda::invalid_value;
    });
}

GPUPROJ_CUDA_API CudaError cuTensorMapEncodeIm2col(TensorMap* to, int type, std::uint32_t rank, void* address,
                                                   const std::uint64_t* dimensions, const std::uint64_t* strides,
                                                   const int* lower, const int* upper, std::uint32_t channels,
                                                   std::uint32_t pixels, const std::uint32_t* steps, int interleave,
                                                   int swizzle, int promotion, int fill) {
    return call(__func__, [&](Runtime&) {
        constexpr std::uint32_t most_channels = 256, most_pixels = 1024, least_rank = 3;
        constexpr int corners[]{32768, 128, 16};  // by the number of spatial dimensions
        TensorMap map;
        if (!is_place(to) || lower == nullptr || upper == nullptr || channels == 0 || channels > most_channels ||
            pixels == 0 || pixels > most_pixels ||
            !fill_common({type, rank, address, dimensions, strides, steps, interleave, swizzle, promotion, fill},
                         least_rank, map))
            return cuda::invalid_value;
        const int bound = corners[rank - least_rank];
        for (std::size_t i = 0; i + 2 < rank; ++i) {
            if (lower[i] < -bound || lower[i] >= bound || upper[i] < -bound || upper[i] >= bound)
                return cuda::invalid_value;
            if (std::int64_t{map.last.at(i + 1)} + 1 + upper[i] <= lower[i]) return cuda::invalid_value;
            map.lower.at(i) = static_cast<std::int16_t>(lower[i]);
            map.upper.at(i) = static_cast<std::int16_t>(upper[i]);
        }
        map.channels = static_cast<std::uint16_t>(channels);
        map.pixels = static_cast<std::uint16_t>(pixels);
        map.walk = TensorMap::Walk::im2col;
        return row_fits(map, channels) ? put(to, map) : cuda::invalid_value;
    });
}

GPUPROJ_CUDA_API CudaError cuTensorMapReplaceAddress(TensorMap* map, void* address) {
    return call(__func__, [&](Runtime&) {
        if (!is_place(map) || map->mark != TensorMap::made) return cuda::invalid_value;
        const std::uint64_t unit = map->interleave == by_32_bytes || is_spread(map->type) ? 32 : 16;
        if (reinterpret_cast<std::uint64_t>(address) % unit != 0) return cuda::invalid_value;
        map->address = reinterpret_cast<std::uint64_t>(address);
        return cuda::success;
    });
}

}  // namespace gpuproj::simulate::driver
