// A few threads that do the same small job for many indices, again and again.
#pragma once

#include <cstddef>
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

    /// What a thread (0: the caller of run) does instead of waiting for others, in a round and between rounds, as long
    /// as it gives true; it must not throw. nullptr: nothing any more; returns when nobody is at it.
    void meanwhile(const std::function<bool(std::size_t thread)>* work);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gpuproj::simulate
