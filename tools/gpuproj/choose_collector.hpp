// Which collector profiles, and as which GPU.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "collector/collect.hpp"
#include "collector/machine/machine.hpp"
#include "collector/records/choose_gpu.hpp"
#include "targets/catalog.hpp"

namespace gpuproj {

struct CollectorChoice {
    CollectorKind collector = CollectorKind::simulate;
    std::optional<Gpu> reference;
    std::string message;  // what the user is told, or empty
};

/// `collector` is a name or "auto", `reference` a GPU's name or file or empty. auto takes the vendor's profiler if
/// `reference` is a GPU of `machine`, or is not given and there is one; else it simulates `reference`. `unavailable`
/// says why a collector cannot run here. Throws UsageError (no GPU to profile on or to simulate, a simulated AMD GPU, a
/// hardware collector for a GPU that is not here) and Error (a collector that was asked for and is unavailable).
CollectorChoice choose_collector(const std::string& collector, const std::string& reference,
                                 std::span<const MachineGpu> machine, const Catalog& catalog,
                                 const std::function<std::optional<std::string>(CollectorKind)>& unavailable);

/// The catalog's GPU for the name that a driver or a file gives; none where it is not stored.
std::optional<Gpu> stored(const Catalog& catalog, const std::string& name);

/// Is a GPU, by the name that a driver or a file gives, the one called `wanted`, as its file or the catalog spells it?
/// Of those that are not stored, one that reads like it, but for a maker in front, is; of others nobody knows. The
/// catalog has to outlive the answer.
IsReference is_named(const Catalog& catalog, const std::string& wanted);

/// Names as --collector takes them, in the order of CollectorKind.
std::span<const std::string> collector_names();

}  // namespace gpuproj
