#include "tools/gpuproj/choose_collector.hpp"

#include <catch2/catch.hpp>

#include "model/error.hpp"

using namespace gpuproj;
using Catch::Matchers::Contains;

namespace {

const Catalog catalog{{}};  // the stored GPUs alone
const std::vector<MachineGpu> no_gpu;
const std::vector<MachineGpu> k20c = {{"Tesla K20c", "NVIDIA"}};

std::optional<std::string> all_available(CollectorKind) {
    return std::nullopt;
}
std::optional<std::string> only_simulate(CollectorKind kind) {
    if (kind == CollectorKind::simulate) return std::nullopt;
    return "not built";
}
std::optional<std::string> all_but_cupti(CollectorKind kind) {
    if (kind == CollectorKind::cupti) return "no CUPTI";
    return std::nullopt;
}

}  // namespace

TEST_CASE("Without a GPU the named one is simulated") {
    const auto choice = choose_collector("auto", "GTX480", no_gpu, catalog, all_available);
    CHECK(choice.collector == CollectorKind::simulate);
    CHECK(choice.reference->name == "GeForce GTX 480");
    CHECK_THAT(choice.message, Contains("simulating GeForce GTX 480"));
}

TEST_CASE("Without a GPU and without a reference some are listed") {
    CHECK_THROWS_AS(choose_collector("auto", "", no_gpu, catalog, all_available), UsageError);
    CHECK_THROWS_WITH(choose_collector("auto", "", no_gpu, catalog, all_available),
                      Contains("--ref") && Contains("GeForce GTX 480"));
}

TEST_CASE("The GPU of the machine is profiled with its vendor's profiler") {
    // Compute capability 3.5, 7.0, 8.0.
    const std::vector<MachineGpu> v100 = {{"Tesla V100-SXM2-16GB", "NVIDIA"}};
    const std::vector<MachineGpu> a100 = {{"NVIDIA A100-SXM4-40GB", "NVIDIA"}};
    CHECK(choose_collector("auto", "", k20c, catalog, all_available).collector == CollectorKind::nvprof);
    CHECK(choose_collector("auto", "k20c", k20c, catalog, all_available).collector == CollectorKind::nvprof);
    CHECK(choose_collector("auto", "", v100, catalog, all_available).collector == CollectorKind::ncu);
    CHECK(choose_collector("auto", "", a100, catalog, all_available).collector == CollectorKind::cupti);
    CHECK(choose_collector("auto", "", a100, catalog, all_but_cupti).collector == CollectorKind::ncu);
    const std::vector<MachineGpu> nobody_knows = {{"NVIDIA Graphics Device", "NVIDIA"}};
    CHECK(choose_collector("auto", "", nobody_knows, catalog, all_but_cupti).collector == CollectorKind::ncu);
    const std::vector<MachineGpu> nano = {{"Radeon R9 Nano", "AMD"}};
    CHECK(choose_collector("auto", "", nano, catalog, all_available).collector == CollectorKind::rocprof);
}

TEST_CASE("A GPU is the wanted one by all its names, and of one that is not stored nobody knows") {
    const auto is_k20c = is_named(catalog, "Tesla K20c");
    CHECK(is_k20c("Tesla K20c").certain());
    CHECK(is_k20c("Tesla-K20").certain());  // an alias
    CHECK_FALSE(is_k20c("GeForce GTX 480"));
    CHECK(is_k20c("NVS 510"));
    CHECK_FALSE(is_k20c("NVS 510").certain());
    // Of a file, and stored nowhere.
    CHECK(is_named(catalog, "NVS 510")("NVS 510").certain());
    CHECK(is_named(catalog, "NVS 510")("NVIDIA NVS 510").certain());
    CHECK_FALSE(is_named(catalog, "NVS 510")("NVS 315").certain());
}

TEST_CASE("Another GPU than the machine's is simulated") {
    CHECK(choose_collector("auto", "GTX480", k20c, catalog, all_available).collector == CollectorKind::simulate);
}

TEST_CASE("Where the machine's GPU cannot be profiled the reason is said") {
    const auto choice = choose_collector("auto", "k20c", k20c, catalog, only_simulate);
    CHECK(choice.collector == CollectorKind::simulate);
    CHECK_THAT(choice.message, Contains("not built"));
    CHECK_THROWS_WITH(choose_collector("auto", "", k20c, catalog, only_simulate), Contains("not built"));
}

TEST_CASE("What cannot be is refused, not replaced") {
    CHECK_THROWS_WITH(choose_collector("auto", "R9Nano", no_gpu, catalog, all_available), Contains("only NVIDIA"));
    CHECK_THROWS_WITH(choose_collector("cupti", "GTX480", k20c, catalog, all_available),
                      Contains("is not in this machine"));
    CHECK_THROWS_WITH(choose_collector("cupti", "", k20c, catalog, only_simulate), Contains("not built"));
    CHECK_THROWS_WITH(choose_collector("simulate", "", k20c, catalog, all_available), Contains("--ref"));
    CHECK_THROWS_WITH(choose_collector("auto", "GTX4800", no_gpu, catalog, all_available), Contains("GTX"));
}
