// Launches that do to memory what the ones before did: solvers go on from their own results, step after step.
#pragma once

#include <cstdint>
#include <map>

#include "collector/simulate/engine/repeats.hpp"
#include "collector/simulate/memory/hierarchy.hpp"
#include "model/kernel_metrics.hpp"

namespace gpuproj::simulate {

/// Launches of one kernel, shape and arguments are steady when the last two executed the same instructions and had,
/// within 1 %, the same memory traffic, after enough of them to warm the caches, where the program takes long enough,
/// and the launch itself, for it to be worth it. What steady ones do to memory is simulated once in thirty-two times,
/// and compared; the others are executed, their instructions counted, and the rest taken from the last that was
/// simulated. Behind them, L2 holds what it held then.
class Steady {
public:
    /// `instructions`: of threads, by launches of any kernel that were simulated, before others are not.
    Steady(L2Cache& l2, double instructions) : l2_(l2), enough_(instructions) {}

    /// Whether the launch that comes next has known traffic: `complete` is to be told of it. Otherwise L2 is made ready
    /// for it, and `simulated` is to be told.
    bool knows(const Repeats::Key& key);
    void simulated(const Repeats::Key& key, const KernelMetrics& metrics);
    /// Adds the traffic to a launch's instructions. Where those are not the same as before, it is scaled to the loads
    /// and stores, and the next launch is simulated.
    void complete(const Repeats::Key& key, KernelMetrics& metrics);
    /// L2 has dropped these.
    void dropped(std::uint64_t first_sector, std::uint64_t sectors);

private:
    struct Entry {
        std::uint64_t launches = 0;
        bool steady = false;
        KernelMetrics last;  // of the launch that others are compared with
    };

    L2Cache& l2_;
    double enough_, instructions_ = 0;
    std::map<Repeats::Key, Entry> entries_;
    std::map<Repeats::Key, L2Cache::Contents> behind_;  // what L2 held behind the last launch of steady ones
    const L2Cache::Contents* owed_ = nullptr;           // what it would hold now; none: what it does hold
};

}  // namespace gpuproj::simulate
