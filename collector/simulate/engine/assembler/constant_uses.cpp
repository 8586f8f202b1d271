// Until 8.9 constants are operands, one of each instruction; they are moved to registers where they are an address, a
// value that is stored, or the second of an instruction, and so is from 7.0 on the factor of an index that is added to
// one. From 9.0 on all are loaded: by ULDC to registers of all lanes, or by LDC where a product is added to 64 bits, or
// where they were moved before; numbers of 64 bits, unless the lower half is zero, come by two moves. What each costs
// is in the expansion table.
#include "collector/simulate/engine/assembler/constant_uses.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "collector/simulate/engine/assembler/uniform_arithmetic.hpp"
#include "collector/simulate/engine/branch_mode.hpp"
#include "collector/simulate/engine/special_registers.hpp"

namespace gpuproj::simulate {

bool is_constant_load(const DraftInst& item) {
    switch (item.spec.op) {
        case Op::ld_param:
            return true;
        case Op::ld_constant:
            return !item.inst.has_base;
        case Op::mov_special: {
            const auto reg = static_cast<SpecialRegister>(item.inst.mode);
            return is_free(reg) && reg != SpecialRegister::zero && reg != SpecialRegister::one &&
                   reg != SpecialRegister::local_base && reg != SpecialRegister::param_base;
        }
        default:
            return false;
    }
}

namespace {

using Bank = ConstantBank;

bool is_copy(const DraftInst& item) {
    return item.spec.op == Op::mov && item.inst.guard == no_ref && item.inst.count <= 1;
}

Bank bank_of(const DraftInst& item) {
    if (item.spec.op == Op::mov_special) return Bank::launch;
    return item.spec.op == Op::ld_param ? Bank::parameters : Bank::variables;
}

class Uses {
public:
    explicit Uses(Draft& draft)
        : draft_(draft), of_(draft.width.size()), by_(draft.width.size()), uniform_(draft.width.size()) {
        std::vector<std::uint32_t> written(draft.width.size());
        for (DraftInst& item : draft.instructions)
            for_refs(draft, item, [&](Ref ref, bool, bool writes) {
                if (!writes || !is_virtual(ref)) return;
                ++written[index_of(ref)];
                by_[index_of(ref)] = &item;
            });
        for (DraftInst& item : draft.instructions) {
            const bool special = item.spec.op == Op::mov_special && is_virtual(item.inst.d);
            if (special && is_uniform(static_cast<SpecialRegister>(item.inst.mode)))
                uniform_[index_of(item.inst.d)] = written[index_of(item.inst.d)] == 1;
            const auto source = has_shared_variable(item) ? shared_variable_in(item)
                                : is_copy(item)           ? constant_in(item.inst.a)
                                                          : std::nullopt;
            if (!source && !is_constant_load(item)) continue;
            std::int64_t address = special ? 4 * std::int64_t{item.inst.mode} : item.inst.imm;
            for_refs(draft, item, [&](Ref ref, bool, bool writes) {
                if (!writes || !is_virtual(ref)) return;
                if (written[index_of(ref)] == 1)
                    of_[index_of(ref)] = source ? source : Constant{{bank_of(item), address}, item.inst.bytes};
                address += item.inst.bytes;
            });
        }
    }

    /// The first of each constant in a block, and again behind calls; or all of them.
    std::vector<ConstantUse> of_block(const BasicBlock& block, bool all = false) {
        std::vector<ConstantUse> uses;
        std::set<ConstantPlace> here;
        const auto want = [&](const Constant& constant, const char* key) {
            if (here.insert(constant.place).second || all) uses.push_back({constant.place, constant.bytes, key});
        };
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            DraftInst& item = draft_.instructions[i];
            if (makes_constant(item)) continue;
            const auto want_variable = [&](const ConstantPlace& variable) {
                want({{Bank::window, 0}, 0}, "shared.window");
                want({variable, 0}, "shared.variable");
            };
            if (item.shared_variable) want_variable({Bank::shared, std::int64_t{*item.shared_variable}});
            std::optional<ConstantPlace> first;
            for_refs(draft_, item, [&](Ref ref, bool read, bool) {
                const auto constant = read ? loaded(ref, item) : std::nullopt;
                if (!constant) return;
                if (constant->place.first == Bank::shared) return want_variable(constant->place);
                if (fetches_texture(item) && ref == item.inst.a) return;  // its handle
                want(*constant, key_of(*constant, item, first && *first != constant->place));
                if (!first && constant->place.first != Bank::numbers) first = constant->place;
                if (const auto scale = scale_of(item)) want({{Bank::scales, *scale}, 8}, "constant.scale");
            });
            if (const auto handle = handle_of(item)) want({{Bank::handles, *handle}, 8}, "constant.handle");
            if (names_level(item)) want({{Bank::levels, 0}, 0}, "texture.level");
            if (item.flow != Flow::call) continue;
            uses.push_back({.forgets = true});
            here.clear();
        }
        return uses;
    }

    std::vector<bool> of_lanes() {
        static constexpr std::array<std::string_view, 4> brings{"constant.second", "constant.lane", "constant.value",
                                                                "constant.address"};
        std::set<ConstantPlace> places;
        for (const BasicBlock& block : draft_.code.blocks) {
            for (const ConstantUse& use : of_block(block, true))
                if (use.key != nullptr && std::ranges::find(brings, std::string_view(use.key)) != brings.end())
                    places.insert(use.place);
        }
        std::vector<bool> registers(of_.size());
        for (std::size_t i = 0; i < of_.size(); ++i) {
            const std::optional<Constant>& constant = of_[i];
            registers[i] = constant && places.contains(constant->place);
        }
        return registers;
    }

private:
    struct Constant {
        ConstantPlace place;
        std::uint32_t bytes = 0;
    };

    /// Whether it makes the address of a variable in shared memory, of nothing else but numbers.
    bool has_shared_variable(DraftInst& item) {
        const bool calculates = item.flow == Flow::next && item.space == ptx::Space::none &&
                                item.inst.guard == no_ref && item.d_written && is_virtual(item.inst.d);
        return calculates && item.cost == Cost{} && shared_variable_in(item);
    }
    std::optional<Constant> shared_variable_in(DraftInst& item) {
        if (item.shared_variable) return Constant{{Bank::shared, std::int64_t{*item.shared_variable}}, 0};
        std::optional<Constant> variable;
        bool alone = true;
        for_refs(draft_, item, [&](Ref ref, bool read, bool) {
            if (!read || is_constant(ref)) return;
            const auto constant = constant_in(ref);
            if (constant && constant->place.first == Bank::shared)
                variable = constant;
            else
                alone = false;
        });
        return alone ? variable : std::nullopt;
    }
    /// A copy of one, or part of what follows from it.
    bool makes_constant(const DraftInst& item) const {
        const auto made = item.d_written ? constant_in(item.inst.d) : std::nullopt;
        return made && (is_copy(item) || made->place.first == Bank::shared);
    }

    /// What a register has, or a number itself.
    std::optional<Constant> constant_in(Ref ref) const {
        if (is_constant(ref)) return Constant{{Bank::numbers, index_of(ref)}, 8};
        return is_virtual(ref) ? of_[index_of(ref)] : std::nullopt;
    }

    /// What the instruction reads there, if that has to be loaded.
    std::optional<Constant> loaded(Ref ref, const DraftInst& user) const {
        const auto constant = constant_in(ref);
        if (!constant || constant->place.first != Bank::numbers) return constant;
        const std::uint64_t bits = draft_.constants[static_cast<std::size_t>(constant->place.second)].first;
        const bool halves = static_cast<std::uint32_t>(bits) != 0;
        const bool number = user.spec.type == ptx::Type::f64 && halves && !(user.cost == Cost{});
        return number ? constant : std::nullopt;
    }

    /// Where the texture is said that is fetched from: the address of a parameter, or of a variable.
    std::optional<std::int64_t> handle_of(const DraftInst& item) const {
        if (!fetches_texture(item) || !is_virtual(item.inst.a)) return std::nullopt;
        if (const auto constant = of_[index_of(item.inst.a)]) return constant->place.second;
        const DraftInst* const load = by_[index_of(item.inst.a)];
        const bool of_variable = load != nullptr && is_texture_instruction(*load) && !fetches_texture(*load);
        return of_variable ? std::optional(load->inst.imm) : std::nullopt;
    }

    /// Of fetches by numbers with fractions that name no level themselves.
    bool names_level(const DraftInst& item) const {
        if (root_of(item) != "tex" || !fetches_texture(item)) return false;
        const TexturePlan& plan = draft_.code.textures[item.inst.list];
        return !plan.integer_coordinates && plan.level == LevelOfDetail::first;
    }

    const char* key_of(const Constant& constant, const DraftInst& user, bool second) const {
        if (constant.place.first == Bank::numbers) return "immediate.f64";
        // Until 7.0 it has one operand that is a constant or a number, and the other in a register.
        if (is_uniform_arithmetic(user))
            return second || has_number(user) ? "constant.datapath.second" : "constant.datapath";
        const std::string_view root = root_of(user);
        if (user.inst.has_base || (constant.bytes == 8 && (root == "mov" || root == "selp"))) return "constant.address";
        if (root == "st" || root == "mov") return "constant.value";
        if (adds_product(user) && constant.bytes == 8) return "constant.lane";
        if (second) return "constant.second";
        return is_second_factor(constant, user) ? "constant.lane" : "constant.uniform";
    }

    static bool has_number(const DraftInst& user) {
        return is_constant(user.inst.a) || is_constant(user.inst.b) || is_constant(user.inst.c);
    }

    /// An index times a constant, added to 64 bits.
    static bool adds_product(const DraftInst& user) {
        return user.cost.key.starts_with("fold.mul.wide") || user.opcode.starts_with("mad.wide");
    }

    /// The factor, if it is known.
    std::optional<std::int64_t> scale_of(const DraftInst& user) const {
        if (!adds_product(user)) return std::nullopt;
        const auto factor = [&](const DraftInst& product) -> std::optional<std::int64_t> {
            if (!is_constant(product.inst.b)) return std::nullopt;
            return static_cast<std::int64_t>(draft_.constants[index_of(product.inst.b)].first);
        };
        if (user.opcode.starts_with("mad.wide")) return factor(user);
        for (const Ref ref : {user.inst.a, user.inst.b}) {
            const DraftInst* const product = is_virtual(ref) ? by_[index_of(ref)] : nullptr;
            if (product != nullptr && product->opcode.starts_with("mul.wide")) return factor(*product);
        }
        return std::nullopt;
    }

    /// Of two factors that are the same in all lanes, the first is in the register of all.
    bool is_second_factor(const Constant& constant, const DraftInst& user) const {
        const std::string_view root = root_of(user);
        const auto second = constant_in(user.inst.b);
        const bool first_is_uniform =
            is_virtual(user.inst.a) && (uniform_[index_of(user.inst.a)] || constant_in(user.inst.a));
        return (root == "mad" || root == "mul") && first_is_uniform && second && second->place == constant.place;
    }

    Draft& draft_;
    std::vector<std::optional<Constant>> of_;  // by register
    std::vector<const DraftInst*> by_;         // by register: who writes it, the last if there are several
    std::vector<bool> uniform_;                // special registers that all lanes have the same of
};

}  // namespace

std::vector<bool> constants_of_lanes(Draft& draft) {
    return Uses(draft).of_lanes();
}

namespace {

/// What has a condition cannot set registers of all lanes: each lane has the address of a variable there, unless it
/// is there, or what follows the condition wants it, too, and has it made in front.
void give_to_lanes(std::vector<ConstantUse>& uses, const std::vector<ConstantUse>& behind) {
    const auto of_shared = [](const ConstantUse& use) {
        return use.place.first == Bank::shared || use.place.first == Bank::window;
    };
    std::erase_if(uses, [&](const ConstantUse& use) {
        return of_shared(use) && std::ranges::find(behind, use.place, &ConstantUse::place) != behind.end();
    });
    for (ConstantUse& use : uses) {
        use.by_condition = of_shared(use);
        if (use.place.first == Bank::shared) use.key = "shared.variable.lanes";
    }
}

}  // namespace

std::vector<std::vector<ConstantUse>> constant_uses(Draft& draft) {
    Uses uses(draft);
    const auto& blocks = draft.code.blocks;
    std::vector<std::vector<ConstantUse>> by_block;
    by_block.reserve(blocks.size());
    for (const BasicBlock& block : blocks) by_block.push_back(uses.of_block(block));
    for (const BasicBlock& block : blocks) {
        const DraftInst& branch = draft.instructions[block.last - 1];
        if (branch.inst.mode != branch_of_predicates || branch.flow != Flow::branch || block.successors.size() < 2)
            continue;
        for (const std::uint32_t way : block.successors)
            if (static_cast<std::int32_t>(way) != block.post_dominator && block.post_dominator >= 0)
                give_to_lanes(by_block[way], by_block[static_cast<std::size_t>(block.post_dominator)]);
    }
    return by_block;
}

}  // namespace gpuproj::simulate
