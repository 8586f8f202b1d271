// Warp communication, barriers, branches, calls.
#include "collector/simulate/engine/decode/function_decoder.hpp"

namespace gpuproj::simulate::decoding {

namespace {

/// Does it end in a launch, copy or fill after the kernel that calls it?
bool launches_work(Builtin builtin) {
    return builtin == Builtin::launch || builtin == Builtin::launch_kernel || builtin == Builtin::copy ||
           builtin == Builtin::fill;
}

}  // namespace

void FunctionDecoder::shuffle(const Opcode& op) {
    DraftInst& item = emit_operands({.op = Op::shfl, .type = Type::b32}, one({Class::communication}),
                                    {Type::b32, Type::b32, Type::b32});
    item.inst.mode = op.has("up") ? 0 : op.has("down") ? 1 : op.has("bfly") ? 2 : 3;
    if (operands() <= 4) return;
    item.inst.list = list_of({value(operand(4), Type::b32)});
    item.inst.imm = 1;
    item.list_refs.emplace_back(item.inst.list, false);
}

/// "d, a{, members}": without .sync all lanes are meant.
DraftInst& FunctionDecoder::emit_members(const Spec& spec, const Cost& cost) {
    return operands() > 2 ? emit_operands(spec, cost, {spec.type, Type::b32}) : emit_operands(spec, cost, {spec.type});
}

void FunctionDecoder::vote(const Opcode& op) {
    DraftInst& item = emit_members({.op = Op::vote, .type = Type::pred},
                                   expanded(fmt::format("vote.sync.{}", op.has("ballot") ? "ballot.b32"
                                                                        : op.has("any")  ? "any.pred"
                                                                                         : "all.pred"),
                                            one({Class::communication})));
    item.inst.mode = op.has("all") ? 0 : op.has("any") ? 1 : op.has("uni") ? 2 : 3;
    if (operand(0).kind != OperandKind::sink) target(operand(0), item.inst.mode == 3 ? 4 : 0);
}

void FunctionDecoder::match(const Opcode& op) {
    const Type type = op.type();
    emit_members({.op = op.has("any") ? Op::match_any : Op::match_all, .type = type},
                 expanded(fmt::format("match.{}.sync.{}", op.has("any") ? "any" : "all", name_of(type)),
                          one({Class::communication})));
}

void FunctionDecoder::redux(const Opcode& op) {
    Spec spec{.op = Op::redux, .type = op.type()};
    spec.nan = op.has("NaN");
    spec.magnitudes = op.has("abs");
    if (is_float(spec.type) ? spec.type != Type::f32 || !(op.has("min") || op.has("max")) : spec.nan || spec.magnitudes)
        throw Unsupported{};
    spec.atomic = op.has("add")   ? Atomic::add
                  : op.has("min") ? Atomic::min
                  : op.has("max") ? Atomic::max
                  : op.has("and") ? Atomic::and_
                  : op.has("or")  ? Atomic::or_
                                  : Atomic::xor_;
    emit_members(spec, one({Class::communication}));
}

void FunctionDecoder::active_mask(const Opcode&) {
    DraftInst& item = emit_guarded({.op = Op::activemask, .type = Type::b32}, one({Class::communication}));
    set_results(item, operand(0), 4);
}

void FunctionDecoder::elect(const Opcode&) {
    const Ref members = value(operand(1), Type::b32);
    DraftInst& item = emit_guarded({.op = Op::elect, .type = Type::b32}, one({Class::communication}));
    if (operand(0).kind != OperandKind::vector) throw Unsupported{};
    item.inst.b = members;
    set_results(item, operand(0), 4);
}

/// bar.warp.sync members.
void FunctionDecoder::warp_sync() {
    const Ref members = value(operand(0), Type::b32);
    emit_in_order({.op = Op::warp_sync}, one({Class::misc})).inst.b = members;
}

void FunctionDecoder::barrier(const Opcode& op) {
    if (op.has("warp")) return warp_sync();
    if (op.has("cluster")) {
        const bool arrive = op.has("arrive");
        emit_in_order({.op = arrive ? Op::cluster_arrive : Op::cluster_wait},
                      arrive ? one({Class::misc}) : one({Class::misc, Class::barrier}));
        return;
    }
    const bool reduction = op.has("red"), arrive = op.has("arrive");
    const std::size_t first = reduction ? 1 : 0;
    const Ref a = value(operand(first), Type::b32);
    const std::size_t count = operands() - first - (reduction ? 1 : 0);
    const Ref b = count > 1 ? value(operand(first + 1), Type::b32) : no_ref;
    const Ref c = reduction ? value(operand(operands() - 1), Type::pred) : no_ref;
    DraftInst& item = emit_guarded({.op = arrive      ? Op::bar_arrive
                                          : reduction ? Op::bar_red
                                                      : Op::bar_sync},
                                   arrive || reduction ? Cost(one({Class::misc, Class::barrier}))
                                                       : Cost("bar.sync", one({Class::misc, Class::barrier})));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.d_written = reduction;
    if (reduction) {
        set_results(item, operand(0), op.has("popc") ? 4 : 0);
        item.inst.mode = op.has("popc") ? 0 : op.has("and") ? 1 : 2;
    }
    item.store = true;
    item.space = Space::none;
}

void FunctionDecoder::fence(const Opcode& op) {
    emit_in_order({.op = Op::fence}, one({Class::misc})).looks = op.has("sys");
}

void FunctionDecoder::branch(const Opcode&) {
    DraftInst& item = emit_guarded({.op = Op::bra}, one({Class::control, Class::branch}));
    item.d_written = false;
    item.flow = Flow::branch;
    item.label = operand(0).symbol;
}

void FunctionDecoder::branch_indexed(const Opcode&) {
    const Ref a = value(operand(0), Type::u32);
    DraftInst& item = emit_guarded({.op = Op::brx}, 2 * one({Class::misc}) + one({Class::control, Class::branch}));
    item.d_written = false;
    item.inst.a = a;
    item.flow = Flow::indexed;
    item.label = operand(1).symbol;
}

void FunctionDecoder::call(const Opcode&) {
    std::size_t at = 0;
    CallSite site;
    const auto areas = [&](const Operand& list) {
        std::vector<CallArea> result;
        for (const Operand& element : list.elements) {
            const Place* place = element.kind == OperandKind::variable || element.kind == OperandKind::label
                                     ? parameter_place(element)
                                     : nullptr;
            if (place == nullptr || place->space != Space::param)
                throw Unsupported{"an argument that is no parameter variable"};
            result.push_back({place->offset, place->bytes});
        }
        return result;
    };
    if (operand(0).kind == OperandKind::list) site.results = areas(operand(at++));
    const Operand& callee = operand(at++);
    if (at < operands() && operand(at).kind == OperandKind::list) site.arguments = areas(operand(at));
    Ref function = no_ref;
    if (callee.kind == OperandKind::reg) {
        function = virtual_ref(callee.reg);
    } else {
        site.builtin = find_builtin(callee.symbol);
        program_.launches |= launches_work(site.builtin);
        if (site.builtin == Builtin::none) {
            const auto found = program_.function_index.find(callee.symbol);
            if (found == program_.function_index.end())
                throw Unsupported{fmt::format("function '{}' is declared nowhere", callee.symbol)};
            site.callee = static_cast<std::int32_t>(found->second);
        }
    }
    DraftInst& item = emit_guarded({.op = Op::call}, one({Class::control}));
    item.d_written = false;
    item.inst.a = function;
    item.inst.list = static_cast<std::uint32_t>(draft_.code.calls.size());
    item.flow = Flow::call;
    item.store = true;
    draft_.code.calls.push_back(std::move(site));
}

void FunctionDecoder::leave(const Opcode& op) {
    DraftInst& item = emit_guarded({.op = op.root() == "exit" ? Op::exit : Op::ret}, one({Class::control}));
    item.d_written = false;
    item.flow = Flow::leave;
}

void FunctionDecoder::trap(const Opcode&) {
    DraftInst& item = emit_guarded({.op = Op::trap}, one({Class::control}));
    item.d_written = false;
}

void FunctionDecoder::sleep(const Opcode&) {
    DraftInst& item = emit_guarded({.op = Op::sleep}, one({Class::misc}));
    item.d_written = false;
}

void FunctionDecoder::nothing(const Opcode&) {
    emit_in_order({.op = Op::nop}, one({Class::misc}));
}

}  // namespace gpuproj::simulate::decoding
