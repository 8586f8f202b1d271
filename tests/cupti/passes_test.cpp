// tests/golden/data/cupti_passes.csv: passes per chip and set of metrics, as the Host API of CUPTI 13.0 computes them
// without a device's availability image. Another CUPTI may need fewer; more would be a loss.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "collector/cupti/host.hpp"
#include "model/csv.hpp"
#include "model/file_io.hpp"
#include "tests/support/directories.hpp"

using namespace gpuproj;
using namespace gpuproj::cupti;

namespace {

struct Row {
    std::size_t thesis = 0, standard = 0, full = 0;
};

const std::map<std::string, Row>& table() {
    static const auto rows = [] {
        const std::string file = test::source_directory() + "/tests/golden/data/cupti_passes.csv";
        std::map<std::string, Row> all;
        for (const auto& row : read_csv(read_file(file), file)) {
            const auto number = [&](const char* column) { return std::stoul(row.text(column)); };
            all[row.text("chip")] = {number("thesis"), number("default"), number("full")};
        }
        return all;
    }();
    return rows;
}

}  // namespace

TEST_CASE("the stored table has the 29 chips, within the limits that were set") {
    CHECK(table().size() == 29);
    for (const auto& [chip, passes] : table()) {
        INFO(chip);
        CHECK(passes.thesis <= 2);
        CHECK(passes.standard <= (chip == "GV100" ? 4 : 3));
        CHECK(passes.full <= (chip == "GV100" ? 9 : 5));
    }
}

TEST_CASE("the Host API accepts the metrics on every chip, in as many passes as stored") {
    const auto chips = supported_chips();
    for (const auto& [chip, stored] : table()) {
        INFO(chip);
        CHECK(std::find(chips.begin(), chips.end(), chip) != chips.end());
        const auto thesis = plan(chip, MetricSet::thesis), standard = plan(chip, MetricSet::standard),
                   full = plan(chip, MetricSet::full);
        CHECK(thesis.passes == stored.thesis);
        CHECK(standard.passes == stored.standard);
        CHECK(full.passes == stored.full);
        const auto thesis_metrics = thesis.metrics(), standard_metrics = standard.metrics();
        const std::set<std::string> names(standard_metrics.begin(), standard_metrics.end());
        CHECK(names.size() == standard_metrics.size());
        // What the caches decide is counted without a replay, in the first run, and so is all of the two sets.
        for (std::size_t run = 1; run < full.runs.size(); ++run) {
            for (const auto& metric : full.runs[run]) {
                INFO(metric);
                CHECK_FALSE(metric.starts_with("dram__sectors"));
                CHECK_FALSE(metric.starts_with("fbpa__"));
                CHECK_FALSE(metric.starts_with("lts__d_sectors_fill"));
            }
        }
        CHECK(thesis.runs.size() == 2);
        CHECK(standard.runs.size() == 3);
        for (const auto& run : standard.runs) CHECK(HostConfig(chip, run, {}).passes() == 1);
        // The thesis' nine on every chip; the integrated GB10B alone cannot tell its writes.
        CHECK(thesis_metrics.size() >= (chip == "GB10B" ? 13 : 14));
        for (const auto& metric : thesis_metrics) CHECK(names.contains(metric));
    }
}

TEST_CASE("a name that no chip has is refused by name of the call") {
    const std::vector<std::string> unknown{"smsp__no_such_thing.sum"};
    CHECK_THROWS_WITH(HostConfig("GA100", unknown, {}), Catch::Matchers::Contains("cuptiProfilerHostConfigAddMetrics"));
    CHECK_THROWS(plan("ZZ999", MetricSet::thesis));
}
