#include "collector/records/choose_gpu.hpp"

#include <fmt/format.h>

#include "model/error.hpp"

namespace gpuproj::records {

ChosenGpu choose_gpu(std::span<const std::string> names, const IsReference& is_reference, const std::string& where) {
    std::vector<std::string> named;  // each once
    for (const auto& name : names) {
        if (!name.empty() && std::ranges::find(named, name) == named.end()) named.push_back(name);
    }
    if (named.empty()) return {};
    if (!is_reference) return {{named.front()}, named.size() == 1};
    std::vector<std::string> certain, unknown;
    for (const auto& name : named) {
        const NameMatch match = is_reference(name);
        if (match.certain()) {
            certain.push_back(name);
        } else if (match) {
            unknown.push_back(name);
        }
    }
    if (certain.empty() && unknown.size() != 1) {
        const auto all = fmt::format("{}: has kernels of {}", where, fmt::join(named, ", "));
        if (unknown.empty()) throw Error(all + ", none of the reference GPU; name one of them with --ref");
        throw Error(
            fmt::format("{}: which of them is the reference GPU is not known, as {} are not among the stored "
                        "GPUs; profile that GPU alone",
                        all, fmt::join(unknown, ", ")));
    }
    auto& chosen = certain.empty() ? unknown : certain;
    const bool all_are_it = chosen.size() == named.size();
    return {std::move(chosen), all_are_it};
}

}  // namespace gpuproj::records
