// The examples under the simulated GTX-480: right results, and counts against what can be worked out by hand or was
// published (Konstantinidis 2017, sections 4.4 and 5.2).
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "collector/collect.hpp"
#include "model/error.hpp"
#include "targets/catalog.hpp"
#include "tests/support/directories.hpp"

using namespace gpuproj;

namespace {

constexpr double sector = 32;  // bytes

Profile simulated(const std::string& program, const std::vector<std::string>& words = {}) {
    CollectRequest request;
    request.command = {test::binary_directory() + "/" + program};
    request.command.insert(request.command.end(), words.begin(), words.end());
    request.reference = Catalog({}).get("GTX480");
    request.application_stdout_to_stderr = true;
    const CollectResult result = collect(request);
    CHECK(result.application_status == 0);  // the program's own verification
    return result.profile;
}

double traffic(const KernelMetrics& m) {
    return sector * (m.dram_read.value().value + m.dram_write.value().value);
}

}  // namespace

TEST_CASE("matrix multiplication") {
    // 1280 x 640 x 640 multiply-adds. Loads and stores: as counted on a GTX-480 (table 5.14), to 2 %. DRAM: at least A,
    // B and C once (8.2 MB), at most every tile from DRAM every time (2 x 1280 x 640 x 640 / tile floats, and C).
    struct Case {
        int tile;
        double load_store;
        double measured_traffic;
    };
    for (const auto& [tile, load_store, measured] : {Case{32, 721'715'200, 42'258'880}, Case{16, 0, 61'806'400}}) {
        INFO("tile " << tile);
        const Profile profile = simulated("examples/matrix_multiply", {"--tile", std::to_string(tile)});
        REQUIRE(profile.kernels.size() == 1);
        const KernelMetrics& m = profile.kernels[0].metrics;
        CHECK(m.thread_inst_fp32.value().value == 524'288'000);
        CHECK(m.thread_inst_fp32_fma.value().value == 524'288'000);
        CHECK(m.thread_inst_fp64.value().value == 0);
        if (load_store > 0) CHECK(m.thread_inst_load_store.value().value == Approx(load_store).epsilon(0.02));
        const double compulsory = 4.0 * (1280 * 640 + 640 * 640 + 1280 * 640);
        CHECK(traffic(m) > compulsory * 0.999);
        CHECK(traffic(m) < 4.0 * (2.0 * 1280 * 640 * 640 / tile + 1280 * 640));
        WARN("DRAM traffic " << traffic(m) << " bytes, " << 100 * (traffic(m) / measured - 1)
                             << " % off the counter: docs/simulation.md says why");
        CHECK(m.shared_bank_conflict.value().value == 0);
    }
}

TEST_CASE("vector addition moves 12 bytes an element, however it is built") {
    constexpr double n = 1 << 22;
    for (const char* program :
         {"examples/vector_add", "tests/programs/vector_add_shared", "tests/programs/vector_add_strip_debug"}) {
        INFO(program);
        const Profile profile = simulated(program);
        REQUIRE(profile.kernels.size() == 1);
        const KernelMetrics& m = profile.kernels[0].metrics;
        CHECK(traffic(m) == Approx(12 * n).epsilon(0.02));
        CHECK(m.thread_inst_fp32.value().value == n);
        CHECK(m.thread_inst_load_store.value().value == 3 * n);
        CHECK(m.warp_inst_uncoalesced.value().value == 0);
    }
}

TEST_CASE("red/black SOR") {
    // A launch updates half of 1024 x 1024 points: 3 additions, 2 multiplications (by omega and by 1/4), 1
    // multiply-add, and 1 - omega. It reads both colours and writes one, 8 bytes each, and 16 times the cache: halos
    // excepted, 24 bytes a point. Above and below its 8 rows every tile reads 2 more, which L2 serves if it can.
    const Profile profile = simulated("examples/red_black_sor");
    REQUIRE(profile.kernels.size() == 2);
    constexpr double points = 1024.0 * 1024 / 2;
    for (const KernelRecord& kernel : profile.kernels) {
        INFO(kernel.kernel);
        CHECK(kernel.launches == 4);
        const KernelMetrics& m = kernel.metrics;
        CHECK(m.thread_inst_fp64_fma.value().value == 4 * points);
        CHECK(m.thread_inst_fp64.value().value == 4 * points * 7);
        CHECK(m.thread_inst_fp32.value().value == 0);
        CHECK(traffic(m) > 4 * points * 24 * 0.97);
        CHECK(traffic(m) < 4 * points * (24 + 2 * 8.0 * 34 / 32 / 8 * 2) * 1.03);
    }
}

TEST_CASE("programs that cannot be simulated are refused with advice") {
    const auto refusal = [](const std::string& program) {
        try {
            simulated(program);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("no refusal");
    };
    CHECK_THAT(refusal("tests/programs/vector_add_no_ptx"), Catch::Contains("PTX"));
    CHECK_THAT(refusal("tests/programs/vector_add_stripped"), Catch::Contains("-cudart shared"));
}
