#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <memory>

#include "collector/simulate/fatbin/fatbin.hpp"

namespace gpuproj::simulate {

namespace {

constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 30;  // more is damage, not a program
constexpr std::uint64_t most_lz4_ratio = 255;                      // by the format

EntryText problem(std::string why) {
    return {{}, std::move(why)};
}

EntryText unpack_lz4(const FatbinEntry& entry) {
    if (entry.uncompressed_bytes > most_text_bytes || entry.payload.size() > INT_MAX ||
        entry.uncompressed_bytes > most_lz4_ratio * (entry.payload.size() + 1))
        return problem("implausible size of LZ4 data in a fat binary");
    EntryText result;
    result.text.resize(entry.uncompressed_bytes);
    const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(entry.payload.data()), result.text.data(),
                                        static_cast<int>(entry.payload.size()), static_cast<int>(result.text.size()));
    if (got < 0 || static_cast<std::uint64_t>(got) != entry.uncompressed_bytes)
        return problem("damaged LZ4 data in a fat binary");
    return result;
}

// In pieces: the size in the header is not to be trusted with an allocation.
EntryText unpack_zstd(const FatbinEntry& entry) {
    constexpr std::size_t piece = 1 << 17;
    if (entry.uncompressed_bytes > most_text_bytes) return problem("implausible size of zstd data in a fat binary");
    const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
    if (!stream) return problem("no memory to decompress a fat binary");
    ZSTD_inBuffer in{entry.payload.data(), entry.payload.size(), 0};
    EntryText result;
    for (std::size_t left = 1; left != 0;) {
        const std::size_t before = result.text.size();
        if (before > entry.uncompressed_bytes) return problem("damaged zstd data in a fat binary");
        result.text.resize(before + piece);
        ZSTD_outBuffer out{result.text.data() + before, piece, 0};
        const std::size_t read = in.pos;
        left = ZSTD_decompressStream(stream.get(), &out, &in);
        result.text.resize(before + out.pos);
        if (ZSTD_isError(left) != 0 || (left != 0 && out.pos == 0 && in.pos == read))
            return problem("damaged zstd data in a fat binary");
    }
    if (result.text.size() != entry.uncompressed_bytes) return problem("damaged zstd data in a fat binary");
    return result;
}

}  // namespace

EntryText entry_text(const FatbinEntry& entry) {
    EntryText result;
    switch (entry.compression) {
        case Compression::none:
            result.text.assign(reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size());
            break;
        case Compression::lz4:
            result = unpack_lz4(entry);
            break;
        case Compression::zstd:
            result = unpack_zstd(entry);
            break;
    }
    const auto last = result.text.find_last_not_of('\0');
    result.text.resize(last == std::string::npos ? 0 : last + 1);
    return result;
}

}  // namespace gpuproj::simulate
