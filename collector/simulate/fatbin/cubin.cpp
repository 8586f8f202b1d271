#include "collector/simulate/fatbin/cubin.hpp"

#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <optional>

namespace gpuproj::simulate {

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint16_t machine_cuda = 190;  // EM_CUDA
// An attribute: {u8 format, u8 which, u16 value or bytes that follow}. Of registers: {u32 symbol, u32 count} follow.
constexpr std::uint8_t format_bytes = 4, attribute_registers = 0x2F;

Bytes part(Bytes file, std::uint64_t offset, std::uint64_t size) {
    if (offset > file.size() || size > file.size() - offset) return {};
    return file.subspan(offset, size);
}
template <class T>
std::optional<T> load(Bytes data, std::uint64_t offset = 0) {
    const Bytes found = part(data, offset, sizeof(T));
    if (found.empty()) return std::nullopt;
    T value;
    std::memcpy(&value, found.data(), sizeof(T));
    return value;
}
std::string text_at(Bytes strings, std::uint64_t offset) {
    if (offset >= strings.size()) return {};
    const auto* begin = reinterpret_cast<const char*>(strings.data()) + offset;
    return {begin, strnlen(begin, strings.size() - offset)};
}

struct Sections {
    Bytes info, symbols, names;
};
Sections sections_of(Bytes file) {
    Sections found;
    const auto header = load<Elf64_Ehdr>(file);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != machine_cuda)
        return found;
    const auto section = [&](std::uint64_t i) {
        return load<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    };
    const auto content = [&](const Elf64_Shdr& s) {
        return s.sh_type == SHT_NOBITS ? Bytes{} : part(file, s.sh_offset, s.sh_size);
    };
    const auto strings = section(header->e_shstrndx);
    if (!strings || header->e_shoff > file.size()) return found;
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
        const auto s = section(i);
        if (!s) break;
        if (text_at(content(*strings), s->sh_name) == ".nv.info") found.info = content(*s);
        if (s->sh_type != SHT_SYMTAB) continue;
        found.symbols = content(*s);
        if (const auto names = section(s->sh_link)) found.names = content(*names);
    }
    return found;
}

}  // namespace

std::map<std::string, std::uint32_t> registers_of(Bytes cubin) {
    std::map<std::string, std::uint32_t> registers;
    const Sections sections = sections_of(cubin);
    for (std::uint64_t at = 0; at + 4 <= sections.info.size();) {
        const auto format = load<std::uint8_t>(sections.info, at), which = load<std::uint8_t>(sections.info, at + 1);
        const auto bytes = load<std::uint16_t>(sections.info, at + 2);
        at += 4;
        if (*format != format_bytes) continue;
        const auto symbol = load<std::uint32_t>(sections.info, at), count = load<std::uint32_t>(sections.info, at + 4);
        at += *bytes;
        if (*which != attribute_registers || *bytes < 8 || !symbol || !count) continue;
        const auto entry = load<Elf64_Sym>(sections.symbols, std::uint64_t{*symbol} * sizeof(Elf64_Sym));
        if (!entry) continue;
        if (std::string name = text_at(sections.names, entry->st_name); !name.empty())
            registers[std::move(name)] = *count;
    }
    return registers;
}

std::map<std::string, std::uint32_t> registers_of(const FatbinEntry& entry) {
    if (entry.kind != FatbinKind::machine_code) return {};
    EntryText unpacked = entry_text(entry);
    if (unpacked.problem) return {};
    // Zeros at the end were taken for padding.
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    if (entry.uncompressed_bytes > unpacked.text.size() && entry.uncompressed_bytes < most)
        unpacked.text.resize(entry.uncompressed_bytes, '\0');
    return registers_of(std::as_bytes(std::span(unpacked.text)));
}

bool tells_of(int machine_code, int capability) {
    constexpr int nearness = 20;
    return std::abs(machine_code - capability) <= nearness;
}

}  // namespace gpuproj::simulate
