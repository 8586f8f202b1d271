// tex, tld4, suld, sust on texture and surface objects.
#include "collector/simulate/engine/decode/function_decoder.hpp"

namespace gpuproj::simulate::decoding {

/// "2d", "a2d", "cube", "acube": coordinates and layers.
void FunctionDecoder::geometry(const Opcode& op, TexturePlan& plan) {
    static constexpr std::array<std::pair<std::string_view, std::uint32_t>, 7> names{
        {{"1d", 1}, {"2d", 2}, {"3d", 3}, {"a1d", 1}, {"a2d", 2}, {"cube", 2}, {"acube", 2}}};
    bool found = false;
    for (const auto& [name, dimensions] : names) {
        if (!op.has(name)) continue;
        plan.dimensions = dimensions;
        plan.layered = name.front() == 'a';
        plan.cube = name.ends_with("cube");
        found = true;
    }
    if (!found) throw Unsupported{"this geometry"};
}

void FunctionDecoder::texture_values(const Operand& operand, TexturePlan& plan, Type type, bool destination) {
    std::vector<Ref> refs;
    const auto add = [&](const Operand& element) {
        refs.push_back(destination ? target(element, size_of(type)) : value(element, type));
    };
    if (operand.kind == OperandKind::vector) {
        for (const Operand& element : operand.elements) add(element);
    } else {
        add(operand);
    }
    plan.value_count = static_cast<std::uint32_t>(refs.size());
    plan.values = list_of(refs);
}

/// The 32-bit elements of a vector, or a single one.
void FunctionDecoder::add_elements(const Operand& operand, std::vector<Ref>& refs) {
    if (operand.kind != OperandKind::vector) return refs.push_back(value(operand, Type::b32));
    for (const Operand& element : operand.elements) refs.push_back(value(element, Type::b32));
}

void FunctionDecoder::texture_coordinates(const Operand& address, TexturePlan& plan) {
    if (address.kind != OperandKind::address || address.elements.empty()) throw Unsupported{"no coordinates"};
    std::vector<Ref> refs;
    add_elements(address.elements.front(), refs);
    plan.coordinate_count = static_cast<std::uint32_t>(refs.size());
    plan.coordinates = list_of(refs);
}

/// "tex.level ..., lod" and "tex.grad ..., dPdx, dPdy".
void FunctionDecoder::level_of_detail(const Opcode& op, TexturePlan& plan) {
    std::vector<Ref> refs;
    if (op.has("level")) {
        plan.level = LevelOfDetail::given;
        // The level is of the coordinates' type.
        refs.push_back(value(operand(2), plan.integer_coordinates ? Type::b32 : Type::f32));
    } else if (op.has("grad")) {
        plan.level = LevelOfDetail::gradients;
        add_elements(operand(2), refs);
        add_elements(operand(3), refs);
    }
    plan.detail_count = static_cast<std::uint32_t>(refs.size());
    plan.details = list_of(refs);
}

/// The handle of an object; a reference is a variable that holds it.
Ref FunctionDecoder::texture_handle(const Operand& address) {
    if (address.has_base) return virtual_ref(address.reg);
    const Ref handle = fresh(8);
    const std::uint64_t variable = address_of(address);
    DraftInst& item = emit({.op = Op::ld_global, .type = Type::b64, .d_width = 8});
    item.inst.d = handle;
    item.inst.imm = static_cast<std::int64_t>(variable);
    item.inst.bytes = 8;  // wide_bytes stays 0: the machine finds the handle in its instruction
    return handle;
}

void FunctionDecoder::emit_texture(const TexturePlan& plan, const Operand& address) {
    const Ref handle = texture_handle(address);
    DraftInst item;
    item.inst.handler = run_texture;
    item.may_pause = true;
    item.inst.only_reads = plan.access != TextureAccess::store;
    item.inst.line = instruction_->line;
    item.opcode = instruction_->opcode;
    item.source = instruction_->source;
    // A GTX 480 counts fetches among loads and stores: kmeansPoint and mergeSortFirst of Rodinia (docs/rodinia.md).
    item.cost = one({Class::load_store});
    item.d_written = false;
    if (instruction_->guard) {
        item.inst.guard = virtual_ref(*instruction_->guard);
        item.inst.guard_negated = instruction_->guard_negated;
    }
    item.inst.a = handle;
    item.inst.bytes = item.inst.wide_bytes = static_cast<std::uint8_t>(plan.value_bytes * plan.value_count);
    for (std::uint32_t i = 0; i < plan.value_count; ++i)
        item.list_refs.emplace_back(plan.values + i, plan.access != TextureAccess::store);
    for (std::uint32_t i = 0; i < plan.coordinate_count; ++i) item.list_refs.emplace_back(plan.coordinates + i, false);
    for (std::uint32_t i = 0; i < plan.detail_count; ++i) item.list_refs.emplace_back(plan.details + i, false);
    item.inst.list = static_cast<std::uint32_t>(draft_.code.textures.size());
    item.store = true;
    draft_.code.textures.push_back(plan);
    draft_.instructions.push_back(std::move(item));
}

void FunctionDecoder::texture(const Opcode& op) {
    TexturePlan plan;
    plan.access = op.root() == "tld4" ? TextureAccess::gather : TextureAccess::fetch;
    geometry(op, plan);
    plan.result = op.type(0);
    plan.integer_coordinates = op.type(1) == Type::s32;
    if (plan.result != Type::f32 && plan.result != Type::u32 && plan.result != Type::s32)
        throw Unsupported{"this result type"};
    plan.component = op.has("g") ? 1 : op.has("b") ? 2 : op.has("a") ? 3 : 0;
    // "d|p": whether the texels were in memory, which they are.
    const bool tells = operand(0).pair;
    const Operand& results = tells ? operand(0).elements.at(0) : operand(0);
    texture_values(results, plan, Type::b32, true);
    texture_coordinates(operand(1), plan);
    level_of_detail(op, plan);
    emit_texture(plan, operand(1));
    if (!tells) return;
    const Ref yes = constant(full_mask, 0);
    DraftInst& item = emit_guarded({.op = Op::mov, .type = Type::pred}, Mix{});
    item.inst.d = target(operand(0).elements.at(1), 0);
    item.inst.a = yes;
}

void FunctionDecoder::surface(const Opcode& op) {
    TexturePlan plan;
    plan.access = op.root() == "sust" ? TextureAccess::store : TextureAccess::load;
    if (!op.has("b")) throw Unsupported{"formatted surface access"};
    geometry(op, plan);
    const Type type = op.type();
    plan.boundary = op.has("zero")    ? SurfaceBoundary::zero
                    : op.has("clamp") ? SurfaceBoundary::clamp
                                      : SurfaceBoundary::trap;
    plan.value_bytes = size_of(type);
    const bool store = plan.access == TextureAccess::store;
    texture_values(operand(store ? 1 : 0), plan, plan.value_bytes == 1 ? Type::b16 : type, !store);
    texture_coordinates(operand(store ? 0 : 1), plan);
    emit_texture(plan, operand(store ? 0 : 1));
}

}  // namespace gpuproj::simulate::decoding
