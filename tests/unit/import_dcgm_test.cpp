// Samples of whole GPUs by `dcgmi dmon`: which counters they become, and what is told.
#include <catch2/catch.hpp>

#include "collector/import/import.hpp"
#include "model/error.hpp"

using namespace gpuproj;
using namespace gpuproj::import;
using Catch::Matchers::Contains;

namespace {

/// Round numbers: a share of 1 is 1e12 fp32 and 0.5e12 fp64 instructions, 3.2e10 sectors and 4e14 tensor operations a
/// second, at 1 GHz.
Gpu round_gpu() {
    Gpu gpu;
    gpu.name = "Round";
    const auto known = [](auto value) { return Known<decltype(value)>{value, Quality::datasheet, "test", {}}; };
    gpu.fp32_peak = known(OperationsPerSecond{2e12});
    gpu.fp64_peak = known(OperationsPerSecond{1e12});
    gpu.tensor_fp16 = known(OperationsPerSecond{4e14});
    gpu.dram_bandwidth_peak = known(BytesPerSecond{32 * 3.2e10});
    gpu.boost_clock = known(Hertz{1e9});
    return gpu;
}

ImportResult imported(const std::string& text, ImportOptions options = {}) {
    if (!options.find_gpu) options.find_gpu = [](const std::string&) { return round_gpu(); };
    const std::vector<InputFile> files{{"f.txt", text}};
    return import_files(files, options);
}

const KernelRecord& record(const ImportResult& result, const std::string& kernel) {
    for (const auto& found : result.profile.kernels)
        if (found.kernel == kernel) return found;
    FAIL("no record " << kernel);
    throw Error("unreachable");
}

bool warned(const ImportResult& result, const std::string& what) {
    return std::any_of(result.warnings.begin(), result.warnings.end(),
                       [&](const std::string& warning) { return warning.find(what) != std::string::npos; });
}

const std::string header =
    "#Entity         GRACT       SMACT       SMOCC       TENSO       DRAMA       FP64A       FP32A       SMCLK       "
    "FBUSD       \nID\n";

}  // namespace

TEST_CASE("samples of DCGM become counts by the peak rates of the GPU, and records by what was busiest") {
    const auto result = imported(header +
                                 "GPU 0  1.000  0.800  0.400  0.000  0.500  0.250  0.125  1000  100\n"
                                 "GPU 0  0.500  0.400  0.100  0.000  0.250  0.000  0.100   500  300\n"
                                 "GPU 0  0.000  0.000  0.000  0.000  0.000  0.000  0.000   210  300\n" +
                                 header + "GPU 0  1.000  0.900  0.300  0.600  0.100  0.000  0.000   N/A  200\n");
    REQUIRE(result.profile.kernels.size() == 2);
    const auto& dram = record(result, "gpu0_dram_busiest");
    CHECK(dram.launches == 2);
    // 0.5 and 0.25 of a second's sectors; the memory's clock is not the multiprocessors'.
    CHECK(dram.metrics.dram_read->value == Approx(0.75 * 3.2e10));
    CHECK_FALSE(dram.metrics.dram_write);
    CHECK(dram.metrics.thread_inst_fp64->value == Approx(0.25 * 0.5e12));
    // The second sample's clock is half of that of the peak rate.
    CHECK(dram.metrics.thread_inst_fp32->value == Approx(0.125 * 1e12 + 0.1 * 1e12 / 2));
    CHECK(dram.metrics.tensor_fp16->value == 0);
    // Fractions are of the time with work: 0.5 / 1 and 0.25 / 0.5; 0.4 / 0.8 and 0.1 / 0.4.
    CHECK(*dram.metrics.dram_utilization == Approx(0.5));
    CHECK(*dram.metrics.achieved_occupancy == Approx((0.5 + 0.25) / 2));
    REQUIRE(dram.duration);
    CHECK(dram.duration->sum.value == Approx(1.5));
    CHECK(dram.duration->min->value == Approx(0.5));
    const auto& tensor = record(result, "gpu0_tensor_busiest");
    CHECK(tensor.metrics.tensor_fp16->value == Approx(0.6 * 4e14));
    CHECK(*tensor.metrics.compute_utilization == Approx(0.6));
    CHECK(result.profile.provenance.counters == "derived");
    CHECK(result.profile.host_time->value == Approx(4));  // an idle sample is the host's
    CHECK(result.profile.peak_device_memory->value == Approx(300 * 1048576.0));
    CHECK(result.warnings.empty());
}

TEST_CASE("DCGM's older header, names of GPUs, tensor units by type, other intervals") {
    const std::string text =
        "# Entity  DVNAM  GRACT  DRAMA  THMMA  FP64A  FP32A\n"
        "      Id\n"
        "    GPU 0  NVIDIA Round One  1.000  0.020  0.500  0.000  0.010\n"
        "    GPU 1  NVIDIA Round One  1.000  0.020  0.000  0.000  0.010\n"
        "    GPU-I 0  NVIDIA Round One  1.000  0.020  0.500  0.000  0.010\n"
        "\ndmon was stopped due to receiving a signal\n";
    std::vector<std::string> asked;
    const auto result = imported(text, {.find_gpu =
                                            [&](const std::string& name) {
                                                asked.push_back(name);
                                                return round_gpu();
                                            },
                                        .sample_interval = Seconds{0.1}});
    CHECK(asked == std::vector<std::string>{"NVIDIA Round One", "NVIDIA Round One"});
    CHECK(result.profile.gpu == "NVIDIA Round One");
    CHECK(record(result, "gpu0_tensor_busiest").metrics.tensor_fp16->value == Approx(0.5 * 4e14 * 0.1));
    CHECK(record(result, "gpu1_little_busy").device == 1);
    CHECK(warned(result, "line 5: instances (MIG) are left out"));
}

TEST_CASE("samples of DCGM that are of no use are told with what to do") {
    const std::string good = "GPU 0  1.000  0.800  0.400  0.000  0.500  0.250  0.125  1000  100\n";
    ImportOptions nameless;
    nameless.find_gpu = [](const std::string&) { return std::optional<Gpu>(); };
    CHECK_THROWS_WITH(imported(header + good, nameless), Contains("--ref"));
    CHECK_THROWS_WITH(imported("#Entity   GPUTL\nID\nGPU 0     99\n"), Contains("dcgmi dmon -e 1001"));
    CHECK_THROWS_WITH(imported(header), Contains("has no kernels"));
    CHECK_THROWS_WITH(imported("#Entity GRACT DRAMA\nGPU 0 0.000 0.000\n"), Contains("no GPU had work"));
    CHECK_THROWS_WITH(imported(header + "GPU 0  1.000  0.8\n"), Contains("line 3: 2 values where the header has 9"));
    CHECK_THROWS_WITH(imported("#Entity GRACT DRAMA\nGPU 0 1.000 -0.1\n"),
                      Contains("line 2, column \"DRAMA\": '-0.1' is not a share"));
    CHECK_THROWS_WITH(imported("#Entity GRACT DRAMA\nGPU 0 1.000 98.2\n"), Contains("is not a share"));
    // Clocks that are not read at one moment.
    const auto above = imported("#Entity GRACT DRAMA FP64A FP32A TENSO\nGPU 0 1.004 0.9 0 0 0\n");
    CHECK(above.profile.kernels[0].duration->sum.value == Approx(1));
    const auto rest = imported(header + "GPU 0  1.000  0.8\n" + good, {.lenient = true});
    CHECK(rest.profile.kernels.size() == 1);
    CHECK(warned(rest, "line 3"));
    const auto bare = imported("#Entity DRAMA\nGPU 0 0.900\n");
    CHECK(warned(bare, "no GRACT"));
    CHECK(warned(bare, "no FP64A, FP32A, TENSO"));
    // A share of what the GPU's file has no rate of.
    CHECK(warned(imported("#Entity GRACT DRAMA FP64A FP32A TENSO FP16A\nGPU 0 1 0.1 0 0 0 0.3\n"),
                 "Round has no known peak rate for fp16"));
    const std::vector<InputFile> two{{"a.txt", header + good}, {"b.txt", header + good}};
    ImportOptions options;
    options.find_gpu = [](const std::string&) { return round_gpu(); };
    CHECK_THROWS_WITH(import_files(two, options), Contains("gpuproj merge"));
}
