// The whole application on other GPUs: kernels predicted, transfers scaled by the link, the rest as it was.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/evaluate.hpp"
#include "reports/table.hpp"

namespace gpuproj {

/// Measured, and scaled by the links' bandwidths; counted in bytes alone, over the target's link at its bandwidth;
/// measured, and left as it was because a link is not known.
inline constexpr std::string_view transfers_scaled = "scaled", transfers_from_bytes = "bytes over the link",
                                  transfers_as_measured = "as measured";

struct ApplicationTime {
    std::string gpu;
    std::optional<Seconds> kernels;    // predicted
    std::optional<Seconds> transfers;  // measured x link there / link here; unchanged within the device's memory
    std::string_view transfers_are;    // how that is known: one of the three texts below; empty without transfers
    std::optional<Seconds> idle;       // of the GPU, unchanged: not modelled
    std::optional<Seconds> host;       // unchanged: not modelled
    std::optional<Seconds> total;      // of what is known; absent without kernels
    Seconds not_modelled;              // of the total: idle, host, and transfers that were not scaled
    std::optional<double> not_modelled_share;  // absent without the host's time: then nobody knows
    double covered_share = 0;                  // of the kernels
    std::uint64_t kernels_refused = 0;         // a total that lacks kernels is no smaller than one that has them
};

/// What the profile itself says of its application; absent is not known.
struct MeasuredApplication {
    std::optional<Seconds> kernels, transfers;
    std::optional<Seconds> idle;  // without work between the GPU's first and last, where kernels were measured
    std::optional<Seconds> host;  // wall time less all others, where kernels were measured: before the GPU's first work
                                  // and after its last; with the idle time in it where that is not known by itself
    Seconds overlap;  // by which the others together exceed the wall time: kernels and transfers ran at once
};
/// A wall time without measured kernels is a simulation's and means nothing.
MeasuredApplication measured_application(const Profile& profile);

/// One row per target, of model `model` of the evaluation. The measured application's idle and host time as they were.
std::vector<ApplicationTime> application_times(const EvaluationInput& input, const std::vector<EvaluationTotal>& totals,
                                               std::size_t model);

/// What a reader must know of it: what overlapped and what is not known. Empty where nothing needs saying.
std::vector<std::string> application_notes(const MeasuredApplication& measured);

/// Whether anything is known besides the kernels: transfers, idle or host time.
bool knows_more_than_kernels(const std::vector<ApplicationTime>& times);

/// One row per GPU; `first` is a column that says `what` in all of them: which program, which model.
Table application_projection_table(const Column& first, const std::string& what,
                                   const std::vector<ApplicationTime>& times);

/// Of the evaluation's models, one after the other; without rows where nothing is known besides the kernels.
Table application_projection_table(const EvaluationInput& input, const std::vector<EvaluationTotal>& totals);

}  // namespace gpuproj
