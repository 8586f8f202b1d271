#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "model/calibrated.hpp"
#include "model/calibrated_chip.hpp"
#include "model/calibrated_constants.hpp"
#include "model/calibrated_interval.hpp"
#include "model/calibrated_time.hpp"
#include "model/calibrated_work.hpp"
#include "model/counted_gpu.hpp"
#include "targets/catalog.hpp"

namespace {

using namespace gpuproj;
using namespace gpuproj::calibrated;

Gpu stored(std::string_view name) {
    return Catalog({}).get(name);
}

/// A streaming kernel: 16 M threads, each reads two floats and writes one.
KernelRecord vector_add() {
    KernelRecord k;
    k.kernel = "vector_add";
    k.grid = Dim3{65536, 1, 1};
    k.block = Dim3{256, 1, 1};
    k.registers_per_thread = 10;
    k.static_shared = Bytes{0};
    const double threads = 65536. * 256;
    auto& m = k.metrics;
    m.warp_inst = Instructions{18 * threads / 32};
    m.thread_inst = Instructions{18 * threads};
    m.thread_inst_fp32 = Instructions{threads};
    m.thread_inst_fp32_fma = Instructions{0};
    m.thread_inst_fp64 = Instructions{0};
    m.thread_inst_integer = Instructions{10 * threads};
    m.thread_inst_load_store = Instructions{3 * threads};
    m.shared_wavefront = Instructions{0};
    m.l2_read = Sectors{2 * threads / 8};
    m.l2_write = Sectors{threads / 8};
    m.dram_read = Sectors{2 * threads / 8};
    m.dram_write = Sectors{threads / 8};
    return k;
}

Prediction predicted(const ModelInput& input) {
    const auto outcome = predict_calibrated(input);
    if (const auto* no = std::get_if<Inapplicable>(&outcome)) FAIL(no->reason);
    return std::get<Prediction>(outcome);
}

/// Seconds that it needs alone; it has to be there.
double bound_of(const Prediction& p, Limiter limiter) {
    const auto bound = std::ranges::find(p.bounds, limiter, &Bound::limiter);
    REQUIRE(bound != p.bounds.end());
    return bound->duration.value;
}

std::string refusal(const ModelInput& input) {
    const auto outcome = predict_calibrated(input);
    REQUIRE(std::holds_alternative<Inapplicable>(outcome));
    return std::get<Inapplicable>(outcome).reason;
}

}  // namespace

TEST_CASE("calibrated: a streaming kernel takes its bytes over the bandwidth, inside its interval") {
    const Gpu gpu = stored("GTX 980");
    const auto kernel = vector_add();
    const auto p = predicted({kernel, gpu, &gpu, {}});
    CHECK(p.limiter == Limiter::dram);
    // 12 bytes of each thread; other resources overlap almost fully.
    const double seconds = 12. * 65536 * 256 / gpu.dram_bandwidth->value.value;
    CHECK(p.duration.value > 0.98 * seconds);
    CHECK(p.duration.value < 1.1 * seconds);
    REQUIRE(p.low);
    REQUIRE(p.high);
    CHECK(*p.low < p.duration);
    CHECK(*p.high > p.duration);
    CHECK(std::is_sorted(p.bounds.begin(), p.bounds.end(),
                         [](const Bound& a, const Bound& b) { return a.duration > b.duration; }));
}

TEST_CASE("calibrated: only counters that hold ECC traffic are freed of it") {
    const Gpu k20c = stored("Tesla K20c"), target = stored("GTX 980");
    const double seconds = 12. * 65536 * 256 / target.dram_bandwidth->value.value;
    const auto share_of_stream = [&](const Provenance& provenance) {
        const Gpu reference = as_counted(k20c, provenance);
        return predicted({vector_add(), target, &reference, {}}).duration.value / seconds;
    };
    Provenance provenance;
    provenance.counters = "simulated";
    const double simulated = share_of_stream(provenance);
    CHECK(simulated > 0.98);
    CHECK(simulated < 1.1);
    // One sector of ECC beside four of data: 1 / 1.25 of the DRAM time, which is nearly all.
    provenance.counters = "measured";
    CHECK(share_of_stream(provenance) < 0.9 * simulated);
    provenance.ecc = false;
    CHECK(share_of_stream(provenance) == Approx(simulated));
    provenance.ecc = true;
    CHECK(share_of_stream(provenance) < 0.9 * simulated);
}

TEST_CASE("calibrated: atomic operations on one word go one after the other") {
    // A sum of as many numbers as there are threads, one operation a clock from Kepler on and one in nine before
    // (NVIDIA, Kepler GK110 whitepaper); nothing else comes near.
    const auto seconds = [](const char* name, KernelRecord kernel) {
        const Gpu gpu = stored(name);
        const auto p = predicted({kernel, gpu, &gpu, {}});
        CHECK(p.limiter == Limiter::atomic);
        CHECK(std::ranges::find(p.warnings, Warning::outside_fit) != p.warnings.end());
        return p.bounds.begin()->duration.value * std::get<calibrated::Chip>(calibrated::chip_of(gpu)).clock;
    };
    KernelRecord sum = vector_add();
    const double threads = 65536. * 256;
    sum.metrics.thread_atomic_hottest = Instructions{threads};
    CHECK(seconds("GTX 980", sum) == Approx(threads));
    CHECK(seconds("GTX 480", sum) == Approx(9 * threads));
    // By one lane of each block it is hidden by the rest.
    const Gpu gpu = stored("GTX 980");
    const double without = predicted({vector_add(), gpu, &gpu, {}}).duration.value;
    sum.metrics.thread_atomic_hottest = Instructions{65536};
    CHECK(predicted({sum, gpu, &gpu, {}}).duration.value == Approx(without).epsilon(0.01));
}

TEST_CASE("calibrated: blocks begin one after the other") {
    // As many blocks of a warp as transpose_shfl of gpuflopbench_rtx3080.csv has: 13.86 ms at 1440 MHz, 0.84 a clock.
    KernelRecord small = vector_add();
    small.grid = Dim3{1 << 24, 1, 1};
    small.block = Dim3{8, 1, 1};
    const Gpu gpu = stored("RTX 3080");
    const auto p = predicted({small, gpu, &gpu, {}});
    CHECK(p.limiter == Limiter::launch);
    const double clocks = p.bounds.begin()->duration.value * std::get<calibrated::Chip>(calibrated::chip_of(gpu)).clock;
    CHECK(clocks == Approx(13.86e-3 * 1440e6).epsilon(0.01));
    // With 256 threads nothing is lost, and of other makers' GPUs it is not known.
    CHECK(predicted({vector_add(), gpu, &gpu, {}}).limiter == Limiter::dram);
    CHECK(predicted({small, stored("MI100"), &gpu, {}}).limiter != Limiter::launch);
}

TEST_CASE("calibrated: a load that hits L1 waits for L1 alone") {
    // One warp per multiprocessor that loads 100,000 lines; stores in between, which nothing waits for.
    KernelRecord kernel;
    kernel.kernel = "k";
    kernel.grid = Dim3{80, 1, 1};
    kernel.block = Dim3{32, 1, 1};
    auto& m = kernel.metrics;
    const double loads = 80e5;
    m.warp_inst = m.warp_inst_global_load = Instructions{loads};
    m.thread_inst = m.thread_inst_load_store = Instructions{32 * loads};
    m.thread_inst_fp32 = m.thread_inst_fp64 = m.thread_inst_integer = m.shared_wavefront = Instructions{0};
    m.warp_inst_global_store = m.warp_inst_shared_load = m.warp_inst_shared_store = Instructions{0};
    m.global_load = Sectors{4 * loads};
    m.global_store = m.l2_write = m.dram_write = Sectors{0};
    m.dram_read = Sectors{1};
    const auto seconds = [&](const char* name, double hits) {
        m.l2_read = Sectors{4 * loads * (1 - hits)};
        const Gpu reference = stored("Tesla V100 SXM2 16GB"), target = stored(name);
        return bound_of(predicted({kernel, target, &reference, {}}), Limiter::latency);
    };
    // Clocks on compute capability 7.0 (Jia et al. 2018): 28 from L1, 193 from L2, and one in L1's queue.
    const double from_l2 = seconds("Tesla V100 SXM2 16GB", 0);
    CHECK(seconds("Tesla V100 SXM2 16GB", 1) == Approx(from_l2 * 29 / 194));
    CHECK(seconds("Tesla V100 SXM2 16GB", 0.5) == Approx(from_l2 * (29 + 194) / 2 / 194));
    // Kepler keeps no global loads in L1.
    CHECK(seconds("Tesla K20c", 1) == Approx(seconds("Tesla K20c", 0)));
    // Where it is known how many loads go on at a time, it is not what kernels have on the mean.
    m.load_parallelism = 1;
    const double one_by_one = seconds("Tesla V100 SXM2 16GB", 0);
    CHECK(one_by_one == Approx(from_l2 * fitted.constants.memory_parallelism));
    m.load_parallelism = 4;
    CHECK(seconds("Tesla V100 SXM2 16GB", 0) == Approx(one_by_one / 4));
}

TEST_CASE("calibrated: a shuffle takes as long as a pass through the banks, but on Turing half") {
    // 32 results per clock and multiprocessor (CUDA C++ Programming Guide, arithmetic instructions), one warp's; banks
    // of 7.5 move 64 bytes (GA102 whitepaper).
    const bool turing = GENERATE(false, true);
    const Gpu gpu = stored(turing ? "RTX 2080 Ti" : "RTX 3080");
    const auto seconds = [&](double shuffles, double passes) {
        KernelRecord kernel = vector_add();
        auto& m = kernel.metrics;
        m.warp_inst = Instructions{m.warp_inst->value + shuffles};
        m.thread_inst = Instructions{m.thread_inst->value + 32 * shuffles};
        m.thread_inst_communication = Instructions{32 * shuffles};
        m.shared_wavefront = Instructions{passes};
        return bound_of(predicted({kernel, gpu, &gpu, {}}), Limiter::shared);
    };
    const double million = seconds(1e6, 0);
    CHECK((turing ? 2 : 1) * million == Approx(seconds(0, 1e6)));
    const auto chip = std::get<calibrated::Chip>(calibrated::chip_of(gpu));
    const double clocks = million * chip.clock * chip.sm_count;
    CHECK(clocks > 1e6);
    CHECK(clocks < 1.3e6);  // blocks are whole, and the rate is not quite reached
    CHECK(seconds(3e6, 0) == Approx(3 * million));
}

TEST_CASE("calibrated: special functions as warps counted them, with the conversions of the same unit") {
    // 16 results of either per clock and multiprocessor on 7.5 (CUDA C++ Programming Guide, arithmetic instructions).
    const Gpu gpu = stored("RTX 2080 Ti");
    const double special = 4e6, conversion = 1e6;  // of warps
    const auto seconds = [&](bool by_warps, const char* name) {
        KernelRecord kernel = vector_add();
        auto& m = kernel.metrics;
        m.warp_inst = Instructions{m.warp_inst->value + special + conversion};
        m.thread_inst = Instructions{m.thread_inst->value + 32 * (special + conversion)};
        m.thread_inst_conversion = Instructions{32 * conversion};
        if (by_warps)
            m.warp_inst_special = Instructions{special + conversion};
        else
            m.thread_inst_special = Instructions{32 * special};
        const Gpu target = stored(name);
        return bound_of(predicted({kernel, target, &gpu, {}}), Limiter::special);
    };
    const auto chip = std::get<calibrated::Chip>(calibrated::chip_of(gpu));
    const double clocks = seconds(false, "RTX 2080 Ti") * chip.clock * chip.sm_count;
    CHECK(clocks > 2 * (special + conversion));
    CHECK(clocks < 1.3 * 2 * (special + conversion));  // blocks are whole, and the rate is not quite reached
    CHECK(seconds(true, "RTX 2080 Ti") == Approx(seconds(false, "RTX 2080 Ti")));
    // Kepler and Ada have other rates for the two.
    for (const char* name : {"Tesla K20c", "RTX 4090"}) CHECK(seconds(true, name) == Approx(seconds(false, name)));
}

TEST_CASE("calibrated: tensor instructions whose operations were not counted are the usual ones") {
    const auto kernel = [](double instructions, double operations) {
        KernelRecord k = vector_add();
        k.metrics.warp_inst_tensor = Instructions{instructions};
        if (operations > 0) k.metrics.tensor_fp16 = Operations{operations};
        return k;
    };
    const auto seconds = [](const KernelRecord& k, const char* name) {
        const Gpu gpu = stored(name);
        return bound_of(predicted({k, gpu, &gpu, {}}), Limiter::tensor);
    };
    // A 16x16x16 product is 16 instructions on Volta (Jia et al. 2018); m16n8k8 and m16n8k16 in the PTX ISA.
    for (const auto& [name, each] :
         {std::pair{"Tesla V100 SXM2 16GB", 512.}, {"RTX 2080 Ti", 2048.}, {"A100 PCIe 40GB", 4096.}}) {
        CHECK(seconds(kernel(1e8, 0), name) == Approx(seconds(kernel(1e8, 1e8 * each), name)));
    }
    const Gpu hopper = stored("H100 SXM5 80GB");
    CHECK(refusal({kernel(1e8, 0), hopper, &hopper, {}}).find("--metrics tensor") != std::string::npos);
}

TEST_CASE("calibrated: lines of accesses, as counted or by their sectors") {
    const auto chip = std::get<calibrated::Chip>(calibrated::chip_of(stored("Tesla V100 SXM2 16GB")));
    constexpr double accesses = 1e6;
    const auto with_sectors = [](double each) {
        KernelRecord k = vector_add();
        auto& m = k.metrics;
        m.warp_inst_global_load = Instructions{accesses};
        m.warp_inst_global_store = m.warp_inst_shared_load = m.warp_inst_shared_store = Instructions{0};
        m.global_load = m.l2_read = Sectors{accesses * each};
        m.global_store = m.l2_write = Sectors{0};
        return k;
    };
    const auto work = [&](const KernelRecord& k) { return std::get<calibrated::Work>(calibrated::work_of(k, chip)); };
    const auto lines = [&](const KernelRecord& k) { return work(k).lines / accesses; };
    // From sectors alone: one line, two of a row that begins within one, one for each of 8 and more; no jump between.
    CHECK(lines(with_sectors(4)) == Approx(1));
    CHECK(lines(with_sectors(4.01)) == Approx(1).epsilon(0.01));
    CHECK(lines(with_sectors(5)) == Approx(2).epsilon(0.03));
    CHECK(lines(with_sectors(8)) == Approx(8));
    CHECK(lines(with_sectors(32)) == Approx(32));
    // Bytes side by side are a sector: a line each, but rows for DRAM. One sector of a few lanes may be anywhere.
    CHECK(lines(with_sectors(1)) == Approx(1));
    CHECK(work(with_sectors(1)).run_sectors == Approx(4));
    KernelRecord few_lanes = with_sectors(1);
    few_lanes.metrics.thread_inst->value /= 16;
    CHECK(work(few_lanes).run_sectors == Approx(1));
    // Rows of doubles.
    KernelRecord doubles = with_sectors(8);
    doubles.metrics.thread_inst_fp64 = doubles.metrics.thread_inst;
    CHECK(lines(doubles) == Approx(2));
    // As the engine counts: a stride of two, 8 sectors in 2 lines; for DRAM, too.
    KernelRecord strided = with_sectors(8);
    strided.metrics.warp_inst_uncoalesced = Instructions{accesses};
    strided.metrics.uncoalesced = Sectors{8 * accesses};
    strided.metrics.global_line = strided.metrics.uncoalesced_line = Instructions{2 * accesses};
    CHECK(lines(strided) == Approx(2));
    CHECK(work(strided).run_sectors == Approx(4));
    // One place for all lanes: a line each, which costs DRAM no more than others.
    KernelRecord one_place = with_sectors(1);
    one_place.metrics.warp_inst_uncoalesced = Instructions{0};
    one_place.metrics.uncoalesced = Sectors{0};
    CHECK(lines(one_place) == Approx(1));
    CHECK(work(one_place).run_sectors == Approx(4));
}

TEST_CASE("calibrated: DRAM is as fast as what is moved of a page at a time allows") {
    const auto chip = std::get<calibrated::Chip>(calibrated::chip_of(stored("Tesla V100 SXM2 16GB")));
    const auto& constants = calibrated::fitted.constants;
    const auto slower = [&](std::optional<double> read, std::optional<double> write) {
        KernelRecord k = vector_add();
        k.metrics.dram_read = k.metrics.dram_write = Sectors{1e6};
        k.metrics.dram_read_page_share = read;
        k.metrics.dram_write_page_share = write;
        const auto work = std::get<calibrated::Work>(calibrated::work_of(k, chip));
        return calibrated::prepare(work, chip, constants).dram_bytes.front() / work.dram_bytes;
    };
    const double single = std::pow(4, constants.short_runs);  // as for accesses that use one sector of a line
    CHECK(slower(std::nullopt, std::nullopt) == Approx(1));
    CHECK(slower(1, 1) == 1);
    CHECK(slower(0.25, 0.25) == 1);
    CHECK(slower(1. / 64, 1. / 64) == Approx(single));
    CHECK(slower(4. / 64, 4. / 64) == Approx(std::sqrt(single)));
    // GDDR5X moves two sectors at a time.
    const auto pairs = [&](const char* gpu, double share) {
        KernelRecord k = vector_add();
        k.metrics.dram_read_page_share = k.metrics.dram_write_page_share = share;
        const auto there = std::get<calibrated::Chip>(calibrated::chip_of(stored(gpu)));
        const auto work = std::get<calibrated::Work>(calibrated::work_of(k, chip));
        const auto prepared = calibrated::prepare(work, chip, constants);
        const auto times = calibrated::times_on(prepared, there, constants);
        return times.of[static_cast<std::size_t>(calibrated::Resource::dram)] * there.dram_bandwidth * constants.dram /
               prepared.dram_bytes.front();
    };
    CHECK(pairs("GeForce GTX 1080 Ti", 1. / 64) == Approx(2));
    CHECK(pairs("GeForce GTX 1080 Ti", 1.5 / 64) == Approx(4. / 3));
    CHECK(pairs("GeForce GTX 1080 Ti", 2. / 64) == Approx(1));
    CHECK(pairs("GeForce RTX 2080 Ti", 1. / 64) == Approx(1));
    // Half of the bytes each way; one way alone where the other has none.
    CHECK(slower(1, 1. / 64) == Approx((1 + single) / 2));
    CHECK(slower(1. / 64, std::nullopt) == Approx((1 + single) / 2));
}

TEST_CASE("calibrated: a larger L2 may hold what a smaller one did not") {
    // Counters of an RTX 2080 Ti (5.5 MB of L2); the RTX 4090 has 72 MB.
    const Gpu reference = stored("RTX 2080 Ti"), larger = stored("RTX 4090");
    const auto moving = [](double megabytes) {
        KernelRecord kernel = vector_add();
        auto& m = kernel.metrics;
        const double share = megabytes * 1e6 / (32 * (m.dram_read->value + m.dram_write->value));
        kernel.grid = Dim3{static_cast<std::uint32_t>(65536 * share), 1, 1};
        const auto scale = [&](auto& field) {
            if constexpr (requires { field->value; })
                if (field) field->value *= share;
        };
        std::apply([&](const auto&... f) { (scale(m.*f.member), ...); }, KernelMetrics::fields);
        return kernel;
    };
    const auto warned = [](const Prediction& p) {
        return std::ranges::find(p.warnings, Warning::larger_l2) != p.warnings.end();
    };
    const auto fits = predicted({moving(40), larger, &reference, {}});
    REQUIRE(warned(fits));
    REQUIRE(fits.from_l2);
    CHECK(*fits.from_l2 < 0.8 * fits.duration);
    CHECK(*fits.low <= *fits.from_l2);
    // What does not fit there comes from DRAM, and so does what the reference could have held and did not.
    for (const double megabytes : {4., 80.}) {
        const auto p = predicted({moving(megabytes), larger, &reference, {}});
        CHECK_FALSE(warned(p));
        CHECK_FALSE(p.from_l2);
    }
    // A simulated profile says what other caches see.
    KernelRecord simulated = moving(40);
    simulated.other_gpus.emplace();
    CHECK_FALSE(warned(predicted({simulated, larger, &reference, {}})));
}

TEST_CASE("calibrated: nothing ends before its longest warp") {
    // 13 blocks of one warp each on 13 multiprocessors: one round, limited by latency.
    const Gpu gpu = stored("Tesla K20c");
    KernelRecord kernel;
    kernel.kernel = "k";
    kernel.grid = Dim3{13, 1, 1};
    kernel.block = Dim3{32, 1, 1};
    auto& m = kernel.metrics;
    m.warp_inst = Instructions{13e5};
    m.thread_inst = Instructions{32 * 13e5};
    m.thread_inst_fp32 = m.thread_inst_integer = Instructions{16 * 13e5};
    m.thread_inst_fp32_fma = m.thread_inst_fp64 = m.thread_inst_load_store = m.shared_wavefront = Instructions{0};
    m.l2_read = m.l2_write = m.dram_read = m.dram_write = Sectors{100};
    const auto latency = [&] {
        const auto p = predicted({kernel, gpu, &gpu, {}});
        CHECK(p.limiter == Limiter::latency);
        return p.bounds.begin()->duration.value;
    };
    const double alike = latency();
    m.warp_balance = 1;
    CHECK(latency() == Approx(alike));
    // One warp has ten times the mean: it is there ten times as long.
    m.warp_balance = 0.1;
    CHECK(latency() == Approx(10 * alike));
    // Beside 20 rounds of others it is hidden.
    kernel.grid = Dim3{13 * 16 * 20, 1, 1};
    for (auto* sum : {&m.warp_inst, &m.thread_inst, &m.thread_inst_fp32, &m.thread_inst_integer}) **sum = 320 * **sum;
    const auto of_many = [&] {
        const auto p = predicted({kernel, gpu, &gpu, {}});
        return p.duration.value;
    };
    const double with = of_many();
    m.warp_balance = 1;
    CHECK(of_many() == Approx(with));
}

TEST_CASE("calibrated: counters are sums over launches") {
    const Gpu gpu = stored("GTX 980");
    auto kernel = vector_add();
    const double once = predicted({kernel, gpu, &gpu, {}}).duration.value;
    kernel.launches = 3;
    std::apply(
        [&](const auto&... field) {
            const auto triple = [](auto& counter) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(counter)>, Maybe<double>>) {
                    if (counter) counter->value *= 3;
                }
            };
            (triple(kernel.metrics.*field.member), ...);
        },
        KernelMetrics::fields);
    CHECK(predicted({kernel, gpu, &gpu, {}}).duration.value == Approx(3 * once));
}

TEST_CASE("calibrated: a reference time corrects in part, in the right direction, and narrows the interval") {
    const Gpu here = stored("GTX 980"), there = stored("Tesla K40");
    auto kernel = vector_add();
    const auto plain = predicted({kernel, there, &here, {}});
    const double own = predicted({kernel, here, &here, {}}).duration.value;
    ModelOptions options;
    options.use_reference_time = true;
    CHECK(refusal({kernel, there, &here, options}).find("reference time") != std::string::npos);
    kernel.duration = Duration{1, Seconds{1.5 * own}, {}, {}};
    const auto corrected = predicted({kernel, there, &here, options});
    CHECK(corrected.duration.value > 1.05 * plain.duration.value);
    CHECK(corrected.duration.value < 1.5 * plain.duration.value);
    CHECK(ratio(*corrected.high, *corrected.low) < ratio(*plain.high, *plain.low));
    kernel.duration->sum = Seconds{own};
    CHECK(predicted({kernel, there, &here, options}).duration.value == Approx(plain.duration.value));
}

TEST_CASE("calibrated: what is missing is named") {
    const Gpu gpu = stored("GTX 980");
    const auto kernel = vector_add();
    CHECK(refusal({kernel, gpu, nullptr, {}}).find("profile's own GPU") != std::string::npos);
    Gpu processor = gpu;
    processor.vendor = "CPU";
    processor.compute_capability.clear();
    CHECK(refusal({kernel, processor, &gpu, {}}).find("compute capability") != std::string::npos);
    Gpu without_lanes = stored("Radeon R9 Nano");
    without_lanes.lanes_per_sm.reset();
    CHECK(refusal({kernel, without_lanes, &gpu, {}}).find("lanes_per_sm") != std::string::npos);
    auto large = kernel;
    large.block = Dim3{1024, 1, 1};
    CHECK(refusal({large, stored("Tesla C1060"), &gpu, {}}).find("1024 threads does not fit") != std::string::npos);
    auto sharing = kernel;
    sharing.static_shared = Bytes{60e3};
    CHECK(refusal({sharing, gpu, &gpu, {}}).find("shared memory") != std::string::npos);

    auto without_dram = kernel;
    without_dram.metrics.dram_read = without_dram.metrics.dram_write = std::nullopt;
    CHECK(refusal({without_dram, gpu, &gpu, {}}).find("dram_read_sector") != std::string::npos);

    auto empty = kernel;
    empty.metrics = {};
    empty.metrics.dram_read = Sectors{1};
    CHECK(refusal({empty, gpu, &gpu, {}}).find("warp_inst") != std::string::npos);

    auto tensor = kernel;
    tensor.metrics.tensor_fp16 = Operations{1e9};
    CHECK(refusal({tensor, gpu, &gpu, {}}).find("tensor") != std::string::npos);

    Gpu bare = gpu;
    bare.dram_bandwidth = std::nullopt;
    bare.dram_bandwidth_peak = std::nullopt;
    CHECK(refusal({kernel, bare, &gpu, {}}).find("dram_bandwidth_byte_per_s") != std::string::npos);
}

TEST_CASE("calibrated: with fewer counters it still answers, with a wider interval") {
    const Gpu gpu = stored("GTX 980");
    auto kernel = vector_add();
    const auto all = predicted({kernel, gpu, &gpu, {}});
    kernel.grid = kernel.block = std::nullopt;
    auto& m = kernel.metrics;
    m.l2_read = m.l2_write = std::nullopt;
    m.thread_inst = m.thread_inst_load_store = std::nullopt;
    const auto few = predicted({kernel, gpu, &gpu, {}});
    CHECK(few.duration.value == Approx(all.duration.value).epsilon(0.3));
    CHECK(ratio(*few.high, *few.low) > ratio(*all.high, *all.low));
}

TEST_CASE("calibrated: a GPU's own file goes before its compute capability") {
    // Both are 3.5; the Quadro K5200 has 8 fp64 units per multiprocessor, the Tesla K40 64 (datasheets).
    CHECK(std::get<Chip>(chip_of(stored("Tesla K40"))).rates.fp64 == Approx(64).epsilon(0.01));
    CHECK(std::get<Chip>(chip_of(stored("Quadro K5200"))).rates.fp64 == Approx(8).epsilon(0.01));
    CHECK(std::get<Chip>(chip_of(stored("Tesla K40"))).ecc_traffic);
    CHECK_FALSE(std::get<Chip>(chip_of(stored("Tesla V100"))).ecc_traffic);  // HBM keeps the bits apart
    CHECK(std::get<Chip>(chip_of(stored("RTX 3090"))).uncertain);            // not fitted on Ampere

    const auto chip = [](const char* name) { return std::get<Chip>(chip_of(stored(name))); };
    CHECK(same_architecture(chip("GTX 680"), chip("Tesla K40")));
    CHECK_FALSE(same_architecture(chip("Tesla V100"), chip("Tesla T4")));
    CHECK_FALSE(same_architecture(chip("GTX 980"), chip("GTX 1080 Ti")));
}

TEST_CASE("calibrated: Kepler and Maxwell boards run between base and boost clock unless the card said otherwise") {
    const auto clock = [](const Gpu& gpu) { return std::get<Chip>(chip_of(gpu)).clock; };
    Gpu titan = stored("GTX TITAN");  // base 836, boost 876 MHz (datasheet)
    CHECK(clock(titan) == Approx(std::sqrt(836e6 * 876e6)));
    CHECK(clock(stored("Tesla K20c")) == Approx(705e6));  // as CUDA reported it
    titan.base_clock.reset();
    CHECK(clock(titan) == Approx(std::sqrt(titan.core_clock->value.value * 876e6)));
    const Gpu turing = stored("RTX 2080 Ti");
    CHECK(clock(turing) == Approx(std::sqrt(turing.core_clock->value.value * turing.boost_clock->value.value)));
}

TEST_CASE("calibrated: boards sum fp16 products in fp32 at the full rate or at half of it") {
    const auto rate = [](std::string_view name) { return std::get<Chip>(chip_of(stored(name))).rates.tensor; };
    // Of datasheets' dense fp16 peaks with fp32 accumulation over multiprocessors and boost clock.
    for (const auto* half : {"RTX 2080 Ti", "RTX 3090", "RTX 4090", "RTX 5090"}) CHECK(rate(half) == 512);
    for (const auto* full : {"Tesla T4", "A40", "A10", "L4", "L40S", "RTX PRO 6000 Blackwell"})
        CHECK(rate(full) == 1024);
    CHECK(rate("A100 SXM4 40GB") == 2048);
    Gpu slower = stored("L40S");
    slower.tensor_fp16.reset();
    CHECK(std::get<Chip>(chip_of(slower)).rates.tensor == 512);
    // 215 int8 TOPS of an RTX 2080 Ti (datasheet) are 68 multiprocessors x 1545 MHz x 2048, as many of each as those of
    // a Quadro RTX 6000; on int8 an operation takes half the time of one on fp16.
    CHECK(std::get<Chip>(chip_of(stored("RTX 2080 Ti"))).rates.tensor_integer == Approx(1024).epsilon(1e-4));
    CHECK(std::get<Chip>(chip_of(stored("Quadro RTX 6000"))).rates.tensor_integer == Approx(1024).epsilon(1e-4));
}

TEST_CASE("calibrated: only instructions of warp groups reach the tensor units' peak on Hopper") {
    constexpr double operations = 1e13;
    // `each`: operations of one instruction; 0: instructions not counted.
    const auto seconds = [&](std::string_view reference, std::string_view target, double each) {
        auto kernel = vector_add();
        kernel.metrics.tensor_fp16 = Operations{operations};
        if (each > 0) kernel.metrics.warp_inst_tensor = Instructions{operations / each};
        const Gpu from = stored(reference);
        return predicted({kernel, stored(target), &from, {}}).duration.value;
    };
    const auto* const a100 = "A100 SXM4 40GB";
    const auto* const h100 = "H100 SXM5 80GB";
    constexpr double mma = 2. * 16 * 8 * 16, wgmma = 2. * 16 * 128 * 16;
    CHECK(seconds(a100, h100, mma) / seconds(h100, h100, wgmma) == Approx(1 / 0.63).epsilon(0.01));
    CHECK(seconds(h100, h100, mma) == Approx(seconds(a100, h100, mma)).epsilon(1e-6));
    CHECK(seconds(a100, h100, 0) == Approx(seconds(a100, h100, mma)).epsilon(1e-6));
    CHECK(seconds(h100, h100, 0) == Approx(seconds(h100, h100, wgmma)).epsilon(1e-6));
    CHECK(seconds(a100, a100, mma) == Approx(seconds(a100, a100, 0)).epsilon(1e-6));

    // fp64 has no instructions of warp groups.
    auto kernel = vector_add();
    kernel.metrics.tensor_fp64 = Operations{operations};
    kernel.metrics.warp_inst_tensor = Instructions{operations / 512};
    const Gpu hopper = stored(h100);
    CHECK(predicted({kernel, hopper, &hopper, {}}).duration.value ==
          Approx(989.0 / 67 * seconds(h100, h100, wgmma)).epsilon(0.01));  // TFLOP/s of NVIDIA's data sheet
}

TEST_CASE("calibrated: tensor operations run where there are units for their type") {
    const auto of_type = [](std::string_view name, auto member) {
        const Gpu gpu = stored(name), reference = stored("A100 PCIe 80GB");
        auto kernel = vector_add();
        kernel.metrics.*member = Operations{1e13};
        return find_model("calibrated").predict({kernel, gpu, &reference, {}});
    };
    const auto refused = [&](std::string_view name, auto member) {
        const auto outcome = of_type(name, member);
        const auto* const no = std::get_if<Inapplicable>(&outcome);
        return no != nullptr && no->reason.find("no tensor units for") != std::string::npos;
    };
    CHECK(refused("Tesla V100 PCIe 16GB", &KernelMetrics::tensor_int8));
    CHECK(refused("Tesla V100 PCIe 16GB", &KernelMetrics::tensor_fp64));
    CHECK(refused("A100 PCIe 80GB", &KernelMetrics::tensor_fp8));
    CHECK_FALSE(refused("RTX 4090", &KernelMetrics::tensor_fp8));
    // On the fp64 units: 82.6 / 64 TFLOP/s.
    const auto ada = of_type("RTX 4090", &KernelMetrics::tensor_fp64);
    CHECK(std::get<Prediction>(ada).duration.value == Approx(1e13 / 1.29e12).epsilon(0.2));
}

TEST_CASE("calibrated: a GPU that is slower in every respect is not faster by the reference time") {
    const Gpu here = stored("H200 SXM 141GB");
    auto kernel = vector_add();
    const double alone = predicted({kernel, here, &here, {}}).duration.value;
    for (const double missed : {0.25, 4.0}) {
        kernel.duration = Duration{kernel.launches, Seconds{missed * alone}, std::nullopt, std::nullopt};
        ModelOptions options;
        options.use_reference_time = true;
        const auto on = [&](const Gpu& gpu) { return predicted({kernel, gpu, &here, options}).duration.value; };
        CHECK(on(stored("H200 NVL 141GB")) >= on(here) * (1 - 1e-12));
        CHECK(on(stored("H100 SXM5 80GB")) >= on(here) * (1 - 1e-12));
    }
}

TEST_CASE("calibrated: texture fetches take the texture units' time") {
    const Gpu gpu = stored("GTX 1080 Ti");  // 28 multiprocessors with 8 texture units each (datasheet: 224)
    const auto chip = std::get<Chip>(chip_of(gpu));
    auto kernel = vector_add();
    const auto l1 = [&] {
        const auto times = times_on(std::get<Work>(work_of(kernel, chip)), chip, chip, fitted.constants);
        return times.of[static_cast<std::size_t>(Resource::l1)];
    };
    const double without = l1();
    kernel.metrics.warp_inst_texture = Instructions{28e6};
    CHECK(l1() > without);
    CHECK(l1() == Approx(32 * 1e6 / 8 / chip.clock / fitted.constants.lines).epsilon(0.01));
}

TEST_CASE("calibrated: what memory moves may be converted to 64 bits, up to 1.5 per fp64 instruction") {
    const auto chip = std::get<Chip>(chip_of(stored("GTX 1080 Ti")));
    auto kernel = vector_add();
    auto& m = kernel.metrics;
    const double threads = 65536. * 256;
    m.thread_inst_fp32 = Instructions{0};
    m.thread_inst_fp64 = Instructions{4 * threads};
    m.global_load = Sectors{2 * threads / 8};
    m.global_store = Sectors{threads / 8};
    const auto conversions = [&] { return std::get<Work>(work_of(kernel, chip)).conversion64; };
    CHECK(conversions() == Approx(3 * threads / 32));  // two values read, one written
    m.global_load = Sectors{20 * threads / 8};
    CHECK(conversions() == Approx(6 * threads / 32));
    m.thread_inst_conversion = Instructions{threads};
    CHECK(conversions() == Approx(threads / 32));
}

TEST_CASE("calibrated: intervals widen where the GPU is known to differ") {
    const Gpu here = stored("Tesla K40"), there = stored("GTX 980");
    auto kernel = vector_add();
    const auto width = [&] {
        const auto p = predicted({kernel, there, &here, {}});
        return ratio(*p.high, *p.low);
    };
    const double streaming = width();
    kernel.metrics.global_load = Sectors{2 * 65536. * 256};  // each thread a sector of its own
    kernel.metrics.l2_read = kernel.metrics.dram_read = kernel.metrics.global_load;
    CHECK(width() > 1.2 * streaming);
}

TEST_CASE("calibrated: the chance that A is faster is even for equal times and adds up to 1") {
    const Comparison other{false, false, true};
    CHECK(probability_faster(Seconds{1}, Seconds{1}, other, fitted) == Approx(0.5));
    const double a = probability_faster(Seconds{1}, Seconds{1.2}, other, fitted);
    CHECK(a > 0.5);
    CHECK(a + probability_faster(Seconds{1.2}, Seconds{1}, other, fitted) == Approx(1));
    // Errors of two GPUs of one architecture go together: the same difference is surer.
    CHECK(probability_faster(Seconds{1}, Seconds{1.2}, {true, true, true}, fitted) > a);
}
