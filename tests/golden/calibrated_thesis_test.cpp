// `calibrated` on kernels and GPUs that it was not fitted on: those that Konstantinidis (2017) measured, predicted from
// the thesis' nine counters of a GTX 480 (tables 5.6, 5.12, 5.14, 6.5; milliseconds).
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/calibrated.hpp"
#include "model/profile_io.hpp"
#include "targets/catalog.hpp"
#include "tests/support/directories.hpp"

using namespace gpuproj;

namespace {

struct Measured {
    const char* profile;
    const char* kernel;
    std::vector<std::pair<const char*, double>> times;
};

const std::vector<Measured> measured{
    {"lmsor",
     "lmsor",
     {{"GTX480", 8.971},
      {"GTX660", 18.069},
      {"GTX960", 17.458},
      {"GTX1060", 10.132},
      {"M2050", 15.162},
      {"K20c", 10.399}}},
    {"redblack_sor",
     "redblack_sor",
     {{"GTX480", 21.456},
      {"GTX660", 34.851},
      {"GTX960", 38.793},
      {"GTX1060", 20.994},
      {"M2050", 33.367},
      {"K20c", 23.482},
      {"R9Nano", 8.72}}},
    {"sgemm_32x32",
     "sgemm_32x32",
     {{"GTX480", 4.033}, {"GTX660", 6.201}, {"GTX960", 2.938}, {"GTX1060", 1.694}, {"M2050", 5.795}, {"K20c", 3.963}}},
    {"rodinia", "lvmd-krn", {{"R9Nano", 54.57}}},
};

}  // namespace

TEST_CASE("calibrated on the thesis' kernels, fp64 among them, on Fermi, Kepler, Maxwell, Pascal and GCN") {
    const Catalog catalog({});
    for (const bool time : {false, true}) {
        double sum = 0;
        int count = 0;
        for (const auto& [file, name, times] : measured) {
            const Profile profile = read_profile(test::source_directory() + "/examples/profiles/" + file + ".json");
            const Gpu reference = catalog.get(profile.gpu);
            for (const auto& kernel : profile.kernels) {
                if (kernel.kernel != name || (time && !kernel.duration)) continue;
                for (const auto& [gpu, milliseconds] : times) {
                    ModelOptions options;
                    options.use_reference_time = time;
                    const Gpu target = catalog.get(gpu);
                    const auto outcome = predict_calibrated({kernel, target, &reference, options});
                    REQUIRE(std::holds_alternative<Prediction>(outcome));
                    const double error = std::log(1e3 * std::get<Prediction>(outcome).duration.value / milliseconds);
                    INFO(name << " on " << gpu << (time ? " with time" : ""));
                    // As found, with a little room: 0.32 and 0.16 at most.
                    CHECK(std::abs(error) < (time ? 0.20 : 0.36));
                    if (time && target.name == reference.name) continue;  // is its own
                    sum += std::abs(error);
                    ++count;
                }
            }
        }
        CHECK(count == (time ? 16 : 20));
        CHECK(sum / count < (time ? 0.09 : 0.15));
    }
}
