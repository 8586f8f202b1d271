#include "collector/collect.hpp"

#include <algorithm>
#include <array>

#include "collector/cupti/collector.hpp"
#include "collector/machine/obstacles.hpp"
#include "collector/simulate/collector.hpp"
#include "collector/wrapped/wrapped.hpp"
#include "model/error.hpp"

namespace gpuproj {

namespace {

struct Collector {
    CollectorKind kind;
    CollectResult (*collect)(const CollectRequest&);
    std::optional<std::string> (*unavailable)();
};

/// The worst obstacle on this machine.
template <CollectorKind Kind>
std::optional<std::string> hardware_unavailable() {
    const auto found = obstacles(Kind, probe_machine());
    return found.empty() ? std::nullopt : std::optional(found.front().what + "; " + found.front().remedy);
}

constexpr std::array collectors{
    Collector{CollectorKind::cupti, cupti::collect, hardware_unavailable<CollectorKind::cupti>},
    Collector{CollectorKind::ncu, wrapped::collect_ncu, hardware_unavailable<CollectorKind::ncu>},
    Collector{CollectorKind::nvprof, wrapped::collect_nvprof, hardware_unavailable<CollectorKind::nvprof>},
    Collector{CollectorKind::rocprof, wrapped::collect_rocprof, hardware_unavailable<CollectorKind::rocprof>},
    Collector{CollectorKind::simulate, simulate::collect, simulate::unavailable},
};

const Collector& find(CollectorKind kind) {
    return *std::find_if(collectors.begin(), collectors.end(),
                         [kind](const Collector& collector) { return collector.kind == kind; });
}

}  // namespace

std::optional<std::string> unavailable(CollectorKind kind) {
    return find(kind).unavailable();
}

CollectResult collect(const CollectRequest& request) {
    if (request.command.empty()) throw UsageError("no application to run; name it after the options");
    if (const auto problem = unavailable(request.collector)) throw Error(*problem);
    if (request.collector == CollectorKind::simulate && !request.reference)
        throw UsageError("no GPU to simulate; name one with --ref");
    return find(request.collector).collect(request);
}

}  // namespace gpuproj
