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
    std::optional<Seconds> host;       // host and idle, unchanged: not modelled
    std::optional<Seconds> total;      // of what is known; absent without kernels
    Seconds not_modelled;              // of the total: host, and transfers that were not scaled
    std::optional<double> not_modelled_share;  // absent without the host's time: then nobody knows
    double covered_share = 0;                  // of the kernels
};

/// What the profile itself says of its application; absent is not known.
struct MeasuredApplication {
    std::optional<Seconds> kernels, transfers, host;  // host: wall time less the others, where kernels were measured
};
MeasuredApplication measured_application(const Profile& profile);

/// One row per target, of model `model` of the evaluation. Host and idle time is the profile's wall time less its
/// measured kernels and transfers; absent where kernels were not measured (a simulation's wall time means nothing).
std::vector<ApplicationTime> application_times(const EvaluationInput& input, const std::vector<EvaluationTotal>& totals,
                                               std::size_t model);

Table application_projection_table(const std::string& program, const std::vector<ApplicationTime>& times);

}  // namespace gpuproj
