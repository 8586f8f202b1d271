// The page of DRAM that dram_read_page_share and dram_write_page_share are shares of.
#pragma once

namespace gpuproj {

/// In sectors: what DRAM opens at once, as far as neighbourhood matters, a row of one chip (JEDEC, GDDR5 and later: 2
/// KiB).
inline constexpr int dram_page_sectors = 64;

}  // namespace gpuproj
