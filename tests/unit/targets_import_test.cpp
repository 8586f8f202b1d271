#include "targets/import.hpp"

#include <catch2/catch.hpp>

#include "model/error.hpp"

using namespace gpuproj;
using Catch::Contains;

namespace {

double value_of(const BenchResults& results, std::string_view parameter) {
    for (const BenchValue& value : results.values) {
        if (value.parameter == parameter) return value.value;
    }
    return 0;
}

}  // namespace

TEST_CASE("gpus.csv of gpuroofperf-toolkit is imported", "[targets]") {
    // Header as its bench/main.cpp writes it; figures of its README.
    const auto all = import_measurements(
        "\"GPU\", \"GFLOPS - SP\", \"GFLOPS - DP\", \"GIOPS - MAD\", \"GBSEC - DRAM\", \"GBSEC - L2\", \"GOPS - "
        "SHMEM\", \"GIOPS - ADD\"\n"
        "\"GeForce GTX 660\", 1863.5690, 81.7910, 359.0200, 115.9430, 179.1270, 179.7290, 414.9350\n",
        "gpus.csv");
    REQUIRE(all.size() == 1);
    CHECK(all[0].device.name == "GeForce GTX 660");
    CHECK(value_of(all[0], "fp32_op_per_s") == Approx(1863.569e9));
    CHECK(value_of(all[0], "int_add_op_per_s") == Approx(414.935e9));
    CHECK(value_of(all[0], "shared_inst_per_s") == Approx(179.729e9));
    const Gpu gpu = gpu_from_bench(all[0], Catalog(std::span<const std::filesystem::path>{}));
    CHECK(gpu.sm_count->value == 5);
    CHECK_THAT(gpu.fp32->source, Contains("gpuroofperf"));
}

TEST_CASE("a clpeak log is imported: the best width of each test", "[targets]") {
    const auto all = import_measurements(
        "Platform: NVIDIA CUDA\n  Device: Tesla T4\n    Driver version  : 560.35.03 (Linux x64)\n    Compute units   : "
        "40\n"
        "    Clock frequency : 1590 MHz\n\n    Global memory bandwidth (GBPS)\n      float   : 235.00\n      float8  : "
        "263.44\n\n"
        "    Single-precision compute (GFLOPS)\n      float   : 8030.45\n      float2  : 8034.32\n\n    No half "
        "precision support! Skipped\n\n"
        "    Integer compute Fast 24bit (GIOPS)\n      int   : 99999\n\n    Transfer bandwidth (GBPS)\n      "
        "enqueueWriteBuffer : 4.73\n\n"
        "    Kernel launch latency : 5.82 us\n",
        "t4.log");
    REQUIRE(all.size() == 1);
    CHECK(all[0].device.units == 40);
    CHECK(value_of(all[0], "dram_bandwidth_byte_per_s") == Approx(263.44e9));
    CHECK(value_of(all[0], "fp32_op_per_s") == Approx(8034.32e9));
    CHECK(value_of(all[0], "launch_overhead_s") == Approx(5.82e-6));
    CHECK(value_of(all[0], "int_mad_op_per_s") == 0);
    CHECK(all[0].values.size() == 3);
}

TEST_CASE("clpeak's XML is imported, one result per run", "[targets]") {
    const auto all = import_measurements(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<clpeak format_version=\"2\">\n"
        "  <run backend=\"CUDA\" platform=\"CUDA\" device=\"NVIDIA GeForce RTX 5060\" driver=\"13.3\">\n"
        "      <test name=\"single_precision_compute\" unit=\"gflops\">\n        <metric "
        "name=\"float\">21117.0625</metric>\n"
        "      <test name=\"wmma_fp16\" unit=\"tflops\">\n        <metric name=\"wmma_fp16\">42.5577</metric>\n"
        "      <test name=\"wmma_int4\" unit=\"tops\">\n        <metric name=\"int4\" status=\"unsupported\"/>\n",
        "5060.xml");
    REQUIRE(all.size() == 1);
    CHECK(all[0].device.name == "NVIDIA GeForce RTX 5060");
    CHECK(value_of(all[0], "fp32_op_per_s") == Approx(21117.0625e9));
    CHECK(value_of(all[0], "tensor_fp16_op_per_s") == Approx(42.5577e12));
}

TEST_CASE("mixbench's output is imported, bandwidth from its read-only variant", "[targets]") {
    const std::string body =
        "Device:              GeForce RTX 2070\nCUDA driver version: 10.20\n"
        "Compute iters, Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, "
        "ex.time,  GFLOPS, GB/sec, Iops/byte, ex.time,   GIOPS, GB/sec\n"
        "            0,      0.250,    0.32,  104.42, 417.68,      0.125,    0.63,   53.04, 424.35,      0.500,    "
        "0.32,  211.41, 422.81,     0.250,    0.32,  105.58, 422.30\n"
        "            7,      3.750,    0.32, 1592.45, 424.65,      1.875,    2.27,  221.38, 118.07,      7.500,    "
        "0.32, 3169.50, 422.60,     3.750,    0.32, 1585.55, 422.81\n";
    const auto reading = import_measurements("mixbench/read-only (v0.03)\n" + body, "ro.log");
    REQUIRE(reading.size() == 1);
    CHECK(value_of(reading[0], "fp32_op_per_s") == Approx(1592.45e9));
    CHECK(value_of(reading[0], "fp16_op_per_s") == Approx(3169.5e9));
    CHECK(value_of(reading[0], "dram_bandwidth_byte_per_s") == Approx(424.65e9));
    const auto alternating = import_measurements("mixbench-alt (v0.03)\n" + body, "alt.log");
    CHECK(value_of(alternating[0], "dram_bandwidth_byte_per_s") == 0);
}

TEST_CASE("what is not recognised, or empty, is refused", "[targets]") {
    CHECK_THROWS_WITH(import_measurements("hello", "x"), Contains("x: not recognised") && Contains("clpeak"));
    CHECK_THROWS_WITH(import_measurements("mixbench\nDevice: X\n", "y"), Contains("without any figure"));
    CHECK_THROWS_AS(import_measurements("", "z"), Error);
}
