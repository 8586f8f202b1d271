// Registers per thread out of machine code: a file of NVIDIA's put together here, and damage to it.
#include "collector/simulate/fatbin/cubin.hpp"

#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

using namespace gpuproj::simulate;

namespace {

using Data = std::vector<std::byte>;

template <class T>
std::size_t put(Data& data, const T& value) {
    const std::size_t at = data.size();
    data.resize(at + sizeof(T));
    std::memcpy(data.data() + at, &value, sizeof(T));
    return at;
}
std::size_t put_text(Data& data, std::string_view text) {
    const std::size_t at = data.size();
    for (const char c : text) data.push_back(static_cast<std::byte>(c));
    return at;
}

/// Two kernels of 40 and 168 registers, the first of which may have 64, and what else an .nv.info may hold.
Data cubin() {
    constexpr std::string_view names("\0.nv.info\0.symtab\0.strtab\0.nv.info.first\0.nv.info.second\0", 58),
        symbols("\0first\0second\0", 14);
    Data data;
    put(data, Elf64_Ehdr{});
    const std::size_t names_at = put_text(data, names), strings_at = put_text(data, symbols);
    const std::size_t table_at = data.size();
    for (const std::uint32_t name : {0U, 1U, 7U}) put(data, Elf64_Sym{name, 0, 0, 0, 0, 0});
    const std::size_t info_at = data.size();
    const auto attribute = [&](std::uint8_t format, std::uint8_t which, std::uint16_t value) {
        put(data, format);
        put(data, which);
        put(data, value);
    };
    const auto word = [&](std::uint32_t value) { put(data, value); };
    attribute(3, 0x1B, 0xFF);  // two bytes that are in the head
    attribute(4, 0x11, 8);     // frame size: the same form, another meaning
    word(1);
    word(999);
    attribute(4, 0x2F, 8);
    word(1);
    word(40);
    attribute(4, 0x2F, 8);
    word(2);
    word(168);
    const std::size_t info_end = data.size();
    attribute(4, 0x1B, 4);  // another form
    word(20);
    attribute(3, 0x1B, 64);
    const std::size_t first_end = data.size();
    attribute(3, 0x1B, 0xFF);  // no bound
    const std::size_t sections_at = data.size();
    const auto section = [&](std::uint32_t name, std::uint32_t type, std::size_t at, std::size_t bytes,
                             std::uint32_t link) {
        Elf64_Shdr header{};
        header.sh_name = name;
        header.sh_type = type;
        header.sh_offset = at;
        header.sh_size = bytes;
        header.sh_link = link;
        put(data, header);
    };
    section(0, SHT_NULL, 0, 0, 0);
    section(18, SHT_STRTAB, strings_at, symbols.size(), 0);
    section(10, SHT_SYMTAB, table_at, 3 * sizeof(Elf64_Sym), 1);
    section(1, 0x70000000, info_at, info_end - info_at, 2);
    section(18, SHT_STRTAB, names_at, names.size(), 0);
    section(26, 0x70000000, info_end, first_end - info_end, 2);
    section(41, 0x70000000, first_end, sections_at - first_end, 2);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_machine = 190;
    header.e_shoff = sections_at;
    header.e_shnum = 7;
    header.e_shstrndx = 4;
    std::memcpy(data.data(), &header, sizeof(header));
    return data;
}

}  // namespace

TEST_CASE("machine code says how many registers its kernels have") {
    const auto registers = registers_of(cubin());
    CHECK(registers == gpuproj::RegistersByKernel{{"first", {40, 64}}, {"second", {168, std::nullopt}}});
    FatbinEntry entry;
    const Data data = cubin();
    entry.payload = data;
    entry.uncompressed_bytes = data.size();
    CHECK(registers_of(entry).empty());  // PTX and other things are not looked into
    entry.kind = FatbinKind::machine_code;
    CHECK(registers_of(entry) == registers);
}

TEST_CASE("damaged machine code is survived") {
    const Data whole = cubin();
    CHECK(registers_of(Data{}).empty());
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        const Data cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
        CHECK(registers_of(cut).size() <= 2);
    }
    Data other = whole;
    other[18] = std::byte{62};  // x86-64
    CHECK(registers_of(other).empty());
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        Data flipped = whole;
        for (int flips = 0; flips < 3; ++flips)
            flipped[random() % flipped.size()] ^= static_cast<std::byte>(1U << random() % 8);
        registers_of(flipped);
    }
}
