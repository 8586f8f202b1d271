#include "model/total_interval.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

using namespace gpuproj;

namespace {

struct Record {
    double duration;
    Spread spread;
};

TotalInterval::Bounds in_closed_form(const std::vector<std::vector<Record>>& kernels) {
    TotalInterval total;
    for (const auto& records : kernels) {
        for (const auto& [duration, spread] : records) total.add(duration, spread);
        total.end_kernel();
    }
    return *total.bounds();
}

/// The 10 % and 90 % quantiles of draws of all errors.
TotalInterval::Bounds drawn(const std::vector<std::vector<Record>>& kernels) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    std::vector<double> sums(100'000);
    for (double& sum : sums) {
        const double common = normal(random);
        for (const auto& records : kernels) {
            const double kernel = normal(random);
            for (const auto& [duration, s] : records) {
                sum += duration * std::exp(s.common * common + s.kernel * kernel + s.own * normal(random));
            }
        }
    }
    std::sort(sums.begin(), sums.end());
    return {Seconds{sums[sums.size() / 10]}, Seconds{sums[sums.size() * 9 / 10]}};
}

}  // namespace

TEST_CASE("The interval of a total: one record's is its own, to the digit") {
    const auto bounds = in_closed_form({{{2, {0.1, 0.2, 0.2}}}});  // sd 0.3
    CHECK(bounds.low.value == Approx(2 * std::exp(-normal_90 * 0.3)));
    CHECK(bounds.high.value == Approx(2 * std::exp(normal_90 * 0.3)));
    CHECK_FALSE(TotalInterval{}.bounds());
}

TEST_CASE("The interval of a total is as wide as that of drawn errors and lies around the sum of the predictions") {
    const std::vector<std::vector<Record>> alike(20, {{1, {0.15, 0.25, 0.2}}});
    const std::vector<std::vector<Record>> mixed{{{5, {0.1, 0.4, 0.1}}, {3, {0.1, 0.4, 0.1}}},
                                                 {{2, {0.2, 0.1, 0.3}}},
                                                 {{1, {0.1, 0.3, 0.2}}, {1, {0.1, 0.3, 0.2}}, {4, {0.1, 0.3, 0.2}}}};
    for (const auto& kernels : {alike, mixed}) {
        const auto closed = in_closed_form(kernels), draws = drawn(kernels);
        CHECK(std::log(ratio(closed.high, closed.low)) == Approx(std::log(ratio(draws.high, draws.low))).epsilon(0.05));
        double sum = 0;
        for (const auto& records : kernels) {
            for (const auto& record : records) sum += record.duration;
        }
        CHECK(std::sqrt(closed.low.value * closed.high.value) == Approx(sum));
    }
}

TEST_CASE("Independent errors average out, common ones do not") {
    const auto relative = [](const Spread& spread) {
        const auto bounds = in_closed_form(std::vector<std::vector<Record>>(100, {{1, spread}}));
        return std::log(ratio(bounds.high, bounds.low)) / (2 * normal_90);
    };
    CHECK(relative({0.3, 0, 0}) == Approx(0.3));
    CHECK(relative({0, 0.3, 0}) == Approx(0.03));
    CHECK(relative({0, 0, 0.3}) == Approx(0.03));
}

TEST_CASE("Parts of a total, one kernel in two of them, add up to the whole") {
    const Spread spread{0.1, 0.3, 0.2};
    TotalInterval whole;
    whole.add(1, spread);
    whole.add(2, spread);
    whole.end_kernel();
    whole.add(4, spread);
    whole.end_kernel();
    CHECK(whole.duration_squares() == 9 + 16);

    TotalInterval joined, begin, end, other;
    begin.add(1, spread);
    end.add(2, spread);
    other.add(4, spread);
    other.end_kernel();
    joined.add(begin);
    joined.add(end);
    joined.end_kernel();
    joined.add(other);
    CHECK(joined.duration_squares() == whole.duration_squares());
    CHECK(joined.bounds()->high.value == Approx(whole.bounds()->high.value));
}
