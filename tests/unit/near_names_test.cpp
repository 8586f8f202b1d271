#include "model/near_names.hpp"

#include <catch2/catch.hpp>

#include "model/error.hpp"
#include "model/model.hpp"

using namespace gpuproj;
using Strings = std::vector<std::string>;

TEST_CASE("Edit distance on known pairs") {
    CHECK(edit_distance("kitten", "sitting") == 3);  // the textbook example
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("same", "same") == 0);
    CHECK(edit_distance("abc", "acb") == 2);  // no transpositions
}

TEST_CASE("Near names: the nearest first, whatever the case and the separators") {
    const Strings known{"GeForce GTX 480", "GeForce GTX 660", "Tesla K20c", "Tesla P100", "GTX480", "K20c"};
    CHECK(near_names("gtx_481", known).front() == "GTX480");
    CHECK(near_names("K-20-C", known).front() == "K20c");
    CHECK(near_names("660", known) == Strings{"GeForce GTX 660"});
    CHECK(near_names("Radeon VII", known).empty());
    CHECK(did_you_mean("Radeon VII", known).empty());
    CHECK(did_you_mean("660", known) == "; did you mean GeForce GTX 660?");
    CHECK(did_you_mean("tesla", known) == "; did you mean Tesla K20c or Tesla P100?");
    CHECK(near_names("g", Strings{"g1", "g2", "g3", "g4", "g5", "g6"}).size() == 5);
}

TEST_CASE("A model is found by its name, an unknown one is an error with the near ones") {
    CHECK(find_model("roofline").name == "roofline");
    CHECK(find_model(default_model).name == default_model);
    CHECK_THROWS_WITH(find_model("quantitative_rooflin"),
                      "unknown model 'quantitative_rooflin'; did you mean quantitative-roofline?; the models "
                      "are calibrated, quantitative-roofline, roofline, mwp-cwp, mpd-cpd, simt-cache");
    CHECK_THROWS_AS(find_model("nn"), UsageError);
}
