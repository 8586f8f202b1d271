// L2 of the whole GPU.
//
// Replacement is pseudo-random among the ways of a set. Mei and Chu (Dissecting GPU memory hierarchy through
// microbenchmarking, TPDS 2017) found that NVIDIA's L2 is not least-recently-used; nothing more is published. Random
// needs no parameter that could be fitted to anybody's counters. Every set has its own generator, so that sets may be
// divided over threads without changing a count.
#include <algorithm>
#include <bit>
#include <utility>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/set_index.hpp"

namespace gpuproj::simulate {
namespace {

constexpr std::uint64_t no_line = ~std::uint64_t{0};
constexpr std::uint32_t all_words = 0xFF;
// Every part reads all requests to find its own, so that few parts are best, and only for many requests.
constexpr std::uint32_t most_part_bits = 2;
constexpr std::size_t worth_dividing = 2048;

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
    };

    /// What one host thread does: the sets of one part, all queues in the common order.
    struct alignas(128) Part {
        std::vector<Queue> running;
        L2Counters counters;
    };

    std::uint32_t ways, sets;
    SetIndex index;
    std::vector<std::uint64_t> tag;
    std::vector<Content> content;
    std::vector<std::uint32_t> random;  // one generator per set
    std::vector<Part> parts;
    L2Counters counters;

    explicit State(const MemoryConfig& config)
        : ways(static_cast<std::uint32_t>(config.l2_ways)),
          sets(static_cast<std::uint32_t>(config.l2_bytes / (std::uint64_t{line_bytes} * ways))),
          index(std::max(sets, 1U)),
          tag(std::size_t{sets} * ways, no_line),
          content(tag.size()),
          random(sets),
          parts(1) {
        for (std::uint32_t set = 0; set < sets; ++set) random[set] = (set + 1) * 0x9E3779B9U | 1U;
    }

    static void evict(Content& line, L2Counters& counts) {
        counts.dram_write_sectors += static_cast<std::uint32_t>(std::popcount(line.dirty));
        line = {};
    }

    std::uint32_t allocate(std::uint32_t set, L2Counters& counts) {
        const std::uint32_t begin = set * ways;
        for (std::uint32_t way = begin; way < begin + ways; ++way)
            if (tag[way] == no_line) return way;
        std::uint32_t& x = random[set];  // xorshift (Marsaglia 2003)
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        const auto way = begin + static_cast<std::uint32_t>((std::uint64_t{x} * ways) >> 32);
        evict(content[way], counts);
        return way;
    }

    // Where the line is, or tag.size().
    std::size_t find(std::uint64_t line) const {
        const std::uint32_t begin = index(line) * ways;
        for (std::uint32_t way = begin; way < begin + ways; ++way)
            if (tag[way] == line) return way;
        return tag.size();
    }

    std::uint32_t find_or_allocate(std::uint64_t line, L2Counters& counts) {
        const std::uint32_t set = index(line), begin = set * ways;
        for (std::uint32_t way = begin; way < begin + ways; ++way)
            if (tag[way] == line) return way;
        const std::uint32_t way = allocate(set, counts);
        tag[way] = line;
        return way;
    }

    void serve(L2Request request, std::uint32_t& last, L2Counters& counts) {
        const std::uint64_t line = request.sector / 4;
        const auto sector = static_cast<std::uint32_t>(request.sector % 4);
        const auto bit = static_cast<std::uint8_t>(1U << sector);
        if (tag[last] != line) last = find_or_allocate(line, counts);
        Content& here = content[last];
        if (request.kind == static_cast<std::uint64_t>(AccessKind::store)) {
            ++counts.write_sectors;
            here.written |= static_cast<std::uint32_t>(request.words) << (8 * sector);
            here.dirty |= bit;
            if ((here.written >> (8 * sector) & all_words) == all_words) here.valid |= bit;
            return;
        }
        if ((here.valid & bit) == 0) {
            ++counts.dram_read_sectors;
            here.valid |= bit;
        }
        if (request.kind == static_cast<std::uint64_t>(AccessKind::atomic)) {
            ++counts.atomic_sectors;
            here.dirty |= bit;
        } else {
            ++counts.read_sectors;
        }
    }

    static void pass_through(L2Request request, L2Counters& counts) {
        if (request.kind == static_cast<std::uint64_t>(AccessKind::store)) {
            ++counts.write_sectors;
            ++counts.dram_write_sectors;
        } else if (request.kind == static_cast<std::uint64_t>(AccessKind::atomic)) {
            ++counts.atomic_sectors;
            ++counts.dram_read_sectors;
            ++counts.dram_write_sectors;
        } else {
            ++counts.read_sectors;
            ++counts.dram_read_sectors;
        }
    }

    /// Serves the requests to the sets of part `number`, all queues request by request, round robin.
    void serve_part(std::span<std::vector<L2Request>> queues, std::uint32_t number, std::uint32_t part_bits) {
        Part& part = parts[number];
        part.running.clear();
        for (const auto& queue : queues)
            if (!queue.empty()) part.running.push_back({queue.data(), queue.data() + queue.size(), 0});
        while (!part.running.empty()) {
            // All that are left go on together until the shortest ends.
            std::ptrdiff_t rounds = part.running.front().end - part.running.front().next;
            for (const auto& queue : part.running) rounds = std::min(rounds, queue.end - queue.next);
            for (; rounds > 0; --rounds) {
                for (auto& queue : part.running) {
                    const L2Request request = *queue.next++;
                    if (part_bits == 0 || index.part(request.sector / 4, part_bits) == number)
                        serve(request, queue.last, part.counters);
                }
            }
            std::erase_if(part.running, [](const auto& queue) { return queue.next == queue.end; });
        }
    }

    void drop_sectors(std::size_t way, std::uint8_t bits) {
        Content& line = content[way];
        counters.dram_write_sectors += static_cast<std::uint32_t>(std::popcount(std::uint8_t(line.dirty & bits)));
        line.dirty &= static_cast<std::uint8_t>(~bits);
        line.valid &= static_cast<std::uint8_t>(~bits);
        for (std::uint32_t sector = 0; sector < 4; ++sector)
            if (bits >> sector & 1) line.written &= ~(all_words << (8 * sector));
        if (bits == 0xF) tag[way] = no_line;
    }
};

L2Cache::L2Cache(const MemoryConfig& config) : state_(std::make_unique<State>(config)) {}
L2Cache::~L2Cache() = default;

void L2Cache::process(std::span<std::vector<L2Request>> queues, const Parallel& parallel) {
    State& state = *state_;
    if (state.sets == 0) {
        for (const auto& queue : queues)
            for (const L2Request request : queue) State::pass_through(request, state.counters);
    } else {
        std::size_t requests = 0;
        for (const auto& queue : queues) requests += queue.size();
        const std::uint32_t part_bits =
            parallel && requests >= worth_dividing ? state.index.part_bits(most_part_bits) : 0;
        const std::size_t parts = std::size_t{1} << part_bits;
        state.parts.resize(std::max(state.parts.size(), parts));
        const auto serve = [&](std::size_t part) {
            state.serve_part(queues, static_cast<std::uint32_t>(part), part_bits);
        };
        if (parts == 1)
            serve(0);
        else
            parallel(parts, serve);
        for (State::Part& part : state.parts) state.counters += std::exchange(part.counters, {});
    }
    for (auto& queue : queues) queue.clear();
}

void L2Cache::write_back() {
    for (Content& line : state_->content) {
        state_->counters.dram_write_sectors += static_cast<std::uint32_t>(std::popcount(line.dirty));
        line.dirty = 0;
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
    if (last - first < state.tag.size()) {
        for (std::uint64_t line = first; line <= last; ++line)
            if (const std::size_t way = state.find(line); way < state.tag.size())
                state.drop_sectors(way, bits_in_range(line));
    } else {
        for (std::size_t way = 0; way < state.tag.size(); ++way)
            if (const std::uint64_t line = state.tag[way]; line >= first && line <= last)
                state.drop_sectors(way, bits_in_range(line));
    }
}

const L2Counters& L2Cache::counters() const {
    return state_->counters;
}
void L2Cache::reset_counters() {
    state_->counters = {};
}

}  // namespace gpuproj::simulate
