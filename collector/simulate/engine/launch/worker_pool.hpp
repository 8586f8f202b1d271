// A few threads that do the same small job for many indices, again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace gpuproj::simulate {

class WorkerPool {
public:
    /// 0: as many threads as the machine has cores. The caller's thread is one of them.
    explicit WorkerPool(int threads);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// How many there are, the caller's among them.
    std::size_t threads() const;
    /// Calls job(0) to job(count - 1), each once, begun in this order, and returns when all are done. Rethrows the
    /// exception of the lowest index that threw. `alone`: too little to do to wake anybody.
    void run(std::size_t count, const std::function<void(std::size_t)>& job, bool alone = false);

    /// before_last_jobs: there may be no more jobs left than there are other threads.
    enum class Moment : std::uint8_t { before_job, before_last_jobs, waiting };
    /// What a thread (0: the caller of run) does beside jobs; true: it did something and is to be asked again. It must
    /// not throw.
    using Beside = std::function<bool(std::size_t thread, Moment moment)>;
    /// For threads that would wait for others, in a round and between rounds; the first `before_jobs` threads are asked
    /// before each job, too. nullptr: nothing. Returns when nobody is at what was there before.
    void beside(const Beside* work, std::size_t before_jobs = 0);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gpuproj::simulate
