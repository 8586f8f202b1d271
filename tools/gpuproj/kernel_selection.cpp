#include "tools/gpuproj/kernel_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "collector/records/kernel_names.hpp"
#include "model/error.hpp"
#include "model/near_names.hpp"
#include "reports/kernel_names.hpp"

namespace gpuproj {

void select_kernels(Profile& profile, const std::string& name) {
    // Names that are not C++'s (of a paper, of another tool) are matched as they are.
    records::LaunchSelector selector(KernelFilter{.name = name, .launch_count = std::nullopt});
    std::vector<std::string> known;
    for (const auto& kernel : profile.kernels) {
        auto base = base_kernel_name(kernel.kernel);
        if (std::find(known.begin(), known.end(), base) == known.end()) known.push_back(std::move(base));
    }
    const auto left_out = std::erase_if(profile.kernels, [&](const KernelRecord& kernel) {
        return kernel.kernel != name && !selector.selects(kernel.kernel);
    });
    if (left_out > 0) {  // without them the rest of the application's time is not the host's
        profile.host_time.reset();
        profile.gpu_idle.reset();
    }
    if (!profile.kernels.empty()) return;
    const auto near = did_you_mean(name, known);
    throw Error(fmt::format("-k {}: no kernel of that name in the profile{}", name,
                            near.empty() ? fmt::format("; it has {}", fmt::join(known, ", ")) : near));
}

}  // namespace gpuproj
