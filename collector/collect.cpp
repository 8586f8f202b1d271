#include "collector/collect.hpp"

#include <algorithm>
#include <array>

#include "collector/simulate/collector.hpp"
#include "model/error.hpp"

namespace gpuproj {

namespace {

struct Collector {
    CollectorKind kind;
    CollectResult (*collect)(const CollectRequest&);
    std::optional<std::string> (*unavailable)();
};

constexpr std::array collectors{
    Collector{CollectorKind::simulate, simulate::collect, simulate::unavailable},
};

const Collector* find(CollectorKind kind) {
    const auto found = std::find_if(collectors.begin(), collectors.end(),
                                    [kind](const Collector& collector) { return collector.kind == kind; });
    return found == collectors.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::string> unavailable(CollectorKind kind) {
    const auto* collector = find(kind);
    if (collector == nullptr) return "this build of gpuproj has no such collector; use --collector simulate";
    return collector->unavailable();
}

CollectResult collect(const CollectRequest& request) {
    if (request.command.empty()) throw UsageError("no application to run; name it after the options");
    if (const auto problem = unavailable(request.collector)) throw Error(*problem);
    if (request.collector == CollectorKind::simulate && !request.reference)
        throw UsageError("no GPU to simulate; name one with --ref");
    return find(request.collector)->collect(request);
}

}  // namespace gpuproj
