#include "collector/simulate/engine/native/emitter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::native {

namespace {

using namespace Xbyak::util;  // NOLINT(google-build-using-namespace): the names of the registers

// Where the code keeps what it needs beside values, all of them registers that a function may change.
const Xbyak::Reg64 warp = rdi, frame = r8, constants = r9;
const Xbyak::Reg32 active = r10d;
// The octet's place in a register of words and of halves, and its number.
const Xbyak::Reg64 octet_words = rcx, octet_halves = rsi, octet_number = rdx;
const Xbyak::Reg32 octet_active = r11d;  // its active lanes in the lowest byte

constexpr std::uint32_t octets = 4, octet_bytes = 32, slot_bytes = octets * octet_bytes;

static_assert(std::is_standard_layout_v<RunningWarp>);

template <class T>
std::array<std::uint8_t, 32> repeated(T value) {
    std::array<std::uint8_t, 32> bytes{};
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) std::memcpy(bytes.data() + i, &value, sizeof(T));
    return bytes;
}
std::array<std::uint8_t, 32> bit_of_lane() {
    std::array<std::uint8_t, 32> bytes{};
    for (std::size_t lane = 0; lane < 8; ++lane) bytes[4 * lane] = static_cast<std::uint8_t>(1U << lane);
    return bytes;
}
/// As vpermd wants them, to bring lanes into order after packing within halves.
std::array<std::uint8_t, 32> octets_in_order() {
    std::array<std::uint8_t, 32> bytes{};
    constexpr std::array<std::uint8_t, 8> order{0, 4, 1, 5, 2, 6, 3, 7};
    for (std::size_t i = 0; i < order.size(); ++i) bytes[4 * i] = order[i];
    return bytes;
}
constexpr std::uint32_t machine_nan = 0x7FFFFFFFU;

}  // namespace

Emitter::Emitter(std::span<const Ref> lists, std::span<const std::byte> constant_pool)
    : Xbyak::CodeGenerator(Xbyak::DEFAULT_MAX_CODE_SIZE, Xbyak::AutoGrow), lists_(lists), constants_(constant_pool) {}

Xbyak::Address Emitter::vector(const std::array<std::uint8_t, 32>& bytes) {
    return ptr[rip + vectors_[bytes]];
}
Xbyak::Address Emitter::all(std::uint32_t word) {
    return vector(repeated(word));
}
Xbyak::Address Emitter::all_wide(std::uint64_t value) {
    return vector(repeated(value));
}

std::optional<std::uint32_t> Emitter::constant(Ref ref) const {
    if (ref == no_ref || (ref & constant_bit) == 0) return std::nullopt;
    std::uint32_t word = 0;
    std::memcpy(&word, constants_.data() + (ref & ~constant_bit), sizeof(word));
    return word;
}

void Emitter::finish() {
    align(octet_bytes);
    for (auto& [bytes, label] : vectors_) {
        L(label);
        for (const std::uint8_t value : bytes) db(value);
    }
    readyRE();
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
        predicates += static_cast<std::uint32_t>(steps[i].writes.size());
    }

    align(16);
    Begin begin;
    if (around.entry != nullptr) {
        begin.entry = getSize();
        enter_block(*around.entry, entry_handler);
    }
    begin.run = getSize();
    mov(frame, ptr[warp + offsetof(RunningWarp, frame)]);
    mov(constants, ptr[warp + offsetof(RunningWarp, constants)]);
    mov(active, ptr[warp + offsetof(RunningWarp, active)]);
    const std::uint32_t stack = predicates * slot_bytes;
    if (stack != 0) sub(rsp, stack);
    Xbyak::Label some_lanes, end;
    cmp(active, -1);
    jne(some_lanes, T_NEAR);
    all_lanes_ = true;
    body(steps, emits);
    jmp(end, T_NEAR);
    L(some_lanes);
    all_lanes_ = false;
    body(steps, emits);
    L(end);
    if (stack != 0) add(rsp, stack);
    leave(around);
    return begin;
}

std::size_t Emitter::make_entry(const Inst& entry, Handler entry_handler) {
    align(16);
    const std::size_t begin = getSize();
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

/// To an instruction, which may be a block whose code can be gone on with.
void Emitter::go_to(const Inst* pc) {
    if (const auto entry = entries_.find(pc); entry != entries_.end()) return jmp(entry->second, T_NEAR);
    mov(rax, reinterpret_cast<std::uint64_t>(pc));
    mov(ptr[warp + offsetof(RunningWarp, pc)], rax);
    vzeroupper();
    ret();
}

void Emitter::leave(const Around& around) {
    if (around.branch == nullptr) return go_to(around.behind);
    const Inst& branch = *around.branch;
    if (branch.guard == no_ref) return go_to(around.target);
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
    go_to(around.target);
    L(some);
    go_to(&branch);
    L(none);
    go_to(&branch + 1);
}

void Emitter::body(std::span<const Step> steps, std::span<const Emit> emits) {
    places_.fill(Place{});
    spilled_.clear();
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
    for (at_ = 0; at_ < steps.size(); ++at_) step(steps[at_], emits[at_]);
    for (int place = 0; place < static_cast<int>(places_.size()); ++place)
        if (places_[static_cast<std::size_t>(place)].dirty) store(place);
    L(next);
    add(ecx, octet_bytes);
    add(esi, octet_bytes / 2);
    if (!all_lanes_) shr(octet_active, 8);
    inc(edx);
    cmp(edx, octets);
    jb(again, T_NEAR);
    gather_predicates();
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

/// The step from `from` on that reads it next; the number of steps where something behind the run does; never.
std::uint32_t Emitter::needed(Ref ref, std::uint32_t from) const {
    if (const auto events = events_.find(ref); events != events_.end()) {
        const auto next = std::ranges::lower_bound(events->second, from, {}, &Event::step);
        if (next != events->second.end()) return next->reads ? next->step : never;
    }
    return alive_->contains(ref) ? never - 1 : never;
}

int Emitter::find(Ref ref, int part) const {
    for (int i = 0; i < static_cast<int>(places_.size()); ++i) {
        const Place& place = places_[static_cast<std::size_t>(i)];
        if (place.ref == ref && place.part == part) return i;
    }
    return -1;
}

/// A register that holds nothing, after giving up the value that is needed last if there is none.
int Emitter::take_place() {
    int last = -1;
    std::uint32_t when = 0;
    for (int i = 0; i < static_cast<int>(places_.size()); ++i) {
        const Place& place = places_[static_cast<std::size_t>(i)];
        if (i == helper || i == idle_lanes || place.busy) continue;
        if (place.ref == no_ref) {
            last = i;
            break;
        }
        const std::uint32_t next = needed(place.ref, at_);
        if (last < 0 || next > when) {
            last = i;
            when = next;
        }
    }
    auto& place = places_.at(static_cast<std::size_t>(last));
    if (place.ref != no_ref && place.dirty && needed(place.ref, at_) != never) store(last);
    place = Place{};
    place.busy = true;
    return last;
}

Xbyak::Address Emitter::home(const Place& place) {
    const bool is_constant = (place.ref & constant_bit) != 0;
    const Xbyak::Reg64& base = is_constant ? constants : frame;
    const auto offset = static_cast<std::size_t>(place.ref & ~constant_bit);
    if (place.kind == Kind::wide)
        return ptr[base + octet_words * 2 + (offset + octet_bytes * std::size_t{place.part})];
    if (place.kind == Kind::half) return ptr[base + octet_halves + offset];
    return ptr[base + octet_words + offset];
}

std::uint32_t Emitter::slot_of(Ref ref) {
    return slots_.try_emplace(ref, static_cast<std::uint32_t>(slots_.size()) * slot_bytes).first->second;
}

/// One bit for each lane, in the lowest byte, to all ones in lanes.
void Emitter::expand_bits(const Ymm& to, const Xbyak::Reg32& bits) {
    const Xbyak::Address of_lane = vector(bit_of_lane());
    vmovd(Xbyak::Xmm(to.getIdx()), bits);
    vpbroadcastd(to, Xbyak::Xmm(to.getIdx()));
    vpand(to, to, of_lane);
    vpcmpeqd(to, to, of_lane);
}

void Emitter::load(int number) {
    const Place& place = places_[static_cast<std::size_t>(number)];
    const Ymm to(number);
    if (place.kind == Kind::half) {
        vpmovzxwd(to, home(place));
    } else if (place.kind != Kind::predicate) {
        vmovups(to, home(place));
    } else if (spilled_.contains(place.ref)) {
        vmovups(to, ptr[rsp + octet_words + slot_of(place.ref)]);
    } else {
        const bool is_constant = (place.ref & constant_bit) != 0;
        const auto offset = static_cast<std::size_t>(place.ref & ~constant_bit);
        movzx(eax, byte[(is_constant ? constants : frame) + octet_number + offset]);
        expand_bits(to, eax);
    }
}

void Emitter::make_canonical(int number) {
    Place& place = places_[static_cast<std::size_t>(number)];
    if (place.known.nan == Nan::canonical) return;
    const Ymm value(number), nans(helper);
    vcmpunordps(nans, value, value);
    vblendvps(value, value, all(machine_nan), nans);
    place.known.nan = Nan::canonical;
}

void Emitter::store(int number) {
    Place& place = places_[static_cast<std::size_t>(number)];
    const Ymm value(number);
    place.dirty = false;
    if (place.kind == Kind::predicate) {
        vmovups(ptr[rsp + octet_words + slot_of(place.ref)], value);
        spilled_.insert(place.ref);
        return;
    }
    if (place.kind == Kind::half) {
        constexpr std::uint8_t even_quarters = 0xD8;
        if (!all_lanes_) {
            vpmovzxwd(Ymm(helper), home(place));
            vblendvps(value, value, Ymm(helper), Ymm(idle_lanes));
        }
        vpackusdw(Ymm(helper), value, value);
        vpermq(Ymm(helper), Ymm(helper), even_quarters);
        vmovups(home(place), Xbyak::Xmm(helper));
        return;
    }
    if (place.kind == Kind::word) make_canonical(number);
    if (!all_lanes_) {
        Ymm idle(idle_lanes);
        if (place.kind == Kind::wide) {
            idle = Ymm(helper);
            widen(idle, Ymm(idle_lanes), place.part, true);
        }
        vblendvps(value, value, home(place), idle);
    }
    vmovups(home(place), value);
}

/// From lanes on the stack to one bit each.
void Emitter::gather_predicates() {
    for (const auto& [ref, slot] : slots_) {
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

Emitter::Ymm Emitter::read(Ref ref, Kind kind, int part, Nan nan) {
    int place = find(ref, part);
    if (place < 0) {
        place = take_place();
        auto& taken = places_[static_cast<std::size_t>(place)];
        taken.ref = ref;
        taken.kind = kind;
        taken.part = static_cast<std::uint8_t>(part);
        load(place);
    }
    places_[static_cast<std::size_t>(place)].busy = true;
    if (kind == Kind::word && nan == Nan::canonical) make_canonical(place);
    return Ymm(place);
}

/// A copy, or the register itself where nobody needs the value afterwards.
Emitter::Ymm Emitter::own(const Step& step, Ref ref, Kind kind, int part, Nan nan) {
    const Ymm value = read(ref, kind, part, nan);
    auto& place = places_[static_cast<std::size_t>(value.getIdx())];
    const bool replaced = step.inst->guard == no_ref && step.inst->d == ref;
    const bool again = std::ranges::count(step.reads, ref) > 1;
    if (!again && (replaced || needed(ref, at_ + 1) == never)) {
        place.ref = no_ref;
        place.dirty = false;
        return value;
    }
    const Ymm copy = scratch();
    vmovaps(copy, value);
    return copy;
}
Emitter::Ymm Emitter::own_word(const Step& step, Ref ref) {
    return own(step, ref, Kind::word, 0, Nan::any);
}
Emitter::Ymm Emitter::own_wide(const Step& step, Ref ref, int part) {
    return own(step, ref, Kind::wide, part, Nan::any);
}

Emitter::Ymm Emitter::scratch() {
    return Ymm(take_place());
}

bool Emitter::has_any_nan(Ref ref) const {
    const int place = find(ref, 0);
    return place >= 0 && places_[static_cast<std::size_t>(place)].known.nan == Nan::any;
}

void Emitter::flush(const Ymm& to, const Ymm& from) {
    const Ymm zeros(helper);
    vpand(zeros, from, all(0x7F800000U));
    vpcmpeqd(zeros, zeros, all(0));
    vpand(zeros, zeros, all(0x7FFFFFFFU));
    vpandn(to, zeros, from);
}

Emitter::Ymm Emitter::flushed(Ref ref) {
    const Ymm value = word(ref, Nan::any);
    if (places_[static_cast<std::size_t>(value.getIdx())].known.flushed) return value;
    const Ymm to = scratch();
    flush(to, value);
    return to;
}

Emitter::Ymm Emitter::word_behind(std::size_t pointer, std::size_t offset, bool by_lane) {
    const Ymm to = scratch();
    mov(rax, ptr[warp + pointer]);
    if (by_lane)
        vmovups(to, ptr[rax + octet_words + offset]);
    else
        vpbroadcastd(to, ptr[rax + offset]);
    return to;
}
Emitter::Ymm Emitter::wide_behind(std::size_t pointer, std::size_t offset) {
    const Ymm to = scratch();
    mov(rax, ptr[warp + pointer]);
    vpbroadcastq(to, ptr[rax + offset]);
    return to;
}

Emitter::Ymm Emitter::from_frame(Kind kind, std::uint32_t offset, int part) {
    const Ymm to = scratch();
    Place place;
    place.ref = offset;
    place.kind = kind;
    place.part = static_cast<std::uint8_t>(part);
    vmovups(to, home(place));
    return to;
}
void Emitter::to_frame(Kind kind, std::uint32_t offset, int part, const Ymm& value) {
    Place place;
    place.ref = offset;
    place.kind = kind;
    place.part = static_cast<std::uint8_t>(part);
    Ymm stored = value;
    if (!all_lanes_) {
        Ymm idle(idle_lanes);
        if (kind == Kind::wide) {
            idle = Ymm(helper);
            widen(idle, Ymm(idle_lanes), part, true);
        }
        stored = scratch();
        vblendvps(stored, value, home(place), idle);
    }
    vmovups(home(place), stored);
}

void Emitter::set(Ref ref, Kind kind, int part, const Ymm& value, Real known) {
    results_.push_back({ref, kind, static_cast<std::uint8_t>(part), value.getIdx(), known});
}

void Emitter::set_half(Ref ref, const Ymm& value) {
    vpand(value, value, all(0xFFFF));
    set(ref, Kind::half, 0, value, {});
}

void Emitter::widen(const Ymm& to, const Ymm& from, int part, bool is_signed) {
    Xbyak::Xmm half(from.getIdx());
    if (part != 0) {
        half = Xbyak::Xmm(to.getIdx());
        vextracti128(half, from, 1);
    }
    if (is_signed)
        vpmovsxdq(to, half);
    else
        vpmovzxdq(to, half);
}

void Emitter::narrow(const Ymm& to, const Ymm& low, const Ymm& high) {
    constexpr std::uint8_t even = 0x88, middle_swapped = 0xD8;
    vshufps(to, low, high, even);
    vpermq(to, to, middle_swapped);
}

void Emitter::to_double(const Ymm& to, const Ymm& from, int part, bool is_signed) {
    if (is_signed) {
        Xbyak::Xmm half(from.getIdx());
        if (part != 0) {
            half = Xbyak::Xmm(to.getIdx());
            vextracti128(half, from, 1);
        }
        vcvtdq2pd(to, half);
        return;
    }
    // 2^52 + a has a in its lowest bits.
    constexpr std::uint64_t two_to_52 = 0x4330000000000000U;
    widen(to, from, part, false);
    vpor(to, to, all_wide(two_to_52));
    vsubpd(to, to, all_wide(two_to_52));
}

}  // namespace gpuproj::simulate::native
