#include "tools/gpuproj/kernel_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "collector/records/kernel_names.hpp"
#include "model/error.hpp"
#include "model/near_names.hpp"

namespace gpuproj {

void select_kernels(Profile& profile, const std::string& name) {
    records::LaunchSelector selector(KernelFilter{.name = name, .launch_count = std::nullopt});
    std::vector<std::string> known;
    for (const auto& kernel : profile.kernels) {
        auto base = records::base_name(kernel.kernel);
        if (std::find(known.begin(), known.end(), base) == known.end()) known.push_back(std::move(base));
    }
    std::erase_if(profile.kernels, [&](const KernelRecord& kernel) { return !selector.selects(kernel.kernel); });
    if (!profile.kernels.empty()) return;
    const auto near = did_you_mean(name, known);
    throw Error(fmt::format("-k {}: no kernel of that name in the profile{}", name,
                            near.empty() ? fmt::format("; it has {}", fmt::join(known, ", ")) : near));
}

}  // namespace gpuproj
