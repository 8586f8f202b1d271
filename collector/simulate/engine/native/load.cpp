// Loads of eight lanes: a row, one place for all, or gathered.
#include "collector/simulate/engine/native/octet_access.hpp"

namespace gpuproj::simulate::native {

namespace {

using Xbyak::Xmm;
using Xbyak::util::eax;

constexpr auto near = Xbyak::CodeGenerator::T_NEAR;

struct Load : OctetAccess {
    using OctetAccess::OctetAccess;

    void make();
    /// Finds out how the lanes lie.
    void make_anew();
    /// They lie as those of the access that it follows.
    void make_as_before();

    bool is_signed() const { return s.spec->type == ptx::Type::s8 || s.spec->type == ptx::Type::s16; }
    void extend(const Ymm& words) {
        const auto shift = static_cast<std::uint8_t>(8 * (word_bytes - inst.bytes));
        e.vpslld(words, words, shift);
        if (is_signed())
            e.vpsrad(words, words, shift);
        else
            e.vpsrld(words, words, shift);
    }
    void load_row() {
        const auto here = e.ptr[address];
        if (inst.bytes == 1) {
            if (is_signed())
                e.vpmovsxbd(value[0], here);
            else
                e.vpmovzxbd(value[0], here);
        } else if (inst.bytes == 2) {
            if (is_signed())
                e.vpmovsxwd(value[0], here);
            else
                e.vpmovzxwd(value[0], here);
        } else if (bytes == word_bytes) {
            e.vmovups(value[0], here);
        } else if (bytes == 8) {
            e.vmovups(value[0], here);
            e.vmovups(value[1], e.ptr[address + octet_bytes]);
            if (inst.count == 2) divide_pairs();
        } else {
            find_taking_part();
            load_vectors([&](std::uint32_t lane) { return in_row(lane); });
        }
    }
    /// Of all lanes in one place.
    void load_point() {
        const auto here = e.ptr[address];
        if (inst.bytes == 1) {
            e.movzx(eax, Xbyak::util::byte[address]);
        } else if (inst.bytes == 2) {
            e.movzx(eax, Xbyak::util::word[address]);
        } else if (bytes == word_bytes) {
            return e.vpbroadcastd(value[0], here);
        } else if (bytes == 8) {
            e.vpbroadcastq(value[0], here);
            e.vmovaps(value[1], value[0]);
            if (inst.count == 2) divide_pairs();
            return;
        } else {
            e.vbroadcasti128(t, here);
            for (std::uint32_t i = 0; i < inst.count; ++i) {
                if (inst.count == 4) {
                    e.vpshufd(value[i], t, static_cast<std::uint8_t>(0x55 * i));
                } else {
                    if (i == 0)
                        e.vpunpcklqdq(value[0], t, t);
                    else
                        e.vpunpckhqdq(value[2], t, t);
                    const std::size_t first = std::size_t{2} * i;
                    e.vmovaps(value.at(first + 1), value.at(first));
                }
            }
            return;
        }
        e.vmovd(low(value[0]), eax);
        e.vpbroadcastd(value[0], low(value[0]));
        extend(value[0]);
    }
    /// From two words a lane, of four lanes each, to a register of each word.
    void divide_pairs() {
        e.narrow(t, value[0], value[1]);
        e.narrow_upper(value[1], value[0], value[1]);
        e.vmovaps(value[0], t);
    }
    /// Lanes of 16 bytes, each moved as a whole.
    template <class At>
    void load_vectors(At&& lane_address) {
        const auto two = [&](const Ymm& to, std::uint32_t first, std::uint32_t second) {
            if (lanes_on) e.vpxor(to, to, to);
            for_lane(first, lane_address, [&](const auto& from) { e.vmovups(low(to), from); });
            for_lane(second, lane_address, [&](const auto& from) { e.vinserti128(to, to, from, 1); });
        };
        if (inst.count == 2) {
            for (std::uint32_t part = 0; part < 2; ++part) {
                two(x, 4 * part, 4 * part + 2);
                two(y, 4 * part + 1, 4 * part + 3);
                e.vpunpcklqdq(value[part], x, y);
                e.vpunpckhqdq(value[2 + part], x, y);
            }
            return;
        }
        for (std::uint32_t lane = 0; lane < 4; ++lane) two(value[lane], lane, lane + 4);
        turn();
    }
    /// Four vectors of two lanes each, 4 apart, to one of each element, and back.
    void turn() {
        const Ymm u(Emitter::helper);
        e.vpunpckldq(t, value[0], value[1]);
        e.vpunpckhdq(u, value[0], value[1]);
        e.vpunpckldq(x, value[2], value[3]);
        e.vpunpckhdq(y, value[2], value[3]);
        e.vpunpcklqdq(value[0], t, x);
        e.vpunpckhqdq(value[1], t, x);
        e.vpunpcklqdq(value[2], u, y);
        e.vpunpckhqdq(value[3], u, y);
    }
    /// The lanes to be gathered, as words or of a part as double words.
    void gather_words(const Ymm& to) {
        if (lanes_on)
            e.vmovaps(to, *lanes_on);
        else
            e.vpcmpeqd(to, to, to);
    }
    void gather_wides(const Ymm& to, int part) {
        if (lanes_on)
            e.widen(to, *lanes_on, part, true);
        else
            e.vpcmpeqd(to, to, to);
    }
    void load_apart() {
        if (bytes == 16) {
            find_taking_part();
            return load_vectors([&](std::uint32_t lane) { return lane_at(lane); });
        }
        if (bytes == 8) {
            for (int part = 0; part < 2; ++part) {
                const auto p = static_cast<std::size_t>(part);
                gather_wides(x, part);
                if (shared) {
                    const Xmm index = e.four_lanes(t, at[0], part);
                    e.vpgatherdq(value[p], e.ptr[address + index], x);
                } else {
                    e.vpgatherqq(value[p], e.ptr[at[p] + static_cast<std::size_t>(imm)], x);
                }
            }
            if (inst.count == 2) divide_pairs();
            return;
        }
        if (bytes == word_bytes) {
            gather_words(x);
            if (shared) return e.vpgatherdd(value[0], e.ptr[address + at[0]], x);
            e.vextracti128(low(y), x, 1);
            e.vpgatherqd(low(value[0]), e.ptr[at[0] + static_cast<std::size_t>(imm)], low(x));
            e.vpgatherqd(low(t), e.ptr[at[1] + static_cast<std::size_t>(imm)], low(y));
            return e.join(value[0], t);
        }
        // The words that they are in; what is above them in memory is moved out.
        const Ymm u(Emitter::helper);
        if (shared) {
            e.vpand(t, at[0], e.all(~3U));
            e.vpand(y, at[0], e.all(3));
            gather_words(x);
            e.vpgatherdd(value[0], e.ptr[address + t], x);
        } else {
            e.vpaddq(t, at[0], e.all_wide(static_cast<std::uint64_t>(imm)));
            e.vpaddq(u, at[1], e.all_wide(static_cast<std::uint64_t>(imm)));
            e.narrow(y, t, u);
            e.vpand(y, y, e.all(3));
            e.vpand(t, t, e.all_wide(~std::uint64_t{3}));
            gather_words(x);
            e.vpgatherqd(low(value[0]), e.ptr[t + 0], low(x));
            e.vpand(u, u, e.all_wide(~std::uint64_t{3}));
            gather_words(x);
            e.vextracti128(low(x), x, 1);
            e.vpgatherqd(low(t), e.ptr[u + 0], low(x));
            e.join(value[0], t);
        }
        e.vpslld(y, y, 3);
        e.vpsrlvd(value[0], value[0], y);
        extend(value[0]);
    }
};

void Load::make_anew() {
    Xbyak::Label not_row, apart;
    compare_with_row(bytes);
    e.jne(not_row, near);
    note(OctetLie::row);
    // Idle lanes have no data that must be there.
    find_stretch(at[0], octet_lanes * bytes, lanes_on ? apart : way.begin);
    load_row();
    e.jmp(way.done, near);
    e.L(not_row);
    const Ymm& first = compare_with_first();
    e.jne(apart, near);
    note(OctetLie::point);
    find_stretch(first, bytes, way.begin);
    load_point();
    e.jmp(way.done, near);
    e.L(apart);
    note(OctetLie::apart);
    check_lanes();
    load_apart();
}

void Load::make_as_before() {
    Xbyak::Label row, point, apart;
    ask_lie(row, point);
    e.L(apart);
    take_addresses();
    check_lanes();
    load_apart();
    e.jmp(way.done, near);
    e.L(row);
    take_first_address(false);
    check_stretch(octet_lanes * bytes, lanes_on ? apart : way.begin);
    load_row();
    e.jmp(way.done, near);
    e.L(point);
    take_first_address(true);
    check_stretch(bytes, way.begin);
    load_point();
}

void Load::make() {
    read_addresses();
    t = e.scratch();
    x = e.scratch();
    y = e.scratch();
    for (std::uint32_t i = 0; i < inst.count * parts(); ++i) value.at(i) = e.scratch();
    if (e.recorded().follows)
        make_as_before();
    else
        make_anew();
    e.L(way.done);
    for (std::uint32_t i = 0; i < inst.count; ++i) {
        for (std::uint32_t part = 0; part < parts(); ++part) {
            const Ymm& loaded = value.at(i * parts() + part);
            way.loaded.push_back({loaded, place_of(i, part)});
            const Ref ref = element(i);
            if (ref == no_ref) continue;
            if (parts() == 2)
                e.set_wide(ref, static_cast<int>(part), loaded);
            else if (s.spec->d_width == 2)
                e.set_half(ref, loaded);
            else
                e.set_word(ref, loaded);
        }
    }
}

}  // namespace

void load(Emitter& e, const Step& s) {
    Load(e, s).make();
}

}  // namespace gpuproj::simulate::native
