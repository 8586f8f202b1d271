// What a profile says of GPUs other than its reference: sums, rows, sizes in between, and what the model makes of it.
#include "model/other_gpus.hpp"

#include <catch2/catch.hpp>

#include "model/calibrated.hpp"
#include "model/l1_cache.hpp"
#include "targets/catalog.hpp"

using namespace gpuproj;

namespace {

MachineCodeCounts code(const char* capability, double integer) {
    MachineCodeCounts counts;
    counts.compute_capability = capability;
    counts.integer = Instructions{integer};
    counts.warp_inst = Instructions{integer / 16};
    return counts;
}
TrafficOfL2 l2(double size, double read, double write = 0) {
    return {Bytes{size}, Sectors{read}, Sectors{write}};
}
HitsOfL1 l1(double size, double hits) {
    return {Bytes{size}, Sectors{hits}};
}

Gpu gpu(const char* capability, double l2_bytes) {
    Gpu gpu;
    gpu.compute_capability = capability;
    gpu.l2_size = Known<Bytes>{{l2_bytes}, Quality::datasheet, "", {}};
    return gpu;
}

KernelMetrics counted(double dram_read) {
    KernelMetrics m;
    m.dram_read = Sectors{dram_read};
    m.dram_write = Sectors{0};
    m.thread_inst_integer = m.warp_inst = Instructions{1};
    return m;
}

double dram_on(const OtherGpus& other, double counted_read, double here, double there) {
    return metrics_on(counted(counted_read), other, gpu("2.0", here), gpu("7.0", there), 0).dram_read->value;
}

}  // namespace

TEST_CASE("machine code is summed by generation, wherever its rows begin", "[other_gpus]") {
    OtherGpus total{{code("2.0", 100), code("5.0", 300)}, {}, {}};
    add(total, {{code("2.0", 10), code("7.0", 20)}, {}, {}});
    REQUIRE(total.machine_code.size() == 3);
    CHECK(total.machine_code[0].compute_capability == "2.0");
    CHECK(total.machine_code[0].integer == Instructions{110});
    CHECK(total.machine_code[1].compute_capability == "5.0");
    CHECK(total.machine_code[1].integer == Instructions{310});
    CHECK(total.machine_code[2].compute_capability == "7.0");
    CHECK(total.machine_code[2].integer == Instructions{320});

    add(total, OtherGpus{});
    CHECK(total.machine_code.empty());  // of the other launches nothing is known
}

TEST_CASE("caches are summed by size, and other sizes say nothing", "[other_gpus]") {
    OtherGpus total{{}, {l2(1024, 10, 1), l2(2048, 5)}, {l1(0, 3)}};
    add(total, {{}, {l2(1024, 20, 2), l2(2048, 6)}, {l1(0, 4)}});
    CHECK(total.l2[0].dram_read == Sectors{30});
    CHECK(total.l2[0].dram_write == Sectors{3});
    CHECK(total.l2[1].dram_read == Sectors{11});
    CHECK(total.l1[0].hits == Sectors{7});
    add(total, {{}, {l2(1024, 20), l2(4096, 6)}, {}});
    CHECK(total.l2.empty());
    CHECK(total.l1.empty());
}

TEST_CASE("passes through shared memory follow the banks of the target", "[other_gpus]") {
    const auto banks = [](double narrow, double wide) {
        return std::vector{PassesOfBanks{Bytes{4}, Instructions{narrow}, Instructions{narrow - 10}},
                           PassesOfBanks{Bytes{8}, Instructions{wide}, Instructions{wide - 10}}};
    };
    OtherGpus other{{}, {}, {}, banks(40, 30)};
    add(other, {{}, {}, {}, banks(400, 300)});
    KernelMetrics m = counted(0);
    m.shared_wavefront = Instructions{440};
    m.shared_bank_conflict = Instructions{420};
    const auto on = [&](const char* capability) { return metrics_on(m, other, gpu("2.0", 1), gpu(capability, 1), 0); };
    CHECK(on("3.5").shared_wavefront == Instructions{330});
    CHECK(on("3.5").shared_bank_conflict == Instructions{310});
    CHECK(on("5.2").shared_wavefront == Instructions{440});
    CHECK(on("gfx906").shared_wavefront == Instructions{440});
    scale_counter(other, "shared_wavefront", 2);
    CHECK(on("3.7").shared_wavefront == Instructions{660});
    CHECK(on("3.7").shared_bank_conflict == Instructions{310});
    add(other, OtherGpus{});
    CHECK(on("3.5").shared_wavefront == Instructions{440});  // not known any more
}

TEST_CASE("a GPU has the machine code of the nearest generation before it", "[other_gpus]") {
    const OtherGpus other{{code("2.0", 1), code("5.0", 2), code("7.0", 3), code("10.0", 4)}, {}, {}};
    const auto integer_on = [&](const char* capability) { return code_for(other, capability)->integer.value; };
    CHECK(integer_on("1.3") == 1);
    CHECK(integer_on("3.5") == 1);
    CHECK(integer_on("6.1") == 2);
    CHECK(integer_on("7.0") == 3);
    CHECK(integer_on("9.0") == 3);  // not by the letters of 10.0
    CHECK(integer_on("12.0") == 4);
    CHECK(integer_on("gfx906") == 3);
    CHECK(code_for(OtherGpus{}, "7.0") == nullptr);
    const KernelMetrics on_maxwell = metrics_on(counted(0), other, gpu("2.0", 1), gpu("5.2", 1), 0);
    CHECK(on_maxwell.thread_inst_integer == Instructions{2});
    CHECK_FALSE(on_maxwell.thread_inst_fp32);  // what the collector did not count stays unknown
}

TEST_CASE("DRAM traffic follows the size of L2", "[other_gpus]") {
    // 1000 sectors with 1 KiB, 100 from 4 KiB on, by the estimates; 1100 were counted with 1 KiB.
    const OtherGpus other{{}, {l2(1024, 1000), l2(4096, 100), l2(16384, 100)}, {}};
    CHECK(dram_on(other, 1100, 1024, 1024) == 1100);
    CHECK(dram_on(other, 1100, 1024, 8192) == Approx(110));  // the same ratio
    CHECK(dram_on(other, 1100, 1024, 2048) == Approx(605));  // half way, by the logarithm of the size
    CHECK(dram_on(other, 1100, 512, 1 << 30) == Approx(110));
    // From a larger cache to a smaller one: what was not there is added.
    CHECK(dram_on(other, 90, 4096, 1024) == Approx(990));
    CHECK(dram_on(other, 0, 4096, 1024) == Approx(900));
    // Nothing known.
    CHECK(dram_on(OtherGpus{}, 1100, 1024, 8192) == 1100);
}

TEST_CASE("L2 gets what the L1 of the target does not hold", "[other_gpus]") {
    const OtherGpus other{{}, {}, {l1(0, 10), l1(1 << 15, 400), l1(1 << 17, 800)}};
    KernelMetrics m = counted(0);
    m.l2_read = Sectors{1000};
    m.l1_hit = Sectors{10};
    const auto l2_read = [&](const char* capability, double shared) {
        return metrics_on(m, other, gpu("3.5", 1), gpu(capability, 1), shared).l2_read->value;
    };
    CHECK(l2_read("5.2", 0) == 1000);                // keeps no global loads in L1 either
    CHECK(l2_read("7.0", 0) == 210);                 // 128 KiB
    CHECK(l2_read("7.0", 96 << 10) == 610);          // 32 KiB beside 96 of shared memory
    CHECK(l2_read("7.0", 64 << 10) == Approx(410));  // 64 KiB, half way
}

TEST_CASE("what if there were more of a counter", "[other_gpus]") {
    OtherGpus other{{code("2.0", 100)}, {l2(1024, 10, 4)}, {l1(0, 6)}};
    scale_counter(other, "thread_inst_integer", 2);
    scale_counter(other, "dram_read_sector", 0.5);
    CHECK(other.machine_code[0].integer == Instructions{200});
    CHECK(other.l2[0].dram_read == Sectors{5});
    CHECK(other.l2[0].dram_write == Sectors{4});
    const OtherGpus twice = scaled(other, 2);
    CHECK(twice.machine_code[0].integer == Instructions{400});
    CHECK(twice.l2[0].size == Bytes{1024});
    CHECK(twice.l2[0].dram_write == Sectors{8});
    CHECK(twice.l1[0].hits == Sectors{12});
}

TEST_CASE("calibrated takes the work that the target would have", "[other_gpus][calibrated]") {
    // Bound by DRAM on a GTX 480; all of it fits into the L2 of an A100.
    KernelRecord kernel;
    kernel.kernel = "k";
    kernel.grid = Dim3{10000, 1, 1};
    kernel.block = Dim3{256, 1, 1};
    kernel.registers_per_thread = 20;
    kernel.static_shared = Bytes{0};
    auto& m = kernel.metrics;
    constexpr double threads = 10000. * 256;
    m.thread_inst = Instructions{20 * threads};
    m.warp_inst = Instructions{20 * threads / 32};
    m.thread_inst_fp32 = m.thread_inst_integer = m.thread_inst_load_store = Instructions{4 * threads};
    m.thread_inst_fp64 = m.thread_inst_fp32_fma = m.thread_inst_fp64_fma = Instructions{0};
    m.l2_read = m.global_load = Sectors{threads};
    m.l2_write = m.global_store = Sectors{threads / 8};
    m.l1_hit = Sectors{0};
    m.dram_read = Sectors{threads};
    m.dram_write = Sectors{threads / 8};
    const Gpu reference = Catalog({}).get("GTX480"), target = Catalog({}).get("A100-PCIE-40GB");
    const auto time = [&] {
        const ModelInput input{kernel, target, &reference, {}};
        return std::get<Prediction>(predict_calibrated(input)).duration.value;
    };
    const double alone = time();
    kernel.other_gpus =
        OtherGpus{{}, {l2(768 << 10, threads, threads / 8), l2(32 << 20, threads / 8, threads / 8)}, {}};
    CHECK(time() < 0.8 * alone);
    const Explanation steps = explain_calibrated({kernel, target, &reference, {}});
    REQUIRE(steps.size() == 1);
    CHECK(steps.front().symbol == "dram_read_sector");
    CHECK(steps.front().value == Approx(threads / 8).epsilon(0.001));
    // What is known of other caches says nothing of the reference itself.
    const ModelInput itself{kernel, reference, &reference, {}};
    const double here = std::get<Prediction>(predict_calibrated(itself)).duration.value;
    kernel.other_gpus.reset();
    CHECK(std::get<Prediction>(predict_calibrated(itself)).duration.value == here);
    // Twice the instructions in its machine code.
    m.thread_inst_integer = m.thread_inst = Instructions{4000 * threads};
    m.warp_inst = Instructions{4000 * threads / 32};
    const double few = time();
    MachineCodeCounts more = code("7.0", 8000 * threads);
    more.thread_inst = Instructions{8000 * threads};
    more.warp_inst = Instructions{8000 * threads / 32};
    more.fp32 = Instructions{4 * threads};
    kernel.other_gpus = OtherGpus{{more}, {}, {}};
    CHECK(time() > 1.7 * few);
}
