// The code of a run: eight lanes after the other, what goes before and behind, the way on.
#include "collector/simulate/engine/native/emitter.hpp"

#include <cstddef>
#include <type_traits>

#include "collector/simulate/engine/branch_mode.hpp"
#include "collector/simulate/engine/native/registers.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::native {

namespace {

static_assert(std::is_standard_layout_v<RunningWarp>);

/// As vpermd wants them, to bring lanes into order after packing within halves.
std::array<std::uint8_t, 32> octets_in_order() {
    std::array<std::uint8_t, 32> bytes{};
    constexpr std::array<std::uint8_t, 8> order{0, 4, 1, 5, 2, 6, 3, 7};
    for (std::size_t i = 0; i < order.size(); ++i) bytes[4 * i] = order[i];
    return bytes;
}

/// The most predicates that an instruction writes.
std::uint32_t predicates_of(const Step& step) {
    switch (step.spec->op) {
        case Op::setp:
            return 2;
        case Op::add_cc:
        case Op::sub_cc:
        case Op::mad_lo_cc:
            return 1;
        default:
            return step.spec->type == ptx::Type::pred ? 1 : 0;
    }
}

}  // namespace

Emitter::Emitter(std::span<const Ref> lists, std::span<const std::byte> constant_pool)
    : Xbyak::CodeGenerator(Xbyak::DEFAULT_MAX_CODE_SIZE, Xbyak::AutoGrow), lists_(lists), constants_(constant_pool) {}

void Emitter::finish() {
    if (!recorded_.empty()) make_slow_access();
    align(octet_bytes);
    for (auto& [bytes, label] : vectors_) {
        L(label);
        for (const std::uint8_t value : bytes) db(value);
    }
    readyRE();
}

void Emitter::load_pointers() {
    mov(frame, ptr[warp + offsetof(RunningWarp, frame)]);
    mov(constants, ptr[warp + offsetof(RunningWarp, constants)]);
    mov(active, ptr[warp + offsetof(RunningWarp, active)]);
}

Emitter::Begin Emitter::make(std::span<const Step> steps, std::span<const Emit> emits, const std::set<Ref>& alive,
                             const Around& around, Handler entry_handler) {
    events_.clear();
    slots_.clear();
    alive_ = &alive;
    std::uint32_t predicates = 0;
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
        for (const Ref ref : steps[i].reads) events_[ref].push_back({i, true, false});
        for (const Ref ref : steps[i].writes) {
            auto& events = events_[ref];
            if (!events.empty() && events.back().step == i)
                events.back().writes = true;
            else
                events.push_back({i, false, true});
        }
        predicates += predicates_of(steps[i]);
    }
    slow_at_.clear();
    std::uint32_t slow_bytes = 0;
    for (const Step& step : steps) {
        if (!is_slow_way(step.spec->op)) continue;
        slow_at_.emplace(step.inst, predicates * slot_bytes + slow_bytes);
        slow_bytes += octets;
    }
    const std::uint32_t slow_slots = (slow_bytes + slot_bytes - 1) / slot_bytes;

    align(16);
    Begin begin;
    if (around.entry != nullptr) {
        begin.entry = getSize();
        enter_block(*around.entry, entry_handler);
    }
    begin.run = getSize();
    if (const auto start = starts_.find(steps.front().inst); start != starts_.end()) L(start->second);
    const std::uint32_t stack = place_accesses(steps, (predicates + slow_slots) * slot_bytes);
    const bool records = !recorded_at_.empty();
    if (records) {
        for (const Xbyak::Reg64& kept : {address, ranges, taking_part_bits}) push(kept);
    }
    if (stack != 0) sub(rsp, stack);
    if (moves_) mov(ranges, ptr[warp + offsetof(RunningWarp, ranges)]);
    load_pointers();
    Xbyak::Label some_lanes, end, fault;
    const auto restore_stack = [&] {
        if (stack != 0) add(rsp, stack);
        if (records) {
            for (const Xbyak::Reg64& kept : {taking_part_bits, ranges, address}) pop(kept);
        }
    };
    cmp(active, -1);
    jne(some_lanes, T_NEAR);
    all_lanes_ = true;
    body(steps, emits);
    jmp(end, T_NEAR);
    L(some_lanes);
    all_lanes_ = false;
    body(steps, emits);
    L(end);
    if (records) count_accesses();
    restore_stack();
    leave(around);
    slow_ways(fault);
    if (records) {
        L(fault);
        restore_stack();
        vzeroupper();
        ret();
    }
    return begin;
}

std::size_t Emitter::make_entry(const Inst& entry, Handler entry_handler) {
    align(16);
    const std::size_t begin = getSize();
    moves_ = false;
    enter_block(entry, entry_handler);
    go_to(&entry + 1);
    return begin;
}

/// What block_entry (handlers/control.cpp) does where no paths meet and the warp need not give way.
void Emitter::enter_block(const Inst& entry, Handler otherwise) {
    const auto instructions = static_cast<std::uint32_t>(entry.imm);
    const std::uint32_t counter = entry.target * static_cast<std::uint32_t>(sizeof(std::uint64_t));
    Xbyak::Label go_on, give_way;
    L(entries_[&entry]);
    mov(eax, ptr[warp + offsetof(RunningWarp, budget)]);
    sub(eax, instructions);
    js(give_way, T_NEAR);
    mov(ptr[warp + offsetof(RunningWarp, budget)], eax);
    mov(rax, ptr[warp + offsetof(RunningWarp, warp_counts)]);
    inc(qword[rax + counter]);
    popcnt(ecx, dword[warp + offsetof(RunningWarp, active)]);
    mov(rax, ptr[warp + offsetof(RunningWarp, thread_counts)]);
    add(ptr[rax + counter], rcx);
    mov(rax, ptr[warp + offsetof(RunningWarp, clock)]);
    add(qword[rax], instructions);
    jmp(go_on, T_NEAR);
    L(give_way);
    vzeroupper();
    mov(rsi, reinterpret_cast<std::uint64_t>(&entry));
    lea(rax, ptr[rsi + sizeof(Inst)]);
    mov(ptr[warp + offsetof(RunningWarp, pc)], rax);
    mov(rax, reinterpret_cast<std::uint64_t>(otherwise));
    jmp(rax);
    L(go_on);
}

/// To an instruction, whose code may be gone on with, but for a warp that gives way.
void Emitter::go_to(const Inst* pc) {
    if (!moves_) {
        if (const auto entry = entries_.find(pc); entry != entries_.end()) return jmp(entry->second, T_NEAR);
        if (const auto start = starts_.find(pc); start != starts_.end()) return jmp(start->second, T_NEAR);
    }
    mov(rax, reinterpret_cast<std::uint64_t>(pc));
    mov(ptr[warp + offsetof(RunningWarp, pc)], rax);
    vzeroupper();
    ret();
}

void Emitter::leave(const Around& around) {
    if (around.branch == nullptr) return go_to(around.behind);
    const Inst& branch = *around.branch;
    const bool conditions = branch.mode == branch_of_predicates;
    // Whether others are on the other way only the stack of paths knows.
    if (branch.guard == no_ref) return go_to(conditions ? &branch : around.target);
    Xbyak::Label none, some;
    mov(eax, ptr[((branch.guard & constant_bit) != 0 ? constants : frame) +
                 static_cast<std::size_t>(branch.guard & ~constant_bit)]);
    if (branch.guard_negated) not_(eax);
    and_(eax, active);
    jz(none, T_NEAR);
    cmp(eax, active);
    jne(some, T_NEAR);
    popcnt(eax, eax);
    mov(rcx, ptr[warp + offsetof(RunningWarp, thread_counts)]);
    add(ptr[rcx + sizeof(std::uint64_t) * branch.slot], rax);
    if (conditions) {
        mov(rcx, ptr[warp + offsetof(RunningWarp, warp_counts)]);
        for (std::uint32_t block = (&branch + 1)->target; block < around.target->target; ++block)
            inc(qword[rcx + sizeof(std::uint64_t) * block]);
    }
    go_to(around.target);
    L(some);
    go_to(&branch);
    L(none);
    go_to(&branch + 1);
}

void Emitter::body(std::span<const Step> steps, std::span<const Emit> emits) {
    spilled_.clear();
    if (!all_lanes_) {  // of octets without an active lane
        for (const auto& slow : slow_at_) mov(dword[rsp + slow.second], 0);
    }
    const auto last = static_cast<std::uint32_t>(steps.size());
    for (std::uint32_t first = 0; first < last;) {
        const std::uint32_t end = end_of_pass(first, last);
        pass(steps, emits, first, end);
        first = end;
    }
    gather_predicates();
    gather_slow();
}

/// All lanes of a warp have stored before any makes the next store, which may go where another lane's went.
std::uint32_t Emitter::end_of_pass(std::uint32_t first, std::uint32_t last) const {
    const auto next_store = [&](std::uint32_t from) {
        auto access = recorded_at_.lower_bound(from);
        while (access != recorded_at_.end() && !access->second->store) ++access;
        return access == recorded_at_.end() ? last : access->first;
    };
    const std::uint32_t store = next_store(first);
    return store == last || next_store(store + 1) == last ? last : store + 1;
}

/// Some of the steps, for one octet after the other. What later ones want of them is in its home behind it.
void Emitter::pass(std::span<const Step> steps, std::span<const Emit> emits, std::uint32_t first, std::uint32_t end) {
    places_.fill(Place{});
    Xbyak::Label again, next;
    if (!all_lanes_) mov(octet_active, active);
    xor_(ecx, ecx);
    xor_(edx, edx);
    xor_(esi, esi);
    L(again);
    if (!all_lanes_) {
        test(r11b, r11b);
        jz(next, T_NEAR);
        expand_bits(Ymm(idle_lanes), octet_active);
        vpxor(Ymm(idle_lanes), Ymm(idle_lanes), all(~0U));
    }
    for (at_ = first; at_ < end; ++at_) step(steps[at_], emits[at_]);
    for (int place = 0; place < static_cast<int>(places_.size()); ++place)
        if (places_[static_cast<std::size_t>(place)].dirty) store(place);
    L(next);
    add(ecx, octet_bytes);
    add(esi, octet_bytes / 2);
    if (!all_lanes_) shr(octet_active, 8);
    inc(edx);
    cmp(edx, octets);
    jb(again, T_NEAR);
}

void Emitter::step(const Step& step, Emit emit) {
    results_.clear();
    const Inst& of = *step.inst;
    std::optional<Ymm> guard;
    if (of.guard != no_ref) {
        guard = predicate(of.guard);
        count_guarded(step, *guard);
    }
    emit(*this, step);
    for (Result& result : results_) {
        auto& made = places_[static_cast<std::size_t>(result.place)];
        if (guard) {
            // Lanes whose guard does not hold keep what they have.
            const Ymm old = read(result.ref, result.kind, result.part, Nan::any);
            const Place& before = places_[static_cast<std::size_t>(old.getIdx())];
            made.known = result.known;
            if (before.known.nan != made.known.nan) {  // the bits of one of them count
                make_canonical(result.place);
                make_canonical(old.getIdx());
            }
            result.known = {made.known.nan, made.known.flushed && before.known.flushed};
            Ymm mask = *guard;
            if (result.kind == Kind::wide) {
                mask = Ymm(helper);
                widen(mask, *guard, result.part, true);
            }
            const Ymm value(result.place);
            if (of.guard_negated)
                vblendvps(value, value, old, mask);
            else
                vblendvps(value, old, value, mask);
        }
        if (const int old = find(result.ref, result.part); old >= 0) {
            auto& before = places_[static_cast<std::size_t>(old)];
            before = Place{};
            before.busy = true;  // it may be the guard, which the next result wants
        }
        made.ref = result.ref;
        made.kind = result.kind;
        made.part = result.part;
        made.dirty = true;
        made.known = result.known;
        spilled_.erase(result.ref);
    }
    for (Place& place : places_) {
        place.busy = false;
        if (place.ref == no_ref || needed(place.ref, at_ + 1) == never) place = Place{};
    }
}

/// The lanes whose guard holds are counted by the instruction, as run_warp does.
void Emitter::count_guarded(const Step& step, const Ymm& guard) {
    vmovmskps(eax, guard);
    if (step.inst->guard_negated) xor_(eax, 0xFF);
    if (!all_lanes_) and_(eax, octet_active);
    popcnt(eax, eax);
    push(rdx);
    mov(rdx, ptr[warp + offsetof(RunningWarp, thread_counts)]);
    add(ptr[rdx + sizeof(std::uint64_t) * step.inst->slot], rax);
    pop(rdx);
}

void Emitter::count_slow(const Step& step, const Ymm& ordinary) {
    const Ymm slow(helper);
    if (const auto lanes_on = taking_part(step)) {
        vpandn(slow, ordinary, *lanes_on);
    } else {
        invert(slow, ordinary);
    }
    vmovmskps(eax, slow);
    mov(byte[rsp + rdx + slow_at_.at(step.inst)], al);
}

/// As the handlers do it (handlers/slow_ways.cpp).
void Emitter::gather_slow() {
    for (const auto& [inst, at] : slow_at_) {
        Xbyak::Label none;
        mov(eax, dword[rsp + at]);
        test(eax, eax);
        jz(none);
        popcnt(eax, eax);
        mov(rcx, ptr[warp + offsetof(RunningWarp, thread_counts)]);
        add(ptr[rcx + sizeof(std::uint64_t) * inst->list], rax);
        mov(rcx, ptr[warp + offsetof(RunningWarp, warp_counts)]);
        inc(qword[rcx + sizeof(std::uint64_t) * inst->list]);
        L(none);
    }
}

/// From lanes on the stack to one bit each.
void Emitter::gather_predicates() {
    for (const auto& written : slots_) {
        const Ref ref = written.first;
        const std::uint32_t slot = written.second;
        const auto of_octet = [&](std::uint32_t octet) { return ptr[rsp + (slot + octet * octet_bytes)]; };
        vmovups(ymm0, of_octet(0));
        vpackssdw(ymm0, ymm0, of_octet(1));
        vmovups(ymm1, of_octet(2));
        vpackssdw(ymm1, ymm1, of_octet(3));
        vpacksswb(ymm0, ymm0, ymm1);
        vmovups(ymm1, vector(octets_in_order()));
        vpermd(ymm0, ymm1, ymm0);
        vpmovmskb(eax, ymm0);
        const Xbyak::Address word = ptr[frame + static_cast<std::size_t>(ref)];
        if (!all_lanes_) {
            mov(esi, word);
            xor_(eax, esi);
            and_(eax, active);
            xor_(eax, esi);
        }
        mov(word, eax);
    }
}

}  // namespace gpuproj::simulate::native
