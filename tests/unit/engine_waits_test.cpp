// When a kernel is taken to wait for the host.
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "collector/simulate/engine/engine.hpp"
#include "targets/catalog.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

namespace {

struct Waiting {
    LaunchReport report;
    int let_go = 0;
};

/// One warp that goes through a loop `rounds` times, each of which looks at memory and has two more instructions or so;
/// in one of the first the host has other work for `pause`.
Waiting run_with_pause(u32 rounds, std::chrono::milliseconds pause) {
    const auto text = module_text(R"(
.visible .entry k(.param .u64 py, .param .u32 prounds) {
    .reg .b64 %rd<2>; .reg .b32 %r<4>; .reg .pred %p;
    ld.param.u64 %rd1, [py]; ld.param.u32 %r1, [prounds];
    mov.u32 %r2, 0;
LOOP:
    atom.global.add.u32 %r3, [%rd1], 1;
    max.u32 %r2, %r2, %r3;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra LOOP;
    st.global.u32 [%rd1+4], %r2;
    ret;
})");
    DeviceMemory memory;
    EngineOptions options;
    options.threads = 1;
    bool paused = false;
    options.progress = [&](double) {
        if (!std::exchange(paused, true)) std::this_thread::sleep_for(pause);
    };
    Engine engine(Catalog({}).get("GTX 480"), memory, std::move(options));
    const Module module(text, "test", memory, MachineCode::usual);
    auto* const words = static_cast<u32*>(memory.allocate(2 * sizeof(u32)));
    words[0] = words[1] = 0;
    const Arguments arguments(reinterpret_cast<u64>(words), rounds);
    Waiting waiting;
    LaunchRequest request;
    request.module = &module;
    request.kernel = "k";
    request.parameters = arguments.bytes();
    request.waits = [&] { ++waiting.let_go; };
    waiting.report = engine.launch(request);
    CHECK(paused);
    CHECK(words[0] == rounds);
    return waiting;
}

}  // namespace

TEST_CASE("A warp that works does not wait for the host because the machine had other work for a time", "[engine]") {
    const auto waiting = run_with_pause(1U << 20U, std::chrono::milliseconds(1100));
    CHECK(waiting.let_go == 0);
    CHECK_FALSE(waiting.report.waited);
}

TEST_CASE("A warp that goes on and on is let go after as many instructions whatever the time", "[engine]") {
    const auto waiting = run_with_pause(1U << 24U, std::chrono::milliseconds(0));
    CHECK(waiting.let_go == 1);
    CHECK(waiting.report.waited);
}
