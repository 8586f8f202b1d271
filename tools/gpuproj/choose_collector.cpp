#include "tools/gpuproj/choose_collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "collector/machine/obstacles.hpp"
#include "model/error.hpp"
#include "model/near_names.hpp"
#include "reports/gpus.hpp"

namespace gpuproj {
namespace {

using Unavailable = std::function<std::optional<std::string>(CollectorKind)>;

/// Profilers of a vendor's hardware, best first: CUPTI and ncu from compute capability 7.5 on, ncu or nvprof on 7.0 and
/// 7.2, nvprof below; all where the capability is not known.
std::vector<CollectorKind> hardware_collectors(std::string_view vendor, const std::optional<Gpu>& gpu) {
    if (vendor == "AMD") return {CollectorKind::rocprof};
    if (vendor != "NVIDIA") return {};
    const int capability = gpu ? capability_number(gpu->compute_capability) : 0;
    if (capability == 0) return {CollectorKind::cupti, CollectorKind::ncu, CollectorKind::nvprof};
    if (capability >= 75) return {CollectorKind::cupti, CollectorKind::ncu};
    if (capability >= 70) return {CollectorKind::ncu, CollectorKind::nvprof};
    return {CollectorKind::nvprof};
}

const MachineGpu* in_machine(std::span<const MachineGpu> machine, const Catalog& catalog, const Gpu& gpu) {
    const auto is_it = [&](const MachineGpu& here) {
        if (folded(here.name) == folded(gpu.name)) return true;
        const auto known = stored(catalog, here.name);
        return known && known->name == gpu.name;
    };
    const auto found = std::find_if(machine.begin(), machine.end(), is_it);
    return found == machine.end() ? nullptr : &*found;
}

CollectorChoice simulate(const Gpu& reference, std::string why) {
    if (reference.vendor != "NVIDIA") {
        throw UsageError(
            fmt::format("--ref {}: only NVIDIA GPUs can be simulated, and this is one of {}; name an NVIDIA GPU "
                        "as the reference, {} can be a --target",
                        reference.name, reference.vendor, reference.name));
    }
    return {CollectorKind::simulate, reference, std::move(why)};
}

/// A few that can be simulated and whose rates were measured, so that the self-check says most.
std::vector<std::string> gpus_to_simulate(const Catalog& catalog) {
    std::vector<std::string> names;
    for (const auto& entry : catalog.gpus()) {
        if (names.size() == 4) break;
        const auto gpu = stored(catalog, entry.name);
        if (gpu && gpu->vendor == "NVIDIA" && rates_quality(*gpu) == name_of(Quality::measured))
            names.push_back(gpu->name);
    }
    return names;
}

CollectorChoice choose_automatically(const std::optional<Gpu>& reference, std::span<const MachineGpu> machine,
                                     const Catalog& catalog, const Unavailable& unavailable) {
    const MachineGpu* here = reference         ? in_machine(machine, catalog, *reference)
                             : machine.empty() ? nullptr
                                               : &machine.front();
    std::string obstacle;
    if (here != nullptr) {
        for (const auto kind : hardware_collectors(here->vendor, reference ? reference : stored(catalog, here->name))) {
            const auto reason = unavailable(kind);
            if (!reason) return {kind, reference ? reference : stored(catalog, here->name), ""};
            if (obstacle.empty()) obstacle = *reason;
        }
    }
    if (!reference) {
        const auto what = here == nullptr ? std::string("this machine has no GPU to profile on")
                                          : fmt::format("{} cannot be profiled: {}", here->name, obstacle);
        const auto some = gpus_to_simulate(catalog);
        throw UsageError(
            fmt::format("{}; name the GPU to simulate with --ref, such as {} (gpuproj targets list shows all)", what,
                        fmt::join(some, ", ")));
    }
    return simulate(*reference,
                    here == nullptr
                        ? fmt::format("simulating {}, which is not in this machine", reference->name)
                        : fmt::format("simulating {}, because it cannot be profiled: {}", reference->name, obstacle));
}

}  // namespace

std::optional<Gpu> stored(const Catalog& catalog, const std::string& name) {
    try {
        return Catalog::load(catalog.find(name));
    } catch (const Error&) {
        return std::nullopt;
    }
}

IsReference is_named(const Catalog& catalog, const std::string& wanted) {
    return [&catalog, wanted](const std::string& name) -> NameMatch {
        // The wanted one need not be stored: it may be of a file.
        if (folded(name) == folded(wanted)) return true;
        if (const auto known = stored(catalog, name)) return known->name == wanted;
        return folded(name).ends_with(folded(wanted)) ? NameMatch(true) : NameMatch::unknown();
    };
}

std::span<const std::string> collector_names() {
    static const std::array<std::string, 5> names = {"cupti", "ncu", "nvprof", "rocprof", "simulate"};
    return names;
}

CollectorChoice choose_collector(const std::string& collector, const std::string& reference_name,
                                 std::span<const MachineGpu> machine, const Catalog& catalog,
                                 const Unavailable& unavailable) {
    std::optional<Gpu> reference;
    if (!reference_name.empty()) reference = catalog.get(reference_name);
    if (collector == "auto") return choose_automatically(reference, machine, catalog, unavailable);

    const auto names = collector_names();
    const auto kind = static_cast<CollectorKind>(std::find(names.begin(), names.end(), collector) - names.begin());
    if (kind == CollectorKind::simulate) {
        if (!reference) throw UsageError("--collector simulate: name the GPU to simulate with --ref");
        if (const auto reason = unavailable(kind)) throw Error(fmt::format("--collector simulate: {}", *reason));
        return simulate(*reference, "");
    }
    if (reference && in_machine(machine, catalog, *reference) == nullptr) {
        throw UsageError(
            fmt::format("--collector {} profiles on the hardware, but {} is not in this machine; simulate it with "
                        "--collector simulate",
                        collector, reference->name));
    }
    if (const auto reason = unavailable(kind)) throw Error(fmt::format("--collector {}: {}", collector, *reason));
    if (!reference && !machine.empty()) reference = stored(catalog, machine.front().name);
    return {kind, reference, ""};
}

}  // namespace gpuproj
