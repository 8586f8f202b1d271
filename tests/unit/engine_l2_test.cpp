// What L2 holds from launch to launch, and what happens to it between them.
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>

#include "collector/simulate/engine/engine.hpp"
#include "targets/catalog.hpp"
#include "tests/support/ptx_runner.hpp"

using namespace gpuproj;
using namespace gpuproj::simulate;
using namespace gpuproj::test;

TEST_CASE("between launches L2 keeps what the device copies and the host overwrites, and is charged once",
          "[engine][memory]") {
    constexpr std::size_t words = 32, bytes = words * sizeof(u32);  // 4 sectors
    DeviceMemory memory;
    EngineOptions options;
    options.count_every_launch = true;
    Engine engine(Catalog({}).get(GENERATE("GTX 480", "H200 SXM 141GB")), memory, options);
    const auto allocate = [&] {
        void* const array = memory.allocate(bytes);
        std::memset(array, 0, bytes);
        return array;
    };
    const Module module(module_text(R"(.visible .entry k(.param .u64 pin, .param .u64 pout) {
    .reg .b32 %r<4>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [pin]; ld.param.u64 %rd2, [pout];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r2, [%rd4]; st.global.u32 [%rd5], %r2;
    ret;
})"),
                        "test", memory, MachineCode::usual);
    void *const in = allocate(), *const out = allocate(), *const other = allocate();
    struct Moved {
        double read, written;
        bool operator==(const Moved&) const = default;
    };
    const auto copies = [&](void* from, void* to) {
        const Arguments arguments(from, to);
        LaunchRequest request;
        request.module = &module;
        request.kernel = "k";
        request.block = {words, 1, 1};
        request.parameters = arguments.bytes();
        const KernelMetrics metrics = engine.launch(request).counted.metrics;
        return Moved{metrics.dram_read.value().value, metrics.dram_write.value().value};
    };
    CHECK(copies(in, out) == Moved{4, 4});
    CHECK(copies(in, out) == Moved{0, 0});
    CHECK(copies(out, in) == Moved{0, 4});

    // A copy on the device: both of its ends are there.
    engine.device_access(other, bytes, true);
    CHECK(copies(other, out) == Moved{0, 0});
    CHECK(copies(in, other) == Moved{0, 4});

    // One from the host.
    std::memset(in, 7, bytes);
    engine.host_wrote(in, bytes);
    CHECK(copies(in, out) == Moved{0, 0});
    void* const fresh = allocate();
    engine.host_wrote(fresh, bytes);
    CHECK(copies(fresh, out) == Moved{4, 0});

    // What is released is gone.
    engine.released(in, bytes);
    engine.released(out, bytes / 2);
    CHECK(copies(in, out) == Moved{4, 2});
}
