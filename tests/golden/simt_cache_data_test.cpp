// simt-cache with its committed constants on the measured clocks that they were fitted on. What it reaches on kernels
// left out is in docs/simt_cache_validation.md.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "model/clocks.hpp"
#include "model/observations.hpp"
#include "model/simt_cache.hpp"
#include "targets/catalog.hpp"
#include "tests/support/skip.hpp"

using namespace gpuproj;

namespace {

std::string output_of(const std::string& command) {
    std::string text;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::array<char, 65536> part{};
    for (std::size_t n = 0; pipe && (n = fread(part.data(), 1, part.size(), pipe.get())) > 0;) {
        text.append(part.data(), n);
    }
    return text;
}

}  // namespace

TEST_CASE("simt-cache on kernels at 20 combinations of clocks") {
    const auto folder = test::data_folder();
    if (!folder) GPUPROJ_SKIP("no measured data: set GPUPROJ_DATA");
    const std::filesystem::path source(test::source_directory());
    const auto file = *folder / "hkbu_clocks_part.csv";
    const std::string csv =
        output_of("python3 '" + (source / "tools/dev/observations.py").string() + "' '" + file.string() + "'");
    if (csv.empty()) GPUPROJ_SKIP("python3 could not convert the data");

    const Gpu stored = Catalog({}).get("GTX1080Ti");
    const auto table = observations_from_csv(csv, "hkbu", Seconds{});
    REQUIRE(table.observations.size() == 300);
    std::map<std::string, std::vector<double>> factors;  // predicted / measured
    for (const auto& o : table.observations) {
        const Gpu gpu = at_clocks(stored, o.clocks);
        const auto outcome = predict_simt_cache({o.record, gpu, &gpu, {}});
        REQUIRE(std::holds_alternative<Prediction>(outcome));
        factors[o.what].push_back(ratio(std::get<Prediction>(outcome).duration, o.record.duration->sum));
    }
    REQUIRE(factors.size() == 15);
    double absolute = 0, scaling = 0;
    for (const auto& [kernel, of_kernel] : factors) {
        const auto n = static_cast<double>(of_kernel.size());
        for (const double at : of_kernel) {
            absolute += std::abs(at - 1) / n / 15;
            for (const double from : of_kernel) scaling += std::abs(at / from - 1) / n / (n - 1) / 15;
        }
    }
    // docs/simt_cache_validation.md, in sample: 10.1 % and 1.59 %. Asked for with kernels left out: 13 % and 2 %.
    CHECK(absolute < 0.115);
    CHECK(scaling < 0.017);  // 1.8 % where a clock above the boost clock is taken for sustained
}
