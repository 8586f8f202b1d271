#include "collector/simulate/engine/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "collector/simulate/engine/checks.hpp"
#include "collector/simulate/engine/texture.hpp"

namespace gpuproj::simulate {

namespace {

/// What a GPU protects: nothing smaller than its large pages.
constexpr std::uint64_t page_bytes = std::uint64_t{2} << 20;
/// Atomics on bytes and halves are made of those on the word around them (cuda::atomic_ref<char>), which may end behind
/// an allocation: memory is given out in whole words.
constexpr std::uint32_t word_bytes = 4;

std::string place(const Warp& warp, int lane) {
    const BlockContext& block = *warp.block;
    if (lane < 0) return fmt::format("block ({},{},{}), warp {}", block.id[0], block.id[1], block.id[2], warp.index);
    const auto l = static_cast<std::size_t>(lane);
    return fmt::format("block ({},{},{}), thread ({},{},{})", block.id[0], block.id[1], block.id[2], (*warp.tid)[0][l],
                       (*warp.tid)[1][l], (*warp.tid)[2][l]);
}

/// Local memory of a warp in a place of its own, words of the lanes side by side, as the hardware lays it out:
/// addresses that no host pointer has, and of which LineRequest keeps all bits.
constexpr std::uint64_t local_memory = std::uint64_t{1} << 54;

/// What `sm.sectors` says goes to L1 when its turn comes (step.cpp).
void trace(Warp& warp, AccessKind kind) {
    warp.sm->trace->add(kind, warp.sm->sectors);
}

/// "file.cu:12 (PTX line 345)", or what is known of it.
std::string line_of(const Warp& warp, const Inst& inst) {
    std::string in_ptx = fmt::format("PTX line {}", inst.line);
    const auto index = static_cast<std::size_t>(&inst - warp.code->instructions.data());
    if (index >= warp.code->sources.size()) return in_ptx;
    const auto [file, line] = warp.code->sources[index];
    const auto& files = warp.sm->launch->program->files;
    if (line == 0 || file >= files.size()) return in_ptx;
    return fmt::format("{}:{} ({})", files[file], line, in_ptx);
}

}  // namespace

void fault(const Warp& warp, const Inst& inst, FaultKind kind, const std::string& what, int lane) {
    throw LaunchFault(
        kind, fmt::format("{} in kernel {}, {}, {}{}", what, warp.sm->launch->kernel->name, place(warp, lane),
                          line_of(warp, inst),
                          warp.code != warp.sm->launch->kernel ? fmt::format(" (function {})", warp.code->name) : ""));
}

namespace {

/// Whether `bytes` at every address from `low` to `high` are; the sum with an address may wrap and is not computed.
bool inside(const Range& range, std::uint64_t low, std::uint64_t high, std::uint32_t bytes) {
    return low >= range.begin && high < range.end && range.end - high >= bytes;
}

[[noreturn]] void bad_address(const Warp& warp, const Inst& inst, std::uint64_t address, std::uint32_t bytes,
                              int lane) {
    const std::string what = warp.sm->launch->memory->was_freed(address) ? "use after free" : "illegal address";
    fault(warp, inst, FaultKind::outside_allocations, fmt::format("{}: {} bytes at {:#x}", what, bytes, address), lane);
}

}  // namespace

namespace {

/// Adds a range to a list of those that were met; false: they are too many, and it was emptied.
bool note_range(std::vector<Range>& ranges, const Range& range) {
    // Mostly one of the last few, which keeps the list short.
    constexpr std::size_t looked_at = 16, most = 1024;
    const std::size_t count = std::min(ranges.size(), looked_at);
    if (std::find(ranges.end() - static_cast<std::ptrdiff_t>(count), ranges.end(), range) != ranges.end()) return true;
    ranges.push_back(range);
    if (ranges.size() < most) return true;
    std::ranges::sort(ranges);
    ranges.erase(std::ranges::unique(ranges).begin(), ranges.end());
    if (ranges.size() < most / 2) return true;
    ranges.clear();
    return false;
}

}  // namespace

void meet_range(SmContext& sm, const Inst& inst, const Range& range) {
    recent_range(sm, inst) = range;
    if (sm.launch->memory->is_of_heap(range.begin)) {  // which nobody has versions of
        sm.repeatable = false;
        return;
    }
    if (!note_range(sm.touched, range)) sm.repeatable = false;  // too many to compare
    if (!inst.only_reads && !note_range(sm.written, range)) sm.wrote_anywhere = true;
}

namespace {

std::uint32_t lanes_within(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask,
                           std::uint32_t bytes, bool may_ignore) {
    if (mask == 0) return mask;
    SmContext& sm = *warp.sm;
    std::uint64_t low = ~std::uint64_t{0}, high = 0, bits = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const bool on = ((mask >> lane) & 1U) != 0;
        const std::uint64_t a = address[lane];
        low = on && a < low ? a : low;
        high = on && a > high ? a : high;
        bits |= on ? a : 0;
    }
    // The alignment of a vector access is that of the whole vector.
    if ((bits & (std::min<std::uint32_t>(bytes, 16) - 1)) != 0 && std::has_single_bit(bytes)) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (((mask >> lane) & 1U) != 0 && (address[lane] & (std::min<std::uint32_t>(bytes, 16) - 1)) != 0) {
                fault(warp, inst, FaultKind::misaligned_address,
                      fmt::format("misaligned address: {} bytes at {:#x}", bytes, address[lane]),
                      static_cast<int>(lane));
            }
        }
    }
    const DeviceMemory& memory = *sm.launch->memory;
    const Range& recent = recent_range(sm, inst);
    if (inside(recent, low, high, bytes)) return mask;
    std::uint32_t reachable = mask;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (((mask >> lane) & 1U) == 0 || inside(recent, address[lane], address[lane], bytes)) continue;
        const auto range = memory.find(address[lane]);
        if (!range || !range->contains(address[lane], bytes)) {
            if (!range || bytes != word_bytes) {
                if (!may_ignore || !memory.is_near(address[lane], page_bytes))
                    bad_address(warp, inst, address[lane], bytes, static_cast<int>(lane));
                sm.counters.out_of_bounds += 1;
                // What begins in memory that is alive is no longer than its alignment, and so in memory that is there.
                if (!range || !std::has_single_bit(bytes) || bytes > 16) {
                    reachable &= ~(1U << lane);
                    continue;
                }
            }
            sm.repeatable = false;  // nobody has versions of what is behind it
        }
        meet_range(sm, inst, *range);
    }
    return reachable;
}

}  // namespace

void check_global(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes) {
    lanes_within(warp, inst, address, mask, bytes, false);
}

bool meet_stretch(Warp& warp, const Inst& inst, std::uint64_t address, std::uint32_t bytes) {
    SmContext& sm = *warp.sm;
    if (inside(recent_range(sm, inst), address, address, bytes)) return true;
    const auto range = sm.launch->memory->find(address);
    if (!range || !inside(*range, address, address, bytes)) return false;
    meet_range(sm, inst, *range);
    return true;
}

void check_stretch(Warp& warp, const Inst& inst, std::uint64_t address, std::uint32_t bytes, int lane, bool reads) {
    if (!reads) {
        if (!meet_stretch(warp, inst, address, bytes)) bad_address(warp, inst, address, bytes, lane);
        return;
    }
    SmContext& sm = *warp.sm;
    const auto range = sm.launch->memory->find(address);
    if (!range || !range->contains(address, bytes)) bad_address(warp, inst, address, bytes, lane);
    if (!note_range(sm.touched, *range)) sm.repeatable = false;
}

std::uint32_t reachable_global(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask,
                               std::uint32_t bytes) {
    return lanes_within(warp, inst, address, mask, bytes, warp.sm->launch->ignore_out_of_bounds);
}

namespace {

/// Of a space of `size` bytes that is called `name`, of which the GPU gives out `given`; gives whether all lanes have
/// the same offset.
bool check_small(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes,
                 std::uint64_t size, std::uint64_t given, const char* name) {
    if (mask == 0) return false;
    const std::uint32_t align = std::has_single_bit(bytes) ? std::min<std::uint32_t>(bytes, 16) - 1 : 0;
    const std::uint32_t first = offset[std::countr_zero(mask)];
    std::uint32_t highest = 0, differing = 0, bits = 0;
    const auto look_at = [&](std::uint32_t at, std::uint32_t on) {
        highest = std::max(highest, at & on);
        differing |= (at ^ first) & on;
        bits |= at & on;
    };
    if (mask == full_mask) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) look_at(offset[lane], ~0U);
    } else {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) look_at(offset[lane], 0U - ((mask >> lane) & 1U));
    }
    if (std::uint64_t{highest} + bytes <= size && (bits & align) == 0) return differing == 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (((mask >> lane) & 1U) == 0) continue;
        if (const std::uint64_t end = std::uint64_t{offset[lane]} + bytes; end > size) {
            fault(warp, inst, end > given ? FaultKind::illegal_address : FaultKind::outside_allocations,
                  fmt::format("illegal {}-memory address: {} bytes at {:#x} of {}", name, bytes, offset[lane], size),
                  static_cast<int>(lane));
        }
        if ((offset[lane] & align) != 0) {
            fault(warp, inst, FaultKind::misaligned_address,
                  fmt::format("misaligned {}-memory address: {} bytes at {:#x}", name, bytes, offset[lane]),
                  static_cast<int>(lane));
        }
    }
    return differing == 0;
}

}  // namespace

void check_shared(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes) {
    const std::uint64_t size = warp.block->shared.size();
    const std::uint64_t given = std::max(size, std::uint64_t{warp.sm->launch->reserved_offset});
    check_small(warp, inst, offset, mask, bytes, size, given, "shared");
}
bool check_local(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes) {
    return check_small(warp, inst, offset, mask, bytes, warp.local_stride, warp.local_stride, "local");
}

namespace {

/// An access of `threads` lanes, `width` bytes each, which are in so many sectors and lines.
void count_sectors(MemoryCounters& counters, AccessKind kind, std::uint32_t width, std::uint64_t threads,
                   std::uint32_t sectors, std::uint32_t lines) {
    const std::uint64_t requested = width * threads;
    // The least number of sectors that could hold the bytes asked for; an atomic counts as a store.
    const std::uint64_t least = (requested + 31) / 32;
    counters.lines += lines;
    if (sectors > least) {
        counters.uncoalesced_lines += lines;
        counters.uncoalesced += 1;
        counters.uncoalesced_sectors += sectors;
    } else {
        counters.coalesced += 1;
    }
    (kind == AccessKind::load ? counters.thread_loads : counters.thread_stores) += threads;
    if (kind == AccessKind::load) {
        counters.global_loads += 1;
        counters.load_sectors += sectors;
        counters.load_bytes += requested;
    } else {
        (kind == AccessKind::atomic ? counters.atomics : counters.global_stores) += 1;
        counters.store_sectors += sectors;
        counters.store_bytes += requested;
    }
}

}  // namespace

void count_global(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes,
                  AccessKind kind, Lie lie, std::uint32_t changes) {
    SmContext& sm = *warp.sm;
    if (!sm.counts || inst.wide_bytes == 0 || mask == 0) return;
    const std::uint32_t width = moved_bytes(inst, bytes);
    const std::uint64_t threads = lane_count(mask);
    const AccessKind traced = kind == AccessKind::load && inst.read_only ? AccessKind::read_only_load : kind;
    const std::span<const std::uint64_t, lanes> all(address, lanes);
    std::uint32_t sectors = 0;
    if (lie == Lie::point || (lie == Lie::row && width == bytes)) {
        const std::uint64_t length = lie == Lie::row ? width * threads : width;
        sectors = sm.trace->add(traced, address[std::countr_zero(mask)], length);
    } else {
        if (changes != 0)
            coalesce_runs(all, mask, kind == AccessKind::store ? width : 0, changes, sm.sectors);
        else
            coalesce(all, mask, width, sm.sectors);
        sectors = sm.sectors.count;
        trace(warp, traced);
    }
    count_sectors(sm.counters, kind, width, threads, sectors, sm.trace->last_lines());
}

void count_stretch(Warp& warp, const Inst& inst, std::uint64_t begin, std::uint64_t length, std::uint32_t width,
                   std::uint64_t threads, bool store) {
    SmContext& sm = *warp.sm;
    const AccessKind load = inst.read_only ? AccessKind::read_only_load : AccessKind::load;
    const std::uint32_t sectors = sm.trace->add(store ? AccessKind::store : load, begin, length);
    count_sectors(sm.counters, store ? AccessKind::store : AccessKind::load, width, threads, sectors,
                  sm.trace->last_lines());
}

void count_shared(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes,
                  bool store) {
    SmContext& sm = *warp.sm;
    if (!sm.counts || inst.wide_bytes == 0 || mask == 0) return;
    const std::span<const std::uint32_t, lanes> all(offset, lanes);
    const std::uint32_t width = moved_bytes(inst, bytes);
    const BankPasses banks = shared_bank_passes(all, mask, width);
    (store ? sm.counters.shared_stores : sm.counters.shared_loads) += 1;
    count_passes(sm.counters, banks, [&] { return wide_bank_passes(all, mask, width); });
}

void count_local(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes,
                 bool store, bool alike) {
    SmContext& sm = *warp.sm;
    if (!sm.counts || inst.wide_bytes == 0 || mask == 0) return;
    sm.counters.locals += 1;
    const std::uint64_t base =
        local_memory + (warp.block->linear * 32 + warp.index) * (std::uint64_t{warp.local_stride} + 64) * lanes;
    constexpr std::uint64_t row = 4ULL * lanes;  // a word of all lanes
    const std::uint32_t first = offset[std::countr_zero(mask)];
    alignas(64) std::uint64_t address[lanes];
    for (std::uint32_t word = 0; word < (bytes + 3) / 4; ++word) {
        if (alike) {
            coalesce_row(base + (std::uint64_t{first} / 4 + word) * row, mask, sm.sectors);
        } else {
            for (std::uint32_t lane = 0; lane < lanes; ++lane)
                address[lane] = base + (std::uint64_t{offset[lane]} / 4 + word) * row + 4ULL * lane;
            coalesce(std::span<const std::uint64_t, lanes>(address, lanes), mask, 4, sm.sectors);
        }
        trace(warp, store ? AccessKind::local_store : AccessKind::local_load);
    }
}

void count_constant(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask) {
    SmContext& sm = *warp.sm;
    if (!sm.counts || mask == 0) return;
    sm.counters.constants += 1;
    const std::uint64_t first = address[std::countr_zero(mask)];
    std::uint64_t differing = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        differing |= ((mask >> lane) & 1U) != 0 ? address[lane] ^ first : 0;
    if (differing == 0) return;
    const std::uint64_t word = std::max<std::uint64_t>(4, inst.bytes);
    std::uint64_t low = first, high = first;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t at = address[std::countr_zero(rest)];
        low = std::min(low, at);
        high = std::max(high, at);
    }
    constexpr std::uint64_t table_words = 2048;
    if (high / word - low / word < table_words) {
        std::array<std::uint64_t, table_words / 64> seen{};
        std::uint64_t distinct = 0;
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const std::uint64_t place = address[std::countr_zero(rest)] / word - low / word;
            distinct += ~seen[place / 64] >> (place % 64) & 1;
            seen[place / 64] |= std::uint64_t{1} << (place % 64);
        }
        sm.counters.constant_replays += distinct - 1;
        return;
    }
    std::array<std::uint64_t, lanes> words{};
    std::size_t count = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
        words[count++] = address[std::countr_zero(rest)] / word;
    std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    const auto* const last = std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    sm.counters.constant_replays += static_cast<std::uint64_t>(last - words.begin()) - 1;
}

void count_surface(Warp& warp, const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes, bool store) {
    SmContext& sm = *warp.sm;
    if (!sm.counts || mask == 0) return;
    sm.counters.textures += 1;
    coalesce(std::span<const std::uint64_t, lanes>(address, lanes), mask, bytes, sm.sectors);
    trace(warp, store ? AccessKind::store : AccessKind::read_only_load);
}

void count_texels(Warp& warp, const TexelPlaces& texels, std::uint32_t bytes) {
    SmContext& sm = *warp.sm;
    sm.counters.textures += 1;
    SectorList& sectors = sm.sectors;
    sectors.count = 0;
    for (std::size_t corner = 0; corner < texels.read.size(); ++corner) {
        if (texels.read[corner] == 0) continue;
        if (sectors.count + lanes > sectors.sector.size()) {
            trace(warp, AccessKind::read_only_load);
            sectors.count = 0;
        }
        coalesce_also(texels.address[corner], texels.read[corner], bytes, sectors);
    }
    trace(warp, AccessKind::read_only_load);
}

std::byte* cluster_memory(Warp& warp, const Inst& inst, std::uint32_t address, std::uint32_t bytes, int lane) {
    const std::uint32_t rank = address >> rank_shift, offset = address & shared_offset_mask;
    BlockContext* block = warp.block;
    if (rank != 0 && rank <= warp.sm->launch->cluster_blocks)
        block = warp.sm->places[block->place - block->rank + rank - 1].block;
    const bool exists = rank <= warp.sm->launch->cluster_blocks && block != nullptr && block->started;
    if (!exists || std::uint64_t{offset} + bytes > block->shared.size())
        fault(warp, inst, FaultKind::illegal_address,
              fmt::format("illegal shared-memory address of a cluster: {} bytes at {:#x} of rank {}", bytes, offset,
                          rank == 0 ? warp.block->rank : rank - 1),
              lane);
    if (std::has_single_bit(bytes) && (offset & (std::min(bytes, 16U) - 1)) != 0)
        fault(warp, inst, FaultKind::misaligned_address,
              fmt::format("misaligned shared-memory address: {} bytes at {:#x}", bytes, offset), lane);
    return block->shared.data() + offset;
}

void run_warp(Warp& warp) {
    warp.pause = false;
    while (!warp.pause) {
        const Inst* inst = warp.pc++;
        warp.exec = warp.active;
        if (inst->guard != no_ref) {
            const std::uint32_t p = *source<std::uint32_t>(warp, inst->guard);
            warp.exec &= inst->guard_negated ? ~p : p;
            if (warp.exec == 0) continue;
            warp.thread_counts[inst->slot] += lane_count(warp.exec);
        }
        inst->handler(warp, *inst);
    }
}

}  // namespace gpuproj::simulate
