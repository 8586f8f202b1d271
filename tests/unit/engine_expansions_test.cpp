#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "collector/simulate/engine/assembler/expansions.hpp"

using namespace gpuproj::simulate;

namespace {

float count(std::string_view key, int capability, Class c) {
    const Mix* mix = find_expansion(key, capability);
    REQUIRE(mix != nullptr);
    return (*mix)[static_cast<std::size_t>(c)];
}

}  // namespace

TEST_CASE("division expands into a reciprocal refined by multiply-adds", "[engine][expansions]") {
    // nvdisasm of sm_35 and of sm_80: MUFU.RCP, FCHK, five FFMA.
    for (const int capability : {30, 35, 50, 75, 80, 120}) {
        CAPTURE(capability);
        CHECK(count("div.rn.f32", capability, Class::fp32_fma) == 5);
        CHECK(count("div.rn.f32", capability, Class::fp32) == 7);
        CHECK(count("div.rn.f32", capability, Class::special) == 1);
    }
    // Compute capability 2.x, from counters of a GTX-480 (Konstantinidis 2017): e3d-step's 157,386,240 operations in 60
    // launches of 97,152 threads are 27 a thread, of which 10 are its own 5 multiply-adds.
    const double operations = 157'386'240.0 / (60 * 97152);
    CHECK(count("div.rn.f32", 20, Class::fp32) + count("div.rn.f32", 20, Class::fp32_fma) == operations - 10);
    // Seven multiply-adds and a multiplication in fp64.
    CHECK(count("div.rn.f64", 70, Class::fp64) == 8);
    CHECK(count("div.rn.f64", 70, Class::fp64_fma) == 7);
}

TEST_CASE("Maxwell and Pascal put a fence behind a barrier", "[engine][expansions]") {
    // nvdisasm of sm_52 and sm_61: BAR.SYNC, MEMBAR.CTA; of the others BAR.SYNC alone.
    for (const auto& [capability, instructions] : {std::pair{35, 1}, {52, 2}, {61, 2}, {70, 1}, {90, 1}}) {
        CAPTURE(capability);
        CHECK(count("bar.sync", capability, Class::total) == static_cast<float>(instructions));
        CHECK(count("bar.sync", capability, Class::barrier) == 1);
    }
}

TEST_CASE("the slow way of a division calls a subroutine", "[engine][expansions]") {
    // nvdisasm of sm_75, of two zeros: a move, the call, 26 instructions of the subroutine.
    CHECK(count("div.rn.f32.slow", 75, Class::total) == 28);
    CHECK(count("div.rn.f64.slow", 75, Class::fp64_fma) == 7);
    for (const char* key : {"div.rn.f32", "div.rn.f64", "rcp.rn.f32", "rcp.rn.f64", "sqrt.rn.f32"}) {
        CAPTURE(key);
        CHECK(count(std::string(key) + ".slow", 80, Class::control) >= 4);
    }
}

TEST_CASE("the nearest lower architecture speaks for one that was not assembled", "[engine][expansions]") {
    CHECK(find_expansion("max.s32", 30) == find_expansion("max.s32", 35));
    CHECK(find_expansion("max.s32", 53) == find_expansion("max.s32", 52));
    CHECK(find_expansion("mul.lo.s32", 50) == find_expansion("mul.lo.s32", 52));  // Maxwell, not Kepler
    CHECK(find_expansion("max.s32", 100) == find_expansion("max.s32", 90));
    // Volta compares and selects; the others have one instruction.
    CHECK(count("max.s32", 61, Class::total) == 1);
    CHECK(count("max.s32", 70, Class::total) == 2);
    CHECK(count("max.s32", 75, Class::total) == 1);
    // Maxwell and Pascal have no 32-bit multiplier: three 16-bit multiply-adds.
    CHECK(count("mul.lo.s32", 35, Class::integer_multiply) == 1);
    CHECK(count("mul.lo.s32", 52, Class::integer_multiply) == 3);
    CHECK(count("mul.lo.s32", 70, Class::integer_multiply) == 1);
}

TEST_CASE("a key that the table lacks leaves the instruction's own cost", "[engine][expansions]") {
    CHECK(find_expansion("add.f32.nonsense", 80) == nullptr);
    const Mix own = one({Class::misc});
    const Cost plain(own), unknown("no.such.key", own), known("max.s32", own);
    const auto mix = [](const Cost& cost) { return resolve(cost, expansions_of(cost), 70); };
    CHECK(mix(plain) == own);
    CHECK(mix(unknown) == own);
    CHECK(mix(known) == *find_expansion("max.s32", 70));
}

TEST_CASE("compute capabilities become numbers", "[engine][expansions]") {
    CHECK(capability_number("2.0") == 20);
    CHECK(capability_number("8.6") == 86);
    CHECK(capability_number("12.0") == 120);
    CHECK(capability_number("gfx90a") == 90);  // the newest machine code in the table
    CHECK(capability_number("") == 90);
}
