// Launches from a file of tests/support/ptx_record.hpp on the engine: $GPUPROJ_RECORDS is the file, and what differs is
// listed in $GPUPROJ_RECORDS.txt. Where the file has what a GPU left in memory (tools/dev/ptx_replay/truth.py), this
// compares the engine with that GPU.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/ptx_record.hpp"
#include "tests/support/ptx_runner.hpp"
#include "tests/support/skip.hpp"

using namespace gpuproj::test;

namespace {

struct Reader {
    std::string_view left;
    std::string_view bytes(u64 count) {
        if (left.size() < count) throw std::runtime_error("the records end too early");
        const std::string_view found = left.substr(0, count);
        left.remove_prefix(count);
        return found;
    }
    template <class T>
    T get() {
        T value;
        std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
        return value;
    }
    std::string_view text() { return bytes(get<u32>()); }
    gpuproj::Dim3 extents() {
        const u32 x = get<u32>(), y = get<u32>();
        return {x, y, get<u32>()};
    }
};

struct Buffer {
    u64 address = 0, bytes = 0;
    u32 before = 0, after = 0;
};

struct Difference {
    u64 words = 0;
    std::string first;
};

/// Runs one record; `contents` are those of the file.
Difference run(Reader record, const std::vector<std::string_view>& contents, gpuproj::simulate::MachineCode by) {
    const std::string_view results_as = record.text(), ptx = contents.at(record.get<u32>()), kernel = record.text();
    Shape shape{record.extents(), record.extents(), 0, false, {0, 0, 0}};
    shape.cluster = record.extents();
    shape.dynamic_shared_bytes = record.get<u32>();
    shape.cooperative = record.get<u32>() != 0;
    const std::string_view given = contents.at(record.get<u32>());
    std::vector<std::byte> arguments(given.size());
    std::memcpy(arguments.data(), given.data(), given.size());
    record.text();  // a fault
    std::vector<Buffer> buffers(record.get<u32>());
    PtxRunner runner("NVIDIA H100 SXM5 80GB", {}, by);
    for (Buffer& buffer : buffers) {
        buffer = {record.get<u64>(), record.get<u64>(), 0, 0};
        buffer.before = record.get<u32>();
        buffer.after = record.get<u32>();
        const auto memory = runner.allocate<char>(buffer.bytes);
        std::memcpy(memory.data(), contents.at(buffer.before).data(), buffer.bytes);
        if (reinterpret_cast<u64>(memory.data()) != buffer.address) return {1, "its memory lies elsewhere"};
    }
    const auto report = runner.run(ptx, kernel, shape, arguments);
    if (report.fault) return {1, report.fault->message};
    Difference found;
    for (std::size_t number = 0; number < buffers.size(); ++number) {
        const Buffer& buffer = buffers[number];
        const auto* got = reinterpret_cast<const char*>(buffer.address);
        const char* want = contents.at(buffer.after).data();
        const u64 width = results_as.starts_with("f64") ? 8 : results_as.find("16") != std::string_view::npos ? 2 : 4;
        for (u64 at = 0; at < buffer.bytes; at += width) {
            const u64 take = std::min(width, buffer.bytes - at);
            if (std::memcmp(got + at, want + at, take) == 0) continue;
            u64 g = 0, w = 0;
            std::memcpy(&g, got + at, take);
            std::memcpy(&w, want + at, take);
            if (++found.words <= 8)
                found.first += fmt::format("; {}+{:#x} {:0{}x} not {:0{}x}", number, at, g, 2 * width, w, 2 * width);
        }
    }
    return found;
}

}  // namespace

TEST_CASE("recorded launches leave in memory what the file has", "[.][engine][recorded]") {
    const char* path = std::getenv("GPUPROJ_RECORDS");
    if (path == nullptr) GPUPROJ_SKIP("GPUPROJ_RECORDS names no file");
    std::stringstream whole;
    whole << std::ifstream(path, std::ios::binary).rdbuf();
    const std::string data = whole.str();
    Reader file{data};
    REQUIRE(file.bytes(8) == "GPRREC01");
    std::vector<std::string_view> contents;
    std::ofstream list(std::string(path) + ".txt");
    u64 records = 0, differing = 0;
    while (!file.left.empty()) {
        const char kind = file.get<char>();
        Reader part{file.bytes(file.get<u64>())};
        if (kind == 'B') {
            contents.push_back(part.left);
            continue;
        }
        const std::string_view name = part.text();
        record_name(name);
        ++records;
        using enum gpuproj::simulate::MachineCode;
        for (const auto by : {none, all}) {
            Difference found;
            try {
                found = run(part, contents, by);
            } catch (const std::runtime_error& error) {
                found = {1, error.what()};
            }
            if (found.words == 0) continue;
            ++differing;
            list << fmt::format("{}{} | {} words{}\n", name, by == all ? " by machine code" : "", found.words,
                                found.first);
            break;
        }
    }
    list << fmt::format("{} records, {} differ\n", records, differing);
    CHECK(differing == 0);
}
