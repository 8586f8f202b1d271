#include "reports/headroom.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "model/calibrated.hpp"
#include "reports/headroom_report.hpp"
#include "targets/catalog.hpp"

using namespace gpuproj;

namespace {

const Catalog& catalog() {
    static const Catalog stored(std::span<const std::filesystem::path>{});
    return stored;
}

/// A kernel of 4096 blocks of 256 threads that streams, with every counter the losses need.
KernelRecord streaming() {
    KernelRecord kernel;
    kernel.kernel = "stream";
    kernel.grid = Dim3{4096, 1, 1};
    kernel.block = Dim3{256, 1, 1};
    const double threads = 4096 * 256, warps = threads / 32;
    auto& m = kernel.metrics;
    m.thread_inst_fp32 = Instructions{10 * threads};
    m.thread_inst_fp32_fma = Instructions{10 * threads};
    m.thread_inst_fp64 = m.thread_inst_fp64_fma = Instructions{};
    m.thread_inst_integer = Instructions{5 * threads};
    m.thread_inst_load_store = Instructions{3 * threads};
    m.thread_inst = Instructions{20 * threads};
    m.warp_inst = Instructions{20 * warps};
    m.warp_inst_global_load = Instructions{2 * warps};
    m.warp_inst_global_store = Instructions{warps};
    m.warp_inst_shared_load = m.warp_inst_shared_store = Instructions{};
    m.shared_wavefront = m.shared_bank_conflict = Instructions{};
    m.global_load = Sectors{8 * warps};
    m.global_store = Sectors{4 * warps};
    m.global_load_requested = Bytes{8 * threads};
    m.global_store_requested = Bytes{4 * threads};
    m.l2_read = m.dram_read = Sectors{8 * warps};
    m.l2_write = m.dram_write = Sectors{4 * warps};
    return kernel;
}

Headroom headroom_of(const KernelRecord& kernel) {
    Profile profile;
    profile.gpu = "Tesla K20c";
    profile.kernels = {kernel};
    const auto gpu = catalog().get("K20c");
    return headroom(profile, gpu, &gpu);
}

double saved_by(const KernelHeadroom& row, std::string_view name) {
    const auto loss = std::find_if(row.losses.begin(), row.losses.end(), [&](const Loss& l) { return l.name == name; });
    REQUIRE(loss != row.losses.end());
    return ratio(loss->saved, row.time);
}

}  // namespace

TEST_CASE("loads one by one cost a kernel of few warps", "[headroom]") {
    KernelRecord kernel = streaming();
    kernel.grid = Dim3{13, 1, 1};
    kernel.block = Dim3{32, 1, 1};  // a warp on each multiprocessor
    const auto saved = [&](double at_a_time) {
        kernel.metrics.load_parallelism = at_a_time;
        return saved_by(headroom_of(kernel).rows.front(), "loads one by one");
    };
    CHECK(saved(1) > saved(2));
    CHECK(saved(2) > 0.1);
    CHECK(saved(4) == 0);
    CHECK(saved(9) == 0);
    kernel.metrics.load_parallelism = std::nullopt;
    const auto unknown = headroom_of(kernel).rows.front().unknown;
    CHECK(std::ranges::any_of(unknown, [](const auto& u) { return u.name == "loads one by one"; }));
}

TEST_CASE("Small blocks cost the time that they take to begin", "[headroom]") {
    KernelRecord kernel = streaming();
    CHECK(saved_by(headroom_of(kernel).rows.at(0), "small blocks") == 0);
    // The same threads in blocks of 4: 2^18 blocks begin in 0.4 ms, and all else takes a tenth of that.
    kernel.grid = Dim3{1 << 18, 1, 1};
    kernel.block = Dim3{4, 1, 1};
    CHECK(saved_by(headroom_of(kernel).rows.at(0), "small blocks") > 0.5);
}

TEST_CASE("A kernel at its bound has no loss but latency, what was made bad is what is lost") {
    const auto good = headroom_of(streaming());
    REQUIRE(good.rows.size() == 1);
    const auto& row = good.rows[0];
    CHECK(row.bound.limiter == Limiter::dram);
    CHECK(row.time == row.predicted);
    CHECK_FALSE(good.measured);
    CHECK(saved_by(row, "multiply-adds (E_mix)") == Approx(0).margin(1e-12));
    CHECK(saved_by(row, "divergence") == Approx(0).margin(1e-12));
    CHECK(saved_by(row, "uncoalesced traffic") == Approx(0).margin(1e-12));

    // The same bytes asked for, eight times the sectors: all of DRAM's traffic but an eighth is lost.
    auto scattered = streaming();
    auto& m = scattered.metrics;
    for (auto* counter : {&m.global_load, &m.global_store, &m.l2_read, &m.l2_write, &m.dram_read, &m.dram_write})
        **counter = 8.0 * **counter;
    const auto bad = headroom_of(scattered);
    CHECK(bad.rows[0].losses[0].name == "uncoalesced traffic");
    CHECK(saved_by(bad.rows[0], "uncoalesced traffic") > 0.6);
    CHECK(bad.rows[0].losses[0].advice.find("12.5 % of the bytes moved") == 0);

    // Coalesced, but every row in another page of DRAM.
    auto columns = streaming();
    columns.metrics.dram_read_page_share = 1;
    columns.metrics.dram_write_page_share = 2. / 64;
    const auto by_columns = headroom_of(columns);
    CHECK(by_columns.rows[0].losses[0].name == "uncoalesced traffic");
    CHECK(saved_by(by_columns.rows[0], "uncoalesced traffic") > 0.2);
    CHECK(by_columns.rows[0].losses[0].advice.find("DRAM writes 2.0 of the 64 sectors of a page at a time") !=
          std::string::npos);

    // Half the lanes idle in a kernel that computes.
    auto diverging = streaming();
    diverging.metrics.thread_inst_fp32 = diverging.metrics.thread_inst_fp32_fma = Instructions{500.0 * 4096 * 256};
    diverging.metrics.thread_inst = Instructions{510.0 * 4096 * 256};
    diverging.metrics.warp_inst = Instructions{2 * 510.0 * 4096 * 256 / 32};
    const auto half = headroom_of(diverging);
    CHECK(saved_by(half.rows[0], "divergence") == Approx(0.5).margin(0.1));
    CHECK(half.rows[0].losses[0].advice.find("16.0 of 32 lanes") == 0);
}

TEST_CASE("Waiting for a word is a loss and no bound") {
    // One addition of each thread, a clock of the K20c each.
    KernelRecord kernel = streaming();
    const auto before = headroom_of(kernel);
    REQUIRE(before.rows.size() == 1);
    CHECK(std::ranges::any_of(before.rows[0].unknown, [](const auto& u) { return u.name == "atomics on one word"; }));
    kernel.metrics.thread_atomic_hottest = Instructions{4096 * 256};
    const auto with = headroom_of(kernel);
    REQUIRE(with.rows.size() == 1);
    const KernelHeadroom& row = with.rows[0];
    CHECK(row.bound.limiter == before.rows[0].bound.limiter);
    CHECK(row.bound.duration == before.rows[0].bound.duration);
    CHECK(row.losses.front().name == "atomics on one word");
    CHECK((row.time - row.losses.front().saved).value == Approx(before.rows[0].time.value));
}

TEST_CASE("Headroom is measured time over bound, its worth by Amdahl, unknown losses say what was not counted") {
    auto kernel = streaming();
    const auto bound = headroom_of(kernel).rows[0].bound.duration;
    kernel.duration = Duration{1, 2.0 * bound, std::nullopt, std::nullopt};
    kernel.metrics.thread_inst.reset();
    kernel.metrics.global_load_requested.reset();
    kernel.metrics.global_store_requested.reset();
    Profile profile;
    profile.gpu = "Tesla K20c";
    profile.kernels = {kernel};
    profile.transfers = {{"host_to_device", 1, Bytes{1e6}, bound}};
    profile.host_time = 4.0 * bound;
    const auto gpu = catalog().get("K20c");
    const auto result = headroom(profile, gpu, &gpu);
    const auto& row = result.rows[0];
    CHECK(result.measured);
    CHECK(row.factor == Approx(2));
    CHECK(row.share == Approx(0.5));  // 2 of 4: the rest copies and the host
    CHECK(ratio(*result.host, bound) == Approx(1));
    CHECK(row.speed_up == Approx(4.0 / 3));
    // Half of the host's time is known to be idle time of the GPU: less than the kernel could save, then more.
    profile.gpu_idle = 0.5 * bound;
    const auto idle = headroom(profile, gpu, &gpu);
    CHECK(ratio(*idle.idle, bound) == Approx(0.5));
    CHECK(ratio(*idle.host, bound) == Approx(0.5));
    CHECK(idle.application.value == Approx(result.application.value));
    const auto says_idle = [](const Headroom& of) {
        const auto notes = headroom_notes(of);
        return std::any_of(notes.begin(), notes.end(), [](const auto& note) {
            return note.find("the GPU had nothing to do") != std::string::npos;
        });
    };
    CHECK_FALSE(says_idle(idle));
    profile.host_time = 8.0 * bound;
    profile.gpu_idle = 2.0 * bound;
    CHECK(says_idle(headroom(profile, gpu, &gpu)));
    profile.host_time = 4.0 * bound;
    std::vector<std::string_view> unknown;
    for (const auto& loss : row.unknown) unknown.push_back(loss.name);
    CHECK(std::find(unknown.begin(), unknown.end(), "divergence") != unknown.end());
    CHECK(std::find(unknown.begin(), unknown.end(), "uncoalesced traffic") != unknown.end());
    // Without its GPU's parameters nothing can be said.
    CHECK(headroom(profile, gpu, nullptr).rows.empty());
    CHECK(headroom(profile, gpu, nullptr).left_out.size() == 1);
}
