// The table of models.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "model/explanation.hpp"
#include "model/gpu.hpp"
#include "model/prediction.hpp"
#include "model/profile.hpp"

namespace gpuproj {

/// Options of a prediction; what a model does not use it ignores.
struct ModelOptions {
    std::optional<KType> k_type = std::nullopt;  // instead of the printed rule
    bool use_reference_time = false;             // correct by measured / predicted on the reference GPU (5.13)
    bool integer_as_additions = false;           // thesis 6.2.1: T_op = 2 T_add for integer kernels
    bool shared_wavefronts = false;              // thesis 7.2.1: shared-memory passes instead of instructions
};

/// Everything a model may look at. `reference` is the GPU the counters come from, where it is known.
struct ModelInput {
    const KernelRecord& kernel;
    const Gpu& target;
    const Gpu* reference = nullptr;
    ModelOptions options;
};

/// Predicts kernels, one after the other, on GPUs that were prepared once; fills one outcome per target.
using KernelPredictor = std::function<void(const KernelRecord& kernel, std::span<Outcome> outcomes)>;

/// What totals need of a prediction, for all launches of one record.
struct Estimate {
    bool applies = false;  // the model does; else nothing here means anything
    bool bounded = false;  // the spread is known
    double duration = 0;   // seconds
    Spread spread;
    double least = 0;  // seconds, if caches that the counters do not tell of had all that they may; else the duration
};

/// Like a KernelPredictor.
using KernelEstimator = std::function<void(const KernelRecord& kernel, std::span<Estimate> estimates)>;

/// An analytical model is a pure function; this is its row in the table.
struct Model {
    std::string_view name;  // on the command line and in JSON; never renamed
    std::string_view title;
    std::string_view source;
    std::string_view needs;  // one line: counters and GPU parameters
    Outcome (*predict)(const ModelInput&);
    /// Gives what predict gives, faster for many kernels; null where there is nothing to prepare. The targets outlive
    /// it.
    KernelPredictor (*prepare)(std::span<const Gpu* const> targets, const Gpu* reference,
                               const ModelOptions& options) = nullptr;
    /// Every value on the way to what predict gives, without the correction by the reference time; empty where it does
    /// not apply. Null for models whose predictions carry their intermediate values.
    Explanation (*explain)(const ModelInput&) = nullptr;
    /// The durations and spreads of what prepare gives and nothing else, faster still. May be called from several
    /// threads at once, as all functions here.
    KernelEstimator (*prepare_estimates)(std::span<const Gpu* const> targets, const Gpu* reference,
                                         const ModelOptions& options) = nullptr;
    /// Keys of Gpu::fields on which its predictions depend, where a GPU has them; base and boost clock aside, which
    /// follow the core clock.
    std::span<const std::string_view> reads{};
    /// Keys of KernelMetrics::fields on which they depend, of some kernels at least.
    std::span<const std::string_view> reads_counters{};
    /// Whether it predicts otherwise for `changed`, in which values that it reads were set, than for the GPU without
    /// them (Gpu::before_changes), of some kernels at least. Null: it always does.
    bool (*follows)(const Gpu& changed) = nullptr;
};

std::span<const Model> models();

/// Throws Error naming near or all models.
const Model& find_model(std::string_view name);
inline constexpr std::string_view default_model = "calibrated";

}  // namespace gpuproj
