#include "collector/simulate/fatbin/elf.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace gpuproj::simulate;

namespace {
std::string file_text(const char* path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
}  // namespace

TEST_CASE("this very program is an ELF file with symbols and needed libraries") {
    const auto text = file_text("/proc/self/exe");
    const auto elf = read_elf(std::as_bytes(std::span(text)));
    REQUIRE_FALSE(elf.problem);
    CHECK(elf.dynamic);
    CHECK(elf.section(".text") != nullptr);
    CHECK(elf.section(".nv_fatbin") == nullptr);
    CHECK(std::count(elf.needed.begin(), elf.needed.end(), "libc.so.6") == 1);
    CHECK(elf.soname.empty());
    const auto symbols = elf.symbols();
    CHECK(std::any_of(symbols.begin(), symbols.end(),
                      [](const ElfSymbol& s) { return s.name == "main" && s.function && s.defined; }));
}

TEST_CASE("what is no program is said so, and damage is survived") {
    CHECK(read_elf({}).problem);
    const std::string script = "#!/bin/sh\nexit 0\n" + std::string(100, '#');
    CHECK(read_elf(std::as_bytes(std::span(script))).problem == "not an ELF file");
    auto text = file_text("/proc/self/exe");
    for (const std::size_t n : {10u, 63u, 64u, 100u, 1000u, 100000u})
        (void)read_elf(std::as_bytes(std::span(text).first(std::min<std::size_t>(n, text.size()))));
    for (std::size_t i = 24; i < 64; ++i) {
        auto bad = text;
        bad[i] = static_cast<char>(bad[i] ^ 0x7F);
        (void)read_elf(std::as_bytes(std::span(bad)));
    }
}

TEST_CASE("names of the CUDA runtime are told from others") {
    CHECK(is_runtime_name("cudaMalloc"));
    CHECK(is_runtime_name("__cudaRegisterFatBinary"));
    CHECK_FALSE(is_runtime_name("cudart"));
    CHECK_FALSE(is_runtime_name("cudaerror"));
    CHECK_FALSE(is_runtime_name("_Z10cudaMallocv"));
}
