#include "tests/support/ptx_runner.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <random>

#include "targets/catalog.hpp"
#include "tests/support/ptx_record.hpp"

namespace gpuproj::test {

std::string module_text(std::string_view body, std::string_view target) {
    return fmt::format(".version 8.7\n.target {}\n.address_size 64\n{}", target, body);
}

void Arguments::append(const void* value, std::size_t bytes) {
    const std::size_t offset = (bytes_.size() + bytes - 1) / bytes * bytes;
    bytes_.resize(offset + bytes);
    std::memcpy(bytes_.data() + offset, value, bytes);
}

PtxRunner::PtxRunner(std::string_view gpu, simulate::EngineOptions options, simulate::MachineCode machine_code)
    : engine_(Catalog({}).get(gpu), memory_, std::move(options)), machine_code_(machine_code) {}

namespace {

simulate::LaunchRequest request_of(const simulate::Module& module, std::string_view kernel, const Shape& shape,
                                   std::span<const std::byte> parameters) {
    simulate::LaunchRequest request;
    request.module = &module;
    request.kernel = kernel;
    request.grid = shape.grid;
    request.block = shape.block;
    request.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    request.parameters = parameters;
    request.cooperative = shape.cooperative;
    request.cluster = shape.cluster;
    return request;
}

}  // namespace

simulate::LaunchReport PtxRunner::run(std::string_view ptx, const Shape& shape, const Arguments& arguments) {
    return run(ptx, "k", shape, arguments.bytes());
}

simulate::LaunchReport PtxRunner::run(const simulate::Module& module, const Shape& shape, const Arguments& arguments) {
    return engine_.launch(request_of(module, "k", shape, arguments.bytes()));
}

simulate::LaunchReport PtxRunner::run(std::string_view ptx, std::string_view kernel, const Shape& shape,
                                      std::span<const std::byte> parameters) {
    const simulate::Module module(ptx, "test", memory_, machine_code_);
    const auto request = request_of(module, kernel, shape, parameters);
    if (!recording()) return engine_.launch(request);
    LaunchRecord record(ptx, request, buffers_);
    auto report = engine_.launch(request);
    record.end(report);
    return report;
}

namespace {

template <class T>
std::vector<u64> integer_edges() {
    using Limits = std::numeric_limits<T>;
    std::vector<u64> bits;
    for (const T value :
         {T{0}, T{1}, T{2}, T{3}, T{31}, T{32}, T{33}, T{100}, Limits::max(), Limits::min(), T(-1), T(-2)})
        bits.push_back(bits_of(value));
    return bits;
}
template <class T>
std::vector<u64> real_edges() {
    using Limits = std::numeric_limits<T>;
    std::vector<u64> bits;
    for (const T value : {T(0),
                          T(-0.0),
                          T(1),
                          T(-1),
                          T(0.5),
                          T(1.5),
                          T(-2.5),
                          T(3),
                          Limits::max(),
                          Limits::lowest(),
                          Limits::min(),
                          -Limits::min(),
                          Limits::denorm_min(),
                          -Limits::min() / 2,
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          T(1) / 3,
                          T(16777217.0),
                          T(4294967295.0),
                          T(-2147483649.0)})
        bits.push_back(bits_of(value));
    return bits;
}

u32 width_of(std::string_view type) {  // in bits
    return type == "bf16" ? 16 : static_cast<u32>(std::stoul(std::string(type.substr(1))));
}

/// Edge values of a type and some ordinary ones, the same on every run.
std::vector<u64> edges(std::string_view type, std::size_t ordinary) {
    static const std::map<std::string_view, std::vector<u64>> known{
        {"u8", integer_edges<u8>()},
        {"s8", integer_edges<s8>()},
        {"u16", integer_edges<u16>()},
        {"s16", integer_edges<s16>()},
        {"u32", integer_edges<u32>()},
        {"s32", integer_edges<s32>()},
        {"u64", integer_edges<u64>()},
        {"s64", integer_edges<s64>()},
        {"f32", real_edges<f32>()},
        {"f64", real_edges<f64>()},
        // Zeros, ones, infinities, NaN, subnormals, largest, ordinary.
        {"f16",
         {0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x0001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x3555}},
        {"bf16",
         {0x0000, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 0x0001, 0x007F, 0x0080, 0x7F7F, 0xFF7F, 0x4049}}};
    std::vector<u64> values = known.at(type);
    std::mt19937_64 random(20261120);
    std::uniform_real_distribution<f64> fraction(-1, 1);
    const u32 width = width_of(type);
    for (std::size_t i = 0; i < ordinary; ++i) {
        const f64 real = std::ldexp(fraction(random), static_cast<int>(random() % 40) - 20);
        const u64 integer = random() >> (64 - width + static_cast<u32>(i % width));
        values.push_back(type == "f32" ? bits_of(static_cast<f32>(real)) : type == "f64" ? bits_of(real) : integer);
    }
    return values;
}

std::vector<Bits> cross_product(const std::vector<const char*>& types, std::size_t ordinary) {
    std::vector<Bits> rows{{}};
    for (std::size_t i = 0; i < types.size(); ++i) {
        std::vector<Bits> grown;
        for (const Bits& row : rows) {
            for (const u64 bits : edges(types[i], ordinary)) {
                grown.push_back(row);
                grown.back()[i] = bits;
            }
        }
        rows = std::move(grown);
    }
    return rows;
}

/// Of a register that holds the type, and of a load or store of it.
std::string register_type(std::string_view type) {
    return type == "u8" ? "u16" : type == "s8" ? "s16" : type == "f16" || type == "bf16" ? "b16" : std::string(type);
}
std::string memory_type(std::string_view type) {
    return type == "f16" || type == "bf16" ? "b16" : std::string(type);
}

/// Runs a kernel once per row and gives back the results.
std::vector<u64> run_rows(const std::vector<const char*>& types, std::string_view result, std::string_view body,
                          const std::vector<Bits>& rows, simulate::MachineCode machine_code) {
    std::string registers = fmt::format(".reg .{} %d;", register_type(result)), load;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const char name = "abce"[i];
        registers += fmt::format(" .reg .{} %{};", register_type(types[i]), name);
        load += fmt::format("ld.global.{} %{}, [%in+{}];\n", memory_type(types[i]), name, 8 * i);
    }
    const std::string text = module_text(fmt::format(R"(
.visible .entry k(.param .u64 in_, .param .u64 out_, .param .u32 rows_) {{
.reg .u32 %t<4>; .reg .u64 %in, %out; .reg .pred %p, %q, %outside; .reg .b32 %s<8>; .reg .b64 %l<8>; .reg .b16 %h<4>;
{}
mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, %t1, %t2;
ld.param.u32 %t3, [rows_]; setp.ge.u32 %outside, %t0, %t3; @%outside ret;
ld.param.u64 %in, [in_]; ld.param.u64 %out, [out_];
mad.wide.u32 %in, %t0, 32, %in; mad.wide.u32 %out, %t0, 8, %out;
{}{}
st.global.{} [%out], %d;
ret;
}}
)",
                                                     registers, load, body, memory_type(result)));
    PtxRunner runner("GTX 480", {}, machine_code);
    const auto in = runner.allocate(rows);
    const auto out = runner.allocate<u64>(rows.size());
    const Shape shape{.grid = {static_cast<u32>((rows.size() + 127) / 128), 1, 1}, .block = {128, 1, 1}};
    const auto report = runner.run(text, shape, Arguments(in.data(), out.data(), static_cast<u32>(rows.size())));
    if (report.fault) FAIL_CHECK(body << ": " << report.fault->message);
    return {out.begin(), out.end()};
}

}  // namespace

void check_rows(std::string_view body, const std::vector<const char*>& types, const char* result,
                const std::function<u64(const Bits&)>& meaning, const std::function<bool(u64, u64)>& equal,
                std::size_t ordinary) {
    const std::vector<Bits> rows = cross_product(types, ordinary);
    // By handlers, and by machine code where there is any of the instruction.
    for (const auto by : {simulate::MachineCode::none, simulate::MachineCode::all}) {
        std::vector<u64> results;
        try {
            results = run_rows(types, result, body, rows, by);
        } catch (const simulate::PtxError& error) {
            FAIL_CHECK(body << ": " << error.what());
            return;
        }
        std::size_t differ = 0;
        std::string first;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const u64 want = meaning(rows[i]);
            if (equal(results[i], want)) continue;
            if (differ++ == 0)
                first = fmt::format("a = {:#x}, b = {:#x}, c = {:#x}, e = {:#x}: got {:#x}, want {:#x}", rows[i][0],
                                    rows[i][1], rows[i][2], rows[i][3], results[i], want);
        }
        INFO(body << (by == simulate::MachineCode::all ? " as machine code with " : " with ") << first);
        CHECK(differ == 0);
    }
}

}  // namespace gpuproj::test
