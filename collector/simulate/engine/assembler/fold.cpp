// The assembler turns pairs of instructions into one, computes with constants itself, and adds constants to addresses
// where they are used. Costs follow it: what was swallowed costs nothing, what swallowed it costs what the expansion
// table has under "fold.*". Semantics stay with the single instructions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

namespace {

/// Who writes and reads each virtual register.
struct Register {
    std::uint32_t written = 0;  // number of instructions that do
    std::uint32_t by = 0;       // the last of them
    std::vector<std::uint32_t> readers;
    bool is_constant = false;
    bool is_shared_variable = false;  // the address of one, and maybe a number
};

/// What has to hold of the operands of a pair.
enum class Given : std::uint8_t {
    anything,
    constant_first,   // the first's second operand is a constant
    constants,        // and so is the second's
    variable_second,  // the second has none: a constant goes from a sum into the access, for nothing
    variable,         // one of the two has none
};

struct Rule {
    std::string_view first;   // opcode of the instruction that vanishes
    std::string_view second;  // the one that swallows it
    std::string_view key;     // in the expansion table
    Given given;
    bool once;  // the first has to have one reader: with more of them its result is kept
};

// Products and shifts go into each of their sums, in whichever block they are, because a multiply-add costs no more
// than the addition. Of sums and logic only a pair with nothing in between becomes one instruction of three operands.
constexpr Rule rules[] = {
    {"mul.wide.s32", "add.s64", "fold.mul.wide.s32.add", Given::constant_first, false},
    {"mul.wide.u32", "add.s64", "fold.mul.wide.u32.add", Given::constant_first, false},
    {"shl.b64", "add.s64", "fold.shl.b64.add", Given::constant_first, false},
    {"shl.b32", "add.s32", "fold.shl.b32.add", Given::constant_first, false},
    {"shl.b32", "sub.s32", "fold.shl.b32.sub", Given::constant_first, false},
    {"mul.lo.s32", "add.s32", "fold.mul.lo.32.add", Given::anything, false},
    {"add.s32", "add.s32", "fold.add.add.32", Given::anything, true},
    {"add.s32", "sub.s32", "fold.add.add.32", Given::anything, true},
    {"sub.s32", "add.s32", "fold.add.add.32", Given::anything, true},
    {"sub.s32", "sub.s32", "fold.add.add.32", Given::anything, true},
    {"add.s64", "add.s64", "fold.add.add.64", Given::variable_second, true},
    {"and.b32", "or.b32", "fold.logic.logic.32", Given::anything, true},
    {"and.b32", "xor.b32", "fold.logic.logic.32", Given::anything, true},
    {"or.b32", "and.b32", "fold.logic.logic.32", Given::anything, true},
    {"xor.b32", "and.b32", "fold.logic.logic.32", Given::anything, true},
    {"xor.b32", "xor.b32", "fold.logic.logic.32", Given::anything, true},
    {"or.b32", "or.b32", "fold.logic.logic.32", Given::anything, true},
    {"and.b32", "and.b32", "fold.logic.logic.32", Given::anything, true},
    {"shr.u32", "and.b32", "fold.shr.and.32", Given::constants, true},
    {"shr.u32", "add.s32", "fold.shr.u32.add", Given::constant_first, true},
    {"shr.s32", "add.s32", "fold.shr.s32.add", Given::constant_first, true},
    {"add.s32", "min.s32", "fold.add.minmax.32", Given::variable, true},
    {"add.s32", "max.s32", "fold.add.minmax.32", Given::variable, true},
    {"add.s32", "min.u32", "fold.add.minmax.32", Given::variable, true},
    {"add.s32", "max.u32", "fold.add.minmax.32", Given::variable, true},
    {"sub.s32", "min.s32", "fold.add.minmax.32", Given::variable, true},
    {"sub.s32", "max.s32", "fold.add.minmax.32", Given::variable, true},
    {"sub.s32", "min.u32", "fold.add.minmax.32", Given::variable, true},
    {"sub.s32", "max.u32", "fold.add.minmax.32", Given::variable, true},
    {"min.s32", "min.s32", "fold.minmax.minmax.32", Given::variable, true},
    {"max.s32", "max.s32", "fold.minmax.minmax.32", Given::variable, true},
    {"min.u32", "min.u32", "fold.minmax.minmax.32", Given::variable, true},
    {"max.u32", "max.u32", "fold.minmax.minmax.32", Given::variable, true},
};

/// Types in which ptxas makes one multiply-add of a product and a sum that leave their rounding to it.
struct Contraction {
    std::string_view type;  // with what else the opcodes have in front of it
    std::string_view key;   // of the multiply-add in the expansion table, if it is there
    Class operation, multiply_add;
};
constexpr Contraction contractions[] = {
    {".f32", "", Class::fp32, Class::fp32_fma},
    {".ftz.f32", "", Class::fp32, Class::fp32_fma},
    {".f64", "", Class::fp64, Class::fp64_fma},
    {".f16", "fma.rn.f16", Class::fp16, Class::fp16_fma},
    {".f16x2", "fma.rn.f16x2", Class::fp16, Class::fp16_fma},
};

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
    return std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

class Folder {
public:
    explicit Folder(Draft& draft)
        : draft_(draft),
          loops_(loops_of(draft)),
          registers_(draft.width.size()),
          block_(draft.instructions.size()),
          taken_(draft.instructions.size()) {
        const std::vector<bool> labelled = labelled_places(draft);
        std::uint32_t block = 0;
        for (std::uint32_t i = 0; i < draft.instructions.size(); ++i) {
            if (labelled[i]) ++block;
            block_[i] = block;
            DraftInst& item = draft.instructions[i];
            if (item.flow != Flow::next) ++block;
            for_refs(draft, item, [&](Ref ref, bool read, bool written) {
                if (!is_virtual(ref)) return;
                Register& reg = registers_[index_of(ref)];
                if (read) reg.readers.push_back(i);
                if (written) {
                    reg.written += 1;
                    reg.by = i;
                }
            });
        }
    }

    void run() {
        compute_constants();
        know_divisors();
        fold_into_shared_addresses();
        // Products before sums: a sum that could swallow either does more with a product.
        for (const bool once : {false, true}) {
            for (std::uint32_t i = 0; i < draft_.instructions.size(); ++i)
                if (plain(i)) fold_pair(i, once);
        }
        share_sums_of_addresses();
        for (std::uint32_t i = 0; i < draft_.instructions.size(); ++i) {
            if (!plain(i)) continue;
            fold_product(i);
            fold_test(i);
            fold_negation(i);
            fold_into_addresses(i);
            fold_predicates(i);
        }
    }

private:
    DraftInst& at(std::uint32_t i) { return draft_.instructions[i]; }
    /// A single unguarded result that nobody else writes.
    bool plain(std::uint32_t i) {
        const DraftInst& item = at(i);
        return item.flow == Flow::next && item.inst.guard == no_ref && item.inst.count <= 1 && item.d_written &&
               is_virtual(item.inst.d) && registers_[index_of(item.inst.d)].written == 1;
    }
    bool known(Ref ref) const { return is_constant(ref) || (is_virtual(ref) && registers_[index_of(ref)].is_constant); }
    const std::vector<std::uint32_t>& readers(std::uint32_t i) { return registers_[index_of(at(i).inst.d)].readers; }

    /// What follows from constants alone is a constant, and costs nothing.
    void compute_constants() {
        for (std::uint32_t i = 0; i < draft_.instructions.size(); ++i) {
            DraftInst& item = at(i);
            if (!plain(i) || item.load || item.store) continue;
            if (!starts_with_any(item.opcode, {"mov.", "cvt", "add.", "sub.", "shl.", "shr.", "and.", "or.", "xor.",
                                               "mul.", "mad.", "neg.", "not."}))
                continue;
            bool any = false, all = true;
            for_refs(draft_, item, [&](Ref ref, bool read, bool) {
                if (!read) return;
                any = true;
                all &= known(ref);
            });
            if (!any || !all) continue;
            registers_[index_of(item.inst.d)].is_constant = true;
            registers_[index_of(item.inst.d)].is_shared_variable = follows_from_shared_variable(item);
            item.cost = {};
        }
    }

    bool follows_from_shared_variable(DraftInst& item) {
        bool follows = item.shared_variable.has_value();
        for_refs(draft_, item, [&](Ref ref, bool read, bool) { follows |= read && is_shared_variable(ref); });
        return follows;
    }
    bool is_shared_variable(Ref ref) const { return is_virtual(ref) && registers_[index_of(ref)].is_shared_variable; }

    /// Of a divisor that is a constant there is less to find out. That it is a power of two comes too late to help:
    /// where nvcc did not know it, ptxas divides all the same.
    void know_divisors() {
        for (DraftInst& item : draft_.instructions) {
            const bool divides = item.spec.op == Op::div || item.spec.op == Op::rem;
            if (divides && !is_float(item.spec.type) && known(item.inst.b))
                item.cost = Cost(item.cost.key + ".imm", item.cost.otherwise);
        }
    }

    /// An unguarded instruction that may swallow `first`, once. `anywhere`: not of the same block alone.
    bool may_swallow(std::uint32_t user, std::uint32_t first, bool anywhere = false) {
        const DraftInst& second = at(user);
        return second.inst.guard == no_ref && !taken_[user] && (anywhere || block_[user] == block_[first]) &&
               second.inst.a != second.inst.b && !(second.cost == Cost{});
    }

    void swallow(std::uint32_t first, const Cost& cost) {
        for (const std::uint32_t user : readers(first)) {
            at(user).cost = cost;
            taken_[user] = true;
        }
        at(first).cost = {};
    }

    /// What a loop adds in each round Maxwell and Pascal multiply in front of it, others in each round.
    void swallow_by_rule(std::uint32_t first, const Rule& rule) {
        const auto in_round = [&](std::uint32_t user) {
            return std::ranges::any_of(loops_,
                                       [&](const TextLoop& loop) { return loop.has(user) && !loop.has(first); });
        };
        Cost in_front;
        for (const std::uint32_t user : readers(first)) {
            const bool round = in_round(user);
            at(user).cost = Cost(fmt::format("{}{}{}", rule.key, adds_index_to_variable(first, user) ? ".variable" : "",
                                             round ? ".round" : ""),
                                 at(user).cost.otherwise);
            taken_[user] = true;
            if (round) in_front = Cost(at(first).cost.key + ".in_front", at(first).cost.otherwise);
        }
        at(first).cost = in_front;
    }

    bool holds(Given given, const DraftInst& first, const DraftInst& second) const {
        const auto constant = [&](const DraftInst& item) { return known(item.inst.b); };
        switch (given) {
            case Given::constant_first:
                return constant(first);
            case Given::constants:
                return constant(first) && constant(second);
            case Given::variable_second:
                return !known(second.inst.a) && !constant(second);
            case Given::variable:
                return !constant(first) || !constant(second);
            default:
                return true;
        }
    }

    /// `once`: by the rules that ask for one reader, or by the others.
    void fold_pair(std::uint32_t i, bool once) {
        const DraftInst& first = at(i);
        if (taken_[i] || first.cost == Cost{}) return;
        for (const Rule& rule : rules) {
            if (first.opcode != rule.first || rule.once != once) continue;
            const auto& users = readers(i);
            if (users.empty() || (rule.once && users.size() != 1)) continue;
            const bool all = std::ranges::all_of(users, [&](std::uint32_t user) {
                return at(user).opcode == rule.second && may_swallow(user, i, !once) &&
                       holds(rule.given, first, at(user));
            });
            if (!all) continue;
            swallow_by_rule(i, rule);
            return;
        }
    }

    /// A product that only sums want: multiply-adds, unless an opcode names its rounding.
    void fold_product(std::uint32_t i) {
        const std::string_view opcode = at(i).opcode;
        if (taken_[i] || !opcode.starts_with("mul.") || readers(i).empty()) return;
        const std::string_view type = opcode.substr(3);
        const auto* const found = std::ranges::find(contractions, type, &Contraction::type);
        if (found == std::end(contractions)) return;
        const bool all = std::ranges::all_of(readers(i), [&](std::uint32_t user) {
            const std::string_view sum = at(user).opcode;
            return sum.substr(std::min<std::size_t>(3, sum.size())) == type && starts_with_any(sum, {"add.", "sub."}) &&
                   may_swallow(user, i);
        });
        if (all) swallow(i, Cost(std::string(found->key), one({found->operation, found->multiply_add})));
    }

    /// Logic whose result is only compared with zero sets the predicate itself from Maxwell on.
    void fold_test(std::uint32_t i) {
        if (taken_[i] || !is_logic(at(i).opcode) || readers(i).size() != 1) return;
        const std::uint32_t user = readers(i).front();
        const DraftInst& test = at(user);
        const bool zero = is_constant(test.inst.b) && draft_.constants[index_of(test.inst.b)].first == 0;
        if (zero && may_swallow(user, i) &&
            (test.opcode.starts_with("setp.eq.") || test.opcode.starts_with("setp.ne.")) && test.opcode.ends_with("32"))
            swallow(i, Cost("fold.logic.setp.32", test.cost.otherwise));
    }

    /// Logic inverts its operands, and sums negate theirs, for nothing.
    void fold_negation(std::uint32_t i) {
        const bool logic = at(i).opcode == "not.b32";
        if (taken_[i] || readers(i).empty() || (!logic && at(i).opcode != "neg.s32")) return;
        const bool all = std::ranges::all_of(readers(i), [&](std::uint32_t user) {
            const std::string_view opcode = at(user).opcode;
            return logic ? is_logic(opcode) : opcode == "add.s32" || opcode == "sub.s32";
        });
        if (all) at(i).cost = {};
    }

    static bool is_logic(std::string_view opcode) {
        return opcode == "and.b32" || opcode == "or.b32" || opcode == "xor.b32";
    }

    // Until 8.9 the address of a variable in shared memory is a number, which goes into the access, and arrays at the
    // same index share what calculates it; from 7.5 on an access multiplies by 4, 8 or 16 itself. From 9.0 on the
    // address of a variable is in a register that an index times its size is added to at once.

    /// An index times a power of two, or in multiples of 4, and what is added.
    struct Scaled {
        Ref index = no_ref;
        std::uint64_t factor = 0;  // 0: not such a product
        bool can_be_in_access() const { return factor == 4 || factor == 8 || factor == 16; }
    };

    std::uint64_t number(Ref ref) const { return is_constant(ref) ? draft_.constants[index_of(ref)].first : 0; }

    Scaled shifted(std::uint32_t i) {
        const DraftInst& item = at(i);
        const std::uint64_t by = number(item.inst.b);
        if (item.opcode != "shl.b32" || !plain(i) || item.cost == Cost{} || by == 0 || by > 31) return {};
        return {item.inst.a, std::uint64_t{1} << by};
    }
    /// Product and sum with the address of a variable.
    Scaled multiplied(std::uint32_t i) {
        const DraftInst& item = at(i);
        if (item.opcode != "mad.lo.s32" || !plain(i) || !is_shared_variable(item.inst.c)) return {};
        return {item.inst.a, number(item.inst.b)};
    }
    bool adds_to_variable(std::uint32_t i) {
        const DraftInst& item = at(i);
        return item.opcode == "add.s32" && plain(i) && !(item.cost == Cost{}) &&
               (is_shared_variable(item.inst.a) || is_shared_variable(item.inst.b));
    }
    bool adds_index_to_variable(std::uint32_t index, std::uint32_t sum) {
        return at(index).opcode == "shl.b32" && adds_to_variable(sum);
    }
    bool all_readers(std::uint32_t i, auto condition) {
        return !readers(i).empty() && std::ranges::all_of(readers(i), condition);
    }

    bool is_address(std::uint32_t i, std::uint32_t user) {
        const DraftInst& access = at(user);
        const Ref ref = at(i).inst.d;
        return starts_with_any(access.opcode, {"ld.", "st.", "atom.", "red."}) && access.inst.has_base &&
               access.inst.a == ref && access.inst.d != ref && access.inst.b != ref;
    }
    bool only_addresses(std::uint32_t i) {
        return all_readers(i, [&](std::uint32_t user) { return is_address(i, user); });
    }
    bool only_shared_addresses(std::uint32_t i) {
        return only_addresses(i) && all_readers(i, [&](std::uint32_t user) {
                   return at(user).space == ptx::Space::shared ||
                          at(user).opcode.find(".shared.") != std::string_view::npos;
               });
    }
    /// Whether an index in multiples of 4 is added to it wherever it is read, to make addresses.
    bool only_rows(std::uint32_t i) {
        return all_readers(i, [&](std::uint32_t user) {
            const DraftInst& sum = at(user);
            if (sum.opcode != "add.s32" || !plain(user) || sum.inst.a == sum.inst.b || !only_shared_addresses(user))
                return false;
            const Ref other = sum.inst.a == at(i).inst.d ? sum.inst.b : sum.inst.a;
            return is_virtual(other) && registers_[index_of(other)].written == 1 &&
                   shifted(registers_[index_of(other)].by).factor % 4 == 0 &&
                   shifted(registers_[index_of(other)].by).factor != 0;
        });
    }

    void fold_into_shared_addresses() {
        for (std::uint32_t i = 0; i < draft_.instructions.size(); ++i) {
            if (const Scaled product = multiplied(i); product.factor != 0) fold_product_of_address(i, product);
            if (const Scaled index = shifted(i); index.factor != 0) fold_index(i, index);
        }
    }

    /// What the table has under "address.PART", of indices that an access can multiply ".access", and of what is
    /// calculated there already ".again".
    static Cost cost_of_address(std::string_view part, bool in_access, bool again = false) {
        return Cost(fmt::format("address.{}{}{}", part, in_access ? ".access" : "", again ? ".again" : ""), {});
    }

    void fold_product_of_address(std::uint32_t i, const Scaled& product) {
        const bool shifts = std::has_single_bit(product.factor), row = product.factor % 4 == 0 && only_rows(i);
        if (!row && !(shifts && only_shared_addresses(i))) return;
        const bool again = is_there(i, product);
        at(i).cost = row ? cost_of_address(shifts ? "row" : "row.product", false, again)
                         : cost_of_address("product", product.can_be_in_access(), again);
        taken_[i] = true;
    }

    void fold_index(std::uint32_t i, const Scaled& index) {
        const bool adds =
            all_readers(i, [&](std::uint32_t user) { return adds_to_variable(user) && may_swallow(user, i, true); });
        if (!adds) return;
        if (all_readers(i, [&](std::uint32_t user) { return only_shared_addresses(user); })) {
            swallow(i, cost_of_address("sum", false));
            at(i).cost = cost_of_address("index", index.can_be_in_access());
        } else if (index.factor % 4 == 0 && all_readers(i, [&](std::uint32_t user) { return only_rows(user); })) {
            swallow(i, {});
            for (const std::uint32_t user : readers(i))
                at(user).cost = cost_of_address("row", false, is_there(user, index));
        }
    }

    /// Whether the block has the same but for what variable it is added to, which the access says until 8.9.
    bool is_there(std::uint32_t i, const Scaled& product) {
        if (!is_virtual(product.index) || registers_[index_of(product.index)].written != 1) return false;
        const auto [first, is_first] = products_.try_emplace({block_[i], product.index, product.factor}, at(i).inst.d);
        same_[at(i).inst.d] = first->second;
        return !is_first;
    }

    /// Sums of the same rows with the same index.
    void share_sums_of_addresses() {
        std::set<std::tuple<std::uint32_t, Ref, Ref>> there;
        for (std::uint32_t i = 0; i < draft_.instructions.size(); ++i) {
            DraftInst& sum = at(i);
            if (!sum.cost.key.starts_with("fold.shl.b32.add") || !plain(i)) continue;
            for (const auto& [row, index] : {std::pair(sum.inst.a, sum.inst.b), std::pair(sum.inst.b, sum.inst.a)}) {
                const auto found = same_.find(row);
                if (found == same_.end() || there.insert({block_[i], found->second, index}).second) continue;
                sum.cost = cost_of_address("sum", false, true);
            }
        }
    }

    /// Address plus constant: loads and stores have a place for it.
    void fold_into_addresses(std::uint32_t i) {
        DraftInst& item = at(i);
        const bool sum = starts_with_any(item.opcode, {"add.s64", "add.u64", "add.s32", "add.u32"}) &&
                         (known(item.inst.a) || known(item.inst.b));
        const bool product = item.opcode.starts_with("mad.lo.s32") && known(item.inst.a) && known(item.inst.b);
        if (taken_[i] || (!sum && !product) || readers(i).empty()) return;
        if (only_addresses(i)) item.cost = {};
    }

    /// Comparisons take a predicate along: "a < b and p" is one instruction. Negation is a property of the reader.
    void fold_predicates(std::uint32_t i) {
        DraftInst& item = at(i);
        if (item.opcode == "not.pred") item.cost = {};
        if (item.opcode != "and.pred" && item.opcode != "or.pred" && item.opcode != "xor.pred") return;
        const auto comparison = [&](Ref ref) {
            if (!is_virtual(ref)) return false;
            const Register& reg = registers_[index_of(ref)];
            return reg.written == 1 && reg.readers.size() == 1 && block_[reg.by] == block_[i] &&
                   at(reg.by).opcode.starts_with("setp.");
        };
        if (comparison(item.inst.a) || comparison(item.inst.b)) item.cost = {};
    }

    Draft& draft_;
    std::vector<TextLoop> loops_;
    std::vector<Register> registers_;
    std::vector<std::uint32_t> block_;  // per instruction
    std::vector<bool> taken_;           // per instruction: it has swallowed another
    // Of addresses in shared memory: the first in a block of each product, and the first like it.
    std::map<std::tuple<std::uint32_t, Ref, std::uint64_t>, Ref> products_;
    std::map<Ref, Ref> same_;
};

}  // namespace

void fold_costs(Draft& draft) {
    Folder(draft).run();
}

}  // namespace gpuproj::simulate
