#include "collector/simulate/reference_limits.hpp"

#include <fmt/format.h>

#include "model/occupancy.hpp"

namespace gpuproj::simulate {

namespace {

// CUDA C++ Programming Guide, technical specifications per compute capability: grids.
std::uint64_t most_blocks_in_x(const OccupancyRules& rules) {
    return rules.major < 3 ? 65535 : 0x7FFFFFFF;
}
std::uint64_t most_blocks_in_z(const OccupancyRules& rules) {
    return rules.major < 2 ? 1 : 65535;
}

void check(std::vector<std::string>& refusals, const Gpu& reference, const char* what, double value, double most) {
    if (value > most)
        refusals.push_back(
            fmt::format("{} would refuse this launch: {} {:.0f}, at most {:.0f}", reference.name, what, value, most));
}

}  // namespace

std::vector<std::string> launch_refusals(const Gpu& reference, const KernelRecord& record) {
    std::vector<std::string> refusals;
    const auto rules = occupancy_rules(reference.compute_capability);
    if (!rules) return refusals;
    const auto test = [&](const char* what, double value, double most) {
        check(refusals, reference, what, value, most);
    };
    if (record.grid) {
        test("blocks in x", (*record.grid)[0], static_cast<double>(most_blocks_in_x(*rules)));
        test("blocks in z", (*record.grid)[2], static_cast<double>(most_blocks_in_z(*rules)));
    }
    if (const auto threads = record.threads_per_block())
        test("threads per block", static_cast<double>(*threads), rules->max_threads_per_block());
    const double shared = record.static_shared.value_or(Bytes{}).value + record.dynamic_shared.value_or(Bytes{}).value;
    test("bytes of shared memory per block", shared, rules->shared_per_block);
    return refusals;
}

std::vector<std::string> memory_refusals(const Gpu& reference, std::optional<Bytes> peak) {
    if (!peak || !reference.memory || *peak <= reference.memory->value) return {};
    return {fmt::format("{} has too little memory: {:.0f} bytes needed at once, {:.0f} there", reference.name,
                        peak->value, reference.memory->value.value)};
}

}  // namespace gpuproj::simulate
