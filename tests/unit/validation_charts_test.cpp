// A model's error as charts: what is drawn, from three pairs whose errors are known.
#include "reports/validation_charts.hpp"

#include <catch2/catch.hpp>

using namespace gpuproj;
using Catch::Contains;

namespace {

/// One kernel measured at 1 s, predicted at 0.5, 1 and 2 s; another predicted exactly.
Validation known() {
    Validation v;
    for (const char* const kernel : {"it's", "it's", "it's", "exact"}) {
        Observation o;
        o.kernel = kernel;
        o.record.duration = Duration{1, Seconds{1}, {}, {}};
        v.observations.push_back(o);
    }
    for (const double predicted : {0.5, 1.0, 2.0, 1.0}) {
        PredictedPair p;
        p.pair = {v.pairs.size(), v.pairs.size()};
        p.predicted = Seconds{predicted};
        v.pairs.push_back(p);
    }
    return v;
}

Canvas canvas() {
    Canvas c;
    c.data_file = "data.csv";
    return c;
}

double number_at(const Table& table, std::size_t row, std::size_t column) {
    return std::get<double>(table.rows.at(row).at(column));
}

}  // namespace

TEST_CASE("Predicted over measured: a point for each pair, kernels with most pairs first") {
    const auto chart = gnuplot_scatter({"t.csv", "calibrated", true, {}}, known(), canvas());
    REQUIRE(chart.data.rows.size() == 4);
    CHECK(number_at(chart.data, 0, 1) == 1);
    CHECK(number_at(chart.data, 0, 2) == 0.5);
    CHECK(std::get<std::int64_t>(chart.data.rows[3][0]) == 1);
    CHECK_THAT(chart.script, Contains("calibrated with the reference time on t.csv") && Contains("set logscale xy"));
    CHECK_THAT(chart.script, Contains("title 'it''s'"));  // quoted for gnuplot
}

TEST_CASE("Errors by kernel: quantiles of predicted / measured, the worst kernel first") {
    const auto chart = gnuplot_errors({"t.csv", "calibrated", false, {}}, known(), canvas());
    REQUIRE(chart.data.rows.size() == 2);
    // Of 0.5, 1, 2: a fifth of the way from the first to the second, half of it, ...
    const double expected[] = {0.6, 0.75, 1, 1.5, 1.8};
    for (std::size_t i = 0; i < 5; ++i) CHECK(number_at(chart.data, 0, i + 1) == Approx(expected[i]));
    for (std::size_t i = 0; i < 5; ++i) CHECK(number_at(chart.data, 1, i + 1) == Approx(1));
    CHECK(std::get<std::string>(chart.data.rows[0].back()) == "it's");
}
