// From the addresses of a warp to sectors.
#include <bit>

#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {
namespace {

constexpr std::uint32_t all_bytes = ~0U;

// The sectors of [begin, begin + bytes).
void add_stretch(std::uint64_t begin, std::uint64_t bytes, SectorList& out) {
    const std::uint64_t first = begin / sector_bytes, last = (begin + bytes - 1) / sector_bytes;
    const auto count = static_cast<std::uint32_t>(last - first + 1);
    for (std::uint32_t i = 0; i < count; ++i) {
        out.sector[i] = first + i;
        out.bytes[i] = all_bytes;
    }
    out.bytes[0] &= all_bytes << (begin % sector_bytes);
    out.bytes[count - 1] &= all_bytes >> (sector_bytes - 1 - (begin + bytes - 1) % sector_bytes);
    out.count = count;
}

// Non-zero if an active lane's address is not first + (lane - first lane) * step.
std::uint64_t departs(std::span<const std::uint64_t, 32> address, std::uint32_t mask, std::uint64_t base,
                      std::uint64_t step) {
    std::uint64_t difference = 0;
    if (mask == ~0U) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) difference |= address[lane] ^ (base + lane * step);
    } else {
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            difference |= (address[lane] ^ (base + lane * step)) & -std::uint64_t{(mask >> lane) & 1};
    }
    return difference;
}

// A table of the sectors seen so far: 64 at most in 128 places.
class Seen {
public:
    void add(std::uint64_t sector, std::uint32_t bytes, SectorList& out) {
        if (out.count > 0 && out.sector[out.count - 1] == sector) {
            out.bytes[out.count - 1] |= bytes;
            return;
        }
        auto place = static_cast<std::uint32_t>((sector * 0x9E3779B97F4A7C15ULL) >> 57);
        for (; place_[place] != 0; place = (place + 1) % 128) {
            const std::uint32_t index = place_[place] - 1U;
            if (out.sector[index] == sector) {
                out.bytes[index] |= bytes;
                return;
            }
        }
        out.sector[out.count] = sector;
        out.bytes[out.count] = bytes;
        place_[place] = static_cast<std::uint8_t>(++out.count);
    }

private:
    std::array<std::uint8_t, 128> place_{};
};

}  // namespace

void coalesce(std::span<const std::uint64_t, 32> address, std::uint32_t mask, std::uint32_t bytes, SectorList& out) {
    out.count = 0;
    if (mask == 0) return;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint32_t run = mask >> first;
    if ((run & (run + 1)) == 0) {  // adjacent lanes
        const std::uint64_t base = address[first] - std::uint64_t{first} * bytes;
        if (departs(address, mask, base, bytes) == 0) {
            add_stretch(address[first], std::uint64_t{bytes} * static_cast<std::uint32_t>(std::popcount(mask)), out);
            return;
        }
    }
    if (departs(address, mask, address[first], 0) == 0) {
        add_stretch(address[first], bytes, out);
        return;
    }
    Seen seen;
    const std::uint32_t touched = (1U << bytes) - 1;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t begin = address[static_cast<std::uint32_t>(std::countr_zero(rest))];
        const auto offset = static_cast<std::uint32_t>(begin % sector_bytes);
        seen.add(begin / sector_bytes, touched << offset, out);
        if (offset + bytes > sector_bytes) seen.add(begin / sector_bytes + 1, touched >> (sector_bytes - offset), out);
    }
}

}  // namespace gpuproj::simulate
