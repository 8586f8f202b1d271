#include "collector/cupti/launches.hpp"

#include <unistd.h>
#include <catch2/catch.hpp>

#include "collector/cupti/process_log.hpp"
#include "collector/cupti/timeline.hpp"
#include "collector/cupti/wanted.hpp"
#include "collector/launch/work_directory.hpp"
#include "collector/records/choose_gpu.hpp"

using namespace gpuproj;
using namespace gpuproj::cupti;
using Catch::Matchers::Contains;
using records::choose_gpu;

namespace {

KernelRecord one_launch(const std::string& name, std::uint32_t blocks, double seconds = 0) {
    KernelRecord r;
    r.kernel = name;
    r.grid = Dim3{blocks, 1, 1};
    r.block = Dim3{64, 1, 1};
    if (seconds > 0) r.duration = Duration{1, Seconds{seconds}, Seconds{seconds}, Seconds{seconds}};
    return r;
}

double time_of(const KernelRecord& record) {
    return record.duration ? record.duration->sum.value : 0;
}

}  // namespace

TEST_CASE("values of the Host API come to base units") {
    CHECK(base_value("gpu__time_duration.sum", 5000) == Approx(5e-6));
    CHECK(base_value("sm__warps_active.avg.pct_of_peak_sustained_active", 50) == 0.5);
    CHECK(base_value("smsp__inst_executed.sum", 7) == 7);
}

TEST_CASE("a counted launch has its counters and, until it is timed, the time it took profiled") {
    const auto record = counted_launch(
        one_launch("k", 2),
        {{"smsp__inst_executed.sum", 100}, {"dram__sectors_read.sum", 8}, {"gpu__time_duration.sum", 5e-6}});
    CHECK(record.metrics.warp_inst->value == 100);
    CHECK(record.metrics.dram_read->value == 8);
    CHECK(time_of(record) == 5e-6);
    CHECK_FALSE(counted_launch(one_launch("k", 2), {{"smsp__inst_executed.sum", 0}}).metrics.warp_inst);
}

TEST_CASE("counters of other numbers of warps than a launch has are not its own") {
    const auto launch = one_launch("k", 3);  // of 64 threads
    CHECK(can_be_of(launch, {{std::string(warps_metric), 6}}));
    CHECK_FALSE(can_be_of(launch, {{std::string(warps_metric), 7}}));
    CHECK(can_be_of(launch, {}));
    auto odd = launch;
    odd.block = Dim3{33, 1, 1};
    CHECK(can_be_of(odd, {{std::string(warps_metric), 6}}));
    CHECK(can_be_of({}, {{std::string(warps_metric), 6}}));
}

TEST_CASE("the n-th launch of a kernel gets the time of its n-th launch") {
    std::vector<KernelRecord> timed{one_launch("a", 2, 1), one_launch("b", 2, 10), one_launch("a", 2, 2),
                                    one_launch("a", 4, 3)};
    timed[0].registers_per_thread = 40;
    timed[0].static_shared = Bytes{1024};
    const auto joined = join_runs(
        {one_launch("a", 2, 0.5), one_launch("a", 2, 0.5), one_launch("b", 2, 0.5), one_launch("a", 4, 0.5)}, timed);
    REQUIRE(joined.launches.size() == 4);
    CHECK(time_of(joined.launches[0]) == 1);
    CHECK(time_of(joined.launches[1]) == 2);
    CHECK(time_of(joined.launches[2]) == 10);
    CHECK(time_of(joined.launches[3]) == 3);
    CHECK(joined.launches[3].registers_per_thread == 40);
    CHECK(joined.launches[3].static_shared->value == 1024);
    CHECK(joined.notes.empty());
}

TEST_CASE("launches on GPUs of other models are left out and told, those on a second GPU of the model are not") {
    const std::vector<std::string> gpus{"NVIDIA A100-SXM4-40GB", "Tesla T4", "", "NVIDIA A100-SXM4-40GB", "Tesla T4"};
    const auto launches = [] {
        return std::vector{one_launch("a", 2), one_launch("b", 2), one_launch("c", 2), one_launch("d", 2),
                           one_launch("e", 2)};
    };
    const auto names = [](const std::vector<KernelRecord>& kept) {
        std::string text;
        for (const auto& launch : kept) text += launch.kernel;
        return text;
    };
    auto kept = launches();
    const auto told = keep_one_gpu(kept, gpus,
                                   choose_gpu(
                                       gpus, [](const std::string& name) { return name == "Tesla T4"; }, "app"));
    CHECK(names(kept) == "be");  // c may be either's
    REQUIRE(told);
    CHECK_THAT(*told, Contains("3 launches on other GPUs (NVIDIA A100-SXM4-40GB, one without a name) are left out"));
    kept = launches();
    CHECK(keep_one_gpu(kept, gpus, choose_gpu(gpus, {}, "app")));
    CHECK(names(kept) == "ad");  // as the first launch's
    kept = launches();
    const std::vector<std::string> one_named{"", "Tesla T4", "", "Tesla T4", "Tesla T4"};
    CHECK_FALSE(keep_one_gpu(kept, one_named, choose_gpu(one_named, {}, "app")));
    CHECK(names(kept) == "abcde");  // no other is known
}

TEST_CASE("a GPU of unknown name stands back where the reference is known, and is it where no other may be") {
    const IsReference is_t4 = [](const std::string& name) -> NameMatch {
        if (name.starts_with("NVS")) return NameMatch::unknown();
        return name == "Tesla T4" || name == "T4";
    };
    const auto chosen = [&](const std::vector<std::string>& gpus) { return choose_gpu(gpus, is_t4, "app").names; };
    using Names = std::vector<std::string>;
    CHECK(chosen({"NVS 510", "Tesla T4"}) == Names{"Tesla T4"});
    CHECK(chosen({"NVS 510", "Tesla T4", "NVS 315", "GTX 480", "T4"}) == Names{"Tesla T4", "T4"});
    CHECK(chosen({"GTX 480", "NVS 510", "", "NVS 510"}) == Names{"NVS 510"});
    CHECK(chosen({"NVS 510"}) == Names{"NVS 510"});
    CHECK(chosen({"", ""}).empty());
    CHECK_THROWS_WITH(chosen({"NVS 510", "GTX 480", "NVS 315"}),
                      "app: has kernels of NVS 510, GTX 480, NVS 315: which of them is the reference GPU is not known, "
                      "as NVS 510, NVS 315 are not among the stored GPUs; profile that GPU alone");
    CHECK_THROWS_WITH(chosen({"GTX 480", ""}),
                      "app: has kernels of GTX 480, none of the reference GPU; name one of them with --ref");
}

TEST_CASE("another order, another number of launches, another device are told") {
    const std::vector<KernelRecord> timed{one_launch("a", 2, 1), one_launch("a", 2, 3), one_launch("a", 4, 8)};
    auto other_device = one_launch("a", 2, 0.5);
    other_device.device = 1;
    const auto joined = join_runs({one_launch("a", 4, 0.5), one_launch("a", 2, 0.5), one_launch("a", 2, 0.5),
                                   one_launch("c", 2, 0.5), other_device},
                                  timed);
    CHECK(time_of(joined.launches[0]) == 8);
    CHECK(time_of(joined.launches[1]) == 3);
    CHECK(time_of(joined.launches[2]) == 2);  // the mean of 1 and 3
    CHECK(time_of(joined.launches[3]) == 0.5);
    CHECK(time_of(joined.launches[4]) == 0.5);
    REQUIRE(joined.notes.size() == 2);
    CHECK_THAT(joined.notes[0], Contains("2 launches came in another order"));
    CHECK_THAT(joined.notes[1], Contains("2 launches were not in the run that was timed"));
}

TEST_CASE("a timeline knows when no work ran and the most memory held") {
    Timeline timeline;
    CHECK_FALSE(timeline.idle());
    CHECK_FALSE(timeline.peak_memory());
    // In any order: 100-200 and 150-250 overlap, 250-300 follows at once, 500-600 comes after 200 ns, 700-701 after
    // 100.
    timeline.ran(500, 600);
    timeline.ran(150, 250);
    timeline.ran(700, 701);
    timeline.ran(100, 200);
    timeline.ran(250, 300);
    timeline.ran(510, 520);
    timeline.ran(900, 900);  // took no time
    CHECK(timeline.idle()->value == Approx(300e-9));
    timeline.ran(290, 650);  // across the first pause
    CHECK(timeline.idle()->value == Approx(50e-9));
    // By time: 100, 300, 250, 450, 0.
    timeline.took(30, -50);
    timeline.took(10, 100);
    timeline.took(20, 200);
    timeline.took(50, -450);
    timeline.took(40, 200);
    CHECK(timeline.peak_memory()->value == 450);
}

TEST_CASE("a process writes whole lines to its own file") {
    const launch::WorkDirectory directory;
    ProcessLog log(directory.path());
    log.write({.begin = std::string("app")});
    log.write({.kernel = one_launch("k", 2, 1)});
    log.note("a note");
    log.write({.gpu_idle_time = Seconds{0.5}});
    log.write({.peak_device_memory = Bytes{4096}});
    log.failure("it failed", "do this");
    const auto read = records::read_logs(directory.path());
    CHECK(read.begun == 1);
    CHECK(read.ended == 0);
    CHECK(read.kernels.size() == 1);
    CHECK(read.notes.at(0) == "a note");
    CHECK(read.gpu_idle_times.at(0).value == 0.5);
    CHECK(read.peak_device_memory->value == 4096);
    CHECK(read.failures.at(0).advice == "do this");
    CHECK(std::filesystem::exists(directory.path() / (std::to_string(getpid()) + ".jsonl")));
    ProcessLog nowhere("/nonexistent/directory");
    nowhere.write({.begin = std::string("app")});  // is not an error of the application
}

TEST_CASE("metrics are chosen by what the chip has") {
    const auto all = [](const std::string&) { return true; };
    const auto has = [](const WantedMetrics& wanted, const std::string& metric) {
        for (const auto& group : wanted.needed) {
            if (std::find(group.begin(), group.end(), metric) != group.end()) return true;
        }
        return false;
    };
    const auto thesis = wanted_metrics(MetricSet::thesis, all);
    CHECK(has(thesis, "dram__sectors_read.sum"));
    CHECK(has(thesis, "gpu__time_duration.sum"));
    CHECK_FALSE(has(thesis, "lts__t_sectors_srcunit_tex_op_read.sum"));
    CHECK(thesis.if_free == std::vector<MetricGroup>{{std::string(warps_metric)}});  // the rest is not the thesis'
    const auto standard = wanted_metrics(MetricSet::standard, all);
    CHECK(has(standard, "lts__t_sectors_srcunit_tex_op_read.sum"));
    CHECK(standard.if_free.size() > 10);
    CHECK(has(wanted_metrics(MetricSet::tensor, all), "sm__ops_path_tensor_src_int8.sum"));
    // The integrated GB10B has neither DRAM counters nor fills from device memory.
    const auto gb10b = wanted_metrics(MetricSet::thesis, [](const std::string& metric) {
        return !metric.starts_with("dram__") && !metric.starts_with("fbpa__") &&
               metric != "lts__d_sectors_fill_device.sum";
    });
    CHECK(has(gb10b, "lts__d_sectors_fill_sysmem.sum"));
    CHECK(metric_set("default") == MetricSet::standard);
    CHECK_FALSE(metric_set("everything"));
}
