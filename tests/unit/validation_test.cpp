#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "model/error.hpp"
#include "model/observations.hpp"
#include "model/validation.hpp"

namespace {

using namespace gpuproj;

constexpr Seconds shortest{100e-6};

ObservationTable read(const std::string& csv) {
    return observations_from_csv(csv, "table.csv", shortest);
}

/// Predicts 200 us on every GPU, within 100 and 400 us, and nothing for kernels without fp32 counter.
Outcome predict_200_us(const ModelInput& input) {
    if (!input.kernel.metrics.thread_inst_fp32) return Inapplicable{"no fp32"};
    Prediction p;
    p.duration = Seconds{200e-6};
    p.low = Seconds{100e-6};
    p.high = Seconds{400e-6};
    return p;
}
constexpr Model model{"fixed", "", "", "", predict_200_us};

const Gpu* stored(const std::string& name) {
    static const auto gpu = [](const char* architecture) {
        Gpu g;
        g.architecture = architecture;
        return g;
    };
    static const Gpu a = gpu("Kepler"), b = gpu("Kepler"), c = gpu("Maxwell");
    return name == "A" ? &a : name == "B" ? &b : name == "C" ? &c : nullptr;
}

std::size_t skipped(const std::vector<Skipped>& all, const std::string& part) {
    std::size_t rows = 0;
    for (const auto& s : all) rows += s.reason.find(part) != std::string::npos ? s.rows : 0;
    return rows;
}

}  // namespace

TEST_CASE("An observation table gives one record per kernel, input, launch and GPU") {
    const auto table = read(
        "kernel,gpu,input1,grid,block,time_us,dram_read_bytes,shared_load_trans,shared_store_trans,regs,colour\n"
        "k,A,1,8x4x1,16x16x1,300,64,10,5,20,red\n"
        "k,A,1,8x4x1,16x16x1,100,,10,5,20,red\n"  // repeated: the median of each column
        "k,A,2,8x4x1,16x16x1,500,,,,,blue\n");
    REQUIRE(table.rows == 3);
    REQUIRE(table.observations.size() == 2);
    const auto& first = table.observations[0];
    CHECK(first.gpu == "A");
    CHECK(first.kernel == "k");
    CHECK(first.what != table.observations[1].what);
    CHECK(first.record.blocks() == 32);
    CHECK(first.record.threads_per_block() == 256);
    CHECK(first.record.registers_per_thread == 20);
    CHECK(first.record.duration->sum.value == Approx(200e-6));
    CHECK(first.record.metrics.dram_read == Sectors{2});
    CHECK(first.record.metrics.shared_wavefront == Instructions{15});
    CHECK_FALSE(table.observations[1].record.metrics.dram_read);
}

TEST_CASE("Observation tables that a spreadsheet wrote are read") {
    const auto time = [](const std::string& text) { return read(text).observations.at(0).record.duration->sum.value; };
    CHECK(time("kernel;gpu;grid;block;time_us\r\nk;A;1;32;200,5\r\n") == Approx(200.5e-6));
    CHECK(time("kernel\tgpu\tgrid\tblock\ttime_us\nk\tA\t1\t32\t200.5\n") == Approx(200.5e-6));
    CHECK(time("\xEF\xBB\xBFkernel,gpu,grid,block,time_us\rk,A,1,32,200.5\r") == Approx(200.5e-6));
    // A comma is a decimal one where semicolons say so, and separates thousands elsewhere, or is either.
    CHECK_THROWS_WITH(read("kernel,gpu,grid,block,time_us\nk,A,1,32,\"1,200\"\n"),
                      Catch::Contains("'1,200' is not a number; write it with a decimal point"));
    for (const auto* odd : {"1.200,5", "1,200,500", ",5", "5,"})
        CHECK_THROWS_WITH(time(std::string("kernel;gpu;grid;block;time_us\nk;A;1;32;") + odd + "\n"),
                          Catch::Contains("is not a number"));
}

TEST_CASE("What is wrong with an observation table is said, with all missing columns") {
    CHECK_THROWS_WITH(read("kernel,gpu,time\nk,A,3\n"),
                      Catch::Contains("no column grid, block, time_us") && !Catch::Contains("separated"));
    for (const auto* one_cell : {"kernel gpu grid block time_us\nk A 1 32 200\n", "", "\xFF\xFEk"}) {
        CHECK_THROWS_WITH(read(one_cell), Catch::Contains("separated by commas, semicolons or tabs"));
    }
    const std::string head = "kernel,gpu,grid,block,time_us,flop_sp\n";
    CHECK_THROWS_WITH(read(head + "k,A,1x1x1,32,200,many\n"), Catch::Contains("line 2: flop_sp: 'many'"));
    CHECK_THROWS_WITH(read(head + "k,A,1x,32,200,1\n"), Catch::Contains("line 2: grid: '1x'"));
    CHECK_THROWS_WITH(read(head + "k,A,1,0,200,1\n"), Catch::Contains("block"));
    CHECK_THROWS_WITH(read(head + "k,A,1,32,200,-1\n"), Catch::Contains("below 0"));
}

TEST_CASE("A clock of a table is above 0 and one that the GPU can have, and what is not is told with its line") {
    const std::string head = "kernel,gpu,core_mhz,mem_mhz,grid,block,time_us,thread_inst_fp32\nk,B,,,1,32,200,1\n";
    CHECK_THROWS_WITH(
        read(head + "k,A,0,,1,32,200,1\n"),
        Catch::Contains("table.csv: line 3: core_mhz: 0 is no clock") && Catch::Contains("leave the cell empty"));
    CHECK_THROWS_WITH(read(head + "k,A,,-1,1,32,200,1\n"),
                      Catch::Contains("table.csv: line 3: mem_mhz: -1 is no clock"));
    const auto at_700 = [](const std::string& name) -> const Gpu* {
        static const auto gpu = [] {
            Gpu g;
            g.name = "A";
            g.core_clock = Known<Hertz>{Hertz{700e6}, Quality::datasheet, "a round number", {}};
            return g;
        }();
        return name == "A" ? &gpu : stored(name);
    };
    CHECK_THROWS_WITH(validate(read(head + "k,A,7000,,1,32,200,1\n"), at_700, model, {}),
                      Catch::Contains("table.csv: line 3: A: a core clock of 7000 MHz is implausible"));
}

TEST_CASE("One grid written in two ways is one grid") {
    const auto table = read(
        "kernel,gpu,grid,block,time_us\n"
        "k,A,1000,32x1,200\n"
        "k,A,1000x1x1,32,400\n"
        "k,B,1000x1,32x1x1,400\n");
    REQUIRE(table.observations.size() == 2);
    CHECK(table.observations[0].record.duration->sum.value == Approx(300e-6));
    CHECK(table.observations[0].what == table.observations[1].what);
}

TEST_CASE("Rows that cannot be used are counted by reason") {
    auto table = read(
        "kernel,gpu,grid,block,time_us,thread_inst_fp32\n"
        "k,A,1,32,0,1\n"
        "k,A,1,32,-5,1\n"
        "k,A,1,32,,1\n"
        "k,A,1,32,99,1\n"
        "k,A,1,32,,1\n"
        "alone,A,1,32,200,1\n"
        "l,A,1,32,200,1\n"
        "l,B,1,32,200,\n"
        "l,nobody's,1,32,200,1\n");
    CHECK(skipped(table.skipped, "not above 0") == 4);
    CHECK(skipped(table.skipped, "under 100 us") == 1);
    const auto v = validate(std::move(table), stored, model, {});
    CHECK(v.rows == 9);
    CHECK(skipped(v.skipped, "no GPU file for nobody's") == 1);
    CHECK(skipped(v.skipped, "one GPU only") == 1);
    CHECK(skipped(v.skipped, "pairs: no fp32") == 1);  // from B
    CHECK(v.pairs.size() == 1);                        // from A to B
}

TEST_CASE("Two spellings of one GPU are one GPU") {
    // As a catalog does: an object per spelling.
    const auto by_name = [](const std::string& name) -> const Gpu* {
        static const auto gpu = [](const char* full) {
            Gpu g;
            g.name = full;
            g.core_clock = Known<Hertz>{Hertz{700e6}, Quality::datasheet, "a round number", {}};
            return g;
        };
        static const Gpu full = gpu("Tesla K20c"), brief = gpu("Tesla K20c"), other = gpu("GTX 480");
        return name == "Tesla K20c" ? &full : name == "K20c" ? &brief : name == "GTX480" ? &other : nullptr;
    };
    const auto v = validate(read("kernel,gpu,core_mhz,grid,block,time_us,thread_inst_fp32\n"
                                 "k,K20c,,1,32,200,1\n"
                                 "k,Tesla K20c,,1,32,210,1\n"
                                 "k,Tesla K20c,700,1,32,220,1\n"  // what it runs at anyway
                                 "k,Tesla K20c,600,1,32,250,1\n"
                                 "l,Tesla K20c,,1,32,200,1\n"
                                 "l,GTX480,,1,32,300,1\n"),
                            by_name, model, {});
    CHECK(skipped(v.skipped, "pairs: both rows are of one GPU at the same clocks") == 6);
    CHECK(v.pairs.size() == 6 + 2);  // k between three rows and the one at 600 MHz, l between the two
    for (const auto& observation : v.observations) CHECK(observation.gpu != "Tesla K20c");

    // Known when the table is read, they are repeats: the median of each column.
    const auto table = observations_from_csv(
        "kernel,gpu,core_mhz,grid,block,time_us\n"
        "k,K20c,,1,32,200\n"
        "k,Tesla K20c,,1,32,210\n"
        "k,Tesla K20c,700.0,1,32,250\n"
        "k,Tesla K20c,600,1,32,900\n"
        "k,nobody's,,1,32,900\n",
        "table.csv", shortest, by_name);
    REQUIRE(table.observations.size() == 3);
    CHECK(table.observations[0].gpu == "K20c");
    CHECK(table.observations[0].record.duration->sum.value == Approx(210e-6));
    const auto of_repeats = validate(table, by_name, model, {});
    CHECK(skipped(of_repeats.skipped, "one GPU at the same clocks") == 0);
}

TEST_CASE("A column twice is refused") {
    CHECK_THROWS_WITH(read("kernel,gpu,grid,block,time_us,flop_sp,flop_sp\nk,A,1,32,200,1,2\n"),
                      Catch::Contains("table.csv: line 1: there are two columns \"flop_sp\""));
    CHECK(read("kernel,gpu,grid,block,time_us,,\nk,A,1,32,200,,\n").observations.size() == 1);
}

TEST_CASE("Figures of a validation, by hand") {
    // k on A, B, C: 100, 200, 400 us; l on A, B: 200, 400 us. Every prediction is 200 us.
    const auto v = validate(read("kernel,gpu,grid,block,time_us,thread_inst_fp32\n"
                                 "k,A,1,32,100,1\nk,B,1,32,200,1\nk,C,1,32,400,1\n"
                                 "l,A,1,32,200,1\nl,B,1,32,400,1\n"),
                            stored, model, {});
    REQUIRE(v.pairs.size() == 8);
    const auto f = figures(v.observations, v.pairs);
    CHECK(f.kernels == 2);
    // Each target of k is predicted twice: |p/m - 1| is 1, 0, 1/2; l: 0 and 1/2.
    CHECK(f.macro_mape == Approx((0.5 + 0.25) / 2));
    CHECK(f.mape == Approx(3.5 / 8));
    // |ln| of k: ln 2, 0, ln 2; of l: 0, ln 2.
    CHECK(f.macro_abs_ln == Approx(std::log(2) * (2. / 3 + 1. / 2) / 2));
    CHECK(f.bias_ln == Approx(-std::log(2) / 4));
    CHECK(f.median_ape == Approx(0.5));
    CHECK(f.within_25 == Approx(3. / 8));
    CHECK(f.geomean_error_factor == Approx(std::pow(2, 5. / 8)));
    // 200 us against the reference's time: from A (100) "slower" is right for B and C of k; from B of k and A of l the
    // prediction equals the reference's time: never faster, right where the target is slower; from C and B of l
    // "faster" is right.
    CHECK(f.faster_gpu_right == Approx(7. / 8));
    // The interval 100 to 400 us holds all.
    CHECK(f.interval_coverage == Approx(1));
    CHECK(f.interval_width == Approx(std::log(4)));
    CHECK(f.interval_score == Approx(std::log(4)));
    // Only rows of k have two targets; the first is taken of equal predictions: B, A, A, of which the fastest are B, A,
    // A.
    CHECK(f.best_gpu_hit_rate == Approx(1));
    CHECK(f.regret == Approx(0));

    const auto groups = grouped(v.pairs, [](const PredictedPair& p) { return p.same_architecture ? "same" : "other"; });
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].pairs.size() == 4);  // between C and the two others
}

TEST_CASE("A bootstrap over kernels holds the mean, and all of it below 0 where every kernel is") {
    const std::vector<double> values{-0.3, -0.1, -0.2, -0.4};
    const auto b = bootstrap(values);
    CHECK(b.mean == Approx(-0.25));
    CHECK(b.low < b.mean);
    CHECK(b.high > b.mean);
    CHECK(b.low >= -0.4);
    CHECK(b.below_0 == 1);
    CHECK(bootstrap(values).low == b.low);
}

TEST_CASE("Pairs that the datasheet's fp32 rate ranks wrongly, and how many of them a model gets right") {
    std::vector<Observation> observations(3);
    for (std::size_t i = 0; i < 3; ++i) {
        observations[i].kernel = "k";
        observations[i].record.duration = Duration{1, Seconds{std::array{1., 2., 1.05}[i]}, {}, {}};
    }
    const auto pair = [](std::size_t reference, std::size_t target, double predicted, double peak_ratio) {
        PredictedPair p;
        p.pair = {reference, target};
        p.predicted = Seconds{predicted};
        p.peak_ratio = peak_ratio;
        return p;
    };
    // 0 -> 1 takes twice as long, though the peak of 1 is twice that of 0; 0 -> 2 differs too little to count.
    const std::vector<PredictedPair> pairs{pair(0, 1, 1.5, 0.5), pair(1, 0, 3, 2), pair(0, 2, 1, 0.5)};
    const auto f = figures(observations, pairs);
    CHECK(f.peak_wrong == 2);
    CHECK(*f.peak_wrong_right == 0.5);
}

TEST_CASE("One ratio per pair of GPUs is the median of the other kernels'") {
    const auto table = read(
        "kernel,gpu,grid,block,time_us\n"
        "a,A,1x1x1,32x1x1,1000\na,B,1x1x1,32x1x1,2000\n"
        "b,A,1x1x1,32x1x1,1000\nb,B,1x1x1,32x1x1,3000\n"
        "c,A,1x1x1,32x1x1,1000\nc,B,1x1x1,32x1x1,4000\n");
    std::vector<Skipped> alone;
    const auto pairs = pairs_of(table.observations, alone);
    const auto predicted = one_ratio_per_gpus(table.observations, pairs);
    REQUIRE(predicted.size() == 6);
    for (const auto& p : predicted) {
        const auto& reference = table.observations[p.pair.reference];
        if (reference.gpu != "A") continue;
        const double expected = std::sqrt(reference.kernel == "a" ? 12. : reference.kernel == "b" ? 8. : 6.);  // ms
        CHECK(1e3 * p.predicted.value == Approx(expected));  // the median in ln, of two values
    }
    const auto same = compare_errors("itself", table.observations, predicted, predicted);
    CHECK(same.pairs == 6);
    CHECK(same.difference.mean == 0);
    CHECK(same.ours == same.theirs);
}
