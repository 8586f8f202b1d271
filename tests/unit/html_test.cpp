#include "reports/html.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/profile_io.hpp"
#include "reports/html_columns.hpp"
#include "reports/html_data.hpp"
#include "targets/catalog.hpp"
#include "tests/support/directories.hpp"

using namespace gpuproj;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

nlohmann::ordered_json report_of(const Profile& profile, const std::string& title) {
    static const Catalog catalog({});
    static const Gpu reference = catalog.get("GTX480"), target = catalog.get("K20c");
    const std::vector<const Gpu*> targets = {&reference, &target};
    const std::vector<const Model*> models = {&find_model("calibrated")};
    return report_to_json({profile, targets, models, &reference, {}, title, "1"});
}

Profile sgemm() {
    return read_profile(test::source_directory() + "/examples/profiles/sgemm_32x32.json");
}

}  // namespace

TEST_CASE("HTML: characters that mean something are escaped") {
    CHECK(html_escaped("<a href=\"x\">Tom & 'Jerry'</a>") ==
          "&lt;a href=&quot;x&quot;&gt;Tom &amp; &#39;Jerry&#39;&lt;/a&gt;");
}

TEST_CASE("HTML: JSON inside a script element cannot end it and reads back the same") {
    const nlohmann::ordered_json json = {{"name", "</script><!--<script>"}};
    const auto text = json_for_script(json);
    CHECK(text.find('<') == std::string::npos);
    CHECK(nlohmann::ordered_json::parse(text) == json);
    // What is no UTF-8 becomes U+FFFD instead of ending the program.
    CHECK(json_for_script({{"name", "a\xff"}}) == "{\"name\":\"a\xef\xbf\xbd\"}");
}

TEST_CASE("HTML: columns keep values, unknown is null, repeated texts are written once") {
    Table table{.title = "t",
                .columns = {{"name", "name"}, {"duration_s", "time", Unit::seconds}, {"whole", "n", Unit::count}}};
    for (int row = 0; row < 20; ++row)
        table.rows.push_back({std::string(row % 2 == 0 ? "even" : "odd"), row / 3.0, std::int64_t{row}});
    table.rows[3][1] = Cell{};
    table.rows[4][1] = std::numeric_limits<double>::infinity();
    const auto json = columns_to_json(table);
    const auto& columns = json["columns"];
    CHECK(columns[0]["words"] == nlohmann::ordered_json::array({"even", "odd"}));
    CHECK(columns[0]["values"][5] == 1);
    CHECK(columns[1]["values"][1] == 1 / 3.0);
    CHECK(columns[1]["values"][3].is_null());
    CHECK(columns[1]["values"][4].is_null());
    CHECK(columns[1]["unit"] == "s");
    CHECK(columns[2]["values"][19] == 19);
    CHECK(columns_to_json(table, true)["columns"][1]["values"][1] == 0.3333333);
}

TEST_CASE("HTML: a page holds its title and answer as text, and the report as data") {
    auto profile = sgemm();
    profile.kernels.front().kernel = "</script><script>alert(1)</script>";
    const auto report = report_of(profile, "<img src=x> {{data}}");
    const auto page = html_page(report);
    CHECK(page.starts_with("<!doctype html>"));
    CHECK(count(page, "<img src=x>") == 0);
    CHECK(count(page, "&lt;img src=x&gt; {{data}}") >= 2);
    CHECK(count(page, "alert(1)</script>") == 0);
    CHECK(count(page, "{{script}}") == 0);
    const std::string open = R"(id="report">)";
    const auto begin = page.find(open) + open.size();
    CHECK(nlohmann::ordered_json::parse(page.substr(begin, page.find("</script>", begin) - begin)) == report);
}

TEST_CASE("HTML: a report of no kernels says so, of many it shows the longest and sums the others") {
    auto profile = sgemm();
    const auto kernel = profile.kernels.front();
    profile.kernels.clear();
    CHECK(report_of(profile, "t")["answer"]["sentence"] == "The profile has no kernels: there is nothing to predict.");

    for (std::size_t at = 0; at < most_report_kernels + 10; ++at) {
        profile.kernels.push_back(kernel);
        profile.kernels.back().kernel += std::to_string(at);
    }
    // The ten in the middle are the shortest.
    for (std::size_t at = 500; at < 510; ++at) profile.kernels[at].duration->sum = Seconds{1e-6};
    const auto report = report_of(profile, "t");
    CHECK(report["kernels_in_profile"] == most_report_kernels + 10);
    const auto& names = report["kernels"]["columns"][1]["values"];
    REQUIRE(names.size() == most_report_kernels);
    CHECK(names[499] == kernel.kernel + "499");
    CHECK(names[500] == kernel.kernel + "510");
    const auto& model = report["models"][0];
    const double one = model["predictions"]["duration_s"][0].get<double>();
    CHECK(model["totals"]["columns"][0]["values"][0].get<double>() ==
          Approx(one * (most_report_kernels + 10)).epsilon(1e-5));
    CHECK(model["totals"]["columns"][5]["values"][0].get<double>() == Approx(10 * one).epsilon(1e-3));
}
