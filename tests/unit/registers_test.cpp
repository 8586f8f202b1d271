// Registers of machine code for one GPU from those for another, against what ptxas 11.8 and 13.0 give (medians of the
// 398 kernels of tools/dev/registers.py, docs/simulation.md).
#include "model/registers.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace gpuproj;

namespace {

RegisterAim aim(const std::string& compute_capability) {
    return register_aim(occupancy_rules(compute_capability).value());
}
std::uint32_t on(std::uint32_t registers, const std::string& from, const std::string& to) {
    return registers_on(registers, aim(from), aim(to));
}

}  // namespace

TEST_CASE("an SM is full with so many registers per thread") {
    CHECK(aim("3.5") == RegisterAim{32, false});  // 65536 / 2048
    CHECK(aim("3.7") == RegisterAim{32, false});  // runs code for 3.5
    CHECK(aim("6.1") == RegisterAim{32, false});
    CHECK(aim("7.0") == RegisterAim{32, true});
    CHECK(aim("7.5") == RegisterAim{64, true});  // 65536 / 1024
    CHECK(aim("8.6") == RegisterAim{40, true});  // 65536 / 1536, in steps of 8
    CHECK(aim("12.0") == RegisterAim{40, true});
    CHECK(register_aim({}) == RegisterAim{});  // of another maker
}

TEST_CASE("registers of another generation are within three of ptxas' medians") {
    struct Case {
        std::uint32_t registers;
        const char *from, *to;
        std::uint32_t median;
    };
    const Case c = GENERATE(values<Case>({
        // Kernels that have 8 to 16 registers on 7.5, 16 to 24, 24 to 32, ...: the middle, and the median elsewhere.
        {12, "7.5", "3.5", 10},
        {20, "7.5", "3.5", 19},
        {28, "7.5", "3.5", 24},
        {36, "7.5", "3.5", 31},
        {44, "7.5", "6.1", 32},
        {62, "7.5", "6.1", 40},
        {36, "7.5", "8.0", 32},
        {44, "7.5", "8.0", 32},
        {52, "7.5", "9.0", 32},
        {60, "7.5", "7.0", 40},
        {44, "7.5", "8.6", 40},
        {52, "7.5", "8.9", 40},
        // The other way: with 32 on 6.1 there are 45 on 7.5.
        {10, "6.1", "7.5", 12},
        {16, "6.1", "7.5", 20},
        {22, "6.1", "7.5", 24},
        {32, "6.1", "7.5", 45},
        {48, "6.1", "7.5", 48},
        {16, "3.5", "9.0", 20},
    }));
    INFO(c.registers << " on " << c.from << ", " << c.median << " on " << c.to);
    const auto off = static_cast<int>(on(c.registers, c.from, c.to)) - static_cast<int>(c.median);
    CHECK(std::abs(off) <= 3);
}

TEST_CASE("registers stay as they are where nothing tells them apart") {
    CHECK(on(47, "3.5", "6.1") == 47);
    CHECK(on(33, "7.0", "9.0") == 33);
    CHECK(on(168, "9.0", "8.6") == 168);
    CHECK(registers_on(47, aim("7.5"), RegisterAim{}) == 47);
    CHECK(registers_on(47, RegisterAim{}, aim("7.5")) == 47);
}

TEST_CASE("a block that fits with the registers of one GPU fits with those of another") {
    for (const char* from : {"3.5", "5.2", "6.1", "7.0", "7.5", "8.0", "8.6", "9.0", "12.0"}) {
        for (const char* to : {"3.5", "5.2", "6.1", "7.0", "7.5", "8.0", "8.6", "9.0", "12.0"}) {
            for (std::uint32_t registers = 1; registers <= 64; ++registers) {
                INFO(registers << " from " << from << " to " << to);
                CHECK(occupancy(occupancy_rules(to).value(), 1024, on(registers, from, to), 0).blocks_per_sm >= 1);
            }
        }
    }
}

TEST_CASE("a record's registers are those of the GPU that it was counted on") {
    Gpu turing, kepler;
    turing.compute_capability = "7.5";
    kepler.compute_capability = "3.5";
    KernelRecord kernel;
    CHECK(registers_on(kernel, &turing, kepler) == 0);
    kernel.registers_per_thread = 44;
    CHECK(registers_on(kernel, &turing, kepler) == 32);
    CHECK(registers_on(kernel, &turing, turing) == 44);
    CHECK(registers_on(kernel, nullptr, kepler) == 44);
    CHECK(registers_on(kernel, &turing, Gpu{}) == 44);
}
