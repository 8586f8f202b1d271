#include "model/maybe.hpp"

#include <catch2/catch.hpp>

using namespace gpuproj;

TEST_CASE("A number that may not be known takes eight bytes and works as an optional one") {
    static_assert(sizeof(Maybe<Sectors>) == 8);
    Maybe<Sectors> sectors;
    CHECK_FALSE(sectors);
    CHECK(sectors == std::nullopt);
    CHECK(sectors == Maybe<Sectors>{});
    CHECK(sectors.value_or(Sectors{3}).value == 3);
    CHECK_FALSE(std::optional<Sectors>(sectors));
    sectors = Sectors{0};  // counted, and none
    CHECK(sectors.has_value());
    CHECK(sectors->value == 0);
    CHECK_FALSE(sectors == Maybe<Sectors>{});
    *sectors += Sectors{2};
    CHECK(sectors == Sectors{2});
    CHECK(std::optional<Sectors>(sectors)->value == 2);
    sectors = std::optional<Sectors>{};
    CHECK_FALSE(sectors);
    CHECK(sectors.emplace().value == 0);
    sectors.reset();
    CHECK_FALSE(sectors);
}
