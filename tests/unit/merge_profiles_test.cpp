#include "collector/records/merge_profiles.hpp"

#include <catch2/catch.hpp>

#include "collector/records/times.hpp"
#include "model/error.hpp"
#include "tools/gpuproj/placeholders.hpp"

using namespace gpuproj;
using namespace gpuproj::records;
using Catch::Matchers::Contains;

namespace {

KernelRecord record(const std::string& name, std::uint64_t launches, double warp_inst) {
    KernelRecord r;
    r.kernel = name;
    r.grid = Dim3{4, 1, 1};
    r.block = Dim3{64, 1, 1};
    r.launches = launches;
    r.metrics.warp_inst = Instructions{warp_inst};
    return r;
}

NamedProfile profile(const std::string& name, std::vector<KernelRecord> kernels) {
    NamedProfile p;
    p.name = name;
    p.profile.gpu = "GeForce GTX 480";
    p.profile.provenance.counters = "simulated";
    p.profile.provenance.command = "./app";
    p.profile.host_time = Seconds{1};
    p.profile.peak_device_memory = Bytes{100};
    p.profile.kernels = std::move(kernels);
    return p;
}

KernelRecord timed(const std::string& name, std::uint64_t launches, double seconds) {
    auto r = record(name, launches, 0);
    r.metrics = {};
    r.duration = Duration{launches, Seconds{seconds}, std::nullopt, std::nullopt};
    return r;
}

}  // namespace

TEST_CASE("profiles of ranks are summed") {
    auto second = profile("b.json", {record("add", 3, 30), record("scale", 1, 5)});
    second.profile.peak_device_memory = Bytes{300};
    second.profile.partial = true;
    second.profile.provenance.command = "./app 2";
    const std::vector<NamedProfile> both{profile("a.json", {record("add", 2, 20)}), second};
    const auto merged = merge_profiles(both);
    REQUIRE(merged.kernels.size() == 2);
    CHECK(merged.kernels[0].launches == 5);
    CHECK(merged.kernels[0].metrics.warp_inst->value == 50);
    CHECK(merged.peak_device_memory->value == 300);
    CHECK(merged.partial);
    CHECK_FALSE(merged.host_time);
    CHECK_FALSE(merged.provenance.command);
    CHECK(merged.provenance.source == "merged from a.json, b.json");
    CHECK(merge_profiles({&both[0], 1}).host_time->value == 1);
}

TEST_CASE("shares of DRAM traffic are summed by what launches move, and those without any say nothing") {
    const auto moves = [](double read, Maybe<double> read_pages, double written, Maybe<double> written_pages) {
        KernelRecord r = record("add", 1, 10);
        r.metrics.dram_read = Sectors{read};
        r.metrics.dram_read_page_share = read_pages;
        r.metrics.dram_write = Sectors{written};
        r.metrics.dram_write_page_share = written_pages;
        return r;
    };
    const std::vector<NamedProfile> both{profile("a.json", {moves(300, 0.5, 8, 0.25)}),
                                         profile("b.json", {moves(100, 0.1, 0, std::nullopt)})};
    const auto merged = merge_profiles(both);
    REQUIRE(merged.kernels.size() == 1);
    CHECK(*merged.kernels[0].metrics.dram_read_page_share == Approx((300 * 0.5 + 100 * 0.1) / 400));
    CHECK(*merged.kernels[0].metrics.dram_write_page_share == Approx(0.25));
    const std::vector<NamedProfile> unknown{both[0], profile("b.json", {moves(100, std::nullopt, 0, std::nullopt)})};
    CHECK_FALSE(merge_profiles(unknown).kernels[0].metrics.dram_read_page_share);
}

TEST_CASE("profiles that cannot be added are refused by name") {
    auto other = profile("b.json", {record("add", 1, 1)});
    other.profile.gpu = "Tesla K20c";
    CHECK_THROWS_WITH(merge_profiles(std::vector{profile("a.json", {}), other}),
                      Contains("a.json is of GeForce GTX 480") && Contains("b.json of Tesla K20c"));
    other = profile("b.json", {record("add", 1, 1)});
    other.profile.provenance.counters = "measured";
    CHECK_THROWS_WITH(merge_profiles(std::vector{profile("a.json", {}), other}), Contains("--times"));
}

TEST_CASE("measured times are joined to counters, also where tools write names differently") {
    auto counted =
        profile("c.json", {record("void k<32>(float const*, int)", 4, 40), record("lonely(int)", 1, 1)}).profile;
    auto measured = profile("t.json", {timed("void k<int=32>(float const *, int)", 2, 0.5)}).profile;
    measured.provenance.collector = "import:nvprof";
    counted.host_time = Seconds{100};  // of the simulation
    measured.host_time = Seconds{2};
    measured.gpu_idle = Seconds{0.25};
    const auto joined = join_times(counted, measured);
    CHECK(joined.profile.host_time->value == 2);
    CHECK(joined.profile.gpu_idle->value == 0.25);
    CHECK(joined.timed == 1);
    CHECK(joined.profile.kernels[0].duration->count == 2);
    CHECK(joined.profile.kernels[0].duration->mean().value == 0.25);
    REQUIRE(joined.warnings.size() == 2);
    CHECK_THAT(joined.warnings[0], Contains("2 launches timed, 4 counted"));
    CHECK_THAT(joined.warnings[1], Contains("lonely"));
    CHECK_THAT(joined.profile.notes.at(0), Contains("import:nvprof"));

    measured.kernels[0].block = Dim3{128, 1, 1};
    CHECK_THROWS_WITH(join_times(counted, measured), Contains("same launch configuration"));
    measured.gpu = "Tesla K20c";
    CHECK_THROWS_WITH(join_times(counted, measured), Contains("Tesla K20c"));
}

TEST_CASE("what was timed and not counted is kept without counters, and told of") {
    const auto counted = profile("c.json", {record("k(int)", 2, 40), record("untimed(int)", 1, 1)}).profile;
    auto library = timed("gemm(float*)", 3, 0.75);
    library.metrics.warp_inst = Instructions{7};  // whatever the timing tool counted beside
    auto other_size = timed("k(int)", 1, 0.125);
    other_size.grid = Dim3{8, 1, 1};
    auto unsized = timed("void untimed(int)", 1, 0.5);
    unsized.grid = unsized.block = std::nullopt;
    const auto measured =
        profile("t.json", {timed("k(int)", 2, 0.5), library, other_size, library, unsized, record("untimed too", 1, 1)})
            .profile;
    const auto joined = join_times(counted, measured);
    const auto& kernels = joined.profile.kernels;
    REQUIRE(kernels.size() == 4);
    CHECK(joined.timed == 1);
    CHECK(kernels[2].kernel == "gemm(float*)");
    CHECK(kernels[2].launches == 6);
    CHECK(kernels[2].duration->sum.value == 1.5);
    CHECK_FALSE(kernels[2].metrics.warp_inst);
    CHECK_THAT(kernels[2].notes.at(0), Contains("not counted"));
    CHECK(kernels[3].kernel == "k(int)");
    CHECK(kernels[3].grid == Dim3{8, 1, 1});
    REQUIRE(joined.warnings.size() == 4);
    CHECK_THAT(joined.warnings[0], Contains("untimed(int): no time"));
    CHECK_THAT(joined.warnings[1], Contains("void untimed(int): its time is left out"));
    CHECK_THAT(joined.warnings[2], Contains("gemm(float*): timed and not counted"));
    CHECK_THAT(joined.warnings[3], Contains("k(int): timed and not counted"));
}

TEST_CASE("more launches timed than counted: the mean counts") {
    auto counted = record("k", 2, 2);
    const std::vector<KernelRecord> times{timed("k", 4, 1.0)};
    const auto warning = add_times(counted, times);
    REQUIRE(warning);
    CHECK(counted.duration->count == 2);
    CHECK(counted.duration->sum.value == 0.5);
}

TEST_CASE("placeholders in names of output files") {
    setenv("GPUPROJ_TEST_RANK", "7", 1);
    CHECK(fill_placeholders("p.%q{GPUPROJ_TEST_RANK}.json") == "p.7.json");
    CHECK(fill_placeholders("%p") == std::to_string(getpid()));
    CHECK(fill_placeholders("100%%") == "100%");
    CHECK(fill_placeholders("%h").size() > 0);
    CHECK_THROWS_AS(fill_placeholders("%x"), UsageError);
    CHECK_THROWS_AS(fill_placeholders("p%"), UsageError);
    CHECK_THROWS_WITH(fill_placeholders("%q{GPUPROJ_NOT_SET}"), Contains("$GPUPROJ_NOT_SET is not set"));
}
