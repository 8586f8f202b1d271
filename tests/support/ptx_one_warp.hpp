// A kernel of one warp that reads two arrays and writes one of them, launched again and again.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tests/support/ptx_runner.hpp"

namespace gpuproj::test {

/// PTX of k(in, out): out[lane] = %r3, which `body` makes of %r1 = in[lane] and %r2 = out[lane]; in is at %rd1, their
/// elements at %rd4 and %rd5. Scratch: %r5-7, %rd6-7, %p0-1.
std::string one_warp_kernel(std::string_view body);

/// That kernel on a GTX 480; in[lane] is 100 + lane and out[lane] 0 before its first launch.
struct OneWarp {
    explicit OneWarp(std::string_view body, simulate::EngineOptions options = {});
    simulate::LaunchReport run() { return runner.run(module, {}, Arguments(in.data(), out.data())); }

    PtxRunner runner;
    simulate::Module module;
    std::span<u32> in = runner.allocate<u32>(32), out = runner.allocate<u32>(32);
};

}  // namespace gpuproj::test
