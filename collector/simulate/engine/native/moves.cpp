// Moves, selection, comparison, predicates, packing, as handlers/move.cpp has them.
#include <utility>

#include "collector/simulate/engine/native/emitter.hpp"

namespace gpuproj::simulate::native {

namespace {

using Ymm = Emitter::Ymm;

void move_word(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    e.vmovaps(d, e.word(s.inst->a, Nan::any));
    e.set_word(s.inst->d, d, {e.has_any_nan(s.inst->a) ? Nan::any : Nan::canonical, false});
}
void move_half(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    e.vmovaps(d, e.half(s.inst->a));
    e.set_half(s.inst->d, d);
}
void move_wide(Emitter& e, const Step& s) {
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch();
        e.vmovaps(d, e.wide(s.inst->a, part));
        e.set_wide(s.inst->d, part, d);
    }
}
void move_predicate(Emitter& e, const Step& s) {
    const Ymm d = e.scratch();
    e.vmovaps(d, e.predicate(s.inst->a));
    if (s.spec->op == Op::not_) e.invert(d, d);
    e.set_predicate(s.inst->d, d);
}
void predicates(Emitter& e, const Step& s) {
    const Ymm a = e.predicate(s.inst->a), b = e.predicate(s.inst->b), d = e.scratch();
    if (s.spec->op == Op::and_)
        e.vpand(d, a, b);
    else if (s.spec->op == Op::or_)
        e.vpor(d, a, b);
    else
        e.vpxor(d, a, b);
    e.set_predicate(s.inst->d, d);
}

void select_word(Emitter& e, const Step& s) {
    const Nan nan = e.has_any_nan(s.inst->a) && e.has_any_nan(s.inst->b) ? Nan::any : Nan::canonical;
    const Ymm p = e.predicate(s.inst->c), a = e.word(s.inst->a, nan), b = e.word(s.inst->b, nan), d = e.scratch();
    e.vblendvps(d, b, a, p);
    e.set_word(s.inst->d, d, {nan, false});
}
void select_half(Emitter& e, const Step& s) {
    const Ymm p = e.predicate(s.inst->c), a = e.half(s.inst->a), b = e.half(s.inst->b), d = e.scratch();
    e.vblendvps(d, b, a, p);
    e.set_half(s.inst->d, d);
}
void select_wide(Emitter& e, const Step& s) {
    const Ymm p = e.predicate(s.inst->c);
    for (int part = 0; part < 2; ++part) {
        const Ymm a = e.wide(s.inst->a, part), b = e.wide(s.inst->b, part), d = e.scratch(), mask = e.scratch();
        e.widen(mask, p, part, true);
        e.vblendvpd(d, b, a, mask);
        e.set_wide(s.inst->d, part, d);
    }
}

/// With the predicate c, if there is one; e gets the negated comparison's.
void set_compared(Emitter& e, const Step& s, const Ymm& holds) {
    const Inst& inst = *s.inst;
    const unsigned operation = inst.mode & 3U;
    const auto combined = [&](const Ymm& value) {
        if (operation == 0) return;
        const Ymm c = e.predicate(inst.c);
        if (operation == 1)
            e.vpand(value, value, c);
        else if (operation == 2)
            e.vpor(value, value, c);
        else
            e.vpxor(value, value, c);
    };
    if (inst.e != no_ref) {
        const Ymm other = e.scratch();
        e.invert(other, holds);
        combined(other);
        e.set_predicate(inst.e, other);
    }
    if (inst.d == no_ref) return;
    combined(holds);
    e.set_predicate(inst.d, holds);
}

/// Integers are compared for equal and for greater; the others are those of swapped operands, or their opposite.
struct Order {
    bool equal, swapped, opposite;
};
Order order_of(Compare compare) {
    switch (compare) {
        case Compare::eq:
            return {true, false, false};
        case Compare::ne:
            return {true, false, true};
        case Compare::lt:
            return {false, true, false};
        case Compare::le:
            return {false, false, true};
        case Compare::gt:
            return {false, false, false};
        default:  // ge
            return {false, true, true};
    }
}
void compare_words(Emitter& e, const Step& s) {
    const Order order = order_of(s.spec->compare);
    Ymm a = e.word(s.inst->a), b = e.word(s.inst->b);
    if (order.swapped) std::swap(a, b);
    const Ymm d = e.scratch();
    if (order.equal) {
        e.vpcmpeqd(d, a, b);
    } else if (s.spec->from == ptx::Type::s32) {
        e.vpcmpgtd(d, a, b);
    } else {
        const Ymm other = e.scratch();
        e.vmovups(other, e.all(std::uint32_t{1} << 31));
        e.vpxor(d, a, other);
        e.vpxor(other, b, other);
        e.vpcmpgtd(d, d, other);
    }
    if (order.opposite) e.invert(d, d);
    set_compared(e, s, d);
}
/// Halves are words that are not negative, or that their sign is brought into.
void compare_halves(Emitter& e, const Step& s) {
    constexpr std::uint8_t upper = 16;
    const Order order = order_of(s.spec->compare);
    const auto operand = [&](Ref ref) {
        const Ymm d = e.scratch();
        e.vmovaps(d, e.half(ref));
        if (s.spec->from != ptx::Type::s16) return d;
        e.vpslld(d, d, upper);
        e.vpsrad(d, d, upper);
        return d;
    };
    Ymm a = operand(s.inst->a), b = operand(s.inst->b);
    if (order.swapped) std::swap(a, b);
    if (order.equal)
        e.vpcmpeqd(a, a, b);
    else
        e.vpcmpgtd(a, a, b);
    if (order.opposite) e.invert(a, a);
    set_compared(e, s, a);
}
/// Both parts' lanes of 64 bits as eight of 32.
template <class F>
void compare_parts(Emitter& e, const Step& s, F&& f) {
    const Ymm low = e.scratch(), high = e.scratch();
    f(low, e.wide(s.inst->a, 0), e.wide(s.inst->b, 0));
    f(high, e.wide(s.inst->a, 1), e.wide(s.inst->b, 1));
    e.narrow(low, low, high);
    set_compared(e, s, low);
}
void compare_wides(Emitter& e, const Step& s) {
    const Order order = order_of(s.spec->compare);
    compare_parts(e, s, [&](const Ymm& d, Ymm a, Ymm b) {
        if (order.swapped) std::swap(a, b);
        if (order.equal) {
            e.vpcmpeqq(d, a, b);
        } else if (s.spec->from == ptx::Type::s64) {
            e.vpcmpgtq(d, a, b);
        } else {
            const Ymm other = e.scratch();
            e.vmovups(other, e.all_wide(std::uint64_t{1} << 63));
            e.vpxor(d, a, other);
            e.vpxor(other, b, other);
            e.vpcmpgtq(d, d, other);
        }
        if (order.opposite) e.invert(d, d);
    });
}
void compare_singles(Emitter& e, const Step& s) {
    const bool ftz = s.spec->ftz;
    const Ymm a = ftz ? e.flushed(s.inst->a) : e.word(s.inst->a, Nan::any),
              b = ftz ? e.flushed(s.inst->b) : e.word(s.inst->b, Nan::any), d = e.scratch();
    e.vcmpps(d, a, b, condition(s.spec->compare));
    set_compared(e, s, d);
}
void compare_doubles(Emitter& e, const Step& s) {
    compare_parts(e, s,
                  [&](const Ymm& d, const Ymm& a, const Ymm& b) { e.vcmppd(d, a, b, condition(s.spec->compare)); });
}
Emitter::Emit find_comparison(const Spec& spec) {
    using enum ptx::Type;
    const bool real = spec.from == f32 || spec.from == f64;
    if (!real && spec.compare > Compare::ge) return nullptr;
    switch (spec.from) {
        case f32:
            return compare_singles;
        case f64:
            return compare_doubles;
        case b16:
        case u16:
        case s16:
            return compare_halves;
        case b32:
        case u32:
        case s32:
            return compare_words;
        case b64:
        case u64:
        case s64:
            return compare_wides;
        default:
            return nullptr;
    }
}

/// Two words as one of 64 bits.
void pack(Emitter& e, const Step& s) {
    constexpr std::uint8_t half = 32;
    const Ymm low = e.word(e.element(*s.inst, 0)), high = e.word(e.element(*s.inst, 1));
    for (int part = 0; part < 2; ++part) {
        const Ymm d = e.scratch(), above = e.scratch();
        e.widen(d, low, part, false);
        e.widen(above, high, part, false);
        e.vpsllq(above, above, half);
        e.vpor(d, d, above);
        e.set_wide(s.inst->d, part, d);
    }
}
void pack_halves(Emitter& e, const Step& s) {
    constexpr std::uint8_t upper = 16;
    const Ymm d = e.scratch();
    e.vpslld(d, e.half(e.element(*s.inst, 1)), upper);
    e.vpor(d, d, e.half(e.element(*s.inst, 0)));
    e.set_word(s.inst->d, d);
}
void unpack_halves(Emitter& e, const Step& s) {
    constexpr std::uint8_t upper = 16;
    const Ymm a = e.word(s.inst->a);
    if (const Ref ref = e.element(*s.inst, 0); ref != no_ref) {
        const Ymm d = e.scratch();
        e.vmovaps(d, a);
        e.set_half(ref, d);
    }
    if (const Ref ref = e.element(*s.inst, 1); ref != no_ref) {
        const Ymm d = e.scratch();
        e.vpsrld(d, a, upper);
        e.set_half(ref, d);
    }
}
void unpack(Emitter& e, const Step& s) {
    const Ymm low = e.wide(s.inst->a, 0), high = e.wide(s.inst->a, 1);
    if (const Ref ref = e.element(*s.inst, 0); ref != no_ref) {
        const Ymm d = e.scratch();
        e.narrow(d, low, high);
        e.set_word(ref, d);
    }
    if (const Ref ref = e.element(*s.inst, 1); ref != no_ref) {
        const Ymm d = e.scratch();
        e.narrow_upper(d, low, high);
        e.set_word(ref, d);
    }
}

}  // namespace

std::uint8_t condition(Compare compare) {
    switch (compare) {
        case Compare::eq:
            return 0x00;
        case Compare::ne:
            return 0x0C;
        case Compare::lt:
            return 0x11;
        case Compare::le:
            return 0x12;
        case Compare::gt:
            return 0x1E;
        case Compare::ge:
            return 0x1D;
        case Compare::equ:
            return 0x08;
        case Compare::neu:
            return 0x04;
        case Compare::ltu:
            return 0x19;
        case Compare::leu:
            return 0x1A;
        case Compare::gtu:
            return 0x16;
        case Compare::geu:
            return 0x15;
        case Compare::num:
            return 0x07;
        case Compare::nan:
            return 0x03;
    }
    return 0;
}

Emitter::Emit find_move(const Spec& spec, const Inst& inst) {
    const std::uint32_t bytes = size_of(spec.type);
    const bool is_predicate = spec.type == ptx::Type::pred;
    switch (spec.op) {
        case Op::mov:
            if (is_predicate) return move_predicate;
            return bytes == 2 ? move_half : bytes == 4 ? move_word : bytes == 8 ? move_wide : nullptr;
        case Op::not_:
            return is_predicate ? move_predicate : nullptr;
        case Op::and_:
        case Op::or_:
        case Op::xor_:
            return is_predicate ? predicates : nullptr;
        case Op::selp:
            return bytes == 2 ? select_half : bytes == 4 ? select_word : bytes == 8 ? select_wide : nullptr;
        case Op::setp:
            return find_comparison(spec);
        case Op::pack:
            if (inst.count != 2 || inst.d_width != 2 * inst.a_width) return nullptr;
            return inst.a_width == 4 ? pack : inst.a_width == 2 ? pack_halves : nullptr;
        case Op::unpack:
            if (inst.count != 2 || inst.a_width != 2 * inst.d_width) return nullptr;
            return inst.d_width == 4 ? unpack : inst.d_width == 2 ? unpack_halves : nullptr;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::native
