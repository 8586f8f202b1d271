// The model `calibrated` against an independent implementation in Python, in every intermediate (data/README.md).
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "model/calibrated_time.hpp"
#include "model/calibrated_transfer.hpp"
#include "model/calibrated_work.hpp"
#include "model/json_fields.hpp"
#include "tests/support/directories.hpp"

namespace {

using namespace gpuproj;
using namespace gpuproj::calibrated;
using Json = nlohmann::json;

/// Both implementations do the same arithmetic in doubles; inputs and results are printed with ten digits.
constexpr double tolerance = 1e-8;

const Json& golden() {
    static const Json json =
        Json::parse(std::ifstream(test::source_directory() + "/tests/golden/data/calibrated.json"));
    return json;
}

void check(double ours, const Json& theirs, const std::string& what) {
    INFO(what);
    CHECK(ours == Approx(theirs.get<double>()).epsilon(tolerance).margin(1e-9));
}

Chip chip(const Json& gpu) {
    const auto number = [&](const char* key) { return gpu.at(key).get<double>(); };
    const auto whole = [&](const char* key) { return static_cast<std::uint32_t>(number(key)); };
    const double cc = number("cc");
    Chip c;
    c.compute_capability = cc;
    c.sm_count = number("sm");
    c.clock = number("clk");
    c.dram_bandwidth = number("bw") * number("de");
    c.ecc_traffic = number("ecc") > 0;
    c.l1_bypassed = cc >= 3 && cc < 5;
    CycleRates& r = c.rates;
    r = {number("fp32"),
         number("fp64"),
         number("iadd"),
         number("imul"),
         number("sfu"),
         number("conv"),
         number("fp16"),
         number("core"),
         number("tensor"),
         number("issue"),
         number("shw"),
         number("line"),
         cc < 5   ? 16.0
         : cc < 7 ? 8.0
                  : 4.0,
         number("l1B"),
         number("l2B"),
         number("la"),
         number("lsh"),
         number("ll2"),  // of L1: not known there
         number("ll2"),
         number("ldr"),
         cc < 3   ? 37
         : cc < 5 ? 8.5
                  : 2,
         number("xmad") > 0};
    const auto version = std::to_string(static_cast<int>(cc)) + "." + std::to_string(std::lround(cc * 10) % 10);
    c.occupancy = *occupancy_rules(std::string_view{version});
    CHECK(c.occupancy.max_warps == whole("warps"));
    CHECK(c.occupancy.max_blocks == whole("blocks"));
    CHECK(c.occupancy.registers == whole("regs"));
    CHECK(c.occupancy.shared == 1024 * whole("smem"));
    return c;
}

KernelRecord kernel(const Json& inputs) {
    KernelRecord k;
    const auto whole = [&](const char* key) { return static_cast<std::uint32_t>(inputs.at(key).get<double>()); };
    k.block = Dim3{whole("bx"), whole("by"), 1};
    k.grid = Dim3{whole("blocks"), 1, 1};
    k.registers_per_thread = whole("regs");
    KernelMetrics& m = k.metrics;
    const auto read = [&]<Dimension D>(Maybe<Quantity<D>>& counter, std::initializer_list<const char*> keys,
                                       double unit = 1) {
        for (const char* key : keys) {
            if (inputs.contains(key)) {
                counter = Quantity<D>{(counter ? counter->value : 0) + inputs[key].get<double>() / unit};
            }
        }
    };
    read(m.thread_inst_fp16, {"thread_inst_fp16"});
    read(m.thread_inst_fp32, {"thread_inst_fp32"});
    read(m.thread_inst_fp64, {"thread_inst_fp64"});
    read(m.thread_inst_integer, {"thread_inst_int"});
    read(m.thread_inst_load_store, {"thread_inst_ldst"});
    read(m.thread_inst_control, {"thread_inst_control"});
    read(m.thread_inst_misc, {"thread_inst_misc"});
    read(m.thread_inst_bit, {"thread_inst_bitconv"});
    read(m.thread_inst, {"thread_inst_total"});
    read(m.warp_inst, {"warp_inst_executed"});
    read(m.fp32_op, {"flop_sp"});
    read(m.thread_inst_fp32_fma, {"flop_sp_fma"});
    read(m.thread_inst_special, {"flop_sp_special"});
    read(m.fp64_op, {"flop_dp"});
    read(m.thread_inst_fp64_fma, {"flop_dp_fma"});
    read(m.tensor_fp16, {"flop_tensor"});
    read(m.dram_read, {"dram_read_bytes"}, bytes_per_sector.value);
    read(m.dram_write, {"dram_write_bytes"}, bytes_per_sector.value);
    read(m.shared_wavefront, {"shared_load_trans", "shared_store_trans"});
    read(m.global_load_transaction, {"global_load_trans"});
    read(m.global_store_transaction, {"global_store_trans"});
    read(m.l2_read, {"l2_read_trans"});
    read(m.l2_write, {"l2_write_trans"});
    if (inputs.contains("achieved_occupancy")) m.achieved_occupancy = inputs["achieved_occupancy"].get<double>();
    return k;
}

Constants constants() {
    Constants c;
    read_table(c, Constants::fields, golden().at("constants"), JsonPath{nullptr, "calibrated.json"});
    return c;
}

void check_work(const Work& w, const Json& theirs) {
    check(w.warps, theirs["warps"], "warps");
    check(w.warp_inst, theirs["warp_inst"], "warp_inst");
    check(w.fp32, theirs["fp32"], "fp32");
    check(w.fp64, theirs["fp64"], "fp64");
    check(w.integer, theirs["integer"], "integer");
    check(w.load_store, theirs["load_store"], "load_store");
    check(w.conversion, theirs["conversion"], "conversion");
    check(w.special, theirs["special"], "special");
    check(w.multiply_add_pipe, theirs["multiply_add_pipe"], "multiply_add_pipe");
    check(w.conversion64, theirs["conversion64"], "conversion64");
    check(w.shared_passes, theirs["shared_passes"], "shared_passes");
    check(w.shared_requests, theirs["shared_requests"], "shared_requests");
    check(w.global_requests, theirs["global_requests"], "global_requests");
    check(w.global_load_requests, theirs["global_load_requests"], "global_load_requests");
    check(w.lines, theirs["lines"], "lines");
    check(w.l1_sectors, theirs["l1_sectors"], "l1_sectors");
    check(w.l2_sectors, theirs["l2_sectors"], "l2_sectors");
    check(w.dram_bytes, theirs["dram_bytes"], "dram_bytes");
    check(w.run_sectors, theirs["run_sectors"], "run_sectors");
    check(w.scattered, theirs["scattered"], "scattered");
    CHECK(w.weak_counters == theirs["weak_counters"].get<bool>());
}

constexpr double us = 1e6;

void check_times(const Times& t, const Json& resource_us, const Json& total_us) {
    // Atomic operations were not counted there, and it knows nothing of how fast blocks begin.
    REQUIRE(resource_us.size() + 2 == resources);
    CHECK(t.of[static_cast<std::size_t>(Resource::atomic)] == 0);
    CHECK(t.of[static_cast<std::size_t>(Resource::blocks)] == 0);
    for (std::size_t i = 0; i < resource_us.size(); ++i)
        check(us * t.of[i], resource_us[i], "resource " + std::to_string(i));
    check(us * t.total, total_us, "total");
}

}  // namespace

TEST_CASE("calibrated: every intermediate of the cases worked elsewhere") {
    const Constants c = constants();
    REQUIRE(golden().at("cases").size() == 15);
    for (const Json& theirs : golden().at("cases")) {
        DYNAMIC_SECTION(theirs.at("name").get<std::string>()) {
            const Chip reference = chip(theirs.at("reference_gpu")), target = chip(theirs.at("target_gpu"));
            const auto outcome = work_of(kernel(theirs.at("inputs")), reference);
            REQUIRE(std::holds_alternative<Work>(outcome));
            Work work = std::get<Work>(outcome);
            if (theirs.at("name") == "like pnpoly, RTX 2080 Ti to RTX 3090") {
                // One sector for all lanes: rows to DRAM by decision 42, scattered accesses there.
                CHECK(work.run_sectors == 4);
                CHECK(work.scattered == 0);
                work.run_sectors = work.scattered = work.read_scatter = work.write_scatter = 1;
            }
            check_work(work, theirs.at("work"));
            work.l1_hit_share = 0;  // every load waits for what is behind L1 there

            const PreparedWork prepared = prepare(work, reference, c);
            const Residency resident = residency(prepared, target, possible_blocks(work, target.occupancy));
            check(resident.blocks, theirs["target_residency"]["blocks"], "resident blocks");
            check(resident.rounds, theirs["target_residency"]["rounds"], "rounds");
            const Times there = times_on(prepared, reference, c), here = times_on(prepared, target, c);
            check_times(there, theirs.at("reference_us"), theirs.at("reference_total_us"));
            check_times(here, theirs.at("target_us"), theirs.at("total_us"));
            CHECK(static_cast<int>(here.limiter) == theirs.at("limiter").get<int>());

            if (!theirs.contains("alpha")) return;
            const bool same = same_architecture(reference, target);
            CHECK(same == theirs.at("same_architecture").get<bool>());
            Work as_there = work;
            as_there.partial_counters = false;  // not told apart by the other implementation
            const auto relation = same ? Relation::same_architecture : Relation::other;
            const TransferOfError transfer(there, as_there, c);
            const double alpha = transfer.alpha(here, relation);
            check(alpha, theirs.at("alpha"), "alpha");
            check(transfer.variance(here, relation, false), theirs.at("variance_counters"), "variance from counters");
            check(transfer.variance(here, relation, true), theirs.at("variance_time"), "variance with time");
            const double measured = theirs.at("reference_time_us").get<double>();
            check(us * here.total * std::pow(measured / (us * there.total), alpha), theirs.at("with_time_us"),
                  "with the reference time");
        }
    }
}
