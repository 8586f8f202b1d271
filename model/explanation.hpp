// How a model came to a figure: the rows that --explain prints.
#pragma once

#include <string>
#include <vector>

namespace gpuproj {

/// One value on the way to a prediction.
struct ExplainedStep {
    std::string symbol;    // as in the paper
    std::string equation;  // in symbols; empty for an input
    double value = 0;      // in base units
    std::string unit;      // "cycle", "byte/s", or empty
    std::string number;    // of the equation or table in the paper, such as "(16)"
};

using Explanation = std::vector<ExplainedStep>;

}  // namespace gpuproj
