#include "collector/simulate/engine/repeats.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "collector/simulate/engine/address_ranges.hpp"
#include "collector/simulate/engine/program.hpp"

namespace gpuproj::simulate {

namespace {

// To compare and keep memory must cost less than to interpret: an instruction takes some 20 ns at least, a byte 0.1.
constexpr std::uint64_t bytes_per_instruction = 64;
// What may be kept for launches that change memory, and how many launches are known at a time.
constexpr std::size_t most_saved_bytes = std::size_t{128} << 20;
constexpr std::size_t most_entries = 4096;
// When the caches count as warm: DRAM traffic within this share of the launch before, or so many launches executed.
constexpr double steady_share = 0.01;
constexpr std::uint32_t launches_enough = 5;

double dram_sectors_of(const KernelMetrics& metrics) {
    return metrics.dram_read.value_or(Sectors{0}).value + metrics.dram_write.value_or(Sectors{0}).value;
}

std::span<const std::byte> contents(const Range& range) {
    return {static_cast<const std::byte*>(pointer_to(range.begin)), static_cast<std::size_t>(range.end - range.begin)};
}

bool all_alive(const std::vector<Range>& ranges, const DeviceMemory& memory) {
    return std::ranges::all_of(ranges, [&](const Range& range) {
        const auto now = memory.find(range.begin);
        return now && now->begin == range.begin && now->end == range.end;
    });
}

}  // namespace

Digest digest_of(std::span<const std::byte> bytes) {
    // Four chains side by side, each step of which can be undone: one word that differs makes the end differ.
    constexpr std::array<std::uint64_t, 4> odd{0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                                               0xD6E8FEB86659FD93};
    std::array<std::uint64_t, 4> chain = odd;
    const auto step = [&](std::size_t i, std::uint64_t word) { chain[i] = std::rotl(chain[i] ^ word, 29) * odd[i]; };
    std::array<std::uint64_t, 4> words{};
    std::size_t done = 0;
    for (; done + sizeof(words) <= bytes.size(); done += sizeof(words)) {
        std::memcpy(words.data(), bytes.data() + done, sizeof(words));
        for (std::size_t i = 0; i < 4; ++i) step(i, words[i]);
    }
    words = {};
    if (done < bytes.size()) std::memcpy(words.data(), bytes.data() + done, bytes.size() - done);
    for (std::size_t i = 0; i < 4; ++i) step(i, words[i]);
    step(0, bytes.size());
    Digest digest;
    for (std::size_t i = 0; i < 4; ++i) {
        digest.low = std::rotl(digest.low ^ chain[i], 31) * odd[3 - i];
        digest.high = (digest.high + chain[3 - i]) * odd[i];
        digest.high ^= digest.high >> 32;
    }
    return digest;
}

Repeats::Key Repeats::key_of(const LaunchRequest& request) {
    const auto add = [](std::string& to, const auto& value) {
        to.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    Key key;
    add(key.kind, request.module->program().id);
    for (const Dim3& dimensions : {request.block, request.cluster})
        for (const auto size : dimensions) add(key.kind, size);
    add(key.kind, request.dynamic_shared_bytes);
    key.kind.push_back(static_cast<char>((request.cooperative ? 2 : 0) | (request.count ? 1 : 0)));
    key.kind += request.kernel;
    key.blocks = std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
    for (const auto size : request.grid) add(key.arguments, size);
    key.arguments.append(reinterpret_cast<const char*>(request.parameters.data()), request.parameters.size());
    return key;
}

void Repeats::forget(Entry& entry) {
    for (const Saved& saved : entry.after) saved_bytes_ -= saved.contents.size();
    entry.after.clear();
    entry.before.clear();
    entry.remembered = false;
}

void Repeats::know(const Range& range, const Digest& digest, const DeviceMemory& memory) {
    if (const auto version = memory.version(range)) known_[range.begin] = {*version, range.end - range.begin, digest};
}

Digest Repeats::digest_now(const Range& range, const DeviceMemory& memory) {
    if (const auto version = memory.version(range)) {
        const auto found = known_.find(range.begin);
        if (found != known_.end() && found->second.version == *version &&
            found->second.bytes == range.end - range.begin)
            return found->second.digest;
    }
    const Digest digest = digest_of(contents(range));
    know(range, digest, memory);
    return digest;
}

const LaunchReport* Repeats::repeat(const Key& key, DeviceMemory& memory) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    Entry& entry = found->second;
    if (entry.ranges.empty() || entry.launches < entry.look_again) return nullptr;
    if (!all_alive(entry.ranges, memory)) {
        forget(entry);
        entry.ranges.clear();
        return nullptr;
    }
    std::vector<Digest> now;
    now.reserve(entry.ranges.size());
    for (const Range& range : entry.ranges) now.push_back(digest_now(range, memory));
    const bool again = entry.remembered && now == entry.before;
    if (again) {
        for (const Saved& saved : entry.after) {
            const Range& range = entry.ranges[saved.range];
            std::memcpy(pointer_to(range.begin), saved.contents.data(), saved.contents.size());
            memory.wrote(range.begin, range.end - range.begin);
            know(range, saved.digest, memory);
        }
        ++entry.launches;
        return &entry.report;
    }
    const bool in_vain = entry.remembered;
    forget(entry);
    if (in_vain) {
        // Different every time, probably: look more and more rarely.
        entry.misses = std::min(entry.misses + 1, 16U);
        entry.look_again = entry.launches + (1U << entry.misses);
    } else {
        entry.before = std::move(now);
    }
    return nullptr;
}

void Repeats::executed(const Key& key, const LaunchTrace& trace, const LaunchReport& report,
                       const DeviceMemory& memory) {
    if (entries_.size() >= most_entries && !entries_.contains(key)) {
        entries_.clear();
        saved_bytes_ = 0;
    }
    Entry& entry = entries_[key];
    ++entry.launches;
    std::uint64_t bytes = 0;
    for (const Range& range : trace.ranges) bytes += range.end - range.begin;
    const bool worth_it = trace.repeatable && !report.fault && bytes <= trace.instructions * bytes_per_instruction;
    const bool compared = !entry.before.empty() && entry.ranges == trace.ranges;
    const double dram = dram_sectors_of(report.metrics), before = std::exchange(entry.dram_sectors, dram);
    const bool steady = std::abs(dram - before) <= steady_share * dram || entry.launches >= launches_enough;
    if (!worth_it || !compared || !steady) {
        forget(entry);
        entry.ranges = worth_it ? trace.ranges : std::vector<Range>{};
        return;
    }
    for (std::size_t i = 0; i < entry.ranges.size(); ++i) {
        const Digest digest = digest_now(entry.ranges[i], memory);
        if (digest == entry.before[i]) continue;
        const auto now = contents(entry.ranges[i]);
        if (saved_bytes_ + now.size() > most_saved_bytes) {
            forget(entry);
            entry.ranges.clear();
            return;
        }
        entry.after.push_back({i, digest, {now.begin(), now.end()}});
        saved_bytes_ += now.size();
    }
    entry.remembered = true;
    entry.report = report;
    entry.report.repeated = true;
}

}  // namespace gpuproj::simulate
