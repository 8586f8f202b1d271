#include "reports/cut_names.hpp"

#include <catch2/catch.hpp>

#include "reports/table.hpp"

using namespace gpuproj;

TEST_CASE("Names that are cut stay different where they are") {
    const std::vector<std::string> names = {"solve_step_number_one", "solve_step_number_two", "short",
                                            "copy_of_the_field", "solve_step_number_one"};
    CHECK(shortened_apart(names, 14) ==
          std::vector<std::string>{"solve_...r_one", "solve_...r_two", "short", "copy_of_the...", "solve_...r_one"});
    CHECK(shortened_apart(names, 40) == names);
    const std::vector<std::string> wide = {"ääääääää1", "ääääääää2"};
    CHECK(shortened_apart(wide, 7) == std::vector<std::string>{"ää...ä1", "ää...ä2"});
    CHECK(shortened_apart(wide, 4) == std::vector<std::string>{"ä...", "ä..."});
}

TEST_CASE("Names whose ends are alike are cut around what tells them apart") {
    const std::vector<std::string> names = {"triangular_solve_naive_caching_kernel<false, double, int>",
                                            "triangular_solve_naive_legacy_kernel<false, double, int>",
                                            "triangular_solve_naive_caching_kernel<true, double, int>",
                                            "triangular_solve_naive_legacy_kernel<false, double, int>"};
    CHECK(shortened_apart(names, 24) == std::vector<std::string>{"triangular_...false, ...", "triangular_...legacy_...",
                                                                 "triangular_...true, d...",
                                                                 "triangular_...legacy_..."});
    const std::vector<std::string> wide = {"ääääääääääääääöxxxxxxxxxxxxxxxxxx", "ääääääääääääääüxxxxxxxxxxxxxxxxxx"};
    CHECK(shortened_apart(wide, 15) == std::vector<std::string>{"ääääää...öxx...", "ääääää...üxx..."});
    const std::vector<std::string> none = {"aaaaaaaaaaaaaaaaaaaa1bbbbbbbbbb", "aaaaaaaaaaaaaaaaaaaa2bbbbbbbbbb"};
    CHECK(shortened_apart(none, 6) == std::vector<std::string>{"aa...b", "aa...b"});
}

TEST_CASE("A table on the screen keeps its rows apart and on their lines") {
    const Table table{
        .title = "",
        .columns = {{"kernel", "kernel"}, {"value", "value"}},
        .rows = {{"a_kernel_of_a_long_name_1", "x"}, {"a_kernel_of_a_long_name_2", "y"}, {"new\nline\033[1m", "z"}},
        .key_columns = 1};
    const auto text = to_terminal(table, {.width = 24, .colours = false});
    CHECK(text.find("a_kerne..._name_1  x\n") != std::string::npos);
    CHECK(text.find("a_kerne..._name_2  y\n") != std::string::npos);
    CHECK(text.find("new line [1m") != std::string::npos);
}
