// `calibrated` on the data it was fitted on: what docs/calibrated_validation.md says of it in sample.
#include <catch2/catch.hpp>
#include <map>

#include "model/validation.hpp"
#include "targets/catalog.hpp"
#include "tests/support/skip.hpp"

using namespace gpuproj;

TEST_CASE("calibrated reaches on the development data what its page says") {
    const auto folder = test::data_folder();
    if (!folder) GPUPROJ_SKIP("no measured data: set GPUPROJ_DATA");
    const Catalog catalog({});
    std::map<std::string, Gpu> gpus;
    const auto stored = [&](const std::string& name) -> const Gpu* {
        return &gpus.try_emplace(name, catalog.get(name)).first->second;
    };
    const auto table = read_observations(*folder / "amaris_kepler_maxwell.csv", Seconds{100e-6});
    for (const bool time : {false, true}) {
        ModelOptions options;
        options.use_reference_time = time;
        const auto v = validate(table, stored, find_model("calibrated"), options);
        const auto f = figures(v.observations, v.pairs);
        CHECK(f.pairs == 23016);
        CHECK(f.kernels == 10);
        // Printed with three digits, and the constants with four.
        CHECK(f.macro_abs_ln == Approx(time ? 0.152 : 0.205).margin(0.001));
        CHECK(f.macro_mape == Approx(time ? 0.146 : 0.190).margin(0.001));
        CHECK(*f.faster_gpu_right == Approx(time ? 0.975 : 0.928).margin(0.001));
    }
}
