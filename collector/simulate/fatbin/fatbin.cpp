#include "collector/simulate/fatbin/fatbin.hpp"

#include <cstring>

namespace gpuproj::simulate {

namespace {

constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;

struct Header {
    std::uint32_t magic;
    std::uint16_t version, header_bytes;
    std::uint64_t size;
};
static_assert(sizeof(Header) == fatbin_header_bytes);

struct EntryHeader {
    std::uint16_t kind, version;
    std::uint32_t header_bytes;
    std::uint64_t payload_bytes;
    std::uint32_t compressed_bytes, unknown1;
    std::uint16_t minor, major;
    std::uint32_t sm, unknown2, unknown3;
    std::uint64_t flags, unknown4, uncompressed_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

// Fat binaries of relocatable objects need not be aligned in memory.
template <class T>
T load(std::span<const std::byte> data) {
    T value;
    std::memcpy(&value, data.data(), sizeof value);
    return value;
}

FatbinEntry decode(const EntryHeader& header, std::span<const std::byte> payload) {
    FatbinEntry entry;
    entry.kind = header.kind == 1 ? FatbinKind::ptx : header.kind == 2 ? FatbinKind::machine_code : FatbinKind::other;
    entry.target = static_cast<int>(header.sm & 0xFFFF);
    entry.ptx_major = header.major;
    entry.ptx_minor = header.minor;
    entry.compression = (header.flags & flag_zstd) != 0  ? Compression::zstd
                        : (header.flags & flag_lz4) != 0 ? Compression::lz4
                                                         : Compression::none;
    entry.uncompressed_bytes = entry.compression == Compression::none ? payload.size() : header.uncompressed_bytes;
    // The payload is padded; a compressed one says how long it is.
    if (entry.compression != Compression::none && header.compressed_bytes < payload.size())
        payload = payload.first(header.compressed_bytes);
    entry.payload = payload;
    return entry;
}

}  // namespace

std::optional<std::uint64_t> fatbin_bytes(std::span<const std::byte, fatbin_header_bytes> header) {
    const auto head = load<Header>(header);
    if (head.magic != fatbin_magic || head.header_bytes < sizeof(Header)) return std::nullopt;
    if (head.size > UINT64_MAX - head.header_bytes) return std::nullopt;
    return head.size + head.header_bytes;
}

Fatbin read_fatbin(std::span<const std::byte> data) {
    Fatbin result;
    if (data.size() < sizeof(Header)) {
        result.problem = "shorter than a fat binary's header";
        return result;
    }
    const auto bytes = fatbin_bytes(data.first<fatbin_header_bytes>());
    if (!bytes) {
        result.problem = "not a fat binary";
        return result;
    }
    if (*bytes > data.size()) {
        result.problem = "truncated fat binary";
        return result;
    }
    result.bytes = *bytes;
    auto rest = data.first(*bytes).subspan(load<Header>(data).header_bytes);
    while (rest.size() >= sizeof(EntryHeader)) {
        const auto header = load<EntryHeader>(rest);
        if (header.header_bytes < sizeof(EntryHeader) || header.header_bytes > rest.size() ||
            header.payload_bytes > rest.size() - header.header_bytes) {
            result.problem = "damaged entry in a fat binary";
            return result;
        }
        result.entries.push_back(decode(header, rest.subspan(header.header_bytes, header.payload_bytes)));
        rest = rest.subspan(header.header_bytes + header.payload_bytes);
    }
    return result;
}

std::vector<Fatbin> read_fatbin_section(std::span<const std::byte> section) {
    std::vector<Fatbin> found;
    constexpr std::size_t alignment = 8;
    while (section.size() >= sizeof(Header)) {
        std::size_t step = alignment;
        if (load<std::uint32_t>(section) == fatbin_magic) {
            found.push_back(read_fatbin(section));
            if (found.back().bytes > 0) step = (found.back().bytes + alignment - 1) / alignment * alignment;
        }
        section = section.subspan(step < section.size() ? step : section.size());
    }
    return found;
}

}  // namespace gpuproj::simulate
