#include "collector/simulate/engine/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "collector/simulate/engine/draft.hpp"
#include "collector/simulate/engine/expansions.hpp"
#include "collector/simulate/engine/handlers/spec.hpp"
#include "collector/simulate/engine/special_registers.hpp"

namespace gpuproj::simulate {

namespace {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

/// An instruction, operand or combination that the engine lacks; the function becomes Code::unsupported.
struct Unsupported {
    std::string what;
};

/// The assembler places arrays so that wide accesses are possible.
std::uint32_t shared_align(const ptx::Variable& variable) {
    return std::max(variable.align, variable.bytes >= 16 ? 16U : 1U);
}

std::uint32_t align_up(std::uint32_t value, std::uint32_t align) {
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

Type bits_of_size(std::uint32_t bytes) {
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

class FunctionDecoder {
public:
    FunctionDecoder(Program& program, const ptx::Function& function) : program_(program), function_(function) {}

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
        std::size_t next_label = 0;
        std::map<std::string_view, std::uint32_t> label_at;
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
            while (next_label < function_.labels.size() && function_.labels[next_label].instruction == i)
                bind_label(next_label++);
            instruction_ = &function_.instructions[i];
            try {
                instruction();
            } catch (const Unsupported& lacking) {
                code.unsupported =
                    fmt::format("instruction '{}' (line {} of {}{}) is not supported", instruction_->opcode,
                                instruction_->line, function_.name, lacking.what.empty() ? "" : ": " + lacking.what);
                finish_info();
                return std::move(code);
            }
        }
        while (next_label < function_.labels.size()) bind_label(next_label++);
        emit_leave();  // falling off the end returns
        resolve_labels();
        merge_adjacent(draft_);
        build_blocks(draft_);
        for (DraftInst& item : draft_.instructions) {
            if (item.inst.handler == nullptr) item.inst.handler = handler({.op = Op::block_entry});
        }
        allocate_registers(draft_);
        finish_counters();
        finish_info();
        return std::move(code);
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
        shared_top_ = program_.shared_base.at(&function_);
        for (const ptx::Variable& variable : function_.variables) {
            Place place{variable.space, 0, static_cast<std::uint32_t>(variable.bytes)};
            switch (variable.space) {
                case Space::shared:
                    if (variable.external) {
                        place.offset = program_.dynamic_shared_offset;
                    } else {
                        place.offset = align_up(shared_top_, shared_align(variable));
                        shared_top_ = place.offset + place.bytes;
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
        shared_top_ = align_up(shared_top_, 16);
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
                    item.inst.a = virtual_ref(operand.reg);
                    return inverted;
                }
                return virtual_ref(operand.reg);
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
                return constant(address_of(operand) + static_cast<std::uint64_t>(operand.offset), size_of(type));
            default:
                throw Unsupported{"an operand of a kind that does not belong here"};
        }
    }
    Ref special_value(std::string_view name, Type type) {
        if (name == "WARP_SZ") return constant(32, size_of(type));
        const auto reg = find_special(name);
        if (!reg) throw Unsupported{fmt::format("special register '{}'", name)};
        const auto bytes = static_cast<std::uint8_t>(size_of(type));
        const Ref target = fresh(bytes);
        DraftInst& item = emit({.op = Op::mov_special, .type = type});
        item.inst.d = target;
        item.inst.mode = static_cast<std::uint8_t>(*reg);
        if (!is_free(*reg)) item.mix = one({Class::misc});
        return target;
    }
    Ref target(const Operand& operand) {
        if (operand.kind == OperandKind::sink) return no_ref;
        if (operand.kind != OperandKind::reg) throw Unsupported{"a destination that is no register"};
        return virtual_ref(operand.reg);
    }

    /// Address of a symbol as a number: host address, or offset in its space. Shared and local ones are offsets.
    std::uint64_t address_of(const Operand& operand) {
        if (operand.variable >= 0) {
            const Place& place = variables_[static_cast<std::size_t>(operand.variable)];
            if (place.space == Space::param) throw Unsupported{"the address of a call parameter"};
            if (place.space == Space::local) uses_local_address_ = true;
            return place.offset;
        }
        if (const auto found = named_.find(operand.symbol); found != named_.end()) {
            if (found->second.space == Space::constant) return found->second.offset;
            throw Unsupported{"the address of a function parameter"};
        }
        if (const auto found = program_.variables.find(operand.symbol); found != program_.variables.end())
            return reinterpret_cast<std::uint64_t>(found->second.address);
        if (const auto found = program_.shared_offsets.find(operand.symbol); found != program_.shared_offsets.end()) {
            return found->second == ~0U ? program_.dynamic_shared_offset : found->second;
        }
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
        if (program_.shared_offsets.contains(operand.symbol)) return Space::shared;
        return Space::global;
    }

    // ---- emission
    Handler handler(const Spec& spec) {
        const Handler found = select_handler(spec);
        if (found == nullptr) throw Unsupported{};
        return found;
    }
    DraftInst& emit(const Spec& spec) {
        DraftInst item;
        item.inst.handler = handler(spec);
        item.inst.line = instruction_ == nullptr ? 0 : instruction_->line;
        item.opcode = instruction_ == nullptr ? std::string_view{} : instruction_->opcode;
        draft_.instructions.push_back(std::move(item));
        return draft_.instructions.back();
    }
    /// The main instruction: guarded as written. Helpers emitted before it run unguarded, which is harmless.
    DraftInst& emit_guarded(const Spec& spec, const Mix& mix) {
        DraftInst& item = emit(spec);
        item.mix = mix;
        if (instruction_->guard) {
            item.inst.guard = virtual_ref(*instruction_->guard);
            item.inst.guard_negated = instruction_->guard_negated;
        }
        return item;
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
    static Mix expanded(std::string_view key, const Mix& otherwise) {
        const Mix* found = find_expansion(key);
        return found == nullptr ? otherwise : *found;
    }
    static std::string_view name_of(Type type) {
        static constexpr std::array names{"none",  "pred", "b8",     "b16",  "b32", "b64", "b128", "u8",
                                          "u16",   "u32",  "u64",    "s8",   "s16", "s32", "s64",  "f16",
                                          "f16x2", "bf16", "bf16x2", "tf32", "f32", "f64"};
        return names[static_cast<std::size_t>(type)];
    }
    static Mix float_mix(Type type, bool fma) {
        switch (type) {
            case Type::f32:
                return fma ? one({Class::fp32, Class::fp32_fma}) : one({Class::fp32});
            case Type::f64:
                return fma ? one({Class::fp64, Class::fp64_fma}) : one({Class::fp64});
            case Type::f16:
            case Type::bf16:
                return fma ? one({Class::fp16, Class::fp16_fma}) : one({Class::fp16});
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
    void test_property(const Opcode& op);
    void compare(const Opcode& op);
    void select(const Opcode& op);
    void move(const Opcode& op);
    void convert(const Opcode& op);
    void convert_address(const Opcode& op);
    void is_space(const Opcode& op);
    void load(const Opcode& op);
    void store(const Opcode& op);
    void atomic(const Opcode& op);
    void copy_async(const Opcode& op);
    void prefetch(const Opcode& op);
    void shuffle(const Opcode& op);
    void vote(const Opcode& op);
    void match(const Opcode& op);
    void redux(const Opcode& op);
    void active_mask(const Opcode& op);
    void elect(const Opcode& op);
    void barrier(const Opcode& op);
    void fence(const Opcode& op);
    void branch(const Opcode& op);
    void branch_indexed(const Opcode& op);
    void call(const Opcode& op);
    void leave(const Opcode& op);
    void trap(const Opcode& op);
    void sleep(const Opcode& op);
    void nothing(const Opcode& op);

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
    void set_values(DraftInst& item, const Operand& operand, Type type, bool destination);
    void finish_counters();
    void finish_info();

    struct Row {
        std::string_view root;
        void (FunctionDecoder::*decode)(const Opcode&);
    };
    static const Row rows[];
    static std::span<const Row> all_rows();

    Program& program_;
    const ptx::Function& function_;
    const ptx::Instruction* instruction_ = nullptr;
    Draft draft_;
    std::uint32_t shared_top_ = 0;
    std::vector<Place> variables_;
    std::map<std::string_view, Place> named_;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> constant_index_;
    bool uses_local_address_ = false;
    Ref carry_ = no_ref;
};

// One row per instruction: how its operands and modifiers become a handler and a cost.
const FunctionDecoder::Row FunctionDecoder::rows[] = {
    {"add", &FunctionDecoder::arithmetic},
    {"sub", &FunctionDecoder::arithmetic},
    {"min", &FunctionDecoder::arithmetic},
    {"max", &FunctionDecoder::arithmetic},
    {"div", &FunctionDecoder::arithmetic},
    {"rem", &FunctionDecoder::arithmetic},
    {"abs", &FunctionDecoder::arithmetic},
    {"neg", &FunctionDecoder::arithmetic},
    {"copysign", &FunctionDecoder::arithmetic},
    {"mul", &FunctionDecoder::multiply},
    {"mul24", &FunctionDecoder::multiply},
    {"mad", &FunctionDecoder::multiply_add},
    {"mad24", &FunctionDecoder::multiply_add},
    {"fma", &FunctionDecoder::multiply_add},
    {"sad", &FunctionDecoder::multiply_add},
    {"addc", &FunctionDecoder::carry},
    {"subc", &FunctionDecoder::carry},
    {"madc", &FunctionDecoder::carry},
    {"rcp", &FunctionDecoder::special_function},
    {"sqrt", &FunctionDecoder::special_function},
    {"rsqrt", &FunctionDecoder::special_function},
    {"sin", &FunctionDecoder::special_function},
    {"cos", &FunctionDecoder::special_function},
    {"lg2", &FunctionDecoder::special_function},
    {"ex2", &FunctionDecoder::special_function},
    {"tanh", &FunctionDecoder::special_function},
    {"popc", &FunctionDecoder::unary_integer},
    {"clz", &FunctionDecoder::unary_integer},
    {"bfind", &FunctionDecoder::unary_integer},
    {"brev", &FunctionDecoder::unary_integer},
    {"and", &FunctionDecoder::logic},
    {"or", &FunctionDecoder::logic},
    {"xor", &FunctionDecoder::logic},
    {"not", &FunctionDecoder::logic},
    {"cnot", &FunctionDecoder::logic},
    {"shl", &FunctionDecoder::shift},
    {"shr", &FunctionDecoder::shift},
    {"shf", &FunctionDecoder::funnel},
    {"bfe", &FunctionDecoder::bit_field},
    {"bfi", &FunctionDecoder::bit_field},
    {"bmsk", &FunctionDecoder::bit_field},
    {"szext", &FunctionDecoder::bit_field},
    {"fns", &FunctionDecoder::bit_field},
    {"prmt", &FunctionDecoder::permute},
    {"lop3", &FunctionDecoder::lop3},
    {"dp4a", &FunctionDecoder::dot_product},
    {"dp2a", &FunctionDecoder::dot_product},
    {"testp", &FunctionDecoder::test_property},
    {"setp", &FunctionDecoder::compare},
    {"set", &FunctionDecoder::compare},
    {"selp", &FunctionDecoder::select},
    {"slct", &FunctionDecoder::select},
    {"mov", &FunctionDecoder::move},
    {"cvt", &FunctionDecoder::convert},
    {"cvta", &FunctionDecoder::convert_address},
    {"mapa", &FunctionDecoder::convert_address},
    {"isspacep", &FunctionDecoder::is_space},
    {"ld", &FunctionDecoder::load},
    {"ldu", &FunctionDecoder::load},
    {"st", &FunctionDecoder::store},
    {"atom", &FunctionDecoder::atomic},
    {"red", &FunctionDecoder::atomic},
    {"cp", &FunctionDecoder::copy_async},
    {"prefetch", &FunctionDecoder::prefetch},
    {"prefetchu", &FunctionDecoder::prefetch},
    {"discard", &FunctionDecoder::prefetch},
    {"applypriority", &FunctionDecoder::prefetch},
    {"shfl", &FunctionDecoder::shuffle},
    {"vote", &FunctionDecoder::vote},
    {"match", &FunctionDecoder::match},
    {"redux", &FunctionDecoder::redux},
    {"activemask", &FunctionDecoder::active_mask},
    {"elect", &FunctionDecoder::elect},
    {"bar", &FunctionDecoder::barrier},
    {"barrier", &FunctionDecoder::barrier},
    {"membar", &FunctionDecoder::fence},
    {"fence", &FunctionDecoder::fence},
    {"bra", &FunctionDecoder::branch},
    {"brx", &FunctionDecoder::branch_indexed},
    {"call", &FunctionDecoder::call},
    {"ret", &FunctionDecoder::leave},
    {"exit", &FunctionDecoder::leave},
    {"trap", &FunctionDecoder::trap},
    {"brkpt", &FunctionDecoder::nothing},
    {"pmevent", &FunctionDecoder::nothing},
    {"nanosleep", &FunctionDecoder::sleep},
    {"griddepcontrol", &FunctionDecoder::nothing},
    {"setmaxnreg", &FunctionDecoder::nothing},
};
std::span<const FunctionDecoder::Row> FunctionDecoder::all_rows() {
    return rows;
}

void FunctionDecoder::instruction() {
    const Opcode op(instruction_->opcode);
    for (const Row& row : all_rows()) {
        if (row.root == op.root()) return (this->*row.decode)(op);
    }
    throw Unsupported{};
}

Rounding rounding_of(const Opcode& op) {
    if (op.has("rz")) return Rounding::zero;
    if (op.has("rm")) return Rounding::down;
    if (op.has("rp")) return Rounding::up;
    if (op.has("rni")) return Rounding::integer_nearest;
    if (op.has("rzi")) return Rounding::integer_zero;
    if (op.has("rmi")) return Rounding::integer_down;
    if (op.has("rpi")) return Rounding::integer_up;
    return Rounding::nearest;
}

/// Mode of directed-rounding handlers (floating.cpp) and of half handlers (half.cpp).
std::uint8_t float_mode(const Spec& spec, bool relu) {
    if (size_of(spec.type) == 2 || spec.type == Type::f16x2 || spec.type == Type::bf16x2) {
        return static_cast<std::uint8_t>((relu ? 1 : 0) | (spec.sat ? 2 : 0) | (spec.nan ? 4 : 0));
    }
    return static_cast<std::uint8_t>(static_cast<unsigned>(spec.rounding) | (spec.ftz ? 8U : 0U) |
                                     (spec.sat ? 16U : 0U));
}

void FunctionDecoder::arithmetic(const Opcode& op) {
    const std::string_view root = op.root();
    const Type type = op.type();
    if (op.has("cc")) return carry(op);
    Spec spec;
    spec.type = type;
    spec.op = root == "add"   ? Op::add
              : root == "sub" ? Op::sub
              : root == "min" ? Op::min
              : root == "max" ? Op::max
              : root == "div" ? Op::div
              : root == "rem" ? Op::rem
              : root == "abs" ? Op::abs
              : root == "neg" ? Op::neg
                              : Op::copysign;
    spec.rounding = rounding_of(op);
    spec.ftz = op.has("ftz");
    spec.sat = op.has("sat");
    spec.nan = op.has("NaN");
    spec.approx = op.has("approx") || op.has("full");
    if (!is_float(type) && is_signed(type) == false && (spec.op == Op::abs || spec.op == Op::neg)) throw Unsupported{};
    if (op.has("xorsign")) throw Unsupported{"xorsign"};
    Mix mix;
    if (is_float(type)) {
        const bool negation = spec.op == Op::neg || spec.op == Op::abs;  // an operand modifier on the machine
        mix = negation ? Mix{} : float_mix(type, false);
        if (spec.op == Op::div)
            mix = expanded(fmt::format("div.{}.{}",
                                       op.has("approx") ? "approx"
                                       : op.has("full") ? "full"
                                                        : "rn",
                                       name_of(type)),
                           mix);
    } else {
        const bool comparing = spec.op == Op::min || spec.op == Op::max;
        mix = one({Class::integer, comparing ? Class::integer_compare : Class::integer_add});
        mix = expanded(fmt::format("{}.{}", root, name_of(type)), mix);
    }
    const Ref a = value(operand(1), type);
    const Ref b = operands() > 2 ? value(operand(2), type) : no_ref;
    if (operands() > 3) throw Unsupported{"three operands"};
    DraftInst& item = emit_guarded(spec, mix);
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.mode = float_mode(spec, op.has("relu"));
}

void FunctionDecoder::multiply(const Opcode& op) {
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.rounding = rounding_of(op);
    spec.ftz = op.has("ftz");
    spec.sat = op.has("sat");
    Mix mix;
    if (is_float(type)) {
        spec.op = Op::mul_lo;
        mix = float_mix(type, false);
    } else {
        spec.op = op.root() == "mul24" ? Op::mul24
                  : op.has("hi")       ? Op::mul_hi
                  : op.has("wide")     ? Op::mul_wide
                                       : Op::mul_lo;
        if (op.root() == "mul24" && op.has("hi")) throw Unsupported{};
        mix = one({Class::integer, Class::integer_multiply});
        mix = expanded(fmt::format("mul.{}.{}",
                                   op.has("hi")     ? "hi"
                                   : op.has("wide") ? "wide"
                                                    : "lo",
                                   name_of(type)),
                       mix);
    }
    const Ref a = value(operand(1), type), b = value(operand(2), type);
    DraftInst& item = emit_guarded(spec, mix);
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.mode = float_mode(spec, op.has("relu"));
}

void FunctionDecoder::multiply_add(const Opcode& op) {
    if (op.has("cc")) return carry(op);
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.rounding = rounding_of(op);
    spec.ftz = op.has("ftz");
    spec.sat = op.has("sat");
    Mix mix;
    Type wide = type;
    if (is_float(type)) {
        spec.op = Op::fma;
        mix = float_mix(type, true);
    } else if (op.root() == "sad") {
        spec.op = Op::sad;
        mix = 2 * one({Class::integer, Class::integer_add});
    } else {
        spec.op = op.root() == "mad24" ? Op::mad24
                  : op.has("hi")       ? Op::mad_hi
                  : op.has("wide")     ? Op::mad_wide
                                       : Op::mad_lo;
        if (op.root() == "mad24" && op.has("hi")) throw Unsupported{};
        if (spec.op == Op::mad_wide) wide = bits_of_size(2 * size_of(type));
        mix = one({Class::integer, Class::integer_multiply});
        mix = expanded(fmt::format("mad.{}.{}",
                                   op.has("hi")     ? "hi"
                                   : op.has("wide") ? "wide"
                                                    : "lo",
                                   name_of(type)),
                       mix);
    }
    const Ref a = value(operand(1), type), b = value(operand(2), type), c = value(operand(3), wide);
    DraftInst& item = emit_guarded(spec, mix);
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.inst.mode = float_mode(spec, op.has("relu"));
}

/// add.cc, addc{.cc}, mad{c}.{lo,hi}{.cc}, ...: the condition code is a predicate of its own.
void FunctionDecoder::carry(const Opcode& op) {
    if (carry_ == no_ref) carry_ = fresh(0);
    const std::string_view root = op.root();
    const bool reads = root.back() == 'c' && root != "sc";
    const bool writes = op.has("cc");
    const Type type = op.type();
    const bool is_mad = root.starts_with("mad");
    Spec spec;
    spec.type = type;
    spec.op = root.starts_with("add")   ? Op::add_cc
              : root.starts_with("sub") ? Op::sub_cc
              : op.has("hi")            ? Op::mad_hi_cc
                                        : Op::mad_lo_cc;
    const Ref a = value(operand(1), type), b = value(operand(2), type), c = is_mad ? value(operand(3), type) : no_ref;
    DraftInst& item = emit_guarded(spec, one({Class::integer, is_mad ? Class::integer_multiply : Class::integer_add}));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.inst.e = carry_;
    item.e_read = reads;
    item.e_written = writes;
    item.inst.mode = static_cast<std::uint8_t>((reads ? 1 : 0) | (writes ? 2 : 0) | (is_signed(type) ? 4 : 0));
}

void FunctionDecoder::special_function(const Opcode& op) {
    const std::string_view root = op.root();
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.op = root == "rcp"     ? Op::rcp
              : root == "sqrt"  ? Op::sqrt
              : root == "rsqrt" ? Op::rsqrt
              : root == "sin"   ? Op::sin
              : root == "cos"   ? Op::cos
              : root == "lg2"   ? Op::lg2
              : root == "ex2"   ? Op::ex2
                                : Op::tanh;
    spec.rounding = rounding_of(op);
    spec.ftz = op.has("ftz");
    spec.approx = op.has("approx");
    const Mix mix =
        expanded(fmt::format("{}.{}.{}", root, spec.approx ? "approx" : "rn", name_of(type)), one({Class::special}));
    const Ref a = value(operand(1), type);
    DraftInst& item = emit_guarded(spec, mix);
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.mode = float_mode(spec, false);
}

void FunctionDecoder::unary_integer(const Opcode& op) {
    const std::string_view root = op.root();
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.op = root == "popc"       ? Op::popc
              : root == "clz"      ? Op::clz
              : root == "brev"     ? Op::brev
              : op.has("shiftamt") ? Op::bfind_shift
                                   : Op::bfind;
    const Ref a = value(operand(1), type);
    DraftInst& item = emit_guarded(
        spec, expanded(fmt::format("{}.{}", root, name_of(type)), one({Class::integer, Class::integer_logic})));
    item.inst.d = target(operand(0));
    item.inst.a = a;
}

void FunctionDecoder::logic(const Opcode& op) {
    const std::string_view root = op.root();
    const Type type = op.type();
    const bool single = root == "not" || root == "cnot";
    Spec spec;
    spec.type = type;
    spec.op = root == "and"   ? Op::and_
              : root == "or"  ? Op::or_
              : root == "xor" ? Op::xor_
              : root == "not" ? Op::not_
                              : Op::cnot;
    const Ref a = value(operand(1), type);
    const Ref b = single ? no_ref : value(operand(2), type);
    const Mix mix = type == Type::pred ? one({Class::integer, Class::integer_logic})
                                       : expanded(fmt::format("{}.{}", root, name_of(type)),
                                                  one({Class::integer, Class::integer_logic}));
    DraftInst& item = emit_guarded(spec, mix);
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
}

void FunctionDecoder::shift(const Opcode& op) {
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.op = op.root() == "shl" ? Op::shl : Op::shr;
    const Ref a = value(operand(1), type), b = value(operand(2), Type::u32);
    DraftInst& item = emit_guarded(spec, expanded(fmt::format("{}.{}", op.root(), name_of(bits_of_size(size_of(type)))),
                                                  one({Class::integer, Class::integer_shift})));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
}

void FunctionDecoder::funnel(const Opcode& op) {
    Spec spec;
    spec.type = Type::b32;
    spec.op = op.has("l") ? (op.has("wrap") ? Op::shf_l_wrap : Op::shf_l_clamp)
                          : (op.has("wrap") ? Op::shf_r_wrap : Op::shf_r_clamp);
    const Ref a = value(operand(1), Type::b32), b = value(operand(2), Type::b32), c = value(operand(3), Type::b32);
    DraftInst& item = emit_guarded(spec, one({Class::integer, Class::integer_shift}));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
}

void FunctionDecoder::bit_field(const Opcode& op) {
    const std::string_view root = op.root();
    const Type type = op.type();
    Spec spec;
    spec.type = type;
    spec.op = root == "bfe"     ? Op::bfe
              : root == "bfi"   ? Op::bfi
              : root == "bmsk"  ? Op::bmsk
              : root == "szext" ? Op::szext
                                : Op::fns;
    const bool insert = spec.op == Op::bfi, two = spec.op == Op::bmsk || spec.op == Op::szext;
    const Ref a = value(operand(1), type);
    const Ref b = value(operand(2), insert ? type : Type::u32);
    const Ref c = two ? no_ref : value(operand(3), Type::u32);
    const Ref e = insert ? value(operand(4), Type::u32) : no_ref;
    DraftInst& item = emit_guarded(spec, 2 * one({Class::integer, Class::integer_logic}));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.inst.e = e;
    item.e_read = insert;
}

void FunctionDecoder::permute(const Opcode& op) {
    static constexpr std::array modes{"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    std::uint8_t mode = 0;
    for (std::size_t i = 1; i < modes.size(); ++i) {
        if (op.has(modes[i])) mode = static_cast<std::uint8_t>(i);
    }
    const Ref a = value(operand(1), Type::b32), b = value(operand(2), Type::b32), c = value(operand(3), Type::b32);
    DraftInst& item = emit_guarded({.op = Op::prmt, .type = Type::b32}, one({Class::integer, Class::integer_logic}));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.inst.mode = mode;
}

void FunctionDecoder::lop3(const Opcode& op) {
    if (op.has("or") || op.has("and")) throw Unsupported{"the predicate form"};
    const Ref a = value(operand(1), Type::b32), b = value(operand(2), Type::b32), c = value(operand(3), Type::b32);
    if (operand(4).kind != OperandKind::integer) throw Unsupported{"a truth table that is no constant"};
    DraftInst& item = emit_guarded({.op = Op::lop3, .type = Type::b32}, one({Class::integer, Class::integer_logic}));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.inst.mode = static_cast<std::uint8_t>(operand(4).bits);
}

void FunctionDecoder::dot_product(const Opcode& op) {
    const bool four = op.root() == "dp4a";
    const Ref a = value(operand(1), Type::b32), b = value(operand(2), Type::b32), c = value(operand(3), Type::b32);
    DraftInst& item = emit_guarded({.op = four ? Op::dp4a : Op::dp2a, .type = Type::b32},
                                   one({Class::integer, Class::integer_multiply}));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.inst.mode = static_cast<std::uint8_t>((op.type(0) == Type::s32 ? 1 : 0) | (op.type(1) == Type::s32 ? 2 : 0) |
                                               (op.has("hi") ? 4 : 0));
}

void FunctionDecoder::test_property(const Opcode& op) {
    static constexpr std::array properties{"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    const Type type = op.type();
    const Ref a = value(operand(1), type);
    DraftInst& item = emit_guarded({.op = Op::testp, .type = type}, float_mix(type, false));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    for (std::size_t i = 0; i < properties.size(); ++i) {
        if (op.has(properties[i])) item.inst.mode = static_cast<std::uint8_t>(i);
    }
}

void FunctionDecoder::compare(const Opcode& op) {
    static constexpr std::array<std::pair<std::string_view, Compare>, 18> names{{{"eq", Compare::eq},
                                                                                 {"ne", Compare::ne},
                                                                                 {"lt", Compare::lt},
                                                                                 {"le", Compare::le},
                                                                                 {"gt", Compare::gt},
                                                                                 {"ge", Compare::ge},
                                                                                 {"lo", Compare::lt},
                                                                                 {"ls", Compare::le},
                                                                                 {"hi", Compare::gt},
                                                                                 {"hs", Compare::ge},
                                                                                 {"equ", Compare::equ},
                                                                                 {"neu", Compare::neu},
                                                                                 {"ltu", Compare::ltu},
                                                                                 {"leu", Compare::leu},
                                                                                 {"gtu", Compare::gtu},
                                                                                 {"geu", Compare::geu},
                                                                                 {"num", Compare::num},
                                                                                 {"nan", Compare::nan}}};
    const bool to_value = op.root() == "set";
    Spec spec;
    spec.op = to_value ? Op::set : Op::setp;
    spec.type = op.type();
    spec.from = op.types.back();
    spec.ftz = op.has("ftz");
    bool named = false;
    for (const auto& [name, compare] : names) {
        if (op.parts.size() > 1 && op.parts[1] == name) {
            spec.compare = compare;
            named = true;
        }
    }
    if (!named) throw Unsupported{"a comparison that is not known"};
    const std::uint8_t boolean = op.has("and") ? 1 : op.has("or") ? 2 : op.has("xor") ? 3 : 0;
    const Ref a = value(operand(1), spec.from), b = value(operand(2), spec.from);
    const Ref c = boolean != 0 ? value(operand(3), Type::pred) : no_ref;
    const Mix mix = is_float(spec.from) ? float_mix(spec.from, false)
                                        : expanded(fmt::format("setp.{}", name_of(spec.from)),
                                                   one({Class::integer, Class::integer_compare}));
    DraftInst& item = emit_guarded(spec, mix);
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.inst.mode = boolean;
    const Operand& result = operand(0);
    if (result.kind == OperandKind::vector) {
        item.inst.d = target(result.elements.at(0));
        item.inst.e = target(result.elements.at(1));
        item.e_written = item.inst.e != no_ref;
    } else {
        item.inst.d = target(result);
    }
    if (to_value) {
        item.inst.d_width = width_of(result);
        const Type kind = spec.type;
        item.inst.imm = kind == Type::f32                            ? 0x3F800000
                        : kind == Type::f16 || kind == Type::f16x2   ? 0x3C00
                        : kind == Type::bf16 || kind == Type::bf16x2 ? 0x3F80
                                                                     : 0xFFFFFFFF;
    }
}

void FunctionDecoder::select(const Opcode& op) {
    const bool by_predicate = op.root() == "selp";
    const Type type = op.type();
    Spec spec{.op = by_predicate ? Op::selp : Op::slct, .type = type};
    if (!by_predicate) spec.from = op.type(1);
    const Ref a = value(operand(1), type), b = value(operand(2), type),
              c = value(operand(3), by_predicate ? Type::pred : spec.from);
    DraftInst& item = emit_guarded(spec, expanded(fmt::format("selp.{}", name_of(type)), one({Class::misc})));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
}

void FunctionDecoder::move(const Opcode& op) {
    const Type type = op.type();
    const Operand& to = operand(0);
    const Operand& from = operand(1);
    if (from.kind == OperandKind::vector) {  // pack
        const auto count = static_cast<std::uint32_t>(from.elements.size());
        const std::uint32_t bytes = size_of(type) / count;
        std::vector<Ref> refs;
        for (const Operand& element : from.elements) refs.push_back(value(element, bits_of_size(bytes)));
        DraftInst& item = emit_guarded({.op = Op::pack, .type = type}, Mix{});
        item.inst.d = target(to);
        item.d_read = true;  // written part by part
        item.inst.list = list_of(refs);
        item.inst.count = static_cast<std::uint8_t>(count);
        item.inst.a_width = static_cast<std::uint8_t>(bytes);
        item.inst.d_width = static_cast<std::uint8_t>(size_of(type));
        return;
    }
    if (to.kind == OperandKind::vector) {  // unpack
        const auto count = static_cast<std::uint32_t>(to.elements.size());
        std::vector<Ref> refs;
        for (const Operand& element : to.elements) refs.push_back(target(element));
        const Ref a = value(from, type);
        DraftInst& item = emit_guarded({.op = Op::unpack, .type = type}, Mix{});
        item.inst.a = a;
        item.inst.list = list_of(refs);
        item.list_written = true;
        item.d_written = false;
        item.inst.count = static_cast<std::uint8_t>(count);
        item.inst.a_width = static_cast<std::uint8_t>(size_of(type));
        item.inst.d_width = static_cast<std::uint8_t>(size_of(type) / count);
        return;
    }
    if (from.kind == OperandKind::special && from.symbol != "WARP_SZ") {
        const auto reg = find_special(from.symbol);
        if (!reg) throw Unsupported{fmt::format("special register '{}'", from.symbol)};
        DraftInst& item =
            emit_guarded({.op = Op::mov_special, .type = type}, is_free(*reg) ? Mix{} : one({Class::misc}));
        item.inst.d = target(to);
        item.inst.mode = static_cast<std::uint8_t>(*reg);
        return;
    }
    // The address of a local or shared variable is generic only after cvta; of a kernel parameter it is in the buffer.
    const Ref a = value(from, type);
    // Copies vanish in register allocation, or fold into their users.
    DraftInst& item =
        emit_guarded({.op = Op::mov, .type = type == Type::pred ? type : bits_of_size(size_of(type))}, Mix{});
    item.inst.d = target(to);
    item.inst.a = a;
}

void FunctionDecoder::convert(const Opcode& op) {
    Spec spec;
    spec.op = Op::cvt;
    spec.type = op.type(0);
    spec.from = op.type(1);
    spec.rounding = rounding_of(op);
    const bool real_to_integer = is_float(spec.from) && !is_float(spec.type);
    const bool pair = spec.type == Type::f16x2 || spec.type == Type::bf16x2;
    const Ref a = value(operand(1), spec.from);
    const Ref b = pair ? value(operand(2), spec.from) : no_ref;
    const std::uint32_t to_bytes = size_of(spec.type), from_bytes = size_of(spec.from);
    Mix mix = one({Class::conversion});
    if (!is_float(spec.type) && !is_float(spec.from) && !op.has("sat")) {
        // Integers of other sizes: a register is read in part, or paired with a zero or a sign.
        const bool sign = is_signed(spec.from) && to_bytes > from_bytes;
        mix = sign && to_bytes == 8                    ? one({Class::integer, Class::integer_shift})
              : to_bytes < from_bytes || to_bytes == 8 ? Mix{}
                                                       : one({Class::conversion});
    }
    (void)real_to_integer;
    DraftInst& item = emit_guarded(spec, mix);
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.d_width = width_of(operand(0));
    item.inst.a_width =
        operand(1).kind == OperandKind::reg ? width_of(operand(1)) : static_cast<std::uint8_t>(from_bytes);
    item.inst.mode = static_cast<std::uint8_t>(static_cast<unsigned>(spec.rounding) | (op.has("ftz") ? 8U : 0U) |
                                               (op.has("sat") ? 16U : 0U) | (op.has("relu") ? 32U : 0U));
}

/// cvta.shared adds the window of shared memory, cvta.to.shared takes it off; global addresses are generic as they are.
void FunctionDecoder::convert_address(const Opcode& op) {
    if (op.root() == "mapa") throw Unsupported{"distributed shared memory"};
    const Type type = op.type();
    const bool shared = op.has("shared") || op.has("shared::cta"), local = op.has("local"), back = op.has("to");
    const Ref a = value(operand(1), type);
    if (!shared && !local) {
        DraftInst& item = emit_guarded({.op = Op::mov, .type = bits_of_size(size_of(type))}, Mix{});
        item.inst.d = target(operand(0));
        item.inst.a = a;
        return;
    }
    const Ref window = constant(shared ? shared_window : local_window, 8);
    DraftInst& item = emit_guarded({.op = back ? Op::sub : Op::add, .type = Type::u64}, Mix{});
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.b = window;
}

void FunctionDecoder::is_space(const Opcode& op) {
    const Ref a = value(operand(1), Type::b64);
    DraftInst& item =
        emit_guarded({.op = Op::is_space, .type = Type::b64}, one({Class::integer, Class::integer_compare}));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.mode = op.has("global")                                                         ? 0
                     : op.has("shared") || op.has("shared::cta") || op.has("shared::cluster") ? 1
                     : op.has("local")                                                        ? 2
                                                                                              : 3;
}

void FunctionDecoder::set_values(DraftInst& item, const Operand& operand, Type type, bool destination) {
    item.inst.bytes = static_cast<std::uint8_t>(size_of(type));
    if (operand.kind == OperandKind::vector && operand.elements.size() > 1) {
        std::vector<Ref> refs;
        for (const Operand& element : operand.elements)
            refs.push_back(destination ? target(element) : value(element, type));
        item.inst.list = list_of(refs);
        item.inst.count = static_cast<std::uint8_t>(refs.size());
        item.list_written = destination;
        item.d_written = false;
    } else {
        const Operand& single = operand.kind == OperandKind::vector ? operand.elements.at(0) : operand;
        item.inst.d = destination ? target(single) : value(single, type);
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
        item.inst.imm = kernel ? place->offset + from.offset : from.offset;
        if (!kernel) {
            item.inst.a = place->offset;
            item.inst.target = place->bytes;
        }
        return;
    }
    if (space == Space::param) space = Space::generic;
    if (space == Space::generic && !from.has_base) space = space_of(from);
    spec.op = space == Space::shared    ? Op::ld_shared
              : space == Space::local   ? Op::ld_local
              : space == Space::generic ? Op::ld_generic
                                        : Op::ld_global;
    // A constant at a fixed address is an operand of its user; through a register it is a load.
    const bool free_constant = space == Space::constant && !from.has_base;
    DraftInst& item = emit_guarded(spec, free_constant ? Mix{} : one({Class::load_store}));
    set_values(item, to, type, true);
    set_address(item.inst, from);
    if (space == Space::constant) item.inst.wide_bytes = 0;  // has its own cache: no traffic
    item.load = !ordered && space != Space::constant && item.inst.guard == no_ref;
    item.space = space;
    item.inst.read_only = op.has("nc") || op.root() == "ldu";
    if (ordered) item.store = true;
}

void FunctionDecoder::store(const Opcode& op) {
    if (op.root() == "st" && op.has("async")) throw Unsupported{};
    const Type type = op.type();
    Space space = space_named(op);
    const Operand& to = operand(0);
    const Operand& from = operand(1);
    if (to.kind != OperandKind::address) throw Unsupported{"an address that is none"};
    const Operand& first = from.kind == OperandKind::vector ? from.elements.at(0) : from;
    Spec spec;
    spec.type = type;
    spec.d_width = first.kind == OperandKind::reg ? width_of(first) : static_cast<std::uint8_t>(size_of(type));
    if (space == Space::param) {
        const Place* place = parameter_place(to);
        if (place == nullptr || place->space == Space::constant) throw Unsupported{"a store to a kernel parameter"};
        spec.op = Op::st_frame;
        DraftInst item;  // built first: value() may emit before it
        set_values(item, from, type, false);
        DraftInst& emitted = emit_guarded(spec, Mix{});
        const Handler chosen = emitted.inst.handler;
        const Ref guard = emitted.inst.guard;
        emitted.inst.d = item.inst.d;
        emitted.inst.list = item.inst.list;
        emitted.inst.count = item.inst.count;
        emitted.inst.bytes = item.inst.bytes;
        emitted.d_read = item.d_read;
        emitted.d_written = false;
        emitted.inst.handler = chosen;
        emitted.inst.guard = guard;
        emitted.inst.a = place->offset;
        emitted.inst.target = place->bytes;
        emitted.inst.imm = to.offset;
        return;
    }
    if (space == Space::generic && !to.has_base) space = space_of(to);
    spec.op = space == Space::shared    ? Op::st_shared
              : space == Space::local   ? Op::st_local
              : space == Space::generic ? Op::st_generic
                                        : Op::st_global;
    DraftInst values;
    set_values(values, from, type, false);
    DraftInst& item = emit_guarded(spec, one({Class::load_store}));
    item.inst.d = values.inst.d;
    item.inst.list = values.inst.list;
    item.inst.count = values.inst.count;
    item.inst.bytes = values.inst.bytes;
    item.inst.wide_bytes = values.inst.wide_bytes;
    item.d_read = values.d_read;
    item.d_written = false;
    set_address(item.inst, to);
    item.store = true;
    item.space = space;
}

void FunctionDecoder::atomic(const Opcode& op) {
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
    Spec spec;
    spec.type = op.types.empty() ? throw Unsupported{"no type"} : op.types.back();
    bool named = false;
    for (const auto& [name, atomic] : names) {
        if (op.has(name)) {
            spec.atomic = atomic;
            named = true;
        }
    }
    if (!named || op.has("v2") || op.has("v4") || op.has("v8") || op.has("async")) throw Unsupported{};
    const bool returns = op.root() == "atom";
    const std::size_t at = returns ? 1 : 0;
    const Operand& where = operand(at);
    Space space = space_named(op);
    if (space == Space::generic && !where.has_base) space = space_of(where);
    spec.op = space == Space::shared ? Op::atom_shared : space == Space::global ? Op::atom_global : Op::atom_generic;
    const Ref b = value(operand(at + 1), spec.type);
    const Ref c = spec.atomic == Atomic::cas ? value(operand(at + 2), spec.type) : no_ref;
    DraftInst& item = emit_guarded(spec, one({Class::load_store}));
    item.inst.d = returns ? target(operand(0)) : no_ref;
    set_address(item.inst, where);
    item.inst.b = b;
    item.inst.c = c;
    item.inst.bytes = item.inst.wide_bytes = static_cast<std::uint8_t>(size_of(spec.type));
    item.store = true;
    item.space = space;
}

void FunctionDecoder::copy_async(const Opcode& op) {
    if (!op.has("async")) throw Unsupported{};
    if (op.has("bulk") || op.has("mbarrier") || op.has("reduce")) throw Unsupported{};
    if (op.has("commit_group") || op.has("wait_group") || op.has("wait_all")) return nothing(op);
    const Operand& size = operand(2);
    if (size.kind != OperandKind::integer) throw Unsupported{"a size that is no constant"};
    const Operand& from = operand(1);
    const Ref b = from.has_base ? virtual_ref(from.reg) : constant(address_of(from), 8);
    const Ref c = operands() > 3 && operand(3).kind == OperandKind::reg ? value(operand(3), Type::u32) : no_ref;
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

void FunctionDecoder::shuffle(const Opcode& op) {
    const Operand& result = operand(0);
    const Ref a = value(operand(1), Type::b32), b = value(operand(2), Type::b32), c = value(operand(3), Type::b32);
    DraftInst& item = emit_guarded({.op = Op::shfl, .type = Type::b32}, one({Class::communication}));
    if (result.kind == OperandKind::vector) {
        item.inst.d = target(result.elements.at(0));
        item.inst.e = target(result.elements.at(1));
        item.e_written = item.inst.e != no_ref;
    } else {
        item.inst.d = target(result);
    }
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.inst.mode = op.has("up") ? 0 : op.has("down") ? 1 : op.has("bfly") ? 2 : 3;
}

void FunctionDecoder::vote(const Opcode& op) {
    const Ref a = value(operand(1), Type::pred);
    DraftInst& item = emit_guarded({.op = Op::vote, .type = Type::pred}, one({Class::communication}));
    item.inst.d = target(operand(0));
    item.inst.a = a;
    item.inst.mode = op.has("all") ? 0 : op.has("any") ? 1 : op.has("uni") ? 2 : 3;
}

void FunctionDecoder::match(const Opcode& op) {
    const Type type = op.type();
    const Ref a = value(operand(1), type);
    DraftInst& item =
        emit_guarded({.op = op.has("any") ? Op::match_any : Op::match_all, .type = type}, one({Class::communication}));
    const Operand& result = operand(0);
    if (result.kind == OperandKind::vector) {
        item.inst.d = target(result.elements.at(0));
        item.inst.e = target(result.elements.at(1));
        item.e_written = item.inst.e != no_ref;
    } else {
        item.inst.d = target(result);
    }
    item.inst.a = a;
}

void FunctionDecoder::redux(const Opcode& op) {
    Spec spec{.op = Op::redux, .type = op.type()};
    if (is_float(spec.type)) throw Unsupported{};
    spec.atomic = op.has("add")   ? Atomic::add
                  : op.has("min") ? Atomic::min
                  : op.has("max") ? Atomic::max
                  : op.has("and") ? Atomic::and_
                  : op.has("or")  ? Atomic::or_
                                  : Atomic::xor_;
    const Ref a = value(operand(1), spec.type);
    DraftInst& item = emit_guarded(spec, one({Class::communication}));
    item.inst.d = target(operand(0));
    item.inst.a = a;
}

void FunctionDecoder::active_mask(const Opcode&) {
    DraftInst& item = emit_guarded({.op = Op::activemask, .type = Type::b32}, one({Class::communication}));
    item.inst.d = target(operand(0));
}

void FunctionDecoder::elect(const Opcode&) {
    DraftInst& item = emit_guarded({.op = Op::elect, .type = Type::b32}, one({Class::communication}));
    const Operand& result = operand(0);
    if (result.kind != OperandKind::vector) throw Unsupported{};
    item.inst.d = target(result.elements.at(0));
    item.inst.e = target(result.elements.at(1));
    item.e_written = item.inst.e != no_ref;
}

void FunctionDecoder::barrier(const Opcode& op) {
    if (op.has("warp")) return nothing(op);  // lanes of a warp run in step
    if (op.has("cluster")) {
        if (op.has("arrive")) return nothing(op);
        // A cluster is one block here: waiting for it is the block's barrier.
        const Ref zero = constant(0, 4);
        DraftInst& item = emit_guarded({.op = Op::bar_sync}, one({Class::misc, Class::barrier}));
        item.d_written = false;
        item.inst.a = zero;
        item.store = true;
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
                                   one({Class::misc, Class::barrier}));
    item.inst.a = a;
    item.inst.b = b;
    item.inst.c = c;
    item.d_written = reduction;
    if (reduction) {
        item.inst.d = target(operand(0));
        item.inst.mode = op.has("popc") ? 0 : op.has("and") ? 1 : 2;
    }
    item.store = true;
    item.space = Space::none;
}

void FunctionDecoder::fence(const Opcode&) {
    DraftInst& item = emit_guarded({.op = Op::fence}, one({Class::misc}));
    item.d_written = false;
    item.store = true;
    item.space = Space::none;
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
    static constexpr std::array<std::pair<std::string_view, Builtin>, 4> builtins{
        {{"vprintf", Builtin::vprintf},
         {"malloc", Builtin::malloc},
         {"free", Builtin::free},
         {"__assertfail", Builtin::assertfail}}};
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
        for (const auto& [name, builtin] : builtins) {
            if (callee.symbol == name) site.builtin = builtin;
        }
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
    DraftInst& item = emit_guarded({.op = Op::nop}, one({Class::misc}));
    item.d_written = false;
    item.store = true;
    item.space = Space::none;
}

/// Counters: one per block, and one per guarded instruction for the threads whose guard held.
void FunctionDecoder::finish_counters() {
    Code& code = draft_.code;
    auto next = static_cast<std::uint32_t>(code.blocks.size());
    for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
        for (std::uint32_t i = code.blocks[b].first; i < code.blocks[b].last; ++i) {
            DraftInst& item = draft_.instructions[i];
            code.slot_of.push_back(b);
            const bool guarded = item.inst.guard != no_ref;
            code.guarded.push_back(guarded ? 1 : 0);
            if (guarded) item.inst.slot = next++;
            code.mix.push_back(item.mix);
            code.instructions.push_back(item.inst);
        }
    }
    code.slots = next;
}

void FunctionDecoder::finish_info() {
    Code& code = draft_.code;
    KernelInfo& info = code.info;
    info.name = code.name;
    info.static_shared_bytes = shared_top_;
    info.local_bytes = code.local_bytes;
    // What the assembler adds for addresses and scheduling varies; eight is common.
    info.registers = std::clamp(code.live_registers + 8U, 16U, 255U);
    if (function_.max_threads != 0) info.max_threads = std::min(function_.max_threads, 1024U);
    if (!code.unsupported.empty()) info.unsupported = code.unsupported;
}

void place_variables(Program& program, const ptx::ParsedModule& module) {
    for (const ptx::Variable& variable : module.variables) {
        if (variable.space == Space::shared) {
            if (variable.external || variable.bytes == 0) {
                program.shared_offsets[variable.name] = ~0U;  // dynamic: behind everything static
            } else {
                program.module_shared_bytes = align_up(program.module_shared_bytes, std::max(variable.align, 16U));
                program.shared_offsets[variable.name] = program.module_shared_bytes;
                program.module_shared_bytes += static_cast<std::uint32_t>(variable.bytes);
            }
            continue;
        }
        if (variable.external) continue;
        const std::size_t bytes = std::max<std::size_t>(variable.bytes, 1);
        auto memory = std::make_unique<std::byte[]>(bytes + 256);
        auto* address =
            reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory.get()) + 255) & ~std::uintptr_t{255});
        if (!variable.initial.empty())
            std::memcpy(address, variable.initial.data(), std::min<std::size_t>(variable.initial.size(), bytes));
        program.storage.push_back(std::move(memory));
        program.memory->add(address, bytes);
        program.registered.push_back(address);
        program.variables[variable.name] = {variable.name, address, static_cast<std::size_t>(variable.bytes),
                                            variable.space == Space::constant};
    }
    program.module_shared_bytes = align_up(program.module_shared_bytes, 16);
}

void resolve_references(Program& program, const ptx::ParsedModule& module) {
    for (const ptx::Variable& variable : module.variables) {
        for (const ptx::Variable::Reference& reference : variable.references) {
            const auto owner = program.variables.find(variable.name);
            if (owner == program.variables.end()) continue;
            std::uint64_t value = 0;
            if (const auto found = program.variables.find(reference.symbol); found != program.variables.end()) {
                value = reinterpret_cast<std::uint64_t>(found->second.address);
            } else if (const auto function = program.function_index.find(reference.symbol);
                       function != program.function_index.end()) {
                value = function_window | function->second;
            } else {
                continue;  // a kernel's own handle or a symbol of another module: stays null
            }
            value += static_cast<std::uint64_t>(reference.addend);
            std::memcpy(static_cast<std::byte*>(owner->second.address) + reference.offset, &value, sizeof(value));
        }
    }
}

/// Static shared variables of device functions come first, then each kernel's own, then dynamic shared memory at one
/// place for the whole module, because a device function must find it whoever calls.
void place_shared(Program& program, const std::vector<const ptx::Function*>& functions) {
    std::uint32_t top = program.module_shared_bytes;
    const auto own = [&](const ptx::Function& function, std::uint32_t base) {
        program.shared_base[&function] = base;
        for (const ptx::Variable& variable : function.variables) {
            if (variable.space == Space::shared && !variable.external)
                base = align_up(base, shared_align(variable)) + static_cast<std::uint32_t>(variable.bytes);
        }
        return align_up(base, 16);
    };
    for (const ptx::Function* function : functions) {
        if (!function->entry) top = own(*function, top);
    }
    program.dynamic_shared_offset = top;
    for (const ptx::Function* function : functions) {
        if (function->entry)
            program.dynamic_shared_offset = std::max(program.dynamic_shared_offset, own(*function, top));
    }
}

/// A kernel that may call something unsupported is refused before it runs.
void refuse_callers(Program& program) {
    for (bool changed = true; changed;) {
        changed = false;
        for (Code& code : program.functions) {
            if (!code.unsupported.empty()) continue;
            for (const CallSite& site : code.calls) {
                if (site.builtin != Builtin::none || site.callee < 0) continue;
                const Code& callee = program.functions[static_cast<std::size_t>(site.callee)];
                if (callee.defined && callee.unsupported.empty()) continue;
                code.unsupported = callee.defined
                                       ? callee.unsupported
                                       : fmt::format("function '{}' (called by {}) is not defined in this module",
                                                     callee.name, code.name);
                code.info.unsupported = code.unsupported;
                changed = true;
                break;
            }
        }
    }
}

}  // namespace

std::unique_ptr<Program> decode(const ptx::ParsedModule& module, std::string origin, DeviceMemory& memory) {
    auto program = std::make_unique<Program>();
    program->origin = std::move(origin);
    program->target = module.target;
    program->memory = &memory;
    place_variables(*program, module);
    // A declaration and the definition of one function share an index.
    std::vector<const ptx::Function*> definition;
    for (const ptx::Function& function : module.functions) {
        const auto [found, added] =
            program->function_index.try_emplace(function.name, static_cast<std::uint32_t>(definition.size()));
        if (added)
            definition.push_back(&function);
        else if (!function.declared_only)
            definition[found->second] = &function;
    }
    resolve_references(*program, module);
    place_shared(*program, definition);
    program->functions.resize(definition.size());
    for (std::size_t i = 0; i < definition.size(); ++i) {
        if (definition[i]->declared_only) {
            program->functions[i].name = definition[i]->name;
            continue;
        }
        program->functions[i] = FunctionDecoder(*program, *definition[i]).run();
    }
    refuse_callers(*program);
    for (Code& code : program->functions) {
        code.first_slot = program->slots;
        program->slots += code.slots;
    }
    return program;
}

Program::~Program() {
    if (memory == nullptr) return;
    for (const void* address : registered) memory->remove(address);
}

}  // namespace gpuproj::simulate
