// The memory hierarchy of the simulated GPU, from a warp's addresses to DRAM sectors.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/gpu.hpp"

namespace gpuproj::simulate {

/// What the caches of one GPU look like; see hierarchy.cpp for how it follows from the target description.
struct MemoryConfig {
    int sm_count = 1;
    std::uint64_t l2_bytes = 0;
    int l2_ways = 16;
    std::uint64_t l1_bytes = 0;  // per SM; 0: global loads bypass it
    int l1_ways = 4;
    std::uint32_t line_bytes = 128;
};
MemoryConfig memory_config(const Gpu& gpu);

/// Sector numbers (address / 32) of one warp access, unique, in order of first use by lane.
struct SectorList {
    std::array<std::uint64_t, 64> sector;  // 32 lanes x 16 bytes, or 32 misaligned accesses
    std::uint32_t count = 0;
};

/// Coalesces the active lanes (`mask`) of one access of `bytes` (1-16) each.
void coalesce(std::span<const std::uint64_t, 32> address, std::uint32_t mask, std::uint32_t bytes, SectorList& out);

/// Passes through the 32 four-byte banks that one shared-memory access of a warp takes (1 if conflict free; 8- and
/// 16-byte accesses go by half and quarter warps as on the hardware), and the least it could take.
struct BankPasses {
    std::uint32_t passes = 0, ideal = 0;
};
BankPasses shared_bank_passes(std::span<const std::uint32_t, 32> offset, std::uint32_t mask, std::uint32_t bytes);

enum class AccessKind : std::uint8_t { load, store, atomic };

/// One sector on its way from an SM to L2.
struct L2Request {
    std::uint64_t sector : 62;
    std::uint64_t kind : 2;  // AccessKind
};

/// L1 of one SM; used by one host thread at a time. Loads may hit; stores and atomics go through and invalidate.
class L1Cache {
public:
    explicit L1Cache(const MemoryConfig& config);
    /// Appends what must go on to L2; returns the sectors that hit.
    std::uint32_t access(const SectorList& sectors, AccessKind kind, std::vector<L2Request>& to_l2);
    void invalidate();  // at the start of every launch

private:
    struct State;
    std::vector<std::uint64_t> tags_;
    std::vector<std::uint8_t> valid_;
    std::vector<std::uint32_t> age_;
    MemoryConfig config_;
    std::uint32_t clock_ = 0;
};

struct L2Counters {
    std::uint64_t read_sectors = 0, write_sectors = 0;        // arriving at L2
    std::uint64_t dram_read_sectors = 0, dram_write_sectors = 0;
};

/// Sectored, write-back, write-allocate by sector (a fully written sector is not fetched: stores here always carry
/// byte masks, see `full`). Deterministic for one order of requests.
class L2Cache {
public:
    explicit L2Cache(const MemoryConfig& config);
    ~L2Cache();
    L2Cache(const L2Cache&) = delete;
    L2Cache& operator=(const L2Cache&) = delete;

    /// Interleaves the SMs' queues request by request, round robin, and empties them.
    void process(std::span<std::vector<L2Request>> queues);
    /// Writes dirty sectors back and counts them (end of a measured launch on hardware that flushes; see hierarchy.cpp).
    void write_back();
    /// Drops a range because the host touched it; dirty sectors are written back and counted first.
    void drop(std::uint64_t first_sector, std::uint64_t sectors);
    const L2Counters& counters() const;
    void reset_counters();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gpuproj::simulate
