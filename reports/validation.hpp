// A model's error on measured data as reports.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/validation.hpp"
#include "reports/table.hpp"

namespace gpuproj {

inline constexpr int validation_version = 1;

/// What was validated; printed as it is.
struct ValidationTitle {
    std::string table;
    std::string model;
    bool use_reference_time = false;
    std::vector<Baseline> baselines;
};

/// {"schema":"gpuproj.validation","version":1,"model",...}: the figures of all pairs, then of the pairs of each kernel,
/// target GPU, limiter, same or other architecture, the worst cases, and what was skipped. Errors are fractions, null
/// where there are too few pairs.
nlohmann::ordered_json validation_to_json(const ValidationTitle& title, const Validation& validation);

/// The same as tables, the figures of all pairs first.
std::vector<Table> validation_tables(const ValidationTitle& title, const Validation& validation);

/// One row per pair: the data of a scatter plot.
Table pair_table(const Validation& validation);

}  // namespace gpuproj
