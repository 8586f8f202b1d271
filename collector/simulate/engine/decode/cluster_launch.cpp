// Taking over what blocks of the grid that did not start yet would do (PTX ISA 9.7.13.17, sm_100).
#include "collector/simulate/engine/decode/function_decoder.hpp"
#include "collector/simulate/engine/mbarrier.hpp"

namespace gpuproj::simulate::decoding {

namespace {
constexpr std::uint8_t response_bytes = 16, word_bytes = 4, words = 4;
}

void FunctionDecoder::cluster_launch_control(const Opcode& op) {
    if (op.has("try_cancel")) return try_cancel(op);
    if (!op.has("query_cancel")) throw Unsupported{};
    if (op.has("is_canceled")) {
        const Ref said = fresh(word_bytes), none = constant(0, word_bytes);
        response_words(operand(1), {said, no_ref, no_ref, no_ref});
        DraftInst& item = emit_guarded({.op = Op::setp, .type = Type::u32, .from = Type::u32, .compare = Compare::ne},
                                       one({Class::misc}));
        item.inst.d = target(operand(0), 0);
        item.inst.a = said;
        item.inst.b = none;
        return;
    }
    const std::array<std::string_view, 3> dimensions{"get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"};
    std::vector<Ref> refs(words, no_ref);  // the first word says whether there is an index
    const bool all = op.has("get_first_ctaid");
    if (all && operand(0).elements.size() != words) throw Unsupported{"these destinations"};
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        if (all) refs[i + 1] = target(operand(0).elements[i], word_bytes);
        if (op.has(dimensions.at(i))) refs[i + 1] = target(operand(0), word_bytes);
    }
    response_words(operand(1), refs).cost = one({Class::misc});
}

/// "[response], [barrier]".
void FunctionDecoder::try_cancel(const Opcode& op) {
    if (!op.has("mbarrier::complete_tx::bytes")) throw Unsupported{};
    const Ref response = address_value(operand(0)), barrier = address_value(operand(1));
    DraftInst& item = emit_guarded({.op = Op::try_cancel}, one({Class::load_store}));
    item.d_written = false;
    item.inst.a = response;
    item.inst.b = barrier;
    item.inst.mode = op.has("multicast::cluster::all") ? 1 : 0;
    item.inst.bytes = item.inst.wide_bytes = response_bytes;
    item.store = true;
    item.space = Space::none;
}

/// Takes a response apart.
DraftInst& FunctionDecoder::response_words(const Operand& response, const std::vector<Ref>& refs) {
    const Ref a = value(response, Type::b128);
    const std::uint32_t list = list_of(refs);
    DraftInst& item = emit_guarded({.op = Op::unpack, .type = Type::b128}, Mix{});
    item.inst.a = a;
    item.inst.list = list;
    item.inst.count = words;
    item.inst.a_width = response_bytes;
    item.inst.d_width = word_bytes;
    item.list_written = true;
    item.d_written = false;
    return item;
}

}  // namespace gpuproj::simulate::decoding
