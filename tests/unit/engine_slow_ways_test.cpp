// Quotients, reciprocals and roots of operands that take the subroutine: how many lanes and warps are counted for it.
// Which operands do: the comparisons in front of the calls in nvdisasm's listing of ptxas 11.8's code for sm_35 to
// sm_90 (tools/dev/expansions.py --show div.rn.f64); for quotients of floats, where FCHK asks, zeros, infinities, NaN
// and what its corrections cannot do.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;
using simulate::MachineCode;

namespace {

struct Counted {
    double warps = 0, threads = 0;  // instructions
};

/// `op` by each lane of as many warps as there are rows of 32 operands, under a condition of the lane's number or none.
template <class T>
Counted run(const std::string& op, const std::vector<T>& a, const std::vector<T>& b, MachineCode by,
            const std::string& guard = "") {
    PtxRunner runner("RTX 2080 Ti", {}, by);
    const auto left = runner.allocate<T>(a.size()), right = runner.allocate<T>(a.size());
    std::copy(a.begin(), a.end(), left.begin());
    std::copy(b.begin(), b.end(), right.begin());
    const bool two = op.starts_with("div");
    const auto report =
        runner.run(module_text(fmt::format(R"(
.visible .entry k(.param .u64 a_, .param .u64 b_) {{
.reg .b32 %i; .reg .b64 %a, %b, %at; .reg .{0} %x, %y; .reg .pred %p;
mov.u32 %i, %tid.x; ld.param.u64 %a, [a_]; ld.param.u64 %b, [b_];
mul.wide.u32 %at, %i, {1}; add.u64 %a, %a, %at; add.u64 %b, %b, %at;
ld.global.{0} %x, [%a]; ld.global.{0} %y, [%b]; setp.lt.u32 %p, %i, 40; bra AT;
AT: {2} {3} %x, %x{4};
add.{0} %x, %x, %y; st.global.{0} [%a], %x; ret;
}}
)",
                                           sizeof(T) == 4 ? "f32" : "f64", sizeof(T), guard, op, two ? ", %y" : "")),
                   {.block = {static_cast<u32>(a.size()), 1, 1}}, Arguments(left.data(), right.data()));
    REQUIRE(!report.fault);
    const KernelMetrics& metrics = report.counted.metrics;
    return {metrics.warp_inst->value, metrics.thread_inst->value};
}

/// Lanes and warps of the slow way in `a` op `b`, beside ordinary operands; the same by handlers and by machine code.
template <class T>
Counted slow(const std::string& op, const std::vector<T>& a, const std::vector<T>& b, const std::string& guard = "") {
    const std::vector<T> ordinary(a.size(), T{1.5});
    const simulate::Mix* mix = simulate::find_expansion(op + ".slow", 75);
    REQUIRE(mix != nullptr);
    const double length = (*mix)[static_cast<std::size_t>(simulate::Class::total)];
    std::vector<Counted> found;
    for (const auto by : {MachineCode::none, MachineCode::usual, MachineCode::all}) {
        const Counted all = run(op, a, b, by, guard), usual = run(op, ordinary, ordinary, by, guard);
        found.push_back({(all.warps - usual.warps) / length, (all.threads - usual.threads) / length});
    }
    for (const Counted& other : found) {
        CHECK(other.warps == found.front().warps);
        CHECK(other.threads == found.front().threads);
    }
    return found.front();
}

template <class T>
bool is_slow(const std::string& op, T a, T b = T{1.5}) {
    const Counted counted = slow(op, std::vector<T>(32, a), std::vector<T>(32, b));
    CHECK(counted.threads == 32 * counted.warps);
    return counted.warps == 1;
}

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T nan_ = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T tiny = std::numeric_limits<T>::denorm_min();

}  // namespace

TEST_CASE("which quotients of floats are slow", "[engine][slow-ways]") {
    for (const std::string op : {"div.rn.f32", "div.rn.ftz.f32"}) {
        CAPTURE(op);
        for (const auto& [a, b] : std::vector<std::pair<f32, f32>>{{0, 1},
                                                                   {-0.0F, 3},
                                                                   {1, 0},
                                                                   {0, 0},
                                                                   {infinity<f32>, 2},
                                                                   {2, -infinity<f32>},
                                                                   {nan_<f32>, 1},
                                                                   {tiny<f32>, 1},
                                                                   {1, tiny<f32>},
                                                                   {1, 3e38F},
                                                                   {1e30F, 1e-30F},
                                                                   {1e-30F, 1e30F}}) {
            CAPTURE(a, b);
            CHECK(is_slow(op, a, b));
        }
        for (const auto& [a, b] : std::vector<std::pair<f32, f32>>{
                 {1, 3}, {-5, 7}, {1e-20F, 1e-10F}, {1e30F, 1e20F}, {1e38F, 1}, {1e-20F, 1e10F}}) {
            CAPTURE(a, b);
            CHECK_FALSE(is_slow(op, a, b));
        }
    }
}

TEST_CASE("which quotients of doubles are slow", "[engine][slow-ways]") {
    for (const auto& [a, b] :
         std::vector<std::pair<f64, f64>>{{0, 1},
                                          {1, 0},
                                          {infinity<f64>, 1},
                                          {1, infinity<f64>},
                                          {nan_<f64>, 1},
                                          {1e-300, 1},  // |a| > 6.4e-37 as the upper word is a float
                                          {1e200, 1e-200}}) {
        CAPTURE(a, b);
        CHECK(is_slow("div.rn.f64", a, b));
    }
    for (const auto& [a, b] : std::vector<std::pair<f64, f64>>{{1, 3}, {1e-200, 1e-100}, {1e300, 1e10}, {-4, 1e-300}}) {
        CAPTURE(a, b);
        CHECK_FALSE(is_slow("div.rn.f64", a, b));
    }
}

TEST_CASE("which reciprocals and roots are slow", "[engine][slow-ways]") {
    for (const f32 a : {0.0F, infinity<f32>, nan_<f32>, tiny<f32>, 3e38F}) {
        CAPTURE(a);
        CHECK(is_slow("rcp.rn.f32", a));
    }
    for (const f32 a : {3.0F, -1e-30F, 1e37F}) CHECK_FALSE(is_slow("rcp.rn.f32", a));
    for (const f64 a : {0.0, infinity<f64>, nan_<f64>, tiny<f64>}) CHECK(is_slow("rcp.rn.f64", a));
    for (const f64 a : {3.0, -1e-300, 1e300}) CHECK_FALSE(is_slow("rcp.rn.f64", a));
    for (const f32 a : {0.0F, -0.0F, -1.0F, infinity<f32>, nan_<f32>, 1e-35F}) {
        CAPTURE(a);
        CHECK(is_slow("sqrt.rn.f32", a));
    }
    for (const f32 a : {2.0F, 1e-20F, 3e38F}) CHECK_FALSE(is_slow("sqrt.rn.f32", a));
}

TEST_CASE("a warp takes the slow way for one of its lanes, once", "[engine][slow-ways]") {
    std::vector<f32> a(83, 1), b(83, 2);  // the last warp is not full
    a[3] = a[17] = a[80] = 0;
    Counted counted = slow("div.rn.f32", a, b);
    CHECK(counted.warps == 2);
    CHECK(counted.threads == 3);
    counted = slow("div.rn.f32", a, b, "@%p");  // of lanes below 40
    CHECK(counted.warps == 1);
    CHECK(counted.threads == 2);
    counted = slow("div.rn.f32", a, b, "@!%p");
    CHECK(counted.warps == 1);
    CHECK(counted.threads == 1);
    const std::vector<f64> wide(a.begin(), a.end()), two(83, 2);
    counted = slow("div.rn.f64", wide, two);
    CHECK(counted.warps == 2);
    CHECK(counted.threads == 3);
}

TEST_CASE("approximations have no slow way", "[engine][slow-ways]") {
    for (const std::string op : {"div.approx.f32", "div.full.f32"}) {
        CAPTURE(op);
        const std::vector<f32> zeros(32, 0), ones(32, 1);
        CHECK(run(op, zeros, ones, MachineCode::usual).warps == run(op, ones, ones, MachineCode::usual).warps);
    }
}
