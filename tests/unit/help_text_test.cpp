#include "tools/gpuproj/help_text.hpp"

#include <catch2/catch.hpp>

using namespace gpuproj;

TEST_CASE("Help goes on below the words it began with, where the screen is narrow") {
    const std::string help =
        "Sums up all that there is to sum up.\n"
        "\n"
        "Options:\n"
        "  -a,--all    every one of them, and none left out\n"
        "  --in-words one|two\n"
        "              what is said is said in words\n"
        "  -q          quiet\n";
    CHECK(fitted(help, 120) == help);
    CHECK(fitted(help, 40) ==
          "Sums up all that there is to sum up.\n"
          "\n"
          "Options:\n"
          "  -a,--all    every one of them, and\n"
          "              none left out\n"
          "  --in-words one|two\n"
          "              what is said is said in\n"
          "              words\n"
          "  -q          quiet\n");
    // No room beside the names: the terminal breaks the lines.
    CHECK(fitted(help, 36).find("  -a,--all    every one of them, and none left out\n") != std::string::npos);
}
