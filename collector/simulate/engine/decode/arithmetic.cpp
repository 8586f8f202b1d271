// Arithmetic, logic and bit operations.
#include "collector/simulate/engine/decode/function_decoder.hpp"

namespace gpuproj::simulate::decoding {

namespace {
constexpr std::initializer_list<Type> words{Type::b32, Type::b32, Type::b32};
}

Rounding rounding_of(const Opcode& op) {
    if (op.has("rz")) return Rounding::zero;
    if (op.has("rm")) return Rounding::down;
    if (op.has("rp")) return Rounding::up;
    if (op.has("rni")) return Rounding::integer_nearest;
    if (op.has("rzi")) return Rounding::integer_zero;
    if (op.has("rmi")) return Rounding::integer_down;
    if (op.has("rpi")) return Rounding::integer_up;
    return Rounding::nearest;
}

/// Mode of directed-rounding handlers (floating.cpp) and of half handlers (half.cpp).
std::uint8_t float_mode(const Spec& spec, bool relu) {
    if (size_of(spec.type) == 2 || spec.type == Type::f16x2 || spec.type == Type::bf16x2) {  // f32x2 as f32
        return static_cast<std::uint8_t>((relu ? 1 : 0) | (spec.sat ? 2 : 0) | (spec.nan ? 4 : 0) | (spec.ftz ? 8 : 0));
    }
    return static_cast<std::uint8_t>(static_cast<unsigned>(spec.rounding) | (spec.ftz ? 8U : 0U) |
                                     (spec.sat ? 16U : 0U));
}

void FunctionDecoder::arithmetic(const Opcode& op) {
    const std::string_view root = op.root();
    const Type type = op.type();
    if (op.has("cc")) return carry(op);
    Spec spec;
    spec.type = type;
    spec.op = root == "add"   ? Op::add
              : root == "sub" ? Op::sub
              : root == "min" ? Op::min
              : root == "max" ? Op::max
              : root == "div" ? Op::div
              : root == "rem" ? Op::rem
              : root == "abs" ? Op::abs
              : root == "neg" ? Op::neg
                              : Op::copysign;
    spec.rounding = rounding_of(op);
    spec.ftz = op.has("ftz");
    spec.sat = op.has("sat");
    spec.nan = op.has("NaN");
    spec.relu = op.has("relu");
    spec.approx = op.has("approx") || op.has("full");
    spec.full = op.has("full");
    if (!is_float(type) && !is_signed(type) && (spec.op == Op::abs || spec.op == Op::neg)) throw Unsupported{};
    spec.magnitudes = op.has("xorsign");
    spec.three = operands() > 3;
    const bool extremum = spec.op == Op::min || spec.op == Op::max;
    const bool of_magnitudes = extremum && is_float(type) && type != Type::f64 && !spec.three;
    if ((spec.magnitudes && !of_magnitudes) || (spec.three && (!extremum || type != Type::f32)))
        throw Unsupported{"this form of minimum and maximum"};
    Cost cost;
    if (is_float(type)) {
        const bool negation = spec.op == Op::neg || spec.op == Op::abs;  // an operand modifier on the machine
        const std::string_view kind = spec.op != Op::div ? ""
                                      : op.has("approx") ? ".approx"
                                      : op.has("full")   ? ".full"
                                                         : ".rn";
        const std::string_view ftz = spec.op == Op::div ? ftz_of(op) : "";
        if (!negation)
            cost = expanded(fmt::format("{}{}{}.{}", root, kind, ftz, name_of(type)), float_mix(type, false));
    } else {
        const bool comparing = spec.op == Op::min || spec.op == Op::max;
        cost = expanded(fmt::format("{}.{}", root, name_of(type)),
                        one({Class::integer, comparing ? Class::integer_compare : Class::integer_add}));
    }
    if (spec.three) cost.key.clear();
    if (op.types.size() > 1) {  // add.f32.f16 d, a, c: a is narrower
        if (type != Type::f32 || size_of(op.type(1)) != 2 || (spec.op != Op::add && spec.op != Op::sub))
            throw Unsupported{"these types"};
        const Ref a = widened(1, op.type(1)), b = value(operand(2), type);
        DraftInst& item = emit_guarded(spec, cost);
        item.inst.a = a;
        item.inst.b = b;
        item.inst.mode = float_mode(spec, false);
        set_results(item, operand(0), result_bytes(spec));
        return;
    }
    DraftInst& item = operands() > 3   ? emit_operands(spec, cost, {type, type, type})
                      : operands() > 2 ? emit_operands(spec, cost, {type, type})
                                       : emit_operands(spec, cost, {type});
    item.inst.mode = float_mode(spec, op.has("relu"));
}

void FunctionDecoder::multiply(const Opcode& op) {
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.rounding = rounding_of(op);
    spec.ftz = op.has("ftz");
    spec.sat = op.has("sat");
    Cost cost;
    if (is_float(type)) {
        spec.op = Op::mul_lo;
        cost = expanded(fmt::format("mul.{}", name_of(type)), float_mix(type, false));
    } else {
        spec.op = op.root() == "mul24" ? Op::mul24
                  : op.has("hi")       ? Op::mul_hi
                  : op.has("wide")     ? Op::mul_wide
                                       : Op::mul_lo;
        spec.high = op.root() == "mul24" && op.has("hi");
        cost = expanded(fmt::format("{}.{}.{}", op.root(), half_of(op), name_of(type)),
                        one({Class::integer, Class::integer_multiply}), 2);
    }
    emit_operands(spec, cost, {type, type}).inst.mode = float_mode(spec, op.has("relu"));
}

void FunctionDecoder::multiply_add(const Opcode& op) {
    if (op.has("cc")) return carry(op);
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.rounding = rounding_of(op);
    spec.ftz = op.has("ftz");
    spec.sat = op.has("sat");
    Cost cost;
    Type wide = type;
    if (is_float(type)) {
        spec.op = Op::fma;
        cost = float_mix(type, true);
    } else if (op.root() == "sad") {
        spec.op = Op::sad;
        cost = expanded(fmt::format("sad.{}", name_of(type)), 2 * one({Class::integer, Class::integer_add}));
    } else {
        spec.op = op.root() == "mad24" ? Op::mad24
                  : op.has("hi")       ? Op::mad_hi
                  : op.has("wide")     ? Op::mad_wide
                                       : Op::mad_lo;
        spec.high = op.root() == "mad24" && op.has("hi");
        if (spec.op == Op::mad_wide) wide = bits_of_size(2 * size_of(type));
        cost = expanded(fmt::format("{}.{}.{}", op.root(), half_of(op), name_of(type)),
                        one({Class::integer, Class::integer_multiply}), 2);
    }
    if (op.types.size() > 1) {  // fma.rn.f32.f16 d, a, b, c: a and b are narrower
        if (type != Type::f32 || size_of(op.type(1)) != 2) throw Unsupported{"these types"};
        const Ref a = widened(1, op.type(1)), b = widened(2, op.type(1)), c = value(operand(3), type);
        DraftInst& item = emit_guarded(spec, cost);
        item.inst.a = a;
        item.inst.b = b;
        item.inst.c = c;
        item.inst.mode = float_mode(spec, false);
        set_results(item, operand(0), result_bytes(spec));
        return;
    }
    emit_operands(spec, cost, {type, type, wide}).inst.mode = float_mode(spec, op.has("relu"));
}

/// add.cc, addc{.cc}, mad{c}.{lo,hi}{.cc}, ...: the condition code is a predicate of its own.
void FunctionDecoder::carry(const Opcode& op) {
    if (carry_ == no_ref) carry_ = fresh(0);
    const std::string_view root = op.root();
    const bool reads = root.back() == 'c' && root != "sc";
    const bool writes = op.has("cc");
    const Type type = op.type();
    const bool is_mad = root.starts_with("mad");
    Spec spec;
    spec.type = type;
    spec.op = root.starts_with("add")   ? Op::add_cc
              : root.starts_with("sub") ? Op::sub_cc
              : op.has("hi")            ? Op::mad_hi_cc
                                        : Op::mad_lo_cc;
    const Mix cost = one({Class::integer, is_mad ? Class::integer_multiply : Class::integer_add});
    DraftInst& item = is_mad ? emit_operands(spec, cost, {type, type, type}) : emit_operands(spec, cost, {type, type});
    item.inst.e = carry_;
    item.e_read = reads;
    item.e_written = writes;
    item.inst.mode = static_cast<std::uint8_t>((reads ? 1 : 0) | (writes ? 2 : 0) | (is_signed(type) ? 4 : 0));
}

void FunctionDecoder::special_function(const Opcode& op) {
    const std::string_view root = op.root();
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.op = root == "rcp"     ? Op::rcp
              : root == "sqrt"  ? Op::sqrt
              : root == "rsqrt" ? Op::rsqrt
              : root == "sin"   ? Op::sin
              : root == "cos"   ? Op::cos
              : root == "lg2"   ? Op::lg2
              : root == "ex2"   ? Op::ex2
                                : Op::tanh;
    spec.rounding = rounding_of(op);
    spec.ftz = op.has("ftz");
    spec.approx = op.has("approx");
    const Cost cost =
        expanded(fmt::format("{}.{}{}.{}", root, spec.approx ? "approx" : "rn", ftz_of(op), name_of(type)),
                 type == Type::f64 ? one({Class::special, Class::special_unit})
                                   : one({Class::fp32, Class::special, Class::special_unit}));
    emit_operands(spec, cost, {type}).inst.mode = float_mode(spec, false);
}

void FunctionDecoder::unary_integer(const Opcode& op) {
    const std::string_view root = op.root();
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.op = root == "popc"       ? Op::popc
              : root == "clz"      ? Op::clz
              : root == "brev"     ? Op::brev
              : op.has("shiftamt") ? Op::bfind_shift
                                   : Op::bfind;
    emit_operands(
        spec, expanded(fmt::format("{}.{}", root, name_of(type)), one({Class::integer, Class::integer_logic})), {type});
}

void FunctionDecoder::logic(const Opcode& op) {
    const std::string_view root = op.root();
    const Type type = op.type();
    const bool single = root == "not" || root == "cnot";
    Spec spec;
    spec.type = type;
    spec.op = root == "and"   ? Op::and_
              : root == "or"  ? Op::or_
              : root == "xor" ? Op::xor_
              : root == "not" ? Op::not_
                              : Op::cnot;
    const Cost cost = type == Type::pred ? Cost(one({Class::misc}))
                                         : expanded(fmt::format("{}.{}", root, name_of(type)),
                                                    one({Class::integer, Class::integer_logic}));
    if (single)
        emit_operands(spec, cost, {type});
    else
        emit_operands(spec, cost, {type, type});
}

void FunctionDecoder::shift(const Opcode& op) {
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.op = op.root() == "shl" ? Op::shl : Op::shr;
    emit_operands(spec,
                  expanded(fmt::format("{}.{}", op.root(), name_of(bits_of_size(size_of(type)))),
                           one({Class::integer, Class::integer_shift}), 2),
                  {type, Type::u32});
}

void FunctionDecoder::funnel(const Opcode& op) {
    Spec spec;
    spec.type = Type::b32;
    spec.op = op.has("l") ? (op.has("wrap") ? Op::shf_l_wrap : Op::shf_l_clamp)
                          : (op.has("wrap") ? Op::shf_r_wrap : Op::shf_r_clamp);
    emit_operands(spec, one({Class::integer, Class::integer_shift}), words);
}

void FunctionDecoder::bit_field(const Opcode& op) {
    const std::string_view root = op.root();
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.op = root == "bfe"     ? Op::bfe
              : root == "bfi"   ? Op::bfi
              : root == "bmsk"  ? Op::bmsk
              : root == "szext" ? Op::szext
                                : Op::fns;
    spec.wrap = op.has("wrap");
    const bool insert = spec.op == Op::bfi, two = spec.op == Op::bmsk || spec.op == Op::szext;
    const Cost cost = expanded(fmt::format("{}{}.{}", root, two ? ".clamp" : "", name_of(type)),
                               2 * one({Class::integer, Class::integer_logic}), operands() - (two ? 0 : 1));
    if (insert)
        emit_operands(spec, cost, {type, type, Type::u32, Type::u32});
    else if (two)
        emit_operands(spec, cost, {type, Type::u32});
    else
        emit_operands(spec, cost, {type, Type::u32, Type::u32});
}

void FunctionDecoder::permute(const Opcode& op) {
    static constexpr std::array modes{"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    std::uint8_t mode = 0;
    for (std::size_t i = 1; i < modes.size(); ++i) {
        if (op.has(modes[i])) mode = static_cast<std::uint8_t>(i);
    }
    emit_operands({.op = Op::prmt, .type = Type::b32}, one({Class::misc}), words).inst.mode = mode;
}

void FunctionDecoder::lop3(const Opcode& op) {
    if (operand(4).kind != OperandKind::integer) throw Unsupported{"a truth table that is no constant"};
    const Spec spec{.op = Op::lop3, .type = Type::b32};
    const Cost cost = one({Class::integer, Class::integer_logic});
    const auto table = static_cast<std::uint8_t>(operand(4).bits);
    if (!op.has("or") && !op.has("and")) {
        emit_operands(spec, cost, words).inst.mode = table;
        return;
    }
    // "d|p, a, b, c, table, q": one machine instruction, which also tests d. Here the test is one of its own, for
    // nothing.
    const Operand& results = operand(0);
    if (results.kind != OperandKind::vector || results.elements.size() != 2) throw Unsupported{"these destinations"};
    const Operand& logic = results.elements[0];
    const auto bytes = static_cast<std::uint8_t>(size_of(Type::b32));
    const Ref other = value(operand(5), Type::pred), none = constant(0, bytes);
    std::array<Ref, 3> sources{};
    for (std::size_t i = 0; i < sources.size(); ++i) sources.at(i) = value(operand(i + 1), Type::b32);
    const Ref found = logic.kind == OperandKind::sink ? fresh(bytes) : target(logic, bytes);
    DraftInst& item = emit_guarded(spec, cost);
    item.inst.a = sources[0];
    item.inst.b = sources[1];
    item.inst.c = sources[2];
    item.inst.d = found;
    item.inst.mode = table;
    if (results.elements[1].kind == OperandKind::sink) return;
    const Ref said = target(results.elements[1], 0);
    DraftInst& test =
        emit_guarded({.op = Op::setp, .type = Type::u32, .from = Type::u32, .compare = Compare::ne}, Cost{});
    test.inst.d = said;
    test.inst.a = found;
    test.inst.b = none;
    test.inst.c = other;
    test.inst.mode = op.has("and") ? 1 : 2;
}

void FunctionDecoder::dot_product(const Opcode& op) {
    const bool four = op.root() == "dp4a";
    DraftInst& item = emit_operands({.op = four ? Op::dp4a : Op::dp2a, .type = Type::b32},
                                    one({Class::integer, Class::integer_multiply}), words);
    item.inst.mode = static_cast<std::uint8_t>((op.type(0) == Type::s32 ? 1 : 0) | (op.type(1) == Type::s32 ? 2 : 0) |
                                               (op.has("hi") ? 4 : 0));
}

void FunctionDecoder::test_property(const Opcode& op) {
    static constexpr std::array properties{"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    const Type type = op.type();
    DraftInst& item = emit_operands({.op = Op::testp, .type = type},
                                    expanded(std::string(instruction_->opcode), float_mix(type, false)), {type});
    for (std::size_t i = 0; i < properties.size(); ++i) {
        if (op.has(properties[i])) item.inst.mode = static_cast<std::uint8_t>(i);
    }
}

}  // namespace gpuproj::simulate::decoding
