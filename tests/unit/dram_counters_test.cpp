// How evenly channels and pages of DRAM are used: cases worked by hand.
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "tests/support/line_requests.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

/// Of so many loads of one sector each, whose places `sector_of` gives, through an empty L2.
template <class SectorOf>
L2Counters counters_of_loads(const MemoryConfig& config, std::uint64_t loads, const SectorOf& sector_of) {
    L2Cache cache(config);
    std::vector<LineRequest> requests;
    for (std::uint64_t i = 0; i < loads; ++i) requests.push_back(load(sector_of(i)));
    run(cache, requests);
    return cache.counters();
}

}  // namespace

TEST_CASE("channels of DRAM: all at a time, one at a time, and one after the other") {
    MemoryConfig config;
    config.l2_bytes = GENERATE(0, 1 << 20);
    const auto balance = [&](auto sector_of) {
        const L2Counters counters = counters_of_loads(config, 32768, sector_of);
        CHECK(counters.dram_read_sectors == 32768);
        CHECK(counters.channel_sectors == 32768);
        return counters.channel_balance();
    };
    constexpr std::uint64_t of_channel = channel_bytes / 32, around = of_channel * dram_channels;
    CHECK(balance([](std::uint64_t i) { return i; }) == 1);
    CHECK(balance([](std::uint64_t i) { return i * around; }) == 1.0 / dram_channels);
    CHECK(balance([](std::uint64_t i) { return i * around / 2; }) == 2.0 / dram_channels);
    // Each for a longer time than requests are under way: evenly in the end, but never at once.
    CHECK(balance([](std::uint64_t i) { return i % 4096 * around + i / 4096 * of_channel; }) ==
          Approx(1.0 / dram_channels).epsilon(0.01));
    CHECK(L2Cache(config).counters().channel_balance() == 0);
}

TEST_CASE(
    "pages of DRAM: rows fill them, single sectors far apart do not, and the order of near ones is all the same") {
    MemoryConfig config;
    config.l2_bytes = GENERATE(0, 1 << 20);
    const auto share = [&](auto sector_of) {
        const L2Counters counters = counters_of_loads(config, 32768, sector_of);
        CHECK(counters.read_pages.sectors == 32768);
        CHECK(counters.written_pages == PageVisits{});
        return counters.read_pages.share();
    };
    constexpr std::uint64_t of_page = dram_page_sectors, under_way = 4096;
    CHECK(share([](std::uint64_t i) { return i; }) == 1);
    CHECK(share([](std::uint64_t i) { return i * of_page; }) == 1.0 / of_page);
    CHECK(share([](std::uint64_t i) { return i * of_page / 4; }) == 4.0 / of_page);
    // Columns of a matrix whose rows are pages, as many as are under way together, and as many rows as are not.
    CHECK(share([](std::uint64_t i) { return (i / 4096 * 64 + i % 64) * of_page + i / 64 % 64; }) == 1);
    CHECK(share([](std::uint64_t i) { return i % under_way * of_page + i / under_way; }) ==
          Approx(1.0 / of_page).epsilon(0.001));
    CHECK(L2Cache(config).counters().read_pages.share() == 0);
}

TEST_CASE("pages of DRAM: writes count once, when they become dirty") {
    MemoryConfig config;
    config.l2_bytes = 1 << 20;
    L2Cache cache(config);
    std::vector<LineRequest> requests;
    for (std::uint64_t i = 0; i < 512; ++i) requests.push_back(store(i * 8));
    for (std::uint64_t i = 0; i < 512; ++i) requests.push_back(store(i * 8));
    run(cache, requests);
    CHECK(cache.counters().written_pages == PageVisits{512, 64});
    CHECK(cache.counters().read_pages == PageVisits{});
    cache.charge();
    CHECK(cache.counters().written_pages == PageVisits{512, 64});
    run(cache, requests);  // of the next launch, to what is here still
    CHECK(cache.counters().written_pages == PageVisits{512, 64});
    cache.drop(0, 512 * 8);
    run(cache, requests);
    CHECK(cache.counters().written_pages == PageVisits{1024, 128});
}
