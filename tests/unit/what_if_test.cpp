// --set: keys, units, near names, and what becomes of GPUs and counters.
#include "tools/gpuproj/what_if.hpp"

#include <catch2/catch.hpp>

#include "model/error.hpp"

using namespace gpuproj;
using Catch::Contains;

namespace {

Gpu gpu_with_bandwidth() {
    Gpu gpu;
    gpu.name = "Round";
    gpu.dram_bandwidth = Known<BytesPerSecond>{BytesPerSecond{100e9}, Quality::measured, "a round number", {}};
    return gpu;
}

KernelRecord kernel() {
    KernelRecord record;
    record.kernel = "round";
    auto& m = record.metrics;
    m.thread_inst_fp32 = Instructions{1000};
    m.thread_inst_fp32_fma = Instructions{500};
    m.thread_inst_fp64 = Instructions{0};
    m.dram_read = Sectors{10};
    m.dram_write = Sectors{30};
    return record;
}

}  // namespace

TEST_CASE("Values have prefixes, units and factors") {
    const auto bandwidth = parse_change("gpu.dram_bandwidth=900GB/s");
    CHECK(bandwidth.of == Change::Of::gpu);
    CHECK(bandwidth.key == "dram_bandwidth_byte_per_s");
    CHECK(bandwidth.value == 900e9);
    CHECK_FALSE(bandwidth.factor);
    CHECK(parse_change("gpu.fp32_op_per_s=1.5TFLOP/s").value == 1.5e12);
    CHECK(parse_change("gpu.sm_count=20").value == 20);
    CHECK(parse_change("gpu.l2-size=2M").value == 2e6);
    const auto traffic = parse_change("kernel.W_traf=0.5x");
    CHECK(traffic.key == "W_traf");
    CHECK(traffic.factor);
    CHECK(parse_change("kernel.w_traf=64MB").value == 64e6);
    CHECK(parse_change("kernel.warp_inst=1e6").value == 1e6);
}

TEST_CASE("What cannot be understood is named, with near names and the unit") {
    CHECK_THROWS_WITH(parse_change("gpu.dram_bandwith=9"), Contains("did you mean dram_bandwidth"));
    CHECK_THROWS_WITH(parse_change("kernel.warp_insts=9"), Contains("counter of a profile") && Contains("warp_inst"));
    CHECK_THROWS_WITH(parse_change("dram_bandwidth=9"), Contains("neither gpu. nor kernel."));
    CHECK_THROWS_WITH(parse_change("gpu.dram_bandwidth"), Contains("no '='"));
    CHECK_THROWS_WITH(parse_change("gpu.dram_bandwidth=fast"), Contains("number"));
    CHECK_THROWS_WITH(parse_change("gpu.dram_bandwidth=-1"), Contains("at least 0"));
    CHECK_THROWS_WITH(parse_change("gpu.dram_bandwidth=0"), Contains("above 0"));
    CHECK_THROWS_WITH(parse_change("gpu.dram_bandwidth=900GHz"), Contains("B/s, not 'Hz'"));
    CHECK_THROWS_WITH(parse_change("gpu.sm_count=20 SMs"), Contains("no unit"));
    CHECK_THROWS_AS(parse_change("gpu.dram_type=GDDR5"), UsageError);
}

TEST_CASE("Changes of a GPU") {
    Gpu gpu = gpu_with_bandwidth();
    apply(parse_change("gpu.dram_bandwidth=2x"), gpu);
    CHECK(gpu.dram_bandwidth->value.value == 200e9);
    CHECK(gpu.dram_bandwidth->quality == Quality::unverified);
    apply(parse_change("gpu.fp64=1G"), gpu);
    CHECK(gpu.fp64->value.value == 1e9);
    CHECK_THROWS_WITH(apply(parse_change("gpu.fp32=2x"), gpu), Contains("Round has none"));
}

TEST_CASE("Changes of counters") {
    KernelRecord k = kernel();
    apply(parse_change("kernel.W_traf=2560"), k);  // 32 x 40 = 1280 bytes before
    CHECK(k.metrics.dram_read->value == 20);
    CHECK(k.metrics.dram_write->value == 60);
    apply(parse_change("kernel.W_comp=2x"), k);
    CHECK(k.metrics.thread_inst_fp32->value == 2000);
    CHECK(k.metrics.thread_inst_fp32_fma->value == 1000);
    apply(parse_change("kernel.thread_inst_special=12"), k);
    CHECK(k.metrics.thread_inst_special->value == 12);
    CHECK_THROWS_WITH(apply(parse_change("kernel.warp_inst=2x"), k), Contains("not counted for round"));
    k.metrics.dram_read = k.metrics.dram_write = Sectors{0};
    CHECK_THROWS_WITH(apply(parse_change("kernel.W_traf=1"), k), Contains("round has none"));
}
