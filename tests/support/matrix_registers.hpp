// Products of matrices by mma: what the lanes' registers have of them, and one warp that multiplies.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/matrices.hpp"
#include "tests/support/ptx_runner.hpp"

namespace gpuproj::test {

/// What every lane gives or gets: `count` registers of `bytes`, from the elements in them.
template <class Where>
std::vector<std::byte> fragments(const Matrix& matrix, std::string_view type, Where&& where) {
    const u32 each = static_cast<u32>(matrix.values.size()) / 32, width = width_of(type);
    std::vector<std::byte> memory(std::size_t{32} * each * width / 8);
    for (u32 lane = 0; lane < 32; ++lane) {
        for (u32 i = 0; i < each; ++i) {
            const At at = where(lane, i);
            const std::size_t bit = (std::size_t{lane} * each + i) * width;
            const u64 bits = encoded(type, matrix.at(at.row, at.col)) << bit % 8;
            for (std::size_t byte = 0; byte < std::max(1U, width / 8); ++byte)
                memory[bit / 8 + byte] |= static_cast<std::byte>(bits >> 8 * byte);
        }
    }
    return memory;
}

/// Lines that load `total` bytes per lane into registers of 4 or 8, and their names in braces.
struct Registers {
    std::string lines, names;
};
inline Registers registers(char name, const char* memory, std::size_t total, bool wide, bool load) {
    const std::size_t bytes = wide ? 8 : 4;
    Registers text;
    text.lines = fmt::format("mad.wide.u32 %at, %tid, {}, %{};\n", total, memory);
    for (std::size_t i = 0; i < total / bytes; ++i) {
        text.names += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
        text.lines += load ? fmt::format("ld.global.b{} %{}{}, [%at+{}];\n", 8 * bytes, name, i, i * bytes)
                           : fmt::format("st.global.b{} [%at+{}], %{}{};\n", 8 * bytes, i * bytes, name, i);
    }
    return text;
}

/// An instruction of the form `name d, a, b, c further;`, and what each lane has in its registers.
struct Product {
    std::string name;
    std::vector<std::byte> a, b, c;
    std::vector<std::vector<u32>> words{};  // of each lane, in %w0, %w1, ...
    std::string further{};

    /// What the lanes have in d; a fault fails the test.
    std::vector<std::byte> run() const {
        PtxRunner runner;
        const auto in_a = runner.allocate(a), in_b = runner.allocate(b), in_c = runner.allocate(c);
        std::vector<u32> all_words(words.empty() ? 1 : 0);
        std::string loads;
        for (const auto& of_lanes : words) {
            loads += fmt::format("ld.global.b32 %w{}, [%at+{}];\n", all_words.size() / 32, 4 * all_words.size());
            all_words.insert(all_words.end(), of_lanes.begin(), of_lanes.end());
        }
        const auto in_words = runner.allocate(all_words);
        const auto out = runner.allocate<std::byte>(in_c.size());
        const bool wide = name.find("f64") != std::string::npos;
        const Registers ra = registers('a', "pa", in_a.size() / 32, wide, true),
                        rb = registers('b', "pb", in_b.size() / 32, wide, true),
                        rc = registers('c', "pc", in_c.size() / 32, wide, true),
                        rd = registers('d', "pd", out.size() / 32, wide, false);
        const auto report =
            runner.run(module_text(fmt::format(R"(
.visible .entry k(.param .u64 a_, .param .u64 b_, .param .u64 c_, .param .u64 w_, .param .u64 d_) {{
.reg .b{} %a<8>, %b<8>, %c<8>, %d<8>; .reg .b64 %pa, %pb, %pc, %pd, %pw, %at; .reg .b32 %tid, %w<4>;
ld.param.u64 %pa, [a_]; ld.param.u64 %pb, [b_]; ld.param.u64 %pc, [c_]; ld.param.u64 %pw, [w_]; ld.param.u64 %pd, [d_];
mov.u32 %tid, %tid.x;
{}{}{}mad.wide.u32 %at, %tid, 4, %pw;
{}{} {{{}}}, {{{}}}, {{{}}}, {{{}}}{};
{}ret;
}}
)",
                                               wide ? 64 : 32, ra.lines, rb.lines, rc.lines, loads, name, rd.names,
                                               ra.names, rb.names, rc.names, further, rd.lines)),
                       {}, Arguments(in_a.data(), in_b.data(), in_c.data(), in_words.data(), out.data()));
        INFO(name << ": " << (report.fault ? report.fault->message : ""));
        REQUIRE_FALSE(report.fault);
        return {out.data(), out.data() + out.size()};
    }
};

/// Element `index` of all that lanes have, one after the other.
inline f64 value_at(const std::vector<std::byte>& registers, std::string_view type, std::size_t index) {
    u64 bits = 0;
    std::memcpy(&bits, registers.data() + index * bytes_of(type), bytes_of(type));
    return decoded(type, bits);
}

/// Checks d as the ISA draws it for all shapes but m8n8k4 of halves.
inline void require_product(const std::vector<std::byte>& d, std::string_view type, const Matrix& want) {
    const u32 each = want.rows * want.cols / 32;
    for (u32 lane = 0; lane < 32; ++lane) {
        for (u32 i = 0; i < each; ++i) {
            const At at = of_c(lane, i);
            CAPTURE(lane, i);
            REQUIRE(value_at(d, type, std::size_t{lane} * each + i) == want.at(at.row, at.col));
        }
    }
}

}  // namespace gpuproj::test
