// The files that fitting writes.
#pragma once

#include <string>

#include "tools/dev/fit/cross_validation.hpp"
#include "tools/dev/fit/intervals.hpp"

namespace gpuproj::fit {

/// model/calibrated_constants.cpp.
std::string constants_source(const calibrated::Calibration& calibration);

/// One way of predicting all pairs of the data.
struct Protocol {
    std::string name;
    std::vector<double> errors;  // ln(predicted / measured) of data.pairs; NaN: not predicted
};

struct Results {
    std::string command;
    double shrinkage = 0;
    std::vector<Protocol> protocols;     // all rows of the table
    std::size_t counters = 0, time = 0;  // the protocols with the family left out
    std::size_t baseline_counters = 0, baseline_time = 0, one_ratio = 0;
    IntervalFigures interval_counters, interval_time;
};

/// docs/calibrated_validation.md.
std::string validation_page(const Data& data, const calibrated::Calibration& calibration, const Results& results);

}  // namespace gpuproj::fit
