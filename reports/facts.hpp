// What a reader must know about a report before its figures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/evaluate.hpp"
#include "reports/table.hpp"

namespace gpuproj {

struct Fact {
    std::string what;
    std::string value;
};

/// What ran, where and how it was counted, which models and options predict, and the profile's notes. With
/// `provenance` also program hash, versions, driver, clocks and date. `models` are those shown.
std::vector<Fact> report_facts(const EvaluationInput& input, std::span<const Model* const> models, bool provenance);

/// The same as a table.
Table fact_table(std::span<const Fact> facts);

}  // namespace gpuproj
