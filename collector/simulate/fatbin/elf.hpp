// As much of an ELF file as tells how a program uses CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj::simulate {

struct ElfSection {
    std::string_view name;
    std::span<const std::byte> data;
};

struct ElfSymbol {
    std::string_view name;
    std::uint64_t address = 0, bytes = 0;
    bool function = false, defined = false, hidden = false;
};

/// Views into the bytes that were read. `problem` is set if the file is none of the kind that was asked for; the rest
/// is then empty.
struct ElfFile {
    std::optional<std::string> problem;
    bool dynamic = false;           // has a dynamic section: the loader, and so a preloaded library, takes part
    bool has_symbol_table = false;  // .symtab: not stripped
    std::vector<ElfSection> sections;
    std::vector<std::string_view> needed;  // DT_NEEDED
    std::string_view soname;               // DT_SONAME, empty if there is none

    /// nullptr if there is none.
    const ElfSection* section(std::string_view name) const;
    std::vector<ElfSymbol> symbols() const;          // of .symtab
    std::vector<ElfSymbol> dynamic_symbols() const;  // of .dynsym

    struct SymbolTable {
        std::span<const std::byte> symbols, names;
        std::string_view name(std::uint64_t index) const;  // empty where there is none
    };
    SymbolTable symbol_table, dynamic_symbol_table;  // raw
};

/// A program or a shared library. Never throws for bad input, never reads outside.
ElfFile read_elf(std::span<const std::byte> file);

/// The same, and objects that are not linked yet.
ElfFile read_elf_or_object(std::span<const std::byte> file);

/// The same of machine code for a GPU of NVIDIA's: its sections and symbols.
ElfFile read_cubin(std::span<const std::byte> file);

/// True for `cudaMalloc`, `__cudaRegisterVar` and the like.
bool is_runtime_name(std::string_view name);

}  // namespace gpuproj::simulate
