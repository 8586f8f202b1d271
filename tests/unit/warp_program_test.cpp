// What a warp does, from the counters that different collectors have.
#include "model/warp_program.hpp"

#include <catch2/catch.hpp>

#include "model/mpd_cpd.hpp"
#include "model/mwp_cwp.hpp"
#include "model/simt_cache.hpp"
#include "targets/catalog.hpp"

using namespace gpuproj;
using Catch::Contains;

namespace {

/// 2 launches of 10 blocks of 64 threads: 40 warps. 100 instructions per warp, 10 of them loads, 5 stores.
KernelRecord kernel() {
    KernelRecord record;
    record.kernel = "round";
    record.launches = 2;
    record.grid = Dim3{10, 1, 1};
    record.block = Dim3{64, 1, 1};
    auto& m = record.metrics;
    m.warp_inst = Instructions{4000};
    m.warp_inst_global_load = Instructions{400};
    m.warp_inst_global_store = Instructions{200};
    m.warp_inst_barrier = Instructions{80};
    m.warp_inst_coalesced = Instructions{450};
    m.warp_inst_uncoalesced = Instructions{150};
    m.uncoalesced = Sectors{1200};
    m.global_load_requested = Bytes{400 * 128};
    m.global_store_requested = Bytes{200 * 128};
    return record;
}

WarpProgram program(const KernelRecord& record) {
    const auto outcome = warp_program(record);
    REQUIRE(std::holds_alternative<WarpProgram>(outcome));
    return std::get<WarpProgram>(outcome);
}

std::string reason(const Outcome& outcome) {
    const auto* const no = std::get_if<Inapplicable>(&outcome);
    return no ? no->reason : "";
}

Gpu gpu(const char* name) {
    return Catalog({}).get(name);
}

}  // namespace

TEST_CASE("Counted accesses are per warp of one launch") {
    const WarpProgram w = program(kernel());
    CHECK(w.blocks == 10);
    CHECK(w.warps_per_block == 2);
    CHECK(w.instructions == 100);
    CHECK(w.memory() == 15);
    CHECK(w.computation() == 85);
    CHECK(w.uncoalesced == Approx(3.75));
    CHECK(w.coalesced == Approx(11.25));
    CHECK(w.transactions_per_uncoalesced == 8);
    CHECK(w.bytes_per_access == 128);
    CHECK(w.barriers == 2);
}

TEST_CASE("Accesses that were not told apart are taken for one kind, by their sectors") {
    KernelRecord k = kernel();
    k.metrics.warp_inst_coalesced.reset();
    CHECK_THAT(reason([&]() -> Outcome { return std::get<Inapplicable>(warp_program(k)); }()),
               Contains("global_load_sector"));
    k.metrics.global_load = Sectors{1600};
    k.metrics.global_store = Sectors{800};  // 4 sectors each: 128 bytes
    CHECK(program(k).coalesced == 15);
    k.metrics.global_load = Sectors{12000};
    CHECK(program(k).uncoalesced == 15);
    CHECK(program(k).transactions_per_uncoalesced == Approx(12800.0 / 600));
}

TEST_CASE("Accesses that were not counted are the loads and stores less the shared ones") {
    KernelRecord k = kernel();
    k.metrics.warp_inst_global_load.reset();
    CHECK(std::holds_alternative<Inapplicable>(warp_program(k)));
    k.metrics.thread_inst_load_store = Instructions{32 * 1000};
    k.metrics.shared_wavefront = Instructions{400};
    CHECK(program(k).memory() == 15);
}

TEST_CASE("What a warp program lacks is named") {
    const Gpu k20c = gpu("K20c"), gtx260 = gpu("GTX260");
    KernelRecord k = kernel();
    k.metrics.warp_inst.reset();
    CHECK(reason(predict_mwp_cwp({k, k20c, nullptr, {}})) == "the profile lacks the counter warp_inst");
    k = kernel();
    k.grid.reset();
    CHECK_THAT(reason(predict_mwp_cwp({k, k20c, nullptr, {}})), Contains("launch configuration"));
    CHECK_THAT(reason(predict_simt_cache({k, k20c, nullptr, {}})), Contains("launch configuration"));
    k = kernel();
    CHECK_THAT(reason(predict_simt_cache({k, k20c, nullptr, {}})), Contains("dram_read_sector"));
    CHECK_THAT(reason(predict_mpd_cpd({k, k20c, nullptr, {}})),
               Contains("Tesla K20c has no table of instruction costs"));
    CHECK_THAT(reason(predict_mpd_cpd({k, gtx260, nullptr, {}})), Contains("thread_inst_fp32"));
    k.metrics.thread_inst_fp32 = k.metrics.thread_inst_integer = Instructions{0};
    CHECK(std::holds_alternative<Prediction>(predict_mpd_cpd({k, gtx260, nullptr, {}})));
    k.metrics.thread_inst_fp64 = Instructions{1};
    CHECK_THAT(reason(predict_mpd_cpd({k, gtx260, nullptr, {}})), Contains("no fp64"));
    CHECK_THAT(reason(predict_mwp_cwp({k, k20c, nullptr, {.use_reference_time = true}})),
               Contains("no measured durations"));
    Gpu without = k20c;
    without.dram_latency.reset();
    CHECK(reason(predict_mwp_cwp({k, without, nullptr, {}})) == "Tesla K20c has no dram_latency_cycle");
    k.block = Dim3{2048, 1, 1};
    CHECK_THAT(reason(predict_mwp_cwp({k, k20c, nullptr, {}})), Contains("does not fit"));
}

TEST_CASE("The measured reference time corrects a prediction, on the reference itself to that time") {
    const Gpu k20c = gpu("K20c");
    KernelRecord k = kernel();
    k.duration = Duration{2, Seconds{0.01}, {}, {}};
    const auto outcome = predict_mwp_cwp({k, k20c, &k20c, {.use_reference_time = true}});
    REQUIRE(std::holds_alternative<Prediction>(outcome));
    CHECK(std::get<Prediction>(outcome).duration.value == Approx(0.01));
    CHECK_FALSE(explain_mwp_cwp({k, k20c, &k20c, {}}).empty());
}

TEST_CASE("Every launch takes the same time again") {
    const Gpu k20c = gpu("K20c");
    KernelRecord once = kernel();
    once.launches = 1;
    const auto duration = [&](const KernelRecord& record) {
        return std::get<Prediction>(predict_mwp_cwp({record, k20c, nullptr, {}})).duration.value;
    };
    KernelRecord twice = once;
    twice.launches = 2;
    auto& m = twice.metrics;
    for (auto* counter : {&m.warp_inst, &m.warp_inst_global_load, &m.warp_inst_global_store, &m.warp_inst_barrier,
                          &m.warp_inst_coalesced, &m.warp_inst_uncoalesced}) {
        (*counter)->value *= 2;
    }
    m.uncoalesced->value *= 2;
    m.global_load_requested->value *= 2, m.global_store_requested->value *= 2;
    CHECK(duration(twice) == Approx(2 * duration(once)));
}
