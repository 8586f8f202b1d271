#include "collector/simulate/engine/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace gpuproj::simulate {

/// Workers take indices from a common counter. A round is announced by its number; workers spin a little before they
/// sleep, because rounds follow each other within microseconds.
struct WorkerPool::State {
    std::vector<std::jthread> threads;
    std::mutex mutex;
    std::condition_variable wake;
    std::atomic<std::uint64_t> round{0};
    std::atomic<std::size_t> next{0}, finished{0};
    std::size_t count = 0;
    const std::function<void(std::size_t)>* job = nullptr;
    bool stop = false;
    std::mutex error_mutex;
    std::exception_ptr error;
    std::size_t error_index = std::numeric_limits<std::size_t>::max();

    void work() {
        for (;;) {
            const std::size_t i = next.fetch_add(1);
            if (i >= count) return;
            try {
                (*job)(i);
            } catch (...) {
                const std::scoped_lock lock(error_mutex);
                if (i < error_index) {
                    error_index = i;
                    error = std::current_exception();
                }
            }
        }
    }

    void serve() {
        std::uint64_t seen = 0;
        for (;;) {
            for (int spin = 0; spin < 2000 && round.load(std::memory_order_acquire) == seen; ++spin)
                __builtin_ia32_pause();
            if (round.load(std::memory_order_acquire) == seen) {
                std::unique_lock lock(mutex);
                wake.wait(lock, [&] { return round.load(std::memory_order_acquire) != seen; });
            }
            seen = round.load(std::memory_order_acquire);
            if (stop) return;
            work();
            finished.fetch_add(1, std::memory_order_release);
        }
    }
};

WorkerPool::WorkerPool(int threads) : state_(std::make_unique<State>()) {
    const int wanted = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    for (int i = 1; i < wanted; ++i) state_->threads.emplace_back([state = state_.get()] { state->serve(); });
}

WorkerPool::~WorkerPool() {
    {
        const std::scoped_lock lock(state_->mutex);
        state_->stop = true;
        state_->round.fetch_add(1, std::memory_order_release);
    }
    state_->wake.notify_all();
}

std::size_t WorkerPool::threads() const {
    return state_->threads.size() + 1;
}

void WorkerPool::run(std::size_t count, const std::function<void(std::size_t)>& job) {
    State& state = *state_;
    state.count = count;
    state.job = &job;
    state.error = nullptr;
    state.error_index = std::numeric_limits<std::size_t>::max();
    state.finished.store(0, std::memory_order_relaxed);
    state.next.store(0, std::memory_order_relaxed);
    const bool alone = state.threads.empty() || count < 2;
    if (!alone) {
        {
            const std::scoped_lock lock(state.mutex);
            state.round.fetch_add(1, std::memory_order_release);
        }
        state.wake.notify_all();
    }
    state.work();
    if (!alone) {
        for (int spin = 0; state.finished.load(std::memory_order_acquire) < state.threads.size(); ++spin) {
            if (spin < 2000)
                __builtin_ia32_pause();
            else
                std::this_thread::yield();
        }
    }
    if (state.error) std::rethrow_exception(state.error);
}

}  // namespace gpuproj::simulate
