// The run that times, over a stand-in for CUPTI: what is written down of records of activity.
#include "collector/cupti/activity.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "collector/launch/work_directory.hpp"
#include "collector/records/log.hpp"
#include "tests/cupti/fake_activity.hpp"

using namespace gpuproj;
using namespace gpuproj::test;
using Catch::Matchers::Contains;

namespace {

// The library has one of each in a process, which it times from its beginning to its end.
const launch::WorkDirectory& session() {
    static const launch::WorkDirectory directory;
    return directory;
}
cupti::ProcessLog& process_log() {
    static cupti::ProcessLog log(session().path());
    return log;
}

}  // namespace

TEST_CASE("activity of a process becomes launches in their order, transfers, pauses and memory") {
    cupti::start_timing(process_log());
    kernel_ran("_Z5firstPf", 7, 1000, 3000);
    copied(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 64, 100, 600);
    copied(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, 32, 9000, 9500);
    was_set(16, 600, 700);
    deliver();
    // Of another stream: it was launched before, and ended later. And two of one launch of a graph.
    kernel_ran("second", 5, 1500, 5000);
    kernel_ran("third", 9, 5000, 6000, 3);
    kernel_ran("fourth", 9, 6000, 6500, 3);
    kernel_ran("fifth", 8, 4000, 5500);
    memory_changed(CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, 4096, 10);
    memory_changed(CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, 1024, 20);
    memory_changed(CUPTI_ACTIVITY_MEMORY_KIND_PINNED, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, 9999, 25);
    memory_changed(CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE, 4096, 30);
    deliver(2);
    kernel_ran("sixth", 12, 20000, 20000);  // without a time
    cupti::finish_timing();

    const auto log = records::read_logs(session().path());
    std::vector<std::string> names;
    std::ranges::transform(log.kernels, std::back_inserter(names), &KernelRecord::kernel);
    CHECK(names == std::vector<std::string>{"second", "first(float*)", "fifth", "third", "fourth", "sixth"});
    REQUIRE(log.kernels.size() == 6);
    const KernelRecord& first = log.kernels[1];
    CHECK(first.mangled == "_Z5firstPf");
    CHECK(first.grid == Dim3{2, 1, 1});
    CHECK(first.block == Dim3{64, 1, 1});
    CHECK(first.registers_per_thread == 24U);
    CHECK(first.static_shared->value == 128);
    CHECK(first.duration->sum.value == Approx(2e-6));
    CHECK_FALSE(log.kernels[5].duration);
    CHECK(log.graph_launches[2] == 0);
    CHECK(log.graph_launches[3] != 0);
    CHECK(log.graph_launches[3] == log.graph_launches[4]);
    REQUIRE(log.transfers.size() == 3);
    CHECK(log.transfers[0].direction == "host_to_device");
    CHECK(log.transfers[0].bytes.value == 64);
    CHECK(log.transfers[1].direction == "device_to_host");
    CHECK(log.transfers[2].direction == "memset");
    REQUIRE(log.gpu_idle_times.size() == 1);
    CHECK(log.gpu_idle_times[0].value == Approx(300e-9 + 2500e-9));  // 700 to 1000, 6500 to 9000
    CHECK(log.peak_device_memory->value == 5120);
    REQUIRE(log.notes.size() == 1);
    CHECK_THAT(log.notes[0], Contains("dropped 2 records"));
}
