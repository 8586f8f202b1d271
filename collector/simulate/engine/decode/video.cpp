// Video instructions: vadd4 and its like on the bytes or halves of words, vadd and its like on single ones (PTX
// ISA 9.7.15).
#include "collector/simulate/engine/decode/function_decoder.hpp"

namespace gpuproj::simulate::decoding {

namespace {

constexpr std::initializer_list<Type> words{Type::b32, Type::b32, Type::b32};
constexpr std::array comparisons{"eq", "ne", "lt", "le", "gt", "ge"};

/// Bits of a register that an operand names: "%r1.b2", "%r1.h0", or all of it.
struct Part {
    std::uint32_t first = 0, count = 32;
};

Part part_of(const Operand& operand) {
    const std::size_t dot = operand.kind == OperandKind::reg ? operand.symbol.find('.') : std::string_view::npos;
    if (dot == std::string_view::npos) return {};
    const auto number = static_cast<std::uint32_t>(operand.symbol.back() - '0');
    return operand.symbol[dot + 1] == 'b' ? Part{8 * number, 8} : Part{16 * number, 16};
}

}  // namespace

/// vadd4 and its like: on the bytes or halves of two words; with .add the results' sum is added to c.
void FunctionDecoder::video(const Opcode& op) {
    static constexpr std::array names{"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"};
    const std::string_view root = op.root().substr(0, op.root().size() - 1);
    if (op.types.size() < 2) throw Unsupported{};
    const bool sets = root == "vset";  // its result has no type
    const Type to = sets ? Type::u32 : op.type(0), a = op.type(sets ? 0 : 1), b = op.type(sets ? 1 : 2);
    DraftInst& item =
        emit_operands({.op = Op::video, .type = Type::b32}, one({Class::integer, Class::integer_add}), words);
    const auto operation = static_cast<std::size_t>(std::ranges::find(names, root) - names.begin());
    item.inst.mode =
        static_cast<std::uint8_t>(operation | (op.root().back() == '4' ? 8U : 0U) | (is_signed(a) ? 16U : 0U) |
                                  (is_signed(b) ? 32U : 0U) | (is_signed(to) ? 64U : 0U) | (op.has("sat") ? 128U : 0U));
    item.inst.imm = op.has("add") ? 1 : 0;
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        if (sets && op.has(comparisons[i])) item.inst.count = 1, item.inst.bytes = static_cast<std::uint8_t>(i);
    }
}

/// A step of what follows: unguarded, in a register of its own of 64 bits, or a predicate.
Ref FunctionDecoder::video_step(const Spec& spec, Ref a, Ref b, Ref c) {
    const Ref d = fresh(spec.op == Op::setp ? 0 : 8);
    DraftInst& item = emit(spec);
    item.inst.d = d;
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    return d;
}

/// The part of a word that the operand names, with its sign, in 64 bits.
Ref FunctionDecoder::video_source(const Operand& operand, Type type) {
    const Part part = part_of(operand);
    Operand word = operand;
    word.symbol = {};
    const Ref whole = value(word, Type::b32);
    // A product of 64 bits with 1 widens; from 64 bits, the part is taken.
    const Type wide = is_signed(type) ? Type::s64 : Type::u64;
    const Ref all = video_step({.op = Op::mul_wide, .type = type}, whole, constant(1, 4));
    return part.count == 32
               ? all
               : video_step({.op = Op::bfe, .type = wide}, all, constant(part.first, 4), constant(part.count, 4));
}

/// vadd d, a, b; with a second operation or a part of d, also c. Everything is computed in 64 bits, and cut off where
/// ptxas cuts it off, as no GPU that it compiles for has these instructions: see below.
void FunctionDecoder::video_word(const Opcode& op) {
    const std::string_view root = op.root();
    const bool sets = root == "vset";
    const Type to = sets ? Type::u32 : op.type(0), a_type = op.type(sets ? 0 : 1), b_type = op.type(sets ? 1 : 2);
    for (const Type type : {to, a_type, b_type})
        if (type != Type::u32 && type != Type::s32) throw Unsupported{"this type"};
    const Ref a = video_source(operand(1), a_type);
    Ref b = video_source(operand(2), b_type);
    const auto step = [&](Op what, Ref x, Ref y, Ref z = no_ref) {
        return video_step({.op = what, .type = Type::s64}, x, y, z);
    };
    Ref result = no_ref;
    if (sets) {
        Spec comparison{.op = Op::setp, .type = Type::s64, .from = Type::s64};
        for (std::size_t i = 0; i < comparisons.size(); ++i)
            if (op.has(comparisons[i])) comparison.compare = static_cast<Compare>(i);
        const Ref holds = video_step(comparison, a, b);
        result = video_step({.op = Op::selp, .type = Type::b64}, constant(1, 8), constant(0, 8), holds);
    } else if (root == "vshl" || root == "vshr") {
        b = op.has("clamp") ? step(Op::min, b, constant(32, 8)) : step(Op::and_, b, constant(31, 8));
        result = step(root == "vshl" ? Op::shl : Op::shr, a, converted(Type::u32, Type::u64, b));
    } else {
        result = step(root == "vadd" ? Op::add : root == "vmin" ? Op::min : root == "vmax" ? Op::max : Op::sub, a, b);
        if (root == "vabsdiff") result = step(Op::abs, result, no_ref);
    }
    const Part to_part = part_of(operand(0));
    if (op.has("sat")) {
        const std::uint64_t half = std::uint64_t{1} << (to_part.count - 1);
        result = step(Op::max, result, constant(is_signed(to) ? ~half + 1 : 0, 8));
        // What is too large for a word of u32 loses its uppermost bits.
        if (is_signed(to) || to_part.count != 32)
            result = step(Op::min, result, constant(is_signed(to) ? half - 1 : 2 * half - 1, 8));
    }
    if (operands() > 3) {
        const Ref c = video_source(operand(3), to);
        const bool compares = op.has("min") || op.has("max");
        // A sum or difference counts as its lower 32 bits with the sign of those, even where it is compared as u32.
        if (compares && (root == "vadd" || root == "vsub"))
            result = video_step({.op = Op::bfe, .type = Type::s64}, result, constant(0, 4), constant(32, 4));
        if (op.has("add")) result = step(Op::add, result, c);
        if (compares)
            result = video_step(
                {.op = op.has("min") ? Op::min : Op::max, .type = is_signed(to) ? Type::s64 : Type::u64}, result, c);
        if (to_part.count != 32) {
            const Ref merged = fresh(8);
            DraftInst& item = emit({.op = Op::bfi, .type = Type::b64});
            item.inst.d = merged;
            item.inst.a = result;
            item.inst.b = c;
            item.inst.c = constant(to_part.first, 4);
            item.inst.e = constant(to_part.count, 4);
            item.e_read = true;
            result = merged;
        }
    }
    // Several instructions since Maxwell; how many is not in the table of expansions.
    DraftInst& item = emit_guarded({.op = Op::cvt, .type = Type::u32, .from = Type::u64},
                                   2 * one({Class::integer, Class::integer_add}));
    Operand word = operand(0);
    word.symbol = {};
    item.inst.d = target(word, 4);
    item.inst.a = result;
    item.inst.d_width = 4;
    item.inst.a_width = 8;
}

/// vmad d, {-}a, {-}b, {-}c. imm: the parts of a and b.
void FunctionDecoder::video_multiply_add(const Opcode& op) {
    for (std::size_t i = 0; i < 3; ++i)
        if (op.type(i) != Type::u32 && op.type(i) != Type::s32) throw Unsupported{"this type"};
    const Part a = part_of(operand(1)), b = part_of(operand(2));
    const bool minus_product = operand(1).minus != operand(2).minus, minus_c = operand(3).minus;
    if ((minus_product && minus_c) || (op.has("po") && (operand(1).minus || operand(2).minus || minus_c)))
        throw Unsupported{"these signs"};
    std::array<Ref, 3> refs{};
    for (std::size_t i = 0; i < refs.size(); ++i) {
        Operand word = operand(i + 1);
        word.symbol = {};
        word.minus = false;
        refs.at(i) = value(word, Type::b32);
    }
    DraftInst& item = emit_guarded({.op = Op::vmad}, 2 * one({Class::integer, Class::integer_multiply}));
    item.inst.d = target(operand(0), 4);
    item.inst.a = refs[0];
    item.inst.b = refs[1];
    item.inst.c = refs[2];
    item.inst.imm = static_cast<std::int64_t>(a.first | a.count << 8 | b.first << 16 | b.count << 24);
    item.inst.mode = static_cast<std::uint8_t>((is_signed(op.type(1)) ? 1U : 0U) | (is_signed(op.type(2)) ? 2U : 0U) |
                                               (minus_product ? 4U : 0U) | (minus_c ? 8U : 0U) |
                                               (op.has("po") ? 16U : 0U) | (op.has("sat") ? 32U : 0U) |
                                               (op.has("shr7") ? 64U : 0U) | (op.has("shr15") ? 128U : 0U));
}

}  // namespace gpuproj::simulate::decoding
