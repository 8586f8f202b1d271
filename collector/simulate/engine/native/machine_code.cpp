#include "collector/simulate/engine/native/machine_code.hpp"

#include <cpuid.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "collector/simulate/engine/decode/draft.hpp"
#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate {

struct Uncoded {
    struct Item {
        Spec spec;
        Flow flow = Flow::next;
        bool may_pause = false, looks = false;
        std::uint32_t reads = 0, writes = 0, end = 0;  // where they begin in `refs`, one behind the other
    };
    std::vector<Item> items;  // of the instructions
    std::vector<Ref> refs;
    std::vector<std::vector<Ref>> alive_behind;  // as Draft has it
    std::uint32_t shortest = 1;                  // run that is worth it, in instructions
};

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

Emitter::Emit find_emit(const Uncoded::Item& item, const Inst& inst, const Emitter& emitter) {
    if (item.flow != Flow::next) return nullptr;
    const Spec& spec = item.spec;
    // Who looks for what others write has to give way.
    if (!item.looks) {
        if (const auto emit = native::find_memory(spec, inst)) return emit;
    }
    if (item.may_pause) return nullptr;
    if (const auto emit = native::find_slow_way(spec)) return emit;
    if (const auto emit = native::find_parameter(spec, inst)) return emit;
    if (const auto emit = native::find_move(spec, inst)) return emit;
    if (const auto emit = native::find_conversion(spec, inst)) return emit;
    if (const auto emit = native::find_half_conversion(spec, inst)) return emit;
    if (const auto emit = native::find_integer(spec, inst, emitter)) return emit;
    return native::find_floating(spec, inst);
}

Step step_of(const Code& code, const Uncoded& uncoded, std::size_t i) {
    const Uncoded::Item& item = uncoded.items[i];
    const auto refs = [&](std::uint32_t first, std::uint32_t end) {
        return std::vector<Ref>(uncoded.refs.begin() + first, uncoded.refs.begin() + end);
    };
    return {&code.instructions[i], &item.spec, refs(item.reads, item.writes), refs(item.writes, item.end)};
}

/// For each of a block's runs, which are in order, what is read behind it before it is written, there or beyond: one
/// walk back over the block.
std::vector<std::set<Ref>> alive_behind(const Code& code, const Uncoded& uncoded, const std::vector<Step>& steps,
                                        std::span<const Run> runs) {
    std::vector<std::set<Ref>> found(runs.size());
    const std::uint32_t block = runs.front().block;
    const std::vector<Ref>& out = uncoded.alive_behind.at(block);
    std::set<Ref> alive(out.begin(), out.end());
    std::uint32_t i = code.blocks[block].last;
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

/// What the run that is being found has accessed. Octets go through a run one after the other (through all of it
/// between two stores, Emitter::end_of_pass), while the lanes of a warp load together: what one stores must not be
/// loaded by another in the same run.
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
            if (next.store && count_ > 0) {
                if (!same_base_ || next.shared != last_.shared || inst.a != base_ || !inst.has_base) return false;
            }
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
    bool same_base_ = false;  // since the last access
};

/// Finds the runs of a block that are worth it.
void find_runs(const Code& code, const Uncoded& uncoded, std::uint32_t block, const std::vector<Step>& steps,
               const std::vector<Emitter::Emit>& emits, std::vector<Run>& runs) {
    // More would keep too many values in view.
    constexpr std::uint32_t longest = 256;
    const std::uint32_t begin = code.blocks[block].first, last = code.blocks[block].last;
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
        run.with_entry = run.first == begin + 1 && code.instructions[begin].mode == 0;
        run.with_branch = run.end + 1 == last && uncoded.items[run.end].flow == Flow::branch;
        const std::uint32_t length = run.end - run.first + (run.with_entry ? 1 : 0) + (run.with_branch ? 1 : 0);
        if (length >= (moves.any() ? 1 : uncoded.shortest)) runs.push_back(run);
    }
}

void make_code(Code& code, const Uncoded& uncoded) {
    auto emitter = std::make_shared<Emitter>(code.lists, code.constants);
    std::vector<Emitter::Emit> emits(code.instructions.size());
    for (std::size_t i = 0; i < emits.size(); ++i)
        emits[i] = find_emit(uncoded.items[i], code.instructions[i], *emitter);
    std::vector<Run> runs;
    std::vector<Step> steps;
    steps.reserve(code.instructions.size());
    for (std::size_t i = 0; i < emits.size(); ++i) steps.push_back(step_of(code, uncoded, i));
    for (std::uint32_t b = 0; b < code.blocks.size(); ++b) find_runs(code, uncoded, b, steps, emits, runs);
    if (runs.empty()) return;

    Inst* const instructions = code.instructions.data();  // they stay where they are
    const auto entry_of = [&](const Run& run) { return instructions + code.blocks[run.block].first; };
    // The entries that no run begins with get code as well, so that what comes there from code need not return first.
    std::vector<bool> has_entry(code.blocks.size());
    for (const Run& run : runs) has_entry[run.block] = has_entry[run.block] || run.with_entry;
    std::vector<std::pair<Inst*, std::size_t>> entries;
    for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
        Inst* const entry = instructions + code.blocks[b].first;
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
        const std::vector<std::set<Ref>> alive = alive_behind(code, uncoded, steps, of_block);
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
    code.machine_code = std::move(emitter);
}

}  // namespace

std::shared_ptr<const Uncoded> before_machine_code(Draft& draft, MachineCode wanted) {
    if (wanted == MachineCode::none || !has_instructions()) return nullptr;
    // For fewer, what it takes to begin and to end is no less than what is saved.
    constexpr std::uint32_t usual = 3;
    auto uncoded = std::make_shared<Uncoded>();
    uncoded->shortest = wanted == MachineCode::all ? 1 : usual;
    uncoded->alive_behind = std::move(draft.alive_behind);
    uncoded->items.reserve(draft.instructions.size());
    std::vector<Ref>& refs = uncoded->refs;
    const auto place = [&] { return static_cast<std::uint32_t>(refs.size()); };
    for (DraftInst& item : draft.instructions) {
        Uncoded::Item kept{item.spec, item.flow, item.may_pause, item.looks, place(), 0, 0};
        for_refs(draft, item, [&](Ref ref, bool read, bool) {
            if (read) refs.push_back(ref);
        });
        kept.writes = place();
        for_refs(draft, item, [&](Ref ref, bool, bool written) {
            if (written) refs.push_back(ref);
        });
        kept.end = place();
        uncoded->items.push_back(kept);
    }
    return uncoded;
}

void make_machine_code(Code& code) {
    const auto uncoded = std::exchange(code.uncoded, nullptr);
    if (!uncoded) return;
    try {
        make_code(code, *uncoded);
    } catch (const Xbyak::Error&) {
        // No memory for code, or none that may be executed: handlers do it all.
    }
}

}  // namespace gpuproj::simulate
