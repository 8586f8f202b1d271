// Decoded PTX: what the warp interpreter runs. Registers are byte offsets into a frame of 32 lanes side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/engine/matrix.hpp"
#include "collector/simulate/engine/shared_layout.hpp"
#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate {

inline constexpr int lanes = 32;
inline constexpr std::uint32_t full_mask = 0xFFFFFFFFU;

struct Warp;
struct Inst;
using Handler = void (*)(Warp&, const Inst&);

/// A register or constant operand: a byte offset, into the constant pool if the top bit is set.
using Ref = std::uint32_t;
inline constexpr Ref constant_bit = 0x80000000U;
inline constexpr Ref no_ref = 0x7FFFFFFFU;

/// One decoded instruction. `d`, `a`, `b`, `c`, `e`, `guard` are Refs or no_ref; what the others mean is the handler's
/// business and is said there.
struct alignas(64) Inst {
    Handler handler = nullptr;
    Ref d = no_ref, a = no_ref, b = no_ref, c = no_ref, e = no_ref;
    Ref guard = no_ref;
    std::int64_t imm = 0;
    std::uint32_t list = 0;                 // first of `count` Refs in Code::lists, or an index of the handler's table
    std::uint32_t target = 0;               // instruction index of a branch target; block of a block entry
    std::uint32_t slot = 0;                 // counter of a guarded instruction
    std::uint32_t line = 0;                 // in the PTX
    std::uint8_t count = 1;                 // vector elements
    std::uint8_t bytes = 0;                 // of one memory element
    std::uint8_t d_width = 0, a_width = 0;  // bytes per lane of the register behind d, a
    std::uint8_t mode = 0;                  // comparison, boolean operation, rounding, ... of the handler
    std::uint8_t wide_bytes = 0;  // bytes per lane the hardware moves at once, after merging; 0: part of another's
    bool guard_negated : 1 = false;
    bool has_base : 1 = false;
    bool read_only : 1 = false;   // ld.global.nc, ldu
    bool only_reads : 1 = false;  // what it does to global memory; false also where that is not known
    bool joined : 1 = false;      // an atomic operation: one for all lanes with the same address
};
static_assert(sizeof(Inst) == 64, "a cache line");

/// What the hardware moves of a lane, of which the instruction accesses `bytes`.
constexpr std::uint32_t moved_bytes(const Inst& inst, std::uint32_t bytes) {
    return bytes > inst.wide_bytes ? bytes : inst.wide_bytes;
}

/// What an instruction costs on the machine, per class; most are one instruction of one class.
enum class Class : std::uint8_t {
    total,
    fp32,
    fp32_fma,
    fp64,
    fp64_fma,
    fp16,
    fp16_fma,
    integer,
    integer_add,
    integer_multiply,
    integer_shift,
    integer_logic,
    integer_compare,
    special,
    conversion,
    control,
    misc,
    communication,
    load_store,
    tensor_fp16,
    tensor_bf16,
    tensor_tf32,
    tensor_fp64,
    tensor_int8,
    tensor_fp8,
    tensor_int4,
    tensor_int1,
    tensor,
    branch,
    barrier,
    special_unit,  // executed by the unit of special functions, they or what shares it
    memory_task,
    count_
};
inline constexpr std::size_t class_count = static_cast<std::size_t>(Class::count_);
using Mix = std::array<float, class_count>;

/// What an instruction costs: what the expansion table has under `key` for the GPU that is imitated, else `otherwise`.
struct Cost {
    Cost() = default;
    Cost(const Mix& mix) : otherwise(mix) {}  // NOLINT(google-explicit-constructor)
    Cost(std::string name, const Mix& mix) : key(std::move(name)), otherwise(mix) {}
    bool operator==(const Cost&) const = default;

    std::string key;
    Mix otherwise{};
};

/// A row of the expansion table: the mix of `key` for a compute capability and those after it (expansions.hpp).
struct Expansion {
    std::string_view key;
    int capability;  // from here on, to the next row of the key
    Mix mix;
};

/// Loads from beyond the SM, and how many of them go one after the other, of what a warp runs through
/// (load_chains.cpp).
struct LoadChains {
    float loads = 0, one_after_other = 0;
};

struct BasicBlock {
    std::uint32_t first = 0, last = 0;  // instruction range [first, last), the first being the block entry
    std::vector<std::uint32_t> successors;
    std::int32_t post_dominator = -1;  // block where the paths meet again; -1: at the end of the function
    LoadChains load_chains;            // of the runs that begin in it
};

/// Which threads an instruction counts: those of its block, those whose guard held (in slot `Inst::slot`), or none.
enum class ThreadsOf : std::uint8_t { block, guard, nobody };

/// What a whole block costs besides its instructions, whenever a warp comes to it.
struct BlockCost {
    std::uint32_t slot = 0;  // counter of the block
    std::uint32_t cost = 0;  // index of Program::costs
    float times = 1;
};

/// A loop of which several rounds are one behind the other in the machine code (unrolled_loops.cpp): as many of them
/// have one of its counter, comparison, branch and pointers' increments.
struct UnrolledLoop {
    std::uint32_t slot = 0;           // counter of its first block
    std::vector<std::uint32_t> from;  // of the blocks that lead into it
    std::uint32_t rounds = 1;
    bool known_trips = false;                // what is left over needs no loop
    float one_after_other = 0;               // as in LoadChains, of as many rounds, over their number
    std::vector<std::uint32_t> shared = {};  // the instructions that they have once; the last is the branch
};

/// Arguments of a call: frame offsets of parameter areas, 32 lanes of `bytes` each.
struct CallArea {
    std::uint32_t offset = 0, bytes = 0;
};
enum class Builtin : std::uint8_t {
    none,
    vprintf,
    malloc,
    free,
    assertfail,
    set_condition,     // of a conditional node of a graph
    parameter_buffer,  // launches from the device (device_launch.cpp)
    buffer_of_bytes,   // the same in the older form, where the kernel comes with the launch
    launch_kernel,
    launch,
    copy,
    fill,
    allocate,     // like malloc, but the address goes to where the first argument says
    make_handle,  // of a stream or event
    get_device,
    device_count,
    device_attribute,
    resident_blocks,  // of a kernel on an SM
    last_error,       // of this thread, forgotten then
    peek_at_error,
    succeed  // nothing to do: done before it is asked for
};
/// Functions that PTX declares and the engine has; none if it has not.
Builtin find_builtin(std::string_view name);
struct CallSite {
    std::int32_t callee = -1;  // index of Program::functions; -1: indirect through Inst::a
    Builtin builtin = Builtin::none;
    std::vector<CallArea> arguments, results;
};

enum class TextureAccess : std::uint8_t { fetch, gather, load, store };
enum class SurfaceBoundary : std::uint8_t { trap, zero, clamp };  // what accesses outside a surface do

/// One texture instruction; its operands are in Code::lists.
enum class LevelOfDetail : std::uint8_t { first, given, gradients };

struct TexturePlan {
    TextureAccess access = TextureAccess::fetch;
    std::uint32_t dimensions = 2;  // coordinates besides the layer
    bool layered = false, cube = false;
    bool integer_coordinates = false;
    ptx::Type result = ptx::Type::f32;
    std::uint32_t values = 0, value_count = 0, value_bytes = 4;  // value_bytes: of a surface element in memory
    std::uint32_t coordinates = 0, coordinate_count = 0;
    std::uint32_t component = 0;                  // of a gather
    LevelOfDetail level = LevelOfDetail::first;   // of a mipmap
    std::uint32_t details = 0, detail_count = 0;  // the level, or the derivatives by x and by y
    SurfaceBoundary boundary = SurfaceBoundary::trap;
};

/// Where the registers are that a warp uses from an instruction on: `count` of Code::ahead, frame offsets.
struct Ahead {
    std::uint32_t first = 0, count = 0;
};

struct Uncoded;  // native/machine_code.cpp

/// A register of a function that may be read where nothing was written yet.
struct UnwrittenRegister {
    Ref ref = no_ref;
    std::uint8_t width = 0;  // bytes per lane; 0: a predicate
};

struct Code {
    std::string name;
    bool entry = false;
    bool defined = false;
    std::vector<Inst> instructions;
    std::shared_ptr<const void> machine_code;  // owns what some instructions' handlers are (native/)
    std::shared_ptr<const Uncoded> uncoded;    // what that is made of, until a launch comes to the function
    std::vector<Ref> lists;
    std::vector<UnwrittenRegister> unwritten;  // 0 when the function is entered
    std::vector<BasicBlock> blocks;
    std::vector<CallSite> calls;
    std::vector<MatrixPlan> matrices;
    std::vector<TexturePlan> textures;
    std::vector<std::vector<std::uint32_t>> jump_tables;  // instruction indices
    std::vector<std::byte> constants;                     // pool, 32 lanes broadcast
    std::vector<CallArea> parameters, results;            // of a .func: in its frame
    std::uint32_t frame_bytes = 0;
    std::uint32_t local_bytes = 0;            // per thread, of this function alone
    std::uint32_t dynamic_shared_offset = 0;  // where dynamic shared memory begins
    std::uint32_t slots = 0;                  // counters: blocks first, then guarded instructions
    std::vector<std::uint32_t> cost;          // per instruction: index of Program::costs
    std::vector<std::uint32_t> slot_of;       // counter of each instruction, from the function's first on
    std::vector<BlockCost> block_costs;
    std::vector<UnrolledLoop> unrolled;
    std::vector<ptx::SourceLine> sources;  // per instruction; empty if the PTX does not say
    std::vector<Ahead> ahead_of;           // per instruction; of those that warps stop in front of
    std::vector<std::uint32_t> ahead;
    std::vector<ThreadsOf> threads_of;  // per instruction
    bool addresses_parameters = false;  // of the kernel, beyond naming them
    bool may_spin = false;              // it, or what it calls, may wait for what other threads do
    bool may_wait = false;              // or for what the host does: in a loop, it looks for what others have written
    bool looks = false;                 // it looks, maybe once
    bool calls_in_loop = false;
    std::string unsupported;
    KernelInfo info;  // entries only
};

class Program;
/// What a function calls may wait, or look in the loop around the call (waiting.cpp).
void find_waiting(Program& program);

class Program {
public:
    Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program();

    std::uint64_t id = 0;  // no other program of this process has it
    std::string origin;
    int target = 0;
    std::vector<std::string> files;  // of ptx::SourceLine
    std::vector<Code> functions;
    std::map<std::string, std::uint32_t, std::less<>> function_index;
    std::map<std::string, Variable, std::less<>> variables;
    std::map<const ptx::Function*, SharedLayout> shared;  // while decoding
    bool launches = false;                                // some function launches kernels
    bool reserved_shared = false;                         // some function uses the shared memory that is reserved
    bool knows_sms = false;                               // some function reads which SM it is on, or that one's clock
    std::vector<Cost> costs;                              // each once
    std::vector<std::span<const Expansion>> expansions;   // of each cost; empty where it has none
    std::vector<const void*> registered;                  // reserved in `memory`, for variables
    DeviceMemory* memory = nullptr;
};

/// Generic addresses: windows that no host pointer can be in.
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 56;
inline constexpr std::uint64_t local_window = std::uint64_t{2} << 56;
inline constexpr std::uint64_t function_window = std::uint64_t{3} << 56;
inline constexpr std::uint64_t window_mask = std::uint64_t{0xFF} << 56;

/// Addresses of shared memory of a cluster have one more than the block's rank above the offset; 0: the block's own.
inline constexpr std::uint32_t rank_shift = 24;
inline constexpr std::uint32_t shared_offset_mask = (std::uint32_t{1} << rank_shift) - 1;
/// Shared memory that is kept for cooperative groups (reserved_smem_offset_1 and its like).
inline constexpr std::uint32_t reserved_shared_bytes = 1024;

}  // namespace gpuproj::simulate
