#include "reports/json_writer.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "model/json_fields.hpp"
#include "model/schema.hpp"

using namespace gpuproj;
using Json = nlohmann::ordered_json;

namespace {

std::string amount_text(double value) {
    std::string text;
    JsonWriter(text).amount(value);
    return text;
}

}  // namespace

TEST_CASE("JSON is written as it is of values") {
    std::string text;
    JsonWriter json(text);
    json.open_object();
    json.text("plain", "f(int)");
    json.text("others", "\"a\\b\"\n\t\x01 \xC3\xA9 \xFF");
    json.amount("whole", 3.0);
    json.amount("unknown", std::nullopt);
    json.amount("infinite", std::numeric_limits<double>::infinity());
    json.key("empty"), json.open_list(), json.close_list();
    json.key("nothing"), json.open_object(), json.close_object();
    json.key("list"), json.open_list();
    json.count(std::numeric_limits<std::uint64_t>::max());
    json.open_object();
    json.amount("share", 0.25);
    json.close_object();
    json.value(Json{{"a", {1, 2}}, {"b", "line\nline"}});
    json.null();
    json.close_list();
    json.close_object();

    const Json same = {
        {"plain", "f(int)"},
        {"others", "\"a\\b\"\n\t\x01 \xC3\xA9 \xFF"},
        {"whole", 3},
        {"unknown", nullptr},
        {"infinite", nullptr},
        {"empty", Json::array()},
        {"nothing", Json::object()},
        {"list", Json::array({std::numeric_limits<std::uint64_t>::max(), Json{{"share", 0.25}},
                              Json{{"a", {1, 2}}, {"b", "line\nline"}}, nullptr})},
    };
    CHECK(text + "\n" == json_text(same));
}

TEST_CASE("Numbers are written with the digits that they have as values") {
    for (const double value : {0.0, 1.0, 1e15, 1e16, 1e17, 1e300, 0.1, 1e-4, 1e-5, 1.5e-300, 4879.3469182649505, -2.5})
        CHECK(amount_text(value) == amount_to_json(value).dump());
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i) {
        const double value = std::exp(static_cast<double>(random() % 1'000'000) / 1e4 - 50);
        REQUIRE(amount_text(value) == amount_to_json(value).dump());
    }
}
