#include "tests/support/ptx_one_warp.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace gpuproj::test {

std::string one_warp_kernel(std::string_view body) {
    return module_text(fmt::format(R"(
.visible .entry k(.param .u64 in, .param .u64 out) {{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r4, %tid.x;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r1, [%rd4];
    ld.global.u32 %r2, [%rd5];
    {}
    st.global.u32 [%rd5], %r3;
    ret;
}})",
                                   body));
}

OneWarp::OneWarp(std::string_view body, simulate::EngineOptions options)
    : runner("GTX 480", std::move(options)), module(one_warp_kernel(body), "test", runner.memory()) {
    std::iota(in.begin(), in.end(), 100);
}

}  // namespace gpuproj::test
