#include "collector/simulate/engine/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace gpuproj::simulate {

namespace {

// Rounds follow each other within microseconds while a launch runs; whoever waits longer than that sleeps, because the
// processor is wanted by others.
constexpr int spins = 400;

template <class Condition>
bool spin_until(Condition&& met) {
    for (int i = 0; i < spins; ++i) {
        if (met()) return true;
        __builtin_ia32_pause();
    }
    return met();
}

}  // namespace

/// A round's jobs are taken from one number: how many there are in its upper half, the next to take in its lower. So
/// whoever comes late finds nothing to take, and the round ends when its jobs are done, not when everybody has looked.
struct WorkerPool::State {
    alignas(64) std::atomic<std::uint64_t> ticket{0};
    alignas(64) std::atomic<std::uint32_t> rounds{0};  // begun so far
    alignas(64) std::atomic<std::uint32_t> left{0};    // jobs of this round that are not done
    const std::function<void(std::size_t)>* job = nullptr;
    std::atomic<bool> stop{false};
    std::mutex error_mutex;
    std::exception_ptr error;
    std::size_t error_index = std::numeric_limits<std::size_t>::max();
    std::vector<std::jthread> threads;  // the last member: they end before the others go

    bool take(std::size_t& index) {
        const std::uint64_t taken = ticket.fetch_add(1, std::memory_order_acq_rel);
        index = static_cast<std::uint32_t>(taken);
        return index < taken >> 32;
    }

    void work() {
        for (std::size_t index = 0; take(index);) {
            try {
                (*job)(index);
            } catch (...) {
                const std::scoped_lock lock(error_mutex);
                if (index < error_index) {
                    error_index = index;
                    error = std::current_exception();
                }
            }
            if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) left.notify_one();
        }
    }

    void serve() {
        for (;;) {
            const std::uint32_t seen = rounds.load(std::memory_order_acquire);
            if (stop.load(std::memory_order_acquire)) return;
            work();
            if (!spin_until([&] { return rounds.load(std::memory_order_acquire) != seen; }))
                rounds.wait(seen, std::memory_order_acquire);
        }
    }
};

WorkerPool::WorkerPool(int threads) : state_(std::make_unique<State>()) {
    const int wanted = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    for (int i = 1; i < wanted; ++i) state_->threads.emplace_back([state = state_.get()] { state->serve(); });
}

WorkerPool::~WorkerPool() {
    state_->stop.store(true, std::memory_order_release);
    state_->rounds.fetch_add(1, std::memory_order_release);
    state_->rounds.notify_all();
}

std::size_t WorkerPool::threads() const {
    return state_->threads.size() + 1;
}

void WorkerPool::run(std::size_t count, const std::function<void(std::size_t)>& job, bool alone) {
    if (count == 0) return;
    State& state = *state_;
    state.error = nullptr;
    state.error_index = std::numeric_limits<std::size_t>::max();
    state.job = &job;
    state.left.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
    state.ticket.store(std::uint64_t{count} << 32, std::memory_order_release);
    if (!alone && !state.threads.empty() && count > 1) {
        state.rounds.fetch_add(1, std::memory_order_release);
        state.rounds.notify_all();
    }
    state.work();
    const auto left = [&] { return state.left.load(std::memory_order_acquire); };
    if (!spin_until([&] { return left() == 0; })) {
        for (std::uint32_t now = left(); now != 0; now = left()) state.left.wait(now, std::memory_order_acquire);
    }
    if (state.error) std::rethrow_exception(state.error);
}

}  // namespace gpuproj::simulate
