// Launches that do to memory what the ones before did: solvers go on from their own results, step after step.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "collector/simulate/engine/counted.hpp"
#include "collector/simulate/engine/launch/repeats.hpp"
#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {

/// Launches of one kernel, shape and arguments are steady when the last two executed the same instructions and had,
/// within 1 %, the same memory traffic (what is rare may differ by a quarter per cent of its kind), after enough of
/// them to warm the caches, where the program takes long enough, and the launch itself, for it to be worth it. What
/// steady ones do to memory is simulated once in thirty-two times, and compared; the others are executed, their
/// instructions counted, and the rest taken from the last that was simulated. Behind them, L2 holds what it held then.
///
/// Where instructions depend on the data (particles, random numbers, hash tables), or arguments or grids are others
/// each time (the steps of a decomposition), launches are alike when they have, within 1 % of the one before, the same
/// traffic for each load and store. Behind eight in a row that of the next is known, if it has about as many blocks; of
/// more in a row only where eight times as many were alike before, so that what differs for once costs little.
/// Arguments that come again are compared with themselves.
class Steady {
public:
    /// Launches with known traffic were the same as before, or alike.
    enum class Source : std::uint8_t { simulation, same, alike };

    /// `work`: of launches of any kernel that were simulated (simulation_work), before others are not.
    Steady(L2Cache& l2, double work) : l2_(l2), enough_(work) {}

    /// Where the traffic of the launch that comes next is from. Of a launch whose traffic is known `complete` is to be
    /// told; for one that is to be simulated L2 is made ready, and `simulated` is to be told.
    Source source_of(const Repeats::Key& key);
    void simulated(const Repeats::Key& key, const Counted& counted, double work);
    /// Of a launch whose traffic is known: instructions of warps, as many as the last one of its kind had.
    double instructions(const Repeats::Key& key);
    /// Adds the traffic to a launch's instructions. Where those are not the same as before, it is scaled to the loads
    /// and stores, and the next launch is simulated.
    void complete(const Repeats::Key& key, Source source, Counted& counted);
    /// L2 has dropped these, or they have passed through it.
    void dropped(SectorRange sectors) { note(sectors, Change::Kind::dropped); }
    void passed(SectorRange sectors) { note(sectors, Change::Kind::passed); }

private:
    /// Launches in a row.
    struct Row {
        std::uint64_t blocks = 0;   // of the last launch
        std::uint64_t alike = 0;    // of the last ones, with those whose traffic was known
        std::uint64_t to_come = 0;  // whose traffic is known
        Counted last;               // of the last that was simulated
    };
    /// Those of one kernel, shape and arguments.
    struct Entry {
        std::uint64_t launches = 0;
        bool steady = false;
        Row row;
    };
    /// What L2 held behind the last launch of steady ones.
    struct Kept {
        L2Cache::Contents contents;
        std::size_t bytes = 0;
        std::uint64_t when = 0;  // now_
    };
    /// What was done to L2 between launches, for the last time.
    struct Change {
        enum class Kind : std::uint8_t { dropped, passed } kind;
        std::uint64_t when;
    };
    /// `least`: how many launches that are not simulated, between two that are, are worth it.
    static void compare(Entry& entry, const Counted& counted, std::uint64_t least);
    static void compare(Row& row, const Counted& counted, std::uint64_t least);
    static void complete(Entry& entry, Counted& counted);
    static void complete(Row& row, Counted& counted);
    /// The launches with its arguments, which one is compared with once there are two of them; nullptr: with any of its
    /// kernel.
    Entry* own(const Repeats::Key& key);
    /// `own`, or of any launches of the kernel; nullptr: none.
    Row* row_of(Entry* own, const std::string& kind);
    /// Keeps what L2 holds behind a launch, or no longer does.
    void keep(const Repeats::Key& key, bool steady, std::size_t bytes);
    void forget_contents();
    void note(SectorRange sectors, Change::Kind kind);
    /// L2 gets what it was to hold, with what was done to it since.
    void put_back(const Kept& kept);

    L2Cache& l2_;
    double enough_, work_ = 0;
    std::map<Repeats::Key, Entry> entries_;
    std::map<std::string, Row> kinds_;  // launches with any arguments
    std::map<Repeats::Key, Kept> behind_;
    std::size_t kept_bytes_ = 0;
    const Kept* owed_ = nullptr;  // what it would hold now; none: what it does hold
    std::map<SectorRange, Change> changes_;
    std::uint64_t now_ = 0;  // changes
};

}  // namespace gpuproj::simulate
