// Stores of eight lanes: a row, or one after the other.
#include "collector/simulate/engine/native/octet_access.hpp"

namespace gpuproj::simulate::native {

namespace {

using Xbyak::Xmm;

constexpr auto near = Xbyak::CodeGenerator::T_NEAR;

struct Store : OctetAccess {
    using OctetAccess::OctetAccess;

    void make();

    void pack(const Ymm& to) {
        e.vpand(to, value[0], e.all(inst.bytes == 2 ? 0xFFFF : 0xFF));
        e.pack_halves(to, to);
        if (inst.bytes == 1) e.vpackuswb(low(to), low(to), low(to));
    }
    bool masked_rows() const { return inst.count == 1 && !is_small(); }
    void store_row() {
        const auto here = e.ptr[address], behind = e.ptr[address + octet_bytes];
        if (is_small()) {
            pack(t);
            if (inst.bytes == 2)
                e.vmovups(here, low(t));
            else
                e.vmovq(here, low(t));
        } else if (bytes == word_bytes) {
            if (lanes_on)
                e.vpmaskmovd(here, *lanes_on, value[0]);
            else
                e.vmovups(here, value[0]);
        } else if (inst.count == 1) {
            for (int part = 0; part < 2; ++part) {
                const auto& of_part = part == 0 ? here : behind;
                if (lanes_on) {
                    e.widen(t, *lanes_on, part, true);
                    e.vpmaskmovq(of_part, t, value[static_cast<std::size_t>(part)]);
                } else {
                    e.vmovups(of_part, value[static_cast<std::size_t>(part)]);
                }
            }
        } else if (bytes == 8) {
            join_pairs();
            e.vperm2i128(t, x, y, 0x20);
            e.vmovups(here, t);
            e.vperm2i128(t, x, y, 0x31);
            e.vmovups(behind, t);
        } else {
            store_vectors([&](std::uint32_t lane) { return in_row(lane); });
        }
    }
    /// x: lanes 0, 1, 4 and 5, both words of each; y: the others.
    void join_pairs() {
        e.vpunpckldq(x, value[0], value[1]);
        e.vpunpckhdq(y, value[0], value[1]);
    }
    template <class At>
    void store_vectors(At&& lane_address) {
        const Ymm u(Emitter::helper);
        const auto two = [&](const Ymm& from, std::uint32_t first, std::uint32_t second) {
            for_lane(first, lane_address, [&](const auto& to) { e.vmovups(to, low(from)); });
            for_lane(second, lane_address, [&](const auto& to) { e.vextracti128(to, from, 1); });
        };
        if (inst.count == 2) {
            for (std::uint32_t part = 0; part < 2; ++part) {
                e.vpunpcklqdq(x, value[part], value[2 + part]);
                two(x, 4 * part, 4 * part + 2);
                e.vpunpckhqdq(y, value[part], value[2 + part]);
                two(y, 4 * part + 1, 4 * part + 3);
            }
            return;
        }
        for (std::uint32_t half = 0; half < 2; ++half) {
            if (half == 0) {
                e.vpunpckldq(x, value[0], value[1]);
                e.vpunpckldq(y, value[2], value[3]);
            } else {
                e.vpunpckhdq(x, value[0], value[1]);
                e.vpunpckhdq(y, value[2], value[3]);
            }
            e.vpunpcklqdq(t, x, y);
            e.vpunpckhqdq(u, x, y);
            two(t, 2 * half, 2 * half + 4);
            two(u, 2 * half + 1, 2 * half + 5);
        }
    }
    void store_apart() {
        const auto here = [&](std::uint32_t lane) { return lane_at(lane); };
        find_taking_part();
        if (bytes == 16) return store_vectors(here);
        if (bytes == 8) {
            if (inst.count == 2) join_pairs();
            for (std::uint32_t half = 0; half < 4; ++half) {  // lanes 2 half and 2 half + 1
                // x has lanes 0, 1, 4, 5 of pairs
                const Ymm from = inst.count == 2 ? (half % 2 == 0 ? x : y) : value[half / 2];
                const bool upper = inst.count == 2 ? half >= 2 : half % 2 == 1;
                const Xmm two = e.four_lanes(t, from, upper ? 1 : 0);
                for_lane(2 * half, here, [&](const auto& to) { e.vmovq(to, two); });
                for_lane(2 * half + 1, here, [&](const auto& to) { e.vpextrq(to, two, 1); });
            }
            return;
        }
        for (std::uint32_t lane = 0; lane < octet_lanes; ++lane) {
            const Xmm four = lane < 4 ? low(value[0]) : low(t);
            if (lane == 4) e.vextracti128(low(t), value[0], 1);
            const auto place = static_cast<std::uint8_t>(lane % 4);
            for_lane(lane, here, [&](const auto& to) {
                if (inst.bytes == 1)
                    e.vpextrb(to, four, static_cast<std::uint8_t>(4 * place));
                else if (inst.bytes == 2)
                    e.vpextrw(to, four, static_cast<std::uint8_t>(2 * place));
                else
                    e.vpextrd(to, four, place);
            });
        }
    }
};

void Store::make() {
    read_addresses();
    for (std::uint32_t i = 0; i < inst.count; ++i) {
        const Ref ref = element(i);
        for (std::uint32_t part = 0; part < parts(); ++part) {
            Ymm& stored = value.at(i * parts() + part);
            stored = parts() == 2           ? e.wide(ref, static_cast<int>(part))
                     : s.spec->d_width == 2 ? e.half(ref)
                                            : e.word(ref);
            way.stored.push_back({stored, place_of(i, part)});
        }
    }
    t = e.scratch();
    x = e.scratch();
    y = e.scratch();
    Xbyak::Label apart;
    if (!lanes_on || masked_rows()) {
        compare_with_row(bytes);
        e.jne(apart, near);
        note(OctetLie::row);
        find_stretch(at[0], octet_lanes * bytes, lanes_on ? apart : way.begin);
        store_row();
        e.jmp(way.done, near);
    }
    e.L(apart);
    note(OctetLie::apart);
    check_lanes();
    store_apart();
    e.L(way.done);
}

}  // namespace

void store(Emitter& e, const Step& s) {
    Store(e, s).make();
}

}  // namespace gpuproj::simulate::native
