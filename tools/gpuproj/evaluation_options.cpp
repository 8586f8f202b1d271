#include "tools/gpuproj/evaluation_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "model/counted_gpu.hpp"
#include "model/error.hpp"
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/partial.hpp"

namespace gpuproj {

std::optional<Gpu> known_gpu(const Catalog& catalog, const std::string& name) {
    try {
        return Catalog::load(catalog.find(name));
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::optional<Gpu> reference_of(const Catalog& catalog, const Profile& profile) {
    auto gpu = known_gpu(catalog, profile.gpu);
    return gpu ? std::optional{as_counted(*std::move(gpu), profile.provenance)} : std::nullopt;
}

Profile read_usable_profile(const std::string& file, bool partial) {
    auto profile = read_profile_input(file);
    if (profile.partial && !partial) {
        throw Error(fmt::format("{}: the profile is partial ({}); --partial takes the kernels that are there",
                                input_name(file), partial_reason(profile)));
    }
    if (profile.kernels.empty())
        throw Error(fmt::format("{}: the profile has no kernels: there is nothing to show", input_name(file)));
    return profile;
}

void EvaluationOptions::declare(CommandLine& line, const std::string& default_targets) {
    line.list("-t,--target", "GPU", targets_,
              fmt::format("names of GPUs and GPU files, comma-separated, or all (default: {})", default_targets));
    line.option("--model", "MODEL", model_,
                fmt::format("model (default: {}); gpuproj models lists them", default_model));
    line.choice("--k-type", {"fp32", "fp64", "int"}, k_type_, "the operations that count, instead of the model's rule");
    line.flag("--use-reference-time", use_reference_time_,
              "correct every prediction by measured / predicted time on the reference GPU");
    line.flag("--integer-as-additions", integer_as_additions_,
              "integer work at the rate of additions, not of multiply-adds");
    line.flag("--partial", partial_, "take a partial profile too");
}

std::vector<Gpu> EvaluationOptions::targets(const Catalog& catalog) const {
    const auto names = fmt::format("{}", fmt::join(targets_, ","));
    return names.empty() ? std::vector<Gpu>{} : catalog.select(names);
}

const Model& EvaluationOptions::model() const {
    return find_model(model_);
}

ModelOptions EvaluationOptions::model_options() const {
    ModelOptions options;
    for (const KType type : {KType::fp32, KType::fp64, KType::integer}) {
        if (name_of(type) == k_type_) options.k_type = type;
    }
    options.use_reference_time = use_reference_time_;
    options.integer_as_additions = integer_as_additions_;
    return options;
}

}  // namespace gpuproj
