// Comparisons, selections, moves, conversions.
#include "collector/simulate/engine/decode/function_decoder.hpp"

namespace gpuproj::simulate::decoding {

void FunctionDecoder::compare(const Opcode& op) {
    static constexpr std::array<std::pair<std::string_view, Compare>, 18> names{{{"eq", Compare::eq},
                                                                                 {"ne", Compare::ne},
                                                                                 {"lt", Compare::lt},
                                                                                 {"le", Compare::le},
                                                                                 {"gt", Compare::gt},
                                                                                 {"ge", Compare::ge},
                                                                                 {"lo", Compare::lt},
                                                                                 {"ls", Compare::le},
                                                                                 {"hi", Compare::gt},
                                                                                 {"hs", Compare::ge},
                                                                                 {"equ", Compare::equ},
                                                                                 {"neu", Compare::neu},
                                                                                 {"ltu", Compare::ltu},
                                                                                 {"leu", Compare::leu},
                                                                                 {"gtu", Compare::gtu},
                                                                                 {"geu", Compare::geu},
                                                                                 {"num", Compare::num},
                                                                                 {"nan", Compare::nan}}};
    const bool to_value = op.root() == "set";
    Spec spec;
    spec.op = to_value ? Op::set : Op::setp;
    spec.type = op.type();
    spec.from = op.types.back();
    spec.ftz = op.has("ftz");
    bool named = false;
    for (const auto& [name, compare] : names) {
        if (op.parts.size() > 1 && op.parts[1] == name) {
            spec.compare = compare;
            named = true;
        }
    }
    if (!named) throw Unsupported{"a comparison that is not known"};
    const unsigned boolean = op.has("and") ? 1 : op.has("or") ? 2 : op.has("xor") ? 3 : 0;
    // Untyped bits are compared like unsigned integers.
    const Type compared = spec.from == Type::b16   ? Type::u16
                          : spec.from == Type::b32 ? Type::u32
                          : spec.from == Type::b64 ? Type::u64
                                                   : spec.from;
    const Cost cost =
        expanded(fmt::format("setp.{}", name_of(compared)),
                 is_float(spec.from) ? float_mix(spec.from, false) : one({Class::integer, Class::integer_compare}));
    DraftInst& item = boolean != 0 ? emit_operands(spec, cost, {spec.from, spec.from, Type::pred})
                                   : emit_operands(spec, cost, {spec.from, spec.from});
    item.inst.mode = static_cast<std::uint8_t>(boolean | (spec.ftz ? 4U : 0U));
    if (to_value) {
        item.inst.d_width = width_of(operand(0));
        const Type kind = spec.type;
        item.inst.imm = kind == Type::f32                            ? 0x3F800000
                        : kind == Type::f16 || kind == Type::f16x2   ? 0x3C00
                        : kind == Type::bf16 || kind == Type::bf16x2 ? 0x3F80
                                                                     : 0xFFFFFFFF;
    }
}

void FunctionDecoder::select(const Opcode& op) {
    const bool by_predicate = op.root() == "selp";
    const Type type = op.type();
    Spec spec{.op = by_predicate ? Op::selp : Op::slct, .type = type};
    if (!by_predicate) spec.from = op.type(1);
    spec.ftz = op.has("ftz");
    const Type kind = type == Type::f32 || type == Type::f64 ? type : bits_of_size(size_of(type));
    emit_operands(spec, expanded(fmt::format("{}.{}", op.root(), name_of(kind)), one({Class::misc})),
                  {type, type, by_predicate ? Type::pred : spec.from});
}

void FunctionDecoder::move(const Opcode& op) {
    const Type type = op.type();
    const Operand& to = operand(0);
    const Operand& from = operand(1);
    if (from.kind == OperandKind::vector) {  // pack
        const auto count = static_cast<std::uint32_t>(from.elements.size());
        const std::uint32_t bytes = size_of(type) / count;
        std::vector<Ref> refs;
        refs.reserve(count);
        // A register for a single byte has two.
        for (const Operand& element : from.elements) refs.push_back(value(element, bits_of_size(std::max(2U, bytes))));
        DraftInst& item = emit_guarded({.op = Op::pack, .type = type}, Mix{});
        item.inst.d = target(to, size_of(type));
        item.d_read = true;  // written part by part
        item.inst.list = list_of(refs);
        item.inst.count = static_cast<std::uint8_t>(count);
        item.inst.a_width = static_cast<std::uint8_t>(bytes);
        item.inst.d_width = static_cast<std::uint8_t>(size_of(type));
        return;
    }
    if (to.kind == OperandKind::vector) {  // unpack
        const auto count = static_cast<std::uint32_t>(to.elements.size());
        std::vector<Ref> refs;
        refs.reserve(count);
        for (const Operand& element : to.elements) refs.push_back(target(element, size_of(type) / count));
        const Ref a = value(from, type);
        DraftInst& item = emit_guarded({.op = Op::unpack, .type = type}, Mix{});
        item.inst.a = a;
        item.inst.list = list_of(refs);
        item.list_written = true;
        item.d_written = false;
        item.inst.count = static_cast<std::uint8_t>(count);
        item.inst.a_width = static_cast<std::uint8_t>(size_of(type));
        item.inst.d_width = static_cast<std::uint8_t>(size_of(type) / count);
        return;
    }
    if (from.kind == OperandKind::special && from.symbol != "WARP_SZ") {
        const SpecialRegister reg = special_register(from.symbol);
        DraftInst& item =
            emit_guarded({.op = Op::mov_special, .type = type}, is_free(reg) ? Mix{} : one({Class::misc}));
        item.inst.d = target(to, size_of(type));
        item.inst.mode = static_cast<std::uint8_t>(reg);
        return;
    }
    // The address of a local or shared variable is generic only after cvta; of a kernel parameter it is in the buffer.
    // Copies vanish in register allocation, or fold into their users.
    DraftInst& item =
        emit_operands({.op = Op::mov, .type = type == Type::pred ? type : bits_of_size(size_of(type))}, Mix{}, {type});
    note_shared_variable(item, from);
}

void FunctionDecoder::convert(const Opcode& op) {
    if (op.has("pack")) return convert_and_pack(op);
    if (op.has("s2") || op.has("u2")) throw Unsupported{"integers of two bits"};
    Spec spec;
    spec.op = Op::cvt;
    spec.type = op.type(0);
    spec.from = op.type(1);
    spec.rounding = rounding_of(op);
    const bool pair = spec.from == Type::f32 && name_of(spec.type).ends_with("x2");
    if (op.types.size() > 2) throw Unsupported{};
    const std::uint32_t from_bytes = size_of(spec.from);
    const bool saturates = op.has("sat") && (!is_float(spec.from) || spec.type == Type::f32);
    const Cost cost =
        expanded(fmt::format("cvt{}.{}.{}", saturates ? ".sat" : "", name_of(spec.type), name_of(spec.from)),
                 one({Class::conversion}));
    DraftInst& item = pair ? emit_operands(spec, cost, {spec.from, spec.from}) : emit_operands(spec, cost, {spec.from});
    item.inst.d_width = width_of(operand(0));
    item.inst.a_width =
        operand(1).kind == OperandKind::reg ? width_of(operand(1)) : static_cast<std::uint8_t>(from_bytes);
    item.inst.mode = static_cast<std::uint8_t>(static_cast<unsigned>(spec.rounding) | (op.has("ftz") ? 8U : 0U) |
                                               (op.has("sat") ? 16U : 0U) | (op.has("relu") ? 32U : 0U) |
                                               (op.has("satfinite") ? 64U : 0U) | (op.has("rna") ? 128U : 0U));
}

/// cvt.pack.sat.TYPE.s32{.b32} d, a, b{, c}: one I2IP on every architecture that has it.
void FunctionDecoder::convert_and_pack(const Opcode& op) {
    constexpr std::array<std::pair<std::string_view, std::uint8_t>, 8> types{
        {{"s2", 2}, {"u2", 2}, {"s4", 4}, {"u4", 4}, {"s8", 8}, {"u8", 8}, {"s16", 16}, {"u16", 16}}};
    const auto* const to =
        std::ranges::find(types, op.parts.size() > 3 ? op.parts[3] : "", &decltype(types)::value_type::first);
    const bool above = to != types.end() && to->second < 16;  // there is room for c
    if (to == types.end() || !op.has("sat") || op.parts.size() != (above ? 6 : 5) || op.parts[4] != "s32" ||
        op.parts.back() != (above ? "b32" : "s32") || operands() != (above ? 4 : 3))
        throw Unsupported{"this form of cvt.pack"};
    const Spec spec{.op = Op::cvt_pack, .type = Type::b32, .from = to->first.front() == 's' ? Type::s32 : Type::u32};
    const Mix cost = one({Class::conversion});
    DraftInst& item = above ? emit_operands(spec, cost, {Type::s32, Type::s32, Type::b32})
                            : emit_operands(spec, cost, {Type::s32, Type::s32});
    item.inst.mode = to->second;
}

/// cvta.shared adds the window of shared memory, cvta.to.shared takes it off; global addresses are generic as they are.
void FunctionDecoder::convert_address(const Opcode& op) {
    const Type type = op.type();
    const bool shared = op.has("shared") || op.has("shared::cta") || op.has("shared::cluster"), local = op.has("local"),
               back = op.has("to");
    if (!shared && !local) {
        emit_operands({.op = Op::mov, .type = bits_of_size(size_of(type))}, Mix{}, {type});
        return;
    }
    const Ref window = constant(shared ? shared_window : local_window, 8);
    emit_operands({.op = back ? Op::sub : Op::add, .type = Type::u64}, Mix{}, {type}).inst.b = window;
}

/// mapa d, a, rank; getctarank d, a. Without a state space the addresses are generic.
void FunctionDecoder::map_address(const Opcode& op) {
    const Type type = op.type();
    if (op.root() == "getctarank") {
        emit_operands({.op = Op::rank_of, .type = type}, one({Class::misc}), {type});
        return;
    }
    DraftInst& item = emit_operands({.op = Op::map_rank, .type = type}, one({Class::misc}), {type, Type::u32});
    item.inst.mode = op.has("shared::cluster") ? 0 : 1;
}

/// alloca d, bytes{, align}; stacksave d; stackrestore a.
void FunctionDecoder::allocate_stack(const Opcode& op) {
    const Type type = op.type();
    if (op.root() == "stacksave") {
        set_results(emit_guarded({.op = Op::save_stack, .type = type}, Mix{}), operand(0), size_of(type));
    } else if (op.root() == "stackrestore") {
        const Ref a = value(operand(0), type);
        DraftInst& item = emit_guarded({.op = Op::restore_stack, .type = type}, Mix{});
        item.inst.a = a;
        item.inst.a_width = static_cast<std::uint8_t>(size_of(type));
        item.d_written = false;
    } else {
        const std::uint64_t align = operands() > 2 ? operand(2).bits : 8;
        if (align == 0 || align > 256) throw Unsupported{"this alignment"};
        emit_operands({.op = Op::allocate_stack, .type = type}, one({Class::integer, Class::integer_add}), {type})
            .inst.imm = static_cast<std::int64_t>(align);
    }
}

void FunctionDecoder::is_space(const Opcode& op) {
    DraftInst& item = emit_operands({.op = Op::is_space, .type = Type::b64},
                                    one({Class::integer, Class::integer_compare}), {Type::b64});
    item.inst.mode = op.has("global")                            ? 0
                     : op.has("shared::cluster")                 ? 1
                     : op.has("shared") || op.has("shared::cta") ? 4
                     : op.has("local")                           ? 2
                                                                 : 3;
}

}  // namespace gpuproj::simulate::decoding
