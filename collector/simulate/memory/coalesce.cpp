// From the addresses of a warp to sectors.
#include <bit>
#include <optional>
#include <utility>

#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {
namespace {

constexpr std::uint32_t all_bytes = ~0U;

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

// Whether neighbouring lanes are active, and their bytes neighbours.
bool are_in_row(std::span<const std::uint64_t, 32> address, std::uint32_t mask, std::uint32_t bytes) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint32_t run = mask >> first;
    return (run & (run + 1)) == 0 && departs(address, mask, address[first] - std::uint64_t{first} * bytes, bytes) == 0;
}

void append(std::uint64_t sector, std::uint32_t bytes, SectorList& out) {
    out.sector[out.count] = sector;
    out.bytes[out.count++] = bytes;
}

// A table of the sectors seen so far: 64 at most in 128 places.
class Seen {
public:
    explicit Seen(const SectorList& known) {
        for (std::uint32_t i = 0; i < known.count; ++i) place_[find(known.sector[i], known)] = place_of(i);
    }

    void add(std::uint64_t sector, std::uint32_t bytes, SectorList& out) {
        const std::uint32_t place = find(sector, out);
        if (place_[place] != 0) {
            out.bytes[place_[place] - 1U] |= bytes;
        } else {
            place_[place] = place_of(out.count);
            append(sector, bytes, out);
        }
    }

private:
    static std::uint8_t place_of(std::uint32_t index) { return static_cast<std::uint8_t>(index + 1); }
    // Where the sector is, or the empty place where it would be.
    std::uint32_t find(std::uint64_t sector, const SectorList& list) const {
        auto place = static_cast<std::uint32_t>((sector * 0x9E3779B97F4A7C15ULL) >> 57);
        while (place_[place] != 0 && list.sector[place_[place] - 1U] != sector) place = (place + 1) % 128;
        return place;
    }

    std::array<std::uint8_t, 128> place_{};
};

// The same by looking at one after the other, for few.
void add_to_few(std::uint64_t sector, std::uint32_t bytes, SectorList& out) {
    for (std::uint32_t i = 0; i < out.count; ++i) {
        if (out.sector[i] != sector) continue;
        out.bytes[i] |= bytes;
        return;
    }
    append(sector, bytes, out);
}

// Adds it if it is the last sector again or comes behind all others, which needs no search.
bool add_behind(std::uint64_t sector, std::uint32_t bytes, SectorList& out) {
    const bool same = out.count > 0 && out.sector[out.count - 1] == sector;
    if (same) {
        out.bytes[out.count - 1] |= bytes;
        return true;
    }
    if (out.count > 0 && out.sector[out.count - 1] > sector) return false;
    append(sector, bytes, out);
    return true;
}

}  // namespace

void coalesce_stretch(std::uint64_t begin, std::uint64_t bytes, SectorList& out) {
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

void coalesce_row(std::uint64_t begin, std::uint32_t mask, SectorList& out) {
    constexpr std::uint32_t lanes_of_sector = 8;
    out.count = 0;
    for (std::uint32_t sector = 0; sector < 4; ++sector) {
        // Every bit of the mask four times, for the bytes of a word.
        std::uint32_t bytes = mask >> (sector * lanes_of_sector) & 0xFFU;
        if (bytes == 0) continue;
        bytes = (bytes | bytes << 12) & 0x000F000FU;
        bytes = (bytes | bytes << 6) & 0x03030303U;
        bytes = (bytes | bytes << 3) & 0x11111111U;
        append(begin / sector_bytes + sector, bytes * 0xFU, out);
    }
}

void coalesce_runs(std::span<const std::uint64_t, 32> address, std::uint32_t mask, std::uint32_t bytes,
                   std::uint32_t changes, SectorList& out) {
    constexpr int few = 8;
    out.count = 0;
    std::uint32_t rest = (changes | ~(mask << 1)) & mask;  // where runs of one sector begin
    const bool are_few = std::popcount(rest) <= few;
    const auto lane_of = [](std::uint32_t bits) { return static_cast<std::uint32_t>(std::countr_zero(bits)); };
    // Which bytes the lanes of the first run that is left touch.
    const auto touched = [&] {
        if (bytes == 0) return all_bytes;
        const std::uint32_t one = all_bytes >> (sector_bytes - bytes);
        const std::uint32_t next = rest & (rest - 1);
        std::uint32_t all = 0;
        for (std::uint32_t run = mask & (0U - (rest & -rest)) & ((next & -next) - 1); run != 0; run &= run - 1)
            all |= one << (address[lane_of(run)] % sector_bytes);
        return all;
    };
    const auto sector = [&] { return address[lane_of(rest)] / sector_bytes; };
    while (rest != 0 && add_behind(sector(), touched(), out)) rest &= rest - 1;
    if (are_few) {
        for (; rest != 0; rest &= rest - 1) add_to_few(sector(), touched(), out);
        return;
    }
    if (rest == 0) return;
    Seen seen(out);
    for (; rest != 0; rest &= rest - 1) seen.add(sector(), touched(), out);
}

void coalesce(std::span<const std::uint64_t, 32> address, std::uint32_t mask, std::uint32_t bytes, SectorList& out) {
    out.count = 0;
    if (mask == 0) return;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    if (are_in_row(address, mask, bytes)) {
        coalesce_stretch(address[first], std::uint64_t{bytes} * static_cast<std::uint32_t>(std::popcount(mask)), out);
        return;
    }
    if (departs(address, mask, address[first], 0) == 0) {
        coalesce_stretch(address[first], bytes, out);
        return;
    }
    const auto touched = static_cast<std::uint32_t>((std::uint64_t{1} << bytes) - 1);
    // The part of an access in its first sector, and what is in the next one.
    const auto begins = [&](std::uint64_t at) { return touched << (at % sector_bytes); };
    const auto goes_on = [&](std::uint64_t at) {
        const auto offset = static_cast<std::uint32_t>(at % sector_bytes);
        return offset + bytes > sector_bytes ? touched >> (sector_bytes - offset) : 0U;
    };
    std::uint32_t rest = mask;
    for (; rest != 0; rest &= rest - 1) {
        const std::uint64_t at = address[static_cast<std::uint32_t>(std::countr_zero(rest))];
        if (goes_on(at) != 0 || !add_behind(at / sector_bytes, begins(at), out)) break;
    }
    if (rest == 0) return;
    Seen seen(out);
    for (; rest != 0; rest &= rest - 1) {
        const std::uint64_t at = address[static_cast<std::uint32_t>(std::countr_zero(rest))];
        seen.add(at / sector_bytes, begins(at), out);
        if (const std::uint32_t more = goes_on(at)) seen.add(at / sector_bytes + 1, more, out);
    }
}

void coalesce_also(std::span<const std::uint64_t, 32> address, std::uint32_t mask, std::uint32_t bytes,
                   SectorList& out) {
    if (mask == 0) return;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    if (are_in_row(address, mask, bytes)) {
        SectorList row;
        coalesce_stretch(address[first], std::uint64_t{bytes} * static_cast<std::uint32_t>(std::popcount(mask)), row);
        for (std::uint32_t i = 0; i < row.count; ++i) add_to_few(row.sector[i], row.bytes[i], out);
        return;
    }
    // Mostly some lanes after each other are in one sector, and few sectors are here.
    constexpr std::uint32_t few = 8;
    std::optional<Seen> seen;
    const auto add = [&](std::uint64_t sector, std::uint32_t of_sector) {
        if (!seen && out.count < few) return add_to_few(sector, of_sector, out);
        if (!seen) seen.emplace(out);
        seen->add(sector, of_sector, out);
    };
    const auto touched = static_cast<std::uint32_t>((std::uint64_t{1} << bytes) - 1);
    std::uint64_t sector = address[first] / sector_bytes;
    std::uint32_t of_sector = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t at = address[static_cast<std::uint32_t>(std::countr_zero(rest))];
        if (at / sector_bytes != sector) {
            add(sector, std::exchange(of_sector, 0));
            sector = at / sector_bytes;
        }
        of_sector |= touched << (at % sector_bytes);
    }
    add(sector, of_sector);
}

std::uint32_t requests_of(const SectorList& sectors, bool stores, LineRequest* to) {
    std::uint32_t count = 0;
    std::uint64_t line = 0;
    std::uint32_t together = 0, words = 0;
    for (std::uint32_t i = 0; i < sectors.count; ++i) {
        const std::uint64_t of = sectors.sector[i] / 4;
        const std::uint32_t whole = stores ? whole_words(sectors.bytes[i]) : 0;
        const std::uint32_t bit = 1U << sectors.sector[i] % 4;
        const bool goes_on = together != 0 && of == line && whole == words;
        count += goes_on ? 0 : 1;
        together = goes_on ? together | bit : bit;
        line = of;
        words = whole;
        to[count - 1] = {line, together, AccessKind::load, words};
    }
    return count;
}

}  // namespace gpuproj::simulate
