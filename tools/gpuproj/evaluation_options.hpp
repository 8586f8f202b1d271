// What the verbs that compute from profiles share: which GPUs, which model, which of its options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "model/profile.hpp"
#include "targets/catalog.hpp"
#include "tools/gpuproj/command_line.hpp"
#include "tools/gpuproj/what_if.hpp"

namespace gpuproj {

/// The GPU of this name, if its parameters are stored.
std::optional<Gpu> known_gpu(const Catalog& catalog, const std::string& name);

/// The GPU of a profile as its counters know it, if its parameters are stored: with ECC as the profile says, and
/// without where the counters were simulated, because then they hold none of its traffic.
std::optional<Gpu> reference_of(const Catalog& catalog, const Profile& profile);

/// The profile in `file`. Throws Error if it is partial and `partial` is false, or has no kernels.
Profile read_usable_profile(const std::string& file, bool partial);

class EvaluationOptions {
public:
    /// `default_targets` says in the help text what is taken without --target.
    void declare(CommandLine& line, const std::string& default_targets);

    /// The GPUs of --target; none if it was not given. Throws UsageError for an unknown one.
    std::vector<Gpu> targets(const Catalog& catalog) const;

    /// Whether these are all GPUs that are known.
    bool targets_are_all() const { return names_all(targets_); }

    const Model& model() const;
    ModelOptions model_options() const;
    bool accepts_partial() const { return partial_; }

private:
    Words targets_;
    std::string model_{default_model};
    std::string k_type_;
    bool use_reference_time_ = false;
    bool integer_as_additions_ = false;
    bool partial_ = false;
};

}  // namespace gpuproj
