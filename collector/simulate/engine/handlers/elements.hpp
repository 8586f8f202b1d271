// Elements between memory and registers.
// Included only by files compiled per instruction set (GPUPROJ_ISA).
#pragma once

#include <algorithm>

#include "collector/simulate/engine/handlers/access.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

/// A value from memory as the register holds it.
template <class Register, class Raw>
inline Register widened(const std::byte* at) {
    Raw raw;
    std::memcpy(&raw, at, sizeof(Raw));
    if constexpr (sizeof(Register) > 8 || sizeof(Raw) > 8) {
        Register value{};
        std::memcpy(&value, &raw, sizeof(Raw));
        return value;
    } else {
        return static_cast<Register>(raw);
    }
}
/// `count` neighbours to neighbouring lanes; a constant stride keeps the loop short.
template <class Raw, class Register>
inline void load_row(Register* d, const std::byte* from, std::uint32_t count) {
    if constexpr (sizeof(Raw) == sizeof(Register)) {
        std::memcpy(static_cast<void*>(d), from, sizeof(Raw) * count);
    } else {
        for (std::uint32_t i = 0; i < count; ++i) d[i] = widened<Register, Raw>(from + i * sizeof(Raw));
    }
}

/// One element per active lane, widened to the register, from wherever `at(lane)` points.
template <class Raw, class Register, class At>
inline void load_element(Warp& warp, Ref ref, std::uint32_t mask, At&& at) {
    if (ref == no_ref) return;
    auto* d = destination<Register>(warp, ref);
    for_lanes(mask, [&](std::uint32_t lane) { d[lane] = widened<Register, Raw>(at(lane)); });
}
/// What lanes get whose access was out of bounds and ignored.
template <class Raw, class Register>
inline void load_zeros(Warp& warp, Ref ref, std::uint32_t mask) {
    static constexpr Raw zero{};
    load_element<Raw, Register>(warp, ref, mask,
                                [](std::uint32_t) { return reinterpret_cast<const std::byte*>(&zero); });
}
/// One element per active lane, to wherever `at(lane)` points.
template <class Raw, class Register, class At>
inline void store_element(Warp& warp, Ref ref, std::uint32_t mask, At&& at) {
    const auto* s = source<Register>(warp, ref);
    for_lanes(mask, [&](std::uint32_t lane) { std::memcpy(at(lane), s + lane, sizeof(Raw)); });
}

/// Addresses of the GPU are those of the host.
inline std::byte* pointer(std::uint64_t address) {
    return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): that is what addresses are here
}

/// The widest element.
struct Bits128 {
    std::uint64_t low, high;
};

/// A single load of all lanes, as each eight of them lie.
template <class Raw, class Register, class At>
void load_octets(const OctetLies& lies, Register* d, At&& at) {
    for (std::uint32_t lane = 0; lane < lanes; lane += octet) {
        if (lies.row(lane / octet)) {
            load_row<Raw>(d + lane, at(lane), octet);
        } else if (lies.point(lane / octet)) {
            std::fill_n(d + lane, octet, widened<Register, Raw>(at(lane)));
        } else {
            for (std::uint32_t i = lane; i < lane + octet; ++i) d[i] = widened<Register, Raw>(at(i));
        }
    }
}
/// The same of a store.
template <class Raw, class At>
void store_octets(const OctetLies& lies, const Raw* s, At&& at) {
    for (std::uint32_t lane = 0; lane < lanes; lane += octet) {
        if (lies.row(lane / octet)) {
            std::memcpy(at(lane), s + lane, sizeof(Raw) * octet);
        } else {
            for (std::uint32_t i = lane; i < lane + octet; ++i) std::memcpy(at(i), s + i, sizeof(Raw));
        }
    }
}

/// Wanted<Raw, Register>::handler for what memory holds and what the register is; nullptr: there is none.
template <template <class, class> class Wanted>
Handler pick_types(const Spec& spec) {
    using enum ptx::Type;
    const auto by_width = [&]<class Raw>(Raw) -> Handler {
        switch (spec.d_width) {
            case 1:
                if constexpr (sizeof(Raw) <= 1)
                    return Wanted<Raw, std::uint8_t>::handler;
                else
                    return nullptr;
            case 2:
                if constexpr (sizeof(Raw) <= 2)
                    return Wanted<Raw, std::uint16_t>::handler;
                else
                    return nullptr;
            case 4:
                if constexpr (sizeof(Raw) <= 4)
                    return Wanted<Raw, std::uint32_t>::handler;
                else
                    return nullptr;
            case 8:
                return Wanted<Raw, std::uint64_t>::handler;
            default:
                return nullptr;
        }
    };
    switch (spec.type) {
        case b8:
        case u8:
            return by_width(std::uint8_t{});
        case s8:
            return by_width(std::int8_t{});
        case b16:
        case u16:
        case f16:
        case bf16:
            return by_width(std::uint16_t{});
        case s16:
            return by_width(std::int16_t{});
        case b32:
        case u32:
        case f32:
        case f16x2:
        case bf16x2:
        case tf32:
            return by_width(std::uint32_t{});
        case s32:
            return by_width(std::int32_t{});
        case b64:
        case u64:
        case s64:
        case f64:
            return by_width(std::uint64_t{});
        case b128:
            return spec.d_width == 16 ? Wanted<Bits128, Bits128>::handler : nullptr;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
