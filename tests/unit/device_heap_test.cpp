// The heap that kernels take memory from.
#include "collector/simulate/engine/device_heap.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>

#include "collector/simulate/engine/device_memory.hpp"

using gpuproj::simulate::DeviceHeap;
using gpuproj::simulate::DeviceMemory;

TEST_CASE("objects of the heap lie side by side, and are known to the byte", "[memory][heap]") {
    constexpr std::uint64_t begin = 1 << 20, bytes = 4096;
    DeviceHeap heap;
    CHECK_FALSE(heap.has_begun());
    CHECK(heap.allocate(16) == 0);
    CHECK_FALSE(heap.holds(begin));
    heap.begin(begin, bytes);
    const std::uint64_t a = heap.allocate(20), b = heap.allocate(1), c = heap.allocate(16);
    CHECK(a == begin);
    CHECK(b == begin + 32);
    CHECK(c == begin + 48);
    const auto object = heap.find(a + 19);
    REQUIRE(object);
    CHECK(object->begin == a);
    CHECK(object->end == a + 20);
    CHECK_FALSE(heap.find(a + 20));
    CHECK_FALSE(heap.was_freed(a + 20));
    CHECK_FALSE(heap.find(begin - 1));
    CHECK_FALSE(heap.find(begin + bytes));
    CHECK(heap.holds(begin + bytes - 1));
    CHECK_FALSE(heap.holds(begin + bytes));
    CHECK(heap.allocated() == 37);
    CHECK_FALSE(heap.release(a + 1));
    CHECK(heap.release(a));
    CHECK_FALSE(heap.release(a));
    CHECK_FALSE(heap.find(a));
    CHECK(heap.was_freed(a + 19));
    CHECK_FALSE(heap.was_freed(c + 16));
    CHECK(heap.allocate(16) == a);  // where there is room again
    CHECK(heap.allocate(0) == 0);
    CHECK_FALSE(heap.was_full());
    CHECK(heap.allocate(UINT64_MAX) == 0);
    CHECK(heap.was_full());
    CHECK(heap.allocate(bytes) == 0);
    CHECK(heap.allocate(bytes - 64) == begin + 64);
    CHECK(heap.allocate(17) == 0);
    CHECK(heap.allocate(16) == a + 16);
    CHECK(heap.peak() == 16 + 1 + 16 + bytes - 64 + 16);
}

TEST_CASE("whatever is allocated and freed, objects do not meet, and all of the heap is there in the end",
          "[memory][heap]") {
    constexpr std::uint64_t begin = 0x10000, bytes = 64 << 10;
    DeviceHeap heap;
    heap.begin(begin, bytes);
    std::mt19937 random(1);
    std::map<std::uint64_t, std::uint64_t> objects;  // begin -> end
    int full = 0;
    for (int i = 0; i < 20000; ++i) {
        if (random() % 3 != 0) {
            const std::uint64_t size = 1 + random() % (random() % 8 == 0 ? 4000 : 100);
            const std::uint64_t at = heap.allocate(size);
            if (at == 0) {
                ++full;
                continue;
            }
            REQUIRE(at % DeviceHeap::alignment == 0);
            REQUIRE(at >= begin);
            REQUIRE(at + size <= begin + bytes);
            const auto behind = objects.lower_bound(at);
            if (behind != objects.end()) REQUIRE(behind->first >= at + size);
            if (behind != objects.begin()) REQUIRE(std::prev(behind)->second <= at);
            objects[at] = at + size;
        } else if (!objects.empty()) {
            auto gone = objects.lower_bound(begin + random() % bytes);
            if (gone == objects.end()) gone = objects.begin();
            REQUIRE(heap.release(gone->first));
            objects.erase(gone);
        }
        const std::uint64_t somewhere = begin + random() % bytes;
        const auto after = objects.upper_bound(somewhere);
        const bool alive = after != objects.begin() && std::prev(after)->second > somewhere;
        REQUIRE(heap.find(somewhere).has_value() == alive);
    }
    CHECK(full > 100);
    for (const auto& [at, end] : objects) CHECK(heap.release(at));
    CHECK(heap.allocated() == 0);
    CHECK(heap.allocate(bytes) == begin);
}

TEST_CASE("device memory has a heap for kernels, of the size that was set before they used it", "[memory][heap]") {
    DeviceMemory memory;
    CHECK(memory.set_heap_bytes(1 << 20));
    void* const object = memory.allocate_in_kernel(100);
    REQUIRE(object != nullptr);
    CHECK_FALSE(memory.set_heap_bytes(2 << 20));
    const auto address = reinterpret_cast<std::uint64_t>(object);
    CHECK(memory.is_of_heap(address));
    REQUIRE(memory.find(address + 99));
    CHECK(memory.find(address + 99)->begin == address);
    CHECK_FALSE(memory.find(address + 100));
    CHECK_FALSE(memory.version(*memory.find(address)));  // kernels may write it whenever they like
    static_cast<std::byte*>(object)[99] = std::byte{1};
    CHECK_FALSE(memory.full_heap());
    CHECK(memory.allocate_in_kernel(1 << 20) == nullptr);
    CHECK(memory.full_heap() == 1 << 20);
    CHECK(memory.allocated() == 100);
    CHECK_FALSE(memory.release(object));  // the host cannot
    const std::uint64_t generation = memory.generation();
    CHECK(memory.release_in_kernel(object));
    CHECK(memory.generation() != generation);
    CHECK(memory.was_freed(address));
    CHECK_FALSE(memory.release_in_kernel(object));
    void* const own = memory.allocate(64);
    CHECK_FALSE(memory.is_of_heap(reinterpret_cast<std::uint64_t>(own)));
    CHECK_FALSE(memory.release_in_kernel(own));
}
