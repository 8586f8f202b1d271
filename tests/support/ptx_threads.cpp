#include "tests/support/ptx_threads.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

namespace gpuproj::test {

Threads run_threads(std::string_view body, const Shape& shape, std::string_view declarations, const Prepare& prepare) {
    PtxRunner runner;
    const std::size_t threads = std::size_t{shape.grid[0]} * shape.block[0];
    const auto out = runner.allocate<u32>(threads);
    Threads result;
    result.report = runner.run(module_text(fmt::format(R"({}
.visible .entry k(.param .u64 out_, .param .u64 in_) {{
.reg .b32 %r, %tid, %i, %s<16>; .reg .b64 %in, %out, %l<8>; .reg .pred %p<8>;
.reg .b16 %h<8>; .reg .f32 %f<8>; .reg .f64 %g<8>;
mov.u32 %tid, %tid.x; mov.u32 %s0, %ctaid.x; mov.u32 %s1, %ntid.x; mad.lo.u32 %i, %s0, %s1, %tid;
ld.param.u64 %in, [in_]; ld.param.u64 %out, [out_]; mad.wide.u32 %out, %i, 4, %out;
{}
st.global.u32 [%out], %r;
ret;
}}
)",
                                                       declarations, body)),
                               shape, Arguments(out.data(), prepare ? prepare(runner) : u64{0}));
    result.values.assign(out.begin(), out.end());
    return result;
}

void expect_threads(std::string_view body, const std::function<u32(u32)>& meaning, const Shape& shape,
                    std::string_view declarations, const Prepare& prepare) {
    const Threads result = run_threads(body, shape, declarations, prepare);
    INFO(body);
    INFO((result.report.fault ? result.report.fault->message : ""));
    REQUIRE_FALSE(result.report.fault);
    for (u32 i = 0; i < result.values.size(); ++i) {
        CAPTURE(i);
        REQUIRE(result.values[i] == meaning(i));
    }
}

}  // namespace gpuproj::test
