#include <fmt/format.h>

#include "collector/simulate/engine/decoder.hpp"
#include "collector/simulate/engine/engine.hpp"
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

void Module::aim_registers(const RegisterAim& gpu) {
    for (Code& code : program_->functions)
        if (code.entry) code.info.registers = registers_on(code.info.registers, register_wish, gpu);
}

void Module::take_registers(const std::map<std::string, std::uint32_t>& registers, int target, const RegisterAim& gpu) {
    const auto rules = occupancy_rules(fmt::format("{}.{}", target / 10, target % 10));
    const RegisterAim there = rules ? register_aim(*rules) : RegisterAim{};
    for (Code& code : program_->functions) {
        const auto found = registers.find(code.name);
        if (!code.entry || found == registers.end() || found->second == 0) continue;
        code.info.registers = registers_on(found->second, there, gpu);
        code.info.registers_there = found->second;
        code.info.registers_from = target;
    }
}

void Module::make_ready(std::size_t function) const {
    make_machine_code(program_->functions.at(function));
}

int Module::target() const {
    return program_->target;
}

}  // namespace gpuproj::simulate
