// L2's requests of rounds that are over, served while later rounds run.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "collector/simulate/memory/hierarchy.hpp"

namespace gpuproj::simulate {

/// L2 answers nobody, so that it may be behind the SMs, by up to two rounds: the first threads of a pool serve it in
/// small pieces whenever they would wait for others, each its own part of the sets, which stay in the caches of one
/// core. The order of the requests is that of the rounds, whoever serves them when.
class L2Backlog {
public:
    using Queues = std::vector<std::vector<LineRequest>>;  // one per SM

    /// `threads`: of the pool; half of them are enough for L2.
    L2Backlog(L2Cache& l2, std::size_t threads);
    L2Backlog(const L2Backlog&) = delete;
    L2Backlog& operator=(const L2Backlog&) = delete;

    /// The threads that have a part of it, the first ones.
    std::size_t serving_threads() const { return parts_.size(); }

    /// Rounds count from 0 again, of so many SMs; nothing may be left of those before.
    void begin(std::size_t sms);
    /// Where the requests of a round go: this one, which is the next to be added, or the one behind it.
    Queues& queues_of(std::uint64_t round) { return queues_[round % queues_.size()]; }
    /// How many rounds may be left to be served when the next begins: 2 at most.
    void may_leave(std::uint64_t rounds) { may_be_left_.store(rounds, std::memory_order_relaxed); }
    /// A round is over, all its requests are there. Returns when no more are left than may be. Throws what serving
    /// threw.
    void add_round();
    /// The same without another round.
    void finish();
    /// Serves what there is, as far as that goes, and forgets the requests of rounds that were not added. When no other
    /// thread serves.
    void abandon() noexcept;

    /// Serves a piece of this thread's part, if it has one, of what must be done in the round that runs. False: nothing
    /// was.
    bool serve_overdue(std::size_t thread) noexcept;
    /// The same of all that is left.
    bool serve(std::size_t thread) noexcept;

private:
    enum class Stage : std::uint8_t { is_done, waits, runs };
    struct alignas(64) Part {
        std::atomic<Stage> stage{Stage::is_done};
    };
    bool serve_piece(std::size_t part) noexcept;
    void finish_before(std::uint64_t round);
    void open();
    void close();

    // Threads look at these all the time.
    alignas(64) std::atomic<std::uint64_t> added_{0};  // rounds
    std::atomic<std::uint64_t> served_{0};             // rounds
    std::atomic<std::uint64_t> may_be_left_{2};        // rounds
    std::atomic<std::size_t> left_{0};                 // parts of the round that is being served
    L2Cache& l2_;
    std::vector<Part> parts_;
    // Of the round that runs, by its number; of the two before; and of the next, which some SMs may have begun.
    std::array<Queues, 4> queues_;
    std::mutex mutex_;  // guards what follows, and the end of a round
    std::exception_ptr error_;
    bool is_open_ = false;  // a round is being served
};

}  // namespace gpuproj::simulate
