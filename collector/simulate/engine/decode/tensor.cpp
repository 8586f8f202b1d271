// Copies of boxes of tensors, and the maps that describe these tensors (PTX ISA 9.7.9.27 and .28).
#include "collector/simulate/engine/decode/function_decoder.hpp"
#include "collector/simulate/engine/tensor_copy.hpp"
#include "collector/simulate/engine/tensor_map.hpp"

namespace gpuproj::simulate::decoding {

namespace {
constexpr std::uint8_t moved_at_once = 16;
}

/// "[to], [map, {coordinates}], [barrier]{, {offsets}}{, mask}{, policy}" of loads; "[map, {coordinates}], [from]{,
/// policy}" of stores and reductions.
void FunctionDecoder::tensor_copy(const Opcode& op) {
    for (const std::string_view mode : {"im2col_no_offs", "im2col::w", "im2col::w::128", "cta_group::2"})
        if (op.has(mode)) throw Unsupported{fmt::format("modifier '{}'", mode)};
    const bool loads = op.has("mbarrier::complete_tx::bytes"), reduces = op.root() == "cp" && op.has("reduce");
    if (!loads && !op.has("bulk_group")) throw Unsupported{};
    const bool im2col = op.has("im2col"), gathers = op.has("tile::gather4") || op.has("tile::scatter4");
    const Operand& map = operand(loads ? 1 : 0);
    if (map.kind != OperandKind::address || map.elements.empty()) throw Unsupported{"no coordinates"};
    TensorOperands operands_of;
    std::vector<Ref> refs;
    for (const Operand& coordinate : map.elements.front().elements) refs.push_back(value(coordinate, Type::s32));
    operands_of.coordinates = static_cast<std::uint8_t>(refs.size());
    if (refs.empty() || refs.size() > TensorMap::most_dimensions || (gathers && refs.size() != 5))
        throw Unsupported{"these coordinates"};
    std::size_t next = loads ? 3 : 2;
    if (im2col) {
        for (const Operand& offset : operand(next).elements) refs.push_back(value(offset, Type::u16));
        ++next;
        operands_of.offsets = static_cast<std::uint8_t>(refs.size() - operands_of.coordinates);
        if (operands_of.offsets + 2 != operands_of.coordinates) throw Unsupported{"these offsets"};
    }
    if (reduces) operands_of.operation = static_cast<std::uint8_t>(named_operation(op));
    const Ref shared = address_value(operand(loads ? 0 : 1)), described = address_value(map);
    const Ref barrier = loads ? address_value(operand(2)) : no_ref;
    Ref blocks = no_ref;
    if (op.has("multicast::cluster")) blocks = mask_of(operand(next));
    DraftInst& item = emit_guarded({.op = Op::tensor_copy}, one({Class::load_store}));
    item.d_written = false;
    item.inst.a = shared;
    item.inst.b = described;
    item.inst.c = blocks;
    item.inst.e = barrier;
    item.e_read = loads;
    item.inst.list = list_of(refs);
    for (std::uint32_t i = 0; i < refs.size(); ++i) item.list_refs.emplace_back(item.inst.list + i, false);
    item.inst.imm = operands_of.bits();
    item.inst.mode = static_cast<std::uint8_t>((loads ? 0U : tensor_stores) | (reduces ? tensor_reduces : 0U) |
                                               (gathers ? tensor_gathers : 0U) | (im2col ? tensor_im2col : 0U));
    item.inst.bytes = item.inst.wide_bytes = moved_at_once;
    item.inst.only_reads = loads;
    item.store = true;
    item.space = Space::none;
}

/// "replace.tile.FIELD [map]{, dimension}, value", "cp_fenceproxy [to], [from], 128".
void FunctionDecoder::tensor_map(const Opcode& op) {
    static constexpr std::array fields{
        "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
        "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity",
        "fill_mode"};
    const bool copies = op.has("cp_fenceproxy");
    if (!copies && !op.has("replace")) throw Unsupported{};
    const Ref map = address_value(operand(0));
    Ref b = no_ref;
    std::size_t field = 0;
    std::uint64_t dimension = 0;
    if (copies) {
        b = address_value(operand(1));
    } else {
        while (field < fields.size() && !op.has(fields.at(field))) ++field;
        if (field == fields.size()) throw Unsupported{};
        if (operands() > 2) {
            if (operand(1).kind != OperandKind::integer) throw Unsupported{"a dimension that is no constant"};
            dimension = operand(1).bits;
        }
        const Operand& replacement = operand(operands() - 1);
        b = op.has("b64") ? value(replacement, Type::b64)
                          : converted(Type::u64, Type::u32, value(replacement, Type::b32));
    }
    DraftInst& item =
        emit_guarded({.op = copies ? Op::tensor_map_copy : Op::tensor_map_replace}, one({Class::load_store}));
    item.d_written = false;
    item.inst.a = map;
    item.inst.b = b;
    item.inst.mode = static_cast<std::uint8_t>(field);
    item.inst.imm = static_cast<std::int64_t>(dimension);
    item.inst.target = op.has("shared::cta") && !copies ? 1 : 0;
    item.inst.bytes = item.inst.wide_bytes = moved_at_once;
    item.store = true;
    item.space = Space::none;
}

}  // namespace gpuproj::simulate::decoding
