#include "collector/simulate/engine/device_memory.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/engine/held_memory.hpp"

using gpuproj::simulate::DeviceMemory;
using gpuproj::simulate::hold;
using gpuproj::simulate::Module;
using gpuproj::simulate::Range;
using gpuproj::simulate::release_held;

namespace {
std::uint64_t address(const void* p) {
    return reinterpret_cast<std::uint64_t>(p);
}
}  // namespace

TEST_CASE("device memory knows what is alive, to the byte") {
    DeviceMemory memory;
    void* a = memory.allocate(1000);
    REQUIRE(a != nullptr);
    CHECK(address(a) % 256 == 0);
    const auto range = memory.find(address(a) + 999);
    REQUIRE(range);
    CHECK(range->begin == address(a));
    CHECK(range->contains(address(a) + 996, 4));
    CHECK_FALSE(range->contains(address(a) + 997, 4));
    CHECK_FALSE(memory.find(address(a) + 1000));
    CHECK_FALSE(memory.find(address(a) - 1));
    CHECK(memory.allocate(0) == nullptr);
    CHECK(memory.allocate(SIZE_MAX) == nullptr);
}

TEST_CASE("some bytes beyond an allocation can be read, and are none of it") {
    // OpenBLAS reads past the end of a matrix: 16 bytes in zgemv, which SVDs of complex matrices use.
    constexpr std::size_t bytes = 8192;
    const auto beyond = [](const void* begin) {
        std::array<std::uint8_t, 64> read{};
        std::memcpy(read.data(), static_cast<const std::byte*>(begin) + bytes, read.size());
        return read == std::array<std::uint8_t, 64>{};
    };
    DeviceMemory memory;
    void* a = memory.allocate(bytes);
    CHECK(beyond(a));
    CHECK_FALSE(memory.find(address(a) + bytes));
    // Others get the same addresses as if it could not, and are whole.
    void* b = memory.allocate(bytes);
    void* c = memory.allocate(100);
    std::memset(b, 1, bytes);
    CHECK(beyond(b));
    REQUIRE(memory.release(b));
    CHECK(beyond(a));
    REQUIRE(memory.allocate(bytes) == b);
    std::memset(b, 2, bytes);
    CHECK(memory.release(a));
    CHECK(memory.release(b));
    CHECK(memory.release(c));
}

TEST_CASE("variables of a module are among the GPU's own addresses, the same in every run") {
    DeviceMemory memory;
    const auto load = [&] {
        return std::make_unique<Module>(
            ".version 7.0\n.target sm_70\n.address_size 64\n"
            ".visible .global .align 4 .b32 a[1000];\n"
            ".visible .const .align 4 .b32 c[3] = {1, 2, 3};\n"
            ".visible .global .align 16 .b8 b[256] = {4};\n",
            "test", memory);
    };
    auto module = load();
    std::vector<std::uint64_t> places;
    for (const char* name : {"a", "b", "c"}) {
        const auto* variable = module->variable(name);
        REQUIRE(variable != nullptr);
        const std::uint64_t begin = places.emplace_back(address(variable->address)), end = begin + variable->bytes;
        CHECK(begin % 256 == 0);
        CHECK(memory.reservation(begin));
        CHECK(memory.find(begin) == Range{begin, end});
        CHECK_FALSE(memory.find(end));
    }
    CHECK(*static_cast<const std::uint8_t*>(module->variable("b")->address) == 4);
    CHECK(static_cast<const std::uint32_t*>(module->variable("c")->address)[2] == 3);
    CHECK(memory.allocated() == 0);
    module.reset();
    for (const std::uint64_t place : places) {
        CHECK_FALSE(memory.reservation(place));
        CHECK_FALSE(memory.find(place));
        CHECK(memory.was_freed(place));
    }
    module = load();
    CHECK(address(module->variable("a")->address) == places[0]);
}

TEST_CASE("memory that is held for the host has addresses of the GPU, and is none of its memory") {
    DeviceMemory memory;
    constexpr std::size_t bytes = 10000;
    auto* const first = static_cast<std::uint8_t*>(hold(memory, bytes));
    REQUIRE(first != nullptr);
    CHECK(memory.reservation(address(first)));
    CHECK_FALSE(memory.find(address(first)));
    CHECK(memory.allocated() == 0);
    CHECK((first[0] == 0 && first[bytes] == 0));  // the end can be read
    first[0] = 1;
    memory.add(first, bytes);
    CHECK(memory.find(address(first)) == Range{address(first), address(first) + bytes});
    void* const second = hold(memory, bytes);
    CHECK(second != first);
    release_held(memory, first);
    CHECK_FALSE(memory.find(address(first)));
    CHECK(memory.was_freed(address(first)));
    auto* const again = static_cast<std::uint8_t*>(hold(memory, bytes));
    CHECK((again == first && again[0] == 0));
    CHECK(hold(memory, ~std::size_t{0}) == nullptr);
    release_held(memory, again);
    release_held(memory, second);
}

TEST_CASE("device memory tells freed from never allocated, and counts the peak") {
    DeviceMemory memory;
    void* a = memory.allocate(4096);
    void* b = memory.allocate(100);
    CHECK(memory.allocated() == 4196);
    const auto before = memory.generation();
    CHECK_FALSE(memory.release(static_cast<char*>(a) + 1));
    CHECK(memory.release(a));
    CHECK_FALSE(memory.release(a));
    CHECK(memory.generation() != before);
    CHECK(memory.was_freed(address(a) + 4095));
    CHECK_FALSE(memory.was_freed(address(b)));
    CHECK(memory.allocated() == 100);
    CHECK(memory.peak() == 4196);
}

TEST_CASE("memory of others is visible while it is registered, and never freed here") {
    DeviceMemory memory;
    std::array<int, 16> host{};
    memory.add(host.data(), sizeof host);
    CHECK(memory.find(address(&host[15])));
    CHECK(memory.allocated() == 0);
    CHECK_FALSE(memory.release(host.data()));
    CHECK(memory.remove(host.data()));
    CHECK_FALSE(memory.remove(host.data()));
    CHECK(memory.was_freed(address(&host[3])));
    memory.add(host.data(), 4);
    CHECK_FALSE(memory.was_freed(address(&host[0])));
}

TEST_CASE("the same calls give the same addresses") {
    const auto addresses = [] {
        DeviceMemory memory;
        void* a = memory.allocate(5000);
        void* b = memory.allocate(1);
        memory.release(a);
        void* c = memory.allocate(8000);  // as many pages as the first
        void* d = memory.allocate(100000);
        return std::array{address(b), address(c), address(d)};
    };
    const auto first = addresses();
    CHECK(addresses() == first);
    DeviceMemory other;
    CHECK(other.allocate(10) != nullptr);
    CHECK(other.allocate(10) != nullptr);
}

TEST_CASE("reserved addresses are no memory until they are opened, and pieces that adjoin are one range") {
    constexpr std::size_t piece = 4096;
    DeviceMemory memory;
    void* const reserved = memory.reserve(3 * piece, 1 << 21);
    REQUIRE(reserved != nullptr);
    const std::uint64_t begin = address(reserved);
    CHECK(begin % (1 << 21) == 0);
    CHECK(memory.allocated() == 0);
    CHECK_FALSE(memory.find(begin));
    CHECK(memory.reservation(begin + 3 * piece - 1)->begin == begin);
    CHECK_FALSE(memory.reservation(begin + 3 * piece));
    memory.open(begin, piece);
    memory.open(begin + 2 * piece, piece);
    CHECK_FALSE(memory.find(begin + piece));
    memory.open(begin + piece, piece);
    CHECK(memory.find(begin)->contains(begin, 3 * piece));
    memory.close(begin + piece, piece);
    CHECK(memory.was_freed(begin + piece));
    CHECK(memory.find(begin)->end == begin + piece);
    CHECK(memory.find(begin + 2 * piece)->begin == begin + 2 * piece);
    CHECK_FALSE(memory.unreserve(reserved, piece));
    CHECK(memory.unreserve(reserved, 3 * piece));
    CHECK_FALSE(memory.find(begin));
    CHECK(memory.reserve(3 * piece, 1 << 21) == reserved);  // as freed places are taken again
}
