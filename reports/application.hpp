// The whole application on other GPUs: kernels predicted, transfers scaled by the link, the rest as it was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/evaluate.hpp"
#include "reports/table.hpp"

namespace gpuproj {

struct ApplicationTime {
    std::string gpu;
    std::optional<Seconds> kernels;    // predicted
    std::optional<Seconds> transfers;  // measured x link there / link here; unchanged within the device's memory
    bool transfers_scaled = true;      // false: one of the links is not known, and the time stands as it was measured
    std::optional<Seconds> host;       // host and idle, unchanged: not modelled
    std::optional<Seconds> total;      // of what is known; absent without kernels
    std::optional<double> not_modelled_share;  // of the total: host, and transfers that were not scaled
    double covered_share = 0;                  // of the kernels
};

/// One row per target, of model `model` of the evaluation. Host and idle time is the profile's wall time less its
/// measured kernels and transfers; absent where kernels were not measured (a simulation's wall time means nothing).
std::vector<ApplicationTime> application_times(const EvaluationInput& input, const std::vector<EvaluationTotal>& totals,
                                               std::size_t model);

Table application_projection_table(const std::string& program, const std::vector<ApplicationTime>& times);

}  // namespace gpuproj
