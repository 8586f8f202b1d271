// A function while it is being decoded: operands are still virtual registers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/simulate/engine/handlers/spec.hpp"
#include "collector/simulate/engine/program.hpp"
#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate {

// Draft Refs: a frame offset (an area), a virtual register, or an index of the constant pool.
inline constexpr Ref virtual_bit = 0x40000000U;
inline constexpr bool is_virtual(Ref ref) {
    return (ref & (virtual_bit | constant_bit)) == virtual_bit && ref != no_ref;
}
inline constexpr bool is_constant(Ref ref) {
    return (ref & constant_bit) != 0;
}
inline constexpr std::uint32_t index_of(Ref ref) {
    return ref & 0x3FFFFFFFU;
}
inline constexpr Ref virtual_ref(std::uint32_t index) {
    return index | virtual_bit;
}

enum class Flow : std::uint8_t { next, branch, indexed, leave, call };

struct DraftInst {
    Inst inst;
    Spec spec;
    Cost cost;
    std::string_view opcode;
    ptx::SourceLine source;
    // Which operand fields are read and written; a, b, c and guard are always read.
    bool d_read = false, d_written = true, e_read = false, e_written = false;
    bool list_written = false;  // the list holds destinations
    Flow flow = Flow::next;
    std::string_view label;              // branch target
    std::vector<std::uint32_t> targets;  // of an indexed branch: draft instruction indices
    // For merging: a shared, global or constant load of `bytes` x `count` at base + imm.
    std::vector<std::pair<std::uint32_t, bool>> list_refs;  // places in Code::lists, and whether they are written
    bool load = false, store = false;
    bool may_pause = false;  // the warp may stop behind it, for others to have their turn
    bool looks = false;      // for what others may have written, the host among them
    ptx::Space space = ptx::Space::none;
    LoadChains load_chains;               // of the run that begins here, if one does
    bool not_unrolled = false;            // nor is the loop around it
    bool speculated = false;              // by all lanes that come to the branch in front of it (predicate.cpp)
    std::optional<std::uint32_t> shared;  // index of Draft::unrolled: several rounds have one of it
    std::optional<std::uint32_t> shared_variable;  // the address of the one in shared memory that it names
};

/// A loop of which ptxas puts several rounds behind each other.
struct UnrolledDraft {
    std::uint32_t first = 0, last = 0;  // as of TextLoop, until instructions are put in between
    std::uint32_t rounds = 1;
    bool known_trips = false;              // how often it runs does not depend on what the kernel is given
    float one_after_other = 0;             // as in LoadChains, of as many rounds, over their number
    std::uint32_t block = 0;               // the first
    std::vector<std::uint32_t> from = {};  // blocks that lead into it
};

struct Draft {
    Code code;
    std::vector<std::uint8_t> width;  // bytes per lane of each virtual register; predicates 0
    std::vector<DraftInst> instructions;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> constants;  // bits, bytes per lane
    std::uint32_t area_bytes = 0;                                    // of the frame, before the registers
    std::map<std::string_view, std::uint32_t> labels;                // name to draft instruction index
    std::vector<std::vector<Ref>> alive_behind;  // by block: registers that are read later, once they have places
    struct OfBlock {
        std::uint32_t block;
        Cost cost;
        float times;
    };
    std::vector<OfBlock> block_costs;  // besides those of instructions
    std::vector<UnrolledDraft> unrolled;
};

/// The first part of the opcode: "setp" of setp.lt.s32.
inline std::string_view root_of(const DraftInst& item) {
    return item.opcode.substr(0, item.opcode.find('.'));
}

inline bool is_barrier(const DraftInst& item) {
    return root_of(item) == "bar" || root_of(item) == "barrier";
}

/// A fetch, or the load of its handle in front of it, which is of the same instruction of the program.
inline bool is_texture_instruction(const DraftInst& item) {
    return root_of(item) == "tex" || root_of(item) == "tld4";
}
inline bool fetches_texture(const DraftInst& item) {
    return is_texture_instruction(item) && item.spec.op != Op::ld_global;
}

/// By instruction, and one behind the last: whether a label stands in front of it.
inline std::vector<bool> labelled_places(const Draft& draft) {
    std::vector<bool> labelled(draft.instructions.size() + 1);
    for (const auto& [name, at] : draft.labels) labelled[at] = true;
    return labelled;
}

/// Once there are blocks: whether the one with this entry is a way out, nothing else.
inline bool only_leaves(const Draft& draft, std::uint32_t entry) {
    return draft.instructions[entry + 1].flow == Flow::leave;
}

/// Calls f(ref, read, written) for every operand of an instruction, lists included.
template <class F>
void for_refs(Draft& draft, DraftInst& item, F&& f) {
    // NOLINTBEGIN(misc-const-correctness): f may write what it is given
    Inst& inst = item.inst;
    const bool guarded = inst.guard != no_ref;
    // A guarded write keeps the old value in some lanes, so it reads it too.
    if (inst.d != no_ref) f(inst.d, item.d_read || (item.d_written && guarded), item.d_written);
    if (inst.a != no_ref) f(inst.a, true, false);
    if (inst.b != no_ref) f(inst.b, true, false);
    if (inst.c != no_ref) f(inst.c, true, false);
    if (inst.e != no_ref) f(inst.e, item.e_read || (item.e_written && guarded), item.e_written);
    if (guarded) f(inst.guard, true, false);
    for (const auto& [place, written] : item.list_refs) {
        Ref& ref = draft.code.lists[place];
        if (ref != no_ref) f(ref, !written || guarded, written);
    }
    if (item.inst.count > 1) {
        for (std::uint32_t i = 0; i < item.inst.count; ++i) {
            Ref& ref = draft.code.lists[inst.list + i];
            if (ref != no_ref) f(ref, !item.list_written || guarded, item.list_written);
        }
    }
    // NOLINTEND(misc-const-correctness)
}

/// Whether the function may wait for the host: it looks in a loop (waiting.cpp).
void find_looking(Draft& draft);
/// By virtual register: whether the lanes of a warp may have different values in it. What is the same for all follows
/// from kernel parameters, constants and the block. Variables of loops that lanes leave at different times are taken
/// for the same, too, which ptxas knows better (lane_values.cpp).
std::vector<bool> differing_registers(Draft& draft);
/// By block: whether a warp may be there with some of the lanes that are still in the kernel only. `differs`: as above.
std::vector<bool> parted_blocks(Draft& draft, const std::vector<bool>& differs);
/// Marks atomic operations of which ptxas makes one for a warp (joined_atomics.cpp).
void find_joined_atomics(Draft& draft);
/// Adjacent loads become one wide access, as the assembler makes them (merge.cpp).
void merge_adjacent(Draft& draft);
/// Costs of what the assembler folds together (fold.cpp).
void fold_costs(Draft& draft);
/// From where a branch leads back to, to that branch: indices of instructions, both of the loop.
struct TextLoop {
    std::uint32_t first, last;
    bool has(std::uint32_t i) const { return first <= i && i <= last; }
};
/// One for each branch back (loops.cpp).
std::vector<TextLoop> loops_of(const Draft& draft);
/// From the block that a branch leads back to, to that of the branch.
struct BlockLoop {
    std::uint32_t first, last;
};
/// One for each way back from a block to itself or one before it, by where they end (loops.cpp).
std::vector<BlockLoop> loops_of(std::span<const BasicBlock> blocks);
/// The blocks from which a loop is entered (loops.cpp).
std::vector<std::uint32_t> blocks_in_front(std::span<const BasicBlock> blocks, const BlockLoop& loop);
/// Loads from constant memory of what is the same in every round cost nothing: ptxas takes them out, also out of
/// conditions, in which nvcc left them (loops.cpp).
void hoist_constants(Draft& draft);
/// Branches over so little that the assembler makes conditions of them cost nothing (predicate.cpp).
void predicate_branches(Draft& draft);
/// Which loops ptxas unrolls, and what their rounds share; once it is known which branches are conditions
/// (unrolled_loops.cpp).
void find_unrolled_loops(Draft& draft);
/// Once there are blocks: where unrolled loops are entered, and what that costs.
void enter_unrolled_loops(Draft& draft);
/// Global, local and texture memory, and what may be: what leaves the SM (memory_tasks.cpp).
bool leaves_the_sm(const DraftInst& item);
bool loads_from_afar(const DraftInst& item);
/// What loads wait for each other; once it is known which branches are conditions (load_chains.cpp).
void find_load_chains(Draft& draft);
/// Marks the accesses at which a run of memory instructions begins (memory_tasks.cpp).
void mark_memory_tasks(Draft& draft);
/// Whether ptxas makes a subroutine for some of its operands (slow_ways.cpp).
bool has_slow_way(const DraftInst& item);
/// In front of quotients, reciprocals and roots: what counts the lanes that take their slow way (slow_ways.cpp).
void count_slow_ways(Draft& draft);
/// Basic blocks with their entries, reconvergence points, final indices of branches (flow.cpp).
void build_blocks(Draft& draft);
/// Jumps that machine code does not have cost nothing, once there are blocks (jumps.cpp).
void drop_jumps(Draft& draft);
/// Costs of what says where the ways of a branch meet (meetings.cpp).
void mark_meetings(Draft& draft);
/// Loads of constants through a register cost what the table has of those for all lanes at once, where they are such;
/// once there are blocks (uniform_loads.cpp).
void mark_uniform_loads(Draft& draft);
/// Copies of coordinates, and what waits for several fetches; once there are blocks (fetches.cpp).
void find_fetch_costs(Draft& draft);
/// What it costs to begin a kernel, and to have constants where they are needed (constant_uses.cpp,
/// constant_loads.cpp).
void find_constant_loads(Draft& draft);
/// Virtual registers to frame offsets; registers per thread (allocate.cpp).
void allocate_registers(Draft& draft);

}  // namespace gpuproj::simulate
