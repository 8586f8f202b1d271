// The collector's runs with an application that writes down what the injected library would.
#include "collector/collect.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "collector/cupti/collector.hpp"
#include "collector/cupti/environment.hpp"
#include "collector/cupti/process_log.hpp"
#include "collector/launch/work_directory.hpp"
#include "model/error.hpp"

using namespace gpuproj;
using Catch::Matchers::Contains;

namespace {

// Runs of the application, as the collector tells the library which it is.
const std::string times = std::string(cupti::times_mode) + "0";
const std::string first_count = std::string(cupti::counters_mode) + "0";
const std::string second_count = std::string(cupti::counters_mode) + "1";

KernelRecord launch_of(const std::string& kernel, double seconds, double warp_inst = 0) {
    KernelRecord r;
    r.kernel = kernel;
    r.grid = Dim3{10, 1, 1};
    r.block = Dim3{64, 1, 1};
    r.duration = Duration{1, Seconds{seconds}, Seconds{seconds}, Seconds{seconds}};
    if (warp_inst > 0) r.metrics.warp_inst = Instructions{warp_inst};
    return r;
}

KernelRecord traffic_of(const std::string& kernel, double sectors) {
    auto r = launch_of(kernel, 3);
    r.metrics.dram_read = Sectors{sectors};
    return r;
}

/// An application of which each run leaves these kernels, and its exit code.
class Application {
public:
    void leave(const std::string& mode, const std::vector<KernelRecord>& kernels, int status = 0,
               const std::vector<KernelRecord>& of_graph = {}) {
        cupti::ProcessLog log(directory_.path());
        log.write({.begin = "application"});
        for (const auto& gpu : gpus) log.write({.device = gpu});
        if (mode == first_count) log.write({.counter_runs = 2});
        for (const auto& kernel : kernels) log.write({.kernel = kernel});
        for (const auto& kernel : of_graph) log.write({.kernel = kernel, .graph_launch = 9});
        log.write({.gpu_idle_time = Seconds{1}});
        if (status == 0) log.write({.end = true});
        std::filesystem::rename(directory_.path() / (std::to_string(getpid()) + ".jsonl"), directory_.path() / mode);
        std::ofstream(directory_.path() / (mode + ".status")) << status;
    }

    /// Run with what is left of all runs.
    CollectResult collected(const KernelFilter& filter = {}, bool per_launch = false) const {
        const std::string here = directory_.path();
        const std::string left = here + "/$" + cupti::mode_variable + "$" + cupti::run_variable;
        const std::string script = "cat " + left + " > $GPUPROJ_SESSION/1.jsonl; exit $(cat " + left + ".status)";
        CollectRequest request;
        request.command = {"sh", "-c", script};
        request.collector = CollectorKind::cupti;
        request.filter = filter;
        request.per_launch = per_launch;
        return cupti::collect(request);
    }

    std::vector<records::Device> gpus;  // that it names

private:
    launch::WorkDirectory directory_;
};

void leave_three_launches(Application& application) {
    application.leave(times, {launch_of("a(int)", 1), launch_of("b", 10), launch_of("a(int)", 2)});
    application.leave(first_count, {traffic_of("a(int)", 1), traffic_of("b", 7), traffic_of("a(int)", 2)});
    application.leave(second_count,
                      {launch_of("b", 50, 1000), launch_of("a(int)", 5, 100), launch_of("a(int)", 5, 100)});
}

}  // namespace

TEST_CASE("counters of one run and times of the other make the profile") {
    Application application;
    leave_three_launches(application);
    const auto result = application.collected();
    REQUIRE(result.profile.kernels.size() == 2);
    CHECK(result.profile.kernels[0].launches == 2);
    CHECK(result.profile.kernels[0].duration->sum.value == 3);
    CHECK(result.profile.kernels[0].metrics.warp_inst->value == 200);
    CHECK(result.profile.kernels[0].metrics.dram_read->value == 3);
    CHECK(result.profile.kernels[1].metrics.dram_read->value == 7);
    CHECK(result.profile.kernels[1].duration->sum.value == 10);
    CHECK(result.profile.gpu_idle->value == 1);
    CHECK(result.profile.host_time);
    CHECK_FALSE(result.profile.partial);
    CHECK(result.profile.notes.empty());
}

TEST_CASE("kernels of graphs have their time, apart from the same kernel launched by itself") {
    Application application;
    leave_three_launches(application);
    application.leave(times, {launch_of("a(int)", 1), launch_of("b", 10), launch_of("a(int)", 2)}, 0,
                      {launch_of("a(int)", 40), launch_of("a(int)", 50)});
    const auto result = application.collected();
    REQUIRE(result.profile.kernels.size() == 3);
    CHECK(result.profile.kernels[0].duration->sum.value == 3);
    CHECK(result.profile.kernels[0].metrics.warp_inst->value == 200);
    CHECK(result.profile.kernels[2].kernel == "a(int) [CUDA graph]");
    CHECK(result.profile.kernels[2].launches == 2);
    CHECK(result.profile.kernels[2].duration->sum.value == 90);
    CHECK_FALSE(result.profile.kernels[2].metrics.warp_inst);
}

TEST_CASE("launches are chosen after all were counted and each keeps its own time") {
    Application application;
    leave_three_launches(application);
    const auto named = application.collected({.name = "a"});
    REQUIRE(named.profile.kernels.size() == 1);
    CHECK(named.profile.kernels[0].duration->sum.value == 3);
    CHECK(named.profile.kernels[0].metrics.warp_inst->value == 200);
    // The rest of the time is not the host's: it has the kernel that was left out in it.
    CHECK_FALSE(named.profile.host_time);
    CHECK_FALSE(named.profile.gpu_idle);

    const auto second = application.collected({.name = "a", .launch_skip = 1});
    CHECK(second.profile.kernels.at(0).duration->sum.value == 2);
    CHECK(second.profile.kernels.at(0).metrics.warp_inst->value == 100);

    const auto first_two = application.collected({.launch_count = 2});
    REQUIRE(first_two.profile.kernels.size() == 2);
    CHECK(first_two.profile.kernels[0].duration->sum.value == 1);
    CHECK(first_two.profile.kernels[1].duration->sum.value == 10);

    CHECK_THROWS_WITH(application.collected({.name = "c"}), Contains("no launch has the name that was asked for"));
    CHECK_THROWS_AS(application.collected({.name = "regex:("}), UsageError);
}

TEST_CASE("what an application that dies left is kept") {
    Application application;
    leave_three_launches(application);
    application.leave(second_count, {launch_of("a(int)", 5, 100)}, 3);
    const auto counted = application.collected();
    CHECK(counted.application_status == 3);
    CHECK(counted.profile.partial);
    REQUIRE(counted.profile.kernels.size() == 1);
    CHECK(counted.profile.kernels[0].metrics.warp_inst->value == 100);

    application.leave(times, {launch_of("a(int)", 1), launch_of("b", 10)}, 4);
    const auto timed = application.collected({.name = "b"});
    CHECK(timed.application_status == 4);
    CHECK(timed.profile.partial);
    REQUIRE(timed.profile.kernels.size() == 1);
    CHECK(timed.profile.kernels[0].duration->sum.value == 10);
    CHECK_FALSE(timed.profile.kernels[0].metrics.warp_inst);
    CHECK_THAT(timed.profile.notes.at(0), Contains("before anything was counted"));
}

TEST_CASE("of an application that dies before it is counted, one model of GPU is kept") {
    Application application;
    application.gpus = {{0, "Tesla T4"}, {1, "GeForce RTX 2080 Ti"}, {2, "Tesla T4"}};
    const auto on = [](int device, KernelRecord record) {
        record.device = device;
        return record;
    };
    application.leave(
        times,
        {on(0, launch_of("a", 1)), on(1, launch_of("a", 10)), on(2, launch_of("a", 2)), on(0, launch_of("a", 4))}, 4,
        {on(1, launch_of("g", 7)), on(0, launch_of("g", 8))});
    const auto profile = application.collected().profile;
    CHECK(profile.partial);
    REQUIRE(profile.kernels.size() == 3);
    CHECK(profile.kernels[0].duration->sum.value == 5);
    CHECK(profile.kernels[1].device == 2);
    CHECK(profile.kernels[2].kernel == "g [CUDA graph]");
    CHECK(profile.kernels[2].duration->sum.value == 8);
    CHECK_FALSE(profile.host_time);
    CHECK_THAT(profile.notes.at(0), Contains("1 launches on other GPUs (GeForce RTX 2080 Ti) are left out"));
    CHECK(application.collected({}, true).profile.kernels.size() == 4);
}

TEST_CASE("an application that never used the GPU is told so") {
    Application application;
    application.leave(times, {});
    CHECK_THROWS_WITH(application.collected(), Contains("launched no kernel"));
}
