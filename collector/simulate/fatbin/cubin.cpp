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
constexpr std::uint8_t format_value = 3, format_bytes = 4;
constexpr std::uint8_t attribute_most_registers = 0x1B, attribute_registers = 0x2F;
constexpr std::uint16_t no_bound = 255;

template <class T>
std::optional<T> load(Bytes data, std::uint64_t offset) {
    if (offset > data.size() || sizeof(T) > data.size() - offset) return std::nullopt;
    T value;
    std::memcpy(&value, data.data() + offset, sizeof(T));
    return value;
}

// Calls visit(attribute, what follows it) for each.
template <class Visit>
void for_attributes(Bytes info, const Visit& visit) {
    for (std::uint64_t at = 0;;) {
        const auto attribute = load<Attribute>(info, at);
        if (!attribute) return;
        at += sizeof(Attribute);
        const std::uint64_t follow = attribute->format == format_bytes ? attribute->value : 0;
        if (follow > info.size() - at) return;
        visit(*attribute, info.subspan(at, follow));
        at += follow;
    }
}

}  // namespace

RegistersByKernel registers_of(Bytes cubin) {
    constexpr std::string_view section_of_all = ".nv.info", section_of_one = ".nv.info.";
    RegistersByKernel registers;
    const ElfFile file = read_cubin(cubin);
    const ElfSection* const section = file.section(section_of_all);
    for_attributes(section != nullptr ? section->data : Bytes{}, [&](const Attribute& attribute, Bytes data) {
        const auto symbol = load<std::uint32_t>(data, 0), count = load<std::uint32_t>(data, 4);
        if (attribute.which != attribute_registers || !symbol || !count) return;
        if (const auto name = file.symbol_table.name(*symbol); !name.empty())
            registers[std::string(name)].taken = *count;
    });
    for (const ElfSection& own : file.sections) {
        if (!own.name.starts_with(section_of_one)) continue;
        const auto kernel = registers.find(std::string(own.name.substr(section_of_one.size())));
        if (kernel == registers.end()) continue;
        for_attributes(own.data, [&](const Attribute& attribute, Bytes) {
            if (attribute.format == format_value && attribute.which == attribute_most_registers &&
                attribute.value < no_bound)
                kernel->second.most = attribute.value;
        });
    }
    return registers;
}

RegistersByKernel registers_of(const FatbinEntry& entry) {
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
