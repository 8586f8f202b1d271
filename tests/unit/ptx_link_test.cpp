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

TEST_CASE("source files keep their lines: every unit has numbers of its own") {
    const auto text = link({".file 1 \"a.cu\"\n.visible .entry one() {\n.loc 1 3 5\nret;\n}",
                            ".file 1 \"b.cu\"\n.file 2 \"c.hpp\"\n.visible .entry two() {\n.loc 2 7 1\nret;\n}"});
    CHECK(count(text, ".file 1 \"a.cu\"") == 1);
    CHECK(count(text, ".file 3 \"c.hpp\"") == 1);
    CHECK(count(text, ".loc 3 7 1") == 1);
}

TEST_CASE("shared memory of a kernel is what it can reach, not what its module has") {
    const auto text = link({R"(
.weak .shared .align 16 .b8 large[30000];
.weak .shared .align 16 .b8 other[20000];
.weak .shared .align 4 .b8 common[64];
.extern .shared .align 16 .b8 dynamic[];
.weak .func helper() { .reg .b32 %r; mov.u32 %r, common; st.shared.u32 [%r], 1; ret; }
.visible .entry one() { .reg .b32 %r; mov.u32 %r, large; st.shared.u32 [%r], 1; ret; }
.visible .entry two() { .reg .b32 %r; mov.u32 %r, other; st.shared.u32 [%r], 1; call.uni helper, (); ret; }
.visible .entry three() { .reg .b32 %r; mov.u32 %r, dynamic; st.shared.u32 [%r], 1; ret; }
.visible .entry four() { .reg .b64 %f; mov.u64 %f, helper; call.uni %f, (), P; ret; }
)",
                            ""});
    DeviceMemory memory;
    const Module module(text, "test", memory);
    CHECK(module.kernel("one")->static_shared_bytes == 30000);
    CHECK(module.kernel("two")->static_shared_bytes == 20064);
    CHECK(module.kernel("three")->static_shared_bytes == 0);
    CHECK(module.kernel("four")->static_shared_bytes == 64);
}

TEST_CASE("what cannot be linked is said") {
    CHECK_THROWS_AS(link({".visible .func f() { ret; }", ".visible .func f() { ret; }"}), PtxError);
    CHECK_THROWS_AS(link({".visible .func f() { ret; ", ""}), PtxError);
    CHECK_THROWS_AS(link({".visible .global .u32 x", ""}), PtxError);
    CHECK_THROWS_AS(link({"nonsense", ""}), PtxError);
    CHECK(count(link({".extern .func f();", ".extern .func f();"}), ".extern") == 1);  // vprintf and the like
}
