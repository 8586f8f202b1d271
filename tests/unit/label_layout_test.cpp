#include "reports/label_layout.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace gpuproj;

TEST_CASE("Heights are spread no closer than the gap, in their order, within bounds") {
    const auto placed = spread({50, 50, 52, 10, 99}, 10, 0, 100);
    CHECK(placed[3] == 10);
    CHECK(placed[0] == 50);
    CHECK(placed[1] == 60);
    CHECK(placed[2] == 70);
    CHECK(placed[4] == 99);
    const auto full = spread({90, 95, 99}, 10, 0, 100);
    CHECK(full[2] == 100);
    CHECK(full[1] == 90);
    CHECK(full[0] == 80);
    // Too many for the room: as far apart as it gives.
    const auto crowded = spread(std::vector<double>(11, 50), 20, 0, 100);
    CHECK(crowded.front() == Approx(0));
    CHECK(crowded.back() == Approx(100));
    CHECK(spread({}, 10, 0, 100).empty());
}

TEST_CASE("Labels of points that coincide do not cover each other or an obstacle, and stay in the area") {
    const Box area{0, 0, 300, 300};
    const Box obstacle{150, 140, 60, 20};
    const std::vector<PointLabel> labels(28, {{150, 150}, 30, 12});
    const auto places = place_labels(labels, {obstacle}, area, 140);
    for (std::size_t a = 0; a < places.size(); ++a) {
        REQUIRE(places[a]);
        CHECK_FALSE(overlap(*places[a], obstacle));
        CHECK(places[a]->left >= 0);
        CHECK(places[a]->bottom + places[a]->height <= 300);
        for (std::size_t b = 0; b < a; ++b) CHECK_FALSE(overlap(*places[a], *places[b]));
    }
    // No room at all.
    CHECK_FALSE(place_labels({{{5, 5}, 30, 12}}, {}, {0, 0, 10, 10}, 50)[0]);
}
