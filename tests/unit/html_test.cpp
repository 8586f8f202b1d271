#include "reports/html.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

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

const Gpu& gpu_named(const std::string& name) {
    static const Catalog catalog({});
    static const Gpu reference = catalog.get("GTX480"), target = catalog.get("K20c");
    return name == "GTX480" ? reference : target;
}

nlohmann::ordered_json report_of(const Profile& profile, const std::string& title,
                                 std::span<const WorkloadPart> mix = {}) {
    const std::vector<const Gpu*> targets = {&gpu_named("GTX480"), &gpu_named("K20c")};
    const std::vector<const Model*> asked = {&find_model("calibrated")};
    const std::vector<const Model*> further = {&find_model("roofline"), &find_model("mpd-cpd")};
    return report_to_json({profile, targets, asked, targets[0], {}, title, "1", further, mix});
}

/// What a page makes of base 64 that holds little-endian floats.
std::vector<float> floats_of(const std::string& text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<std::uint8_t> bytes;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        if (c == '=') break;
        bits = bits << 6U | static_cast<std::uint32_t>(digits.find(c));
        held += 6;
        if (held >= 8) bytes.push_back(static_cast<std::uint8_t>(bits >> (held -= 8) & 0xFFU));
    }
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
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

TEST_CASE("HTML: base 64 as in RFC 4648 and numbers packed in it") {
    const auto of = [](const std::string& text) { return base64(std::vector<std::uint8_t>(text.begin(), text.end())); };
    CHECK(of("").empty());
    CHECK(of("f") == "Zg==");
    CHECK(of("fo") == "Zm8=");
    CHECK(of("foo") == "Zm9v");
    CHECK(of("foob") == "Zm9vYg==");
    CHECK(of("foobar") == "Zm9vYmFy");
    CHECK(packed(std::vector<std::uint32_t>{0x0102, 0xFF}, 2) == base64(std::vector<std::uint8_t>{2, 1, 0xFF, 0}));
    const auto back = floats_of(packed(std::vector<std::optional<double>>{1.5e-9, std::nullopt, 0.1}));
    REQUIRE(back.size() == 3);
    CHECK(back[0] == 1.5e-9F);
    CHECK(std::isnan(back[1]));
    CHECK(back[2] == 0.1F);
}

TEST_CASE("HTML: further models are shown where they answer, others are named with their reason") {
    const auto report = report_of(sgemm(), "t");
    REQUIRE(report["models"].size() == 2);
    CHECK(report["models"][0]["name"] == "calibrated");
    CHECK(report["models"][1]["name"] == "roofline");
    CHECK(report["models"][1]["predictions"]["interval_at"].is_null());
    // Both predictions of `calibrated` have an interval, kept as what it is of the prediction.
    const auto& first = report["models"][0]["predictions"];
    REQUIRE(first["intervals"].size() == 2);
    for (const auto& interval : first["intervals"]) {
        CHECK(interval[0].get<double>() < 1);
        CHECK(interval[0].get<double>() * interval[1].get<double>() == Approx(1));
    }
    CHECK(first["interval_at"] == "AAE=");  // the first, then the second
    REQUIRE(report["models_left_out"].size() == 1);
    CHECK(report["models_left_out"][0]["name"] == "mpd-cpd");
    CHECK_FALSE(report["models_left_out"][0]["reason"].get<std::string>().empty());
    // Measured on the GTX 480, so every model that answers is checked against it.
    CHECK(report["self_check"]["columns"][1]["values"] == nlohmann::ordered_json::array({"calibrated", "roofline"}));
}

TEST_CASE("HTML: of several programs the answer is the mix's") {
    const auto profile = sgemm();
    const auto& gpu = gpu_named("GTX480");
    const std::array parts = {WorkloadPart{&profile, &gpu, "one", 1}, WorkloadPart{&profile, &gpu, "three", 3}};
    const auto alone = report_of(profile, "t"), mix = report_of(profile, "t", parts);
    CHECK(mix["comparison"]["names"] == nlohmann::ordered_json::array({"one", "three"}));
    const auto fastest = [](const nlohmann::ordered_json& report) {
        return report["comparison"]["ranking"]["columns"][1]["values"][0].get<double>();
    };
    CHECK(fastest(mix) == Approx(4 * fastest(alone)));
    CHECK(mix["answer"]["sentence"] != alone["answer"]["sentence"]);
    CHECK(mix["answer"]["best"] == alone["answer"]["best"]);
    CHECK(mix["models"] == alone["models"]);
    // Each further program has all that the first has, by its own name, and its own answer.
    REQUIRE(mix["others"].size() == 1);
    const auto& other = mix["others"][0];
    for (const auto* part : {"answer", "facts", "kernels", "counters", "roofline", "quadrants", "headroom",
                             "application", "by_target", "self_check", "models", "remarks"})
        CHECK(other.contains(part));
    CHECK(other["answer"]["title"] == "three");
    CHECK(mix["own_answer"]["title"] == "one");
    CHECK(other["answer"]["sentence"] == mix["own_answer"]["sentence"]);
    CHECK(other["models"] == mix["models"]);
    CHECK(alone["others"].empty());
}

TEST_CASE("HTML: programs share the rows of kernels, and what a small one does not need goes to the others") {
    using Shares = std::vector<std::size_t>;
    CHECK(shares_of_rows(Shares{5000}, 1000) == Shares{1000});
    CHECK(shares_of_rows(Shares{2000, 10, 2000}, 1000) == Shares{495, 10, 495});
    CHECK(shares_of_rows(Shares{5000, 1}, 1000) == Shares{999, 1});
    CHECK(shares_of_rows(Shares{3, 0, 4}, 1000) == Shares{3, 0, 4});
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
    const double one = floats_of(model["predictions"]["duration_s"])[0];
    CHECK(model["totals"]["columns"][0]["values"][0].get<double>() ==
          Approx(one * (most_report_kernels + 10)).epsilon(1e-5));
    CHECK(model["totals"]["columns"][5]["values"][0].get<double>() == Approx(10 * one).epsilon(1e-3));
}
