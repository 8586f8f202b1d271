#include "collector/simulate/engine/shared_layout.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

namespace gpuproj::simulate {

namespace {

using ptx::Function;
using ptx::Operand;
using ptx::Space;
using ptx::Variable;

constexpr std::uint32_t region_align = 16;

std::uint32_t aligned(std::uint32_t value, std::uint32_t align) {
    return (value + align - 1) / align * align;
}
std::uint32_t placed(std::uint32_t& top, const Variable& variable) {
    const std::uint32_t at = aligned(top, shared_align(variable));
    top = at + static_cast<std::uint32_t>(variable.bytes);
    return at;
}

/// What a function names.
struct Uses {
    std::set<const Variable*> variables;  // shared ones at module scope
    std::set<const Function*> functions;
    bool calls_indirectly = false;
    bool dynamic = false;  // dynamic shared memory
    std::uint32_t dynamic_align = region_align;
};

class Layout {
public:
    Layout(const ptx::ParsedModule& module, const std::vector<const Function*>& functions) : functions_(functions) {
        for (const Variable& variable : module.variables) {
            if (variable.space == Space::shared) variables_.emplace(variable.name, &variable);
        }
        for (const Function* function : functions) {  // kernels are launched, not called
            if (!function->entry) by_name_.emplace(function->name, function);
        }
        for (const Function* function : functions) uses_[function] = uses_of(*function);
    }

    std::map<const Function*, SharedLayout> run() {
        std::map<const Function*, SharedLayout> layouts;
        std::map<const Variable*, std::uint32_t> common;
        std::uint32_t top = 0, align = region_align;  // align: of the dynamic memory that functions share with kernels
        bool one_dynamic = false;
        for (const Function* function : functions_) {
            if (function->entry) continue;
            for (const Variable* variable : uses_[function].variables) {
                if (!variable->external && !common.contains(variable)) common[variable] = placed(top, *variable);
            }
            one_dynamic |= uses_[function].dynamic;
            align = std::max(align, uses_[function].dynamic_align);
        }
        for (const Function* function : functions_) {
            if (function->entry) continue;
            layouts[function].own = top = aligned(top, region_align);
            top += own_bytes(*function);
        }
        top = aligned(top, region_align);
        std::uint32_t highest = top;
        for (const Function* function : functions_) {
            SharedLayout& layout = layouts[function];
            std::uint32_t end = top;
            for (const Variable* variable : uses_[function].variables) {
                if (variable->external) continue;
                const auto at = common.find(variable);
                layout.module_variables[variable->name] = at != common.end() ? at->second : placed(end, *variable);
            }
            if (!function->entry) continue;
            layout.own = aligned(end, region_align);
            const std::uint32_t dynamic_align = uses_[function].dynamic_align;
            layout.dynamic = aligned(layout.own + own_bytes(*function), dynamic_align);
            layout.bytes = reachable_bytes(*function);
            highest = std::max(highest, layout.dynamic);
            align = std::max(align, dynamic_align);
        }
        highest = aligned(highest, align);
        for (const Function* function : functions_) {
            SharedLayout& layout = layouts[function];
            if (one_dynamic || !function->entry) layout.dynamic = highest;
            for (const Variable* variable : uses_[function].variables) {
                if (variable->external) layout.module_variables[variable->name] = layout.dynamic;
            }
        }
        return layouts;
    }

private:
    static void use_dynamic(const Variable& variable, Uses& uses) {
        uses.dynamic = true;
        uses.dynamic_align = std::max(uses.dynamic_align, variable.align);
    }
    void note(const Operand& operand, Uses& uses) const {
        if (!operand.symbol.empty() && operand.variable < 0) {
            if (const auto variable = variables_.find(operand.symbol); variable != variables_.end()) {
                uses.variables.insert(variable->second);
                if (variable->second->external) use_dynamic(*variable->second, uses);
            } else if (const auto function = by_name_.find(operand.symbol); function != by_name_.end()) {
                uses.functions.insert(function->second);
            }
        }
        for (const Operand& element : operand.elements) note(element, uses);
    }
    Uses uses_of(const Function& function) const {
        Uses uses;
        for (const ptx::Instruction& instruction : function.instructions) {
            for (const Operand& operand : instruction.operands) note(operand, uses);
            uses.calls_indirectly |= instruction.opcode.starts_with("call") &&
                                     std::ranges::any_of(instruction.operands, [](const Operand& operand) {
                                         return operand.kind == ptx::OperandKind::reg;
                                     });
        }
        for (const Variable& variable : function.variables)
            if (variable.space == Space::shared && variable.external) use_dynamic(variable, uses);
        return uses;
    }
    static std::uint32_t own_bytes(const Function& function) {
        std::uint32_t top = 0;
        for (const Variable& variable : function.variables) {
            if (variable.space == Space::shared && !variable.external) placed(top, variable);
        }
        return aligned(top, region_align);
    }
    std::uint32_t reachable_bytes(const Function& kernel) {
        std::set<const Function*> reached;
        std::set<const Variable*> variables;
        std::vector<const Function*> next{&kernel};
        std::uint32_t bytes = 0;
        while (!next.empty()) {
            const Function* function = next.back();
            next.pop_back();
            if (!reached.insert(function).second) continue;
            const Uses& uses = uses_[function];
            bytes += own_bytes(*function);
            variables.insert(uses.variables.begin(), uses.variables.end());
            next.insert(next.end(), uses.functions.begin(), uses.functions.end());
            if (!uses.calls_indirectly) continue;
            std::ranges::copy_if(functions_, std::back_inserter(next), [](const Function* f) { return !f->entry; });
        }
        std::uint32_t top = 0;
        for (const Variable* variable : variables) {
            if (!variable->external) placed(top, *variable);
        }
        return bytes + aligned(top, region_align);
    }

    const std::vector<const Function*>& functions_;
    std::unordered_map<std::string_view, const Variable*> variables_;
    std::unordered_map<std::string_view, const Function*> by_name_;
    std::unordered_map<const Function*, Uses> uses_;
};

}  // namespace

std::uint32_t shared_align(const Variable& variable) {
    return std::max(variable.align, variable.bytes >= region_align ? region_align : 1U);
}

std::map<const Function*, SharedLayout> lay_out_shared(const ptx::ParsedModule& module,
                                                       const std::vector<const Function*>& functions) {
    return Layout(module, functions).run();
}

}  // namespace gpuproj::simulate
