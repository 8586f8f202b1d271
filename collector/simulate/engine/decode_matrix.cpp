// Matrix instructions: mma.sync, wmma, ldmatrix, stmatrix.
#include "collector/simulate/engine/function_decoder.hpp"

namespace gpuproj::simulate::decoding {

namespace {

/// "m16n8k16" in its parts.
struct Shape {
    std::uint32_t m = 0, n = 0, k = 0;
};
Shape shape_of(const Opcode& op) {
    for (const std::string_view part : op.parts) {
        if (part.size() < 6 || part.front() != 'm' || part.find('n') == std::string_view::npos ||
            part.find('k') == std::string_view::npos)
            continue;
        std::array<std::uint32_t, 3> values{};
        std::size_t which = 0;
        for (const char c : part) {
            if (c == 'm' || c == 'n' || c == 'k')
                which = c == 'm' ? 0 : c == 'n' ? 1 : 2;
            else if (c >= '0' && c <= '9')
                values[which] = values[which] * 10 + static_cast<std::uint32_t>(c - '0');
            else
                throw Unsupported{fmt::format("shape '{}'", part)};
        }
        if (values[1] != 8 && values[1] != 16 && values[1] != 32) throw Unsupported{fmt::format("shape '{}'", part)};
        return {values[0], values[1], values[2]};
    }
    throw Unsupported{"no shape"};
}

MatrixPlan plan_of(const Shape& shape) {
    MatrixPlan plan;
    plan.m = shape.m;
    plan.n = shape.n;
    plan.k = shape.k;
    return plan;
}

bool has_type(Type type) {
    return type == Type::f16 || type == Type::bf16 || type == Type::tf32 || type == Type::f64 || type == Type::s8 ||
           type == Type::u8;
}

/// Operations per warp, and machine instructions of the largest shape of their type that recent tensor units take.
Mix tensor_mix(const Shape& shape, Type type) {
    const std::uint32_t operations = 2 * shape.m * shape.n * shape.k;
    std::uint32_t at_once = 4096;
    Class kind = Class::tensor_fp16;
    switch (type) {
        case Type::bf16:
            kind = Class::tensor_bf16;
            break;
        case Type::tf32:
            kind = Class::tensor_tf32;
            at_once = 2048;
            break;
        case Type::f64:
            kind = Class::tensor_fp64;
            at_once = 512;
            break;
        case Type::s8:
        case Type::u8:
            kind = Class::tensor_int8;
            at_once = 8192;
            break;
        default:
            break;
    }
    Mix mix = static_cast<float>(std::max(1U, operations / at_once)) * one({Class::tensor});
    mix[static_cast<std::size_t>(kind)] = static_cast<float>(operations);
    return mix;
}

}  // namespace

MatrixFragment FunctionDecoder::fragment(const Operand& operand, Fragment kind, FragmentLayout layout, Type type,
                                         std::uint32_t rows, std::uint32_t cols, bool destination) {
    MatrixFragment result{.fragment = kind, .layout = layout, .type = type, .rows = rows, .cols = cols};
    result.register_bytes = type == Type::f64 ? 8 : 4;
    std::vector<Ref> refs;
    const auto add = [&](const Operand& element) {
        refs.push_back(destination ? target(element) : value(element, bits_of_size(result.register_bytes)));
    };
    if (operand.kind == OperandKind::vector) {
        for (const Operand& element : operand.elements) add(element);
    } else {
        add(operand);
    }
    result.registers = static_cast<std::uint32_t>(refs.size());
    result.first = list_of(refs);
    // Every element must have a place, and no lane may hold more than the matrix has.
    const std::uint32_t held = result.per_lane() * lanes, elements = rows * cols;
    if (held < elements || held % elements != 0 || (layout == FragmentLayout::mma && held != elements) ||
        elements > 32 * 32) {
        throw Unsupported{"a fragment of unknown layout"};
    }
    return result;
}

void FunctionDecoder::attach(DraftInst& item, MatrixPlan plan, bool a, bool b, bool c, bool d_written) {
    const auto use = [&](const MatrixFragment& part, bool written) {
        for (std::uint32_t i = 0; i < part.registers; ++i) item.list_refs.emplace_back(part.first + i, written);
    };
    if (a) use(plan.a, false);
    if (b) use(plan.b, false);
    if (c) use(plan.c, false);
    use(plan.d, d_written);
    item.d_written = false;
    item.inst.list = static_cast<std::uint32_t>(draft_.code.matrices.size());
    place_elements(plan);
    draft_.code.matrices.push_back(std::move(plan));
}

void FunctionDecoder::matrix_multiply(const Opcode& op) {
    if (op.has("sp") || op.has("block_scale") || op.types.size() != 4 || !op.has("row") || !op.has("col"))
        throw Unsupported{};
    const Shape shape = shape_of(op);
    const Type to = op.type(0), a = op.type(1), b = op.type(2), c = op.type(3);
    if (!has_type(a) || !has_type(b) || (shape.m == 8 && shape.k == 4 && a == Type::f16)) throw Unsupported{};
    MatrixPlan plan = plan_of(shape);
    plan.a = fragment(operand(1), Fragment::a, FragmentLayout::mma, a, shape.m, shape.k, false);
    plan.b = fragment(operand(2), Fragment::b, FragmentLayout::mma, b, shape.k, shape.n, false);
    plan.c = fragment(operand(3), Fragment::c, FragmentLayout::mma, c, shape.m, shape.n, false);
    plan.d = fragment(operand(0), Fragment::c, FragmentLayout::mma, to, shape.m, shape.n, true);
    plan.saturate = op.has("satfinite");
    attach(emit_guarded({.op = Op::mma}, tensor_mix(shape, a)), plan, true, true, true, true);
}

void FunctionDecoder::wmma(const Opcode& op) {
    const Shape shape = shape_of(op);
    if (op.has("mma")) {
        // f16 inputs go unsaid: ".dtype.ctype".
        const bool short_form = op.types.size() == 2;
        if (!short_form && op.types.size() != 4) throw Unsupported{};
        const Type to = op.type(0), a = short_form ? Type::f16 : op.type(1), b = short_form ? Type::f16 : op.type(2),
                   c = op.types.back();
        if (!has_type(a) || !has_type(b)) throw Unsupported{};
        MatrixPlan plan = plan_of(shape);
        plan.a = fragment(operand(1), Fragment::a, FragmentLayout::wmma, a, shape.m, shape.k, false);
        plan.b = fragment(operand(2), Fragment::b, FragmentLayout::wmma, b, shape.k, shape.n, false);
        plan.c = fragment(operand(3), Fragment::c, FragmentLayout::wmma, c, shape.m, shape.n, false);
        plan.d = fragment(operand(0), Fragment::c, FragmentLayout::wmma, to, shape.m, shape.n, true);
        plan.saturate = op.has("satfinite");
        attach(emit_guarded({.op = Op::mma}, tensor_mix(shape, a)), plan, true, true, true, true);
        return;
    }
    const bool store = op.has("store");
    const Fragment kind = store || op.has("c") ? Fragment::c : op.has("a") ? Fragment::a : Fragment::b;
    const std::uint32_t rows = kind == Fragment::b ? shape.k : shape.m, cols = kind == Fragment::a ? shape.k : shape.n;
    MatrixPlan plan = plan_of(shape);
    plan.column_major = op.has("col");
    plan.d = fragment(operand(store ? 1 : 0), kind, FragmentLayout::wmma, op.type(), rows, cols, !store);
    const Ref stride = operands() > 2 ? value(operand(2), Type::u32) : constant(plan.column_major ? rows : cols, 4);
    const Space space = space_named(op);
    // One access per register: what the machine would issue for rows of neighbours.
    const Mix mix = static_cast<float>(plan.d.registers) * one({Class::load_store});
    DraftInst& item = emit_guarded({.op = store ? Op::wmma_store : Op::wmma_load}, mix);
    set_address(item.inst, operand(store ? 0 : 1));
    item.inst.b = stride;
    item.inst.mode = space == Space::shared ? 1 : space == Space::generic ? 2 : 0;
    item.inst.bytes = item.inst.wide_bytes = static_cast<std::uint8_t>(size_of(plan.d.type));
    item.store = true;
    attach(item, plan, false, false, false, !store);
}

void FunctionDecoder::matrix_rows(const Opcode& op) {
    if (!op.has("m8n8") || !op.has("b16")) throw Unsupported{};
    const bool store = op.root() == "stmatrix";
    MatrixPlan plan;
    plan.matrices = op.has("x4") ? 4 : op.has("x2") ? 2 : 1;
    plan.transposed = op.has("trans");
    plan.d =
        fragment(operand(store ? 1 : 0), Fragment::c, FragmentLayout::wmma, Type::b16, 8, 8 * plan.matrices, !store);
    DraftInst& item = emit_guarded({.op = store ? Op::stmatrix : Op::ldmatrix}, one({Class::load_store}));
    set_address(item.inst, operand(store ? 0 : 1));
    item.inst.bytes = item.inst.wide_bytes = 16;
    item.store = true;
    attach(item, plan, false, false, false, !store);
}

}  // namespace gpuproj::simulate::decoding
