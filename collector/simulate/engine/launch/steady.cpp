#include "collector/simulate/engine/launch/steady.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collector/simulate/engine/launch/alike.hpp"
#include "collector/simulate/engine/launch/traffic.hpp"

namespace gpuproj::simulate {

namespace {

constexpr double alike_share = 0.01;
constexpr std::uint64_t launches_enough = 3;  // the first finds cold caches
// Of a kernel that is steady, the first launch of each period is simulated, and compared.
constexpr std::uint64_t period = 32;
constexpr std::size_t most_entries = 4096;
// That are alike. A sixth more or fewer blocks than in the last launch, or loads and stores than in the one that was
// simulated, are no step of the same thing.
constexpr std::uint64_t alike_enough = 8, most_between = period - 1;
constexpr double most_growth = 1.0 / 6;
// To keep contents of L2 and to put them back must cost less than it takes to simulate the memory of the launches up to
// the next that is: a byte takes some 0.1 ns each time, an instruction of a warp 20 and more.
constexpr double bytes_per_instruction = 50;
constexpr std::uint64_t never = ~std::uint64_t{0};
constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;
constexpr std::size_t most_changes = 4096;  // ranges

/// What launches of a kernel with any arguments go by.
Repeats::Key of_kind(const Repeats::Key& key) {
    return {.kind = key.kind, .blocks = 0, .arguments = {}};
}

double number(const Maybe<Instructions>& count) {
    return count ? count->value : 0;
}

/// How many loads and stores `b` has for each of `a`; 1 where nothing is known.
double growth(const Counted& a, const Counted& b) {
    const double before = number(a.metrics.thread_inst_load_store), now = number(b.metrics.thread_inst_load_store);
    return before > 0 ? now / before : 1;
}

}  // namespace

Steady::Entry* Steady::own(const Repeats::Key& key) {
    const auto entry = entries_.find(key);
    return entry != entries_.end() && entry->second.launches >= 2 ? &entry->second : nullptr;
}

Steady::Row* Steady::row_of(Entry* own, const std::string& kind) {
    if (own != nullptr) return &own->row;
    const auto row = kinds_.find(kind);
    return row == kinds_.end() ? nullptr : &row->second;
}

Steady::Source Steady::source_of(const Repeats::Key& key) {
    Entry* const entry = own(key);
    if (entry != nullptr && entry->steady) {
        if (entry->launches % period != 0) return Source::same;
    } else if (const Row* row = row_of(entry, key.kind);
               row != nullptr && row->to_come > 0 &&
               within(most_growth, static_cast<double>(row->blocks), static_cast<double>(key.blocks))) {
        return Source::alike;
    }
    if (owed_ != nullptr) put_back(*owed_);
    owed_ = nullptr;
    return Source::simulation;
}

double Steady::instructions(const Repeats::Key& key) {
    const Row* const row = row_of(own(key), key.kind);
    return row == nullptr ? 0 : number(row->last.metrics.warp_inst);
}

void Steady::keep(const Repeats::Key& key, bool steady, std::size_t bytes) {
    if (const auto before = behind_.find(key); before != behind_.end()) {
        kept_bytes_ -= before->second.bytes;
        behind_.erase(before);
    }
    if (!steady || kept_bytes_ + bytes > most_kept_bytes) return;
    behind_.emplace(key, Kept{l2_.contents(), bytes, now_});
    kept_bytes_ += bytes;
}

void Steady::forget_contents() {
    behind_.clear();
    kept_bytes_ = 0;
    owed_ = nullptr;
}

void Steady::simulated(const Repeats::Key& key, const Counted& counted, double work) {
    if (entries_.size() >= most_entries && !entries_.contains(key)) {
        entries_.clear();
        kinds_.clear();
        forget_contents();
    }
    work_ += work;
    const bool enough = work_ >= enough_;
    const std::size_t bytes = enough ? l2_.contents_bytes() : 0;
    const double bytes_paid = std::max(number(counted.metrics.warp_inst), 1.0) * bytes_per_instruction;
    const std::uint64_t least =
        enough ? static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) / bytes_paid)) : never;
    Entry& entry = entries_[key];
    entry.row.blocks = key.blocks;
    compare(entry, counted, least);
    const bool by_itself = entry.steady || entry.row.to_come > 0;
    keep(key, by_itself, bytes);
    Row& kind = kinds_[key.kind];
    kind.blocks = key.blocks;
    compare(kind, counted, least);
    keep(of_kind(key), kind.to_come > 0 && !by_itself, bytes);
}

void Steady::compare(Entry& entry, const Counted& counted, std::uint64_t least) {
    ++entry.launches;
    entry.steady = least < period && entry.launches >= launches_enough &&
                   same_instructions(entry.row.last.metrics, counted.metrics) &&
                   alike_traffic(entry.row.last.metrics, counted.metrics, alike_share);
    compare(entry.row, counted, least);
}

void Steady::compare(Row& row, const Counted& counted, std::uint64_t least) {
    const bool alike = alike_traffic(scaled(row.last.metrics, growth(row.last, counted)), counted.metrics, alike_share);
    row.alike = alike ? row.alike + 1 : 0;
    const std::uint64_t between = std::min(row.alike / alike_enough, most_between);
    row.to_come = between >= least ? between : 0;
    row.last = counted;
}

void Steady::complete(const Repeats::Key& key, Source source, Counted& counted) {
    Entry* const entry = own(key);
    const auto kept = behind_.find(entry != nullptr ? key : of_kind(key));
    owed_ = kept == behind_.end() ? nullptr : &kept->second;
    Row& row = *row_of(entry, key.kind);
    row.blocks = key.blocks;
    if (entry != nullptr && source == Source::same)
        complete(*entry, counted);
    else
        complete(row, counted);
}

void Steady::complete(Entry& entry, Counted& counted) {
    ++entry.launches;
    entry.steady = same_instructions(entry.row.last.metrics, counted.metrics);
    complete(entry.row, counted);
    if (!entry.steady) entry.row.to_come = 0;
}

void Steady::complete(Row& row, Counted& counted) {
    const double factor = growth(row.last, counted);
    const bool alike = within(most_growth, factor, 1);
    row.alike = alike ? row.alike + 1 : 0;
    row.to_come = alike && row.to_come > 0 ? row.to_come - 1 : 0;
    take_traffic(counted, scaled(row.last, factor));
}

// Programs that copy to the device between launches do so to the same places each time, for which each of the contents
// would have to be searched each time; mostly none of them is ever put back.
void Steady::note(SectorRange sectors, Change::Kind kind) {
    if (behind_.empty()) return;
    if (changes_.size() >= most_changes && !changes_.contains(sectors)) {
        forget_contents();
        changes_.clear();
        return;
    }
    changes_[sectors] = {kind, ++now_};
}

void Steady::put_back(const Kept& kept) {
    l2_.put_back(kept.contents);
    std::map<std::uint64_t, std::pair<SectorRange, Change::Kind>> since;
    for (const auto& [range, change] : changes_)
        if (change.when > kept.when) since.emplace(change.when, std::pair{range, change.kind});
    for (const auto& [when, change] : since) {
        const auto& [range, kind] = change;
        if (kind == Change::Kind::dropped)
            l2_.drop(range.first, range.count);
        else
            l2_.pass(range.first, range.count);
    }
}

}  // namespace gpuproj::simulate
