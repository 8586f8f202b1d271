#include "collector/simulate/fatbin/fatbin.hpp"

#include <ar.h>
#include <elf.h>
#include <lz4.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "collector/simulate/fatbin/host_object.hpp"

using namespace gpuproj::simulate;

namespace {

using Data = std::vector<std::byte>;

template <class T>
void put(Data& data, T value) {
    const auto at = data.size();
    data.resize(at + sizeof value);
    std::memcpy(data.data() + at, &value, sizeof value);
}

void append(Data& data, const Data& more) {
    const auto at = data.size();
    data.resize(at + more.size());
    if (!more.empty()) std::memcpy(data.data() + at, more.data(), more.size());
}

Data bytes_of(const std::string& text) {
    Data data(text.size());
    std::memcpy(data.data(), text.data(), text.size());
    return data;
}

// One entry as nvcc writes it: payload padded to 8 bytes.
Data entry(std::uint16_t kind, std::uint32_t sm, std::uint64_t flags, Data payload, std::uint64_t uncompressed) {
    const auto compressed = static_cast<std::uint32_t>(payload.size());
    payload.resize((payload.size() + 7) / 8 * 8);
    Data data;
    put(data, kind);
    put(data, std::uint16_t{0x101});
    put(data, std::uint32_t{64});
    put(data, std::uint64_t{payload.size()});
    put(data, flags == 0 ? 0u : compressed);
    put(data, 0u);
    put(data, std::uint16_t{0});
    put(data, std::uint16_t{9});
    put(data, sm);
    put(data, std::uint64_t{0});
    put(data, flags);
    put(data, std::uint64_t{0});
    put(data, flags == 0 ? std::uint64_t{0} : uncompressed);
    append(data, payload);
    return data;
}

Data fatbin(const std::vector<Data>& entries) {
    Data body;
    for (const auto& one : entries) append(body, one);
    Data data;
    put(data, fatbin_magic);
    put(data, std::uint16_t{1});
    put(data, std::uint16_t{16});
    put(data, std::uint64_t{body.size()});
    append(data, body);
    return data;
}

const std::string ptx = ".version 9.0\n.target sm_75\n" + std::string(500, 'x') + "\n";

Data lz4(const std::string& text) {
    Data out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))));
    const int n = LZ4_compress_default(text.data(), reinterpret_cast<char*>(out.data()), static_cast<int>(text.size()),
                                       static_cast<int>(out.size()));
    out.resize(static_cast<std::size_t>(n));
    return out;
}

Data zstd(const std::string& text) {
    Data out(ZSTD_compressBound(text.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

}  // namespace

TEST_CASE("entries of a fat binary are read in order, plain and compressed") {
    const auto data = fatbin({entry(2, 75, 0, bytes_of("machine code"), 0), entry(1, 75, 0, bytes_of(ptx), 0),
                              entry(1, 80, 0x2000, lz4(ptx), ptx.size()), entry(1, 86, 0x8000, zstd(ptx), ptx.size())});
    const auto read = read_fatbin(data);
    CHECK_FALSE(read.problem);
    CHECK(read.bytes == data.size());
    REQUIRE(read.entries.size() == 4);
    CHECK(read.entries[0].kind == FatbinKind::machine_code);
    CHECK(read.entries[1].kind == FatbinKind::ptx);
    CHECK(read.entries[2].target == 80);
    CHECK(read.entries[3].ptx_major == 9);
    for (std::size_t i = 1; i < 4; ++i) {
        const auto text = entry_text(read.entries[i]);
        CHECK_FALSE(text.problem);
        CHECK(text.text == ptx);
    }
}

TEST_CASE("a section holds several fat binaries with padding between") {
    auto section = fatbin({entry(1, 75, 0, bytes_of(ptx), 0)});
    const auto second = fatbin({entry(1, 90, 0x8000, zstd(ptx), ptx.size())});
    section.resize((section.size() + 7) / 8 * 8 + 16);
    append(section, second);
    section.resize(section.size() + 5);
    const auto found = read_fatbin_section(section);
    REQUIRE(found.size() == 2);
    CHECK(found[1].entries.at(0).target == 90);
}

TEST_CASE("damaged fat binaries are described, not followed") {
    CHECK(read_fatbin({}).problem);
    CHECK(read_fatbin(bytes_of("ELF, or whatever else this may be")).problem);
    const auto good = fatbin({entry(1, 75, 0x8000, zstd(ptx), ptx.size()), entry(1, 80, 0x2000, lz4(ptx), ptx.size())});
    for (std::size_t n = 0; n < good.size(); ++n) {
        const Data shorter(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
        CHECK(read_fatbin(shorter).problem);
    }
    auto wrong_size = good;
    wrong_size[16 + 56] = std::byte{1};  // uncompressed size of the first entry
    CHECK(entry_text(read_fatbin(wrong_size).entries.at(0)).problem);
    auto huge = good;
    for (int i = 0; i < 8; ++i) huge[16 + 8 + static_cast<std::size_t>(i)] = std::byte{0xFF};  // payload size
    CHECK(read_fatbin(huge).problem);
}

TEST_CASE("flipped bits neither crash nor hang the reader") {
    const auto good = fatbin({entry(1, 75, 0x8000, zstd(ptx), ptx.size()), entry(1, 80, 0x2000, lz4(ptx), ptx.size())});
    std::mt19937 random(1);
    std::size_t read_back = 0;
    for (int round = 0; round < 20000; ++round) {
        auto bad = good;
        for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips)
            bad[random() % bad.size()] ^= static_cast<std::byte>(1u << (random() % 8));
        for (const auto& one : read_fatbin_section(bad))
            for (const auto& e : one.entries) read_back += entry_text(e).text.size() <= ptx.size() ? 1 : 0;
    }
    CHECK(read_back > 0);
}

namespace {

// An ELF file whose section __nv_relfatbin is `content`.
Data host_object(const Data& content) {
    const std::string names("\0.shstrtab\0__nv_relfatbin\0", 26);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = EM_X86_64;
    header.e_type = ET_REL;
    header.e_shoff = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 3;
    header.e_shstrndx = 1;
    Elf64_Shdr strings{}, code{};
    strings.sh_name = 1;
    strings.sh_type = SHT_STRTAB;
    strings.sh_offset = sizeof header + 3 * sizeof(Elf64_Shdr);
    strings.sh_size = names.size();
    code.sh_name = 11;
    code.sh_type = SHT_PROGBITS;
    code.sh_offset = strings.sh_offset + names.size();
    code.sh_size = content.size();
    Data data;
    put(data, header);
    put(data, Elf64_Shdr{});
    put(data, strings);
    put(data, code);
    append(data, bytes_of(names));
    append(data, content);
    return data;
}

Data archive_of(const std::vector<Data>& members) {
    Data data = bytes_of(std::string(ARMAG, SARMAG));
    for (const auto& member : members) {
        auto header = std::string(48, ' ') + std::to_string(member.size());
        header.resize(58, ' ');
        append(data, bytes_of(header + "`\n"));
        append(data, member);
        if (member.size() % 2 != 0) append(data, bytes_of("\n"));
    }
    return data;
}

}  // namespace

TEST_CASE("relocatable code is found in objects of the host's and in archives of them, and damage is survived") {
    const auto object = host_object(fatbin({entry(1, 75, 0, bytes_of(ptx), 0)}));
    const auto one = relocatable_fatbins(object);
    REQUIRE(one.size() == 1);
    REQUIRE(one[0].entries.size() == 1);
    CHECK(entry_text(one[0].entries[0]).text == ptx);
    const auto archive = archive_of({bytes_of("odd"), object, bytes_of("even"), object});
    CHECK(relocatable_fatbins(archive).size() == 2);
    CHECK(relocatable_fatbins({}).empty());
    CHECK(relocatable_fatbins(bytes_of("!<arch>\n")).empty());
    for (std::size_t n = 0; n < archive.size(); n += 7)
        CHECK(relocatable_fatbins(std::span(archive).first(n)).size() <= 2);
    auto bad = archive;
    for (std::size_t at = SARMAG; at < SARMAG + sizeof(ar_hdr); ++at) {
        bad[at] ^= std::byte{0x7F};
        CHECK(relocatable_fatbins(bad).size() <= 2);
    }
}
