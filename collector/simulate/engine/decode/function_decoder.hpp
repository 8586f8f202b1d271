// Decodes one function: its variables' places, then instruction by instruction. The rows of the instruction table are
// in function_decoder.cpp, what they do in the other files of this folder, one per chapter of the ISA.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/decode/draft.hpp"
#include "collector/simulate/engine/handlers/spec.hpp"
#include "collector/simulate/engine/native/machine_code.hpp"
#include "collector/simulate/engine/special_registers.hpp"
#include "collector/simulate/engine/texture.hpp"

namespace gpuproj::simulate::decoding {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

/// An instruction, operand or combination that the engine lacks; the function becomes Code::unsupported.
struct Unsupported {
    std::string what;
};

inline std::uint32_t align_up(std::uint32_t value, std::uint32_t align) {
    return (value + align - 1) / align * align;
}

/// "ld.global.v2.f32" in its parts.
struct Opcode {
    std::vector<std::string_view> parts;
    std::vector<Type> types;
    explicit Opcode(std::string_view text) {
        while (!text.empty()) {
            const std::size_t dot = text.find('.');
            parts.push_back(text.substr(0, dot));
            text = dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1);
        }
        for (std::size_t i = 1; i < parts.size(); ++i) {
            if (const Type type = ptx::parse_type(parts[i]); type != Type::none) types.push_back(type);
        }
    }
    std::string_view root() const { return parts.front(); }
    bool has(std::string_view modifier) const {
        return std::find(parts.begin() + 1, parts.end(), modifier) != parts.end();
    }
    Type type(std::size_t i = 0) const {
        if (i >= types.size()) throw Unsupported{"an instruction without a type"};
        return types[i];
    }
};

inline Type bits_of_size(std::uint32_t bytes) {
    return bytes == 1   ? Type::b8
           : bytes == 2 ? Type::b16
           : bytes == 4 ? Type::b32
           : bytes == 8 ? Type::b64
                        : Type::b128;
}

struct Place {  // where a function's variable is
    Space space = Space::none;
    std::uint32_t offset = 0, bytes = 0;
};

Rounding rounding_of(const Opcode& op);
/// Mode of directed-rounding handlers (floating.cpp) and of half handlers (half.cpp).
std::uint8_t float_mode(const Spec& spec, bool relu);
/// The state space an opcode names; generic if none.
Space space_named(const Opcode& op);

class FunctionDecoder {
public:
    FunctionDecoder(Program& program, const ptx::Function& function, MachineCode machine_code)
        : program_(program), function_(function), machine_code_(machine_code), shared_(program.shared.at(&function)) {}

    Code run() {
        Code& code = draft_.code;
        code.name = function_.name;
        code.entry = function_.entry;
        code.defined = true;
        for (const ptx::Register& reg : function_.registers) {
            draft_.width.push_back(reg.type == Type::pred ? std::uint8_t{0}
                                                          : static_cast<std::uint8_t>(std::max(2U, size_of(reg.type))));
        }
        place_variables();
        std::size_t next_label = 0, next_kept = 0;
        bool not_unrolled = false;  // what is emitted next
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
            while (next_label < function_.labels.size() && function_.labels[next_label].instruction == i)
                bind_label(next_label++);
            instruction_ = &function_.instructions[i];
            const std::size_t begin = draft_.instructions.size();
            while (next_kept < function_.not_unrolled.size() && function_.not_unrolled[next_kept] == i) {
                not_unrolled = true;
                ++next_kept;
            }
            try {
                instruction();
            } catch (const Unsupported& lacking) {
                code.unsupported =
                    fmt::format("instruction '{}' (line {} of {}{}) is not supported", instruction_->opcode,
                                instruction_->line, function_.name, lacking.what.empty() ? "" : ": " + lacking.what);
                finish_info();
                return std::move(code);
            }
            if (not_unrolled && begin < draft_.instructions.size()) {
                draft_.instructions[begin].not_unrolled = true;
                not_unrolled = false;
            }
        }
        while (next_label < function_.labels.size()) bind_label(next_label++);
        emit_leave();  // falling off the end returns
        resolve_labels();
        fold_costs(draft_);
        find_looking(draft_);
        find_joined_atomics(draft_);
        merge_adjacent(draft_);
        hoist_constants(draft_);
        predicate_branches(draft_);
        mark_memory_tasks(draft_);
        find_unrolled_loops(draft_);
        find_load_chains(draft_);
        count_slow_ways(draft_);
        build_blocks(draft_);
        drop_jumps(draft_);
        mark_meetings(draft_);
        enter_unrolled_loops(draft_);
        mark_uniform_loads(draft_);
        find_fetch_costs(draft_);
        find_constant_loads(draft_);
        for (DraftInst& item : draft_.instructions) {
            if (item.inst.handler == nullptr) item.inst.handler = handler({.op = Op::block_entry});
        }
        allocate_registers(draft_);
        finish_counters();
        code.uncoded = before_machine_code(draft_, machine_code_);
        finish_info();
        return std::move(code);
    }

    static std::vector<std::string_view> instruction_names() {
        std::vector<std::string_view> names;
        for (const Row& row : instruction_table()) names.push_back(row.root);
        return names;
    }

private:
    // ---- variables
    void place_variables() {
        Code& code = draft_.code;
        std::uint32_t area = 0;
        const auto add_area = [&](const ptx::Variable& variable) {
            area = align_up(area, 16);
            const Place place{Space::param, area, static_cast<std::uint32_t>(variable.bytes)};
            area += static_cast<std::uint32_t>(variable.bytes) * lanes;
            return place;
        };
        if (function_.entry) {
            std::uint32_t offset = 0;
            for (const ptx::Variable& parameter : function_.parameters) {
                offset = align_up(offset, parameter.align);
                code.info.parameters.push_back({offset, static_cast<std::uint32_t>(parameter.bytes), parameter.align});
                named_[parameter.name] = {Space::constant, offset, static_cast<std::uint32_t>(parameter.bytes)};
                offset += static_cast<std::uint32_t>(parameter.bytes);
            }
            code.info.parameter_bytes = offset;
        } else {
            for (const ptx::Variable& parameter : function_.parameters) {
                const Place place = add_area(parameter);
                named_[parameter.name] = place;
                code.parameters.push_back({place.offset, place.bytes});
            }
            for (const ptx::Variable& result : function_.results) {
                const Place place = add_area(result);
                named_[result.name] = place;
                code.results.push_back({place.offset, place.bytes});
            }
        }
        std::uint32_t local = 0;
        std::uint32_t shared_top = shared_.own;
        for (const ptx::Variable& variable : function_.variables) {
            Place place{variable.space, 0, static_cast<std::uint32_t>(variable.bytes)};
            switch (variable.space) {
                case Space::shared:
                    if (variable.external) {
                        place.offset = shared_.dynamic;
                    } else {
                        place.offset = align_up(shared_top, shared_align(variable));
                        shared_top = place.offset + place.bytes;
                    }
                    break;
                case Space::local:
                    local = align_up(local, std::max(variable.align, 8U));
                    place.offset = local;
                    local += place.bytes;
                    break;
                case Space::param:
                    place = add_area(variable);
                    break;
                default:
                    break;
            }
            variables_.push_back(place);
        }
        code.dynamic_shared_offset = shared_.dynamic;
        code.local_bytes = align_up(local, 16);
        draft_.area_bytes = area;
    }

    // ---- operands
    Ref fresh(std::uint8_t width) {
        draft_.width.push_back(width);
        return virtual_ref(static_cast<std::uint32_t>(draft_.width.size() - 1));
    }
    Ref constant(std::uint64_t bits, std::uint32_t bytes) {
        if (bytes < 8 && bytes != 0) bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
        const std::pair wanted{bits, bytes};
        const auto found = constant_index_.find(wanted);
        if (found != constant_index_.end()) return constant_bit | found->second;
        const auto index = static_cast<std::uint32_t>(draft_.constants.size());
        draft_.constants.push_back(wanted);
        constant_index_[wanted] = index;
        return constant_bit | index;
    }
    std::uint8_t width_of(const Operand& operand) const {
        return operand.kind == OperandKind::reg ? draft_.width[operand.reg] : std::uint8_t{0};
    }

    /// A value of `type`, as a Ref that handlers can read.
    Ref value(const Operand& operand, Type type) {
        switch (operand.kind) {
            case OperandKind::reg:
                if (operand.negated) {
                    const Ref inverted = fresh(0);
                    DraftInst& item = emit({.op = Op::not_, .type = Type::pred});
                    item.inst.d = inverted;
                    item.inst.a = register_of(operand, Type::pred);
                    return inverted;
                }
                return register_of(operand, type);
            case OperandKind::integer:
                return constant(type == Type::pred ? (operand.bits != 0 ? full_mask : 0) : operand.bits,
                                type == Type::pred ? 0 : size_of(type));
            case OperandKind::floating: {
                const auto number = std::bit_cast<double>(operand.bits);
                if (size_of(type) == 4) return constant(std::bit_cast<std::uint32_t>(static_cast<float>(number)), 4);
                return constant(operand.bits, 8);
            }
            case OperandKind::special:
                return special_value(operand.symbol, type);
            case OperandKind::variable:
            case OperandKind::label:
                if (is_kernel_parameter(operand)) return parameter_address(operand, type);
                if (space_of(operand) == Space::local && !function_.entry) return local_address(operand, type);
                return constant(address_of(operand) + static_cast<std::uint64_t>(operand.offset), size_of(type));
            default:
                throw Unsupported{"an operand of a kind that does not belong here"};
        }
    }
    /// Reading more than a register holds would read its neighbours.
    Ref register_of(const Operand& operand, Type type) const {
        whole(operand);
        const std::uint32_t width = draft_.width[operand.reg];
        if (type == Type::pred ? width != 0 : width < size_of(type))
            throw Unsupported{"a register that is narrower than its type"};
        return virtual_ref(operand.reg);
    }
    /// Parts of registers ("%r1.b2") are for video instructions.
    static void whole(const Operand& operand) {
        if (operand.symbol.find('.') != std::string_view::npos) throw Unsupported{"a part of a register"};
        if (operand.minus) throw Unsupported{"a register with a minus"};
    }
    Ref special_value(std::string_view name, Type type) {
        if (name == "WARP_SZ") return constant(32, size_of(type));
        const SpecialRegister reg = special_register(name);
        const auto bytes = static_cast<std::uint8_t>(size_of(type));
        const Ref target = fresh(bytes);
        DraftInst& item = emit({.op = Op::mov_special, .type = type});
        item.inst.d = target;
        item.inst.mode = static_cast<std::uint8_t>(reg);
        if (!is_free(reg)) item.cost = one({Class::misc});
        return target;
    }
    SpecialRegister special_register(std::string_view name) {
        const auto reg = find_special(name);
        if (!reg) throw Unsupported{fmt::format("special register '{}'", name)};
        program_.reserved_shared |= name.starts_with("%reserved_smem");
        program_.knows_sms |= is_of_sm(*reg);
        return *reg;
    }
    /// Where a called function's local variable is depends on the calls under it.
    Ref local_address(const Operand& operand, Type type) {
        return address_from(SpecialRegister::local_base, operand, type);
    }
    /// A kernel's parameters are somewhere else in every launch.
    Ref parameter_address(const Operand& operand, Type type) {
        draft_.code.addresses_parameters = true;
        return address_from(SpecialRegister::param_base, operand, type);
    }
    bool is_kernel_parameter(const Operand& operand) const {
        if (operand.variable >= 0) return false;
        const auto found = named_.find(operand.symbol);
        return found != named_.end() && found->second.space == Space::constant;
    }
    Ref address_from(SpecialRegister base, const Operand& operand, Type type) {
        const Ref target = fresh(static_cast<std::uint8_t>(size_of(type)));
        DraftInst& item = emit({.op = Op::mov_special, .type = type});
        item.inst.d = target;
        item.inst.mode = static_cast<std::uint8_t>(base);
        item.inst.imm = static_cast<std::int64_t>(address_of(operand)) + operand.offset;
        return target;
    }
    static constexpr std::uint32_t any_width = ~0U;
    /// A destination for `bytes` per lane, 0 for a predicate: writing more than a register holds would write its
    /// neighbours, and writing less would leave lanes out of step.
    Ref target(const Operand& operand, std::uint32_t bytes) const {
        if (operand.kind == OperandKind::sink) return no_ref;
        if (operand.kind != OperandKind::reg) throw Unsupported{"a destination that is no register"};
        whole(operand);
        if (bytes != any_width && draft_.width[operand.reg] != (bytes == 0 ? 0 : std::max(2U, bytes)))
            throw Unsupported{"a destination of another size than the result"};
        return virtual_ref(operand.reg);
    }
    /// Bytes per lane that a handler of one destination writes; any_width where it asks for the register's.
    static std::uint32_t result_bytes(const Spec& spec);

    /// Address of a symbol as a number: host address, or offset in its space. Shared and local ones are offsets.
    std::uint64_t address_of(const Operand& operand) {
        if (operand.variable >= 0) {
            const Place& place = variables_[static_cast<std::size_t>(operand.variable)];
            if (place.space == Space::param) throw Unsupported{"the address of a call parameter"};
            return place.offset;
        }
        if (const auto found = named_.find(operand.symbol); found != named_.end()) {
            if (found->second.space == Space::constant) return found->second.offset;
            throw Unsupported{"the address of a function parameter"};
        }
        if (const auto found = program_.variables.find(operand.symbol); found != program_.variables.end())
            return reinterpret_cast<std::uint64_t>(found->second.address);
        if (const auto found = shared_.module_variables.find(operand.symbol); found != shared_.module_variables.end())
            return found->second;
        if (const auto found = program_.function_index.find(operand.symbol); found != program_.function_index.end())
            return function_window | found->second;
        throw Unsupported{fmt::format("'{}' is declared nowhere", operand.symbol)};
    }
    const Place* parameter_place(const Operand& operand) const {
        if (operand.variable >= 0) {
            const Place& place = variables_[static_cast<std::size_t>(operand.variable)];
            return place.space == Space::param ? &place : nullptr;
        }
        const auto found = named_.find(operand.symbol);
        return found == named_.end() ? nullptr : &found->second;
    }
    /// Space in which a symbol lives, for generic addressing of it.
    Space space_of(const Operand& operand) const {
        if (operand.variable >= 0) return variables_[static_cast<std::size_t>(operand.variable)].space;
        if (shared_.module_variables.contains(operand.symbol)) return Space::shared;
        return Space::global;
    }

    // ---- emission
    /// Whether warps stop behind it as a rule.
    static bool gives_way(Op op) {
        switch (op) {
            case Op::ld_global:
            case Op::ld_generic:
            case Op::ld_cluster:
            case Op::st_global:
            case Op::st_generic:
            case Op::st_cluster:
            case Op::atom_global:
            case Op::atom_generic:
            case Op::atom_cluster:
            case Op::atom_vector:
            case Op::cp_async:
            case Op::bulk_copy:
            case Op::bulk_zero:
            case Op::tensor_copy:
            case Op::tensor_map_replace:
            case Op::tensor_map_copy:
            case Op::try_cancel:
            case Op::wmma_load:
            case Op::wmma_store:
            case Op::fence:
            case Op::bar_sync:
            case Op::bar_red:
            case Op::bar_arrive:
            case Op::group_wait:
                return true;
            default:
                return false;
        }
    }
    static Handler handler(const Spec& spec) {
        const Handler found = select_handler(spec);
        if (found == nullptr) throw Unsupported{};
        return found;
    }
    DraftInst& emit(const Spec& spec) {
        DraftInst item;
        item.inst.handler = handler(spec);
        item.spec = spec;
        item.may_pause = gives_way(spec.op);
        item.inst.only_reads = spec.op == Op::ld_global || spec.op == Op::ld_constant || spec.op == Op::ld_generic ||
                               spec.op == Op::cp_async || spec.op == Op::wmma_load;
        item.inst.line = instruction_ == nullptr ? 0 : instruction_->line;
        item.opcode = instruction_ == nullptr ? std::string_view{} : instruction_->opcode;
        item.source = instruction_ == nullptr ? ptx::SourceLine{} : instruction_->source;
        draft_.instructions.push_back(std::move(item));
        return draft_.instructions.back();
    }
    /// The main instruction: guarded as written. Helpers emitted before it run unguarded, which is harmless.
    DraftInst& emit_guarded(const Spec& spec, const Cost& cost) {
        DraftInst& item = emit(spec);
        item.cost = cost;
        if (instruction_->guard) {
            item.inst.guard = virtual_ref(*instruction_->guard);
            item.inst.guard_negated = instruction_->guard_negated;
        }
        return item;
    }
    /// Of what has no result, and what nothing is moved across.
    DraftInst& emit_in_order(const Spec& spec, const Cost& cost) {
        DraftInst& item = emit_guarded(spec, cost);
        item.d_written = false;
        item.store = true;
        item.space = Space::none;
        return item;
    }
    /// The most common form, "d, a, b, c, e": a destination (or "d|e") and operands of these types.
    DraftInst& emit_operands(const Spec& spec, const Cost& cost, std::initializer_list<Type> types) {
        std::array<Ref, 4> refs{no_ref, no_ref, no_ref, no_ref};
        for (std::size_t i = 0; i < types.size(); ++i) refs.at(i) = value(operand(i + 1), types.begin()[i]);
        DraftInst& item = emit_guarded(spec, cost);
        item.inst.a = refs[0];
        item.inst.b = refs[1];
        item.inst.c = refs[2];
        item.inst.e = refs[3];
        item.e_read = refs[3] != no_ref;
        set_results(item, operand(0), result_bytes(spec));
        return item;
    }
    /// A destination, or a pair "d|e" of which the second is a predicate. What goes to "_" goes to a register that
    /// nobody reads.
    void set_results(DraftInst& item, const Operand& results, std::uint32_t bytes) {
        const auto kept = [&](const Operand& result) {
            return result.kind == OperandKind::sink ? fresh(widest) : target(result, bytes);
        };
        if (results.kind != OperandKind::vector) {
            item.inst.d = kept(results);
            return;
        }
        if (results.elements.size() != 2 || item.inst.e != no_ref) throw Unsupported{"these destinations"};
        item.inst.d = kept(results.elements[0]);
        item.inst.e = target(results.elements[1], 0);
        item.e_written = item.inst.e != no_ref;
    }
    const Operand& operand(std::size_t i) const {
        if (i >= instruction_->operands.size()) throw Unsupported{"too few operands"};
        return instruction_->operands[i];
    }
    std::size_t operands() const { return instruction_->operands.size(); }
    std::uint32_t list_of(const std::vector<Ref>& refs) {
        const auto first = static_cast<std::uint32_t>(draft_.code.lists.size());
        draft_.code.lists.insert(draft_.code.lists.end(), refs.begin(), refs.end());
        return first;
    }
    void bind_label(std::size_t i) {
        draft_.labels[function_.labels[i].name] = static_cast<std::uint32_t>(draft_.instructions.size());
    }
    void emit_leave() {
        instruction_ = nullptr;
        DraftInst& item = emit({.op = function_.entry ? Op::exit : Op::ret});
        item.flow = Flow::leave;
        item.d_written = false;
    }
    std::uint32_t label(std::string_view name) const {
        const auto found = draft_.labels.find(name);
        if (found == draft_.labels.end())
            throw PtxError(
                fmt::format("{}: label '{}' of function {} is not there", program_.origin, name, function_.name));
        return found->second;
    }
    void resolve_labels() {
        for (DraftInst& item : draft_.instructions) {
            if (item.flow == Flow::branch) item.inst.target = label(item.label);
            if (item.flow != Flow::indexed) continue;
            const auto table = std::ranges::find(function_.branch_targets, item.label, &ptx::BranchTargets::name);
            if (table == function_.branch_targets.end())
                throw PtxError(fmt::format("{}: branch table '{}' of function {} is not there", program_.origin,
                                           item.label, function_.name));
            for (const std::string& name : table->labels) item.targets.push_back(label(name));
        }
    }

    // ---- costs
    /// The table's "KEY.imm", where the instruction's operand is a constant and the table distinguishes that.
    Cost expanded(const std::string& key, const Mix& otherwise, std::size_t constant_operand = 0) const {
        const std::string immediate = key + ".imm";
        const bool is_immediate = constant_operand != 0 && constant_operand < operands() &&
                                  operand(constant_operand).kind == OperandKind::integer &&
                                  find_expansion(immediate, newest) != nullptr;
        return {is_immediate ? immediate : key, otherwise};
    }
    static constexpr std::uint8_t widest = 16;  // bytes per lane of a register
    static constexpr int newest = 1000;         // any capability, when it only matters whether the table has a key
    static std::string_view half_of(const Opcode& op) { return op.has("hi") ? "hi" : op.has("wide") ? "wide" : "lo"; }
    static std::string_view ftz_of(const Opcode& op) { return op.has("ftz") ? ".ftz" : ""; }
    static std::string_view name_of(Type type) { return ptx::name_of(type); }
    static Mix float_mix(Type type, bool fma) {
        switch (type) {
            case Type::f32:
                return fma ? one({Class::fp32, Class::fp32_fma}) : one({Class::fp32});
            case Type::f64:
                return fma ? one({Class::fp64, Class::fp64_fma}) : one({Class::fp64});
            case Type::f16:
            case Type::bf16:
                return fma ? one({Class::fp16, Class::fp16_fma}) : one({Class::fp16});
            case Type::f32x2:
                return fma ? one({Class::fp32, Class::fp32, Class::fp32_fma, Class::fp32_fma})
                           : one({Class::fp32, Class::fp32});
            default:
                return fma ? one({Class::fp16, Class::fp16, Class::fp16_fma, Class::fp16_fma})
                           : one({Class::fp16, Class::fp16});
        }
    }

    // ---- instructions
    void instruction();
    void arithmetic(const Opcode& op);
    void multiply(const Opcode& op);
    void multiply_add(const Opcode& op);
    void carry(const Opcode& op);
    void special_function(const Opcode& op);
    void unary_integer(const Opcode& op);
    void logic(const Opcode& op);
    void shift(const Opcode& op);
    void funnel(const Opcode& op);
    void bit_field(const Opcode& op);
    void permute(const Opcode& op);
    void lop3(const Opcode& op);
    void dot_product(const Opcode& op);
    void video(const Opcode& op);
    void video_word(const Opcode& op);
    void video_multiply_add(const Opcode& op);
    /// An operand of a narrower type in single precision.
    Ref widened(std::size_t i, Type narrow) { return converted(Type::f32, narrow, value(operand(i), narrow)); }
    void test_property(const Opcode& op);
    void compare(const Opcode& op);
    void select(const Opcode& op);
    void move(const Opcode& op);
    void convert(const Opcode& op);
    void convert_and_pack(const Opcode& op);
    void convert_address(const Opcode& op);
    void map_address(const Opcode& op);
    void allocate_stack(const Opcode& op);
    void is_space(const Opcode& op);
    void load(const Opcode& op);
    void may_poll();  // behind an instruction by which a thread may wait for others
    void store(const Opcode& op);
    void complete_bytes(const Operand& barrier, std::uint32_t bytes);
    static Atomic named_operation(const Opcode& op);
    void atomic(const Opcode& op);
    void atomic_vector(const Opcode& op, const Spec& named);
    void copy_async(const Opcode& op);
    void bulk_copy(const Opcode& op);
    void bulk_zero();
    void tensor_copy(const Opcode& op);
    void tensor_map(const Opcode& op);
    /// A mask of 16 bits, of blocks or bytes, in a register of 32.
    Ref mask_of(const Operand& operand) { return converted(Type::u32, Type::u16, value(operand, Type::u16)); }
    void mbarrier(const Opcode& op);
    void mbarrier_arrive(const Opcode& op);
    void mbarrier_wait(const Opcode& op);
    void create_policy(const Opcode& op);
    void cluster_launch_control(const Opcode& op);
    void try_cancel(const Opcode& op);
    void prefetch(const Opcode& op);
    void shuffle(const Opcode& op);
    void vote(const Opcode& op);
    void match(const Opcode& op);
    void redux(const Opcode& op);
    void active_mask(const Opcode& op);
    void elect(const Opcode& op);
    void warp_sync();
    void barrier(const Opcode& op);
    void fence(const Opcode& op);
    void branch(const Opcode& op);
    void branch_indexed(const Opcode& op);
    void call(const Opcode& op);
    void leave(const Opcode& op);
    void trap(const Opcode& op);
    void sleep(const Opcode& op);
    void nothing(const Opcode& op);
    void matrix_multiply(const Opcode& op);
    void sparse_multiply(const Opcode& op);
    void multiply_quarters(const Opcode& op);
    void scale_blocks(const Opcode& op, std::size_t first_operand, MatrixPlan& plan);
    void wmma(const Opcode& op);
    void matrix_rows(const Opcode& op);
    void move_matrix(const Opcode& op);
    void warp_group(const Opcode& op);
    void group_multiply(const Opcode& op);
    void texture(const Opcode& op);
    void surface(const Opcode& op);

    /// Sets base and offset of a memory operand; the space of a symbol decides where generic accesses go.
    void set_address(Inst& inst, const Operand& operand) {
        inst.imm = operand.offset;
        if (operand.has_base) {
            inst.a = virtual_ref(operand.reg);
            inst.a_width = draft_.width[operand.reg];
            inst.has_base = true;
        } else if (!operand.symbol.empty()) {
            inst.imm += static_cast<std::int64_t>(address_of(operand));
        }
    }
    /// If the operand names one.
    void note_shared_variable(DraftInst& item, const Operand& operand) {
        const bool named = operand.kind == OperandKind::variable || operand.kind == OperandKind::label ||
                           operand.kind == OperandKind::address;
        if (named && !operand.has_base && !operand.symbol.empty() && space_of(operand) == Space::shared)
            item.shared_variable = static_cast<std::uint32_t>(address_of(operand));
    }
    DraftInst& emit_mbarrier(const Spec& spec, std::size_t address);
    DraftInst& response_words(const Operand& response, const std::vector<Ref>& refs);
    Ref address_value(const Operand& operand);
    Ref video_step(const Spec& spec, Ref a, Ref b, Ref c = no_ref);
    Ref converted(Type to, Type from, Ref a);
    Ref video_source(const Operand& operand, Type type);
    DraftInst& emit_store(const Spec& spec, const Cost& cost, const Operand& from);
    DraftInst& emit_members(const Spec& spec, const Cost& cost);
    void set_values(DraftInst& item, const Operand& operand, Type type, bool destination);
    /// Checks that the registers given can hold the matrix; throws Unsupported otherwise. `bits`: of an element; 0: as
    /// many as the type has by itself.
    MatrixFragment fragment(const Operand& operand, Fragment kind, FragmentLayout layout, Type type, std::uint32_t rows,
                            std::uint32_t cols, bool destination, std::uint32_t bits = 0);
    static void use_fragment(DraftInst& item, const MatrixFragment& fragment, bool written);
    void attach(DraftInst& item, MatrixPlan plan, bool a, bool b, bool c, bool d_written);
    std::uint32_t cost_index(const Cost& cost);
    static void geometry(const Opcode& op, TexturePlan& plan);
    void texture_values(const Operand& operand, TexturePlan& plan, Type type, bool destination);
    void add_elements(const Operand& operand, std::vector<Ref>& refs);
    void texture_coordinates(const Operand& address, TexturePlan& plan);
    void level_of_detail(const Opcode& op, TexturePlan& plan);
    Ref texture_handle(const Operand& address);
    void emit_texture(const TexturePlan& plan, const Operand& address);
    bool leaves_kernel(const DraftInst& item) const;
    void finish_counters();
    void finish_info();

    struct Row {
        std::string_view root;
        void (FunctionDecoder::*decode)(const Opcode&);
        std::string modifiers;  // with blanks between
    };
    static const std::vector<Row>& instruction_table();

    Program& program_;
    const ptx::Function& function_;
    MachineCode machine_code_;
    const ptx::Instruction* instruction_ = nullptr;
    Draft draft_;
    const SharedLayout& shared_;
    std::vector<Place> variables_;
    std::map<std::string_view, Place> named_;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> constant_index_;
    Ref carry_ = no_ref;
};

}  // namespace gpuproj::simulate::decoding
