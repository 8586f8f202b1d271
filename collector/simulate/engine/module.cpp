#include <fmt/format.h>

#include "collector/simulate/engine/decode/decoder.hpp"
#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/engine/initial_values.hpp"
#include "collector/simulate/engine/native/machine_code.hpp"
#include "collector/simulate/ptx/parser.hpp"

namespace gpuproj::simulate {

Module::Module(std::string_view ptx, std::string origin, DeviceMemory& memory, MachineCode machine_code) {
    try {
        const auto parsed = ptx::parse(ptx);
        program_ = decode(*parsed, origin, memory, machine_code);
    } catch (const PtxError& error) {
        throw PtxError(fmt::format("{}: {}", origin, error.what()));
    }
}

Module::~Module() = default;

const KernelInfo* Module::kernel(std::string_view name) const {
    const auto found = program_->function_index.find(name);
    if (found == program_->function_index.end()) return nullptr;
    const Code& code = program_->functions[found->second];
    return code.entry ? &code.info : nullptr;
}

std::vector<const KernelInfo*> Module::kernels() const {
    std::vector<const KernelInfo*> all;
    for (const Code& code : program_->functions) {
        if (code.entry) all.push_back(&code.info);
    }
    return all;
}

const Variable* Module::variable(std::string_view name) const {
    const auto found = program_->variables.find(name);
    return found == program_->variables.end() ? nullptr : &found->second;
}

bool has_variables(const Module& module) {
    return !module.program().variables.empty();
}

void set_variables_back(const Module& module, std::string_view ptx) {
    set_variables(module.program(), *ptx::parse(ptx));
}

void Module::aim_registers(const OccupancyRules& gpu) {
    for (Code& code : program_->functions) {
        KernelInfo& info = code.info;
        if (code.entry)
            info.registers = registers_on(info.registers, register_wish, register_aim(gpu, info.register_bounds));
    }
}

void Module::take_registers(const RegistersByKernel& registers, int target, const OccupancyRules& gpu) {
    const auto rules = occupancy_rules(fmt::format("{}.{}", target / 10, target % 10));
    for (Code& code : program_->functions) {
        const auto found = registers.find(code.name);
        if (!code.entry || found == registers.end() || found->second.taken == 0) continue;
        KernelInfo& info = code.info;
        // A bound that follows from the number of resident blocks is for that GPU alone.
        if (!info.register_bounds.blocks_per_sm && !info.register_bounds.registers)
            info.register_bounds.registers = found->second.most;
        const RegisterAim there = rules ? register_aim(*rules, info.register_bounds) : RegisterAim{};
        info.registers = registers_on(found->second.taken, there, register_aim(gpu, info.register_bounds));
        info.registers_there = found->second.taken;
        info.registers_from = target;
    }
}

void Module::make_ready(std::size_t function) const {
    make_machine_code(program_->functions.at(function));
}

int Module::target() const {
    return program_->target;
}

}  // namespace gpuproj::simulate
