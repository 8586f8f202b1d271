// What fetches of textures need besides themselves, against what ptxas 11.8 makes of the same PTX
// (tools/dev/expansions.py).
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "collector/simulate/engine/texture.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::test;
using gpuproj::simulate::Texture;

namespace {

/// Of one warp: so many fetches, none of which needs another one, at the second coordinate `second` and a number, or
/// none.
double instructions(const char* gpu, int fetches, const std::string& second) {
    std::string text = R"(
.visible .entry k(.param .u64 t) {
    .reg .f32 %x, %s, %x<8>, %y<8>, %a<8>, %b<8>, %c<8>, %d<8>; .reg .b32 %r<2>; .reg .b64 %rd<2>; .shared .b32 s[64];
    ld.param.u64 %rd1, [t]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %x, %r1; mov.f32 %s, 0f00000000;
)";
    for (int i = 0; i < fetches; ++i) {
        text += fmt::format("add.f32 %x{0}, %x, 0f3F800000; add.f32 %y{0}, %x, 0f40000000;\n", i);
        text += fmt::format("tex.2d.v4.f32.f32 {{%a{0}, %b{0}, %c{0}, %d{0}}}, [%rd1, {{%x{0}, {1}}}];\n", i,
                            fmt::format(fmt::runtime(second), i));
    }
    for (int i = 0; i < fetches; ++i) text += fmt::format("fma.rn.f32 %s, %a{0}, %a{0}, %s;\n", i);
    text += "shl.b32 %r1, %r1, 2; st.shared.f32 [%r1], %s; ret; }\n";
    PtxRunner runner(gpu);
    const auto texels = runner.allocate<f32>(std::vector<f32>(64));
    Texture texture;
    texture.data = reinterpret_cast<std::byte*>(texels.data());
    texture.width = texture.height = 8;
    texture.depth = 1;
    texture.row_bytes = 32;
    texture.slice_bytes = 256;
    const auto report = runner.run(module_text(text), {}, Arguments(u64{texture_handle(texture)}));
    REQUIRE(!report.fault);
    return report.counted.metrics.warp_inst.value().value;
}

constexpr const char* own = "%y{}";
constexpr const char* shared = "%y0";
constexpr int adds_fetch_and_use = 4;

/// What waits for seven fetches, but for one.
double waits(const char* gpu) {
    return instructions(gpu, 7, own) - instructions(gpu, 1, own) - 6 * adds_fetch_and_use;
}

}  // namespace

TEST_CASE("a coordinate that several fetches want is copied for each", "[engine][texture][fetches]") {
    const auto copies = [](const char* gpu) { return instructions(gpu, 7, shared) - instructions(gpu, 7, own); };
    CHECK(copies("K20c") == 6);
    CHECK(copies("RTX 2080 Ti") == 6);
    CHECK(copies("H200 SXM 141GB") == 6);
    // Maxwell's fetches name two registers.
    CHECK(copies("GTX 980") == 0);
    CHECK(copies("GTX1060") == 0);
}

TEST_CASE("of fetches that are under way some are waited for together", "[engine][texture][fetches]") {
    CHECK(waits("GTX 480") == 0);
    CHECK(waits("K20c") == 6);     // TEXDEPBAR, each
    CHECK(waits("GTX1060") == 3);  // DEPBAR
    CHECK(waits("RTX 2080 Ti") == 2);
    CHECK(waits("H200 SXM 141GB") == 2);
}

TEST_CASE("a fetch has the finest level and its handle in registers", "[engine][texture][fetches]") {
    const auto besides = [](const char* gpu) {
        return instructions(gpu, 1, own) - instructions(gpu, 0, own) - adds_fetch_and_use;
    };
    CHECK(besides("GTX1060") == 0);
    CHECK(besides("RTX 2080 Ti") == 1);     // the level
    CHECK(besides("H200 SXM 141GB") == 3);  // and ULDC and UMOV, the handle
}
