#include "collector/simulate/engine/decode/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <new>

#include "collector/simulate/engine/decode/function_decoder.hpp"
#include "collector/simulate/engine/held_memory.hpp"

namespace gpuproj::simulate {

namespace {

using namespace decoding;

/// All in one stretch of the GPU's addresses, which are the same in every run: the sets of the caches depend on them.
void place_variables(Program& program, const ptx::ParsedModule& module) {
    constexpr std::size_t alignment = 256;
    const auto is_placed = [](const ptx::Variable& variable) {
        return variable.space != Space::shared && !variable.external;
    };
    // What is right behind a variable is there, but belongs to none.
    const auto room = [](const ptx::Variable& variable) {
        return (std::max<std::size_t>(variable.bytes, 1) + 2 * alignment - 1) / alignment * alignment;
    };
    std::size_t bytes = 0;
    for (const ptx::Variable& variable : module.variables) bytes += is_placed(variable) ? room(variable) : 0;
    if (bytes == 0) return;
    auto* const memory = static_cast<std::byte*>(hold(*program.memory, bytes));
    if (memory == nullptr) throw std::bad_alloc();
    program.registered.push_back(memory);
    std::byte* address = memory;
    for (const ptx::Variable& variable : module.variables) {
        if (!is_placed(variable)) continue;
        program.memory->add(address, std::max<std::size_t>(variable.bytes, 1));
        program.variables[variable.name] = {variable.name, address, static_cast<std::size_t>(variable.bytes),
                                            variable.space == Space::constant};
        address += room(variable);
    }
}

void resolve_references(const Program& program, const ptx::ParsedModule& module) {
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
            value = (value & reference.mask) >> static_cast<unsigned>(std::countr_zero(reference.mask));
            std::memcpy(static_cast<std::byte*>(owner->second.address) + reference.offset, &value, reference.bytes);
        }
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

void set_variables(const Program& program, const ptx::ParsedModule& module) {
    for (const ptx::Variable& variable : module.variables) {
        const auto placed = program.variables.find(variable.name);
        if (placed == program.variables.end()) continue;
        const std::size_t bytes = placed->second.bytes, given = std::min(variable.initial.size(), bytes);
        auto* const address = static_cast<std::byte*>(placed->second.address);
        std::copy_n(variable.initial.begin(), given, address);
        std::fill(address + given, address + bytes, std::byte{0});
    }
    resolve_references(program, module);
}

std::unique_ptr<Program> decode(const ptx::ParsedModule& module, std::string origin, DeviceMemory& memory,
                                MachineCode machine_code) {
    auto program = std::make_unique<Program>();
    program->origin = std::move(origin);
    program->target = module.target;
    program->files = module.files;
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
    set_variables(*program, module);
    program->shared = lay_out_shared(module, definition);
    program->functions.resize(definition.size());
    for (std::size_t i = 0; i < definition.size(); ++i) {
        if (definition[i]->declared_only) {
            program->functions[i].name = definition[i]->name;
            continue;
        }
        program->functions[i] = FunctionDecoder(*program, *definition[i], machine_code).run();
    }
    program->shared.clear();
    refuse_callers(*program);
    find_waiting(*program);
    return program;
}

std::vector<std::string_view> instruction_names() {
    return FunctionDecoder::instruction_names();
}

Program::Program() {
    static std::atomic<std::uint64_t> next{0};
    id = next.fetch_add(1);
}

Program::~Program() {
    if (memory == nullptr) return;
    for (const void* begin : registered) release_held(*memory, begin);
}

}  // namespace gpuproj::simulate
