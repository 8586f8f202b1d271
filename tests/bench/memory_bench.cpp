// How fast the memory hierarchy is: warp accesses coalesced per second, sectors through L1 and L2 per second.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"

using namespace gpuproj::simulate;

namespace {

enum Pattern : std::int64_t { unit_stride, one_address, two_rows, strided, scattered };

template <class Word>
std::array<Word, 32> pattern(std::int64_t kind) {
    std::mt19937 random{1};
    std::array<Word, 32> address{};
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        switch (kind) {
            case unit_stride:
                address[lane] = 4096 + 4 * lane;
                break;
            case one_address:
                address[lane] = 4096;
                break;
            case two_rows:
                address[lane] = 4096 + 4 * (lane % 16) + 2560 * (lane / 16);
                break;
            case strided:
                address[lane] = 4096 + 128 * lane;
                break;
            default:
                address[lane] = random() % 8192 * 4;
                break;
        }
    }
    return address;
}

void coalescing(benchmark::State& state) {
    const auto address = pattern<std::uint64_t>(state.range(0));
    SectorList list;
    for (auto _ : state) {
        coalesce(address, ~0U, 4, list);
        benchmark::DoNotOptimize(list);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(coalescing)->DenseRange(unit_stride, scattered);

// Texels of 16 bytes that lanes fetch at other random places each time, of so many of them: a table, an array.
void coalescing_texels(benchmark::State& state) {
    std::mt19937 random{1};
    std::uniform_int_distribution<std::uint32_t> texel(0, static_cast<std::uint32_t>(state.range(0)) - 1);
    std::vector<std::array<std::uint64_t, 32>> warps(2048);
    for (auto& address : warps)
        for (std::uint64_t& at : address) at = 16 * texel(random);
    SectorList list;
    std::size_t next = 0;
    for (auto _ : state) {
        list.count = 0;
        coalesce_also(warps[next++ % warps.size()], ~0U, 16, list);
        benchmark::DoNotOptimize(list);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(coalescing_texels)->Arg(4)->Arg(32)->Arg(1 << 20);

void shared_banks(benchmark::State& state) {
    const auto offset = pattern<std::uint32_t>(state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(shared_bank_passes(offset, ~0U, 4));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(shared_banks)->DenseRange(unit_stride, scattered);

// Other places each time, as sorts and hash tables have them: a processor learns a single one by heart. Of so many
// words.
void shared_banks_at_random(benchmark::State& state) {
    std::mt19937 random{1};
    std::uniform_int_distribution<std::uint32_t> word(0, static_cast<std::uint32_t>(state.range(0)) - 1);
    std::vector<std::array<std::uint32_t, 32>> warps(2048);
    for (auto& offset : warps)
        for (std::uint32_t& at : offset) at = 4 * word(random);
    std::size_t next = 0;
    for (auto _ : state) benchmark::DoNotOptimize(shared_bank_passes(warps[next++ % warps.size()], ~0U, 4));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(shared_banks_at_random)->Arg(64)->Arg(8192);

void l1(benchmark::State& state) {
    MemoryConfig config;
    config.l1_bytes = 64 << 10;
    config.l1_ways = 16;
    config.l1_global_loads = true;
    L1Cache cache(config);
    std::vector<LineRequest> out;
    std::uint64_t sectors = 0, line = 0;
    const auto lines = static_cast<std::uint64_t>(state.range(0)) * 1024 / 128;
    for (auto _ : state) {
        const std::array row{LineRequest(line++ % lines, 0xF, AccessKind::load)};
        cache.access(row, AccessKind::load, out);
        sectors += 4;
        if (out.size() > 4096) out.clear();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(sectors));
}
BENCHMARK(l1)->Arg(32)->Arg(1024);  // KB: half of the cache, far beyond it

// 15 SMs, each its own stream in lines of 4 sectors (a copy), or one random sector after another.
void l2_of(benchmark::State& state, std::uint32_t halves) {
    MemoryConfig config;
    config.l2_bytes = static_cast<std::uint64_t>(state.range(0)) << 10;
    config.l2_halves = halves;
    L2Cache cache(config);
    const bool random_sectors = state.range(1) != 0;
    std::mt19937_64 random{1};
    std::array<std::vector<LineRequest>, 15> filled, queues;
    constexpr std::uint64_t sectors = 8192;
    for (std::uint64_t sm = 0; sm < filled.size(); ++sm)
        for (std::uint64_t i = 0; i < sectors; i += random_sectors ? 1 : 4) {
            const std::uint64_t sector = random_sectors ? random() % (1 << 20) : (sm << 16) + i;
            filled[sm].emplace_back(sector / 4, random_sectors ? 1U << sector % 4 : 0xFU,
                                    i / 4 % 2 == 0 ? AccessKind::load : AccessKind::store, 0xFF);
        }
    for (auto _ : state) {
        state.PauseTiming();
        queues = filled;
        state.ResumeTiming();
        cache.process(queues);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(filled.size() * sectors));
}
void l2(benchmark::State& state) {
    l2_of(state, 1);
}
void l2_in_halves(benchmark::State& state) {
    l2_of(state, 2);
}
BENCHMARK(l2)->ArgsProduct({{768, 50 << 10}, {0, 1}});
BENCHMARK(l2_in_halves)->ArgsProduct({{50 << 10}, {0, 1}});

// What copies on the device bring into L2, 4 MB at a time.
void copies_through_l2(benchmark::State& state) {
    MemoryConfig config;
    config.l2_bytes = std::uint64_t{40} << 20;
    config.l2_halves = static_cast<std::uint32_t>(state.range(0));
    L2Cache cache(config);
    constexpr std::uint64_t sectors = (4 << 20) / sector_bytes, between = 2 * sectors;
    for (auto _ : state) {
        cache.pass(0, sectors);
        cache.pass(between, sectors);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * sectors));
}
BENCHMARK(copies_through_l2)->Arg(1)->Arg(2);

}  // namespace
