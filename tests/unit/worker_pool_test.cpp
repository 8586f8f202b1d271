// The engine's host threads: every job once, the exception of the lowest index, round after round.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "collector/simulate/engine/worker_pool.hpp"

using gpuproj::simulate::WorkerPool;

TEST_CASE("every job is done once, whoever does it") {
    for (const int threads : {1, 2, 5}) {
        WorkerPool pool(threads);
        CHECK(pool.threads() == static_cast<std::size_t>(threads));
        for (std::size_t round = 0; round < 500; ++round) {
            const std::size_t count = round % 7;
            std::vector<std::atomic<int>> done(count);
            pool.run(
                count, [&](std::size_t i) { done[i].fetch_add(1); }, round % 3 == 0);
            for (const auto& times : done) REQUIRE(times == 1);
        }
    }
}

TEST_CASE("the exception of the lowest job comes back, after all jobs are done") {
    WorkerPool pool(3);
    std::atomic<int> done = 0;
    const auto job = [&](std::size_t i) {
        done.fetch_add(1);
        if (i % 4 == 3) throw std::runtime_error("job " + std::to_string(i));
    };
    for (int round = 0; round < 50; ++round) {
        CHECK_THROWS_WITH(pool.run(20, job), "job 3");
        CHECK(done.exchange(0) == 20);
    }
    CHECK_NOTHROW(pool.run(3, job));
}
