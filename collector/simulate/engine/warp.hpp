// The state of a running warp, block and SM, and what handlers use to reach it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "collector/simulate/engine/device_launch.hpp"
#include "collector/simulate/engine/hot_words.hpp"
#include "collector/simulate/engine/program.hpp"
#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/other_l1.hpp"
#include "collector/simulate/memory/trace.hpp"

namespace gpuproj::simulate {

/// Ends the launch; Engine::launch turns it into LaunchReport::fault.
struct LaunchFault : std::runtime_error {
    LaunchFault(FaultKind k, const std::string& message) : std::runtime_error(message), kind(k) {}
    FaultKind kind;
};

/// What is counted while running, per SM; summed at the end of a launch.
struct MemoryCounters {
    std::uint64_t global_loads = 0, global_stores = 0, locals = 0, atomics = 0, constants = 0, textures = 0;
    std::uint64_t atomic_operations = 0;  // of lanes; of those that ptxas joins, one
    std::uint64_t shared_loads = 0, shared_stores = 0, shared_passes = 0, shared_conflicts = 0;
    std::uint64_t shared_spared = 0;  // of these passes, by banks of 8 bytes
    std::uint64_t constant_replays = 0;
    std::uint64_t load_sectors = 0, store_sectors = 0, load_bytes = 0, store_bytes = 0;
    std::uint64_t coalesced = 0, uncoalesced = 0, uncoalesced_sectors = 0, l1_hits = 0;
    std::uint64_t lines = 0, uncoalesced_lines = 0;  // of global accesses
    std::uint64_t line_requests = 0;                 // to L1, each of which is looked up once
    std::uint64_t divergent_branches = 0;
    std::uint64_t thread_loads = 0, thread_stores = 0, out_of_bounds = 0;
    SampledSectors sampled;       // where only a sample of the lines is simulated
    OtherL1Hits other_l1_hits{};  // of one SM: only if it is one that is looked at; of all: as these tell
};

/// Counts an access that takes `narrow` passes through banks of 4 bytes. `wide` gives those through banks of 8; it is
/// asked only where they may be fewer.
template <class Wide>
[[gnu::always_inline]] inline void count_passes(MemoryCounters& counters, BankPasses narrow, const Wide& wide) {
    counters.shared_passes += narrow.passes;
    counters.shared_conflicts += narrow.passes - narrow.ideal;
    if (narrow.passes > narrow.ideal) counters.shared_spared += narrow.passes - wide();
}

struct StackEntry {
    const Inst* pc = nullptr;
    const Inst* reconverge = nullptr;  // nullptr: at the end of the function
    std::uint32_t mask = 0;
    bool parked = false;  // at a barrier, for other paths of its warp
};

/// One activation of a function.
struct Frame {
    const Code* code = nullptr;
    std::byte* base = nullptr;
    std::size_t stack_base = 0;    // first entry of this activation
    std::uint32_t local_base = 0;  // byte offset of its local variables in a thread's local memory
    const CallSite* site = nullptr;
    std::uint32_t call_mask = 0;
    std::uint32_t allocated = 0;  // bytes of local memory by alloca, per lane
};

/// Lanes of a warp that go on by themselves, while others wait inside of a function (paths.cpp): what Warp has of those
/// that run.
struct Strand {
    std::vector<Frame> frames;
    std::vector<StackEntry> stack;  // its last entry is where it goes on
};
/// Registers for calls of one depth. Lanes of a warp that are in the same function share them, each having its own.
struct FrameMemory {
    const Code* code = nullptr;  // whose they were last
    std::size_t bytes = 0;
    std::unique_ptr<std::byte[]> memory;
};

struct BlockContext;
struct SmContext;
struct TexelPlaces;

/// A warp gives way to others, and a path to the others of its warp, after so many instructions; after fewer where it
/// may be waiting for them.
inline constexpr std::int32_t turn = 20000, turn_of_spinning = 2000;
/// And after so many accesses of device memory: L1 and L2 see them in the order in which warps that give way after each
/// would make them (trace.hpp), but what a warp works on stays in the caches of the host meanwhile.
inline constexpr std::uint32_t turn_accesses = 16;

inline constexpr std::size_t most_warps = 32;  // of a block
enum class WarpState : std::uint8_t { ready, at_barrier, at_cluster_barrier, behind_warp_group, done };

/// What every instruction needs of a warp; machine code knows where its members are.
struct alignas(64) RunningWarp {
    std::byte* frame = nullptr;
    const std::byte* constants = nullptr;
    const Inst* pc = nullptr;
    const Code* code = nullptr;
    std::uint32_t active = 0;              // lanes on the current path
    std::uint32_t exec = 0;                // of these, the ones whose guard holds
    bool pause = false;                    // back to the scheduler after this instruction
    std::int32_t budget = 0;               // instructions until it gives way, so that who spins lets others go on
    std::uint32_t accesses = 0;            // of device memory in this turn
    std::uint64_t* warp_counts = nullptr;  // of the current function: one per slot
    std::uint64_t* thread_counts = nullptr;
    std::uint64_t* clock = nullptr;  // the SM's
    const std::byte* parameters = nullptr;
    const std::array<std::array<std::uint32_t, lanes>, 3>* tid = nullptr;
    /// %ntid, %ctaid and %nctaid.
    const std::array<Dim3, 3>* shape = nullptr;
    // Of memory that machine code accesses (native/recorded.hpp):
    const Range* ranges = nullptr;  // the SM's RecentRanges
    std::byte* shared = nullptr;    // the block's
    std::uint32_t shared_bytes = 0;
    bool counts = false;  // SmContext::counts
};
static_assert(sizeof(RunningWarp) <= 128, "fetch_itself brings two cache lines");

struct Warp : RunningWarp {
    SmContext* sm = nullptr;
    BlockContext* block = nullptr;
    std::size_t stack_base = 0;  // of the last of `frames`
    std::vector<StackEntry> stack;
    // Cold.
    std::vector<Frame> frames;
    std::vector<std::vector<FrameMemory>> arena;  // by depth; by function, too, where lanes may be in several
    std::vector<Strand> strands;                  // that wait for their turn
    std::uint32_t present = 0;                    // lanes that are threads
    std::uint32_t alive = 0;                      // of these, not exited
    std::uint32_t index = 0;                      // in the block
    std::int32_t polls = 0;                       // since then, of what other threads may change
    std::uint32_t polled = 0;                     // turns after each other that were spent polling
    std::uint64_t issued = 0;                     // instructions, as SmContext::clock has them
    bool parted = false;                          // some lanes went on without others
    std::vector<std::byte> local;  // a word of every lane, then the next of every lane; local_stride bytes each
    std::uint32_t local_stride = 0;
    std::uint32_t barrier = 0;
    const Inst* reduction = nullptr;  // bar.red waiting for its result
    bool cluster_arrived = false;     // at the cluster's barrier, in its
    std::uint32_t cluster_phase = 0;  // phase
    // Products of its warp group (warp_group.hpp):
    std::uint32_t products = 0;                 // that it has executed
    std::vector<std::uint32_t> product_groups;  // for each group not yet waited for, how many there were then
    std::uint32_t awaited_products = 0;         // of the others, where it waits for them

    inline WarpState& state() const;
};

struct BarrierState {
    std::uint32_t arrived = 0;   // warps
    std::uint32_t expected = 0;  // threads, 0: all of the block
    std::uint32_t population = 0;
    bool all = true, any = false;
};

struct alignas(64) BlockContext {
    // What the scheduler looks at in every step.
    std::array<WarpState, most_warps> states{};
    std::vector<std::unique_ptr<Warp>> warps;
    std::uint32_t warp_count = 0;  // warps in use (the vector may hold more)
    std::uint32_t alive_warps = 0;
    std::uint32_t behind_groups = 0;  // warps that wait for others of their warp group
    std::uint16_t awaited = 0;        // one bit for each of the barriers that some warp has arrived at
    bool started = false;             // false while its place is taken, but its warps are not set up yet
    std::byte* frames = nullptr;      // registers of its warps, LaunchContext::frame_stride bytes each
    std::uint32_t rank = 0;           // in its cluster, whose blocks have neighbouring places of one SM
    std::uint32_t place = 0;          // of SmContext::places
    std::uint32_t cluster_phase = 0;  // of the cluster's barrier, in the block of rank 0
    std::array<BarrierState, 16> barriers{};
    Dim3 id{0, 0, 0};
    std::array<Dim3, 3> shape{};  // of its threads, its id, the grid
    std::uint64_t linear = 0;
    std::uint64_t serial = 0;  // no other block that this process starts has it
    std::uint64_t launch = 0;  // LaunchContext::grid_id and 1 of what its warps are set up for
    std::vector<std::byte> shared;
};
/// Where a lane has the byte at `offset` of its local memory; up to the end of its word others follow.
inline std::byte* local_byte(Warp& warp, std::uint32_t lane, std::uint32_t offset) {
    constexpr std::uint32_t word = 4;
    return warp.local.data() + (std::size_t{offset / word} * lanes + lane) * word + offset % word;
}
/// Copies bytes of a lane's local memory, which has them, to and from elsewhere: calls piece(there, done, count) for
/// what lies in one word.
template <class F>
inline void for_local_words(Warp& warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes, F&& piece) {
    constexpr std::uint32_t word = 4;
    for (std::uint32_t done = 0; done < bytes;) {
        const std::uint32_t left = word - (offset + done) % word, count = left < bytes - done ? left : bytes - done;
        piece(local_byte(warp, lane, offset + done), done, count);
        done += count;
    }
}
inline WarpState& Warp::state() const {
    return block->states[index];
}

/// The threads of a block's warp: the same in every block.
struct WarpThreads {
    std::array<std::array<std::uint32_t, lanes>, 3> tid{};
    std::uint32_t present = 0;  // lanes that are threads
};

class BlockPool;

struct LaunchContext {
    const Program* program = nullptr;
    const Code* kernel = nullptr;
    const std::byte* parameters = nullptr;
    Dim3 grid{1, 1, 1}, block{1, 1, 1};
    std::vector<WarpThreads> warps;  // of a block
    /// First counter of each function of the program; no_slot for those that the kernel cannot reach.
    std::vector<std::uint32_t> first_slot;
    std::uint32_t slots = 0;  // of all functions that it can
    std::uint32_t shared_bytes = 0, dynamic_shared_bytes = 0, static_shared_bytes = 0;
    int sm_count = 1;
    bool count = true;
    std::optional<LineSample> line_sample;  // of the lines, that the caches get alone
    bool ignore_out_of_bounds = false;
    std::uint64_t grid_id = 0;
    std::uint64_t grid_workspace = 0;  // of a cooperative launch
    Dim3 cluster{1, 1, 1};
    std::uint32_t cluster_blocks = 1;
    bool explicit_cluster = false;
    std::uint32_t reserved_offset = 0;  // of shared memory for cooperative groups, behind the program's own
    DeviceMemory* memory = nullptr;
    const DeviceQuestions* questions = nullptr;
    BlockPool* blocks = nullptr;
    std::size_t frame_stride = 0;  // bytes of a warp's registers
};

inline constexpr std::uint32_t no_slot = ~std::uint32_t{0};

/// Ranges of memory that were found alive, by the instruction that asked: it will ask for the same again. What was
/// found for reading is not known to instructions that write: they have yet to note that they do.
class RecentRanges {
public:
    static std::size_t index_of(const Inst& inst) { return inst.line % lines + (inst.only_reads ? 0 : lines); }
    Range& of(const Inst& inst) { return range_[index_of(inst)]; }
    const Range* all() const { return range_.data(); }
    void forget() { range_.fill(Range{}); }

private:
    static constexpr std::size_t lines = 64;
    std::array<Range, 2 * lines> range_{};
};

/// What an access to shared memory came to. It depends on how its lanes lie to each other alone, and on where the first
/// lies in what the banks give at once: accesses by the same register mostly find what the last one found, whatever
/// they add to it.
struct SharedPattern {
    alignas(64) std::array<std::uint32_t, lanes> from_first{};  // offsets less the first active lane's, 0 if inactive
    std::uint64_t key = 0;                                      // 0: nothing was found yet
    std::uint32_t below = 0, above = 0;  // bytes from the first lane's place to the lowest and to the highest
    std::uint32_t bits = 0;              // of all differences
    BankPasses banks;
    std::uint32_t rows = 0, points = 0;  // OctetLies of the handlers
    /// Passes through wide banks, by the word of their stretch of 64 that the first lane wants; 0: not found yet.
    std::array<std::uint8_t, 64> wide{};

    /// Of accesses that could come to the same. `phase`: where the first lane is in what the banks give at once;
    /// `width`: what the hardware moves for a lane, `bytes` of them this instruction; each below 256.
    static constexpr std::uint64_t key_of(std::uint32_t mask, std::uint32_t phase, std::uint32_t bytes,
                                          std::uint32_t width) {
        return mask | std::uint64_t{phase | bytes << 8 | width << 16} << 32;
    }
};
class SharedPatterns {
public:
    /// `part`: of an instruction that makes several accesses.
    SharedPattern& of(const Inst& inst, std::uint32_t part) {
        constexpr std::uint32_t register_bytes = 64;  // the least that one takes
        const std::uint32_t kind = inst.bytes + inst.count + 5U * inst.wide_bytes;
        return pattern_[(inst.a / register_bytes + kind + part) % pattern_.size()];
    }
    void forget() {
        for (SharedPattern& pattern : pattern_) pattern.key = 0;
    }

private:
    std::array<SharedPattern, 64> pattern_{};
};

/// Where an SM keeps a block.
struct BlockPlace {
    bool busy = false;
    std::uint64_t number = 0;       // of the block in the launch
    BlockContext* block = nullptr;  // none before it starts
};

/// How long warps were there, and SMs that had any, by accesses that followed each other: for the occupancy.
struct Presence {
    double warps = 0, sms = 0;
    Presence& operator+=(const Presence& other) {
        warps += other.warps;
        sms += other.sms;
        return *this;
    }
};

/// An SM; or, where memory is not simulated, several.
struct alignas(64) SmContext {
    SharedPatterns patterns;
    int index = 0;
    bool counts = true;           // what is executed, beside the instructions themselves
    bool repeatable = true;       // nothing that comes out differently if it runs again, as LaunchTrace says
    bool wrote_anywhere = false;  // `written` is not all
    const LaunchContext* launch = nullptr;
    std::vector<BlockPlace> places;
    Presence presence;
    MemoryCounters counters;
    HotWords hot_words;                                     // of global atomics
    std::vector<std::uint64_t> warp_counts, thread_counts;  // LaunchContext::slots of them
    std::unique_ptr<L1Cache> l1;
    std::unique_ptr<OtherL1> other_l1;          // none beside the L1 of most SMs
    std::vector<LineRequest>* to_l2 = nullptr;  // this SM's queue
    AccessTrace* trace = nullptr;               // of the step that it is in
    SectorList sectors;
    RecentRanges ranges;  // valid for this generation of DeviceMemory:
    std::uint64_t generation = ~std::uint64_t{0};
    std::uint64_t clock = 0;                          // instructions issued
    std::uint64_t waited = 0;                         // cycles beside those, as far as readings of the clock have them
    std::uint64_t ended_warps = 0, longest_warp = 0;  // warps; instructions of the one that had most
    DeviceLaunches launches;
    std::uint32_t busy_blocks = 0, alive_warps = 0;
    std::uint32_t waiting_for_cluster = 0;  // warps
    std::vector<Range> touched, written;    // allocations that this launch came to, some twice; may have written
    const void* texture = nullptr;          // the last that was met
    std::exception_ptr error;               // of an access in machine code, which nothing can be thrown across
};

// Services of the interpreter to its handlers (interpreter.cpp).
[[noreturn]] void fault(const Warp& warp, const Inst& inst, FaultKind kind, const std::string& what, int lane);
/// Notes a range that was found alive as the one that this instruction met last.
void meet_range(SmContext& sm, const Inst& inst, const Range& range);
/// Every active lane's [address, address + bytes) must be alive and aligned.
void check_global(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes);
/// [address, address + bytes) must be alive, however it is aligned. `reads`: nothing of it is written, which the
/// instruction otherwise may do.
void check_stretch(Warp& warp, const Inst& inst, std::uint64_t address, std::uint32_t bytes, int lane,
                   bool reads = false);
/// As check_global, for accesses that can be left out: gives the lanes that may go there, all of `mask` but for those
/// out of bounds, where LaunchContext says to ignore them. What only ends out of bounds may go there too then.
std::uint32_t reachable_global(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask,
                               std::uint32_t bytes);
/// `lie`: apart also where it is not known. `changes`: as of coalesce_runs, 0 where it is not known.
void count_global(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes,
                  AccessKind kind, Lie lie = Lie::apart, std::uint32_t changes = 0);
/// A load or store of so many threads, `width` bytes each, that are in [begin, begin + length).
void count_stretch(Warp& warp, const Inst& inst, std::uint64_t begin, std::uint64_t length, std::uint32_t width,
                   std::uint64_t threads, bool store);
void count_shared(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes,
                  bool store);
/// `alike`: all lanes have the same offset.
void count_local(Warp& warp, const Inst& inst, const std::uint32_t* offset, std::uint32_t mask, std::uint32_t bytes,
                 bool store, bool alike);
/// Behind an access of device memory a warp gives way to those of its block, as it would wait on the machine: programs
/// that forget a barrier rely on it.
inline void give_way_to_block(Warp& warp) {
    warp.accesses += 1;
    warp.pause = true;
}
/// The constant cache serves one word to all lanes at a time.
void count_constant(Warp& warp, const Inst& inst, const std::uint64_t* address, std::uint32_t mask);
/// An access of a surface. `bytes`: of what a lane reads or writes, a texel or more.
void count_surface(Warp& warp, const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes, bool store);
/// A fetch of a texture that is to be counted and has read some texels. `bytes`: of a texel.
void count_texels(Warp& warp, const TexelPlaces& texels, std::uint32_t bytes);
void push_frame(Warp& warp, const Code& code, const CallSite* site);
/// Goes to the first instruction of the kernel, with all lanes; from nowhere, or from where the warp's last block
/// ended.
void begin_kernel(Warp& warp);
/// What a call's areas hold, for the lanes of `mask`, from one frame to another.
void pass_between(const std::byte* from_frame, const CallArea& from, std::byte* to_frame, const CallArea& to,
                  std::uint32_t mask);
/// Where `bytes` at a shared::cluster address are: the block's own where it names no rank, else that block's of the
/// cluster. Faults where there is none.
std::byte* cluster_memory(Warp& warp, const Inst& inst, std::uint32_t address, std::uint32_t bytes, int lane);
/// Local memory for `bytes` more in every lane, until the current function returns; gives where they begin.
std::uint32_t grow_stack(Warp& warp, std::uint32_t bytes);
/// Back to the scheduler after this instruction; and where the lanes of the warp are on several paths, another of them
/// is next, in turn. So a path may wait for what a lane of the same warp does later.
void give_way(Warp& warp, bool waits = false);
/// Pops finished paths after lanes left; may finish the function, the strand, or the warp.
void unwind(Warp& warp);
/// Another strand goes on instead of the one that has run. False: there is none.
bool next_strand(Warp& warp);
/// What runs from now on, and is counted, is this activation's.
void enter(Warp& warp, const Frame& frame);
/// The lanes of a mask, mostly all. std::popcount is a call where processors of old are to run the code.
inline std::uint64_t lane_count(std::uint32_t mask) {
    if (mask == full_mask) return lanes;
#ifdef __POPCNT__
    return static_cast<std::uint64_t>(std::popcount(mask));
#else
    // Sums of neighbouring bits, pairs and fours; the product adds up the bytes (Warren, Hacker's Delight, 5-1).
    std::uint32_t sums = mask - (mask >> 1 & 0x55555555U);
    sums = (sums & 0x33333333U) + (sums >> 2 & 0x33333333U);
    sums = (sums + (sums >> 4)) & 0x0F0F0F0FU;
    return sums * 0x01010101U >> 24;
#endif
}
void call_builtin(Warp& warp, const Inst& inst, const CallSite& site);

template <class T>
inline const T* source(const Warp& warp, Ref ref) {
    const std::byte* base = (ref & constant_bit) != 0 ? warp.constants : warp.frame;
    return reinterpret_cast<const T*>(base + (ref & ~constant_bit));
}
template <class T>
inline T* destination(const Warp& warp, Ref ref) {
    return reinterpret_cast<T*>(warp.frame + ref);
}

}  // namespace gpuproj::simulate
