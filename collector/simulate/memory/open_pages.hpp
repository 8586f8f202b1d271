// Which pages of DRAM a short stretch of requests has opened.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {

/// Pages by their number, each with the stretch that it was last opened in. Where two meet in one place, one that comes
/// back is opened again.
class OpenPages {
public:
    /// Sectors of one line in stretch number `window`, which only grows.
    void visit(std::uint64_t line, std::uint32_t sectors, std::uint64_t window, PageVisits& visits) {
        constexpr std::uint64_t windows_told_apart = 1 << 20;
        const std::uint64_t page = line / lines_of_page;
        const std::uint64_t open = page * windows_told_apart | window % windows_told_apart;
        std::uint64_t& place = places_[page * 0x9E3779B97F4A7C15ULL >> (64 - bits)];
        visits.sectors += sectors;
        if (place != open) ++visits.visits;
        place = open;
    }

private:
    static constexpr std::uint32_t bits = 10, lines_of_page = dram_page_sectors * sector_bytes / line_bytes;
    std::array<std::uint64_t, std::size_t{1} << bits> places_{};
};

}  // namespace gpuproj::simulate
