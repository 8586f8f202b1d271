// Launches that need not be executed, as the results of the program do not matter (Sample::only).
#pragma once

#include <cstdint>
#include <map>

#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/engine/launch/repeats.hpp"

namespace gpuproj::simulate {

/// A launch counts as the last one of its kernel, shape and arguments that was executed, or, before there were two of
/// those, of its kernel and shape, if the counters of that one were within 5 % of those before it: one launch for the
/// first time, then three, and so on up to 31 in a row, as long as the executed ones between them agree. With any
/// arguments four in a row have to. From when on it is asked is the engine's (EngineOptions::steady_after).
class KnownLaunches {
public:
    /// What the next launch reports without being executed; nullptr: it has to run, and `executed` has to be told.
    const LaunchReport* next(const Repeats::Key& key);
    void executed(const Repeats::Key& key, const LaunchReport& report);

private:
    struct Row {
        LaunchReport last;
        std::uint64_t launches = 0;  // that were executed
        std::uint64_t alike = 0;     // of the last ones, each with the one before it
        std::uint64_t to_come = 0;   // launches that count as the last one
    };
    static void compare(Row& row, const LaunchReport& report, std::uint64_t enough);
    Row* row_of(const Repeats::Key& key);

    std::map<Repeats::Key, Row> own_, any_;  // by all of the key, and without its arguments
};

}  // namespace gpuproj::simulate
