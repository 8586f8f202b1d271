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

TEST_CASE("a figure that is not a number as a whole is told with its place, and not cut off") {
    const auto gpus = [](const std::string& figure) {
        return import_measurements("\"GPU\", \"GFLOPS - SP\", \"GBSEC - DRAM\"\n\"GTX 480\", " + figure + ", 115.9\n",
                                   "gpus.csv");
    };
    CHECK(value_of(gpus("310.7").at(0), "fp32_op_per_s") == Approx(310.7e9));
    CHECK(value_of(gpus("0").at(0), "fp32_op_per_s") == 0);  // as for what was not measured
    CHECK(value_of(gpus("n/a").at(0), "fp32_op_per_s") == 0);
    CHECK_THROWS_WITH(gpus("\"310,7\""),
                      Contains("gpus.csv: line 2: GFLOPS - SP: '310,7' is not a number") && Contains("decimal point"));
    for (const auto* bad : {"\"1,310\"", "-5", "31O", "1e999", "3 GB"})
        CHECK_THROWS_WITH(gpus(bad), Contains("line 2"));
    const auto clpeak = [](const std::string& lines) {
        return import_measurements(
            "Device: Tesla T4\n" + lines + "\nSingle-precision compute (GFLOPS)\nfloat : 8030.45\n", "t4.log");
    };
    CHECK_THROWS_WITH(clpeak("Global memory bandwidth (GBPS)\nfloat : 235,00"),
                      Contains("t4.log: line 3: Global memory bandwidth (GBPS): '235,00'"));
    CHECK_THROWS_WITH(clpeak("Clock frequency : 1.6 GHz"), Contains("line 2: Clock frequency: '1.6 GHz'"));
    CHECK_THROWS_WITH(clpeak("Kernel launch latency : 5.82 ms"), Contains("in us"));
    CHECK(clpeak("Clock frequency : 1590 MHz").at(0).device.clock_hz == Approx(1590e6));
    CHECK_THROWS_WITH(import_measurements("<clpeak a=\"1\">\n<run device=\"A\">\n<test name=\"wmma_fp16\">\n"
                                          "<metric name=\"x\">42,5</metric>\n",
                                          "a.xml"),
                      Contains("a.xml: line 4: wmma_fp16: '42,5'"));
    CHECK_THROWS_WITH(import_measurements("mixbench\nDevice: A\n0,0.25,1,104.4x,4,1,1,1,1,1,1,1,1,1,1,1,1\n", "m.csv"),
                      Contains("m.csv: line 3: column 4: '104.4x'"));
}

TEST_CASE("a column twice is refused") {
    CHECK_THROWS_WITH(
        import_measurements("\"GPU\", \"GFLOPS - SP\", \"GBSEC - DRAM\", \"GFLOPS - SP\"\nA, 1, 2, 3\n", "gpus.csv"),
        Contains("gpus.csv: line 1: there are two columns \"GFLOPS - SP\""));
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
