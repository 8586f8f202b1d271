// The run that counts, over a stand-in for CUPTI: what is written down for the launches of an application.
#include "collector/cupti/counters.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "collector/cupti/context_profiler.hpp"
#include "collector/launch/work_directory.hpp"
#include "collector/records/log.hpp"
#include "tests/cupti/fake_cupti.hpp"

using namespace gpuproj;
using namespace gpuproj::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::uintptr_t context = 1, other_context = 2, context_on_other_gpu = 10;

/// An application under the profiler, from its first launch to its end.
class Application {
public:
    explicit Application(std::size_t run = 0) : cupti(fresh_cupti()), log_(session_.path()) {
        static void* const driver = dlopen(GPUPROJ_FAKE_DRIVER, RTLD_NOW);
        REQUIRE(driver != nullptr);
        cupti::start_counting(log_, cupti::MetricSet::standard, run);
    }

    /// What was written down by the end of the process.
    records::Log ended() {
        cupti::finish_counting();
        CHECK(cupti.misused == std::vector<std::string>{});
        CHECK(cupti.enabled == cupti.disabled);
        return records::read_logs(session_.path());
    }

    FakeCupti& cupti;

private:
    launch::WorkDirectory session_;
    cupti::ProcessLog log_;
};

double warps_of(const KernelRecord& launch) {
    return launch.metrics.warp_inst->value / 10;
}

/// Kernels that are named after the warps that they should have.
Launch warps(unsigned count) {
    return {.kernel = std::to_string(count), .blocks = count};
}

void check_names(const records::Log& log) {
    for (const auto& launch : log.kernels) {
        INFO(launch.kernel);
        CHECK(warps_of(launch) == std::stod(launch.kernel));
    }
}

}  // namespace

TEST_CASE("each launch has its own counters, size and name") {
    Application application;
    run_kernel(context, {.kernel = "_Z5firstPf", .blocks = 3, .threads = 40});
    run_kernel(context, {.kernel = "second", .blocks = 5, .threads = 64, .by_config = true});
    const auto log = application.ended();
    REQUIRE(log.kernels.size() == 2);
    CHECK(log.kernels[0].kernel == "first(float*)");
    CHECK(log.kernels[0].mangled == "_Z5firstPf");
    CHECK(log.kernels[0].grid == Dim3{3, 1, 1});
    CHECK(warps_of(log.kernels[0]) == 6);
    CHECK(log.kernels[1].block == Dim3{64, 1, 1});
    CHECK(warps_of(log.kernels[1]) == 10);
    CHECK(log.gpus == std::vector<std::string>{"GPU 0", "GPU 0"});
    CHECK(log.notes.empty());
    CHECK(log.failures.empty());
}

TEST_CASE("each run counts what fits in one pass, and only the last replays where it has to") {
    Application first;
    run_kernel(context, warps(3));
    const auto traffic = first.ended();
    CHECK(traffic.counter_runs == 3);
    CHECK(traffic.counter_passes == 1);
    CHECK(traffic.kernels.at(0).metrics.dram_read);
    CHECK_FALSE(traffic.kernels.at(0).metrics.thread_inst_fp32);

    Application second(1);
    run_kernel(context, warps(3));
    const auto instructions = second.ended();
    CHECK(instructions.counter_passes == 1);
    CHECK_FALSE(instructions.kernels.at(0).metrics.dram_read);
    CHECK(instructions.kernels.at(0).metrics.thread_inst_fp32);
    CHECK(second.cupti.with_replay == 0);

    Application third(2);
    run_kernel(context, warps(3));
    const auto rest = third.ended();
    CHECK(rest.counter_passes == 2);
    CHECK(rest.kernels.at(0).metrics.shared_bank_conflict);
    CHECK(third.cupti.with_replay == 1);
    CHECK(third.cupti.without_replay == 0);

    Application fourth(3);
    run_kernel(context, warps(3));
    const auto nothing = fourth.ended();
    CHECK(nothing.kernels.empty());
    CHECK(nothing.failures.empty());
    CHECK(fourth.cupti.enabled == 0);
}

TEST_CASE("more launches than fit are taken out in parts, without a loss") {
    Application application;
    const unsigned launches = 2 * cupti::ranges_at_once + 7;
    for (unsigned i = 1; i <= launches; ++i) run_kernel(context, warps(i));
    const auto log = application.ended();
    CHECK(log.kernels.size() == launches);
    CHECK(application.cupti.taken_out == 3);
    check_names(log);
    CHECK(log.notes.empty());
}

TEST_CASE("launches that are captured or fail take no counters from those that run") {
    Application application;
    run_kernel(context, {.kernel = "captured", .blocks = 7, .stream = captured_stream});
    run_kernel(context, warps(1));
    run_kernel(context, {.kernel = "failed", .blocks = 9, .result = CUDA_ERROR_INVALID_VALUE});
    run_kernel(context, warps(2));
    run_graph(context, {5}, captured_stream);  // becomes a part of the graph that is captured
    run_kernel(context, {.kernel = "captured", .blocks = 8, .stream = captured_stream, .by_config = true});
    run_kernel(context, warps(3));
    const auto log = application.ended();
    CHECK(log.kernels.size() == 3);
    check_names(log);
    CHECK(log.notes.empty());
}

TEST_CASE("graphs run while nothing is counted, and that is told") {
    Application application;
    run_graph(context, {4, 5});
    run_kernel(context, warps(1));
    run_kernel(context, warps(2));
    run_graph(context, {6});
    run_kernel(context, warps(3));
    const auto log = application.ended();
    CHECK(log.kernels.size() == 3);
    check_names(log);
    REQUIRE(log.notes.size() == 1);
    CHECK_THAT(log.notes[0], Contains("2 launches of CUDA graphs were timed and not counted"));
}

TEST_CASE("contexts and threads do not disturb each other") {
    Application application;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            for (unsigned i = 0; i < 200; ++i) {
                run_kernel(i % 3 == 0 ? other_context : context, warps(1 + 4 * i + t));
                if (i % 50 == 0) run_kernel(context_on_other_gpu, warps(7));
            }
        });
    }
    for (auto& thread : threads) thread.join();
    destroy_context(other_context);
    CHECK(application.cupti.disabled == 1);
    run_kernel(other_context, warps(11));  // a new context at the same place
    const auto log = application.ended();
    CHECK(log.kernels.size() == 4 * 204 + 1);
    check_names(log);
    CHECK(std::ranges::count(log.gpus, "GPU 1") == 16);
    CHECK(application.cupti.enabled == 4);
    CHECK(log.notes.empty());
}

TEST_CASE("what CUPTI launches inside of a launch is no launch of the application") {
    Application application;
    run_kernel(context, {.kernel = "1", .blocks = 1, .calls_inside = true});
    run_kernel(context, warps(2));
    const auto log = application.ended();
    CHECK(log.kernels.size() == 2);
    check_names(log);
}

TEST_CASE("counters of another number of warps than the launch has are told") {
    Application application;
    run_kernel(context, {.kernel = "a", .blocks = 2, .counted_warps = 3});
    run_kernel(context, warps(1));
    const auto log = application.ended();
    CHECK(log.kernels.size() == 2);
    REQUIRE(log.notes.size() == 1);
    CHECK_THAT(log.notes[0], Contains("counters of 1 launches are of other numbers of warps"));
}

TEST_CASE("an application runs on where counters cannot be had, and the reason is told once") {
    Application application;
    std::string reason, advice;
    SECTION("not supported") {
        application.cupti.supported = false;
        reason = "does not support this GPU";
    }
    SECTION("not allowed, as the availability says") {
        application.cupti.availability = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
        reason = "cuptiProfilerGetCounterAvailability: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
        advice = "only the administrator";
    }
    SECTION("not allowed, as the start says") {
        application.cupti.start = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
        reason = "cuptiRangeProfilerStart: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
        advice = "only the administrator";
    }
    SECTION("it fails in the middle") {
        application.cupti.decode = CUPTI_ERROR_UNKNOWN;
        reason = "cuptiRangeProfilerDecodeData";
    }
    for (unsigned i = 0; i < 300; ++i) run_kernel(context, warps(1));
    const auto log = application.ended();
    CHECK(log.kernels.empty());
    REQUIRE(log.failures.size() == 1);
    CHECK_THAT(log.failures[0].what, Contains(reason));
    CHECK_THAT(log.failures[0].advice, Contains(advice));
}
