#include "collector/simulate/fatbin/cubin.hpp"

#include <cstdlib>
#include <cstring>
#include <optional>

#include "collector/simulate/fatbin/elf.hpp"

namespace gpuproj::simulate {

namespace {

using Bytes = std::span<const std::byte>;

// Of an attribute of format_bytes as many follow as its value says; of registers {u32 symbol, u32 count}.
struct Attribute {
    std::uint8_t format, which;
    std::uint16_t value;
};
constexpr std::uint8_t format_bytes = 4, attribute_registers = 0x2F;

template <class T>
std::optional<T> load(Bytes data, std::uint64_t offset) {
    if (offset > data.size() || sizeof(T) > data.size() - offset) return std::nullopt;
    T value;
    std::memcpy(&value, data.data() + offset, sizeof(T));
    return value;
}

}  // namespace

std::map<std::string, std::uint32_t> registers_of(Bytes cubin) {
    std::map<std::string, std::uint32_t> registers;
    const ElfFile file = read_cubin(cubin);
    const ElfSection* const section = file.section(".nv.info");
    const Bytes info = section != nullptr ? section->data : Bytes{};
    for (std::uint64_t at = 0;;) {
        const auto attribute = load<Attribute>(info, at);
        if (!attribute) break;
        at += sizeof(Attribute);
        if (attribute->format != format_bytes) continue;
        const auto symbol = load<std::uint32_t>(info, at), count = load<std::uint32_t>(info, at + 4);
        at += attribute->value;
        if (attribute->which != attribute_registers || attribute->value < 8 || !symbol || !count) continue;
        if (const auto name = file.symbol_table.name(*symbol); !name.empty()) registers[std::string(name)] = *count;
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

}  // namespace gpuproj::simulate
