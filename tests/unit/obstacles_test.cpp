#include "collector/machine/obstacles.hpp"

#include <catch2/catch.hpp>

using namespace gpuproj;
using Catch::Matchers::Contains;

namespace {

/// A machine on which everything works.
MachineFacts good() {
    MachineFacts facts;
    facts.gpus = {{"NVIDIA A100-SXM4-40GB", "NVIDIA"}};
    facts.nvidia_driver = "580.65.06";
    facts.nvidia_devices = true;
    facts.capability = "8.0";
    facts.cupti_library = true;
    facts.cupti_major = 13;
    facts.ncu = "/usr/local/cuda/bin/ncu";
    facts.nvprof = "/usr/bin/nvprof";
    return facts;
}

std::string told(CollectorKind kind, const MachineFacts& facts) {
    std::string text;
    for (const auto& obstacle : obstacles(kind, facts)) {
        CHECK_FALSE(obstacle.remedy.empty());
        text += obstacle.what + " -> " + obstacle.remedy + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("nothing speaks against a machine where all is well") {
    CHECK(obstacles(CollectorKind::cupti, good()).empty());
    CHECK(obstacles(CollectorKind::ncu, good()).empty());
    CHECK(obstacles(CollectorKind::simulate, {}).empty());
}

TEST_CASE("no driver") {
    auto facts = good();
    facts.nvidia_driver.clear();
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("no NVIDIA driver is loaded") && Contains("--ref"));
    CHECK(nvidia_obstacles(facts).size() == 1);  // what follows from it is not told too
    facts.container = true;
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("--gpus all"));
}

TEST_CASE("a driver older than the toolkit") {
    auto facts = good();
    facts.nvidia_driver = "535.104.05";
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("535.104.05") && Contains("580"));
    facts.cupti_major = 12;
    CHECK(obstacles(CollectorKind::cupti, facts).empty());
    facts.nvidia_driver = "470.1";
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("525"));
}

TEST_CASE("counters for the administrator only") {
    auto facts = good();
    facts.counters_admin_only = true;
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("NVreg_RestrictProfilingToAdminUsers=0"));
    CHECK_THAT(told(CollectorKind::nvprof, facts), Contains("ERR_NVGPUCTRPERM"));
    facts.container = true;
    CHECK_THAT(told(CollectorKind::ncu, facts), Contains("--cap-add SYS_ADMIN"));
    facts.root = true;
    CHECK(obstacles(CollectorKind::cupti, facts).empty());
}

TEST_CASE("another profiler, MPS, a container without the device") {
    auto facts = good();
    facts.other_profiler = "nsys (process 12)";
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("nsys (process 12)"));
    facts = good();
    facts.mps = true;
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("MPS"));
    facts = good();
    facts.nvidia_devices = false;
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("/dev/nvidiactl"));
    facts.container = true;
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("this container has no GPU") && Contains("--gpus all"));
}

TEST_CASE("a chip that the tool does not support") {
    auto facts = good();
    facts.capability = "7.0";
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("7.5") && Contains("--collector nvprof"));
    CHECK(obstacles(CollectorKind::ncu, facts).empty());
    CHECK(obstacles(CollectorKind::nvprof, facts).empty());
    facts.capability = "6.1";
    CHECK_THAT(told(CollectorKind::ncu, facts), Contains("7.0"));
    facts.capability = "8.0";
    CHECK_THAT(told(CollectorKind::nvprof, facts), Contains("7.2"));
}

TEST_CASE("what is not installed") {
    auto facts = good();
    facts.cupti_library = false;
    facts.ncu.reset();
    facts.nvprof.reset();
    CHECK_THAT(told(CollectorKind::cupti, facts), Contains("no CUPTI library"));
    CHECK_THAT(told(CollectorKind::ncu, facts), Contains("no ncu"));
    CHECK_THAT(told(CollectorKind::nvprof, facts), Contains("no nvprof"));
    CHECK_THAT(told(CollectorKind::rocprof, facts), Contains("no AMD GPU") && Contains("no rocprofv3"));
}

TEST_CASE("compute capabilities as numbers") {
    CHECK(capability_number("7.5") == 75);
    CHECK(capability_number("12.1") == 121);
    CHECK(capability_number("gfx942") == 0);
    CHECK(capability_number(std::nullopt) == 0);
}
