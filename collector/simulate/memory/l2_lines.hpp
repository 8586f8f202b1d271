// The lines of an L2 cache, or of a part of one: sectored, write-back, write-allocate by sector.
//
// The line of a set that was not asked for the longest is replaced: what the DRAM counters of four GPUs of Kepler and
// Maxwell say, whose products of matrices outgrow their L2 (docs/decisions/0047-order-of-use.md).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"
#include "collector/simulate/memory/order_of_use.hpp"
#include "collector/simulate/memory/ways.hpp"

namespace gpuproj::simulate {

constexpr std::uint64_t no_line = (std::uint64_t{1} << LineRequest::line_bits) - 1;

/// The bytes of `sectors`, four bits, each of which is `words`.
constexpr std::uint32_t words_of(std::uint32_t sectors, std::uint32_t words) {
    return ((sectors & 1) | (sectors & 2) << 7 | (sectors & 4) << 14 | (sectors & 8) << 21) * words;
}

/// Those sectors of a line, one bit each, that are from `first` to `last`, of which some is in it.
constexpr std::uint32_t sectors_between(std::uint64_t line, std::uint64_t first, std::uint64_t last) {
    std::uint32_t bits = 0xF;
    if (line == first / 4) bits &= 0xFU << (first % 4);
    if (line == last / 4) bits &= 0xFU >> (3 - last % 4);
    return bits;
}

/// Who uses it says which set a line belongs to, and takes what goes to and from DRAM: a `Dram` has read(line,
/// sectors), write(line, sectors) and becomes_dirty(line, sectors), each with a number of sectors, and `dirtied`, the
/// places that became dirty since the last `charge` (some gone since).
class L2Lines {
public:
    /// What is known of the line in a place, besides the low half of its number.
    struct Place {
        std::uint32_t written = 0;                                        // 8 words of each sector, since it came in
        std::uint16_t upper = static_cast<std::uint16_t>(no_line >> 32);  // half of its number
        std::uint8_t valid = 0;                                           // one bit per sector: all of it is here
        // One bit per sector: dirty; and, four bits further up, dirty and charged already.
        std::uint8_t dirty_and_charged = 0;

        std::uint32_t dirty() const { return dirty_and_charged & 0xFU; }
        std::uint32_t charged() const { return dirty_and_charged >> 4; }
    };
    static_assert(LineRequest::line_bits == 48 && sizeof(Place) == 8);

    L2Lines(std::uint32_t set_count, std::uint32_t way_count) : ways(way_count), sets(set_count), used(set_count) {
        places.resize(std::size_t{sets} * ways);
        short_tags.assign(places.size(), short_tag(no_line));
        empty.assign(sets, static_cast<std::uint8_t>(ways));
    }

    std::uint32_t ways, sets;
    std::vector<Place> places;              // set by set
    std::vector<std::uint32_t> short_tags;  // of the lines there
    std::vector<std::uint8_t> empty;        // places per set
    std::vector<OrderOfUse> used;           // per set

    std::uint64_t line_in(std::size_t place) const {
        return std::uint64_t{places[place].upper} << 32 | short_tags[place];
    }

    /// The place of a line in a set, places.size() if it is not there.
    std::uint32_t find_in(std::uint32_t set, std::uint64_t line) const {
        const std::uint32_t begin = set * ways;
        std::uint32_t found = matching_ways(&short_tags[begin], ways, short_tag(line));
        for (; found != 0; found &= found - 1) {
            const std::uint32_t place = begin + static_cast<std::uint32_t>(std::countr_zero(found));
            if (places[place].upper == line >> 32) return place;
        }
        return static_cast<std::uint32_t>(places.size());
    }

    /// `last`: where a request before this one went, maybe of the same line; is brought up to date.
    template <class Dram>
    void serve(LineRequest request, std::uint32_t set, std::uint32_t& last, Dram& dram) {
        const std::uint64_t line = request.line();
        const std::uint32_t sectors = request.sectors();
        if (line_in(last) != line) last = find_or_allocate(set, line, dram);
        used[set].touch(last - set * ways);
        Place& here = places[last];
        if (request.kind() == AccessKind::store) {
            here.written |= words_of(sectors, request.words());
            make_dirty(last, sectors, dram);
            std::uint32_t whole = sectors;
            for (std::uint32_t s = 0; request.words() != all_words && s < sectors_of_line; ++s)
                if ((here.written >> (8 * s) & all_words) != all_words) whole &= ~(1U << s);
            here.valid |= static_cast<std::uint8_t>(whole);
            return;
        }
        if (const std::uint32_t missing = sectors & ~here.valid; missing != 0) {
            dram.read(line, sectors_in(missing));
            here.valid |= static_cast<std::uint8_t>(missing);
        }
        if (request.kind() == AccessKind::atomic) make_dirty(last, sectors, dram);
    }

    /// The same for one half of two, each of which keeps what its own multiprocessors ask for: `set` is of this half,
    /// `other_set` of the other. What the other has need not be read from DRAM; what is stored here is no longer there.
    template <class Dram>
    void serve_of_two(LineRequest request, std::uint32_t set, std::uint32_t other_set, std::uint32_t& last,
                      Dram& dram) {
        const std::uint64_t line = request.line();
        if (const std::uint32_t there = find_in(other_set, line); there < places.size()) {
            if (line_in(last) != line) last = find_or_allocate(set, line, dram);
            if (request.kind() == AccessKind::store || request.kind() == AccessKind::atomic)
                move(there, last, request.sectors(), dram);
            else
                places[last].valid |= static_cast<std::uint8_t>(places[there].valid & request.sectors());
        }
        serve(request, set, last, dram);
    }

    /// Takes the dirty sectors for written, though they stay: what is stored there again, as long as they do, is one
    /// write with what was. Gives how many there are. `dirtied`: where those may be; one that is as long as `places`
    /// may lack some.
    std::uint64_t charge(std::vector<std::uint32_t>& dirtied) {
        std::uint64_t sectors = 0;
        const auto one = [&](Place& line) {
            sectors += sectors_in(line.dirty());
            line.dirty_and_charged = static_cast<std::uint8_t>((line.dirty() | line.charged()) << 4);
        };
        if (dirtied.size() >= places.size())
            for (Place& line : places) one(line);
        else
            for (const std::uint32_t place : dirtied) one(places[place]);
        dirtied.clear();
        return sectors;
    }

    std::uint64_t dirty_sectors() const {
        std::uint64_t sectors = 0;
        for (const Place& place : places) sectors += sectors_in(place.dirty());
        return sectors;
    }

    /// Drops sectors (one bit each) of the line in a place; gives how many of them were dirty.
    std::uint32_t drop_sectors(std::size_t place, std::uint8_t bits) {
        Place& line = places[place];
        const std::uint32_t dirty = sectors_in(line.dirty() & bits);
        line.dirty_and_charged &= static_cast<std::uint8_t>(~(bits | bits << 4));
        line.valid &= static_cast<std::uint8_t>(~bits);
        line.written &= ~words_of(bits, all_words);
        if (bits != 0xF) return dirty;
        put(no_line, place);
        ++empty[place / ways];
        return dirty;
    }

    void clear_set(std::uint32_t set) {
        const auto first = static_cast<std::ptrdiff_t>(set) * ways;
        std::fill_n(places.begin() + first, ways, Place{});
        std::fill_n(short_tags.begin() + first, ways, short_tag(no_line));
        empty[set] = static_cast<std::uint8_t>(ways);
        used[set] = {};
    }

    /// Drops [first_sector, first_sector + sectors), at least one; gives how many of them were dirty. find(line) gives
    /// the place of a line, or places.size().
    template <class Find>
    std::uint64_t drop(std::uint64_t first_sector, std::uint64_t sectors, const Find& find) {
        const std::uint64_t last_sector = first_sector + sectors - 1;
        const auto bits_in_range = [&](std::uint64_t line) {
            return static_cast<std::uint8_t>(sectors_between(line, first_sector, last_sector));
        };
        const std::uint64_t first = first_sector / 4, last = last_sector / 4;
        std::uint64_t dirty = 0;
        // To look for one line costs as much as to go over some tens of tags in a row.
        constexpr std::size_t tags_per_search = 32;
        if ((last - first) * tags_per_search < places.size()) {
            for (std::uint64_t line = first; line <= last; ++line)
                if (const std::size_t place = find(line); place < places.size())
                    dirty += drop_sectors(place, bits_in_range(line));
            return dirty;
        }
        // Mostly none of a stretch is there, by the lower halves already.
        const auto span = static_cast<std::uint32_t>(std::min<std::uint64_t>(last - first, ~std::uint32_t{0}));
        const auto may_be_in_range = [&](std::size_t place) { return short_tags[place] - short_tag(first) <= span; };
        const auto is_in_range = [&](std::size_t place) {
            const std::uint64_t line = line_in(place);
            return line - first <= last - first && line != no_line;
        };
        for (std::size_t begin = 0; begin < places.size(); begin += tags_per_search) {
            const std::size_t end = std::min(begin + tags_per_search, places.size());
            bool any = false;
            for (std::size_t place = begin; place < end; ++place) any |= may_be_in_range(place);
            for (std::size_t place = begin; any && place < end; ++place)
                if (is_in_range(place)) dirty += drop_sectors(place, bits_in_range(line_in(place)));
        }
        return dirty;
    }

private:
    static constexpr std::uint32_t all_words = 0xFF;
    static constexpr std::uint32_t sectors_of_line = 4;

    template <class Dram>
    std::uint32_t allocate(std::uint32_t set, Dram& dram) {
        if (empty[set] > 0) {
            --empty[set];
            return find_in(set, no_line);
        }
        const std::uint32_t place = set * ways + used[set].renew_oldest(ways);
        if (const std::uint32_t dirty = places[place].dirty(); dirty != 0)
            dram.write(line_in(place), sectors_in(dirty));
        return place;
    }

    template <class Dram>
    std::uint32_t find_or_allocate(std::uint32_t set, std::uint64_t line, Dram& dram) {
        const std::uint32_t there = find_in(set, line);
        if (there < places.size()) return there;
        const std::uint32_t place = allocate(set, dram);
        put(line, place);
        return place;
    }

    /// Sectors (one bit each) of a line that is in two places.
    template <class Dram>
    void move(std::uint32_t from, std::uint32_t to, std::uint32_t sectors, Dram& dram) {
        const Place& old = places[from];
        Place& here = places[to];
        here.valid |= static_cast<std::uint8_t>(old.valid & sectors);
        here.written |= old.written & words_of(sectors, all_words);
        const std::uint32_t dirty = old.dirty() & sectors, charged = old.charged() & sectors;
        if (dirty != 0) note_dirty(to, dram);
        here.dirty_and_charged |= static_cast<std::uint8_t>(dirty | charged << 4);
        drop_sectors(from, static_cast<std::uint8_t>(sectors));
        if (old.valid == 0 && old.written == 0 && old.dirty_and_charged == 0) drop_sectors(from, 0xF);
    }

    /// Before sectors become dirty there.
    template <class Dram>
    void note_dirty(std::uint32_t place, Dram& dram) const {
        if (places[place].dirty() == 0 && dram.dirtied.size() < places.size()) dram.dirtied.push_back(place);
    }

    /// Nothing of the line is here yet.
    void put(std::uint64_t line, std::size_t place) {
        places[place] = {.upper = static_cast<std::uint16_t>(line >> 32)};
        short_tags[place] = short_tag(line);
    }

    template <class Dram>
    void make_dirty(std::uint32_t place, std::uint32_t sectors, Dram& dram) {
        Place& here = places[place];
        const std::uint32_t clean = sectors & ~(here.dirty() | here.charged());
        if (clean == 0) return;
        dram.becomes_dirty(line_in(place), sectors_in(clean));
        note_dirty(place, dram);
        here.dirty_and_charged |= static_cast<std::uint8_t>(clean);
    }
};

}  // namespace gpuproj::simulate
