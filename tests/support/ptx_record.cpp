#include "tests/support/ptx_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <unordered_map>
#include <unordered_set>

namespace gpuproj::test {
namespace {

constexpr u64 largest_launch = u64{24} << 20;  // bytes of memory

struct File {
    File() : out(fmt::format("{}/records-{}.bin", std::getenv("GPUPROJ_RECORD_DIR"), getpid()), std::ios::binary) {
        out << "GPRREC01";
    }
    /// The number of these contents, which are written unless they were before.
    u32 contents(std::string_view bytes) {
        const auto [at, is_new] = numbers.try_emplace(std::string(bytes), static_cast<u32>(numbers.size()));
        if (is_new) {
            const u64 size = bytes.size();
            out.put('B').write(reinterpret_cast<const char*>(&size), sizeof size);
            out.write(bytes.data(), static_cast<std::streamsize>(size));
        }
        return at->second;
    }
    std::ofstream out;
    std::unordered_map<std::string, u32> numbers;
    std::unordered_set<std::string> launches;
    std::string results_as, name;
    u64 left_out = 0;
};
File& file() {
    static File opened;
    return opened;
}

void put(std::string& to, u64 value, std::size_t bytes) {
    to.append(reinterpret_cast<const char*>(&value), bytes);
}
void put(std::string& to, std::string_view text) {
    put(to, text.size(), 4);
    to += text;
}
std::string_view text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool recording() {
    static const bool asked = std::getenv("GPUPROJ_RECORD_DIR") != nullptr;
    return asked;
}

void record_results_as(std::string_view type) {
    if (recording()) file().results_as = type;
}
void record_name(std::string_view name) {
    if (recording()) file().name = name;
}

LaunchRecord::LaunchRecord(std::string_view ptx, const simulate::LaunchRequest& request,
                           const std::vector<std::span<const std::byte>>& buffers) {
    File& to = file();
    u64 all = 0;
    for (const auto& buffer : buffers) all += buffer.size();
    too_large_ = all > largest_launch;
    if (too_large_) return;
    put(head_, to.name.empty() ? Catch::getResultCapture().getCurrentTestName() : to.name);
    put(head_, to.results_as);
    put(head_, to.contents(ptx), 4);
    put(head_, request.kernel);
    for (const auto& shape : {request.grid, request.block, request.cluster})
        for (const u32 extent : shape) put(head_, extent, 4);
    put(head_, request.dynamic_shared_bytes, 4);
    put(head_, request.cooperative ? 1 : 0, 4);
    put(head_, to.contents(text(request.parameters)), 4);
    for (const auto& buffer : buffers) buffers_.push_back({text(buffer), to.contents(text(buffer))});
}

void LaunchRecord::end(const simulate::LaunchReport& report) {
    File& to = file();
    if (too_large_) {
        fmt::print(stderr, "not recorded, too large: {}\n", Catch::getResultCapture().getCurrentTestName());
        return;
    }
    std::string record = head_;
    put(record, report.fault ? report.fault->message : report.children.empty() ? "" : "launches others");
    put(record, buffers_.size(), 4);
    for (const Buffer& buffer : buffers_) {
        put(record, reinterpret_cast<u64>(buffer.bytes.data()), 8);
        put(record, buffer.bytes.size(), 8);
        put(record, buffer.before, 4);
        put(record, to.contents(buffer.bytes), 4);
    }
    if (!to.launches.insert(record).second) return;
    const u64 size = record.size();
    to.out.put('R').write(reinterpret_cast<const char*>(&size), sizeof size);
    to.out.write(record.data(), static_cast<std::streamsize>(size)).flush();
}

}  // namespace gpuproj::test
