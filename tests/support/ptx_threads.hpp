// Runs lines of PTX in every thread of a small launch and gives back one word per thread.
#pragma once

#include <string_view>
#include <vector>

#include "tests/support/ptx_runner.hpp"

namespace gpuproj::test {

struct Threads {
    std::vector<u32> values;  // %r of every thread
    simulate::LaunchReport report;
};

/// Puts what a kernel needs into memory and gives what it gets in %in: an address or a handle.
using Prepare = std::function<u64(PtxRunner&)>;

/// Runs `body` in every thread: %tid is its number in the block, %i in the grid, %in what `prepare` gives; %r is stored
/// as its result. Scratch: %s0-15 (b32), %l0-7 (b64), %h0-7 (b16), %f0-7 (f32), %g0-7 (f64), %p0-7 (pred).
/// `declarations` come before the kernel. Throws PtxError.
Threads run_threads(std::string_view body, const Shape& shape = {}, std::string_view declarations = "",
                    const Prepare& prepare = {});

/// The value of every thread is meaning(i); what differs fails the test.
void expect_threads(std::string_view body, const std::function<u32(u32)>& meaning, const Shape& shape = {},
                    std::string_view declarations = "", const Prepare& prepare = {});

}  // namespace gpuproj::test
