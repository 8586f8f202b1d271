// Barriers in shared memory (PTX ISA 9.7.13.15) and the bulk copies that complete their transactions.
#include "collector/simulate/engine/decode/function_decoder.hpp"
#include "collector/simulate/engine/mbarrier.hpp"
#include "collector/simulate/engine/tensor_copy.hpp"

namespace gpuproj::simulate::decoding {

namespace {
constexpr std::uint8_t word_bytes = 8;
}

/// `address`: which operand is the barrier's address.
DraftInst& FunctionDecoder::emit_mbarrier(const Spec& spec, std::size_t address) {
    DraftInst& item = emit_in_order(spec, one({Class::load_store}));
    if (operand(address).kind != OperandKind::address) throw Unsupported{"an address that is none"};
    set_address(item.inst, operand(address));
    item.inst.bytes = item.inst.wide_bytes = word_bytes;
    return item;
}

void FunctionDecoder::mbarrier(const Opcode& op) {
    if (op.has("arrive") || op.has("arrive_drop")) return mbarrier_arrive(op);
    if (op.has("test_wait") || op.has("try_wait")) return mbarrier_wait(op);
    if (op.has("init")) {
        const Ref count = value(operand(1), Type::u32);
        emit_mbarrier({.op = Op::mbarrier_init}, 0).inst.b = count;
    } else if (op.has("inval")) {
        emit_mbarrier({.op = Op::mbarrier_inval}, 0);
    } else if (op.has("expect_tx") || op.has("complete_tx")) {
        const Ref bytes = value(operand(1), Type::u32);
        Inst& inst = emit_mbarrier({.op = Op::mbarrier_transactions}, 0).inst;
        inst.b = bytes;
        inst.mode = op.has("expect_tx") ? 0 : 1;
    } else if (op.has("pending_count")) {
        emit_operands({.op = Op::mbarrier_pending}, one({Class::integer}), {Type::b64});
    } else {
        throw Unsupported{};
    }
}

/// "state, [address]{, count}", "_, [address]{, count}"; with expect_tx a number of bytes instead of the count. Of
/// copies, "[address]": without .noinc the arrival is made up for by one more that is expected.
void FunctionDecoder::mbarrier_arrive(const Opcode& op) {
    const bool of_copies = op.root() == "cp";
    const bool transactions = op.has("expect_tx");
    const std::size_t address = of_copies || operand(0).kind == OperandKind::address ? 0 : 1;
    const Ref number = operands() > address + 1 ? value(operand(address + 1), Type::u32) : constant(1, 4);
    DraftInst& item = emit_mbarrier({.op = Op::mbarrier_arrive}, address);
    item.inst.b = number;
    item.inst.mode = static_cast<std::uint8_t>(
        (op.has("arrive_drop") ? arrive_drops : 0U) | (op.has("noComplete") ? arrive_never_completes : 0U) |
        (transactions ? arrive_expects_bytes : 0U) | (of_copies && !op.has("noinc") ? arrive_is_made_up_for : 0U));
    if (address == 1) {
        item.inst.d = target(operand(0), word_bytes);
        item.d_written = item.inst.d != no_ref;
    }
}

/// "p, [address], state or parity{, time}".
void FunctionDecoder::mbarrier_wait(const Opcode& op) {
    const bool parity = op.has("parity");
    draft_.code.may_spin = true;
    const Ref phase = value(operand(2), parity ? Type::u32 : Type::b64);
    DraftInst& item = emit_mbarrier({.op = Op::mbarrier_wait}, 1);
    item.inst.b = phase;
    // With a limit of time it must come back.
    const bool blocks = op.has("try_wait") && operands() == 3;
    item.inst.mode = static_cast<std::uint8_t>((parity ? wait_for_parity : 0U) | (blocks ? wait_blocks : 0U));
    item.inst.d = target(operand(0), 0);
    item.d_written = true;
}

/// A number in a register of its own, as wide as `to`; it costs nothing.
Ref FunctionDecoder::converted(Type to, Type from, Ref a) {
    const auto bytes_of = [](Type type) { return static_cast<std::uint8_t>(size_of(type)); };
    const Ref d = fresh(bytes_of(to));
    DraftInst& item = emit({.op = Op::cvt, .type = to, .from = from});
    item.inst.d = d;
    item.inst.a = a;
    item.inst.d_width = bytes_of(to);
    item.inst.a_width = bytes_of(from);
    return d;
}

/// An address as a 64-bit value.
Ref FunctionDecoder::address_value(const Operand& operand) {
    if (operand.kind != OperandKind::address) throw Unsupported{"an address that is none"};
    if (is_kernel_parameter(operand)) return parameter_address(operand, Type::u64);
    if (!operand.has_base)
        return constant((operand.symbol.empty() ? 0 : address_of(operand)) + static_cast<std::uint64_t>(operand.offset),
                        8);
    Ref base = virtual_ref(operand.reg);
    if (draft_.width[operand.reg] == 4) base = converted(Type::u64, Type::u32, base);
    if (operand.offset == 0) return base;
    const Ref offset = constant(static_cast<std::uint64_t>(operand.offset), 8), sum = fresh(8);
    DraftInst& item = emit({.op = Op::add, .type = Type::u64});
    item.inst.d = sum;
    item.inst.a = base;
    item.inst.b = offset;
    return sum;
}

/// "[to], [from], bytes{, [barrier]}", "[from], bytes" of a prefetch.
void FunctionDecoder::bulk_copy(const Opcode& op) {
    if (op.has("prefetch")) return prefetch(op);
    if (op.has("tensor")) return tensor_copy(op);
    std::vector<bool> shared;  // of the destination, then of the source
    for (std::size_t i = 1; i < op.parts.size(); ++i) {
        if (op.parts[i] == "global" || op.parts[i].starts_with("shared")) shared.push_back(op.parts[i] != "global");
    }
    const bool completes = op.has("mbarrier::complete_tx::bytes"), reduces = op.has("reduce");
    const bool multicasts = op.has("multicast::cluster"), masks = op.has("cp_mask");
    if (shared.size() != 2 || (multicasts && !shared[0]) || (masks && (shared[0] || reduces || multicasts)))
        throw Unsupported{};
    const Ref to = address_value(operand(0)), from = address_value(operand(1));
    const Ref bytes = value(operand(2), Type::u32);
    const Ref barrier = completes ? address_value(operand(3)) : no_ref;
    Ref mask = no_ref;
    if (multicasts) mask = mask_of(operand(completes ? 4 : 3));
    if (masks) mask = mask_of(operand(operands() - 1));  // behind the policy
    Spec spec{.op = Op::bulk_copy};
    BulkReduction reduction;
    if (reduces) {
        spec.type = op.types.empty() ? throw Unsupported{"no type"} : op.types.back();
        spec.atomic = named_operation(op);
        reduction = {static_cast<std::uint8_t>(spec.type), static_cast<std::uint8_t>(spec.atomic)};
    }
    DraftInst& item = emit_guarded(spec, one({Class::load_store}));
    item.d_written = false;
    item.d_read = mask != no_ref;
    item.inst.d = mask;
    item.inst.a = to;
    item.inst.b = from;
    item.inst.c = bytes;
    item.inst.e = barrier;
    item.e_read = completes;
    item.inst.imm = reduction.bits();
    item.inst.mode = static_cast<std::uint8_t>((shared[0] ? bulk_to_shared : 0U) | (shared[1] ? bulk_from_shared : 0U) |
                                               (multicasts ? bulk_multicasts : 0U) | (masks ? bulk_masks : 0U) |
                                               (reduces ? bulk_reduces : 0U));
    item.inst.bytes = item.inst.wide_bytes = 16;
    item.store = true;
    item.space = Space::none;
}

/// "st.bulk [to], bytes, 0".
void FunctionDecoder::bulk_zero() {
    const Ref to = address_value(operand(0)), bytes = value(operand(1), Type::u64);
    if (operands() > 2 && operand(2).kind != OperandKind::integer) throw Unsupported{"a value that is no constant"};
    Inst& inst = emit_in_order({.op = Op::bulk_zero}, one({Class::load_store})).inst;
    inst.a = to;
    inst.b = bytes;
    inst.bytes = inst.wide_bytes = word_bytes;
}

/// How long a cache is to keep what is not simulated: programs compare the bits.
void FunctionDecoder::create_policy(const Opcode& op) {
    if (op.has("cvt")) {
        emit_operands({.op = Op::mov, .type = Type::b64}, one({Class::misc}), {Type::b64});
        return;
    }
    static constexpr std::array priorities{"L2::evict_unchanged", "L2::evict_first", "L2::evict_last",
                                           "L2::evict_normal"};
    std::vector<std::uint32_t> named;
    for (const std::string_view part : op.parts) {
        const auto* const found = std::ranges::find(priorities, part);
        if (found != priorities.end()) named.push_back(static_cast<std::uint32_t>(found - priorities.begin()));
    }
    if (named.empty() || named.size() > 2 || (named.size() == 2 && named[1] > 1)) throw Unsupported{"these priorities"};
    const bool range = op.has("range");
    Ref a = no_ref, b = no_ref, c = no_ref;
    if (range) {
        a = address_value(operand(1));
        b = value(operand(2), Type::u32);
        c = value(operand(3), Type::u32);
    } else {
        b = operands() > 1 ? value(operand(1), Type::f32) : constant(std::bit_cast<std::uint32_t>(1.0F), 4);
    }
    DraftInst& item = emit_guarded({.op = Op::create_policy, .type = Type::b64}, one({Class::misc}));
    item.inst.d = target(operand(0), word_bytes);
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.inst.mode =
        static_cast<std::uint8_t>(named[0] | (named.size() == 2 ? named[1] << 2 : 0U) | (range ? policy_of_range : 0U));
}

}  // namespace gpuproj::simulate::decoding
