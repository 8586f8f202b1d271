// An access to memory by eight lanes: where their data is, and whether it is there.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "collector/simulate/engine/native/emitter.hpp"
#include "collector/simulate/engine/native/registers.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::native {

inline constexpr std::uint32_t word_bytes = 4;

inline Xbyak::Xmm low(const Emitter::Ymm& value) {
    return Xbyak::Xmm(value.getIdx());
}

/// What loads and stores have in common. All values are asked for before the first branch, as the emitter wants it.
struct OctetAccess {
    using Ymm = Emitter::Ymm;

    OctetAccess(Emitter& emitter, const Step& step);

    void read_addresses();
    /// Sets the flags: equal if all lanes that take part are `step` bytes apart.
    void compare_with_row(std::uint32_t step);
    /// The same if all lanes that take part, some of which do, are in one place; gives what holds it. May change x.
    const Ymm& compare_with_first();
    /// Where the first lane of `taking_part`, if there is one, has its address of `size` bytes; changes rax and rbx.
    Xbyak::RegExp first_of(const Ymm& taking_part, std::uint32_t size);
    /// eax: a bit for each lane, from four lanes each; changes ebx.
    void take_bits(const Ymm& first, const Ymm& second);
    /// eax: a bit for each lane; equal if all are set of those that take part.
    void compare_with_all(std::uint32_t all);
    std::uint32_t align() const { return std::min(bytes, 16U) - 1; }
    std::size_t range() const { return RecentRanges::index_of(inst) * sizeof(Range); }
    /// `address`: where the data is that begins at `first`, of `length` bytes that must be there, else `otherwise`.
    void find_stretch(const Ymm& first, std::uint32_t length, const Xbyak::Label& otherwise);
    void check_stretch(std::uint32_t length, const Xbyak::Label& otherwise);
    /// Of an access that follows another: goes to one of these, or on where lanes are apart.
    void ask_lie(const Xbyak::Label& row, const Xbyak::Label& point);
    /// `address`: that of the first lane, or (`of_active`) of the first that is active, as it was left behind.
    void take_first_address(bool of_active);
    /// All of them, into `at`.
    void take_addresses();
    void add_imm();
    /// Each lane's data must be there; `address`: of shared memory.
    void check_lanes();
    /// Of words that addresses end with.
    void test_alignment(const Ymm& words);
    /// Where a lane's data is, where lanes are apart; changes eax.
    Xbyak::RegExp lane_at(std::uint32_t lane);
    /// The same where they are in a row.
    Xbyak::RegExp in_row(std::uint32_t lane) const { return address + std::size_t{lane} * std::size_t{bytes}; }
    void note(OctetLie lie);
    bool is_small() const { return inst.bytes < word_bytes; }
    std::uint32_t parts() const { return inst.bytes == 8 ? 2 : 1; }
    Ref element(std::uint32_t i) const { return inst.count == 1 ? inst.d : e.element(inst, i); }
    /// Of RecordedAccess::values.
    static std::uint32_t place_of(std::uint32_t i, std::uint32_t part) {
        return element_bytes * i + octet_bytes * part;
    }
    /// Before the first for_lane.
    void find_taking_part() {
        if (lanes_on) e.vmovmskps(taking_part_bits.cvt32(), *lanes_on);
    }
    /// f(address) for each lane that takes part.
    template <class At, class F>
    void for_lane(std::uint32_t lane, At&& lane_address, F&& f) {
        Xbyak::Label skip;
        if (lanes_on) {
            e.test(taking_part_bits, 1U << lane);
            e.jz(skip, Emitter::T_NEAR);
        }
        f(e.ptr[lane_address(lane)]);
        e.L(skip);
    }

    Emitter& e;
    const Step& s;
    const Inst& inst;
    bool shared;
    std::uint32_t bytes;  // of a lane
    std::int64_t imm;
    std::optional<Ymm> lanes_on;
    Emitter::SlowWay& way;
    std::array<Ymm, 2> at;     // addresses of four lanes each; of shared memory, offsets of all
    Ymm t, x, y;               // of no value
    std::array<Ymm, 4> value;  // elements, each with its parts
};

/// Make the code of an access that Emitter::recorded() knows.
void load(Emitter& e, const Step& s);
void store(Emitter& e, const Step& s);

}  // namespace gpuproj::simulate::native
