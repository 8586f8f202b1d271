#include "collector/import/import.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/profile_io.hpp"
#include "model/quantitative_roofline.hpp"
#include "tests/support/directories.hpp"

using namespace gpuproj;
using namespace gpuproj::import;
using Catch::Matchers::Contains;

namespace {

ImportResult imported(const std::string& text, ImportOptions options = {}) {
    const std::vector<InputFile> files{{"f.csv", text}};
    auto result = import_files(files, options);
    // What was imported is a profile that can be read back.
    auto profile = result.profile;
    if (profile.gpu.empty()) profile.gpu = "GTX 480";
    const auto json = profile_to_json(profile);
    CHECK(profile_to_json(profile_from_json(json, "f.json")) == json);
    return result;
}
ImportResult lenient(const std::string& text) {
    return imported(text, {.lenient = true});
}
std::string all_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    return text;
}

const std::string raw_header =
    R"~("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum")~"
    "\n";
const std::string raw_units = R"~("","","","","","","","","","","","byte","byte","ns")~"
                              "\n";

std::string raw_row(const std::string& id, const std::string& kernel, const std::string& values) {
    return "\"" + id + R"~(","17","app","127.0.0.1",")~" + kernel +
           R"~(","1","7","(256, 1, 1)","(5, 20, 1)","0","7.0",)~" + values + "\n";
}

const std::string long_header =
    R"~("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description")~"
    "\n";

std::string long_row(const std::string& id, const std::string& metric, const std::string& unit,
                     const std::string& value, const std::string& kernel = "add(float *, int)") {
    return "\"" + id + R"~(","17","app","127.0.0.1",")~" + kernel +
           R"~(","1","7","(256, 1, 1)","(16384, 1, 1)","0","12.1","Command line profiler metrics",")~" + metric +
           "\",\"" + unit + "\",\"" + value + "\"\n";
}

const std::string metrics_header =
    R"~("Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg")~"
    "\n";

std::string metric_row(const std::string& kernel, const std::string& invocations, const std::string& metric,
                       const std::string& average, const std::string& device = "Tesla K20c (0)") {
    return "\"" + device + "\",\"" + kernel + "\"," + invocations + ",\"" + metric + "\",\"What it is\",1,2," +
           average + "\n";
}

const std::string trace_header =
    R"~("Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name","Correlation_ID")~"
    "\n"
    "ms,us,,,,,,,,KB,B,MB,GB/s,,,,,,,\n";

}  // namespace

TEST_CASE("ncu, raw page: units below the header, thousands, banners") {
    const auto result = imported(
        "==PROF== Connected to process 17 (/usr/bin/app)\n==PROF== Profiling \"w13\" - 0: 0%....50%....100% - 3 "
        "passes\n" +
        raw_header + raw_units + "Result = PASS\n" +
        raw_row("0", "void <unnamed>::w13_kernel<4, 1>(...)", R"~("5,156,128","5,760","28,448")~") +
        "==PROF== Disconnected from process 17\n" +
        raw_row("1", "void <unnamed>::w13_kernel<4, 1>(...)", R"~("5,156,128","5,760","28,552")~"));
    REQUIRE(result.profile.kernels.size() == 1);
    const auto& kernel = result.profile.kernels[0];
    CHECK(kernel.kernel == "void <unnamed>::w13_kernel<4, 1>(...)");
    CHECK(kernel.launches == 2);
    CHECK(kernel.grid == Dim3{5, 20, 1});
    CHECK(kernel.block == Dim3{256, 1, 1});
    CHECK(kernel.metrics.dram_read->value == 2 * 5156128 / 32);
    CHECK(kernel.metrics.dram_write->value == 2 * 5760 / 32);
    CHECK(kernel.duration->count == 2);
    CHECK(kernel.duration->sum.value == Approx(57e-6));
    CHECK(kernel.duration->max->value == Approx(28.552e-6));
    CHECK(result.profile.gpu.empty());
    CHECK(result.compute_capability == "7.0");
    CHECK(result.warnings.empty());
    CHECK(imported(raw_header + raw_units + raw_row("0", "k", R"~("32","32","1")~") +
                       raw_row("1", "k", R"~("32","32","1")~"),
                   {.per_launch = true})
              .profile.kernels.size() == 2);
}

TEST_CASE("ncu, details page: one row per metric, scaled units, n/a, rules, names from sections") {
    const auto result = imported(
        "==PROF== Profiling \"add\"\n" + long_header +
        long_row("0", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "", "n/a") +
        long_row("0", "gpu__time_duration.sum", "us", "211.94") +
        long_row("0", "dram__bytes_read.sum", "Mbyte", "6.40") +
        long_row("0", "sm__warps_active.avg.pct_of_peak_sustained_active", "%", "50.5") +
        long_row("0", "device__attribute_display_name", "", "NVIDIA GB10") +
        R"~("0","17","app","127.0.0.1","add(float *, int)","1","7","(256, 1, 1)","(16384, 1, 1)","0","12.1","SpeedOfLight","","","","SOLBottleneck","WRN","This kernel, see ""roofline"", is slow.")~"
        "\n" +
        long_row("1", "Duration", "usecond", "203.02") +
        long_row("1", "Registers Per Thread", "register/thread", "32") +
        long_row("1", "dram__bytes_read.sum", "byte", "3,200,000") +
        long_row("1", "sm__warps_active.avg.pct_of_peak_sustained_active", "%", "60.5"));
    CHECK(result.profile.gpu == "NVIDIA GB10");
    REQUIRE(result.profile.kernels.size() == 1);
    const auto& kernel = result.profile.kernels[0];
    CHECK(kernel.launches == 2);
    CHECK(kernel.metrics.dram_read->value == Approx(9.6e6 / 32));
    CHECK(*kernel.metrics.achieved_occupancy == Approx(0.555));
    CHECK(kernel.duration->sum.value == Approx(414.96e-6));
    CHECK_FALSE(kernel.metrics.dram_utilization);
}

TEST_CASE("ncu, a counter without a value in one launch has no sum, and that is told") {
    const auto result = imported(raw_header + raw_units + raw_row("0", "k(int)", R"~("64","32","1")~") +
                                 raw_row("1", "k(int)", R"~("n/a","32","1")~"));
    CHECK_FALSE(result.profile.kernels.at(0).metrics.dram_read);
    CHECK(result.profile.kernels.at(0).metrics.dram_write->value == 2);
    CHECK_THAT(all_of(result.warnings), Contains("dram_read_sector is there for some launches only"));
}

TEST_CASE("ncu, old headers without block, grid and capability, dimensions as metrics") {
    const auto result = imported(
        R"~("ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream","Section Name","Metric Name","Metric Unit","Metric Value")~"
        "\n"
        R"~("0","5","a","h","k","2020-Jan-01 00:00:00","1","7","Command line profiler metrics","smsp__inst_executed.sum","inst","9,000")~"
        "\n"
        R"~("0","5","a","h","k","2020-Jan-01 00:00:00","1","7","Command line profiler metrics","launch__block_dim_x","","128")~"
        "\n"
        R"~("0","5","a","h","k","2020-Jan-01 00:00:00","1","7","Command line profiler metrics","launch__block_dim_y","","2")~"
        "\n"
        R"~("0","5","a","h","k","2020-Jan-01 00:00:00","1","7","Command line profiler metrics","launch__block_dim_z","","1")~"
        "\n");
    const auto& kernel = result.profile.kernels.at(0);
    CHECK(kernel.metrics.warp_inst->value == 9000);
    CHECK(kernel.block == Dim3{128, 2, 1});
    CHECK_FALSE(kernel.grid);
}

TEST_CASE("localised numbers: what leaves no doubt decides for the file") {
    const auto result =
        imported(raw_header + raw_units + raw_row("0", "k(int)", R"~("5.156.128","5.760","28.448,5")~"));
    CHECK(result.profile.kernels.at(0).metrics.dram_write->value == 180);
    CHECK(result.profile.kernels.at(0).duration->sum.value == Approx(28.4485e-6));
}

TEST_CASE("semicolons, tabs, UTF-16 and CR LF are read too") {
    const std::string semicolons =
        "ID;Kernel Name;Block Size;Grid Size;smsp__inst_executed.sum\n;;;;inst\n0;k(int, float);(32, 1, 1);(2, 1, "
        "1);77\n";
    CHECK(imported(semicolons).profile.kernels.at(0).metrics.warp_inst->value == 77);
    CHECK(imported("ID\tKernel Name\tsmsp__inst_executed.sum\n\t\tinst\n0\tk\t77\r\n")
              .profile.kernels.at(0)
              .metrics.warp_inst->value == 77);
    std::string wide = "\xFF\xFE";
    for (const char c : semicolons) (wide += c) += '\0';
    CHECK(imported(wide).profile.kernels.at(0).metrics.warp_inst->value == 77);
}

TEST_CASE("kernel names with commas, quotes, templates and line breaks") {
    const std::string header = "\"ID\",\"Kernel Name\",\"smsp__inst_executed.sum\"\n\"\",\"\",\"inst\"\n";
    CHECK(imported(header + "\"0\",\"a<int, \"\"x\"\", b<c, d>>(float*, int)\",\"5\"\n").profile.kernels.at(0).kernel ==
          "a<int, \"x\", b<c, d>>(float*, int)");
    CHECK(imported(header + "\"0\",\"a(float*,\n int)\",\"5\"\n").profile.kernels.at(0).kernel == "a(float*,  int)");
    // Quotes lost on the way: a name goes on while its brackets are open.
    CHECK(imported("ID,Kernel Name,smsp__inst_executed.sum\n,,inst\n0,void a<int, 3>(float*, int),5\n")
              .profile.kernels.at(0)
              .kernel == "void a<int, 3>(float*, int)");
    CHECK(imported(header + "\"0\",\"_Z3addPfi\",\"5\"\n").profile.kernels.at(0).kernel == "add(float*, int)");
}

TEST_CASE("nvprof metrics: means per invocation times invocations, levels, overflow") {
    const auto result = imported("==20858== NVPROF is profiling process 20858\n==20858== Metric result:\n" +
                                 metrics_header + metric_row("forma(float*, int)", "3", "flop_count_sp", "3611549214") +
                                 metric_row("forma(float*, int)", "3", "dram_read_transactions", "100") +
                                 metric_row("forma(float*, int)", "3", "achieved_occupancy", "0.5") +
                                 metric_row("forma(float*, int)", "3", "dram_utilization", "\"High (8)\"") +
                                 metric_row("forma(float*, int)", "3", "alu_fu_utilization", "\"Low (2)\"") +
                                 metric_row("forma(float*, int)", "3", "gld_transactions", "7") +
                                 metric_row("forma(float*, int)", "3", "gld_throughput", "12.5GB/s"));
    CHECK(result.profile.gpu == "Tesla K20c");
    const auto& kernel = result.profile.kernels.at(0);
    CHECK(kernel.launches == 3);
    CHECK(kernel.metrics.fp32_op->value == 3 * 3611549214.0);
    CHECK(kernel.metrics.dram_read->value == 300);
    CHECK(kernel.metrics.achieved_occupancy == 0.5);
    CHECK(kernel.metrics.dram_utilization == Approx(0.8));
    CHECK(kernel.metrics.compute_utilization == Approx(0.2));
    CHECK(kernel.metrics.global_load_transaction->value == 21);
    CHECK_FALSE(kernel.grid);
    CHECK_THROWS_WITH(imported(metrics_header + metric_row("k", "1", "inst_executed", "<OVERFLOW>")),
                      Contains("line 2, column \"Avg\"") && Contains("--lenient"));
}

TEST_CASE("nvprof trace: mixed units, launch numbers, copies") {
    const auto result = imported(
        "==1== Profiling result:\n" + trace_header +
        "212.186706,1.120000,,,,,,,,,,0.000004,0.003406,\"Pageable\",\"Device\",\"Tesla K20c (0)\",\"1\",\"7\","
        "\"[CUDA memcpy HtoD]\",77\n"
        "213.1,12.5,10,20,1,32,8,1,25,8.000000,64,,,,,\"Tesla K20c (0)\",\"1\",\"7\",\"sgemm(float*, int) [102]\",102\n"
        "214.1,13.5,10,20,1,32,8,1,25,8.000000,64,,,,,\"Tesla K20c (0)\",\"1\",\"7\",\"sgemm(float*, int) "
        "[103]\",103\n");
    const auto& kernel = result.profile.kernels.at(0);
    CHECK(kernel.kernel == "sgemm(float*, int)");
    CHECK(kernel.launches == 2);
    CHECK(kernel.grid == Dim3{10, 20, 1});
    CHECK(kernel.block == Dim3{32, 8, 1});
    CHECK(kernel.static_shared->value == 8192);
    CHECK(kernel.dynamic_shared->value == 64);
    CHECK(kernel.registers_per_thread == 25u);
    CHECK(kernel.duration->sum.value == Approx(26e-6));
    REQUIRE(result.profile.transfers.size() == 1);
    CHECK(result.profile.transfers[0].direction == "host_to_device");
    CHECK(result.profile.transfers[0].bytes.value == Approx(4).epsilon(0.1));
    CHECK_THAT(all_of(result.warnings), Contains("times and no counters"));
}

TEST_CASE("nvprof summary: a unit per column, old and new headers, API calls are no kernels") {
    const auto result = imported(
        "==1== Profiling "
        "result:\n\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%,ms,,us,us,ms,\n"
        "\"GPU activities\",68.739052,268.352834,6000,44.725000,43.106000,1.791976,\"cuda_compute_flux(...)\"\n"
        "\"GPU activities\",1,2,3,4,5,6,\"[CUDA memcpy HtoD]\"\n"
        "\"API calls\",99,1,7,2,2,2,\"cudaMalloc\"\n");
    REQUIRE(result.profile.kernels.size() == 1);
    const auto& duration = *result.profile.kernels[0].duration;
    CHECK(duration.count == 6000);
    CHECK(duration.sum.value == Approx(0.268352834));
    CHECK(duration.min->value == Approx(43.106e-6));
    CHECK(duration.max->value == Approx(1.791976e-3));
    CHECK(imported("\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n%,ms,,us,us,ms,\n5,1,2,500,400,0."
                   "6,\"k\"\n")
              .profile.kernels[0]
              .launches == 2);
}

TEST_CASE("counters and times of one run are joined") {
    const std::string metrics = metrics_header + metric_row("sgemm(float*, int)", "2", "inst_executed", "1000") +
                                metric_row("add(int)", "3", "inst_executed", "10");
    const std::string trace =
        trace_header +
        "213.1,12.5,10,20,1,32,8,1,25,8.0,64,,,,,\"Tesla K20c (0)\",\"1\",\"7\",\"sgemm(float*, int) [102]\",102\n"
        "214.1,13.5,10,20,1,32,8,1,25,8.0,64,,,,,\"Tesla K20c (0)\",\"1\",\"7\",\"sgemm(float*, int) [103]\",103\n"
        "215.1,1.0,1,1,1,32,1,1,25,8.0,64,,,,,\"Tesla K20c (0)\",\"1\",\"7\",\"add(int)\",104\n"
        "215.1,2.0,2,1,1,32,1,1,25,8.0,64,,,,,\"Tesla K20c (0)\",\"1\",\"7\",\"add(int)\",105\n"
        "215.1,3.0,2,1,1,32,1,1,25,8.0,64,,,,,\"Tesla K20c (0)\",\"1\",\"7\",\"add(int)\",106\n";
    for (const bool counters_first : {true, false}) {
        std::vector<InputFile> files{{"metrics.csv", metrics}, {"trace.csv", trace}};
        if (!counters_first) std::swap(files[0], files[1]);
        const auto kernels = import_files(files, {}).profile.kernels;
        REQUIRE(kernels.size() == 2);
        CHECK(kernels[0].metrics.warp_inst->value == 2000);
        CHECK(kernels[0].grid == Dim3{10, 20, 1});
        CHECK(kernels[0].duration->sum.value == Approx(26e-6));
        CHECK(kernels[1].launches == 3);
        CHECK_FALSE(kernels[1].grid);  // two sizes, one mean
        CHECK(kernels[1].duration->sum.value == Approx(6e-6));
        CHECK_THAT(all_of(kernels[1].notes), Contains("2 sizes"));
    }
}

TEST_CASE("times of a counted kernel in sizes that were not counted are kept, and told with their total") {
    const auto launch = [](const std::string& time, const std::string& grid) {
        return "213.1," + time + "," + grid + ",256,1,1,25,8.0,64,,,,,\"Tesla K20c (0)\",\"1\",\"7\",\"k(int)\",102\n";
    };
    const std::vector<InputFile> files{
        {"counters.csv", raw_header + raw_units + raw_row("0", "k(int)", R"~("64","32","n/a")~")},
        {"trace.csv", trace_header + launch("12.5", "5,20,1") + launch("1000", "7,1,1") + launch("500", "7,1,1") +
                          launch("500", "9,1,1")}};
    const auto result = import_files(files, {});
    const auto& kernels = result.profile.kernels;
    REQUIRE(kernels.size() == 3);
    CHECK(kernels[0].grid == Dim3{5, 20, 1});
    CHECK(kernels[0].duration->sum.value == Approx(12.5e-6));
    CHECK(kernels[1].grid == Dim3{7, 1, 1});
    CHECK(kernels[1].launches == 2);
    CHECK(kernels[1].duration->sum.value == Approx(1500e-6));
    CHECK_FALSE(kernels[1].metrics.dram_read);
    CHECK(kernels[2].grid == Dim3{9, 1, 1});
    REQUIRE(result.warnings.size() == 1);
    CHECK_THAT(result.warnings[0], Contains("trace.csv: k(int): 3 launches, 2 ms in all, are of sizes"));
}

TEST_CASE("counters of files that counted different numbers of launches are scaled to those of the first") {
    const std::vector<InputFile> files{
        {"m1.csv", metrics_header + metric_row("k", "10", "inst_executed", "1000")},
        {"m2.csv", metrics_header + metric_row("k", "20", "dram_read_transactions", "5000") +
                       metric_row("k", "20", "achieved_occupancy", "0.5") +
                       metric_row("k", "20", "inst_executed", "1000")}};
    const auto result = import_files(files, {});
    REQUIRE(result.profile.kernels.size() == 1);
    const auto& kernel = result.profile.kernels[0];
    CHECK(kernel.launches == 10);
    CHECK(kernel.metrics.warp_inst->value == 10 * 1000.0);
    CHECK(kernel.metrics.dram_read->value == 10 * 5000.0);
    CHECK(kernel.metrics.achieved_occupancy == 0.5);  // a fraction, whatever the number
    // 1000 per launch in both files is no contradiction: the one warning is of the launches.
    REQUIRE(result.warnings.size() == 1);
    CHECK_THAT(result.warnings[0], Contains("m2.csv: k: 20 launches counted here, 10 before"));
}

TEST_CASE("times of a file that counted other launches, too, are those of as many launches") {
    const auto file = [](const std::string& value, int launches) {
        std::string text = raw_header + raw_units;
        for (int i = 0; i < launches; ++i) text += raw_row(std::to_string(i), "k(int)", value);
        return text;
    };
    const std::vector<InputFile> files{{"m1.csv", file(R"~("64","n/a","n/a")~", 1)},
                                       {"m2.csv", file(R"~("n/a","32","5,000")~", 2)}};
    const auto kernels = import_files(files, {}).profile.kernels;
    REQUIRE(kernels.size() == 1);
    CHECK(kernels[0].metrics.dram_write->value == 1);
    CHECK(kernels[0].duration->count == 1);
    CHECK(kernels[0].duration->sum.value == Approx(5e-6));
}

TEST_CASE("sections of one file about the same launches are joined as files are") {
    const std::string metrics = metrics_header + metric_row("sgemm(int)", "2", "inst_executed", "1000");
    const std::string trace =
        trace_header +
        "213.1,12.5,10,20,1,32,8,1,25,8.0,64,,,,,\"Tesla K20c (0)\",\"1\",\"7\",\"sgemm(int) [102]\",102\n"
        "214.1,13.5,10,20,1,32,8,1,25,8.0,64,,,,,\"Tesla K20c (0)\",\"1\",\"7\",\"sgemm(int) [103]\",103\n";
    const std::string summary =
        "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n%,us,,us,us,us,\n"
        "100,26,2,13,12.5,13.5,\"sgemm(int)\"\n";
    const auto joined_file = [](const std::string& text) {
        auto result = imported(text);
        CHECK(result.warnings.empty());
        REQUIRE(result.profile.kernels.size() == 1);
        return result.profile.kernels[0];
    };
    for (const auto& times : {trace, summary, trace + summary}) {
        for (const auto& text : {metrics + times, times + metrics}) {
            const auto kernel = joined_file(text);
            CHECK(kernel.launches == 2);
            REQUIRE(kernel.metrics.warp_inst);
            CHECK(kernel.metrics.warp_inst->value == 2000);
            CHECK(kernel.duration->count == 2);
            CHECK(kernel.duration->sum.value == Approx(26e-6));
            CHECK(kernel.grid.has_value() == (times != summary));
        }
    }
    // A summary names no device: it is of the one that is named, whichever that is.
    const auto second = metrics_header + metric_row("sgemm(int)", "2", "inst_executed", "1000", "Tesla K20c (1)");
    CHECK(joined_file(second + summary).duration->count == 2);
    // Nor does one in a file of its own.
    for (const auto& files : {std::vector<InputFile>{{"counters", second}, {"summary", summary}},
                              std::vector<InputFile>{{"summary", summary}, {"counters", second}}}) {
        const auto result = import_files(files, {});
        CHECK(result.warnings.empty());
        REQUIRE(result.profile.kernels.size() == 1);
        CHECK(result.profile.kernels[0].device == 1);
        REQUIRE(result.profile.kernels[0].duration);
        CHECK(result.profile.kernels[0].duration->count == 2);
    }
    const auto of_two = second + metric_row("sgemm(int)", "2", "inst_executed", "500", "GeForce GTX 480 (0)");
    const auto is_k20c = [](const std::string& name) -> NameMatch { return name == "Tesla K20c"; };
    const auto result =
        import_files(std::vector<InputFile>{{"counters", of_two}, {"summary", summary}}, {.is_reference = is_k20c});
    REQUIRE(result.profile.kernels.size() == 1);
    CHECK_FALSE(result.profile.kernels[0].duration);
    REQUIRE(result.warnings.size() == 1);
    CHECK_THAT(result.warnings[0], Contains("summary: its 1 kernels are left out") &&
                                       Contains("several (GeForce GTX 480 (0), Tesla K20c (1))"));
    // One by one they cannot be joined.
    CHECK_THROWS_WITH(imported(metrics + trace, {.per_launch = true}), Contains("more than once"));
    const auto counted = imported(metrics + trace, {.lenient = true, .per_launch = true}).profile.kernels;
    REQUIRE(counted.size() == 1);
    CHECK(counted[0].metrics.warp_inst->value == 2000);
}

TEST_CASE("both pages of ncu in one file are of the same launches") {
    const auto page = [](const std::string& name) {
        return read_file(test::source_directory() + "/tests/fixtures/gpu/h100_matrix_multiply." + name + ".csv");
    };
    const std::vector<InputFile> two{{"raw.csv", page("raw")}, {"details.csv", page("details")}};
    const auto apart = import_files(two, {}).profile.kernels;
    const auto kernels = imported(page("raw") + page("details")).profile.kernels;
    REQUIRE(kernels.size() == 1);
    REQUIRE(apart.size() == 1);
    CHECK(kernels[0].launches == 1);
    CHECK(kernels[0].metrics.warp_inst->value == 45081600);
    CHECK(*kernels[0].metrics.achieved_occupancy == *apart[0].metrics.achieved_occupancy);
    CHECK(kernels[0].duration->sum.value == Approx(132.224e-6));
}

TEST_CASE("copies of other GPUs than the chosen one are left out") {
    const auto copy = [](const std::string& device, const std::string& direction) {
        return "212.1,1.0,,,,,,,,,,4.0,3.4,\"Pageable\",\"Device\",\"" + device + "\",\"1\",\"7\",\"[CUDA memcpy " +
               direction + "]\",77\n";
    };
    const auto launch = [](const std::string& device) {
        return "213.1,12.5,10,20,1,32,8,1,25,8.0,64,,,,,\"" + device + "\",\"1\",\"7\",\"k [102]\",102\n";
    };
    const std::string k20c = "Tesla K20c (0)", other = "GeForce GTX 660 (1)";
    const auto text = trace_header + copy(k20c, "HtoD") + copy(other, "HtoD") + launch(k20c) + launch(other) +
                      copy(other, "DtoH") + copy("", "DtoD");
    const auto of = [&](const std::string& gpu) {
        return imported(text, {.is_reference = [&](const std::string& name) { return name == gpu; }}).profile.transfers;
    };
    const auto of_k20c = of("Tesla K20c"), of_other = of("GeForce GTX 660");
    REQUIRE(of_k20c.size() == 2);
    CHECK(of_k20c[0].direction == "host_to_device");
    CHECK(of_k20c[0].count == 1);
    CHECK(of_k20c[1].direction == "device_to_device");  // nobody says whose
    CHECK(of_other.size() == 3);
}

TEST_CASE("rocprofv3: a row per counter, work-items in total") {
    const std::string header =
        R"~("Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp")~"
        "\n";
    const auto row = [](const std::string& dispatch, const std::string& counter, const std::string& value) {
        return dispatch + "," + dispatch +
               ",4,1,225049,225049,1048576,13,\"subtract_kernel(float*, int)\",64,0,0,8,0,16,\"" + counter + "\"," +
               value + ",317095767013157,317095767022957\n";
    };
    const auto result = imported(header + row("2", "SQ_INSTS", "16384.000000") + row("2", "SQ_WAVES", "16384") +
                                 row("3", "SQ_INSTS", "16384") + row("3", "SQ_INSTS", "1.6384e+04"));
    const auto& kernel = result.profile.kernels.at(0);
    CHECK(kernel.launches == 2);
    CHECK(kernel.metrics.warp_inst->value == 2 * 3 * 16384);
    CHECK(kernel.grid == Dim3{16384, 1, 1});
    CHECK(kernel.block == Dim3{64, 1, 1});
    CHECK(kernel.duration->sum.value == Approx(2 * 9.8e-6));
    // Older versions lack columns.
    CHECK(imported("\"Dispatch_Id\",\"Kernel_Name\",\"Counter_Name\",\"Counter_Value\"\n1,\"k\",\"SQ_INSTS\",5\n")
              .profile.kernels.at(0)
              .metrics.warp_inst->value == 10);
}

const std::string summary_header =
    R"~("Process ID","Process Name","Host Name","Kernel Name","Block Size","Grid Size","Device","CC","Invocations","Section Name","Metric Name","Metric Unit","Minimum","Maximum","Average")~"
    "\n";

std::string summary_row(const std::string& launches, const std::string& metric, const std::string& unit,
                        const std::string& values, const std::string& grid = "(4096, 1, 1)") {
    return R"~("17","app","127.0.0.1","add(float *, int)","(256, 1, 1)",")~" + grid + R"~(","0","8.0",")~" + launches +
           R"~(","Command line profiler metrics",")~" + metric + "\",\"" + unit + "\"," + values + "\n";
}

TEST_CASE("ncu, summary per kernel: means over launches of one size are multiplied by these") {
    const auto result =
        imported("==PROF== Connected to process 17 (app)\n" + summary_header +
                 summary_row("3", "dram__bytes_read.sum", "Kbyte", R"~("1,022.50","1,025.50","1,024.00")~") +
                 summary_row("3", "Duration", "us", R"~("8.00","12.00","9.00")~") +
                 summary_row("3", "Registers Per Thread", "register/thread", R"~("16","16","16")~") +
                 summary_row("2", "dram__bytes_read.sum", "Kbyte", R"~("64.00","64.00","64.00")~", "(16, 1, 1)"));
    const auto& kernels = result.profile.kernels;
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0].launches == 3);
    CHECK(kernels[0].grid == Dim3{4096, 1, 1});
    CHECK(kernels[0].block == Dim3{256, 1, 1});
    CHECK(kernels[0].metrics.dram_read->value == Approx(3 * 1024e3 / 32));
    CHECK(kernels[0].registers_per_thread == 16);
    CHECK(kernels[0].duration->count == 3);
    CHECK(kernels[0].duration->sum.value == Approx(27e-6));
    CHECK(kernels[0].duration->min->value == Approx(8e-6));
    CHECK(kernels[0].duration->max->value == Approx(12e-6));
    CHECK(kernels[1].launches == 2);
    CHECK(kernels[1].metrics.dram_read->value == Approx(2 * 64e3 / 32));
    const auto twice = summary_header + summary_row("3", "dram__bytes_read.sum", "byte", R"~("1","1","1")~");
    CHECK_THROWS_WITH(imported(twice + summary_row("4", "dram__bytes_write.sum", "byte", R"~("1","1","1")~")),
                      Contains("line 3") && Contains("4 here, 3 in line 2"));
    CHECK_THROWS_WITH(imported(twice + summary_row("n", "dram__bytes_write.sum", "byte", R"~("1","1","1")~")),
                      Contains("'n' is not a number of 1 or more"));
}

const std::string nsys_trace_header =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
    "Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n";

TEST_CASE("nsys trace: launches and copies, times only") {
    const auto result = imported(
        "Processing [r.sqlite] with [cuda_gpu_trace.py]...\n" + nsys_trace_header +
        "784061573,1405563,120,,,,,,,,,,4.194,2984.0,Pageable,Device,NVIDIA A100 (0),1,7,[CUDA memcpy Host-to-Device]\n"
        "786061573,405563,121,20,40,1,32,32,1,24,0.008,0.000,,,,,NVIDIA A100 (0),1,7,\"void mm<(int)32>(float *, "
        "int)\"\n"
        "787061573,405437,122,20,40,1,32,32,1,24,0.008,0.000,,,,,NVIDIA A100 (0),1,7,\"void mm<(int)32>(float *, "
        "int)\"\n");
    CHECK(result.profile.gpu == "NVIDIA A100");
    REQUIRE(result.profile.kernels.size() == 1);
    const auto& kernel = result.profile.kernels[0];
    CHECK(kernel.launches == 2);
    CHECK(kernel.grid == Dim3{20, 40, 1});
    CHECK(kernel.block == Dim3{32, 32, 1});
    CHECK(kernel.registers_per_thread == 24);
    CHECK(kernel.duration->sum.value == Approx(811e-6));
    REQUIRE(result.profile.transfers.size() == 1);
    CHECK(result.profile.transfers[0].direction == "host_to_device");
    CHECK(result.profile.transfers[0].bytes.value == Approx(4.194e6));
    CHECK(result.profile.transfers[0].duration->value == Approx(1.405563e-3));
    CHECK_THAT(all_of(result.warnings), Contains("times and no counters"));
}

TEST_CASE("nsys summary: sums per kernel, old and new headers, other reports beside it are passed over") {
    const std::string kernels =
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        " 99.1,900,3,300.0,300.0,200,400,1.5,\"Start(int)\"\n 0.9,8,1,8.0,8.0,8,8,0.0,b(int)\n\n";
    const std::string calls =
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        "81.2,131,1,131.0,131.0,131,131,0.0,cudaMalloc\n";
    for (const auto& text : {kernels + calls, calls + kernels}) {
        const auto result = imported(text);
        REQUIRE(result.profile.kernels.size() == 2);
        const auto& kernel = result.profile.kernels[0];
        CHECK(kernel.kernel == "Start(int)");
        CHECK(kernel.launches == 3);
        CHECK(kernel.duration->sum.value == Approx(900e-9));
        CHECK(kernel.duration->min->value == Approx(200e-9));
        CHECK(kernel.duration->max->value == Approx(400e-9));
    }
    const auto old = imported("Time(%),Total Time (usec),Instances,Average,Minimum,Maximum,Name\n100.0,9,3,3,2,4,a\n");
    CHECK(old.profile.kernels.at(0).duration->sum.value == Approx(9e-6));
}

TEST_CASE("times that nsys took are joined to counters of ncu") {
    const std::vector<InputFile> files{
        {"ncu.csv", raw_header + raw_units + raw_row("0", "add(float *, int)", R"~("64","32","")~")},
        {"nsys.csv", nsys_trace_header + "1,5000,1,5,20,1,256,1,1,16,0,0,,,,,GPU (0),1,7,\"add(float *, int)\"\n"}};
    const auto result = import_files(files, {});
    REQUIRE(result.profile.kernels.size() == 1);
    CHECK(result.profile.kernels[0].metrics.dram_read->value == 2);
    CHECK(result.profile.kernels[0].duration->sum.value == Approx(5e-6));
    CHECK(result.profile.provenance.collector == "import:ncu+nsys");
}

TEST_CASE("gpuroofperf: counters follow from the model's parameters") {
    // The README's matrixMul, with the mix to full precision (tests/golden has its prediction).
    const double all = 47180800.0 * 32;
    nlohmann::json kernel{{"dominant_op", "fp_32"},
                          {"compute_ops", 1048576000},
                          {"dram_bytes", 72716160},
                          {"opmix_efficiency", 1.0},
                          {"mix_compute", 524288000 / all},
                          {"mix_ldst", 721715200 / all},
                          {"reference_time", 2.9151},
                          {"count", 1},
                          {"utilizations", {{"dram_utilization", 3}}}};
    const nlohmann::json file{{"device", "GeForce GTX 960"}, {"data", {{"matrixMul(float*, int)", kernel}}}};
    const auto result = imported(file.dump());
    CHECK(result.profile.gpu == "GeForce GTX 960");
    const auto& m = result.profile.kernels.at(0).metrics;
    CHECK(m.thread_inst_fp32_fma->value == 524288000);
    CHECK(m.thread_inst_fp32->value == 524288000);
    CHECK(m.warp_inst->value == 47180800);
    CHECK(m.thread_inst_load_store->value == 721715200);
    CHECK(m.dram_utilization == Approx(0.3));
    CHECK(result.profile.kernels.at(0).duration->sum.value == Approx(2.9151e-3));
    const auto parameters = std::get<KernelParameters>(kernel_parameters(m, {}));
    CHECK(parameters.w_traf.value == 72716160);
    kernel.erase("mix_ldst");
    const nlohmann::json lacking{{"data", {{"k", kernel}}}};
    CHECK_THROWS_WITH(imported(lacking.dump()), Contains("column \"mix_ldst\"") && Contains("kernel 'k'"));
    // Each key on a line of its own: the kernel begins in line 3.
    CHECK_THROWS_WITH(imported(lacking.dump(1)), Contains("f.csv: line 3, column \"mix_ldst\": "));
    std::string twice = file.dump(1);
    twice.insert(twice.find("   \"compute_ops\""), "   \"count\": 5,\n");
    const auto line = 1 + std::count(twice.begin(), twice.begin() + static_cast<long>(twice.rfind("\"count\"")), '\n');
    CHECK_THROWS_WITH(imported(twice), Contains("f.csv: line " + std::to_string(line) + ", column \"count\": "));
}

TEST_CASE("bad files are refused with what they are, and what to do") {
    const auto refused = [](const std::string& text, const char* says) {
        INFO(says);
        CHECK_THROWS_AS(imported(text), Error);
        CHECK_THROWS_WITH(imported(text), Contains("f.csv:") && Contains(says));
    };
    refused("", "is empty");
    refused(" \n\n", "is empty");
    refused(std::string("\x7F"
                        "ELF\0\0",
                        6),
            "a program");
    refused(std::string("SQLite format 3\0", 16), "nvprof --csv -i");
    refused("NVR\1\2", "--page raw");
    refused(std::string("ID\0\1", 4), "binary");
    refused("Dear diary", "no tool that import knows");
    refused("{\"schema\":\"gpuproj.profile\"}", "is a profile already");
    refused("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n", "doctor");
    refused("==WARNING== No kernels were profiled.\n", "profiled no kernel");
    refused("======== Warning: No CUDA application was profiled, exiting\n", "saw no CUDA program");
    // nvprof 11.8 itself, on a machine with a driver and without a GPU.
    refused(
        "======== Warning: CUDA device error, GPU profiling skipped\n======== Error: Application returned non-zero "
        "code 1\n",
        "could not use the GPU");
    refused("{\"schemaVersion\": 1, \"traceEvents\": []}", "PyTorch");
    refused("[{\"ph\":\"X\",\"name\":\"k\",\"ts\":1,\"dur\":2}]", "Chrome");
    refused("\"Kind\",\"Kernel_Name\",\"Start_Timestamp\"\n\"KERNEL_DISPATCH\",\"k\",1\n", "counter_collection.csv");
    refused("\"Name\",\"Calls\",\"TotalDurationNs\"\n\"k\",1,100\n", "statistics of rocprof");
    refused("\"Index\",\"KernelName\",\"gpu-id\",\"BeginNs\"\n0,\"k\",2,1\n", "rocprofv3 --pmc");
    refused("# HELP DCGM_FI_PROF_SM_ACTIVE ratio\nDCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} 0.5\n", "dcgmi dmon -e 1001");
    refused("timestamp, utilization.gpu [%]\n2026/11/28 10:00:00.000, 98 %\n", "dcgmi dmon -e 1001");
    refused("# gpu    pwr  gtemp     sm    mem\n# Idx      W      C      %      %\n    0     71     45     98     31\n",
            "dcgmi dmon -e 1001");
    refused(" ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n Time (%)  Total Time (ns)\n", "-f csv");
    refused("==PROF== Connected to process 1\n  add(int) (1, 1, 1)x(1, 1, 1), Device 0, CC 8.0\n    Section: X\n",
            "ncu --csv --page raw");
    refused("==1== NVPROF is profiling process 1, command: ./a\n==1== Profiling result:\n",
            "nvprof's output for people");
    {
        const std::vector<InputFile> files{{"r.nsys-rep", std::string("\1\2\0", 3)}};
        CHECK_THROWS_WITH(import_files(files, {}), Contains("nsys stats -r cuda_gpu_trace -f csv"));
    }
    refused("\"ID\",\"Kernel Name\",\"Context\"\n",
            "line 1: looks like a header of ncu, but has no column \"Metric Name\"");
    refused("\n\"Device\",\"Kernel\",\"Invocations\",\"Avg\"\n", "line 2: looks like a header of nvprof");
    refused(raw_header + raw_units, "has no kernels");
    refused(metrics_header, "has no kernels");
}

TEST_CASE("what cannot be read is named by line and column, --lenient keeps the rest") {
    const auto good = raw_row("0", "good(int)", R"~("64","32","5")~");
    struct Case {
        std::string text;
        const char* says;
    };
    const std::vector<Case> cases{
        {raw_header + raw_units + good + raw_row("1", "bad", R"~("sixty","32","5")~"),
         "line 4, column \"dram__bytes_read.sum\": 'sixty' is not a number"},
        {raw_header + raw_units + good + raw_row("1", "bad", R"~("-64","32","5")~"), "line 4, column"},
        {raw_header + raw_units + good + raw_row("1", "bad", R"~("64","32")~"),
         "line 4: 13 cells where the header has 14"},
        {raw_header + raw_units + good + "\"1\",\"17\",\"app\",\"127.0.0.1\",\"ba",
         "line 4: a quote is not closed: the file is cut off"},
        {raw_header + raw_units + good + "\"1\",\"17\",\"app", "cut off"},
        {raw_header + raw_units + good + raw_row("0", "good(int)", R"~("64","32","5")~"), "line 4, column \"ID\""},
        {raw_header +
             R"~("","","","","","","","","","","","furlong","byte","ns")~"
             "\n" +
             good,
         "line 3, column \"dram__bytes_read.sum\": 'furlong' is no unit"},
    };
    for (const auto& [text, says] : cases) {
        INFO(says);
        CHECK_THROWS_WITH(imported(text), Contains(says) && Contains("--lenient"));
        const auto kept = lenient(text);
        REQUIRE_FALSE(kept.profile.kernels.empty());
        CHECK(kept.profile.kernels[0].kernel == "good(int)");
        CHECK(kept.profile.kernels[0].metrics.dram_write->value == 1);
        CHECK_FALSE(kept.warnings.empty());
    }
    // A lost quote swallows the rows behind it: they are read all the same.
    const auto mended = lenient(raw_header + raw_units + "\"7\",\"17\",\"app\",\"127.0.0.1\",\"bad,\"1\"\n" + good +
                                raw_row("2", "good(int)", R"~("64","32","5")~"));
    REQUIRE(mended.profile.kernels.size() == 1);
    CHECK(mended.profile.kernels[0].launches == 2);
}

TEST_CASE("the same metric of a kernel twice, and mixed GPUs, are told") {
    const auto twice =
        metrics_header + metric_row("k", "1", "inst_executed", "5") + metric_row("k", "1", "inst_executed", "6");
    CHECK_THROWS_WITH(imported(twice), Contains("line 3") && Contains("second time"));
    CHECK(lenient(twice).profile.kernels.at(0).metrics.warp_inst->value == 5);

    const auto mixed = metrics_header + metric_row("k", "1", "inst_executed", "5") +
                       metric_row("k", "1", "inst_executed", "6", "GeForce GTX 660 (1)");
    CHECK_THROWS_WITH(imported(mixed), Contains("Tesla K20c, GeForce GTX 660") && Contains("--ref"));
    CHECK(lenient(mixed).profile.gpu == "Tesla K20c");
    const auto chosen =
        imported(mixed, {.is_reference = [](const std::string& name) { return name == "GeForce GTX 660"; }});
    CHECK(chosen.profile.gpu == "GeForce GTX 660");
    CHECK(chosen.profile.kernels.at(0).metrics.warp_inst->value == 6);
    CHECK_THROWS_WITH(imported(mixed, {.is_reference = [](const std::string&) { return false; }}),
                      Contains("none of the reference GPU"));
}

TEST_CASE("a GPU of unknown name is taken for the one asked for only where no other can be") {
    const auto kernel_of = [](const std::string& gpu, const std::string& value) {
        return metric_row("k", "1", "inst_executed", value, gpu);
    };
    const auto is_k20c = [](const std::string& name) -> NameMatch {
        if (name.starts_with("NVS")) return NameMatch::unknown();
        return name == "Tesla K20c";
    };
    const auto value_of = [&](const std::string& rows) {
        const auto profile = imported(metrics_header + rows, {.is_reference = is_k20c}).profile;
        REQUIRE(profile.kernels.size() == 1);
        return profile.kernels[0].metrics.warp_inst->value;
    };
    const auto nvs = kernel_of("NVS 510 (0)", "5"), k20c = kernel_of("Tesla K20c (1)", "6"),
               another = kernel_of("GeForce GTX 660 (2)", "7"), nvs315 = kernel_of("NVS 315 (3)", "8");
    CHECK(value_of(nvs + k20c) == 6);
    CHECK(value_of(nvs + nvs315 + another + k20c) == 6);
    CHECK(value_of(nvs) == 5);
    CHECK(value_of(another + nvs) == 5);
    CHECK_THROWS_WITH(value_of(nvs + nvs315), Contains("NVS 510, NVS 315") && Contains("not among the stored GPUs"));
    CHECK_THROWS_WITH(value_of(another), Contains("GeForce GTX 660, none of the reference GPU"));
}

TEST_CASE("a column twice is told and lenient reads the first, and a metric in two columns is compared") {
    const auto with = [](std::string text, const std::string& before, const std::string& more) {
        text.insert(text.find(before), more);
        return text;
    };
    const auto metrics =
        with(metrics_header, "\"Min\"", "\"Avg\",") + "\"Tesla K20c (0)\",\"k\",1,\"inst_executed\",\"x\",7,1,1,5\n";
    CHECK_THROWS_WITH(imported(metrics), Contains("line 1, column \"Avg\": columns 6 and 9 have this name"));
    CHECK(lenient(metrics).profile.kernels.at(0).metrics.warp_inst->value == 7);
    const auto rocprof = [](const std::string& header) { return header + "\n1,k,128,64,SQ_INSTS,5,6\n"; };
    CHECK_THROWS_WITH(imported(rocprof("Dispatch_Id,Kernel_Name,Grid_Size,Workgroup_Size,Counter_Name,Counter_Value,"
                                       "Counter_Value")),
                      Contains("column \"Counter_Value\": columns 6 and 7"));
    const auto ncu = [&](const std::string& second, const std::string& name) {
        return with(raw_header, "\"dram__bytes_read.sum\"", "\"" + name + "\",") +
               with(raw_units, "\"byte\"", "\"byte\",") + raw_row("0", "k", "\"" + second + R"~(","64","32","5")~");
    };
    CHECK(imported(ncu("64", "dram__bytes_read.sum")).profile.kernels.at(0).metrics.dram_read->value == 2);
    CHECK_THROWS_WITH(imported(ncu("128", "dram__bytes_read.sum")), Contains("a second value of dram__bytes_read.sum"));
    CHECK_THROWS_WITH(imported(ncu("1", "Device")), Contains("column \"Device\": columns 10 and 12"));
}

TEST_CASE("sections of several processes in one file are added") {
    const auto section = metrics_header + metric_row("k", "2", "inst_executed", "5");
    const auto result = imported("==1== Metric result:\n" + section + "==2== Metric result:\n" + section);
    CHECK(result.profile.kernels.at(0).launches == 4);
    CHECK(result.profile.kernels.at(0).metrics.warp_inst->value == 20);
    // Events and metrics of one process are not.
    const auto both = imported(
        "\"Device\",\"Kernel\",\"Invocations\",\"Event Name\",\"Min\",\"Max\",\"Avg\",\"Total\"\n"
        "\"Tesla K20c (0)\",\"k\",2,\"branch\",1,1,3,6\n" +
        section);
    CHECK(both.profile.kernels.at(0).launches == 2);
    CHECK(both.profile.kernels.at(0).metrics.warp_inst_branch->value == 6);
    CHECK(both.profile.kernels.at(0).metrics.warp_inst->value == 10);
}

TEST_CASE("counters that contradict one another are told by line and column") {
    const auto result = imported(metrics_header + metric_row("k", "1", "inst_fp_32", "5") +
                                 metric_row("k", "1", "flop_count_sp_fma", "6"));
    CHECK_THAT(all_of(result.warnings), Contains("line 3, column \"flop_count_sp_fma\"") &&
                                            Contains("6 is more than the 5 of inst_fp_32 in line 2"));
    CHECK_THAT(all_of(imported(metrics_header + metric_row("k", "1", "inst_executed", "0")).warnings),
               Contains("executed instructions"));
    const auto ncu = imported(
        "\"ID\",\"Kernel Name\",\"Device\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
        "\"0\",\"k\",\"0\",\"smsp__inst_executed.sum\",\"inst\",\"9\"\n"
        "\"0\",\"k\",\"0\",\"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum\",\"inst\",\"5\"\n"
        "\"0\",\"k\",\"0\",\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\",\"inst\",\"6\"\n");
    CHECK_THAT(all_of(ncu.warnings),
               Contains("line 4, column \"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\"") &&
                   Contains("_op_fp32_pred_on.sum in line 3"));
}

TEST_CASE("files that ncu wrote on an H100 are read") {
    // tests/fixtures/gpu: C = A B of 1280 x 640 and 640 x 640, blocks of 32 x 32.
    const auto read = [](const std::string& page) {
        const std::string file = test::source_directory() + "/tests/fixtures/gpu/h100_matrix_multiply." + page + ".csv";
        return imported(read_file(file));
    };
    const auto raw = read("raw");
    REQUIRE(raw.profile.kernels.size() == 1);
    const auto& kernel = raw.profile.kernels.front();
    CHECK(kernel.kernel == "void matrix_multiply<32>(const float *, const float *, float *, int, int)");
    CHECK(kernel.grid == Dim3{20, 40, 1});
    CHECK(kernel.registers_per_thread == 32);
    CHECK(kernel.static_shared->value == 8192);
    CHECK(kernel.duration->sum.value == Approx(132.224e-6));
    // By arithmetic; ncu gives it per cycle, rounded.
    CHECK(kernel.metrics.fp32_op->value == Approx(2.0 * 1280 * 640 * 640).epsilon(1e-5));
    CHECK(kernel.metrics.warp_inst->value == 45081600);
    // Each element of both inputs is loaded once per block of its row or column: 2 x 640 / 32 tiles of 4 kB for 800
    // blocks.
    CHECK(kernel.metrics.global_load->value == 800.0 * 2 * 20 * 4096 / 32);
    CHECK(kernel.metrics.global_store->value == 1280.0 * 640 * 4 / 32);
    CHECK(kernel.metrics.dram_read->value == Approx((1280.0 * 640 + 640 * 640) * 4 / 32).epsilon(0.001));
    CHECK(raw.profile.provenance.core_clock->value == Approx(1.977e9).epsilon(0.001));

    const auto details = read("details");
    REQUIRE(details.profile.kernels.size() == 1);
    CHECK(details.profile.kernels.front().duration->sum.value == Approx(132.128e-6));
    CHECK(*details.profile.kernels.front().metrics.achieved_occupancy == Approx(0.919));
}
