// L2 of the whole GPU.
//
// Replacement is pseudo-random among the ways of a set. Mei and Chu (Dissecting GPU memory hierarchy through
// microbenchmarking, TPDS 2017) found that NVIDIA's L2 is not least-recently-used; nothing more is published. Random
// needs no parameter that could be fitted to anybody's counters. Every set has its own generator, so that sets may be
// divided over threads without changing a count.
#include <algorithm>
#include <array>
#include <bit>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/set_index.hpp"
#include "collector/simulate/memory/ways.hpp"

namespace gpuproj::simulate {
namespace {

constexpr std::uint64_t no_line = ~std::uint64_t{0};
constexpr std::uint32_t all_words = 0xFF;
// Every part reads all requests to find its own, so that few parts are best, and only for many requests.
constexpr std::uint32_t most_part_bits = 2;
constexpr std::size_t worth_dividing = 2048;
// Requests of the whole GPU between one's being made and served: some 100 KiB by Little's law, 200 to 300 GB/s times
// 400 to 500 ns.
constexpr std::size_t requests_under_way = 4096;

// How many of a line's four sectors a mask has: std::popcount is a call on processors of old.
constexpr std::uint32_t sectors_in(std::uint32_t mask) {
    return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1);
}

/// DRAM sectors by channel in a stretch of requests.
using ByChannel = std::array<std::uint32_t, dram_channels>;

constexpr std::size_t channel_of(std::uint64_t line) {
    return line / (channel_bytes / line_bytes) % dram_channels;
}

struct Content {
    std::uint32_t written = 0;  // 8 words of each sector, since it came in
    std::uint8_t valid = 0;     // one bit per sector: all of it is here
    std::uint8_t dirty = 0;
};

}  // namespace

struct L2Cache::State {
    struct Queue {
        const L2Request* next;
        const L2Request* end;
        std::uint32_t last;  // where this SM's last request went: the next sector is often of the same line
        std::uint32_t set;   // of the next request's line
    };

    /// What one host thread does: the sets of one part, all queues in the common order.
    struct alignas(128) Part {
        std::vector<Queue> running;
        L2Counters counters;
        std::vector<std::uint32_t> dirtied;  // places that became dirty since the last write-back, some gone since
        std::vector<ByChannel> windows;      // what this part did in each of this round

        void read(std::uint64_t line) {
            ++counters.dram_read_sectors;
            ++windows.back()[channel_of(line)];
        }
        void write(std::uint64_t line, std::uint32_t sectors) {
            counters.dram_write_sectors += sectors;
            windows.back()[channel_of(line)] += sectors;
        }
    };

    std::uint32_t ways, sets;
    SetIndex index;
    std::vector<std::uint64_t> tag;
    std::vector<std::uint32_t> short_tags;  // of the same lines
    std::vector<Content> content;
    std::vector<std::uint32_t> random;  // one generator per set
    std::vector<Part> parts;
    L2Counters counters;

    explicit State(const MemoryConfig& config)
        : ways(static_cast<std::uint32_t>(config.l2_ways)),
          sets(static_cast<std::uint32_t>(config.l2_bytes / (std::uint64_t{line_bytes} * ways))),
          index(std::max(sets, 1U)),
          tag(std::size_t{sets} * ways, no_line),
          short_tags(tag.size(), short_tag(no_line)),
          content(tag.size()),
          random(sets),
          parts(std::size_t{1} << most_part_bits) {
        for (std::uint32_t set = 0; set < sets; ++set) random[set] = (set + 1) * 0x9E3779B9U | 1U;
    }

    // The place of a line in a set, tag.size() if it is not there.
    std::uint32_t find_in(std::uint32_t set, std::uint64_t line) const {
        const std::uint32_t begin = set * ways;
        std::uint32_t found = matching_ways(&short_tags[begin], ways, short_tag(line));
        for (; found != 0; found &= found - 1) {
            const std::uint32_t place = begin + static_cast<std::uint32_t>(std::countr_zero(found));
            if (tag[place] == line) return place;
        }
        return static_cast<std::uint32_t>(tag.size());
    }

    std::uint32_t allocate(std::uint32_t set, Part& part) {
        if (const std::uint32_t empty = find_in(set, no_line); empty < tag.size()) return empty;
        std::uint32_t& x = random[set];  // xorshift (Marsaglia 2003)
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        const auto way = set * ways + static_cast<std::uint32_t>((std::uint64_t{x} * ways) >> 32);
        if (content[way].dirty != 0) part.write(tag[way], sectors_in(content[way].dirty));
        content[way] = {};
        return way;
    }

    std::uint32_t find(std::uint64_t line) const { return find_in(index(line), line); }

    std::uint32_t find_or_allocate(std::uint32_t set, std::uint64_t line, Part& part) {
        const std::uint32_t there = find_in(set, line);
        if (there < tag.size()) return there;
        const std::uint32_t way = allocate(set, part);
        set_tag(way, line);
        return way;
    }

    void set_tag(std::size_t place, std::uint64_t line) {
        tag[place] = line;
        short_tags[place] = short_tag(line);
    }

    void make_dirty(std::uint32_t place, std::uint8_t bit, Part& part) {
        if (content[place].dirty == 0 && part.dirtied.size() < content.size()) part.dirtied.push_back(place);
        content[place].dirty |= bit;
    }

    /// Brings the set of a queue's next request into the caches of this core while the other queues have their turn.
    void look_ahead(Queue& queue) const {
        if (queue.next == queue.end) return;
        queue.set = index(queue.next->sector() / 4);
        const std::size_t first = std::size_t{queue.set} * ways;
        __builtin_prefetch(&short_tags[first], 1);
        __builtin_prefetch(&tag[first], 1);
        __builtin_prefetch(&content[first], 1);
    }

    /// `set`: of the request's line.
    void serve(L2Request request, std::uint32_t set, std::uint32_t& last, Part& part) {
        L2Counters& counts = part.counters;
        const std::uint64_t line = request.sector() / 4;
        const auto sector = static_cast<std::uint32_t>(request.sector() % 4);
        const auto bit = static_cast<std::uint8_t>(1U << sector);
        if (tag[last] != line) last = find_or_allocate(set, line, part);
        Content& here = content[last];
        if (request.kind() == AccessKind::store) {
            ++counts.write_sectors;
            here.written |= request.words() << (8 * sector);
            make_dirty(last, bit, part);
            if ((here.written >> (8 * sector) & all_words) == all_words) here.valid |= bit;
            return;
        }
        if ((here.valid & bit) == 0) {
            part.read(line);
            here.valid |= bit;
        }
        if (request.kind() == AccessKind::atomic) {
            ++counts.atomic_sectors;
            make_dirty(last, bit, part);
        } else {
            ++counts.read_sectors;
        }
    }

    static void pass_through(L2Request request, Part& part) {
        const std::uint64_t line = request.sector() / 4;
        if (request.kind() == AccessKind::store) {
            ++part.counters.write_sectors;
            part.write(line, 1);
        } else if (request.kind() == AccessKind::atomic) {
            ++part.counters.atomic_sectors;
            part.read(line);
            part.write(line, 1);
        } else {
            ++part.counters.read_sectors;
            part.read(line);
        }
    }

    /// Serves the requests to the sets of part `number`, all queues request by request, round robin.
    void serve_part(std::span<const std::vector<L2Request>> queues, std::uint32_t number, std::uint32_t part_bits) {
        Part& part = parts[number];
        part.running.clear();
        for (const auto& queue : queues)
            if (!queue.empty()) part.running.push_back({queue.data(), queue.data() + queue.size(), 0, 0});
        for (Queue& queue : part.running) look_ahead(queue);
        part.windows.assign(1, {});
        std::size_t walked = 0;
        while (!part.running.empty()) {
            // All that are left go on together until the shortest ends.
            std::ptrdiff_t rounds = part.running.front().end - part.running.front().next;
            for (const auto& queue : part.running) rounds = std::min(rounds, queue.end - queue.next);
            for (; rounds > 0; --rounds) {
                // Other parts count the same requests, so that their windows are the same.
                if (walked >= requests_under_way) {
                    part.windows.emplace_back();
                    walked = 0;
                }
                walked += part.running.size();
                for (auto& queue : part.running) {
                    const L2Request request = *queue.next++;
                    if (part_bits == 0 || index.part(request.sector() / 4, part_bits) == number)
                        serve(request, queue.set, queue.last, part);
                    if (queue.next != queue.end && queue.next->sector() / 4 != request.sector() / 4) look_ahead(queue);
                }
            }
            std::erase_if(part.running, [](const auto& queue) { return queue.next == queue.end; });
        }
    }

    void drop_sectors(std::size_t way, std::uint8_t bits) {
        Content& line = content[way];
        counters.dram_write_sectors += sectors_in(line.dirty & bits);
        line.dirty &= static_cast<std::uint8_t>(~bits);
        line.valid &= static_cast<std::uint8_t>(~bits);
        for (std::uint32_t sector = 0; sector < 4; ++sector)
            if (bits >> sector & 1) line.written &= ~(all_words << (8 * sector));
        if (bits == 0xF) set_tag(way, no_line);
    }
};

L2Cache::L2Cache(const MemoryConfig& config) : state_(std::make_unique<State>(config)) {}
L2Cache::~L2Cache() = default;

void L2Cache::process(std::span<std::vector<L2Request>> queues) {
    serve(queues, 0, 1);
    end_round();
    for (auto& queue : queues) queue.clear();
}

std::size_t L2Cache::parts(std::span<const std::vector<L2Request>> queues, std::size_t threads) const {
    std::size_t requests = 0;
    for (const auto& queue : queues) requests += queue.size();
    if (state_->sets == 0 || requests < worth_dividing) return 1;
    return std::size_t{1} << state_->index.part_bits(
               std::min(most_part_bits, static_cast<std::uint32_t>(std::bit_width(threads) - 1)));
}

void L2Cache::serve(std::span<const std::vector<L2Request>> queues, std::size_t part, std::size_t parts) {
    State& state = *state_;
    if (state.sets > 0) {
        state.serve_part(queues, static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(std::countr_zero(parts)));
        return;
    }
    State::Part& all = state.parts.front();
    all.windows.clear();
    std::size_t walked = 0;
    for (const auto& queue : queues) {
        for (const L2Request request : queue) {
            if (walked++ % requests_under_way == 0) all.windows.emplace_back();
            State::pass_through(request, all);
        }
    }
}

void L2Cache::end_round() {
    std::size_t windows = 0;
    for (const State::Part& part : state_->parts) windows = std::max(windows, part.windows.size());
    for (std::size_t w = 0; w < windows; ++w) {
        ByChannel sum{};
        for (const State::Part& part : state_->parts) {
            if (w >= part.windows.size()) continue;
            for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += part.windows[w][c];
        }
        for (const std::uint32_t sectors : sum) state_->counters.channel_sectors += sectors;
        state_->counters.busiest_channel_sectors += *std::ranges::max_element(sum);
    }
    for (State::Part& part : state_->parts) part.windows.clear();
}

void L2Cache::write_back() {
    State& state = *state_;
    const auto clean = [&](Content& line) {
        state.counters.dram_write_sectors += sectors_in(line.dirty);
        line.dirty = 0;
    };
    // A list that is full may lack some.
    const bool all = std::ranges::any_of(
        state.parts, [&](const State::Part& part) { return part.dirtied.size() >= state.content.size(); });
    if (all) std::ranges::for_each(state.content, clean);
    for (State::Part& part : state.parts) {
        if (!all)
            for (const std::uint32_t place : part.dirtied) clean(state.content[place]);
        part.dirtied.clear();
    }
}

void L2Cache::drop(std::uint64_t first_sector, std::uint64_t sectors) {
    if (sectors == 0 || state_->sets == 0) return;
    State& state = *state_;
    const std::uint64_t last_sector = first_sector + sectors - 1;
    const auto bits_in_range = [&](std::uint64_t line) {
        std::uint32_t bits = 0xF;
        if (line == first_sector / 4) bits &= 0xFU << (first_sector % 4);
        if (line == last_sector / 4) bits &= 0xFU >> (3 - last_sector % 4);
        return static_cast<std::uint8_t>(bits);
    };
    const std::uint64_t first = first_sector / 4, last = last_sector / 4;
    // To look for one line costs as much as to go over some tens of tags in a row.
    constexpr std::size_t tags_per_search = 32;
    if ((last - first) * tags_per_search < state.tag.size()) {
        for (std::uint64_t line = first; line <= last; ++line)
            if (const std::size_t way = state.find(line); way < state.tag.size())
                state.drop_sectors(way, bits_in_range(line));
        return;
    }
    const auto is_in_range = [&](std::size_t way) { return state.tag[way] - first <= last - first; };
    for (std::size_t begin = 0; begin < state.tag.size(); begin += tags_per_search) {
        const std::size_t end = std::min(begin + tags_per_search, state.tag.size());
        bool any = false;
        for (std::size_t way = begin; way < end; ++way) any |= is_in_range(way);
        for (std::size_t way = begin; any && way < end; ++way)
            if (is_in_range(way)) state.drop_sectors(way, bits_in_range(state.tag[way]));
    }
}

L2Counters L2Cache::counters() const {
    L2Counters total = state_->counters;
    for (const State::Part& part : state_->parts) total += part.counters;
    return total;
}
void L2Cache::reset_counters() {
    state_->counters = {};
    for (State::Part& part : state_->parts) part.counters = {};
}

}  // namespace gpuproj::simulate
