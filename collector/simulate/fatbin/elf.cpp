#include "collector/simulate/fatbin/elf.hpp"

#include <elf.h>

#include <cstring>

namespace gpuproj::simulate {

namespace {

using Bytes = std::span<const std::byte>;

// The part [offset, offset + size) of `file`, or nothing.
std::optional<Bytes> part(Bytes file, std::uint64_t offset, std::uint64_t size) {
    if (offset > file.size() || size > file.size() - offset) return std::nullopt;
    return file.subspan(offset, size);
}

// Copies the elements out: nothing says that tables are aligned in a damaged file.
template <class T>
std::vector<T> table(Bytes data) {
    std::vector<T> elements(data.size() / sizeof(T));
    if (!elements.empty()) std::memcpy(elements.data(), data.data(), elements.size() * sizeof(T));
    return elements;
}

std::string_view text_at(Bytes strings, std::uint64_t offset) {
    if (offset >= strings.size()) return {};
    const auto* begin = reinterpret_cast<const char*>(strings.data()) + offset;
    return {begin, strnlen(begin, strings.size() - offset)};
}

std::vector<ElfSymbol> symbols_of(const ElfFile::SymbolTable& raw_table) {
    std::vector<ElfSymbol> symbols;
    for (const auto& raw : table<Elf64_Sym>(raw_table.symbols)) {
        const auto name = text_at(raw_table.names, raw.st_name);
        if (name.empty()) continue;
        symbols.push_back({.name = name,
                           .address = raw.st_value,
                           .bytes = raw.st_size,
                           .function = ELF64_ST_TYPE(raw.st_info) == STT_FUNC,
                           .defined = raw.st_shndx != SHN_UNDEF,
                           .hidden = ELF64_ST_VISIBILITY(raw.st_other) == STV_HIDDEN});
    }
    return symbols;
}

}  // namespace

const ElfSection* ElfFile::section(std::string_view name) const {
    for (const auto& candidate : sections)
        if (candidate.name == name) return &candidate;
    return nullptr;
}

std::vector<ElfSymbol> ElfFile::symbols() const {
    return symbols_of(symbol_table);
}

std::vector<ElfSymbol> ElfFile::dynamic_symbols() const {
    return symbols_of(dynamic_symbol_table);
}

std::string_view ElfFile::SymbolTable::name(std::uint64_t index) const {
    const auto raw = part(symbols, index * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
    return raw ? text_at(names, table<Elf64_Sym>(*raw)[0].st_name) : std::string_view{};
}

namespace {

std::optional<Elf64_Ehdr> header_of(Bytes file) {
    const auto raw = part(file, 0, sizeof(Elf64_Ehdr));
    if (!raw) return std::nullopt;
    const auto header = table<Elf64_Ehdr>(*raw)[0];
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 ? std::optional(header) : std::nullopt;
}

void read_sections(ElfFile& result, Bytes file, const Elf64_Ehdr& header) {
    const auto raw = part(file, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
    if (!raw) return;  // without section headers there is nothing else to see
    const auto sections = table<Elf64_Shdr>(*raw);
    const auto content = [&](const Elf64_Shdr& section) {
        if (section.sh_type == SHT_NOBITS) return Bytes{};
        return part(file, section.sh_offset, section.sh_size).value_or(Bytes{});
    };
    const auto strings_of = [&](const Elf64_Shdr& section) {
        return section.sh_link < sections.size() ? content(sections[section.sh_link]) : Bytes{};
    };
    const Bytes names = header.e_shstrndx < sections.size() ? content(sections[header.e_shstrndx]) : Bytes{};
    for (const auto& section : sections) {
        const Bytes data = content(section);
        result.sections.push_back({text_at(names, section.sh_name), data});
        if (section.sh_type == SHT_SYMTAB) {
            result.has_symbol_table = true;
            result.symbol_table = {data, strings_of(section)};
        }
        if (section.sh_type == SHT_DYNSYM) result.dynamic_symbol_table = {data, strings_of(section)};
        if (section.sh_type == SHT_DYNAMIC)
            for (const auto& tag : table<Elf64_Dyn>(data)) {
                const auto name = text_at(strings_of(section), tag.d_un.d_val);
                if (tag.d_tag == DT_NEEDED) result.needed.push_back(name);
                if (tag.d_tag == DT_SONAME) result.soname = name;
            }
    }
}

ElfFile read_host_file(Bytes file, bool with_objects) {
    ElfFile result;
    const auto header = header_of(file);
    if (!header) {
        result.problem = "not an ELF file";
        return result;
    }
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64) {
        result.problem = "not a program for x86-64";
        return result;
    }
    const bool is_wanted =
        header->e_type == ET_EXEC || header->e_type == ET_DYN || (with_objects && header->e_type == ET_REL);
    if (!is_wanted) {
        result.problem = "neither a program nor a shared library";
        return result;
    }
    if (const auto raw = part(file, header->e_phoff, std::uint64_t{header->e_phnum} * sizeof(Elf64_Phdr)))
        for (const auto& segment : table<Elf64_Phdr>(*raw)) result.dynamic |= segment.p_type == PT_DYNAMIC;
    read_sections(result, file, *header);
    return result;
}

}  // namespace

ElfFile read_elf(Bytes file) {
    return read_host_file(file, false);
}

ElfFile read_elf_or_object(Bytes file) {
    return read_host_file(file, true);
}

ElfFile read_cubin(Bytes file) {
    ElfFile result;
    const auto header = header_of(file);
    if (header && header->e_machine == EM_CUDA)
        read_sections(result, file, *header);
    else
        result.problem = "not machine code for a GPU of NVIDIA's";
    return result;
}

bool is_runtime_name(std::string_view name) {
    if (name.starts_with("__")) name.remove_prefix(2);
    return name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z';
}

}  // namespace gpuproj::simulate
