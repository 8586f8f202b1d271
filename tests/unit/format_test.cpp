#include "reports/format.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

using namespace gpuproj;

TEST_CASE("Numbers for people have four significant digits and a prefix") {
    CHECK(for_people(0.002084, Unit::seconds) == "2.084 ms");
    CHECK(for_people(15.2e-6, Unit::seconds) == "15.20 us");
    CHECK(for_people(0, Unit::seconds) == "0 s");
    CHECK(for_people(123.456, Unit::seconds) == "123.5 s");
    CHECK(for_people(42258880, Unit::bytes) == "42.26 MB");
    CHECK(for_people(1048576000, Unit::operations) == "1.049 Gop");
    CHECK(for_people(144e9, Unit::bytes_per_second) == "144.0 GB/s");
    CHECK(for_people(24.8135, Unit::operations_per_byte) == "24.81 op/B");
    CHECK(for_people(0.974, Unit::fraction) == "97.4 %");
    CHECK(for_people(640, Unit::count) == "640");
    CHECK(for_people(25600, Unit::count) == "25.60 k");
    CHECK(for_people(786432, Unit::capacity) == "768 KiB");
    CHECK(for_people(0.5, Unit::bytes) == "0.5000 B");
}

TEST_CASE("Rounding carries into the next prefix") {
    CHECK(for_people(999.96e-6, Unit::seconds) == "1.000 ms");
    CHECK(for_people(999.94e-6, Unit::seconds) == "999.9 us");
    CHECK(for_people(9.9996, Unit::operations_per_byte) == "10.00 op/B");
}

TEST_CASE("What is not a number is never printed as one") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(for_people(nan, Unit::seconds) == "-");
    CHECK(for_machines(std::numeric_limits<double>::infinity()).empty());
    CHECK(in_full(nan) == "-");
}

TEST_CASE("Numbers for machines read back the same") {
    for (const double value : {0.1, 1.0 / 3.0, 5.21397e-3, 1048576000.0, 1e300}) {
        CHECK(std::stod(for_machines(value)) == value);
    }
    CHECK(for_machines(1048576000.0) == "1048576000");
}

TEST_CASE("Numbers in full") {
    CHECK(in_full(1048576000.0) == "1,048,576,000");
    CHECK(in_full(999) == "999");
    CHECK(in_full(-1234) == "-1,234");
    CHECK(in_full(0.125) == "0.125");
    CHECK(in_six_digits(1048576000.0) == "1048576000");
    CHECK(in_six_digits(1.0 / 3.0) == "0.333333");
}

TEST_CASE("A key names its unit") {
    CHECK(unit_of_key("dram_bandwidth_byte_per_s") == Unit::bytes_per_second);
    CHECK(unit_of_key("duration_s") == Unit::seconds);
    CHECK(unit_of_key("w_traf_byte") == Unit::bytes);
    CHECK(unit_of_key("sm_count") == Unit::count);
}

TEST_CASE("Text is cut by characters, not by bytes") {
    CHECK(shortened("abcdefgh", 8) == "abcdefgh");
    CHECK(shortened("abcdefghi", 8) == "abcde...");
    CHECK(shortened("\u00fcber\u00e4ll", 8) == "\u00fcber\u00e4ll");
    CHECK(shortened("\u00fcber\u00e4lla", 6) == "\u00fcbe...");
}

TEST_CASE("Long lists of names end in how many more there are") {
    const std::vector<std::string> names{"a", "b", "c", "d"};
    CHECK(first_of(names, 2) == "a, b and 2 more");
    CHECK(first_of(names, 3, " + ") == "a + b + c and 1 more");
    CHECK(first_of(names, 4) == "a, b, c, d");
    CHECK(first_of({}, 4).empty());
}
