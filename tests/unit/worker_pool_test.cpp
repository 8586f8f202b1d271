// The engine's host threads: every job once, the exception of the lowest index, round after round.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "collector/simulate/engine/launch/worker_pool.hpp"

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

TEST_CASE("threads have other work beside jobs and when nothing is left to do, until it is taken away") {
    for (const int threads : {1, 2, 5}) {
        WorkerPool pool(threads);
        for (int launch = 0; launch < 50; ++launch) {
            std::atomic<int> beside = 0, jobs = 0;
            std::atomic<bool> over = false, late = false;
            const WorkerPool::Beside work = [&](std::size_t thread, WorkerPool::Moment) {
                if (over) late = true;
                CHECK(thread < static_cast<std::size_t>(threads));
                return beside.fetch_add(1) < 1000;
            };
            pool.beside(&work, static_cast<std::size_t>(launch % 3));
            for (int round = 0; round < 20; ++round) pool.run(7, [&](std::size_t) { jobs.fetch_add(1); });
            pool.beside(nullptr);
            over = true;
            pool.run(7, [&](std::size_t) { jobs.fetch_add(1); });
            CHECK(jobs == 147);
            CHECK_FALSE(late);
        }
    }
}
