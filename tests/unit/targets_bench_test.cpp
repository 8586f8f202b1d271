#include "targets/bench.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "model/error.hpp"
#include "model/gpu_io.hpp"
#include "targets/check.hpp"

using namespace gpuproj;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const char* const measured =
    R"({"schema":"gpuproj.bench","version":1,"interface":"OpenCL","date":"2026-01-02T03:04:05Z",
"quick":true,"device":{"name":"NVIDIA GeForce GTX 1080 Ti","vendor":"NVIDIA Corporation","driver":"535.1",
"architecture":"6.1","cpu":false,"units":28,"clock_hz":1.683e9,"memory_byte":11.7e9,"last_cache_byte":2883584,
"shared_per_group_byte":49152,"ecc":false},
"measurements":[
{"parameter":"fp32_op_per_s","value":13.2e12,"spread":0.003,"repetitions":9,"settled":true,"note":""},
{"parameter":"dram_bandwidth_byte_per_s","value":300e9,"spread":0.12,"repetitions":40,"settled":false,"note":"GB/s: read 300"}],
"sweeps":[{"name":"loads per work-item","points":[{"loads":1,"byte_per_s":2e11},{"loads":2,"byte_per_s":3e11}]}]})";

struct Scratch {
    fs::path file;
    explicit Scratch(const std::string& text)
        : file(fs::temp_directory_path() / ("gpuproj-bench-test-" + std::to_string(std::random_device{}()))) {
        std::ofstream(file) << text;
    }
    ~Scratch() { fs::remove(file); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
};

std::string changed(const std::string& from, const std::string& to) {
    std::string text = measured;
    text.replace(text.find(from), from.size(), to);
    return text;
}

const Catalog& catalog() {
    static const Catalog builtin{std::span<const fs::path>{}};
    return builtin;
}

}  // namespace

TEST_CASE("what a benchmark program printed is read", "[targets]") {
    const Scratch scratch(measured);
    const BenchResults results = read_bench_results(scratch.file);
    CHECK(results.device.name == "NVIDIA GeForce GTX 1080 Ti");
    CHECK(results.values.size() == 2);
    REQUIRE(results.sweeps.size() == 1);
    CHECK(results.sweeps[0].points.size() == 2);
}

TEST_CASE("measured values go over what is known of the GPU", "[targets]") {
    const Scratch scratch(measured);
    const Gpu gpu = gpu_from_bench(read_bench_results(scratch.file), catalog());
    CHECK(gpu.name == "GeForce GTX 1080 Ti");
    CHECK(gpu.fp32->value.value == 13.2e12);
    CHECK(gpu.fp32->quality == Quality::measured);
    CHECK(gpu.fp32->uncertainty == 0.01);  // no spread makes a value surer than that
    CHECK(gpu.dram_bandwidth->uncertainty == 0.12);
    CHECK_THAT(gpu.dram_bandwidth->source, Contains("did not settle") && Contains("read 300") && Contains("535.1"));
    CHECK(gpu.int_add->quality == Quality::derived);  // not measured: as stored, at this card's clock
    const Gpu stored = catalog().get("GTX 1080 Ti");
    CHECK(gpu.int_add->value.value / stored.int_add->value.value ==
          Approx(13.2e12 / stored.fp32->value.value).epsilon(1e-4));
    CHECK(gpu.lanes_per_sm->value == 128);
    REQUIRE(gpu.bandwidth_by_loads);
    REQUIRE(gpu.bandwidth_by_loads->value.size() == 2);
    CHECK(gpu.bandwidth_by_loads->value[1].loads == 2);
    CHECK(gpu.bandwidth_by_loads->value[1].bandwidth.value == 3e11);
    const Gpu again = gpu_from_json(nlohmann::json(gpu_to_json(gpu)), "again");
    CHECK(again.bandwidth_by_loads->value[0].bandwidth.value == 2e11);
    CHECK(check_values(gpu).empty());
}

TEST_CASE("a card that is not quite the stored one is described without contradiction", "[targets]") {
    // A clpeak log of a GTX 1080 below its usual clock: 20 SMs x 128 lanes x 2 x 1733 MHz = 8.873e12 at most.
    BenchResults slow;
    slow.device.name = "GeForce GTX 1080";
    slow.device.units = 20;
    slow.device.clock_hz = 1.733e9;
    slow.values.push_back({"fp32_op_per_s", 8.7e12, 0.02, 9, true, {}});
    CHECK(check_values(gpu_from_bench(slow, catalog())).empty());
    // Only its memory was measured: the reported clock says less than the stored one.
    slow.values.front() = {"dram_bandwidth_byte_per_s", 250e9, 0.02, 9, true, {}};
    const Gpu stored = catalog().get("GTX 1080");
    CHECK(gpu_from_bench(slow, catalog()).core_clock->value.value == stored.core_clock->value.value);
    // Memory above the datasheet's peak: a laptop's version, which has the same name.
    slow.values.front().value = 400e9;
    CHECK_FALSE(gpu_from_bench(slow, catalog()).dram_bandwidth_peak);
    CHECK(check_values(gpu_from_bench(slow, catalog())).empty());
    // A driver that reports a clock of 1 MHz.
    slow.device.name = "Adreno";
    slow.device.clock_hz = 1e6;
    CHECK_FALSE(gpu_from_bench(slow, catalog()).core_clock);
}

TEST_CASE("latencies are in cycles of the clock that the card runs at", "[targets]") {
    // 2 x 128 lanes x 28 SMs at 1683 MHz reported give 12.06e12. The stored card reaches 13.32e12 at 1951 MHz: 13.2e12
    // take 1934 MHz, more than 99 % of the peak would need.
    BenchResults results = read_bench_results(Scratch(measured).file);
    results.values.push_back({"l2_latency_cycle", 200, 0.01, 9, true, {}});
    const Gpu gpu = gpu_from_bench(results, catalog());
    const Gpu stored = catalog().get("GTX 1080 Ti");
    CHECK(gpu.core_clock->value.value == Approx(stored.core_clock->value.value * 13.2e12 / stored.fp32->value.value));
    CHECK(gpu.core_clock->value.value > 13.2e12 / (2 * 128 * 28) / 0.99);
    CHECK(gpu.l2_latency->value.value == Approx(200 * gpu.core_clock->value.value / 1.683e9));
    // Cycles that were counted need no guess.
    results.device.clock_measured = true;
    const Gpu counted = gpu_from_bench(results, catalog());
    CHECK(counted.core_clock->value.value == 1.683e9);
    CHECK(counted.core_clock->quality == Quality::measured);
    CHECK(counted.l2_latency->value.value == 200);
}

TEST_CASE("values that did not settle are named", "[targets]") {
    BenchResults results = read_bench_results(Scratch(measured).file);
    CHECK_THAT(unsettled_note(results), Contains("1 of 2 values") && Contains("12 %: dram_bandwidth_byte_per_s)"));
    results.values.back().settled = true;
    CHECK(unsettled_note(results).empty());
}

TEST_CASE("a device that something else used meanwhile is told by its clock") {
    // 2 x 128 lanes x 28 SMs at 1.683 GHz give 12.06e12; half of it is what two programs have each.
    BenchResults results = read_bench_results(Scratch(measured).file);
    const Gpu gpu = gpu_from_bench(results, catalog());
    const auto fp32 = std::ranges::find(results.values, "fp32_op_per_s", &BenchValue::parameter);
    REQUIRE(fp32 != results.values.end());
    fp32->value = 6e12;
    CHECK(shared_device_note(results, gpu).empty());  // a clock that was only reported
    results.device.clock_measured = true;
    CHECK_THAT(shared_device_note(results, gpu), Contains("50 % of what the clock"));
    fp32->value = 11.5e12;
    CHECK(shared_device_note(results, gpu).empty());
}

TEST_CASE("a device that nobody stored is described by what was measured", "[targets]") {
    const Scratch scratch(changed("NVIDIA GeForce GTX 1080 Ti", "Some Accelerator 9000"));
    const Gpu gpu = gpu_from_bench(read_bench_results(scratch.file), catalog());
    CHECK(gpu.name == "Some Accelerator 9000");
    CHECK(gpu.sm_count->value == 28);
    CHECK_FALSE(gpu.int_add);
}

TEST_CASE("the sweep over intensity is predicted by the roofline of the same run", "[targets]") {
    const Scratch scratch(changed(
        R"("loads per work-item","points":[{"loads":1,"byte_per_s":2e11},{"loads":2,"byte_per_s":3e11}])",
        R"("mixed intensity","points":[{"op_per_byte":8,"op_per_s":2.2e12},{"op_per_byte":64,"op_per_s":12e12}])"));
    const auto points = predict_intensities(read_bench_results(scratch.file));
    REQUIRE(points.size() == 2);
    CHECK(points[0].predicted == Approx(8 * 300e9));  // left of the ridge point at 44 operations per byte
    CHECK(points[1].predicted == Approx(13.2e12));
    CHECK(points[1].measured == 12e12);
    const Scratch without(measured);
    CHECK(predict_intensities(read_bench_results(without.file)).empty());
}

TEST_CASE("with ECC on, a measured bandwidth says what ECC costs", "[targets]") {
    std::string text = changed("NVIDIA GeForce GTX 1080 Ti", "Tesla K40c");
    text.replace(text.find("\"ecc\":false"), 11, "\"ecc\":true");
    text.replace(text.find("\"value\":300e9"), 13, "\"value\":200e9");
    const Scratch scratch(text);
    const Gpu gpu = gpu_from_bench(read_bench_results(scratch.file), catalog());
    REQUIRE(gpu.ecc_traffic);
    // 288.4 GB/s x 0.83, what GDDR5 without ECC attains (facts of the thesis' cards), over 200 GB/s.
    CHECK(gpu.ecc_traffic->value == Approx(288.4 * 0.83 / 200).epsilon(0.03));
    CHECK(gpu.ecc_traffic->quality == Quality::derived);
    const Scratch off(measured);
    CHECK_FALSE(gpu_from_bench(read_bench_results(off.file), catalog()).ecc_traffic);
}

TEST_CASE("a card is compared with the stored one", "[targets]") {
    const Scratch scratch(measured);
    const BenchResults results = read_bench_results(scratch.file);
    const auto rows = compare_bench(results, catalog().get("GTX 1080 Ti"));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].ratio == Approx(13.2e12 / 13317.21e9));  // clpeak's, stored
    CHECK(rows[0].normal);
    CHECK(rows[1].ratio == Approx(300e9 / 410.15e9));
    CHECK_FALSE(rows[1].normal);  // 27 % slower; twice its spread of 12 % and the stored 5 % are 26 %
}

TEST_CASE("bad benchmark results are refused", "[targets]") {
    const auto [from, to, says] = GENERATE(table<std::string, std::string, std::string>({
        {"gpuproj.bench", "gpuproj.gpu", "schema"},
        {"\"version\":1", "\"version\":2", "version 1"},
        {"13.2e12", "-1", "value"},
        {"13.2e12", "null", "value"},
        {"13.2e12", "0", "positive"},
        {"fp32_op_per_s", "fp31_op_per_s", "fp31"},
        {"\"cpu\":false,", "", "cpu"},
        {"]}]}", "]", "not JSON"},
    }));
    const Scratch scratch(changed(from, to));
    CHECK_THROWS_WITH(read_bench_results(scratch.file), Contains(says));
}
