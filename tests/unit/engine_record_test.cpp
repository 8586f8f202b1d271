// Approximate instructions over many operands, for a comparison with a GPU: recorded, not checked (ptx_record.hpp).
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/ptx_record.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj::test;

namespace {

constexpr std::size_t operands = 10240;

/// Edges, any bits, numbers around one, numbers of usual size, and whole sweeps of two binades.
template <class T, class Bits_>
std::vector<Bits_> operands_of(int exponent_of_largest) {
    using Limits = std::numeric_limits<T>;
    std::vector<Bits_> bits;
    const auto add = [&](T value) {
        bits.push_back(static_cast<Bits_>(bits_of(value)));
        bits.push_back(static_cast<Bits_>(bits_of(-value)));
    };
    for (const T value : {T(0),
                          Limits::denorm_min(),
                          Limits::denorm_min() * 3,
                          Limits::min() / 2,
                          Limits::min(),
                          Limits::min() * 2,
                          Limits::min() - Limits::denorm_min(),
                          Limits::max(),
                          Limits::max() / 2,
                          Limits::max() / 4,
                          Limits::infinity(),
                          Limits::quiet_NaN(),
                          Limits::signaling_NaN(),
                          T(1),
                          std::nextafter(T(1), T(0)),
                          std::nextafter(T(1), T(2)),
                          T(2),
                          T(3),
                          T(4),
                          T(0.5),
                          T(1.5),
                          T(3.14159265358979),
                          T(1.5707963267949),
                          T(0.785398163397448),
                          T(6.28318530717959),
                          T(48039),
                          T(100000),
                          T(126),
                          T(126.5),
                          T(127),
                          T(127.9999),
                          T(128),
                          T(149),
                          T(149.5),
                          T(150),
                          T(151),
                          T(1e-20),
                          T(1e20),
                          T(1e-38),
                          T(1e38),
                          T(1e-40)})
        add(value);
    for (int exponent = -exponent_of_largest - 30; exponent <= exponent_of_largest; ++exponent)
        add(std::ldexp(T(1), exponent));
    std::mt19937_64 random(20261127);
    std::uniform_real_distribution<T> one(-1, 1);
    while (bits.size() < 3000) bits.push_back(static_cast<Bits_>(random()));
    while (bits.size() < 5000) bits.push_back(static_cast<Bits_>(bits_of(one(random) * T(8))));
    while (bits.size() < 6500) bits.push_back(static_cast<Bits_>(bits_of(one(random) * T(160))));
    while (bits.size() < 7200)
        bits.push_back(static_cast<Bits_>(bits_of(std::ldexp(one(random), static_cast<int>(random() % 60) - 40))));
    for (const std::size_t left = operands - bits.size(); bits.size() < operands;)
        bits.push_back(static_cast<Bits_>(bits_of(T(1) + T(3) * T(operands - bits.size()) / T(left))));
    return bits;
}

template <class Bits_>
void record(const std::string& opcode, const char* results, const std::vector<Bits_>& values) {
    constexpr std::size_t bytes = sizeof(Bits_);
    const bool binary = opcode.starts_with("div");
    PtxRunner runner;
    const auto in = runner.allocate(values);
    const auto out = runner.allocate<Bits_>(values.size());
    record_name("approximate: " + opcode);
    record_results_as(results);
    const auto report =
        runner.run(module_text(fmt::format(R"(
.visible .entry k(.param .u64 in_, .param .u64 out_) {{
.reg .b32 %t<3>; .reg .b64 %in, %out, %at; .reg .b{0} %a, %b, %d;
mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, %t1, %t2;
ld.param.u64 %in, [in_]; ld.param.u64 %out, [out_];
mad.wide.u32 %at, %t0, {1}, %in; mad.wide.u32 %out, %t0, {1}, %out;
ld.global.b{0} %a, [%at];
sub.u32 %t0, {2}, %t0; mad.wide.u32 %at, %t0, {1}, %in; ld.global.b{0} %b, [%at];
{3} %d, %a{4};
st.global.b{0} [%out], %d;
ret;
}}
)",
                                           bytes * 8, bytes, values.size() - 1, opcode, binary ? ", %b" : "")),
                   {.grid = {static_cast<u32>(values.size() / 128), 1, 1}, .block = {128, 1, 1}},
                   Arguments(in.data(), out.data()));
    record_name("");
    record_results_as("");
    INFO(opcode);
    CHECK_FALSE(report.fault);
}

}  // namespace

TEST_CASE("approximate instructions are recorded for a GPU", "[.][engine][record]") {
    const auto first = [](auto values) { return decltype(values)(values.begin(), values.begin() + 4096); };
    const auto singles = operands_of<f32, u32>(127);
    for (const std::string root : {"rcp.approx", "sqrt.approx", "rsqrt.approx", "sin.approx", "cos.approx",
                                   "lg2.approx", "ex2.approx", "div.approx", "div.full", "rcp.rn", "rcp.rz", "rcp.rp",
                                   "rcp.rm", "sqrt.rn", "sqrt.rz", "sqrt.rp", "sqrt.rm", "div.rn", "div.rz"})
        for (const std::string ftz : {"", ".ftz"})
            record(root + ftz + ".f32", "f32", root.find(".r") == std::string::npos ? singles : first(singles));
    record("tanh.approx.f32", "f32", singles);
    const auto doubles = operands_of<f64, u64>(1023);
    for (const std::string opcode : {"rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64", "rcp.rn.f64",
                                     "rcp.rz.f64", "sqrt.rn.f64", "sqrt.rz.f64", "div.rn.f64", "div.rp.f64"})
        record(opcode, "f64", opcode.find(".r") == std::string::npos ? doubles : first(doubles));
    std::vector<u16> halves(65536);
    for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<u16>(i);
    std::vector<u32> pairs(32768);
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = static_cast<u32>(i << 1 | (65535 - i) << 16);
    for (const std::string opcode : {"ex2.approx", "ex2.approx.ftz", "tanh.approx"}) {
        for (const std::string type : {"f16", "bf16"}) {
            if ((opcode == "ex2.approx" && type == "bf16") || (opcode == "ex2.approx.ftz" && type == "f16")) continue;
            record(opcode + "." + type, type.c_str(), halves);
            record(opcode + "." + type + "x2", (type + "x2").c_str(), pairs);
        }
    }
}
