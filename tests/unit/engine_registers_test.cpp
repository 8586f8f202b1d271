// Registers per thread as the engine estimates them from PTX, against what ptxas 11.8 takes (its -v).
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "model/registers.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;

namespace {

/// Loads `count` numbers, each of which is wanted for three others.
std::string loads(int count) {
    std::string text =
        ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<99>;\n"
        "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
        "add.s64 %rd1, %rd1, %rd2;\n";
    for (int i = 0; i < count; ++i) text += fmt::format("ld.global.f32 %f{}, [%rd1+{}];\n", i, 4 * i);
    for (int i = 0; i < count; ++i)
        text += fmt::format("fma.rn.f32 %f{0}, %f{0}, %f{1}, %f{2};\n", i, (i + 1) % count, (i + 7) % count);
    for (int i = 0; i < count; ++i) text += fmt::format("st.global.f32 [%rd1+{}], %f{};\n", 4 * i, i);
    return text + "ret; }\n";
}

std::uint32_t registers(const std::string& text, const char* compute_capability) {
    simulate::DeviceMemory memory;
    simulate::Module module(module_text(text, "sm_61"), "test", memory);
    if (compute_capability != nullptr) module.aim_registers(occupancy_rules(compute_capability).value());
    return module.kernels().front()->registers;
}

}  // namespace

TEST_CASE("registers estimated from PTX are within a third of ptxas'", "[engine]") {
    struct Case {
        int loads;
        const char* compute_capability;
        std::uint32_t ptxas;
    };
    const Case c = GENERATE(values<Case>({{2, "6.1", 6},
                                          {2, "7.5", 8},
                                          {24, "6.1", 32},
                                          {24, "7.5", 46},
                                          {24, "8.6", 38},
                                          {40, "6.1", 32},
                                          {40, "7.5", 60},
                                          {40, "8.6", 40}}));
    INFO(c.loads << " loads on " << c.compute_capability);
    const double off = std::log(static_cast<double>(registers(loads(c.loads), c.compute_capability)) / c.ptxas);
    CHECK(std::abs(off) < std::log(1.5));
    CHECK(registers(loads(c.loads), nullptr) == registers(loads(c.loads), "7.5"));  // which spares none
}

TEST_CASE("parameters and numbers take no registers until they are wanted", "[engine]") {
    const auto sum = [](int parameters) {
        std::string text = ".visible .entry k(.param .u64 p";
        for (int i = 0; i < parameters; ++i) text += fmt::format(", .param .u32 q{}", i);
        text += ") {\n.reg .b32 %r<40>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\n";
        for (int i = 0; i < parameters; ++i) text += fmt::format("ld.param.u32 %r{}, [q{}];\n", i, i);
        text += "mov.u32 %r39, %tid.x;\n";
        for (int i = 0; i < parameters; ++i) text += fmt::format("add.u32 %r39, %r39, %r{};\n", i);
        return text + "st.global.u32 [%rd1], %r39; ret; }\n";
    };
    CHECK(registers(sum(1), nullptr) == registers(sum(30), nullptr));
}

TEST_CASE("what a kernel says of its blocks and registers bounds them", "[engine]") {
    const auto bounded = [](const std::string& directives) {
        std::string text = loads(40);
        return text.replace(text.find('{'), 1, directives + " {");
    };
    // ptxas 11.8 for sm_61 gives 32, 46, 40, 32 and 46.
    CHECK(registers(bounded(".maxntid 256, 1, 1"), "6.1") == 32);
    CHECK(registers(bounded(".maxntid 16, 16, 1 .minnctapersm 2"), "6.1") >= 44);
    CHECK(registers(bounded(".reqntid 256 .minnctapersm 6"), "6.1") == 40);
    CHECK(registers(bounded(".maxntid 256 .minnctapersm 8"), "6.1") == 32);
    CHECK(registers(bounded(".maxnreg 48"), "6.1") == Approx(46).epsilon(0.05));

    simulate::DeviceMemory memory;
    simulate::Module module(module_text(bounded(".maxntid 256 .minnctapersm 6"), "sm_61"), "test", memory);
    const OccupancyRules pascal = occupancy_rules("6.1").value();
    module.take_registers({{"k", {60, std::nullopt}}}, 75, pascal);
    CHECK(module.kernels().front()->registers == 40);
    CHECK(module.kernels().front()->register_bounds == RegisterBounds{256, 6, std::nullopt});

    simulate::Module unbounded(module_text(loads(40), "sm_61"), "test", memory);
    unbounded.take_registers({{"k", {60, 64}}}, 75, pascal);  // -maxrregcount 64
    CHECK(unbounded.kernels().front()->registers == 57);
    CHECK(unbounded.kernels().front()->register_bounds == RegisterBounds{std::nullopt, std::nullopt, 64});
}
