#include "collector/simulate/ptx/link.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "collector/simulate/engine/engine.hpp"

using gpuproj::simulate::DeviceMemory;
using gpuproj::simulate::Module;
using gpuproj::simulate::PtxError;

namespace {

const std::string header = ".version 9.0\n.target sm_75\n.address_size 64\n";

std::string link(std::vector<std::string> units) {
    for (auto& unit : units) unit.insert(0, header);
    return gpuproj::simulate::ptx::link(units);
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("a declaration finds the definition of another unit, whatever the order") {
    const auto text = link({R"(
.extern .global .align 4 .u32 factor;
.extern .func (.param .b32 r) times(.param .b32 x);
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  .param .b32 a;
  .param .b32 b;
  mov.u32 %r1, 2;
  st.param.b32 [a+0], %r1;
  call.uni (b), times, (a);
  ret;
})",
                            R"(
.visible .global .align 4 .u32 factor = 3;
.visible .func (.param .b32 r) times(.param .b32 x) {
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [x];
  ld.global.u32 %r2, [factor];
  mul.lo.s32 %r3, %r1, %r2;
  st.param.b32 [r+0], %r3;
  ret;
})"});
    CHECK(count(text, ".version") == 1);
    CHECK(count(text, ".extern") == 0);
    DeviceMemory memory;
    const Module module(text, "test", memory);
    REQUIRE(module.kernel("k") != nullptr);
    CHECK_FALSE(module.kernel("k")->unsupported);
    REQUIRE(module.variable("factor") != nullptr);
    CHECK(*static_cast<const int*>(module.variable("factor")->address) == 3);
}

TEST_CASE("private names that units share stay apart, weak definitions are merged") {
    const std::string unit = R"(
.global .align 1 .b8 $str[2] = {65, 0};
.weak .func inlined() { ret; }
.func helper() { ret; }
.visible .entry NAME() { call.uni helper, (); .reg .b64 %rd<2>; mov.u64 %rd1, $str; ret; }
)";
    auto first = unit, second = unit;
    first.replace(first.find("NAME"), 4, "one");
    second.replace(second.find("NAME"), 4, "two");
    const auto text = link({first, second});
    CHECK(count(text, "$str$unit1") == 2);
    CHECK(count(text, "helper$unit1") == 2);
    CHECK(count(text, ".weak") == 1);
    DeviceMemory memory;
    const Module module(text, "test", memory);
    CHECK(module.kernel("one") != nullptr);
    CHECK(module.kernel("two") != nullptr);
}

TEST_CASE("what cannot be linked is said") {
    CHECK_THROWS_AS(link({".visible .func f() { ret; }", ".visible .func f() { ret; }"}), PtxError);
    CHECK_THROWS_AS(link({".visible .func f() { ret; ", ""}), PtxError);
    CHECK_THROWS_AS(link({".visible .global .u32 x", ""}), PtxError);
    CHECK_THROWS_AS(link({"nonsense", ""}), PtxError);
    CHECK(count(link({".extern .func f();", ".extern .func f();"}), ".extern") == 1);  // vprintf and the like
}
