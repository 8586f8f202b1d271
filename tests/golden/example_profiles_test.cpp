// The profiles in examples/profiles give back the figures they are made from.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "model/profile_io.hpp"
#include "model/quantitative_roofline.hpp"
#include "tests/golden/printed.hpp"
#include "tests/support/directories.hpp"

using namespace gpuproj;
using golden::agrees;

namespace {

Profile example(const std::string& name) {
    return read_profile(test::source_directory() + "/examples/profiles/" + name + ".json");
}

}  // namespace

TEST_CASE("The stencils and SGEMM: printed counters times their invocations, and the measured time") {
    for (const std::string name : {"redblack_sor", "lmsor", "sgemm_32x32"}) {
        INFO(name);
        const auto profile = example(name);
        CHECK(profile.gpu == "GeForce GTX 480");
        CHECK(profile.provenance.counters == "measured");
        REQUIRE(profile.kernels.size() == 1);
        const auto& kernel = profile.kernels[0];
        const auto computed = std::get<KernelParameters>(kernel_parameters(kernel.metrics, {}));
        const auto& printed = golden::thesis().at("kernels").at(name);
        CHECK(kernel.launches == printed.at("invocations").get<std::uint64_t>());
        CHECK(computed.w_comp.value == printed.at("params").at("w_comp").get<double>());
        CHECK(computed.w_traf.value == printed.at("params").at("w_traf").get<double>());
        CHECK(agrees(100 * computed.d_other, printed.at("params").at("d_other_pct"), 2));
        REQUIRE(kernel.duration);
        CHECK(agrees(1e3 * kernel.duration->sum.value, printed.at("measured_ms").at("GTX480"), 3));
    }
}

TEST_CASE("The Rodinia kernels: counters that give the printed parameters") {
    const auto profile = example("rodinia");
    CHECK(profile.provenance.counters == "derived");
    REQUIRE(profile.kernels.size() == golden::rodinia().size());
    for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
        const auto& kernel = profile.kernels[i];
        const auto& printed = golden::rodinia()[i];
        INFO(kernel.kernel);
        CHECK(kernel.kernel == printed.name);
        CHECK_FALSE(kernel.grid);
        CHECK_FALSE(kernel.duration);
        const auto computed = std::get<KernelParameters>(kernel_parameters(kernel.metrics, {}));
        CHECK(computed.k_type == printed.parameters.k_type);
        CHECK(computed.w_comp == printed.parameters.w_comp);
        CHECK(computed.w_traf == printed.parameters.w_traf);
        CHECK(agrees(computed.o_krn->value, printed.o_krn, 3));
        // Counters are whole numbers: of the smallest kernel (nn-euc) a warp instruction is 2e-5 of all.
        const auto percent = [](double fraction, double figure) {
            return agrees({100 * fraction * (1 - 2e-5), 100 * fraction * (1 + 2e-5)}, 100 * figure, 2);
        };
        CHECK(percent(computed.e_mix, printed.parameters.e_mix));
        CHECK(percent(computed.d_ops, printed.parameters.d_ops));
        CHECK(percent(computed.d_ldst, printed.parameters.d_ldst));
        // The three printed shares add up to 100 % only within 0.01 %, and D_other is what the other two leave.
        CHECK(std::abs(computed.d_other - printed.parameters.d_other) < 1.6e-4);
    }
}
