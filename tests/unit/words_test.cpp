#include "tools/gpuproj/words.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "model/error.hpp"

using namespace gpuproj;
using Catch::Matchers::Contains;

namespace {

const std::array options = {OptionName{{"-o", "--output"}, true}, OptionName{{"--ref"}, true},
                            OptionName{{"--target", "-t"}, true}, OptionName{{"-q", "--quiet"}, false},
                            OptionName{{"-f", "--force"}, false}};

SplitLine split(const Words& words) {
    return split_application(words, options);
}

}  // namespace

TEST_CASE("Words behind the application are its own, long options gpuproj's") {
    const auto line = split({"-q", "./app", "input", "--ref", "GTX480", "5", "--target=K20c", "-", "-3", "-.5"});
    CHECK(line.own == Words{"-q", "--ref", "GTX480", "--target=K20c"});
    CHECK(line.application == Words{"./app", "input", "5", "-", "-3", "-.5"});
}

TEST_CASE("Values of options in front of the application are not the application") {
    CHECK(split({"-o", "p.json", "./app"}).application == Words{"./app"});
    CHECK(split({"-op.json", "./app"}).application == Words{"./app"});
    CHECK(split({"-qo", "p.json", "./app"}).application == Words{"./app"});
    CHECK(split({"-qf", "./app"}).own == Words{"-qf"});
    CHECK(split({"--output=p.json", "./app"}).application == Words{"./app"});
}

TEST_CASE("The first -- is dropped and everything behind it is the application's") {
    const auto line = split({"--target", "K20c", "--", "./app", "-n", "10", "--ref", "x", "--", "y"});
    CHECK(line.own == Words{"--target", "K20c"});
    CHECK(line.application == Words{"./app", "-n", "10", "--ref", "x", "--", "y"});
    CHECK(split({"./app", "--ref", "A", "--", "--ref", "B"}).application == Words{"./app", "--ref", "B"});
}

TEST_CASE("Options that may be the application's are asked about, naming --") {
    CHECK_THROWS_WITH(split({"./app", "-n", "10"}), Contains("'-n'") && Contains("-- ./app -n"));
    CHECK_THROWS_WITH(split({"./app", "--size", "10"}), Contains("'--size'") && Contains("-- ./app --size"));
    CHECK_THROWS_WITH(split({"./app", "--tagret=x"}), Contains("did you mean --target?"));
    CHECK_THROWS_AS(split({"./app", "-q"}), UsageError);
}

TEST_CASE("Without an application there is none") {
    CHECK(split({"-o", "p.json"}).application.empty());
    CHECK(split({"--"}).application.empty());
    CHECK(split({"-o"}).own == Words{"-o"});
}

TEST_CASE("Lists are split at commas") {
    CHECK(split_commas({"a,b", "c", ",d,,"}) == Words{"a", "b", "c", "d"});
}
