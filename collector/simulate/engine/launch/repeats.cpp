#include "collector/simulate/engine/launch/repeats.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "collector/simulate/engine/address_ranges.hpp"
#include "collector/simulate/engine/program.hpp"

namespace gpuproj::simulate {

namespace {

// To compare and keep memory must cost less than to interpret: an instruction takes some 20 ns at least, a byte 0.1.
constexpr std::uint64_t bytes_per_instruction = 64;
// What may be kept for launches that change memory (or as much as the program has itself, if that is more), and how
// many launches are known at a time.
constexpr std::size_t most_saved_bytes = std::size_t{128} << 20;
constexpr std::size_t most_entries = 4096, most_states = 8192, most_seen = std::size_t{1} << 18;
// What may be read for each instruction where it may be in vain, and after how many times in vain half of that is
// enough, a third, ...; and what takes no time beside any launch.
constexpr std::uint64_t bytes_in_vain = 1, many_misses = 64, cheap_bytes = std::uint64_t{1} << 16;
// What launches change is kept because they are expected again: of a quarter of what was executed, besides of as much
// as was spared that way.
constexpr std::uint64_t kept_in_vain = 4;
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

void Repeats::erase(Entry& entry, std::map<Digest, State>::iterator state) {
    for (const Saved& saved : state->second.after) saved_bytes_ -= saved.contents.size();
    --states_;
    entry.states.erase(state);
}

void Repeats::forget(Entry& entry) {
    while (!entry.states.empty()) erase(entry, entry.states.begin());
    seen_ -= entry.seen.size();
    entry.seen.clear();
    entry.guess.reset();
    entry.before.clear();
}

/// What came after as many launches comes again now, it seems, and so do those that followed it.
void Repeats::expect(std::uint64_t period) {
    if (number_ >= expected_until_) forget_unused(period);
    expected_until_ = std::max(expected_until_, number_ + period + 1);
}

/// What did not come in two such periods makes room.
void Repeats::forget_unused(std::uint64_t period) {
    if (saved_bytes_ < most_saved_bytes / 2 && states_ < most_states / 2) return;
    for (auto& [key, entry] : entries_) {
        for (auto state = entry.states.begin(); state != entry.states.end();) {
            const auto next = std::next(state);
            if (state->second.last + 2 * period < number_) erase(entry, state);
            state = next;
        }
    }
}

void Repeats::know(const Range& range, const Digest& digest, const DeviceMemory& memory) {
    if (const auto version = memory.version(range)) known_[range.begin] = {*version, range.end - range.begin, digest};
}

bool Repeats::is_known(const Range& range, const DeviceMemory& memory) const {
    const auto version = memory.version(range);
    if (!version) return false;
    const auto found = known_.find(range.begin);
    return found != known_.end() && found->second.version == *version && found->second.bytes == range.end - range.begin;
}

Digest Repeats::digest_now(const Range& range, const DeviceMemory& memory) {
    if (is_known(range, memory)) return known_.at(range.begin).digest;
    const Digest digest = digest_of(contents(range));
    know(range, digest, memory);
    return digest;
}

const LaunchReport* Repeats::put_in_place(Entry& entry, State& state, DeviceMemory& memory) {
    for (const Saved& saved : state.after) {
        const Range& range = entry.ranges[saved.range];
        std::memcpy(pointer_to(range.begin), saved.contents.data(), saved.contents.size());
        memory.wrote(range.begin, range.end - range.begin);
        know(range, saved.digest, memory);
    }
    ++entry.launches;
    state.last = number_;
    if (entry.misses > 0) spared_ += entry.instructions;
    return &state.report;
}

/// A launch found what none before it did, for which so many bytes were read.
void Repeats::met_new(Entry& entry, std::uint64_t bytes) {
    ++entry.misses;
    if (entry.guess) {
        if (const auto guess = entry.states.find(*entry.guess); guess != entry.states.end()) erase(entry, guess);
        entry.guess.reset();
    }
    const std::uint64_t affordable = std::max(entry.instructions * bytes_in_vain, cheap_bytes);
    entry.look_again = entry.launches + (1 + bytes / affordable) * (1 + entry.misses / many_misses);
}

/// What a launch that has to run found, for which so many bytes were read: it may come again, or has.
void Repeats::note(Entry& entry, const Digest& all, std::uint64_t bytes, bool expected) {
    const auto seen = entry.seen.find(all);
    const bool again = seen != entry.seen.end();
    const bool first = entry.seen.empty();
    if (again)
        expect(number_ - seen->second);
    else if (!first)
        met_new(entry, bytes);
    entry.keep = first || again || expected;
    if (expected) kept_ += entry.instructions;
    if (first) entry.guess.emplace(all);
    if (seen_ >= most_seen) {
        for (auto& known : entries_) known.second.seen.clear();
        seen_ = 0;
    }
    if (entry.seen.insert_or_assign(all, number_).second) ++seen_;
}

const LaunchReport* Repeats::repeat(const Key& key, DeviceMemory& memory) {
    ++number_;
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    Entry& entry = found->second;
    entry.before.clear();
    const bool expected = number_ < expected_until_ && kept_ <= executed_ / kept_in_vain + spared_;
    if (entry.ranges.empty() || (!expected && entry.launches < entry.look_again)) return nullptr;
    if (!all_alive(entry.ranges, memory)) {
        forget(entry);
        entry.ranges.clear();
        return nullptr;
    }
    std::uint64_t bytes = 0;
    for (const Range& range : entry.ranges) {
        bytes += is_known(range, memory) ? 0 : range.end - range.begin;
        entry.before.push_back(digest_now(range, memory));
    }
    const Digest all = digest_of(std::as_bytes(std::span(entry.before)));
    if (const auto state = entry.states.find(all); state != entry.states.end()) {
        if (entry.misses > 0) expect(number_ - state->second.last);
        return put_in_place(entry, state->second, memory);
    }
    note(entry, all, bytes, expected);
    return nullptr;
}

void Repeats::keep_state(Entry& entry, const LaunchReport& report, const DeviceMemory& memory) {
    State state;
    std::size_t bytes = 0;
    const std::size_t most = std::max<std::size_t>(most_saved_bytes, memory.allocated());
    for (std::size_t i = 0; i < entry.ranges.size(); ++i) {
        const Digest digest = digest_now(entry.ranges[i], memory);
        if (digest == entry.before[i]) continue;
        const auto now = contents(entry.ranges[i]);
        bytes += now.size();
        if (saved_bytes_ + bytes > most) return;
        state.after.push_back({i, digest, {now.begin(), now.end()}});
    }
    state.report = report;
    state.report.repeated = true;
    state.last = number_;
    const Digest all = digest_of(std::as_bytes(std::span(entry.before)));
    if (states_ >= most_states || !entry.states.try_emplace(all, std::move(state)).second) return;
    ++states_;
    saved_bytes_ += bytes;
}

void Repeats::executed(const Key& key, const LaunchTrace& trace, const LaunchReport& report,
                       const DeviceMemory& memory) {
    if (entries_.size() >= most_entries && !entries_.contains(key)) {
        entries_.clear();
        saved_bytes_ = states_ = seen_ = 0;
    }
    Entry& entry = entries_[key];
    ++entry.launches;
    entry.instructions = trace.instructions;
    executed_ += trace.instructions;
    const auto worth_it = [&](const std::vector<Range>& ranges) {
        std::uint64_t bytes = 0;
        for (const Range& range : ranges) bytes += range.end - range.begin;
        return trace.repeatable && !report.fault && bytes <= trace.instructions * bytes_per_instruction;
    };
    const double dram = dram_sectors_of(report.counted.metrics), before = std::exchange(entry.dram_sectors, dram);
    const bool steady = std::abs(dram - before) <= steady_share * dram || entry.launches >= launches_enough;
    std::vector<Range> all;
    std::ranges::set_union(entry.ranges, trace.ranges, std::back_inserter(all));
    if (!worth_it(all)) {
        forget(entry);
        entry.ranges = worth_it(trace.ranges) ? trace.ranges : std::vector<Range>{};
    } else if (all != entry.ranges) {
        forget(entry);
        entry.ranges = std::move(all);
    } else if (!entry.before.empty() && entry.keep && steady) {
        keep_state(entry, report, memory);
    }
}

}  // namespace gpuproj::simulate
