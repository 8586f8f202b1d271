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

constexpr std::uint64_t no_line = (std::uint64_t{1} << LineRequest::line_bits) - 1;
constexpr std::uint32_t all_words = 0xFF;
constexpr std::uint32_t sectors_of_line = 4;
// Every part reads all requests to find its own, so that few parts are best, and only for many requests.
constexpr std::uint32_t most_part_bits = 2;
constexpr std::size_t worth_dividing = 2048;
// Sectors of the whole GPU between one's being asked for and served: some 100 KiB by Little's law, 200 to 300 GB/s
// times 400 to 500 ns.
constexpr std::size_t sectors_under_way = 4096;

// The bytes of `sectors`, four bits, each of which is `words`.
constexpr std::uint32_t words_of(std::uint32_t sectors, std::uint32_t words) {
    return ((sectors & 1) | (sectors & 2) << 7 | (sectors & 4) << 14 | (sectors & 8) << 21) * words;
}

/// DRAM sectors by channel in a stretch of requests.
using ByChannel = std::array<std::uint32_t, dram_channels>;

constexpr std::size_t channel_of(std::uint64_t line) {
    return line / (channel_bytes / line_bytes) % dram_channels;
}

/// What is known of the line in a place, besides the low half of its number.
struct Place {
    std::uint32_t written = 0;                                        // 8 words of each sector, since it came in
    std::uint16_t upper = static_cast<std::uint16_t>(no_line >> 32);  // half of its number
    std::uint8_t valid = 0;                                           // one bit per sector: all of it is here
    std::uint8_t dirty = 0;
};
static_assert(LineRequest::line_bits == 48 && sizeof(Place) == 8);

}  // namespace

struct L2Cache::Contents::Lines {
    std::vector<Place> places;              // set by set
    std::vector<std::uint32_t> short_tags;  // of the lines there
    std::vector<std::uint8_t> empty;        // places per set
};

struct L2Cache::State : Contents::Lines {
    struct Queue {
        const LineRequest* next;
        const LineRequest* end;
        std::uint32_t last;  // where this SM's last request went: the next one is often of the same line
        std::uint32_t set;   // of the next request's line
    };

    /// What one host thread does: the sets of one part, all queues in the common order.
    struct alignas(128) Part {
        std::vector<Queue> running;
        L2Counters counters;
        std::vector<std::uint32_t> dirtied;  // places that became dirty since the last write-back, some gone since
        std::vector<ByChannel> windows;      // what this part did in each of this round

        void read(std::uint64_t line, std::uint32_t sectors) {
            counters.dram_read_sectors += sectors;
            windows.back()[channel_of(line)] += sectors;
        }
        void write(std::uint64_t line, std::uint32_t sectors) {
            counters.dram_write_sectors += sectors;
            windows.back()[channel_of(line)] += sectors;
        }
    };

    std::uint32_t ways, sets;
    SetIndex index;
    std::vector<std::uint32_t> random;  // one generator per set
    std::vector<Part> parts;
    L2Counters counters;

    explicit State(const MemoryConfig& config)
        : ways(static_cast<std::uint32_t>(config.l2_ways)),
          sets(static_cast<std::uint32_t>(config.l2_bytes / (std::uint64_t{line_bytes} * ways))),
          index(std::max(sets, 1U)),
          random(sets),
          parts(std::size_t{1} << most_part_bits) {
        places.resize(std::size_t{sets} * ways);
        short_tags.assign(places.size(), short_tag(no_line));
        empty.assign(sets, static_cast<std::uint8_t>(ways));
        for (std::uint32_t set = 0; set < sets; ++set) random[set] = (set + 1) * 0x9E3779B9U | 1U;
    }

    std::uint64_t line_in(std::size_t place) const {
        return std::uint64_t{places[place].upper} << 32 | short_tags[place];
    }

    // The place of a line in a set, places.size() if it is not there.
    std::uint32_t find_in(std::uint32_t set, std::uint64_t line) const {
        const std::uint32_t begin = set * ways;
        std::uint32_t found = matching_ways(&short_tags[begin], ways, short_tag(line));
        for (; found != 0; found &= found - 1) {
            const std::uint32_t place = begin + static_cast<std::uint32_t>(std::countr_zero(found));
            if (places[place].upper == line >> 32) return place;
        }
        return static_cast<std::uint32_t>(places.size());
    }

    std::uint32_t allocate(std::uint32_t set, Part& part) {
        if (empty[set] > 0) {
            --empty[set];
            return find_in(set, no_line);
        }
        std::uint32_t& x = random[set];  // xorshift (Marsaglia 2003)
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        const auto place = set * ways + static_cast<std::uint32_t>((std::uint64_t{x} * ways) >> 32);
        if (const std::uint32_t dirty = places[place].dirty; dirty != 0) part.write(line_in(place), sectors_in(dirty));
        return place;
    }

    std::uint32_t find(std::uint64_t line) const { return find_in(index(line), line); }

    std::uint32_t find_or_allocate(std::uint32_t set, std::uint64_t line, Part& part) {
        const std::uint32_t there = find_in(set, line);
        if (there < places.size()) return there;
        const std::uint32_t place = allocate(set, part);
        put(line, place);
        return place;
    }

    /// Nothing of the line is here yet.
    void put(std::uint64_t line, std::size_t place) {
        places[place] = {.upper = static_cast<std::uint16_t>(line >> 32)};
        short_tags[place] = short_tag(line);
    }

    void make_dirty(std::uint32_t place, std::uint32_t sectors, Part& part) {
        if (places[place].dirty == 0 && part.dirtied.size() < places.size()) part.dirtied.push_back(place);
        places[place].dirty |= static_cast<std::uint8_t>(sectors);
    }

    /// Brings the set of a queue's next request into the caches of this core while the other queues have their turn.
    void look_ahead(Queue& queue) const {
        if (queue.next == queue.end) return;
        queue.set = index(queue.next->line());
        const std::size_t first = std::size_t{queue.set} * ways;
        __builtin_prefetch(&short_tags[first], 1);
        for (std::uint32_t way = 0; way < ways; way += 64 / sizeof(Place)) __builtin_prefetch(&places[first + way], 1);
    }

    /// `set`: of the request's line.
    void serve(LineRequest request, std::uint32_t set, std::uint32_t& last, Part& part) {
        L2Counters& counts = part.counters;
        const std::uint64_t line = request.line();
        const std::uint32_t sectors = request.sectors(), count = sectors_in(sectors);
        if (line_in(last) != line) last = find_or_allocate(set, line, part);
        Place& here = places[last];
        if (request.kind() == AccessKind::store) {
            counts.write_sectors += count;
            here.written |= words_of(sectors, request.words());
            make_dirty(last, sectors, part);
            std::uint32_t whole = sectors;
            for (std::uint32_t s = 0; request.words() != all_words && s < sectors_of_line; ++s)
                if ((here.written >> (8 * s) & all_words) != all_words) whole &= ~(1U << s);
            here.valid |= static_cast<std::uint8_t>(whole);
            return;
        }
        if (const std::uint32_t missing = sectors & ~here.valid; missing != 0) {
            part.read(line, sectors_in(missing));
            here.valid |= static_cast<std::uint8_t>(missing);
        }
        if (request.kind() == AccessKind::atomic) {
            counts.atomic_sectors += count;
            make_dirty(last, sectors, part);
        } else {
            counts.read_sectors += count;
        }
    }

    static void pass_through(LineRequest request, Part& part) {
        const std::uint64_t line = request.line();
        const std::uint32_t count = sectors_in(request.sectors());
        if (request.kind() == AccessKind::store) {
            part.counters.write_sectors += count;
            part.write(line, count);
        } else if (request.kind() == AccessKind::atomic) {
            part.counters.atomic_sectors += count;
            part.read(line, count);
            part.write(line, count);
        } else {
            part.counters.read_sectors += count;
            part.read(line, count);
        }
    }

    /// Serves the requests to the sets of part `number`, all queues request by request, round robin.
    void serve_part(std::span<const std::vector<LineRequest>> queues, std::uint32_t number, std::uint32_t part_bits) {
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
                if (walked >= sectors_under_way) {
                    part.windows.emplace_back();
                    walked = 0;
                }
                for (auto& queue : part.running) {
                    const LineRequest request = *queue.next++;
                    walked += sectors_in(request.sectors());
                    if (part_bits == 0 || index.part(request.line(), part_bits) == number)
                        serve(request, queue.set, queue.last, part);
                    if (queue.next != queue.end && queue.next->line() != request.line()) look_ahead(queue);
                }
            }
            std::erase_if(part.running, [](const auto& queue) { return queue.next == queue.end; });
        }
    }

    void drop_sectors(std::size_t place, std::uint8_t bits) {
        Place& line = places[place];
        counters.dram_write_sectors += sectors_in(line.dirty & bits);
        line.dirty &= static_cast<std::uint8_t>(~bits);
        line.valid &= static_cast<std::uint8_t>(~bits);
        line.written &= ~words_of(bits, all_words);
        if (bits != 0xF) return;
        put(no_line, place);
        ++empty[place / ways];
    }
};

L2Cache::L2Cache(const MemoryConfig& config) : state_(std::make_unique<State>(config)) {}
L2Cache::~L2Cache() = default;

void L2Cache::process(std::span<std::vector<LineRequest>> queues) {
    serve(queues, 0, 1);
    end_round();
    for (auto& queue : queues) queue.clear();
}

std::size_t L2Cache::parts(std::span<const std::vector<LineRequest>> queues, std::size_t threads) const {
    std::size_t requests = 0;
    for (const auto& queue : queues) requests += queue.size();
    if (state_->sets == 0 || requests < worth_dividing) return 1;
    return std::size_t{1} << state_->index.part_bits(
               std::min(most_part_bits, static_cast<std::uint32_t>(std::bit_width(threads) - 1)));
}

void L2Cache::serve(std::span<const std::vector<LineRequest>> queues, std::size_t part, std::size_t parts) {
    State& state = *state_;
    if (state.sets > 0) {
        state.serve_part(queues, static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(std::countr_zero(parts)));
        return;
    }
    State::Part& all = state.parts.front();
    all.windows.assign(1, {});
    std::size_t walked = 0;
    for (const auto& queue : queues) {
        for (const LineRequest request : queue) {
            if (walked >= sectors_under_way) {
                all.windows.emplace_back();
                walked = 0;
            }
            walked += sectors_in(request.sectors());
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
    const auto clean = [&](Place& line) {
        state.counters.dram_write_sectors += sectors_in(line.dirty);
        line.dirty = 0;
    };
    // A list that is full may lack some.
    const bool all = std::ranges::any_of(
        state.parts, [&](const State::Part& part) { return part.dirtied.size() >= state.places.size(); });
    if (all) std::ranges::for_each(state.places, clean);
    for (State::Part& part : state.parts) {
        if (!all)
            for (const std::uint32_t place : part.dirtied) clean(state.places[place]);
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
    if ((last - first) * tags_per_search < state.places.size()) {
        for (std::uint64_t line = first; line <= last; ++line)
            if (const std::size_t place = state.find(line); place < state.places.size())
                state.drop_sectors(place, bits_in_range(line));
        return;
    }
    // Mostly none of a stretch is there, by the lower halves already.
    const auto span = static_cast<std::uint32_t>(std::min<std::uint64_t>(last - first, ~std::uint32_t{0}));
    const auto may_be_in_range = [&](std::size_t place) { return state.short_tags[place] - short_tag(first) <= span; };
    const auto is_in_range = [&](std::size_t place) {
        const std::uint64_t line = state.line_in(place);
        return line - first <= last - first && line != no_line;
    };
    for (std::size_t begin = 0; begin < state.places.size(); begin += tags_per_search) {
        const std::size_t end = std::min(begin + tags_per_search, state.places.size());
        bool any = false;
        for (std::size_t place = begin; place < end; ++place) any |= may_be_in_range(place);
        for (std::size_t place = begin; any && place < end; ++place)
            if (is_in_range(place)) state.drop_sectors(place, bits_in_range(state.line_in(place)));
    }
}

L2Counters L2Cache::counters() const {
    L2Counters total = state_->counters;
    for (const State::Part& part : state_->parts) total += part.counters;
    return total;
}
std::uint64_t L2Cache::dirty_sectors() const {
    std::uint64_t sectors = 0;
    for (const Place& place : state_->places) sectors += sectors_in(place.dirty);
    return sectors;
}
void L2Cache::reset_counters() {
    state_->counters = {};
    for (State::Part& part : state_->parts) part.counters = {};
}

std::size_t L2Cache::contents_bytes() const {
    return state_->places.size() * (sizeof(Place) + sizeof(std::uint32_t)) + state_->empty.size();
}

L2Cache::Contents L2Cache::contents() const {
    Contents now;
    now.lines_ = std::make_shared<Contents::Lines>(static_cast<const Contents::Lines&>(*state_));
    return now;
}

void L2Cache::put_back(const Contents& contents) {
    static_cast<Contents::Lines&>(*state_) = *contents.lines_;
    for (State::Part& part : state_->parts) part.dirtied.clear();
}

void L2Cache::drop_from(Contents& contents, std::uint64_t first_sector, std::uint64_t sectors) {
    std::swap(static_cast<Contents::Lines&>(*state_), *contents.lines_);
    drop(first_sector, sectors);
    std::swap(static_cast<Contents::Lines&>(*state_), *contents.lines_);
}

}  // namespace gpuproj::simulate
