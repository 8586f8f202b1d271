// Accesses of warps in the order in which they reach L1.
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/trace.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;

TEST_CASE("a trace is played one access of every warp in turn, interval by interval") {
    const MemoryConfig no_l1;
    L1Cache l1(no_l1);
    AccessTrace trace;
    const auto add = [&](std::uint64_t sector) {
        SectorList one;
        one.sector[0] = sector;
        one.bytes[0] = 0xFF;
        one.count = 1;
        trace.add(AccessKind::store, one);
    };
    const auto played = [&] {
        std::vector<LineRequest> out;
        CHECK(trace.replay(l1, out) == 0);
        std::vector<std::uint64_t> sectors;
        for (const LineRequest request : out) {
            REQUIRE(sectors_in(request.sectors()) == 1);
            sectors.push_back(request.line() * 4 + static_cast<std::uint32_t>(std::countr_zero(request.sectors())));
            CHECK(request.words() == 0x3);
        }
        return sectors;
    };
    CHECK(played().empty());
    trace.begin_block();  // the first block: two warps, a barrier, two warps
    trace.begin_interval();
    trace.begin_warp();
    for (const std::uint64_t sector : {10, 11, 12}) add(sector);
    trace.begin_warp();
    add(20);
    trace.begin_interval();  // nothing but a barrier: no time
    trace.begin_warp();
    trace.begin_interval();
    trace.begin_warp();
    add(13);
    trace.begin_warp();
    add(21);
    trace.begin_block();  // the second
    trace.begin_interval();
    trace.begin_warp();
    for (std::uint64_t sector = 30; sector < 35; ++sector) add(sector);
    trace.begin_block();  // one that waits
    CHECK(played() == std::vector<std::uint64_t>{10, 20, 30, 11, 31, 12, 32, 13, 21, 33, 34});
    CHECK(played().size() == 11);  // it is kept
    trace.clear();
    CHECK(played().empty());
}

TEST_CASE("an access that a sample of lines leaves nothing of takes its turn all the same", "[memory][trace]") {
    MemoryConfig config;
    config.l2_bytes = 1 << 20;
    L1Cache none(config);
    const L2Cache l2(config);
    const LineSample sample = l2.sample(2);
    std::vector<std::uint64_t> in, out;
    for (std::uint64_t line = 0; in.size() < 3 || out.empty(); ++line) (sample.has(line) ? in : out).push_back(line);
    AccessTrace trace;
    SampledSectors sectors;
    trace.keep_only(&sample, &sectors);
    trace.begin_block();
    trace.begin_interval();
    for (const auto& lines : {std::vector{out[0], in[0]}, std::vector{in[1], in[2]}}) {
        trace.begin_warp();
        for (const std::uint64_t line : lines) trace.add(AccessKind::atomic, line * line_bytes, 64);
    }
    CHECK(trace.requests() == 3);
    std::vector<LineRequest> requests;
    CHECK(trace.replay(none, requests) == 0);
    std::vector<std::uint64_t> seen;
    for (const LineRequest request : requests) {
        CHECK(request.kind() == AccessKind::atomic);
        seen.push_back(request.line());
    }
    CHECK(seen == std::vector{in[1], in[0], in[2]});
    const auto atomic = static_cast<std::size_t>(AccessKind::atomic);
    CHECK(sectors.all.at(atomic) == 8);
    CHECK(sectors.sampled.at(atomic) == 6);
}

TEST_CASE("an access that is one stretch is traced as its sectors are", "[memory][trace]") {
    MemoryConfig config;
    config.l2_bytes = 1 << 20;
    L1Cache none(config);
    const auto requests = [&](auto&& add) {
        AccessTrace trace;
        trace.begin_block();
        trace.begin_interval();
        trace.begin_warp();
        add(trace);
        std::vector<LineRequest> to_l2;
        CHECK(trace.replay(none, to_l2) == 0);
        std::vector<std::array<std::uint64_t, 4>> seen;
        for (const LineRequest& request : to_l2)
            seen.push_back(
                {request.line(), request.sectors(), request.words(), static_cast<std::uint64_t>(request.kind())});
        return seen;
    };
    for (const AccessKind kind : {AccessKind::load, AccessKind::read_only_load, AccessKind::store}) {
        for (const std::uint64_t begin : {0x10000, 0x10004, 0x10020, 0x10060, 0x1007c, 0x10090}) {
            for (const std::uint64_t bytes : {1, 4, 16, 32, 64, 128, 256, 1024}) {
                CAPTURE(static_cast<int>(kind), begin, bytes);
                SectorList sectors;
                coalesce_stretch(begin, bytes, sectors);
                std::uint32_t count = 0;
                const auto by_stretch = requests([&](AccessTrace& trace) { count = trace.add(kind, begin, bytes); });
                CHECK(by_stretch == requests([&](AccessTrace& trace) { trace.add(kind, sectors); }));
                CHECK(count == sectors.count);
            }
        }
    }
}
