#include "model/comparison_probability.hpp"

#include <catch2/catch.hpp>

#include "targets/catalog.hpp"

using namespace gpuproj;

TEST_CASE(
    "The chance that A is faster: one half for equal times, the complement the other way, surer within a family") {
    const Catalog catalog({});
    const Gpu k20 = catalog.get("Tesla K20c"), k40 = catalog.get("Tesla K40"), maxwell = catalog.get("GTX 980");
    const auto chance = [&](const Gpu& a, double time_a, const Gpu& b, double time_b) {
        return *probability_faster({a, Seconds{time_a}}, {b, Seconds{time_b}}, k20, false);
    };
    CHECK(chance(k40, 1, maxwell, 1) == Approx(0.5));
    const double across = chance(k40, 1, maxwell, 1.2);
    CHECK(across > 0.5);
    CHECK(across + chance(maxwell, 1.2, k40, 1) == Approx(1));
    CHECK(chance(k40, 1, k20, 1.2) > across);
    CHECK_FALSE(probability_faster({k40, Seconds{1}}, {Gpu{}, Seconds{1}}, k20, false));
}
