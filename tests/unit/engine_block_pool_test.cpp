#include "collector/simulate/engine/block_pool.hpp"

#include <algorithm>
#include <barrier>
#include <catch2/catch.hpp>
#include <cstddef>
#include <set>
#include <thread>
#include <vector>

using namespace gpuproj::simulate;

namespace {

std::set<BlockContext*> take(BlockPool& pool, int count) {
    std::set<BlockContext*> taken;
    for (int i = 0; i < count; ++i) taken.insert(pool.take());
    return taken;
}
void give_back(BlockPool& pool, const std::set<BlockContext*>& blocks) {
    for (BlockContext* block : blocks) pool.give_back(block);
}

}  // namespace

TEST_CASE("a thread gets the memory of blocks again that it had, also in the next launch") {
    BlockPool pool;
    std::set<BlockContext*> own, others, again;
    std::barrier turn(2);
    pool.prepare(6, 2, 256);
    std::jthread other([&] {
        others = take(pool, 3);
        turn.arrive_and_wait();  // the test takes its own
        turn.arrive_and_wait();
        give_back(pool, others);
        turn.arrive_and_wait();  // the next launch
        turn.arrive_and_wait();
        again = take(pool, 3);
    });
    turn.arrive_and_wait();
    own = take(pool, 3);
    turn.arrive_and_wait();
    turn.arrive_and_wait();
    give_back(pool, own);
    CHECK(take(pool, 3) == own);

    pool.prepare(6, 2, 512);  // with what was not given back
    turn.arrive_and_wait();
    other.join();
    CHECK(again == others);
    CHECK(take(pool, 3) == own);
}

TEST_CASE("memory of blocks comes from other threads where there may be no more") {
    BlockPool pool;
    pool.prepare(4, 1, 64);
    std::jthread([&] { give_back(pool, take(pool, 3)); }).join();
    const std::set<BlockContext*> all = take(pool, 4);
    CHECK(all.size() == 4);
}

TEST_CASE("registers of blocks lie apart, and those of a smaller launch in the memory of a larger one") {
    BlockPool pool;
    const std::size_t large = pool.prepare(8, 4, 1000);
    CHECK(large >= 1000);
    std::vector<std::byte*> frames;
    for (BlockContext* block : take(pool, 8)) frames.push_back(block->frames);
    std::ranges::sort(frames);
    for (std::size_t i = 1; i < frames.size(); ++i)
        CHECK(frames[i] - frames[i - 1] >= static_cast<std::ptrdiff_t>(4 * large));

    const std::size_t small = pool.prepare(2, 4, 100);
    for (BlockContext* block : take(pool, 2)) {
        CHECK(block->frames >= frames.front());
        CHECK(block->frames + 4 * small <= frames.back() + 4 * large);
    }
}
