// Products of matrices by warp groups: wgmma.
#include <string>

#include "collector/simulate/engine/decode/function_decoder.hpp"
#include "collector/simulate/engine/tensor_kind.hpp"
#include "collector/simulate/engine/warp_group.hpp"

namespace gpuproj::simulate::decoding {

namespace {

/// Inputs that go together, and how deep their products are if they are dense.
struct GroupForm {
    std::array<Type, 2> inputs;  // A and B, each one of these
    std::array<Type, 2> results;
    std::uint32_t k;
    bool same;     // A and B
    bool turns;    // has immediates that say where neighbours are
    bool integer;  // and has none that negate; with fewer shapes
};
constexpr std::array group_forms{
    GroupForm{{Type::f16, Type::f16}, {Type::f16, Type::f32}, 16, true, true, false},
    GroupForm{{Type::bf16, Type::bf16}, {Type::f32, Type::f32}, 16, true, true, false},
    GroupForm{{Type::tf32, Type::tf32}, {Type::f32, Type::f32}, 8, true, false, false},
    GroupForm{{Type::e4m3, Type::e5m2}, {Type::f16, Type::f32}, 32, false, false, false},
    GroupForm{{Type::s8, Type::u8}, {Type::s32, Type::s32}, 32, false, false, true},
    GroupForm{{Type::b1, Type::b1}, {Type::s32, Type::s32}, 256, true, false, true},
};
const GroupForm& form_of(const Opcode& op) {
    if (op.types.size() != 3) throw Unsupported{};
    const auto* const found = std::ranges::find_if(group_forms, [&](const GroupForm& form) {
        return std::ranges::count(form.results, op.type(0)) > 0 && std::ranges::count(form.inputs, op.type(1)) > 0 &&
               std::ranges::count(form.inputs, op.type(2)) > 0 && (!form.same || op.type(1) == op.type(2));
    });
    if (found == group_forms.end()) throw Unsupported{"these types"};
    return *found;
}
/// Columns of the shape, which must be one that PTX has for the form.
std::uint32_t columns_of(const Opcode& op, const GroupForm& form, std::uint32_t depth) {
    for (std::uint32_t n = 8; n <= 256; n += 8) {
        const bool has = !form.integer || n % 16 == 0 || n == 8 || n == 24;
        if (has && op.has(fmt::format("m64n{}k{}", n, depth))) return n;
    }
    throw Unsupported{"this shape"};
}
/// Whether an immediate has the second of two values and not the first.
bool second_of(const Operand& operand, std::int64_t first, std::int64_t second) {
    const auto value = static_cast<std::int64_t>(operand.bits);
    if (operand.kind != OperandKind::integer || (value != first && value != second))
        throw Unsupported{"this immediate"};
    return value == second;
}

}  // namespace

void FunctionDecoder::warp_group(const Opcode& op) {
    if (op.has("mma_async")) return group_multiply(op);
    if (op.has("fence")) {
        emit_in_order({.op = Op::fence}, one({Class::misc}));
    } else if (op.has("commit_group")) {
        emit_in_order({.op = Op::group_commit}, {});  // a bit of the last product's machine instruction
    } else if (op.has("wait_group")) {
        if (operand(0).kind != OperandKind::integer) throw Unsupported{"a number of groups that is no constant"};
        emit_in_order({.op = Op::group_wait}, one({Class::misc})).inst.imm = static_cast<std::int64_t>(operand(0).bits);
    } else {
        throw Unsupported{};
    }
}

/// "d, a, b{, metadata, selector}, scale-d{, imm-scale-a, imm-scale-b}{{, imm-trans-a}, imm-trans-b}": b is a
/// descriptor, a is one or registers, which have no imm-trans-a. Each warp has 16 rows of A and D, and counts the
/// operations of these: half of them where A is sparse, as of mma.
void FunctionDecoder::group_multiply(const Opcode& op) {
    constexpr std::uint32_t rows = 16, panel_columns = 8;
    const GroupForm& form = form_of(op);
    const bool sparse = op.has("sp"), bits = op.type(1) == Type::b1,
               in_registers = operand(1).kind == OperandKind::vector;
    const std::uint32_t stored = form.k, depth = sparse ? 2 * form.k : form.k, n = columns_of(op, form, depth);
    if ((sparse && bits) || bits != (op.has("and") && op.has("popc")) ||
        (op.has("satfinite") && (!form.integer || bits)))
        throw Unsupported{};
    MatrixPlan plan;
    plan.m = rows;
    plan.n = panel_columns;
    plan.k = depth;
    plan.panels = n / panel_columns;
    plan.saturate = op.has("satfinite");
    plan.sparse = sparse;
    if (in_registers) {
        plan.a = fragment(operand(1), Fragment::a, FragmentLayout::mma, op.type(1), rows, stored, false);
    } else {
        plan.a = {
            .fragment = Fragment::a, .type = op.type(1), .bits = bit_count(op.type(1)), .rows = rows, .cols = stored};
    }
    plan.b.type = op.type(2);
    plan.c = fragment(operand(0), Fragment::c, FragmentLayout::mma, op.type(0), rows, n, false);
    plan.d = fragment(operand(0), Fragment::c, FragmentLayout::mma, op.type(0), rows, n, true);
    const Ref a = in_registers ? no_ref : value(operand(1), Type::b64), b = value(operand(2), Type::b64);
    std::size_t next = 3;
    Ref metadata = no_ref;
    if (sparse) {
        const std::uint32_t selectors = size_of(op.type(1)) == 1 ? 1 : 2;
        metadata = value(operand(next), Type::b32);
        const Operand& selector = operand(next + 1);
        if (selector.kind != OperandKind::integer || selector.bits >= selectors)
            throw Unsupported{"this sparsity selector"};
        plan.selector = static_cast<std::uint32_t>(selector.bits);
        next += 2;
    }
    const Ref adds = value(operand(next++), Type::pred);
    unsigned mode = 0;
    if (!form.integer) {
        const bool minus_a = second_of(operand(next), 1, -1), minus_b = second_of(operand(next + 1), 1, -1);
        if (minus_a != minus_b) mode |= group_subtracts;
        next += 2;
    }
    if (form.turns) {
        if (!in_registers && second_of(operand(next++), 0, 1)) mode |= group_turns_a;
        if (second_of(operand(next++), 0, 1)) mode |= group_turns_b;
    }
    if (next != operands()) throw Unsupported{"these operands"};
    DraftInst& item = emit_guarded({.op = Op::group_multiply}, tensor_mix(2 * rows * n * stored, op.type(1), 1));
    item.d_written = false;
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = metadata;
    item.inst.e = adds;
    item.e_read = true;
    item.inst.mode = static_cast<std::uint8_t>(mode);
    item.store = true;
    item.space = Space::none;
    for (const auto& [part, written] : {std::pair{&plan.a, false}, {&plan.c, false}, {&plan.d, true}})
        use_fragment(item, *part, written);
    for (MatrixFragment* part : {&plan.c, &plan.d}) {
        part->cols = panel_columns;
        part->registers /= plan.panels;
    }
    place_elements(plan);
    item.inst.list = static_cast<std::uint32_t>(draft_.code.matrices.size());
    draft_.code.matrices.push_back(std::move(plan));
}

}  // namespace gpuproj::simulate::decoding
