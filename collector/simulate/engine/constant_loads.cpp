// Parameters, sizes of the launch, constants at fixed addresses and numbers of 64 bits are operands of machine
// instructions until 8.9, one of each instruction; they are moved to registers where they are an address, a value that
// is stored, or the second of an instruction, and so is from 7.0 on the factor of an index that is added to one.
// From 9.0 on all are loaded: constants by ULDC to registers of all lanes, or by LDC where a product is added to 64
// bits, or where they were moved before; numbers of 64 bits, unless the lower half is zero, by two moves. ptxas does so
// in front of their first use on each way through the kernel, in front of a loop if each round of it has one, and keeps
// them from there on.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collector/simulate/engine/draft.hpp"
#include "collector/simulate/engine/special_registers.hpp"

namespace gpuproj::simulate {

namespace {

bool is_copy(const DraftInst& item) {
    return item.spec.op == Op::mov && item.inst.guard == no_ref && item.inst.count <= 1;
}

/// What the machine has in its constant banks.
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

/// Of global memory, and what may be: has a descriptor from 8.0 on.
bool goes_to_global(const DraftInst& item) {
    static constexpr std::array roots{"ld", "ldu", "st", "atom", "red", "cp"};
    if (std::ranges::find(roots, root_of(item)) == roots.end()) return false;
    return item.opcode.find(".global") != std::string_view::npos ||
           std::ranges::none_of(std::array{".shared", ".local", ".const", ".param", ".commit", ".wait", ".mbarrier"},
                                [&](const char* other) { return item.opcode.find(other) != std::string_view::npos; });
}

class ConstantLoads {
public:
    explicit ConstantLoads(Draft& draft)
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
            const auto source = is_copy(item) ? constant_in(item.inst.a) : std::nullopt;
            if (!source && !is_constant_load(item)) continue;
            std::int64_t address = special ? 4 * std::int64_t{item.inst.mode} : item.inst.imm;
            for_refs(draft, item, [&](Ref ref, bool, bool writes) {
                if (!writes || !is_virtual(ref)) return;
                if (written[index_of(ref)] == 1)
                    of_[index_of(ref)] = source ? source : Constant{bank_of(item), address, item.inst.bytes};
                address += item.inst.bytes;
            });
        }
        uses_.resize(draft.code.blocks.size());
        in_front_.resize(uses_.size());
    }

    void run() {
        const auto& blocks = draft_.code.blocks;
        for (std::uint32_t b = 0; b < blocks.size(); ++b) find_uses(b);
        hoist();
        std::vector<std::optional<Places>> at_entry(blocks.size());  // absent: nobody is known to come there
        at_entry.front().emplace();
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t b = 0; b < blocks.size(); ++b) {
                if (!at_entry[b]) continue;
                Places here = *at_entry[b];
                walk(b, here, [](const Use&) {});
                for (const std::uint32_t next : blocks[b].successors) changed |= meet(at_entry[next], here);
            }
        }
        for (std::uint32_t b = 0; b < blocks.size(); ++b) {
            Places here = at_entry[b].value_or(Places{});
            std::map<std::string, float> times;
            walk(b, here, [&](const Use& use) { times[use.key] += 1; });
            for (const auto& [key, count] : times) draft_.block_costs.push_back({b, Cost(key, {}), count});
        }
    }

private:
    enum class Bank : std::uint8_t { parameters, launch, variables, numbers, scales };
    struct Constant {
        Bank bank = Bank::parameters;
        std::int64_t address = 0;  // of numbers: in the pool; of scales: the factor
        std::uint32_t bytes = 0;
        std::pair<Bank, std::int64_t> place() const { return {bank, address}; }
        /// Of 32 bits, the other half of a load of 64.
        std::pair<Bank, std::int64_t> neighbour() const { return {bank, address ^ 4}; }
    };
    using Places = std::set<std::pair<Bank, std::int64_t>>;
    struct Use {
        Constant constant{};
        const char* key = nullptr;  // of its cost
        bool forgets = false;       // a call instead
    };
    static Bank bank_of(const DraftInst& item) {
        if (item.spec.op == Op::mov_special) return Bank::launch;
        return item.spec.op == Op::ld_param ? Bank::parameters : Bank::variables;
    }

    /// What a register has, or a number itself.
    std::optional<Constant> constant_in(Ref ref) const {
        if (is_constant(ref)) return Constant{Bank::numbers, index_of(ref), 8};
        return is_virtual(ref) ? of_[index_of(ref)] : std::nullopt;
    }

    /// What the instruction reads there, if that has to be loaded.
    std::optional<Constant> loaded(Ref ref, const DraftInst& user) const {
        const auto constant = constant_in(ref);
        if (!constant || constant->bank != Bank::numbers) return constant;
        const std::uint64_t bits = draft_.constants[static_cast<std::size_t>(constant->address)].first;
        const bool halves = static_cast<std::uint32_t>(bits) != 0;
        const bool number = user.spec.type == ptx::Type::f64 && halves && !(user.cost == Cost{});
        return number ? constant : std::nullopt;
    }

    /// The first of each constant in a block, and again behind calls.
    void find_uses(std::uint32_t b) {
        const BasicBlock& block = draft_.code.blocks[b];
        Places here;
        const auto want = [&](const Constant& constant, const char* key) {
            if (here.insert(constant.place()).second) uses_[b].push_back({constant, key});
        };
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            DraftInst& item = draft_.instructions[i];
            if (is_copy(item) && constant_in(item.inst.d)) continue;
            std::optional<Constant> first;
            for_refs(draft_, item, [&](Ref ref, bool read, bool) {
                const auto constant = read ? loaded(ref, item) : std::nullopt;
                if (!constant) return;
                const bool second = first && first->place() != constant->place();
                if (constant->bank != Bank::numbers) first = first ? first : constant;
                want(*constant, key_of(*constant, item, second));
                if (const auto scale = scale_of(item)) want({Bank::scales, *scale, 8}, "constant.scale");
            });
            if (item.flow != Flow::call) continue;
            uses_[b].push_back({.forgets = true});
            here.clear();
        }
    }

    const char* key_of(const Constant& constant, const DraftInst& user, bool second) const {
        if (constant.bank == Bank::numbers) return "immediate.f64";
        const std::string_view root = root_of(user);
        if (user.inst.has_base || (constant.bytes == 8 && (root == "mov" || root == "selp"))) return "constant.address";
        if (root == "st" || root == "mov") return "constant.value";
        if (adds_product(user) && constant.bytes == 8) return "constant.lane";
        if (second) return "constant.second";
        return is_second_factor(constant, user) ? "constant.lane" : "constant.uniform";
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
        return (root == "mad" || root == "mul") && first_is_uniform && second && second->place() == constant.place();
    }

    /// Numbers are moved again in each round.
    static bool stays_in_register(const Use& use) { return !use.forgets && use.constant.bank != Bank::numbers; }

    /// What every round of a loop uses is wanted in front of it; inner loops first, for outer ones to take it further.
    void hoist() {
        const auto& blocks = draft_.code.blocks;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> loops;  // first and last block
        for (std::uint32_t b = 0; b < blocks.size(); ++b)
            for (const std::uint32_t next : blocks[b].successors)
                if (next <= b) loops.emplace_back(next, b);
        std::ranges::sort(loops, {}, [](const auto& loop) { return loop.second - loop.first; });
        for (const auto& [first, last] : loops) {
            std::vector<Use> always;
            // What follows the first block on all ways, as long as it is of the loop; -1 is no block.
            for (std::uint32_t b = first; b >= first && b <= last;
                 b = static_cast<std::uint32_t>(blocks[b].post_dominator)) {
                for (const auto* uses : {&uses_[b], &in_front_[b]})
                    std::ranges::copy_if(*uses, std::back_inserter(always), stays_in_register);
            }
            for (std::uint32_t b = 0; b < blocks.size(); ++b) {
                if ((b >= first && b <= last) ||
                    std::ranges::find(blocks[b].successors, first) == blocks[b].successors.end())
                    continue;
                in_front_[b].insert(in_front_[b].end(), always.begin(), always.end());
            }
        }
    }

    /// Whether the other half of 64 bits is loaded with it, because the same block wants it, too.
    static bool comes_with_neighbour(const Use& use, const std::vector<Use>& uses) {
        // The sizes of a launch were seen to come one by one.
        if (use.constant.bytes != 4 || use.constant.bank == Bank::launch) return false;
        return std::ranges::any_of(uses, [&](const Use& other) {
            return other.constant.place() == use.constant.neighbour() && other.constant.bytes == 4 &&
                   other.key == use.key;
        });
    }

    /// Calls loads(use) where a constant has to be loaded.
    template <class Loads>
    void walk(std::uint32_t b, Places& here, Loads&& loads) const {
        for (const auto* uses : {&uses_[b], &in_front_[b]}) {
            for (const Use& use : *uses) {
                if (use.forgets) here.clear();
                if (use.forgets || !here.insert(use.constant.place()).second) continue;
                if (comes_with_neighbour(use, *uses)) here.insert(use.constant.neighbour());
                loads(use);
            }
        }
    }

    /// Keeps what both ways have. True: something is no longer there.
    static bool meet(std::optional<Places>& known, const Places& more) {
        if (!known) {
            known = more;
            return true;
        }
        return std::erase_if(*known, [&](const auto& place) { return !more.contains(place); }) > 0;
    }

    Draft& draft_;
    std::vector<std::optional<Constant>> of_;        // by register
    std::vector<const DraftInst*> by_;               // by register: who writes it, the last if there are several
    std::vector<bool> uniform_;                      // special registers that all lanes have the same of
    std::vector<std::vector<Use>> uses_, in_front_;  // by block: in it, and behind it for a loop that follows
};

}  // namespace

void find_constant_loads(Draft& draft) {
    ConstantLoads(draft).run();
    if (!draft.code.entry) return;
    draft.block_costs.push_back({0, Cost("kernel.begin", {}), 1});
    if (std::ranges::any_of(draft.instructions, goes_to_global))
        draft.block_costs.push_back({0, Cost("kernel.global", {}), 1});
    const auto in_shared = [](const DraftInst& item) { return item.opcode.find(".shared") != std::string_view::npos; };
    if (std::ranges::any_of(draft.instructions, in_shared))
        draft.block_costs.push_back({0, Cost("kernel.shared", {}), 1});
}

}  // namespace gpuproj::simulate
