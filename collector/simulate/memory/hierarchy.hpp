// The memory hierarchy of the simulated GPU, from a warp's addresses to DRAM sectors. docs/simulation.md says what is
// known of the hardware and where each choice comes from.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "collector/simulate/memory/line_sample.hpp"
#include "collector/simulate/memory/set_index.hpp"
#include "model/dram_page.hpp"
#include "model/gpu.hpp"

namespace gpuproj::simulate {

/// What the caches of one GPU look like.
struct MemoryConfig {
    int sm_count = 1;
    std::uint64_t l2_bytes = 0;
    int l2_ways = 16;
    std::uint32_t l2_halves = 1;    // 2: each keeps what its SMs ask for
    std::uint64_t l1_bytes = 0;     // per SM; 0: there is none. Read-only and local loads use it wherever there is one
    bool l1_global_loads = false;   // ordinary global loads use it too
    bool l1_stores_update = false;  // a store refreshes a sector that L1 holds, instead of invalidating it
    int l1_ways = 4;
    bool operator==(const MemoryConfig&) const = default;
};

constexpr std::uint32_t sector_bytes = 32;
constexpr std::uint32_t line_bytes = 128;

/// The caches of `gpu`: SMs and sizes from its description, what uses L1 by its compute capability. Where L1 and shared
/// memory are one memory, L1 is what the resident blocks of an SM leave of it (`shared_bytes`: what they use).
/// A GPU whose L2 size is not known gets l2_bytes 0: every sector then goes to DRAM.
MemoryConfig memory_config(const Gpu& gpu, std::uint64_t shared_bytes = 0);

/// Sectors (address / 32) of one warp access, unique, in order of first use by lane, and which of their 32 bytes it
/// touches (bit 0: the first).
struct SectorList {
    std::array<std::uint64_t, 64> sector;  // 32 lanes, at most 2 sectors each
    std::array<std::uint32_t, 64> bytes;
    std::uint32_t count = 0;
};

/// Sectors behind each other.
struct SectorRange {
    std::uint64_t first = 0, count = 0;
    auto operator<=>(const SectorRange&) const = default;
};

/// Coalesces the active lanes (`mask`) of one access of `bytes` (1-32) each.
void coalesce(std::span<const std::uint64_t, 32> address, std::uint32_t mask, std::uint32_t bytes, SectorList& out);
/// The same, added to what `out` has, which must have room for 32 sectors more; no access goes beyond its sector.
void coalesce_also(std::span<const std::uint64_t, 32> address, std::uint32_t mask, std::uint32_t bytes,
                   SectorList& out);
/// The same where it is known which lanes may be in another sector than the active lane before them (`changes`, one bit
/// each), and that no access goes beyond its sector. `bytes` 0: which bytes is not asked, and all are given.
void coalesce_runs(std::span<const std::uint64_t, 32> address, std::uint32_t mask, std::uint32_t bytes,
                   std::uint32_t changes, SectorList& out);
/// The same where the lanes are known to touch [begin, begin + bytes) between them, in order; at most 1 KiB.
void coalesce_stretch(std::uint64_t begin, std::uint64_t bytes, SectorList& out);
/// The same where each lane has a word, one behind the other from `begin`, the start of a sector.
void coalesce_row(std::uint64_t begin, std::uint32_t mask, SectorList& out);

/// How the addresses of a warp's lanes lie. row: neighbouring lanes' bytes are neighbours, without gaps; point: all
/// lanes the same place.
enum class Lie : std::uint8_t { apart, row, point };

/// Passes through the 32 four-byte banks that one aligned shared-memory access of a warp takes (1 if conflict free),
/// and the least it could take. 8- and 16-byte accesses go by half and quarter warps; two halves of a warp, or two
/// quarters of a half, go together where neighbouring lanes (i and i ^ 1, or i and i ^ 2) want the same:
/// docs/simulation.md.
struct BankPasses {
    std::uint32_t passes = 0, ideal = 0;
};
BankPasses shared_bank_passes(std::span<const std::uint32_t, 32> offset, std::uint32_t mask, std::uint32_t bytes);
/// Passes where banks have 8 bytes (Kepler) and take words in turn as those of 4 do: words i and i + 32 of a stretch of
/// 64 are in one place of a bank (CUDA C Programming Guide, compute capability 3.x, 32-bit mode). nvprof counted half
/// the passes of Maxwell for a stride of 32 words (subSeqMax, Amaris et al. 2016). Never more than through narrow ones;
/// of more than 4 bytes a lane as many.
std::uint32_t wide_bank_passes(std::span<const std::uint32_t, 32> offset, std::uint32_t mask, std::uint32_t bytes);

/// read_only_load: ld.global.nc and textures. L2 knows the first three only.
enum class AccessKind : std::uint8_t { load, store, atomic, read_only_load, local_load, local_store };
constexpr std::size_t access_kinds = 6;

/// Sectors that accesses ask for, by kind: of all lines, and of those of a LineSample.
struct SampledSectors {
    std::array<std::uint64_t, access_kinds> all{}, sampled{};
};

/// The 4-byte words that a mask of 32 bytes covers whole.
constexpr std::uint32_t whole_words(std::uint32_t bytes) {
    bytes &= bytes >> 2;
    bytes &= bytes >> 1;
    bytes &= 0x11111111U;
    bytes = (bytes | bytes >> 3) & 0x03030303U;
    bytes = (bytes | bytes >> 6) & 0x000F000FU;
    return (bytes | bytes >> 12) & 0xFFU;
}

/// How many of a line's four sectors a mask has: std::popcount is a call on processors of old.
constexpr std::uint32_t sectors_in(std::uint32_t mask) {
    return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1);
}

/// Sectors of one line on their way to L1 or from there to L2, which look up the line once for all of them. One word:
/// bit fields are written in pieces, and what reads them together waits for that.
class LineRequest {
public:
    static constexpr int line_bits = 48;
    constexpr LineRequest() = default;
    /// `line`: address / 128, of which line_bits count, not all of them set; `sectors`: one bit each; `words`: the
    /// 4-byte words that a store writes whole in each of them.
    constexpr LineRequest(std::uint64_t line, std::uint32_t sectors, AccessKind kind, std::uint32_t words = 0)
        : packed_(line << (64 - line_bits) | static_cast<std::uint64_t>(kind) << 12 |
                  std::uint64_t{sectors & 0xF} << 8 | (words & 0xFF)) {}
    constexpr std::uint64_t line() const { return packed_ >> (64 - line_bits); }
    constexpr std::uint32_t sectors() const { return packed_ >> 8 & 0xF; }
    constexpr std::uint32_t words() const { return packed_ & 0xFF; }
    /// On the way to L2: load, store or atomic.
    constexpr AccessKind kind() const { return static_cast<AccessKind>(packed_ >> 12 & 7); }
    /// The same sectors, sent on to L2.
    constexpr LineRequest as(AccessKind kind, std::uint32_t sectors) const { return {line(), sectors, kind, words()}; }
    /// The same of what comes as a load, as the first request of an access; and as the last one.
    constexpr LineRequest first_of(AccessKind kind) const { return with(static_cast<std::uint64_t>(kind) << 12); }
    constexpr LineRequest last() const { return with(last_bit); }
    constexpr bool is_last() const { return (packed_ & last_bit) != 0; }

private:
    static constexpr std::uint64_t last_bit = std::uint64_t{1} << 15;
    constexpr LineRequest with(std::uint64_t bits) const {
        LineRequest more = *this;
        more.packed_ |= bits;
        return more;
    }

    std::uint64_t packed_ = 0;
};

/// The sectors of one warp access, those of one line that follow each other together; a store's only where it writes
/// the same words of them. Gives how many requests these are; `to` has room for as many as there are sectors.
std::uint32_t requests_of(const SectorList& sectors, bool stores, LineRequest* to);

/// L1 caches of other GPUs that see the accesses of some SMs (other_l1.hpp); 0: one that keeps no ordinary global
/// loads.
constexpr std::array<std::uint64_t, 5> other_l1_sizes{0, std::uint64_t{32} << 10, std::uint64_t{64} << 10,
                                                      std::uint64_t{128} << 10, std::uint64_t{256} << 10};
using OtherL1Hits = std::array<std::uint64_t, other_l1_sizes.size()>;  // sectors, by size

/// L1 of one SM; used by one host thread at a time. It decides by kind and configuration what bypasses it, so that
/// every access goes through it.
class L1Cache {
public:
    explicit L1Cache(const MemoryConfig& config);
    /// One access of a warp. Appends what must go on to L2; returns the number of sectors that hit.
    std::uint32_t access(std::span<const LineRequest> requests, AccessKind kind, std::vector<LineRequest>& to_l2);
    void invalidate();  // at the start of every launch
    /// The same, for a launch that leaves L1 another share of the memory that shared memory is taken from.
    void invalidate(const MemoryConfig& config);
    /// From here on only lines of the sample come: they have the same share of the places, and are the only ones kept.
    void keep_only(const LineSample& sample);
    /// Whether accesses of this kind look up L1 and stay there; others go on to L2.
    bool keeps(AccessKind kind) const { return kept_[static_cast<std::size_t>(kind)]; }
    /// The most bits that a LineSample can have for an L1 like this.
    static std::uint32_t sample_bits(const MemoryConfig& config);
    const MemoryConfig& config() const { return config_; }

private:
    struct Line {
        std::uint64_t tag = ~std::uint64_t{0};  // with the launch above it
        std::uint8_t valid = 0;                 // one bit per sector
        std::uint8_t dirty = 0;                 // local stores only
    };
    static constexpr std::uint32_t absent = ~std::uint32_t{0};
    /// Where a line is; where not, the place that an earlier launch gave it; each may be absent.
    struct Found {
        std::uint32_t place = absent, earlier = absent;
    };
    Found find(std::uint32_t set, std::uint64_t line) const;
    std::uint32_t allocate(std::uint32_t set, std::uint64_t line, std::uint32_t earlier,
                           std::vector<LineRequest>& to_l2);
    std::uint32_t set_of(std::uint64_t line) const { return index_(line >> index_shift_); }
    std::uint16_t& guess(std::uint64_t line) { return guesses_[(line >> index_shift_) % guesses_.size()]; }

    MemoryConfig config_;
    std::array<bool, access_kinds> kept_{};
    std::uint32_t sets_ = 0, ways_ = 0, clock_ = 0;
    std::uint32_t begin_ = 0;   // of this launch, by the clock
    std::uint64_t launch_ = 0;  // counted above the bits of a line
    SetIndex index_;
    std::uint32_t index_shift_ = 0;                 // lines differ above these bits only
    std::vector<Line> lines_;                       // set by set; more than there are if there once were
    std::vector<std::uint32_t> short_tags_, used_;  // of the same lines; used: clock of the last use
    std::array<std::uint16_t, 1024> guesses_{};     // where lines may be: mostly they are, and no set is searched
};

/// Of DRAM, as far as anything is published of them: docs/simulation.md.
constexpr std::uint32_t dram_channels = 8, channel_bytes = 256;

/// L2 caches of other GPUs that see a sample of the lines (other_l2.hpp), and what they exchange with DRAM. Of halves
/// those that there are: A30, A100, H100 and H200, B200 and its like.
struct OtherL2Size {
    std::uint64_t bytes;
    std::uint32_t halves = 1;
};
constexpr std::array other_l2_sizes{OtherL2Size{std::uint64_t{256} << 10},   OtherL2Size{std::uint64_t{512} << 10},
                                    OtherL2Size{std::uint64_t{1} << 20},     OtherL2Size{std::uint64_t{2} << 20},
                                    OtherL2Size{std::uint64_t{4} << 20},     OtherL2Size{std::uint64_t{8} << 20},
                                    OtherL2Size{std::uint64_t{16} << 20},    OtherL2Size{std::uint64_t{32} << 20},
                                    OtherL2Size{std::uint64_t{64} << 20},    OtherL2Size{std::uint64_t{128} << 20},
                                    OtherL2Size{std::uint64_t{24} << 20, 2}, OtherL2Size{std::uint64_t{40} << 20, 2},
                                    OtherL2Size{std::uint64_t{50} << 20, 2}, OtherL2Size{std::uint64_t{128} << 20, 2}};
/// The half of an L2 that serves an SM. Which those are is not published; blocks that follow each other begin far
/// apart. By the parity of its bits, so that no stride through a grid has one half to itself.
constexpr std::uint32_t half_of(std::uint32_t sm, std::uint32_t halves) {
    return static_cast<std::uint32_t>(std::popcount(sm)) % halves;
}
struct DramSectors {
    std::uint64_t read = 0, write = 0;
    bool operator==(const DramSectors&) const = default;
};
using OtherL2Sectors = std::array<DramSectors, other_l2_sizes.size()>;

/// Sectors, and how often a page was opened for them: once for those of a page in one short stretch of requests.
struct PageVisits {
    std::uint64_t sectors = 0, visits = 0;
    /// Of a page, by one visit: 0 to 1; 0 without any.
    double share() const {
        if (visits == 0) return 0;
        return static_cast<double>(sectors) / (static_cast<double>(visits) * dram_page_sectors);
    }
    PageVisits& operator+=(const PageVisits& more) {
        sectors += more.sectors;
        visits += more.visits;
        return *this;
    }
    bool operator==(const PageVisits&) const = default;
};

struct L2Counters {
    std::uint64_t read_sectors = 0, write_sectors = 0, atomic_sectors = 0;  // arriving at L2
    std::uint64_t dram_read_sectors = 0, dram_write_sectors = 0;
    // Of short stretches of requests: all DRAM sectors, and those of the channel that had most of a stretch.
    std::uint64_t channel_sectors = 0, busiest_channel_sectors = 0;
    // Of sectors that are fetched, and of those that become dirty: stores go out later, those of a page together.
    PageVisits read_pages, written_pages;
    OtherL2Sectors other{};  // by size; zeros for a GPU whose L2 size is not known
    /// How evenly channels have work at any one time: 1 evenly, 1 / dram_channels one after the other; 0 without
    /// traffic.
    double channel_balance() const {
        if (busiest_channel_sectors == 0) return 0;
        return static_cast<double>(channel_sectors) / (dram_channels * static_cast<double>(busiest_channel_sectors));
    }
    L2Counters& operator+=(const L2Counters& more) {
        read_sectors += more.read_sectors;
        write_sectors += more.write_sectors;
        atomic_sectors += more.atomic_sectors;
        dram_read_sectors += more.dram_read_sectors;
        dram_write_sectors += more.dram_write_sectors;
        channel_sectors += more.channel_sectors;
        busiest_channel_sectors += more.busiest_channel_sectors;
        read_pages += more.read_pages;
        written_pages += more.written_pages;
        for (std::size_t i = 0; i < other.size(); ++i) {
            other[i].read += more.other[i].read;
            other[i].write += more.other[i].write;
        }
        return *this;
    }
};

/// Sectored, write-back, write-allocate by sector. Of two halves (MemoryConfig::l2_halves) each keeps what its own SMs
/// ask for: what both ask for is in both, though read from DRAM once, and what is stored in the one that stored it
/// last. A store never fetches: what it wrote is kept by words, and a sector is fetched when a load or an atomic finds
/// it not wholly there. Deterministic for one order of requests.
class L2Cache {
public:
    explicit L2Cache(const MemoryConfig& config);
    ~L2Cache();
    L2Cache(const L2Cache&) = delete;
    L2Cache& operator=(const L2Cache&) = delete;

    /// Interleaves the queues of the SMs, by number, request by request, round robin, and empties them.
    void process(std::span<std::vector<LineRequest>> queues);
    /// The same in parts and by and by. Takes the requests of a round, which stay as they are until `end_round`, and
    /// divides them by cache set for up to `threads` host threads. Gives the parts. Sets know nothing of each other, so
    /// that no count depends on it.
    std::size_t begin_round(std::span<const std::vector<LineRequest>> queues, std::size_t threads);
    /// Goes on with a part by some `most` requests. Parts may be served at the same time. False: nothing is left.
    bool serve(std::size_t part, std::size_t most = std::numeric_limits<std::size_t>::max());
    /// After all parts of a round: adds up what their channels did.
    void end_round();
    /// Counts dirty sectors as written, once: as long as they stay here, what is stored there again is not another
    /// write to DRAM. To be called at the end of a launch, which wrote them.
    void charge();
    /// A copy or a fill on the device itself has read or written a range: it is here, and counts nowhere. Not while any
    /// sector is dirty and not charged.
    void pass(std::uint64_t first_sector, std::uint64_t sectors);
    /// Drops a range; dirty sectors are written back and counted first.
    void drop(std::uint64_t first_sector, std::uint64_t sectors);
    /// The sample of so many bits, if there are sets for it; 0 bits: none.
    std::uint32_t sample_bits() const;
    LineSample sample(std::uint32_t bits) const;
    /// From here on only lines of the sample come, and stand for the others, of which nothing is dirty any more; until
    /// `end_sample`, when nothing at all is, and which takes it that neighbours of the lines that are here would be,
    /// too. Channels count nothing meanwhile.
    void begin_sample(const LineSample& sample);
    void end_sample(const LineSample& sample);
    /// Not within a round.
    L2Counters counters() const;
    /// The same, as if all that is dirty were charged.
    L2Counters counters_with_dirty() const;
    void reset_counters();

    /// What is in the cache, all that is dirty charged (charge comes before), to be put there again.
    class Contents {
        friend class L2Cache;
        struct Lines;
        std::shared_ptr<Lines> lines_;
    };
    Contents contents() const;
    std::size_t contents_bytes() const;  // that they take in this process
    void put_back(const Contents& contents);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gpuproj::simulate
