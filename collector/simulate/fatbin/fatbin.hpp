// CUDA fat binaries: the container nvcc embeds in a program, with PTX and machine code for several targets.
// Layout (research on nvcc 11 to 13 output): header {u32 magic 0xBA55ED50, u16 version, u16 header bytes, u64 size of
// what follows}, then entries {u16 kind, u16 version, u32 header bytes, u64 payload bytes, u32 compressed bytes, u32,
// u16 minor, u16 major, u32 sm, u32, u32, u64 flags, u64, u64 uncompressed bytes} with their payloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpuproj::simulate {

inline constexpr std::uint32_t fatbin_magic = 0xBA55ED50;
inline constexpr std::uint32_t fatbin_wrapper_magic = 0x466243B1;
inline constexpr std::size_t fatbin_header_bytes = 16;

enum class FatbinKind : std::uint8_t { ptx, machine_code, other };
enum class Compression : std::uint8_t { none, lz4, zstd };

/// One entry. `payload` points into what was read.
struct FatbinEntry {
    FatbinKind kind = FatbinKind::other;
    Compression compression = Compression::none;
    int target = 0;                    // 80 for sm_80 and compute_80
    int ptx_major = 0, ptx_minor = 0;  // PTX ISA version, of PTX entries
    std::uint64_t uncompressed_bytes = 0;
    std::span<const std::byte> payload;
};

/// What could be read of one fat binary: entries up to the first damaged one, and what is wrong with that.
struct Fatbin {
    std::vector<FatbinEntry> entries;
    std::uint64_t bytes = 0;  // the whole, header included; 0 if not even the header was right
    std::optional<std::string> problem;
};

/// Reads the fat binary at the start of `data`. Never throws for bad input, never reads outside.
Fatbin read_fatbin(std::span<const std::byte> data);

/// Bytes of the fat binary whose 16-byte header is at `header`; nullopt if that is no such header.
std::optional<std::uint64_t> fatbin_bytes(std::span<const std::byte, fatbin_header_bytes> header);

/// All fat binaries of a section (.nv_fatbin, __nv_relfatbin), skipping the padding between them.
std::vector<Fatbin> read_fatbin_section(std::span<const std::byte> section);

/// Text of an entry, decompressed, without trailing zeros; or the reason why not.
struct EntryText {
    std::string text;
    std::optional<std::string> problem;
};
EntryText entry_text(const FatbinEntry& entry);

}  // namespace gpuproj::simulate
