// Registers of machine code for one GPU from those for another, against what ptxas 11.8 and 13.0 give (medians of the
// 398 kernels of tools/dev/registers.py, docs/machine_code.md).
#include "model/registers.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace gpuproj;

namespace {

constexpr std::nullopt_t none = std::nullopt;

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

TEST_CASE("a block's most threads, resident blocks and most registers bound them") {
    const auto bounded = [](const char* compute_capability, const RegisterBounds& bounds) {
        return register_aim(occupancy_rules(compute_capability).value(), bounds);
    };
    CHECK(bounded("8.0", {256, none, none}) == RegisterAim{32, true, 255});
    CHECK(bounded("8.0", {768, none, none}) == RegisterAim{40, true, 80});   // 65536 / 1536: two blocks are all
    CHECK(bounded("8.6", {1024, none, none}) == RegisterAim{64, true, 64});  // one
    CHECK(bounded("8.6", {640, none, none}) == RegisterAim{48, true, 96});
    CHECK(bounded("8.6", {200, none, none}) == RegisterAim{40, true, 255});  // 42 warps, up to 11 of a partition
    CHECK(bounded("8.0", {256, 4, none}) == RegisterAim{64, true, 64});
    CHECK(bounded("6.1", {256, 4, none}) == RegisterAim{64, false, 64});
    CHECK(bounded("6.1", {256, 6, none}) == RegisterAim{64, false, 40});
    CHECK(bounded("7.5", {256, 6, none}) == RegisterAim{64, true, 255});   // more than can be: not heeded
    CHECK(bounded("7.0", {none, 4, none}) == RegisterAim{32, true, 255});  // ptxas needs both
    CHECK(bounded("7.0", {none, none, 64}) == RegisterAim{64, true, 64});
    CHECK(bounded("7.0", {512, none, 255}) == RegisterAim{64, true, 128});
    CHECK(register_aim({}, {256, 4, 32}) == RegisterAim{});
}

TEST_CASE("registers of bounded kernels are within a fifth of ptxas'") {
    // needle_cuda_shared_1 of Rodinia's nw: with these bounds, ptxas 11.8 for `from` and `to` (13.0 for 9.0).
    struct Case {
        RegisterBounds bounds;
        const char* from;
        std::uint32_t there;
        const char* to;
        std::uint32_t here;
    };
    const Case c = GENERATE(values<Case>({
        {{256, none, none}, "7.5", 54, "6.1", 32},
        {{256, 2, none}, "7.5", 54, "6.1", 54},
        {{256, 6, none}, "7.5", 54, "6.1", 40},
        {{256, 8, none}, "7.5", 54, "6.1", 32},
        {{768, none, none}, "7.5", 54, "6.1", 40},
        {{768, none, none}, "7.5", 54, "9.0", 40},
        {{1024, none, none}, "7.5", 54, "8.6", 52},
        {{640, none, none}, "7.5", 54, "8.6", 48},
        {{256, 6, none}, "7.5", 54, "8.0", 40},
        {{none, none, 32}, "7.5", 32, "8.6", 32},
        {{none, none, 40}, "7.5", 40, "6.1", 40},
        {{none, none, 64}, "7.5", 54, "6.1", 54},
    }));
    INFO(c.there << " on " << c.from << ", to " << c.to);
    const auto of = [&](const char* compute_capability) {
        return register_aim(occupancy_rules(compute_capability).value(), c.bounds);
    };
    CHECK(static_cast<double>(registers_on(c.there, of(c.from), of(c.to))) == Approx(c.here).epsilon(0.2));
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
    kernel.register_bounds = RegisterBounds{{}, {}, 64};
    CHECK(registers_on(kernel, &turing, kepler) == 41);
}
