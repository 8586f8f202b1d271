// Matrix instructions: mma.sync, wmma, ldmatrix, stmatrix.
#include "collector/simulate/engine/decode/function_decoder.hpp"
#include "collector/simulate/engine/tensor_kind.hpp"

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

/// Operations per warp, and machine instructions. `bits`: of an element, 0: as many as the type has.
Mix mix_of(const Shape& shape, Type type, std::uint32_t bits = 0, std::uint32_t products = 1) {
    const std::uint32_t operations = 2 * shape.m * shape.n * shape.k * products;
    const std::uint32_t denser = bits == 0 ? 1 : bit_count(type) / bits;
    return tensor_mix(operations, type, std::max(1U, operations / (denser * tensor_kind(type)->at_once)));
}

/// Bits of an element of mma's inputs: 4 where those kinds pack them that have nothing else, 0 where the type says it.
std::uint32_t packed_bits(const Opcode& op) {
    return op.has("kind::mxf4") || op.has("kind::mxf4nvf4") ? 4 : 0;
}

/// What mma may be, but for m8n8k4 of halves (multiply_quarters): PTX ISA, mma and mma.sp.
struct ProductForm {
    std::string_view kind;                 // .kind::
    std::vector<Type> inputs;              // of A and of B
    std::vector<Type> sums;                // of C and D, which have the same
    std::vector<std::string_view> shapes;  // of dense products
    struct Sparse {
        std::uint32_t k, selectors;
    };
    std::vector<Sparse> sparse;  // products of m16n8
};
const std::vector<ProductForm>& product_forms() {
    using enum Type;
    static const auto& forms = *new std::vector<ProductForm>{
        // there until the very end of a process
        {"", {f16}, {f16, f32}, {"m16n8k8", "m16n8k16"}, {{16, 4}, {32, 2}}},
        {"", {bf16}, {f32}, {"m16n8k8", "m16n8k16"}, {{16, 4}, {32, 2}}},
        {"", {tf32}, {f32}, {"m16n8k4", "m16n8k8", "m16n8k16"}, {{8, 4}, {16, 2}}},
        {"", {f64}, {f64}, {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"}, {}},
        {"", {s8, u8}, {s32}, {"m8n8k16", "m16n8k16", "m16n8k32"}, {{32, 2}, {64, 1}}},
        {"", {s4, u4}, {s32}, {"m8n8k32", "m16n8k32", "m16n8k64"}, {{64, 2}, {128, 1}}},
        {"", {b1}, {s32}, {"m8n8k128", "m16n8k128", "m16n8k256"}, {}},
        {"", {e4m3, e5m2}, {f16, f32}, {"m16n8k16", "m16n8k32"}, {{64, 1}}},
        {"kind::f8f6f4", {e4m3, e5m2, e2m3, e3m2, e2m1}, {f16, f32}, {"m16n8k16", "m16n8k32"}, {{64, 1}}},
        {"kind::mxf8f6f4", {e4m3, e5m2, e2m3, e3m2, e2m1}, {f32}, {"m16n8k32"}, {{64, 1}}},
        {"kind::mxf4", {e2m1}, {f32}, {"m16n8k64"}, {{128, 1}}},
        {"kind::mxf4nvf4", {e2m1}, {f32}, {"m16n8k64"}, {{128, 1}}},
    };
    return forms;
}

template <class Values, class Value>
bool has_value(const Values& values, const Value& value) {
    return std::ranges::find(values, value) != std::ranges::end(values);
}

/// Names the first of the modifiers that an instruction has and may not have.
void refuse(const Opcode& op, std::initializer_list<std::string_view> modifiers) {
    for (const std::string_view part : op.parts)
        if (has_value(modifiers, part)) throw Unsupported{fmt::format("modifier '{}'", part)};
}
constexpr std::string_view exclusive_or = "xor", both = "and", count = "popc", limited = "satfinite";

void refuse_factors(const Opcode& op) {
    refuse(op, {"block_scale", "scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "ue8m0", "ue4m3"});
}

/// The form that mma has; throws Unsupported for what is none.
const ProductForm& product_form(const Opcode& op, const Shape& shape) {
    std::string_view kind;
    for (const std::string_view part : op.parts) {
        if (!part.starts_with("kind::")) continue;
        if (!kind.empty()) throw Unsupported{fmt::format("modifier '{}'", part)};
        kind = part;
    }
    const Type a = op.type(1), b = op.type(2);
    const bool sparse = op.has("sp") || op.has("sp::ordered_metadata");
    const auto form = std::ranges::find_if(product_forms(), [&](const ProductForm& known) {
        return known.kind == kind && has_value(known.inputs, a) && has_value(known.inputs, b);
    });
    const auto unknown = [&] { return Unsupported{sparse ? "this sparse product" : "this product"}; };
    if (form == product_forms().end() || op.type(0) != op.type(3) || !has_value(form->sums, op.type(0)))
        throw unknown();
    if (sparse ? shape.m != 16 || shape.n != 8 ||
                     std::ranges::find(form->sparse, shape.k, &ProductForm::Sparse::k) == form->sparse.end()
               : std::ranges::none_of(form->shapes, [&](std::string_view known) { return op.has(known); }))
        throw unknown();
    // Rows of A and columns of B.
    constexpr std::array<std::string_view, 2> layout{"row", "col"};
    if (std::ranges::search(op.parts, layout).empty()) throw Unsupported{"this layout"};
    const bool of_bits = a == Type::b1;
    if (of_bits && (op.has(exclusive_or) == op.has(both) || !op.has(count))) throw Unsupported{"no operation on bits"};
    if (!of_bits) refuse(op, {exclusive_or, both, count});
    if (of_bits || op.type(0) != Type::s32) refuse(op, {limited});
    if (!kind.empty() || (a != Type::f16 && op.type(0) == Type::f16)) refuse(op, {"sp"});  // its metadata is ordered
    return *form;
}

}  // namespace

MatrixFragment FunctionDecoder::fragment(const Operand& operand, Fragment kind, FragmentLayout layout, Type type,
                                         std::uint32_t rows, std::uint32_t cols, bool destination, std::uint32_t bits) {
    MatrixFragment result{.fragment = kind,
                          .layout = layout,
                          .type = type,
                          .bits = bits == 0 ? bit_count(type) : bits,
                          .rows = rows,
                          .cols = cols};
    result.register_bytes = type == Type::f64 ? 8 : 4;
    std::vector<Ref> refs;
    const auto add = [&](const Operand& element) {
        refs.push_back(destination ? target(element, result.register_bytes)
                                   : value(element, bits_of_size(result.register_bytes)));
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
        elements > 16 * 256) {
        throw Unsupported{"a fragment of unknown layout"};
    }
    if (lies_as_mma(result)) result.layout = FragmentLayout::mma;
    return result;
}

void FunctionDecoder::use_fragment(DraftInst& item, const MatrixFragment& fragment, bool written) {
    for (std::uint32_t i = 0; i < fragment.registers; ++i) item.list_refs.emplace_back(fragment.first + i, written);
}

void FunctionDecoder::attach(DraftInst& item, MatrixPlan plan, bool a, bool b, bool c, bool d_written) {
    if (a) use_fragment(item, plan.a, false);
    if (b) use_fragment(item, plan.b, false);
    if (c) use_fragment(item, plan.c, false);
    use_fragment(item, plan.d, d_written);
    for (std::uint32_t i = 0; plan.scale.parts > 0 && i < BlockScale::refs; ++i)
        item.list_refs.emplace_back(plan.scale.first + i, false);
    item.d_written = false;
    item.inst.list = static_cast<std::uint32_t>(draft_.code.matrices.size());
    place_elements(plan);
    draft_.code.matrices.push_back(std::move(plan));
}

void FunctionDecoder::matrix_multiply(const Opcode& op) {
    if (op.has("sp") || op.has("sp::ordered_metadata")) return sparse_multiply(op);
    if (op.types.size() != 4) throw Unsupported{};
    const Shape shape = shape_of(op);
    const Type to = op.type(0), a = op.type(1), b = op.type(2), c = op.type(3);
    if (shape.m == 8 && shape.k == 4 && a == Type::f16) return multiply_quarters(op);
    product_form(op, shape);
    const std::uint32_t bits = packed_bits(op);
    MatrixPlan plan = plan_of(shape);
    scale_blocks(op, 4, plan);
    plan.a = fragment(operand(1), Fragment::a, FragmentLayout::mma, a, shape.m, shape.k, false, bits);
    plan.b = fragment(operand(2), Fragment::b, FragmentLayout::mma, b, shape.k, shape.n, false, bits);
    plan.c = fragment(operand(3), Fragment::c, FragmentLayout::mma, c, shape.m, shape.n, false);
    plan.d = fragment(operand(0), Fragment::c, FragmentLayout::mma, to, shape.m, shape.n, true);
    plan.saturate = op.has("satfinite");
    plan.exclusive_or = a == Type::b1 && op.has("xor");
    attach(emit_guarded({.op = Op::mma}, mix_of(shape, a, bits)), plan, true, true, true, true);
}

/// Four products of 8 x 4 and 4 x 8 halves, each in eight lanes, their matrices below each other.
void FunctionDecoder::multiply_quarters(const Opcode& op) {
    constexpr std::uint32_t products = 4;
    const Type to = op.type(0), c = op.type(3);
    std::vector<FragmentLayout> layouts;
    for (const std::string_view part : op.parts) {
        if (part == "row") layouts.push_back(FragmentLayout::of_quarters);
        if (part == "col") layouts.push_back(FragmentLayout::of_quarters_turned);
    }
    const auto is_sum = [](Type type) { return type == Type::f16 || type == Type::f32; };
    if (layouts.size() != 2) throw Unsupported{"this layout"};
    if (op.type(2) != Type::f16 || !is_sum(to) || !is_sum(c) || (to == Type::f16 && c == Type::f32))
        throw Unsupported{"this product"};
    for (const std::string_view part : op.parts)
        if (part.starts_with("kind::")) refuse(op, {part});
    refuse(op, {exclusive_or, both, count, limited});
    refuse_factors(op);
    const Shape shape = shape_of(op);
    MatrixPlan plan = plan_of(shape);
    plan.products = products;
    plan.a = fragment(operand(1), Fragment::a, layouts[0], Type::f16, products * shape.m, shape.k, false);
    plan.b = fragment(operand(2), Fragment::b, layouts[1], Type::f16, products * shape.k, shape.n, false);
    plan.c = fragment(operand(3), Fragment::c, FragmentLayout::of_quarters, c, products * shape.m, shape.n, false);
    plan.d = fragment(operand(0), Fragment::c, FragmentLayout::of_quarters, to, products * shape.m, shape.n, true);
    attach(emit_guarded({.op = Op::mma}, mix_of(shape, Type::f16, 0, products)), plan, true, true, true, true);
}

/// .block_scale: from `first_operand` on the factors of A, {first byte, lanes}, and those of B.
void FunctionDecoder::scale_blocks(const Opcode& op, std::size_t first_operand, MatrixPlan& plan) {
    struct Form {
        std::string_view kind;
        std::uint32_t parts;  // where .scale_vec is not said; 0: it has to be
        std::vector<std::uint32_t> possible;
    };
    static const auto& forms = *new std::array{
        // there until the very end of a process
        Form{"kind::mxf8f6f4", 1, {1}},
        Form{"kind::mxf4", 2, {2}},
        Form{"kind::mxf4nvf4", 0, {2, 4}},
    };
    const auto* const form = std::ranges::find_if(forms, [&](const Form& known) { return op.has(known.kind); });
    if (form == forms.end()) return refuse_factors(op);
    if (!op.has("block_scale")) throw Unsupported{"this kind of factors"};
    const std::uint32_t parts = op.has("scale_vec::1X")   ? 1
                                : op.has("scale_vec::2X") ? 2
                                : op.has("scale_vec::4X") ? 4
                                                          : form->parts;
    if (std::ranges::find(form->possible, parts) == form->possible.end() || op.has("ue8m0") == op.has("ue4m3") ||
        (op.has("ue4m3") && parts != 4))
        throw Unsupported{"these factors"};
    std::vector<Ref> refs;
    for (std::size_t i = first_operand; i < first_operand + 4; i += 2) {
        const Operand& selectors = operand(i + 1);
        if (selectors.kind != OperandKind::vector || selectors.elements.size() != 2) throw Unsupported{};
        refs.push_back(value(operand(i), Type::b32));
        for (const Operand& selector : selectors.elements) refs.push_back(value(selector, Type::u16));
    }
    plan.scale = {.parts = parts, .powers = op.has("ue8m0"), .first = list_of(refs)};
}

/// mma.sp d, a, b, c, metadata, selector. What is counted are the operations that the tensor units do, half of those of
/// a dense product of the shape: the zeros of A are not multiplied. At the rate of dense products they take as long as
/// at the doubled one that data sheets give for sparse products, where the zeros count.
void FunctionDecoder::sparse_multiply(const Opcode& op) {
    if (op.types.size() != 4) throw Unsupported{};
    const Shape shape = shape_of(op);
    const Type to = op.type(0), a = op.type(1), b = op.type(2), c = op.type(3);
    const ProductForm& form = product_form(op, shape);
    const auto of_k = std::ranges::find(form.sparse, shape.k, &ProductForm::Sparse::k);
    const Operand& selector = operand(5);
    if (selector.kind != OperandKind::integer || selector.bits >= of_k->selectors)
        throw Unsupported{"this sparsity selector"};
    const std::uint32_t bits = packed_bits(op);
    MatrixPlan plan = plan_of(shape);
    scale_blocks(op, 6, plan);
    plan.a = fragment(operand(1), Fragment::a, FragmentLayout::mma, a, shape.m, shape.k / 2, false, bits);
    plan.b = fragment(operand(2), Fragment::b, FragmentLayout::mma, b, shape.k, shape.n, false, bits);
    plan.c = fragment(operand(3), Fragment::c, FragmentLayout::mma, c, shape.m, shape.n, false);
    plan.d = fragment(operand(0), Fragment::c, FragmentLayout::mma, to, shape.m, shape.n, true);
    plan.saturate = op.has("satfinite");
    plan.sparse = true;
    plan.selector = static_cast<std::uint32_t>(selector.bits);
    const Ref metadata = value(operand(4), Type::b32);
    DraftInst& item = emit_guarded({.op = Op::mma}, mix_of({shape.m, shape.n, shape.k / 2}, a, bits));
    item.inst.a = metadata;
    attach(item, plan, true, true, true, true);
}

void FunctionDecoder::wmma(const Opcode& op) {
    const Shape shape = shape_of(op);
    if (op.has("mma")) {
        // f16 inputs go unsaid: ".dtype.ctype".
        const bool short_form = op.types.size() == 2;
        if (!short_form && op.types.size() != 4) throw Unsupported{};
        const Type to = op.type(0), a = short_form ? Type::f16 : op.type(1), b = short_form ? Type::f16 : op.type(2),
                   c = op.types.back();
        if (!is_tensor_type(a) || !is_tensor_type(b)) throw Unsupported{};
        MatrixPlan plan = plan_of(shape);
        plan.a = fragment(operand(1), Fragment::a, FragmentLayout::wmma, a, shape.m, shape.k, false);
        plan.b = fragment(operand(2), Fragment::b, FragmentLayout::wmma, b, shape.k, shape.n, false);
        plan.c = fragment(operand(3), Fragment::c, FragmentLayout::wmma, c, shape.m, shape.n, false);
        plan.d = fragment(operand(0), Fragment::c, FragmentLayout::wmma, to, shape.m, shape.n, true);
        plan.saturate = op.has("satfinite");
        plan.exclusive_or = a == Type::b1 && op.has("xor");
        attach(emit_guarded({.op = Op::mma}, mix_of(shape, a)), plan, true, true, true, true);
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
    const MatrixAccess access = access_of(plan.d, space == Space::shared);
    plan.pieces = pieces_of(plan, access);
    const Mix mix = static_cast<float>(access.count) * one({Class::load_store});
    DraftInst& item = emit_guarded({.op = store ? Op::wmma_store : Op::wmma_load}, mix);
    set_address(item.inst, operand(store ? 0 : 1));
    item.inst.b = stride;
    item.inst.mode = space == Space::shared    ? matrix_in_shared
                     : space == Space::generic ? matrix_anywhere
                                               : matrix_in_global;
    item.inst.bytes = item.inst.wide_bytes = static_cast<std::uint8_t>(access.bytes);
    item.may_pause = space != Space::shared;
    item.store = true;
    attach(item, plan, false, false, false, !store);
}

/// movmatrix.sync.aligned.m8n8.trans.b16 d, a.
void FunctionDecoder::move_matrix(const Opcode& op) {
    if (!op.has("m8n8") || !op.has("trans") || op.type() != Type::b16) throw Unsupported{};
    emit_operands({.op = Op::movmatrix, .type = Type::b32}, one({Class::communication}), {Type::b32});
}

/// Of eight rows of 16 bytes each: 8 halves, or 16 elements of 6 or 4 bits, which become bytes.
void FunctionDecoder::matrix_rows(const Opcode& op) {
    const bool store = op.root() == "stmatrix", small = op.has("m8n16");
    if (small ? !op.has("b8x16") || op.has("trans") : !op.has("m8n8") || !op.has("b16")) throw Unsupported{};
    MatrixPlan plan;
    if (small) plan.element_bits = op.has("b6x16_p32") ? 6 : 4;
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
