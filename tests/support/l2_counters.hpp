// Counters of L2 against those of another way to the same.
#pragma once

#include <catch2/catch.hpp>

#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::test {

inline void check_same(const simulate::L2Counters& a, const simulate::L2Counters& b) {
    CHECK(a.dram_read_sectors > 0);
    CHECK(a.read_sectors > 0);
    CHECK(a.read_sectors == b.read_sectors);
    CHECK(a.write_sectors == b.write_sectors);
    CHECK(a.atomic_sectors == b.atomic_sectors);
    CHECK(a.dram_read_sectors == b.dram_read_sectors);
    CHECK(a.dram_write_sectors == b.dram_write_sectors);
    CHECK(a.channel_sectors > 0);
    CHECK(a.channel_sectors == b.channel_sectors);
    CHECK(a.busiest_channel_sectors == b.busiest_channel_sectors);
    CHECK(a.read_pages.visits > 0);
    CHECK(a.read_pages == b.read_pages);
    CHECK(a.written_pages == b.written_pages);
    CHECK(a.other.front().read > 0);
    CHECK(a.other == b.other);
}

}  // namespace gpuproj::test
