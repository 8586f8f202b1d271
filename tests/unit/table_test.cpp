#include "reports/table.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace gpuproj;

namespace {

Table sample() {
    Table table{.title = "Sample",
                .columns = {{"kernel", "kernel", Unit::none},
                            {"duration_s", "time", Unit::seconds},
                            {"launches", "launches", Unit::count}},
                .rows = {{std::string("f<int, 2>"), 0.0025, std::int64_t{3}},
                         {std::string("say \"hi\""), Cell{}, std::int64_t{1}}}};
    return table;
}

}  // namespace

TEST_CASE("CSV follows RFC 4180") {
    CHECK(to_csv(sample()) ==
          "kernel,duration_s,launches\r\n"
          "\"f<int, 2>\",0.0025,3\r\n"
          "\"say \"\"hi\"\"\",,1\r\n");
}

TEST_CASE("JSON has null for what is not known") {
    CHECK(
        to_json(sample()).dump() ==
        R"([{"kernel":"f<int, 2>","duration_s":0.0025,"launches":3},{"kernel":"say \"hi\"","duration_s":null,"launches":1}])");
}

TEST_CASE("Markdown stays a table whatever the text") {
    auto table = sample();
    table.rows[0][0] = std::string("a|b<c>\nd");
    CHECK(to_markdown(table) ==
          "### Sample\n\n"
          "| kernel | duration_s | launches |\n"
          "| --- | ---: | ---: |\n"
          "| a\\|b\\<c> d | 0.0025 | 3 |\n"
          "| say \"hi\" |  | 1 |\n");
}

TEST_CASE("The terminal aligns, adds units and sets totals apart") {
    auto table = sample();
    table.footer_rows = 1;
    CHECK(to_terminal(table, Screen{.width = 80, .colours = false}) ==
          "Sample\n"
          "kernel         time  launches\n"
          "-----------------------------\n"
          "f<int, 2>  2.500 ms         3\n"
          "-----------------------------\n"
          "say \"hi\"          -         1\n");
}

TEST_CASE("A table too wide for the screen is shortened, then wrapped with its key column repeated") {
    auto table = sample();
    table.rows[0][0] = std::string("a_kernel_with_a_very_long_name_indeed");
    CHECK(to_terminal(table, Screen{.width = 30, .colours = false}) ==
          "Sample\n"
          "kernel                time\n"
          "--------------------------\n"
          "a_kernel_with...  2.500 ms\n"
          "say \"hi\"                 -\n"
          "\n"
          "kernel            launches\n"
          "--------------------------\n"
          "a_kernel_with...         3\n"
          "say \"hi\"                 1\n");
}

TEST_CASE("A title too long for the screen is wrapped") {
    auto table = sample();
    table.title = "What a sample of a table looks like where its title is long";
    CHECK(to_terminal(table, Screen{.width = 40, .colours = false})
              .starts_with("What a sample of a table looks like\nwhere its title is long\nkernel  "));
}

TEST_CASE("Text is wrapped at spaces") {
    CHECK(wrapped("one two three four", 9, 2) == "one two\n  three\n  four");
    CHECK(wrapped("unbreakable", 4, 2) == "unbreakable");
}
