#include "collector/simulate/fatbin/host_object.hpp"

#include <ar.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "collector/simulate/fatbin/elf.hpp"

namespace gpuproj::simulate {

namespace {

using Bytes = std::span<const std::byte>;

void add_fatbins(std::vector<Fatbin>& all, Bytes file) {
    const ElfFile elf = read_elf_or_object(file);
    for (const auto& section : elf.sections)
        if (section.name == "__nv_relfatbin")
            for (auto& fatbin : read_fatbin_section(section.data)) all.push_back(std::move(fatbin));
}

// Bytes of a member, as its header says in decimal; nullopt for what is no header.
std::optional<std::size_t> member_bytes(const ar_hdr& header) {
    if (std::memcmp(header.ar_fmag, ARFMAG, sizeof header.ar_fmag) != 0) return std::nullopt;
    std::size_t bytes = 0;
    const char* const end = std::end(header.ar_size);
    return std::from_chars(header.ar_size, end, bytes).ec == std::errc() ? std::optional(bytes) : std::nullopt;
}

}  // namespace

std::vector<Fatbin> relocatable_fatbins(Bytes file) {
    std::vector<Fatbin> all;
    const std::string_view magic(ARMAG, SARMAG);
    if (file.size() < magic.size() || std::memcmp(file.data(), magic.data(), magic.size()) != 0) {
        add_fatbins(all, file);
        return all;
    }
    Bytes rest = file.subspan(magic.size());
    while (rest.size() >= sizeof(ar_hdr)) {
        ar_hdr header;
        std::memcpy(&header, rest.data(), sizeof header);
        rest = rest.subspan(sizeof header);
        const auto bytes = member_bytes(header);
        if (!bytes || *bytes > rest.size()) break;
        add_fatbins(all, rest.first(*bytes));
        rest = rest.subspan(std::min(rest.size(), *bytes + *bytes % 2));  // members begin at even places
    }
    return all;
}

}  // namespace gpuproj::simulate
