// Requests that are served behind the rounds come to what they come to when each round is served at its end.
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "collector/simulate/engine/launch/l2_backlog.hpp"
#include "collector/simulate/engine/launch/worker_pool.hpp"
#include "tests/support/l2_counters.hpp"

using namespace gpuproj::simulate;
using gpuproj::test::check_same;

namespace {

constexpr std::size_t sms = 5;

MemoryConfig small_l2() {
    MemoryConfig config;
    config.sm_count = sms;
    config.l2_bytes = 256 << 10;
    return config;
}

/// Of an SM in a round: none in some.
std::vector<LineRequest> requests_of(std::uint64_t round, std::size_t sm) {
    std::mt19937_64 random(round * sms + sm);
    std::vector<LineRequest> requests(round % 7 == 3 ? 0 : random() % 3000);
    for (LineRequest& request : requests)
        request = {random() % 8000, static_cast<std::uint32_t>(1 + random() % 15),
                   random() % 3 == 0 ? AccessKind::store : AccessKind::load, 0xFF};
    return requests;
}

L2Counters at_each_end(std::uint64_t rounds) {
    L2Cache l2(small_l2());
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::vector<std::vector<LineRequest>> queues;
        for (std::size_t sm = 0; sm < sms; ++sm) queues.push_back(requests_of(round, sm));
        l2.process(queues);
    }
    return l2.counters_with_dirty();
}

}  // namespace

TEST_CASE("requests of rounds are served in their order, whoever serves them when") {
    constexpr std::uint64_t rounds = 60;
    const L2Counters expected = at_each_end(rounds);
    for (const int threads : {1, 2, 5, 8}) {
        WorkerPool pool(threads);
        L2Cache l2(small_l2());
        L2Backlog backlog(l2, pool.threads());
        const WorkerPool::Beside serve = [&](std::size_t thread, WorkerPool::Moment moment) {
            return moment == WorkerPool::Moment::before_job ? backlog.serve_overdue(thread) : backlog.serve(thread);
        };
        backlog.begin(sms);
        for (std::uint64_t round = 0; round < rounds; ++round) {
            pool.beside(&serve, backlog.serving_threads());
            const bool alone = round % 11 == 5;
            backlog.may_leave(alone ? 0 : 1 + round % 2);
            const auto ask = [&](std::size_t sm) { backlog.queues_of(round)[sm] = requests_of(round, sm); };
            pool.run(sms, ask, alone);
            backlog.add_round();
        }
        pool.beside(nullptr);
        backlog.finish();
        check_same(expected, l2.counters_with_dirty());
    }
}

TEST_CASE("what was asked for in a round that did not end is forgotten, what came before is served") {
    constexpr std::uint64_t rounds = 4;
    L2Cache l2(small_l2());
    L2Backlog backlog(l2, 2);
    for (const std::uint64_t first : {0, 2}) {
        backlog.begin(sms);
        for (std::uint64_t round = 0; round < 3; ++round) {
            for (std::size_t sm = 0; sm < sms; ++sm) backlog.queues_of(round)[sm] = requests_of(first + round, sm);
            if (round < 2) backlog.add_round();
        }
        backlog.abandon();
    }
    check_same(at_each_end(rounds), l2.counters_with_dirty());
    CHECK_FALSE(backlog.serve(0));
}
