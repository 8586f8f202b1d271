// Which values are in which vector register: loads, stores, and what is given up where there are too few.
#include <algorithm>
#include <cstring>

#include "collector/simulate/engine/native/emitter.hpp"
#include "collector/simulate/engine/native/registers.hpp"

namespace gpuproj::simulate::native {

namespace {

constexpr std::uint32_t machine_nan = 0x7FFFFFFFU;

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

}  // namespace

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
    if (last < 0) throw Xbyak::Error(Xbyak::ERR_INTERNAL);  // one instruction wants more than there are
    auto& place = places_[static_cast<std::size_t>(last)];
    if (place.ref != no_ref && place.dirty && needed(place.ref, at_) != never) store(last);
    place = Place{};
    place.busy = true;
    return last;
}

Xbyak::Address Emitter::home(const Place& place) {
    const bool is_constant = (place.ref & constant_bit) != 0;
    const Xbyak::Reg64& base = is_constant ? constants : frame;
    const auto offset = static_cast<std::size_t>(place.ref & ~constant_bit);
    if (place.kind == Kind::wide) return ptr[base + octet_words * 2 + (offset + octet_bytes * std::size_t{place.part})];
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

/// A value, but for idle lanes what is in its home.
void Emitter::keep_idle(const Ymm& to, const Ymm& value, const Place& place) {
    Ymm idle(idle_lanes);
    if (place.kind == Kind::wide) {
        idle = Ymm(helper);
        widen(idle, Ymm(idle_lanes), place.part, true);
    }
    vblendvps(to, value, home(place), idle);
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
        if (!all_lanes_) {
            vpmovzxwd(Ymm(helper), home(place));
            vblendvps(value, value, Ymm(helper), Ymm(idle_lanes));
        }
        pack_halves(Ymm(helper), value);
        vmovups(home(place), Xbyak::Xmm(helper));
        return;
    }
    if (place.kind == Kind::word) make_canonical(number);
    if (!all_lanes_) keep_idle(value, value, place);
    vmovups(home(place), value);
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
        stored = scratch();
        keep_idle(stored, value, place);
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

Xbyak::Xmm Emitter::four_lanes(const Ymm& spare, const Ymm& from, int part) {
    if (part == 0) return Xbyak::Xmm(from.getIdx());
    const Xbyak::Xmm upper(spare.getIdx());
    vextracti128(upper, from, 1);
    return upper;
}

void Emitter::widen(const Ymm& to, const Ymm& from, int part, bool is_signed) {
    const Xbyak::Xmm half = four_lanes(to, from, part);
    if (is_signed)
        vpmovsxdq(to, half);
    else
        vpmovzxdq(to, half);
}

void Emitter::count_ones_of_bytes(const Ymm& to, const Ymm& from) {
    constexpr std::uint32_t low_nibbles = 0x0F0F0F0FU;
    constexpr std::uint8_t nibble = 4;
    std::array<std::uint8_t, 32> of_nibble{};
    for (std::uint32_t i = 0; i < of_nibble.size(); ++i)
        of_nibble.at(i) = static_cast<std::uint8_t>((i & 1) + (i >> 1 & 1) + (i >> 2 & 1) + (i >> 3 & 1));
    const Ymm table = scratch(), low = scratch();
    vmovdqu(table, vector(of_nibble));
    vpand(low, from, all(low_nibbles));
    vpsrld(to, from, nibble);
    vpand(to, to, all(low_nibbles));
    vpshufb(low, table, low);
    vpshufb(to, table, to);
    vpaddb(to, to, low);
}

// Shuffles and packs work on each half of a vector by itself; the middle quarters have to change places behind them.
constexpr std::uint8_t middle_swapped = 0xD8;

void Emitter::narrow(const Ymm& to, const Ymm& low, const Ymm& high) {
    constexpr std::uint8_t even = 0x88;
    vshufps(to, low, high, even);
    vpermq(to, to, middle_swapped);
}

void Emitter::narrow_upper(const Ymm& to, const Ymm& low, const Ymm& high) {
    constexpr std::uint8_t odd = 0xDD;
    vshufps(to, low, high, odd);
    vpermq(to, to, middle_swapped);
}

void Emitter::pack_halves(const Ymm& to, const Ymm& from) {
    vpackusdw(to, from, from);
    vpermq(to, to, middle_swapped);
}

void Emitter::to_double(const Ymm& to, const Ymm& from, int part, bool is_signed) {
    if (is_signed) {
        vcvtdq2pd(to, four_lanes(to, from, part));
        return;
    }
    // 2^52 + a has a in its lowest bits.
    constexpr std::uint64_t two_to_52 = 0x4330000000000000U;
    widen(to, from, part, false);
    vpor(to, to, all_wide(two_to_52));
    vsubpd(to, to, all_wide(two_to_52));
}

}  // namespace gpuproj::simulate::native
