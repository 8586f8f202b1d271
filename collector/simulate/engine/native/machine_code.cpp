#include "collector/simulate/engine/native/machine_code.hpp"

#include <cpuid.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "collector/simulate/engine/draft.hpp"
#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate {

namespace {

using native::Emitter;
using native::Step;

// clang 16's __builtin_cpu_supports does not know it.
bool has_f16c() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

/// What the code uses of the processor.
bool has_instructions() {
    static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                            __builtin_cpu_supports("popcnt") != 0 && has_f16c();
    return has;
}

/// A run of instructions that there is code for, all in one block.
struct Run {
    std::uint32_t first = 0, end = 0;
    std::uint32_t block = 0;
    bool with_entry = false, with_branch = false;  // of the block: they are part of the code
};

Emitter::Emit find_emit(const DraftInst& item, const Emitter& emitter) {
    if (item.flow != Flow::next) return nullptr;
    const Spec& spec = item.spec;
    // Who looks for what others write has to give way.
    if (!item.looks) {
        if (const auto emit = native::find_memory(spec, item.inst)) return emit;
    }
    if (item.may_pause) return nullptr;
    if (const auto emit = native::find_parameter(spec, item.inst)) return emit;
    if (const auto emit = native::find_move(spec, item.inst)) return emit;
    if (const auto emit = native::find_conversion(spec, item.inst)) return emit;
    if (const auto emit = native::find_half_conversion(spec, item.inst)) return emit;
    if (const auto emit = native::find_integer(spec, item.inst, emitter)) return emit;
    return native::find_floating(spec, item.inst);
}

Step step_of(Draft& draft, std::size_t i) {
    DraftInst& item = draft.instructions[i];
    Step step{&draft.code.instructions[i], &item.spec, {}, {}};
    for_refs(draft, item, [&](Ref ref, bool read, bool written) {
        if (read) step.reads.push_back(ref);
        if (written) step.writes.push_back(ref);
    });
    return step;
}

/// For each of a block's runs, which are in order, what is read behind it before it is written, there or beyond: one
/// walk back over the block.
std::vector<std::set<Ref>> alive_behind(const Draft& draft, const std::vector<Step>& steps, std::span<const Run> runs) {
    std::vector<std::set<Ref>> found(runs.size());
    const std::uint32_t block = runs.front().block;
    const std::vector<Ref>& out = draft.alive_behind.at(block);
    std::set<Ref> alive(out.begin(), out.end());
    std::uint32_t i = draft.code.blocks[block].last;
    for (std::size_t r = runs.size(); r-- > 0;) {
        for (; i-- > runs[r].end;) {
            for (const Ref ref : steps[i].writes) alive.erase(ref);
            for (const Ref ref : steps[i].reads) alive.insert(ref);
        }
        ++i;
        found[r] = alive;
    }
    return found;
}

/// What the run that is being found has accessed. Octets go through a run one after the other, while the lanes of a
/// warp load, or store, together: what one stores must not be loaded by another in the same run, and of several stores
/// none may go where another does.
class Moves {
public:
    /// Whether an instruction may come into the run behind what it has; then it is in.
    bool take(const Step& step) {
        const Inst& inst = *step.inst;
        const native::Accesses next = native::accesses_of(*step.spec, inst);
        if (next.any) {
            constexpr std::size_t most = 12;
            if (count_ == most || (count_ > 0 && next.store != last_.store)) return false;
            // Behind an access of device memory others have their turn, and may change what is shared.
            if (count_ > 0 && next.shared && !last_.shared) return false;
            const Range there{static_cast<std::uint64_t>(inst.imm),
                              static_cast<std::uint64_t>(inst.imm) + std::uint64_t{inst.bytes} * inst.count};
            if (next.store && count_ > 0) {
                if (!same_base_ || next.shared != last_.shared || inst.a != base_ || !inst.has_base) return false;
                for (const Range& other : stored_)
                    if (there.begin < other.end && other.begin < there.end) return false;
            }
            if (next.store) stored_.push_back(there);
            base_ = inst.a;
            same_base_ = inst.has_base;
            last_ = next;
            ++count_;
        } else {
            same_base_ = same_base_ && std::ranges::find(step.writes, base_) == step.writes.end();
        }
        return true;
    }
    bool any() const { return count_ > 0; }

private:
    std::size_t count_ = 0;
    native::Accesses last_;
    Ref base_ = no_ref;
    bool same_base_ = false;     // since the last access
    std::vector<Range> stored_;  // from the base
};

/// Finds the runs of a block that are worth it.
void find_runs(const Draft& draft, std::uint32_t block, const std::vector<Step>& steps,
               const std::vector<Emitter::Emit>& emits, std::uint32_t shortest, std::vector<Run>& runs) {
    // More would keep too many values in view.
    constexpr std::uint32_t longest = 256;
    const std::uint32_t begin = draft.code.blocks[block].first, last = draft.code.blocks[block].last;
    const auto guarded = [&](std::uint32_t i) { return steps[i].inst->guard != no_ref; };
    const auto is_access = [&](std::uint32_t i) { return native::accesses_of(*steps[i].spec, *steps[i].inst).any; };
    for (std::uint32_t first = begin + 1; first < last;) {
        // A guard is looked at before the handler is called.
        if (emits[first] == nullptr || guarded(first)) {
            ++first;
            continue;
        }
        Run run{first, first, block};
        Moves moves;
        while (run.end < last && emits[run.end] != nullptr && run.end - first < longest && moves.take(steps[run.end]))
            ++run.end;
        if (run.end < last && emits[run.end] != nullptr && guarded(run.end)) {
            // The next run begins with what comes before, which has no guard.
            std::uint32_t end = run.end - 1;
            while (end > first && guarded(end) && !is_access(end)) --end;
            if (end > first && !guarded(end) && !is_access(end)) run.end = end;
        }
        first = run.end;
        run.with_entry = run.first == begin + 1 && draft.instructions[begin].inst.mode == 0;
        run.with_branch = run.end + 1 == last && draft.instructions[run.end].flow == Flow::branch;
        const std::uint32_t length = run.end - run.first + (run.with_entry ? 1 : 0) + (run.with_branch ? 1 : 0);
        if (length >= (moves.any() ? 1 : shortest)) runs.push_back(run);
    }
}

void make_code(Draft& draft, std::uint32_t shortest) {
    auto emitter = std::make_shared<Emitter>(draft.code.lists, draft.code.constants);
    std::vector<Emitter::Emit> emits(draft.instructions.size());
    for (std::size_t i = 0; i < emits.size(); ++i) emits[i] = find_emit(draft.instructions[i], *emitter);
    std::vector<Run> runs;
    std::vector<Step> steps;
    steps.reserve(draft.instructions.size());
    for (std::size_t i = 0; i < draft.instructions.size(); ++i) steps.push_back(step_of(draft, i));
    for (std::uint32_t b = 0; b < draft.code.blocks.size(); ++b) find_runs(draft, b, steps, emits, shortest, runs);
    if (runs.empty()) return;

    Inst* const instructions = draft.code.instructions.data();  // they stay where they are
    const auto entry_of = [&](const Run& run) { return instructions + draft.code.blocks[run.block].first; };
    // The entries that no run begins with get code as well, so that what comes there from code need not return first.
    std::vector<bool> has_entry(draft.code.blocks.size());
    for (const Run& run : runs) has_entry[run.block] = has_entry[run.block] || run.with_entry;
    std::vector<std::pair<Inst*, std::size_t>> entries;
    for (std::uint32_t b = 0; b < draft.code.blocks.size(); ++b) {
        Inst* const entry = instructions + draft.code.blocks[b].first;
        if (entry->mode == 0) emitter->announce(entry);
        if (entry->mode == 0 && !has_entry[b]) entries.emplace_back(entry, 0);
    }
    for (const Run& run : runs) emitter->announce_run(instructions + run.first);
    std::vector<Emitter::Begin> begins;
    const auto make = [&](const Run& run, const std::set<Ref>& alive) {
        native::Around around{instructions + run.end, nullptr, nullptr, nullptr};
        if (run.with_entry) around.entry = entry_of(run);
        if (run.with_branch) {
            around.branch = around.behind;
            around.target = instructions + around.branch->target;
        }
        const std::size_t count = run.end - run.first;
        begins.push_back(emitter->make(std::span(steps).subspan(run.first, count),
                                       std::span(emits).subspan(run.first, count), alive, around,
                                       entry_of(run)->handler));
    };
    for (std::size_t first = 0; first < runs.size();) {
        std::size_t end = first;
        while (end < runs.size() && runs[end].block == runs[first].block) ++end;
        const std::span of_block = std::span(runs).subspan(first, end - first);
        const std::vector<std::set<Ref>> alive = alive_behind(draft, steps, of_block);
        for (std::size_t r = 0; r < of_block.size(); ++r) make(of_block[r], alive[r]);
        first = end;
    }
    for (auto& [entry, place] : entries) place = emitter->make_entry(*entry, entry->handler);
    emitter->finish();
    const auto code_at = [&](std::size_t place) {
        return reinterpret_cast<Handler>(  // NOLINT(performance-no-int-to-ptr)
            reinterpret_cast<std::uintptr_t>(emitter->getCode()) + place);
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
        instructions[runs[i].first].handler = code_at(begins[i].run);
        if (runs[i].with_entry) entry_of(runs[i])->handler = code_at(begins[i].entry);
    }
    for (const auto& [entry, place] : entries) entry->handler = code_at(place);
    draft.code.machine_code = std::move(emitter);
}

}  // namespace

void make_machine_code(Draft& draft, MachineCode wanted) {
    if (wanted == MachineCode::none || !has_instructions()) return;
    // For fewer, what it takes to begin and to end is no less than what is saved.
    constexpr std::uint32_t usual = 3;
    try {
        make_code(draft, wanted == MachineCode::all ? 1 : usual);
    } catch (const Xbyak::Error&) {
        // No memory for code, or none that may be executed: handlers do it all.
    }
}

}  // namespace gpuproj::simulate
