#include "collector/simulate/engine/launch/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "collector/simulate/engine/float_environment.hpp"

namespace gpuproj::simulate {

namespace {

// Rounds follow each other within microseconds while a launch runs; whoever waits longer than that, some 40 us, sleeps,
// because the processor is wanted by others. To wake up takes longer than most waits, and what the caches held is gone
// then: a launch of many short rounds takes a twentieth longer with 400.
constexpr int spins = 2000;

template <class Condition>
bool spin_until(Condition&& met) {
    for (int i = 0; i < spins; ++i) {
        if (met()) return true;
        __builtin_ia32_pause();
    }
    return met();
}

}  // namespace

/// Each thread has its own range of a round's jobs, the same in every round of as many jobs, so that what a job works
/// on stays in the caches of one core. Who is through with their own takes from the ends of the others' ranges. Whoever
/// comes late finds nothing to take, and the round ends when its jobs are done, not when everybody has looked.
struct WorkerPool::State {
    /// The jobs [upper half, lower half) that nobody has taken.
    struct alignas(64) Share {
        std::atomic<std::uint64_t> range{0};
    };

    // What threads wait for, apart from what they change beside.
    alignas(64) std::atomic<std::uint32_t> rounds{0};  // begun so far
    std::atomic<bool> stop{false};
    const std::function<void(std::size_t)>* job = nullptr;
    std::atomic<const Beside*> beside{nullptr};
    std::atomic<std::size_t> before_jobs{0};  // threads that are asked before jobs
    std::vector<Share> shares;
    alignas(64) std::atomic<std::uint32_t> at_it{0};  // threads that may be in `beside`
    alignas(64) std::atomic<std::uint32_t> left{0};   // jobs of this round that are not done
    std::mutex error_mutex;
    std::exception_ptr error;
    std::size_t error_index = std::numeric_limits<std::size_t>::max();
    std::vector<std::jthread> threads;  // the last member: they end before the others go

    explicit State(std::size_t all) : shares(all) {}

    static constexpr std::uint64_t packed(std::uint64_t begin, std::uint64_t end) { return begin << 32 | end; }

    void deal(std::size_t count) {
        for (std::size_t i = 0; i < shares.size(); ++i) {
            shares[i].range.store(packed(count * i / shares.size(), count * (i + 1) / shares.size()),
                                  std::memory_order_release);
        }
    }

    bool take(std::size_t thread, std::size_t& index) {
        for (std::size_t i = 0; i < shares.size(); ++i) {
            auto& range = shares[(thread + i) % shares.size()].range;
            for (std::uint64_t now = range.load(std::memory_order_acquire);;) {
                const std::uint64_t begin = now >> 32, end = static_cast<std::uint32_t>(now);
                if (begin >= end) break;
                const bool own = i == 0;
                if (range.compare_exchange_weak(now, own ? packed(begin + 1, end) : packed(begin, end - 1),
                                                std::memory_order_acq_rel, std::memory_order_acquire)) {
                    index = own ? begin : end - 1;
                    return true;
                }
            }
        }
        return false;
    }

    void attempt(std::size_t index) {
        try {
            (*job)(index);
        } catch (...) {
            const std::scoped_lock lock(error_mutex);
            if (index < error_index) {
                error_index = index;
                error = std::current_exception();
            }
        }
    }

    /// Whether it was put to other work, as there are jobs.
    bool does_before_job(std::size_t thread) {
        if (thread >= before_jobs.load(std::memory_order_relaxed)) return false;
        // Every other thread may be at one job and have another left to take.
        const std::size_t last_jobs = 2 * (shares.size() - 1);
        const std::uint32_t not_done = left.load(std::memory_order_relaxed);
        return not_done > 0 && do_beside(thread, not_done > last_jobs ? Moment::before_job : Moment::before_last_jobs);
    }

    void work(std::size_t thread) {
        for (;;) {
            if (does_before_job(thread)) continue;
            std::size_t index = 0;
            if (!take(thread, index)) return;
            attempt(index);
            if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) left.notify_one();
        }
    }

    bool do_beside(std::size_t thread, Moment moment) {
        if (beside.load(std::memory_order_relaxed) == nullptr) return false;
        at_it.fetch_add(1);  // before it is looked for, so that who takes it away sees this
        const Beside* const found = beside.load();
        const bool did = found != nullptr && (*found)(thread, moment);
        at_it.fetch_sub(1);
        return did;
    }

    void serve(std::size_t thread) {
        for (;;) {
            const std::uint32_t seen = rounds.load(std::memory_order_acquire);
            if (stop.load(std::memory_order_acquire)) return;
            work(thread);
            while (rounds.load(std::memory_order_acquire) == seen && do_beside(thread, Moment::waiting)) continue;
            if (!spin_until([&] { return rounds.load(std::memory_order_acquire) != seen; }))
                rounds.wait(seen, std::memory_order_acquire);
        }
    }
};

WorkerPool::WorkerPool(int threads) {
    const std::size_t wanted =
        threads > 0 ? static_cast<std::size_t>(threads) : std::max(1U, std::thread::hardware_concurrency());
    state_ = std::make_unique<State>(wanted);
    for (std::size_t i = 1; i < wanted; ++i)
        state_->threads.emplace_back([state = state_.get(), i] {
            const UsualFloatEnvironment environment;
            state->serve(i);
        });
}

WorkerPool::~WorkerPool() {
    state_->stop.store(true, std::memory_order_release);
    state_->rounds.fetch_add(1, std::memory_order_release);
    state_->rounds.notify_all();
}

std::size_t WorkerPool::threads() const {
    return state_->threads.size() + 1;
}

void WorkerPool::beside(const Beside* work, std::size_t before_jobs) {
    state_->before_jobs.store(before_jobs, std::memory_order_relaxed);
    if (state_->beside.exchange(work) == work) return;
    while (state_->at_it.load() != 0) __builtin_ia32_pause();
}

void WorkerPool::run(std::size_t count, const std::function<void(std::size_t)>& job, bool alone) {
    State& state = *state_;
    state.error = nullptr;
    state.error_index = std::numeric_limits<std::size_t>::max();
    state.job = &job;
    if (alone || state.threads.empty() || count <= 1) {
        for (std::size_t i = 0; i < count; ++i) state.attempt(i);
    } else {
        state.left.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
        state.deal(count);
        state.rounds.fetch_add(1, std::memory_order_release);
        state.rounds.notify_all();
        state.work(0);
        const auto left = [&] { return state.left.load(std::memory_order_acquire); };
        while (left() != 0 && state.do_beside(0, Moment::waiting)) continue;
        if (!spin_until([&] { return left() == 0; })) {
            for (std::uint32_t now = left(); now != 0; now = left()) state.left.wait(now, std::memory_order_acquire);
        }
    }
    if (state.error) std::rethrow_exception(state.error);
}

}  // namespace gpuproj::simulate
