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

TEST_CASE("Values that no GPU has are refused, those beyond the rest of the GPU are not") {
    const auto changed = [](const std::vector<std::string>& texts) {
        WhatIf what_if;
        CommandLine line("test", "");
        what_if.declare(line);
        Words words;
        for (const auto& text : texts) words.insert(words.end(), {"--set", text});
        line.parse(words);
        what_if.resolve();
        Gpu gpu = gpu_with_bandwidth();
        gpu.dram_bandwidth_peak = gpu.dram_bandwidth;
        gpu.core_clock = Known<Hertz>{Hertz{1}, Quality::datasheet, "impossible, but not what is asked for", {}};
        return what_if.changed(gpu);
    };
    CHECK_THROWS_AS(changed({"gpu.dram_bandwidth=208"}), UsageError);
    CHECK_THROWS_WITH(changed({"gpu.dram_bandwidth=208"}), Contains("--set gpu.dram_bandwidth_byte_per_s: Round") &&
                                                               Contains("208 is outside") && Contains("unit"));
    CHECK_THROWS_WITH(changed({"gpu.fp32=1T", "gpu.dram_bandwidth=1e9x"}), Contains("dram_bandwidth_byte_per_s"));
    CHECK(changed({"gpu.dram_bandwidth=900GB/s"}).dram_bandwidth->value.value == 900e9);
}

TEST_CASE("Fractions stay below 1") {
    KernelRecord k = kernel();
    CHECK_THROWS_AS(apply(parse_change("kernel.achieved_occupancy=80"), k, {}), UsageError);
    CHECK_THROWS_WITH(apply(parse_change("kernel.achieved_occupancy=80"), k, {}), Contains("round is above 1"));
    apply(parse_change("kernel.achieved_occupancy=0.8"), k, {});
    CHECK(k.metrics.achieved_occupancy == 0.8);
    CHECK_THROWS_AS(apply(parse_change("kernel.achieved_occupancy=2x"), k, {}), UsageError);
    apply(parse_change("kernel.load_parallelism=4"), k, {});
    CHECK(k.metrics.load_parallelism == 4.0);
    k.metrics.l2_utilization = 1.02;  // as tools do print
    CHECK_NOTHROW(apply(parse_change("kernel.l2_utilization=0.99x"), k, {}));
}

TEST_CASE("W_comp is the work of the type that is asked for") {
    KernelRecord k = kernel();
    k.metrics.thread_inst_integer = Instructions{800};
    ModelOptions options;
    options.k_type = KType::integer;
    apply(parse_change("kernel.W_comp=2x"), k, options);
    CHECK(k.metrics.thread_inst_integer->value == 1600);
    CHECK(k.metrics.thread_inst_fp32->value == 1000);
}

TEST_CASE("Changes of counters") {
    KernelRecord k = kernel();
    apply(parse_change("kernel.W_traf=2560"), k, {});  // 32 x 40 = 1280 bytes before
    CHECK(k.metrics.dram_read->value == 20);
    CHECK(k.metrics.dram_write->value == 60);
    apply(parse_change("kernel.W_comp=2x"), k, {});
    CHECK(k.metrics.thread_inst_fp32->value == 2000);
    CHECK(k.metrics.thread_inst_fp32_fma->value == 1000);
    apply(parse_change("kernel.thread_inst_special=12"), k, {});
    CHECK(k.metrics.thread_inst_special->value == 12);
    CHECK_THROWS_WITH(apply(parse_change("kernel.warp_inst=2x"), k, {}), Contains("not counted for round"));
    k.metrics.dram_read = k.metrics.dram_write = Sectors{0};
    CHECK_THROWS_WITH(apply(parse_change("kernel.W_traf=1"), k, {}), Contains("round has none"));
}
