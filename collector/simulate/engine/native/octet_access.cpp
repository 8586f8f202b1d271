#include "collector/simulate/engine/native/octet_access.hpp"

#include <cstddef>
#include <cstring>

namespace gpuproj::simulate::native {

namespace {

using Xbyak::util::al;
using Xbyak::util::bl;
using Xbyak::util::eax;
using Xbyak::util::ebx;
using Xbyak::util::rax;
using Xbyak::util::rbx;
using Xbyak::util::rsp;

constexpr auto near = Xbyak::CodeGenerator::T_NEAR;

/// first + i * step for each lane.
template <class T>
std::array<std::uint8_t, 32> progression(std::uint32_t first, std::uint32_t step) {
    std::array<std::uint8_t, 32> bytes{};
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
        const T value = static_cast<T>(first + i * step);
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return bytes;
}
}  // namespace

OctetAccess::OctetAccess(Emitter& emitter, const Step& step)
    : e(emitter),
      s(step),
      inst(*step.inst),
      shared(e.recorded().shared),
      bytes(std::uint32_t{inst.bytes} * inst.count),
      imm(shared || inst.has_base ? inst.imm : 0),
      lanes_on(e.taking_part(step)),
      way(e.slow_way()) {
    way.lanes = lanes_on;
}

void OctetAccess::read_addresses() {
    const RecordedAccess& recorded = e.recorded();
    if (recorded.follows) {
        at = {e.scratch(), e.scratch()};
        return;
    }
    if (recorded.lanes != 0 && lanes_on) {
        e.vmovmskps(eax, *lanes_on);
        e.mov(Xbyak::util::byte[rsp + octet_number + recorded.lanes], al);
    }
    if (shared) {
        const Ymm offset = e.scratch();
        if (!inst.has_base)
            e.vmovups(offset, e.all(static_cast<std::uint32_t>(imm)));
        else if (imm == 0)
            e.vmovaps(offset, e.word(inst.a));
        else
            e.vpaddd(offset, e.word(inst.a), e.all(static_cast<std::uint32_t>(imm)));
        at = {offset, offset};
        e.vmovups(e.ptr[rsp + octet_words + recorded.addresses], offset);
        return;
    }
    for (int part = 0; part < 2; ++part) {
        if (inst.has_base) {
            at[static_cast<std::size_t>(part)] = e.wide(inst.a, part);
        } else {
            const Ymm everywhere = e.scratch();
            e.vmovups(everywhere, e.all_wide(static_cast<std::uint64_t>(inst.imm)));
            at[static_cast<std::size_t>(part)] = everywhere;
        }
        e.vmovups(e.ptr[rsp + octet_words * 2 + (recorded.addresses + octet_bytes * static_cast<unsigned>(part))],
                  at[static_cast<std::size_t>(part)]);
    }
}

void OctetAccess::compare_with_row(std::uint32_t step) {
    const Ymm u(Emitter::helper);
    if (shared) {
        e.vpbroadcastd(t, low(at[0]));
        if (step != 0) e.vpaddd(t, t, e.vector(progression<std::uint32_t>(0, step)));
        e.vpcmpeqd(t, t, at[0]);
        e.vmovmskps(eax, t);
        return compare_with_all(0xFF);
    }
    e.vpbroadcastq(t, low(at[0]));
    if (step != 0) {
        e.vpaddq(u, t, e.vector(progression<std::uint64_t>(0, step)));
        e.vpaddq(t, t, e.vector(progression<std::uint64_t>(4 * step, step)));
        e.vpcmpeqq(u, u, at[0]);
    } else {
        e.vpcmpeqq(u, t, at[0]);
    }
    e.vpcmpeqq(t, t, at[1]);
    if (!lanes_on) {
        e.vpand(u, u, t);
        e.vmovmskpd(eax, u);
        e.cmp(eax, 0xF);
        return;
    }
    take_bits(u, t);
    compare_with_all(0xFF);
}

const OctetAccess::Ymm& OctetAccess::compare_with_first() {
    if (!lanes_on) {
        compare_with_row(0);
        return at[0];
    }
    const Ymm u(Emitter::helper);
    // What idle lanes have may be old.
    if (shared) {
        e.vpbroadcastd(x, e.ptr[first_of(*lanes_on, word_bytes)]);
        e.vpcmpeqd(t, x, at[0]);
        e.vmovmskps(eax, t);
    } else {
        e.vpbroadcastq(x, e.ptr[first_of(*lanes_on, 2 * word_bytes)]);
        e.vpcmpeqq(u, x, at[0]);
        e.vpcmpeqq(t, x, at[1]);
        take_bits(u, t);
    }
    compare_with_all(0xFF);
    return x;
}

Xbyak::RegExp OctetAccess::first_of(const Ymm& taking_part, std::uint32_t size) {
    e.vmovmskps(ebx, taking_part);
    e.tzcnt(ebx, ebx);
    e.lea(rax, e.ptr[rsp + octet_words * static_cast<int>(size / word_bytes) + e.recorded().addresses]);
    return rax + rbx * static_cast<int>(size);
}

void OctetAccess::take_bits(const Ymm& first, const Ymm& second) {
    e.vmovmskpd(eax, first);
    e.vmovmskpd(ebx, second);
    e.shl(ebx, 4);
    e.or_(eax, ebx);
}

void OctetAccess::compare_with_all(std::uint32_t all) {
    if (lanes_on) {
        e.vmovmskps(ebx, *lanes_on);
        e.not_(ebx);
        e.or_(eax, ebx);
    }
    e.cmp(al, static_cast<int>(all));
}

void OctetAccess::find_stretch(const Ymm& first, std::uint32_t length, const Xbyak::Label& otherwise) {
    if (shared)
        e.vmovd(ebx, low(first));
    else
        e.vmovq(address, low(first));
    check_stretch(length, otherwise);
}

void OctetAccess::check_stretch(std::uint32_t length, const Xbyak::Label& otherwise) {
    if (shared) {
        e.mov(eax, e.ptr[warp + offsetof(RunningWarp, shared_bytes)]);
        e.sub(eax, length);
        e.jb(otherwise, near);
        e.cmp(eax, ebx);
        e.jb(otherwise, near);
    } else {
        add_imm();
        e.mov(rax, e.ptr[ranges + range() + offsetof(Range, end)]);
        e.sub(rax, address);
        e.jb(otherwise, near);
        e.cmp(rax, length);
        e.jb(otherwise, near);
        e.cmp(address, e.ptr[ranges + range() + offsetof(Range, begin)]);
        e.jb(otherwise, near);
    }
    if (align() != 0) {
        e.test(bl, static_cast<int>(align()));
        e.jnz(otherwise, near);
    }
    if (shared) e.add(address, e.ptr[warp + offsetof(RunningWarp, shared)]);
}

void OctetAccess::ask_lie(const Xbyak::Label& row, const Xbyak::Label& point) {
    e.cmp(Xbyak::util::byte[rsp + octet_number + e.recorded().lies], static_cast<int>(OctetLie::row));
    e.je(row, near);
    static_assert(OctetLie::apart < OctetLie::row && OctetLie::row < OctetLie::point);
    e.ja(point, near);
}

void OctetAccess::take_first_address(bool of_active) {
    if (of_active && lanes_on)
        e.mov(address, e.ptr[first_of(*lanes_on, 2 * word_bytes)]);
    else
        e.mov(address, e.ptr[rsp + octet_words * 2 + e.recorded().addresses]);
}

void OctetAccess::take_addresses() {
    for (std::uint32_t part = 0; part < 2; ++part)
        e.vmovups(at.at(part), e.ptr[rsp + octet_words * 2 + (e.recorded().addresses + octet_bytes * part)]);
}

void OctetAccess::add_imm() {
    if (imm != 0) e.lea(address, e.ptr[address + static_cast<std::size_t>(imm)]);
}

void OctetAccess::check_lanes() {
    const Ymm u(Emitter::helper);
    if (shared) {
        e.mov(eax, e.ptr[warp + offsetof(RunningWarp, shared_bytes)]);
        e.sub(eax, bytes);
        e.jb(way.begin, near);
        e.vmovd(low(t), eax);
        e.vpbroadcastd(t, low(t));
        e.vpminud(t, t, at[0]);
        e.vpcmpeqd(t, t, at[0]);
        e.vmovmskps(eax, t);
        compare_with_all(0xFF);
        e.jne(way.begin, near);
        test_alignment(at[0]);
        e.mov(address, e.ptr[warp + offsetof(RunningWarp, shared)]);
        return;
    }
    // An offset from the range's begin, or the rest behind it, is negative where it is outside.
    e.vpbroadcastq(t, e.ptr[ranges + range() + offsetof(Range, begin)]);
    e.vpbroadcastq(u, e.ptr[ranges + range() + offsetof(Range, end)]);
    e.vpsubq(u, u, t);
    e.vpsubq(u, u, e.all_wide(bytes));
    if (imm != 0) e.vpsubq(t, t, e.all_wide(static_cast<std::uint64_t>(imm)));
    e.vpsubq(x, at[0], t);
    e.vpsubq(t, at[1], t);
    e.vpsubq(y, u, x);
    e.vpor(x, x, y);
    e.vpsubq(u, u, t);
    e.vpor(t, t, u);
    take_bits(x, t);
    if (lanes_on) {
        e.vmovmskps(ebx, *lanes_on);
        e.and_(eax, ebx);
    } else {
        e.test(eax, eax);
    }
    e.jnz(way.begin, near);
    if (align() == 0) return;
    // Begin and size of what is alive need not be aligned.
    e.narrow(x, at[0], at[1]);
    if ((static_cast<std::uint64_t>(imm) & align()) != 0) e.vpaddd(x, x, e.all(static_cast<std::uint32_t>(imm)));
    test_alignment(x);
}

void OctetAccess::test_alignment(const Ymm& words) {
    if (align() == 0) return;
    if (lanes_on) {
        e.vpand(t, words, *lanes_on);
        e.vptest(t, e.all(align()));
    } else {
        e.vptest(words, e.all(align()));
    }
    e.jnz(way.begin, near);
}

Xbyak::RegExp OctetAccess::lane_at(std::uint32_t lane) {
    const RecordedAccess& recorded = e.recorded();
    if (shared) {
        e.mov(eax, e.ptr[rsp + octet_words + (recorded.addresses + word_bytes * lane)]);
        return address + rax;
    }
    e.mov(rax, e.ptr[rsp + octet_words * 2 + (recorded.addresses + 2 * word_bytes * lane)]);
    return rax + static_cast<std::size_t>(imm);
}

void OctetAccess::note(OctetLie lie) {
    // With idle lanes only those ask that follow a load.
    if (lanes_on && e.recorded().store) return;
    e.mov(Xbyak::util::byte[rsp + octet_number + e.recorded().lies], static_cast<int>(lie));
}

}  // namespace gpuproj::simulate::native
