// L2 of the whole GPU.
#include <algorithm>
#include <array>
#include <bit>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/l2_lines.hpp"
#include "collector/simulate/memory/open_pages.hpp"
#include "collector/simulate/memory/other_l2.hpp"
#include "collector/simulate/memory/set_index.hpp"

namespace gpuproj::simulate {
namespace {

// Every part reads all requests to find its own, so that few parts are best, and only for many requests.
constexpr std::uint32_t most_part_bits = 2;
constexpr std::size_t worth_dividing = 2048;
// Sectors of the whole GPU between one's being asked for and served: some 100 KiB by Little's law, 200 to 300 GB/s
// times 400 to 500 ns.
constexpr std::size_t sectors_under_way = 4096;

/// DRAM sectors by channel in a stretch of requests.
using ByChannel = std::array<std::uint32_t, dram_channels>;

constexpr std::size_t channel_of(std::uint64_t line) {
    return line / (channel_bytes / line_bytes) % dram_channels;
}

}  // namespace

/// Of the sets that hold any lines, all ways.
struct L2Cache::Contents::Lines {
    std::vector<std::uint32_t> sets;
    std::vector<L2Lines::Place> places;
    std::vector<std::uint32_t> short_tags;
    std::vector<std::uint8_t> empty;
    std::vector<OrderOfUse> used;
};

struct L2Cache::State : L2Lines {
    struct Queue {
        const LineRequest* next;
        const LineRequest* end;
        std::uint32_t last;  // where this SM's last request went: the next one is often of the same line
        std::uint32_t set;   // of the next request's line
        std::uint32_t sm;
        std::uint32_t half;  // of the L2 that serves it; 0 where there are no halves
    };

    /// What one host thread does: the sets of one part, all queues in the common order.
    struct alignas(128) Part {
        std::vector<Queue> running;
        L2Counters counters;
        std::vector<std::uint32_t> dirtied;  // places that became dirty since the last charge, some gone since
        std::vector<ByChannel> windows;      // what this part did in each of this round
        std::size_t walked = 0;              // sectors in the last of them
        std::ptrdiff_t together = 0;         // how far all that run go on
        State* l2 = nullptr;

        void read(std::uint64_t line, std::uint32_t sectors) {
            counters.dram_read_sectors += sectors;
            windows.back()[channel_of(line)] += sectors;
            if (!l2->sampled) l2->pages_of(line).read.visit(line, sectors, window(), counters.read_pages);
        }
        void becomes_dirty(std::uint64_t line, std::uint32_t sectors) {
            if (!l2->sampled) l2->pages_of(line).written.visit(line, sectors, window(), counters.written_pages);
        }
        void write(std::uint64_t line, std::uint32_t sectors) {
            counters.dram_write_sectors += sectors;
            windows.back()[channel_of(line)] += sectors;
        }
        std::uint64_t window() const { return l2->windows_before + windows.size(); }
        /// Other parts count the same requests, so that their windows are the same.
        void count(LineRequest request) {
            if (walked >= sectors_under_way) {
                windows.emplace_back();
                walked = 0;
            }
            walked += sectors_in(request.sectors());
        }
    };
    /// Of the lines of one part of as many as there can be.
    struct alignas(128) Pages {
        OpenPages read, written;
    };

    std::uint32_t halves;      // 1: there are none
    std::uint32_t half_sets;   // of each
    SetIndex index;            // of each
    std::uint32_t share_bits;  // of the most parts that there can be
    OtherL2::Sample other_lines;
    std::vector<OtherL2> others;  // of each of these parts
    std::vector<Part> parts;
    std::vector<Pages> pages;          // of each of the most parts
    std::uint64_t windows_before = 0;  // this round
    L2Counters counters;
    bool sampled = false;                              // only lines of a sample come
    std::span<const std::vector<LineRequest>> queues;  // of this round
    std::uint32_t part_bits = 0;                       // that it is divided by

    explicit State(const MemoryConfig& config)
        : L2Lines(sets_of_half(config) * config.l2_halves, static_cast<std::uint32_t>(config.l2_ways)),
          halves(config.l2_halves),
          half_sets(sets / halves),
          index(std::max(half_sets, 1U)),
          share_bits(index.part_bits(most_part_bits)),
          other_lines(index),
          parts(std::size_t{1} << most_part_bits),
          pages(std::size_t{1} << share_bits) {
        for (Part& part : parts) part.l2 = this;
        if (sets == 0) return;
        const std::uint32_t shares = 1U << share_bits;
        for (std::uint32_t share = 0; share < shares; ++share) others.emplace_back(other_lines, shares);
    }

    Pages& pages_of(std::uint64_t line) { return pages[index.part(line, share_bits)]; }

    static std::uint32_t sets_of_half(const MemoryConfig& config) {
        return static_cast<std::uint32_t>(config.l2_bytes / config.l2_halves /
                                          (std::uint64_t{line_bytes} * static_cast<std::uint32_t>(config.l2_ways)));
    }
    /// A place of this half.
    std::uint32_t first_of(std::uint32_t half) const { return half * half_sets * ways; }
    std::uint32_t set_of(std::uint64_t line, std::uint32_t half) const { return index(line) + half * half_sets; }

    /// Gives how many were dirty.
    std::uint64_t drop_lines(std::uint64_t first_sector, std::uint64_t sectors) {
        std::uint64_t dirty = 0;
        for (std::uint32_t half = 0; half < halves; ++half)
            dirty += L2Lines::drop(first_sector, sectors,
                                   [&](std::uint64_t line) { return find_in(set_of(line, half), line); });
        return dirty;
    }

    /// Brings the set of a queue's next request into the caches of this core while the other queues have their turn.
    void look_ahead(Queue& queue) const {
        if (queue.next == queue.end) return;
        // Requests themselves are many queues, which other cores wrote.
        constexpr std::ptrdiff_t ahead = 24;
        __builtin_prefetch(queue.next + std::min<std::ptrdiff_t>(ahead, queue.end - queue.next - 1));
        queue.set = set_of(queue.next->line(), queue.half);
        ask_for(queue.set);
        if (halves > 1) ask_for(set_of(queue.next->line(), 1 - queue.half));
    }
    /// What is looked up, and most of it changed: a request's set in both halves.
    void ask_for(std::uint32_t set) const {
        const std::size_t first = std::size_t{set} * ways;
        __builtin_prefetch(&short_tags[first], 1);
        for (std::uint32_t way = 0; way < ways; way += 64 / sizeof(Place)) __builtin_prefetch(&places[first + way], 1);
    }

    /// Of a queue whose `set` is that of the request's line.
    void serve(LineRequest request, Queue& queue, Part& part) {
        const std::uint32_t set = queue.set;
        if (halves == 1)
            L2Lines::serve(request, set, queue.last, part);
        else
            serve_of_two(request, set, set_of(request.line(), 1 - queue.half), queue.last, part);
        const std::uint32_t count = sectors_in(request.sectors());
        if (request.kind() == AccessKind::store)
            part.counters.write_sectors += count;
        else if (request.kind() == AccessKind::atomic)
            part.counters.atomic_sectors += count;
        else
            part.counters.read_sectors += count;
        if (other_lines.has(request.line(), set))
            others[index.part(request.line(), share_bits)].serve(request, queue.sm);
    }

    static void pass_through(LineRequest request, Part& part) {
        const std::uint64_t line = request.line();
        const std::uint32_t count = sectors_in(request.sectors());
        if (request.kind() == AccessKind::store) {
            part.counters.write_sectors += count;
            part.becomes_dirty(line, count);
            part.write(line, count);
        } else if (request.kind() == AccessKind::atomic) {
            part.counters.atomic_sectors += count;
            part.read(line, count);
            part.becomes_dirty(line, count);
            part.write(line, count);
        } else {
            part.counters.read_sectors += count;
            part.read(line, count);
        }
    }

    /// A part's way through the requests of a round, from their beginning.
    void begin(std::uint32_t number) {
        Part& part = parts[number];
        // Not a place of another part, which others may be at.
        const std::uint32_t last = index.set_of_part(number, part_bits) * ways;
        part.windows.assign(1, {});
        part.walked = 0;
        part.together = 0;
        part.running.clear();
        for (std::uint32_t sm = 0; sm < queues.size(); ++sm) {
            const auto& queue = queues[sm];
            const std::uint32_t half = half_of(sm, halves);
            if (!queue.empty())
                part.running.push_back({queue.data(), queue.data() + queue.size(), first_of(half) + last, 0, sm, half});
        }
    }

    /// Walks on by `most` requests of all queues, request by request, round robin, and serves those to the sets of part
    /// `number`. False: nothing is left.
    bool walk(std::uint32_t number, std::size_t most) {
        Part& part = parts[number];
        if (part.together == 0)  // at the beginning
            for (Queue& queue : part.running) look_ahead(queue);
        for (std::size_t done = 0; !part.running.empty();) {
            // All that are left go on together until the shortest ends.
            if (part.together == 0) {
                part.together = part.running.front().end - part.running.front().next;
                for (const auto& queue : part.running) part.together = std::min(part.together, queue.end - queue.next);
            }
            for (; part.together > 0; --part.together) {
                if (done >= most) return true;
                done += part.running.size();
                for (auto& queue : part.running) {
                    const LineRequest request = *queue.next++;
                    part.count(request);
                    if (part_bits == 0 || index.part(request.line(), part_bits) == number) serve(request, queue, part);
                    if (queue.next != queue.end && queue.next->line() != request.line()) look_ahead(queue);
                }
            }
            std::erase_if(part.running, [](const auto& queue) { return queue.next == queue.end; });
        }
        return false;
    }

    /// Where there is no L2.
    void pass_all() {
        for (const auto& queue : queues) {
            for (const LineRequest request : queue) {
                parts.front().count(request);
                pass_through(request, parts.front());
            }
        }
    }
};

L2Cache::L2Cache(const MemoryConfig& config) : state_(std::make_unique<State>(config)) {}
L2Cache::~L2Cache() = default;

void L2Cache::process(std::span<std::vector<LineRequest>> queues) {
    begin_round(queues, 1);
    serve(0);
    end_round();
    for (auto& queue : queues) queue.clear();
}

std::size_t L2Cache::begin_round(std::span<const std::vector<LineRequest>> queues, std::size_t threads) {
    State& state = *state_;
    std::size_t requests = 0;
    for (const auto& queue : queues) requests += queue.size();
    const bool divides = state.sets > 0 && requests >= worth_dividing;
    const std::uint32_t most_bits = divides ? static_cast<std::uint32_t>(std::bit_width(threads) - 1) : 0;
    state.queues = queues;
    state.part_bits = state.index.part_bits(std::min(most_part_bits, most_bits));
    const std::size_t parts = std::size_t{1} << state.part_bits;
    for (std::uint32_t part = 0; part < parts; ++part) state.begin(part);
    return parts;
}

bool L2Cache::serve(std::size_t part, std::size_t most) {
    if (state_->sets > 0) return state_->walk(static_cast<std::uint32_t>(part), most);
    state_->pass_all();
    return false;
}

void L2Cache::end_round() {
    std::size_t windows = 0;
    for (const State::Part& part : state_->parts) windows = std::max(windows, part.windows.size());
    for (std::size_t w = 0; w < windows && !state_->sampled; ++w) {
        ByChannel sum{};
        for (const State::Part& part : state_->parts) {
            if (w >= part.windows.size()) continue;
            for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += part.windows[w][c];
        }
        for (const std::uint32_t sectors : sum) state_->counters.channel_sectors += sectors;
        state_->counters.busiest_channel_sectors += *std::ranges::max_element(sum);
    }
    state_->windows_before += windows;
    for (State::Part& part : state_->parts) part.windows.clear();
    state_->queues = {};
}

void L2Cache::charge() {
    State& state = *state_;
    for (State::Part& part : state.parts) state.counters.dram_write_sectors += state.charge(part.dirtied);
    for (OtherL2& other : state.others) other.charge();
}

void L2Cache::pass(std::uint64_t first_sector, std::uint64_t sectors) {
    State& state = *state_;
    if (sectors == 0 || state.sets == 0) return;
    struct Uncounted {
        std::vector<std::uint32_t> dirtied;
        static void read(std::uint64_t, std::uint32_t) {}
        static void write(std::uint64_t, std::uint32_t) {}
        static void becomes_dirty(std::uint64_t, std::uint32_t) {}
    } nobody;
    // What came before is gone when so much has followed it, but for a line here and there.
    constexpr std::uint64_t most_lines = 2 * other_l2_sizes.back().bytes / line_bytes;
    const std::uint64_t last_sector = first_sector + sectors - 1, last_line = last_sector / 4;
    const std::uint64_t first_line = std::max(first_sector / 4, last_line - std::min(last_line, most_lines - 1));
    const std::uint64_t here_from = last_line - std::min<std::uint64_t>(last_line, 2 * state.places.size());
    std::array last{state.first_of(0), state.first_of(state.halves - 1)};
    constexpr std::uint64_t ahead = 8;
    for (std::uint64_t line = first_line; line <= last_line; ++line) {
        for (std::uint32_t half = 0; half < state.halves && line + ahead >= here_from; ++half)
            state.ask_for(state.set_of(line + ahead, half));
        const LineRequest request(line, sectors_between(line, first_sector, last_sector), AccessKind::load);
        const auto sm = static_cast<std::uint32_t>(line);  // any of them
        const std::uint32_t half = half_of(sm, state.halves), set = state.set_of(line, half);
        if (line >= here_from) {
            if (state.halves == 1)
                state.L2Lines::serve(request, set, last.at(half), nobody);
            else
                state.serve_of_two(request, set, state.set_of(line, 1 - half), last.at(half), nobody);
        }
        if (state.other_lines.has(line, set)) state.others[state.index.part(line, state.share_bits)].pass(request, sm);
    }
}

void L2Cache::drop(std::uint64_t first_sector, std::uint64_t sectors) {
    if (sectors == 0 || state_->sets == 0) return;
    State& state = *state_;
    state.counters.dram_write_sectors += state.drop_lines(first_sector, sectors);
    // A hash for each of some thousand lines costs less than to go over the tags of all caches.
    constexpr std::uint64_t few_lines = 4096;
    const std::uint64_t first = first_sector / 4, last = (first_sector + sectors - 1) / 4;
    if (last - first >= few_lines) {
        for (OtherL2& other : state.others) other.drop(first_sector, sectors);
        return;
    }
    for (std::uint64_t line = first; line <= last; ++line) {
        if (!state.other_lines.has(line)) continue;
        const std::uint64_t begin = std::max(first_sector, line * 4);
        const std::uint64_t end = std::min(first_sector + sectors, line * 4 + 4);
        state.others[state.index.part(line, state.share_bits)].drop(begin, end - begin);
    }
}

std::uint32_t L2Cache::sample_bits() const {
    return state_->sets == 0 ? 0 : state_->index.class_bits();
}
LineSample L2Cache::sample(std::uint32_t bits) const {
    return {state_->index, bits};
}

void L2Cache::begin_sample(const LineSample& sample) {
    State& state = *state_;
    state.sampled = true;
    for (std::uint32_t set = 0; set < state.sets; ++set) {
        if (sample.has_set(set)) continue;
        for (std::size_t place = std::size_t{set} * state.ways; place < (std::size_t{set} + 1) * state.ways; ++place)
            state.places[place].dirty_and_charged = 0;
    }
}
void L2Cache::end_sample(const LineSample& sample) {
    State& state = *state_;
    state.sampled = false;
    const std::size_t ways = state.ways;
    for (std::uint32_t set = 0; set < state.sets; ++set) {
        if (!sample.has_set(set)) continue;
        for (std::uint32_t other = 1; other < sample.one_in(); ++other) {
            const std::size_t from = set * ways, to = (set ^ other) * ways;
            for (std::size_t way = 0; way < ways; ++way) {
                state.places[to + way] = state.places[from + way];
                const bool line = state.line_in(from + way) != no_line;
                state.short_tags[to + way] = state.short_tags[from + way] ^ (line ? other : 0);
            }
            state.empty[set ^ other] = state.empty[set];
            state.used[set ^ other] = state.used[set];
        }
    }
}

L2Counters L2Cache::counters() const {
    L2Counters total = state_->counters;
    for (const State::Part& part : state_->parts) total += part.counters;
    for (const OtherL2& other : state_->others) {
        L2Counters sampled;
        sampled.other = other.counters();
        total += sampled;
    }
    return total;
}
L2Counters L2Cache::counters_with_dirty() const {
    L2Counters total = counters(), dirty;
    dirty.dram_write_sectors = state_->dirty_sectors();
    total += dirty;
    for (const OtherL2& other : state_->others) {
        L2Counters sampled;
        sampled.other = other.dirty_sectors();
        total += sampled;
    }
    return total;
}
void L2Cache::reset_counters() {
    state_->counters = {};
    for (State::Part& part : state_->parts) part.counters = {};
    for (OtherL2& other : state_->others) other.reset();
}

std::size_t L2Cache::contents_bytes() const {
    const State& state = *state_;
    // Sums of bytes, as many as one can hold, are what compilers make vectors of.
    constexpr std::uint32_t together = 128;
    std::size_t used = 0;
    for (std::uint32_t begin = 0; begin < state.sets; begin += together) {
        const std::uint32_t end = std::min(begin + together, state.sets);
        std::uint8_t some = 0;
        for (std::uint32_t set = begin; set < end; ++set)
            some = static_cast<std::uint8_t>(some + (state.empty[set] < state.ways ? 1 : 0));
        used += some;
    }
    constexpr std::size_t of_line = sizeof(State::Place) + sizeof(std::uint32_t);
    constexpr std::size_t of_set = sizeof(std::uint32_t) + sizeof(std::uint8_t) + sizeof(OrderOfUse);
    return used * (state.ways * of_line + of_set);
}

L2Cache::Contents L2Cache::contents() const {
    const State& state = *state_;
    Contents now;
    now.lines_ = std::make_shared<Contents::Lines>();
    Contents::Lines& lines = *now.lines_;
    for (std::uint32_t set = 0; set < state.sets; ++set)
        if (state.empty[set] < state.ways) lines.sets.push_back(set);
    lines.places.reserve(lines.sets.size() * state.ways);
    lines.short_tags.reserve(lines.places.capacity());
    lines.empty.reserve(lines.sets.size());
    lines.used.reserve(lines.sets.size());
    const auto append = [&](auto& to, const auto& from, std::uint32_t set) {
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(set) * state.ways;
        to.insert(to.end(), begin, begin + state.ways);
    };
    for (const std::uint32_t set : lines.sets) {
        append(lines.places, state.places, set);
        append(lines.short_tags, state.short_tags, set);
        lines.empty.push_back(state.empty[set]);
        lines.used.push_back(state.used[set]);
    }
    return now;
}

void L2Cache::put_back(const Contents& contents) {
    State& state = *state_;
    for (std::uint32_t set = 0; set < state.sets; ++set)
        if (state.empty[set] < state.ways) state.clear_set(set);
    const Contents::Lines& lines = *contents.lines_;
    for (std::size_t i = 0; i < lines.sets.size(); ++i) {
        const auto to = static_cast<std::ptrdiff_t>(lines.sets[i]) * state.ways;
        const auto from = static_cast<std::ptrdiff_t>(i) * state.ways;
        std::copy_n(lines.places.begin() + from, state.ways, state.places.begin() + to);
        std::copy_n(lines.short_tags.begin() + from, state.ways, state.short_tags.begin() + to);
        state.empty[lines.sets[i]] = lines.empty[i];
        state.used[lines.sets[i]] = lines.used[i];
    }
    for (State::Part& part : state.parts) part.dirtied.clear();
}

}  // namespace gpuproj::simulate
