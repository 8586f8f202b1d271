// Loads, stores, atomics, asynchronous copies.
#include "collector/simulate/engine/decode/function_decoder.hpp"

namespace gpuproj::simulate::decoding {

namespace {

struct Access {
    Op load, store, atomic;
};
/// What accesses a state space that can be addressed.
constexpr Access access_of(Space space) {
    switch (space) {
        case Space::shared:
            return {Op::ld_shared, Op::st_shared, Op::atom_shared};
        case Space::local:
            return {Op::ld_local, Op::st_local, Op::atom_generic};
        case Space::constant:
            return {Op::ld_constant, Op::st_global, Op::atom_global};
        case Space::generic:
            return {Op::ld_generic, Op::st_generic, Op::atom_generic};
        default:
            return {Op::ld_global, Op::st_global, Op::atom_global};
    }
}

/// Parameters have no addresses to check when they are accessed.
void require_inside(const Place& place, std::int64_t offset, const Inst& inst) {
    const std::int64_t bytes = std::int64_t{inst.bytes} * inst.count;
    if (offset < 0 || offset + bytes > std::int64_t{place.bytes}) throw Unsupported{"an access outside the parameter"};
}

}  // namespace

void FunctionDecoder::set_values(DraftInst& item, const Operand& operand, Type type, bool destination) {
    item.inst.bytes = static_cast<std::uint8_t>(size_of(type));
    if (operand.kind == OperandKind::vector && operand.elements.size() > 1) {
        std::vector<Ref> refs;
        refs.reserve(operand.elements.size());
        // A load fills registers of any size, but all of one: what the first has.
        const auto first = std::ranges::find(operand.elements, OperandKind::reg, &Operand::kind);
        const std::uint32_t loaded = destination && first != operand.elements.end() ? width_of(*first) : any_width;
        for (const Operand& element : operand.elements)
            refs.push_back(destination ? target(element, loaded) : value(element, type));
        item.inst.list = list_of(refs);
        item.inst.count = static_cast<std::uint8_t>(refs.size());
        item.list_written = destination;
        item.d_written = false;
    } else {
        const Operand& single = operand.kind == OperandKind::vector ? operand.elements.at(0) : operand;
        item.inst.d = destination ? target(single, any_width) : value(single, type);
        item.d_written = destination;
        item.d_read = !destination;
    }
    item.inst.wide_bytes = static_cast<std::uint8_t>(std::min<std::uint32_t>(255, size_of(type) * item.inst.count));
}

Space space_named(const Opcode& op) {
    for (std::size_t i = 1; i < op.parts.size(); ++i) {
        const std::string_view part = op.parts[i];
        if (part == "global") return Space::global;
        if (part == "shared" || part == "shared::cta") return Space::shared;
        if (part == "local") return Space::local;
        if (part == "const") return Space::constant;
        if (part == "param" || part.starts_with("param::")) return Space::param;
        if (part == "shared::cluster") return Space::shared;
    }
    return Space::generic;
}

void FunctionDecoder::load(const Opcode& op) {
    const Type type = op.type();
    Space space = space_named(op);
    const Operand& to = operand(0);
    const Operand& from = operand(1);
    if (from.kind != OperandKind::address) throw Unsupported{"an address that is none"};
    const Operand& first = to.kind == OperandKind::vector ? to.elements.at(0) : to;
    Spec spec;
    spec.type = type;
    spec.d_width =
        first.kind == OperandKind::reg ? width_of(first) : static_cast<std::uint8_t>(std::max(2U, size_of(type)));
    const bool ordered = op.has("volatile") || op.has("acquire") || op.has("relaxed") || op.has("mmio");
    if (space == Space::param && !from.has_base) {
        const Place* place = parameter_place(from);
        if (place == nullptr) throw Unsupported{fmt::format("parameter '{}' is declared nowhere", from.symbol)};
        const bool kernel = place->space == Space::constant;
        spec.op = kernel ? Op::ld_param : Op::ld_frame;
        DraftInst& item = emit_guarded(spec, Mix{});
        set_values(item, to, type, true);
        require_inside(*place, from.offset, item.inst);
        item.inst.imm = kernel ? place->offset + from.offset : from.offset;
        if (!kernel) {
            item.inst.a = place->offset;
            item.inst.target = place->bytes;
        }
        return;
    }
    // Through a register: a kernel's are somewhere in memory, a function's have been put on its stack.
    const bool of_kernel = space == Space::param && (function_.entry || op.has("param::entry"));
    if (space == Space::param) space = of_kernel ? Space::generic : Space::local;
    if (space == Space::generic && !from.has_base) space = space_of(from);
    spec.op = op.has("shared::cluster") ? Op::ld_cluster : access_of(space).load;
    // A constant at a fixed address is an operand of its user; through a register it is a load.
    const bool free_constant = space == Space::constant && !from.has_base;
    DraftInst& item = emit_guarded(spec, free_constant ? Mix{} : one({Class::load_store}));
    set_values(item, to, type, true);
    set_address(item.inst, from);
    note_shared_variable(item, from);
    if (space == Space::constant || of_kernel) item.inst.wide_bytes = 0;  // has its own cache: no traffic
    item.load = !ordered && space != Space::constant && item.inst.guard == no_ref;
    item.space = space;
    item.inst.read_only = op.has("nc") || op.root() == "ldu";
    if (!ordered) return;
    item.store = true;
    item.looks = space != Space::shared;
    may_poll();
}

void FunctionDecoder::may_poll() {
    draft_.code.may_spin = true;
    emit({.op = Op::poll}).d_written = false;
}

DraftInst& FunctionDecoder::emit_store(const Spec& spec, const Cost& cost, const Operand& from) {
    DraftInst values;  // first, because what gives a value may be an instruction of its own
    set_values(values, from, spec.type, false);
    DraftInst& item = emit_guarded(spec, cost);
    item.inst.d = values.inst.d;
    item.inst.list = values.inst.list;
    item.inst.count = values.inst.count;
    item.inst.bytes = values.inst.bytes;
    item.inst.wide_bytes = values.inst.wide_bytes;
    item.d_read = values.d_read;
    item.d_written = false;
    return item;
}

void FunctionDecoder::store(const Opcode& op) {
    Space space = space_named(op);
    const Operand& to = operand(0);
    const Operand& from = operand(1);
    if (to.kind != OperandKind::address) throw Unsupported{"an address that is none"};
    if (op.has("bulk")) return bulk_zero();
    const Operand& first = from.kind == OperandKind::vector ? from.elements.at(0) : from;
    Spec spec;
    spec.type = op.type();
    spec.d_width = first.kind == OperandKind::reg ? width_of(first) : static_cast<std::uint8_t>(size_of(spec.type));
    if (space == Space::param) {
        const Place* place = parameter_place(to);
        if (place == nullptr || place->space == Space::constant) throw Unsupported{"a store to a kernel parameter"};
        spec.op = Op::st_frame;
        DraftInst& item = emit_store(spec, Mix{}, from);
        require_inside(*place, to.offset, item.inst);
        item.inst.wide_bytes = 0;  // no memory: a register of the caller
        item.inst.a = place->offset;
        item.inst.target = place->bytes;
        item.inst.imm = to.offset;
        return;
    }
    if (space == Space::generic && !to.has_base) space = space_of(to);
    spec.op = op.has("shared::cluster") ? Op::st_cluster : access_of(space).store;
    // Asynchronous stores to global memory (sm_100) have no barrier; they are there at once.
    const bool completes = op.has("mbarrier::complete_tx::bytes");
    if (op.has("async") && !completes && space != Space::global) throw Unsupported{};
    DraftInst& item = emit_store(spec, one({Class::load_store}), from);
    set_address(item.inst, to);
    note_shared_variable(item, to);
    item.store = true;
    item.space = space;
    if (completes) complete_bytes(operand(2), std::uint32_t{item.inst.bytes} * item.inst.count);
}

/// The barrier that an asynchronous access tells of its bytes: they are there at once.
void FunctionDecoder::complete_bytes(const Operand& barrier, std::uint32_t bytes) {
    const Ref number = constant(bytes, 4);
    if (barrier.kind != OperandKind::address) throw Unsupported{"an address that is none"};
    DraftInst& item = emit_guarded({.op = Op::mbarrier_transactions}, Mix{});
    item.d_written = false;
    set_address(item.inst, barrier);
    item.inst.b = number;
    item.inst.mode = 1;
    item.inst.bytes = 8;
    item.store = true;
    item.space = Space::none;
}

/// What an atomic operation or a reduction does.
Atomic FunctionDecoder::named_operation(const Opcode& op) {
    static constexpr std::array<std::pair<std::string_view, Atomic>, 10> names{{{"exch", Atomic::exch},
                                                                                {"cas", Atomic::cas},
                                                                                {"add", Atomic::add},
                                                                                {"inc", Atomic::inc},
                                                                                {"dec", Atomic::dec},
                                                                                {"min", Atomic::min},
                                                                                {"max", Atomic::max},
                                                                                {"and", Atomic::and_},
                                                                                {"or", Atomic::or_},
                                                                                {"xor", Atomic::xor_}}};
    const auto* const found = std::ranges::find_if(names, [&](const auto& row) { return op.has(row.first); });
    if (found == names.end()) throw Unsupported{};
    return found->second;
}

void FunctionDecoder::atomic(const Opcode& op) {
    Spec spec;
    spec.type = op.types.empty() ? throw Unsupported{"no type"} : op.types.back();
    spec.atomic = named_operation(op);
    const bool completes = op.has("mbarrier::complete_tx::bytes");
    if (op.has("async") && !completes && space_named(op) != Space::global) throw Unsupported{};
    if (op.has("v2") || op.has("v4") || op.has("v8")) return atomic_vector(op, spec);
    const bool returns = op.root() == "atom";
    const std::size_t at = returns ? 1 : 0;
    const Operand& where = operand(at);
    Space space = space_named(op);
    if (space == Space::generic && !where.has_base) space = space_of(where);
    spec.op = op.has("shared::cluster") ? Op::atom_cluster : access_of(space).atomic;
    const Ref b = value(operand(at + 1), spec.type);
    const Ref c = spec.atomic == Atomic::cas ? value(operand(at + 2), spec.type) : no_ref;
    DraftInst& item = emit_guarded(spec, one({Class::load_store}));
    item.inst.d = returns ? target(operand(0), size_of(spec.type)) : no_ref;
    set_address(item.inst, where);
    note_shared_variable(item, where);
    item.inst.b = b;
    item.inst.c = c;
    item.inst.bytes = item.inst.wide_bytes = static_cast<std::uint8_t>(size_of(spec.type));
    item.store = true;
    item.space = space;
    item.looks = returns && space != Space::shared;
    if (spec.atomic == Atomic::cas || spec.atomic == Atomic::exch) may_poll();
    if (completes) complete_bytes(operand(2), size_of(spec.type));
}

/// atom.global.v2.f32.add {d, ...}, [a], {b, ...}; red without d.
void FunctionDecoder::atomic_vector(const Opcode& op, const Spec& named) {
    Spec spec = named;
    spec.op = Op::atom_vector;
    const Space space = space_named(op);
    if (space != Space::global && space != Space::generic) throw Unsupported{"a vector outside global memory"};
    const bool returns = op.root() == "atom";
    const std::size_t at = returns ? 1 : 0;
    std::vector<Ref> refs;
    if (returns)
        for (const Operand& element : operand(0).elements) refs.push_back(target(element, size_of(spec.type)));
    const std::size_t destinations = refs.size();
    for (const Operand& element : operand(at + 1).elements) refs.push_back(value(element, spec.type));
    const std::size_t count = refs.size() - destinations;
    if (count == 0 || (returns && destinations != count)) throw Unsupported{"these operands"};
    DraftInst& item = emit_guarded(spec, one({Class::load_store}));
    item.d_written = false;
    set_address(item.inst, operand(at));
    item.inst.list = list_of(refs);
    item.inst.target = static_cast<std::uint32_t>(count);
    item.inst.mode = returns ? 1 : 0;
    for (std::size_t i = 0; i < refs.size(); ++i)
        item.list_refs.emplace_back(item.inst.list + static_cast<std::uint32_t>(i), i < destinations);
    item.inst.bytes = static_cast<std::uint8_t>(size_of(spec.type));
    item.inst.wide_bytes = static_cast<std::uint8_t>(size_of(spec.type) * count);
    item.store = true;
    item.space = Space::global;
}

void FunctionDecoder::copy_async(const Opcode& op) {
    if (!op.has("async")) throw Unsupported{};
    // What is copied is there at once, which every wait allows.
    if (op.has("commit_group") || op.has("wait_group") || op.has("wait_all")) return nothing(op);
    if (op.has("mbarrier")) return mbarrier_arrive(op);
    if (op.has("bulk")) return bulk_copy(op);
    const Operand& size = operand(2);
    if (size.kind != OperandKind::integer) throw Unsupported{"a size that is no constant"};
    if (size.bits != 4 && size.bits != 8 && size.bits != 16) throw Unsupported{"a size other than 4, 8 and 16 bytes"};
    const Operand& from = operand(1);
    const Ref b = from.has_base ? virtual_ref(from.reg) : constant(address_of(from), 8);
    // Behind the size: bytes that are really read, or whether none are; and a policy of caches.
    const std::size_t last = operands() - (op.has("L2::cache_hint") ? 1 : 0);
    Ref c = no_ref;
    if (last > 3 && operand(3).kind == OperandKind::reg && draft_.width[operand(3).reg] == 0) {
        const Ref ignored = value(operand(3), Type::pred);
        c = fresh(4);
        DraftInst& read = emit({.op = Op::selp, .type = Type::b32});
        read.inst.d = c;
        read.inst.a = constant(0, 4);
        read.inst.b = constant(size.bits, 4);
        read.inst.c = ignored;
    } else if (last > 3 && (operand(3).kind != OperandKind::integer || operand(3).bits < size.bits)) {
        c = value(operand(3), Type::u32);  // CUDA's functions give the size of the copy here, too
    }
    DraftInst& item = emit_guarded({.op = Op::cp_async, .type = Type::b32}, one({Class::load_store}));
    item.d_written = false;
    set_address(item.inst, operand(0));
    item.inst.b = b;
    item.inst.c = c;
    item.inst.target = static_cast<std::uint32_t>(static_cast<std::int32_t>(from.offset));
    item.inst.bytes = item.inst.wide_bytes = static_cast<std::uint8_t>(size.bits);
    item.store = true;
    item.space = Space::none;
}

void FunctionDecoder::prefetch(const Opcode&) {
    DraftInst& item = emit_guarded({.op = Op::prefetch}, one({Class::load_store}));
    item.d_written = false;
}

}  // namespace gpuproj::simulate::decoding
