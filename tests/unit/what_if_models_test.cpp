// --set gpu.KEY and the models: which look at what, and that what is set acts as it should.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "model/calibrated_chip.hpp"
#include "model/error.hpp"
#include "model/model.hpp"
#include "model/profile_io.hpp"
#include "targets/catalog.hpp"
#include "targets/parameters.hpp"
#include "tests/support/directories.hpp"
#include "tools/gpuproj/what_if.hpp"

namespace {

using namespace gpuproj;
using calibrated::Chip;
using Catch::Contains;

Gpu stored(std::string_view name) {
    return Catalog({}).get(std::string(name));
}

Gpu with(Gpu gpu, const std::vector<std::string>& changes) {
    WhatIf what_if;
    CommandLine line("test", "");
    what_if.declare(line);
    Words words;
    for (const auto& text : changes) {
        if (text.starts_with("--")) {
            const auto space = text.find(' ');
            words.insert(words.end(), {text.substr(0, space), text.substr(space + 1)});
        } else {
            words.insert(words.end(), {"--set", text});
        }
    }
    line.parse(words);
    what_if.resolve();
    return what_if.changed(std::move(gpu));
}

Chip chip(const Gpu& gpu) {
    return std::get<Chip>(calibrated::chip_of(gpu));
}

Profile profile(const std::string& file) {
    return read_profile((std::filesystem::path(test::source_directory()) / file).string());
}

/// Kernels that use every resource: of programs, and made up.
std::vector<KernelRecord> kernels() {
    std::vector<KernelRecord> all;
    for (const char* const file : {"examples/profiles/rodinia.json", "tests/fixtures/gpu/h200/rod_hotspot.json",
                                   "tests/fixtures/gpu/h200/cs_nbody.json"}) {
        const auto kernels = profile(file).kernels;
        all.insert(all.end(), kernels.begin(), kernels.begin() + std::min<std::ptrdiff_t>(3, std::ssize(kernels)));
    }
    constexpr double threads = 4096. * 256;
    const auto made_up = [&](auto set) {
        KernelRecord kernel;
        kernel.kernel = "made up";
        kernel.grid = Dim3{4096, 1, 1};
        kernel.block = Dim3{256, 1, 1};
        kernel.registers_per_thread = 64;
        kernel.static_shared = Bytes{16384};
        auto& m = kernel.metrics;
        m.thread_inst_fp32 = m.thread_inst_fp64 = m.thread_inst_fp32_fma = m.thread_inst_fp64_fma = Instructions{0};
        m.thread_inst_integer = Instructions{20 * threads};
        m.thread_inst_load_store = Instructions{3 * threads};
        m.thread_inst = Instructions{60 * threads};
        m.warp_inst_global_load = Instructions{2 * threads / 32};
        m.warp_inst_global_store = Instructions{threads / 32};
        m.warp_inst_shared_load = m.warp_inst_shared_store = Instructions{threads / 32};
        m.shared_wavefront = Instructions{4 * threads / 32};
        m.global_load = Sectors{4 * threads / 8};
        m.global_store = Sectors{2 * threads / 8};
        m.l2_read = Sectors{2 * threads / 8};
        m.dram_read = Sectors{threads / 8};
        m.dram_write = m.l2_write = Sectors{threads / 8};
        set(kernel.metrics);
        m.warp_inst = Instructions{m.thread_inst->value / threads_per_warp};
        all.push_back(kernel);
    };
    const Maybe<Instructions> much = Instructions{20000 * threads};
    const Operations operations{1e6 * threads};
    made_up([&](KernelMetrics&) {});
    made_up([&](KernelMetrics& m) { m.thread_inst_fp32 = m.thread_inst_fp32_fma = m.thread_inst = much; });
    made_up([&](KernelMetrics& m) { m.thread_inst_fp64 = m.thread_inst_fp64_fma = much, m.thread_inst = 2 * *much; });
    made_up([&](KernelMetrics& m) { m.thread_inst_fp16 = m.thread_inst = much; });
    made_up([&](KernelMetrics& m) { m.thread_inst_integer = m.thread_inst = much; });
    made_up([&](KernelMetrics& m) { m.thread_inst_special = m.thread_inst = much; });
    made_up([&](KernelMetrics& m) { m.tensor_fp16 = operations; });
    made_up([&](KernelMetrics& m) { m.tensor_bf16 = operations; });
    made_up([&](KernelMetrics& m) { m.tensor_tf32 = operations; });
    made_up([&](KernelMetrics& m) { m.tensor_fp64 = operations; });
    made_up([&](KernelMetrics& m) { m.tensor_fp8 = operations; });
    made_up([&](KernelMetrics& m) { m.tensor_int8 = operations; });
    made_up([&](KernelMetrics& m) { m.shared_wavefront = *much; });
    made_up([&](KernelMetrics& m) {
        m.thread_inst_load_store = m.thread_inst = Instructions{1000 * threads};
        m.warp_inst_global_load = Instructions{900 * threads / 32};
        m.global_load = Sectors{4 * 900 * threads / 8};
    });
    auto& light = all.emplace_back(all.back());
    light.registers_per_thread = 16;
    light.static_shared = Bytes{0};
    auto& small = all.emplace_back(all.back());
    small.block = Dim3{32, 1, 1};
    small.grid = Dim3{4096 * 8, 1, 1};
    auto& large = all.emplace_back(all.back());
    large.static_shared = Bytes{30000};
    return all;
}

template <class Visit>
void for_each_counter(Visit visit) {
    std::apply([&](const auto&... field) { (visit(field.key, field.member), ...); }, KernelMetrics::fields);
}

bool is_counter(std::string_view wanted) {
    bool found = false;
    for_each_counter([&](std::string_view key, auto) { found = found || key == wanted; });
    return found;
}

/// The kernels above and, of each, one of which less was counted, as other tools do: what stands for what is missing.
std::vector<KernelRecord> kernels_of_all_kinds() {
    auto all = kernels();
    for (auto& kernel : all) kernel.other_gpus.reset();
    // One of which everything was counted, and one of which operations were and instructions were not.
    KernelRecord whole = all.at(9);
    for_each_counter([&](std::string_view, auto member) {
        auto& counter = whole.metrics.*member;
        using Counter = std::decay_t<decltype(*counter)>;
        if (counter) return;
        if constexpr (std::is_same_v<Counter, double>) {
            counter = 0.5;
        } else {
            counter = Counter{3e5};
        }
    });
    all.push_back(whole);
    KernelRecord operations = all.at(9);
    operations.metrics.thread_inst_fp32.reset();
    operations.metrics.thread_inst_fp64.reset();
    operations.metrics.fp32_op = operations.metrics.fp64_op = Operations{1e9};
    all.push_back(operations);
    const auto without = [&](auto... members) {
        const auto count = all.size();
        for (std::size_t i = 0; i < count; ++i) {
            KernelRecord kernel = all[i];
            ((kernel.metrics.*members = {}), ...);
            all.push_back(kernel);
        }
    };
    using M = KernelMetrics;
    without(&M::warp_inst_global_load, &M::warp_inst_global_store);
    without(&M::global_load, &M::global_store);
    without(&M::shared_wavefront, &M::thread_inst_fp32, &M::thread_inst_fp64);
    return all;
}

/// Everything that a prediction says of time.
std::vector<double> said(const Outcome& outcome) {
    const auto* const p = std::get_if<Prediction>(&outcome);
    if (p == nullptr) return {};
    std::vector<double> numbers{p->duration.value, p->low.value_or(Seconds{}).value, p->high.value_or(Seconds{}).value};
    for (const Bound& bound : p->bounds) numbers.push_back(bound.duration.value);
    return numbers;
}

const std::vector<std::string_view>& keys() {
    static const std::vector<std::string_view> all = [] {
        std::vector<std::string_view> found;
        const Gpu none;
        for_each_parameter(none, [&](std::string_view key, const auto& known) {
            using Value = std::decay_t<decltype(known->value)>;
            if (number_of(Value{}) && key != "base_clock_hz" && key != "boost_clock_hz") found.push_back(key);
        });
        return found;
    }();
    return all;
}

bool reads(const Model& model, std::string_view key) {
    return std::ranges::find(model.reads, key) != model.reads.end();
}

}  // namespace

TEST_CASE("what if: every model looks at what its row in the table says, and at nothing else") {
    const Gpu reference = stored("GeForce GTX 480");
    const auto all = kernels();
    for (const Model& model : models()) {
        for (const auto key : model.reads) CHECK(std::ranges::find(keys(), key) != keys().end());
        for (const auto key : keys()) {
            bool changes = false;
            for (const char* const name : {"GeForce GTX 260", "Tesla K20c", "GeForce GTX 980", "GeForce RTX 3080",
                                           "H100 SXM5 80GB", "Instinct MI300X"}) {
                const Gpu gpu = stored(name);
                if (!parameter(gpu, key)) continue;
                for (const char* const factor : {"0.2x", "0.55x", "1.8x"}) {
                    Gpu other = gpu;  // whether any GPU can have it or not
                    apply(parse_change("gpu." + std::string(key) + "=" + factor), other);
                    for (const KernelRecord& kernel : all) {
                        const auto before = said(model.predict({kernel, gpu, &reference, {}}));
                        changes = changes || before != said(model.predict({kernel, other, &reference, {}}));
                    }
                }
            }
            INFO(model.name << ": " << key);
            // Sizes of caches act through what simulated profiles say of other GPUs, and through intervals; mpd-cpd
            // counts the warps that the bandwidth serves in whole numbers.
            const bool whole =
                model.name == "mpd-cpd" && (key.starts_with("dram_bandwidth") || key == "memory_clock_hz");
            if (whole || key == "l1_size_byte" || key == "l2_size_byte") {
                CHECK((!changes || reads(model, key)));
            } else {
                CHECK(changes == reads(model, key));
            }
        }
    }
}

TEST_CASE("what if: every model looks at the counters that its row in the table says, and at no others") {
    const Gpu reference = stored("GeForce GTX 480");
    const auto all = kernels_of_all_kinds();
    std::vector<Gpu> targets;
    for (const char* const name : {"GeForce GTX 260", "Tesla K20c", "GeForce GTX 980", "H100 SXM5 80GB"})
        targets.push_back(stored(name));
    for (const Model& model : models()) {
        for (const auto key : model.reads_counters) CHECK(is_counter(key));
        const auto predictions = [&](const KernelRecord& kernel) {
            std::vector<std::vector<double>> numbers;
            for (const Gpu& gpu : targets) {
                numbers.push_back(said(model.predict({kernel, gpu, &reference, {}})));
                numbers.push_back(said(model.predict({kernel, gpu, &gpu, {}})));
            }
            return numbers;
        };
        std::set<std::string> changing;
        for (const KernelRecord& kernel : all) {
            const auto before = predictions(kernel);
            for_each_counter([&](std::string_view key, auto member) {
                if (changing.contains(std::string(key))) return;
                const auto try_it = [&](auto value) {
                    KernelRecord other = kernel;
                    other.metrics.*member = value;
                    other.other_gpus.reset();
                    if (predictions(other) != before) changing.emplace(key);
                };
                const auto& known = kernel.metrics.*member;
                using Counter = std::decay_t<decltype(*known)>;
                for (const double factor : {0.2, 0.55, 1.8}) {
                    if (known) try_it(factor * *known);
                }
                for (const double value : {0., 0.5, 2e4, 1e7, 1e11}) {
                    if constexpr (std::is_same_v<Counter, double>) {
                        if (value < 1) try_it(value);
                    } else {
                        try_it(Counter{value});
                    }
                }
            });
        }
        for_each_counter([&](std::string_view key, auto) {
            INFO(model.name << ": " << key);
            const bool listed = std::ranges::find(model.reads_counters, key) != model.reads_counters.end();
            if (changing.contains(std::string(key))) CHECK(listed);
            // What acts beside other counters alone, which none of these kernels has so, or, in mpd-cpd, in whole
            // numbers, cannot be shown by one at a time.
            constexpr std::array beside_others{"thread_inst_control", "thread_inst_misc",   "thread_inst_integer_shift",
                                               "uncoalesced_line",    "uncoalesced_sector", "warp_inst_uncoalesced",
                                               "l1_hit_sector"};
            const bool shown =
                model.name != "mpd-cpd" &&
                (model.name != "calibrated" || std::ranges::find(beside_others, key) == beside_others.end());
            if (listed && shown) CHECK(changing.contains(std::string(key)));
        });
    }
}

TEST_CASE("what if: a value that the GPU's file lacks is told where calibrated can do nothing with it") {
    const auto follows = [](const char* const name, const std::string& change) {
        Gpu gpu = stored(name);
        apply(parse_change("gpu." + change), gpu);
        return find_model("calibrated").follows(gpu);
    };
    REQUIRE_FALSE(stored("Tesla K20c").l1_bandwidth);
    CHECK_FALSE(follows("Tesla K20c", "l1_bandwidth=500GB/s"));
    CHECK(follows("Tesla K20c", "l2_bandwidth=500GB/s"));
    CHECK(follows("Tesla K20c", "l1_size=24576"));  // which simulated profiles are read by
    CHECK(follows("GeForce RTX 3080", "l1_bandwidth=500GB/s"));
    CHECK(follows("Radeon RX 7900 XTX", "l2_bandwidth=2x"));
}

TEST_CASE("what if: calibrated's rates change as what was set over what was there") {
    // Per multiprocessor and clock, of GPUs whose rates come by compute capability and of one whose file has them.
    for (const char* const name : {"Tesla K20c", "GeForce GTX 980", "GeForce RTX 3080", "H100 SXM5 80GB",
                                   "Radeon RX 7900 XTX", "Instinct MI300X"}) {
        INFO(name);
        const Gpu gpu = stored(name);
        const Chip before = chip(gpu);
        const auto set = [&](const std::string& change) { return chip(with(gpu, {"gpu." + change})); };
        CHECK(set("shared_inst_per_s=2x").rates.shared == Approx(2 * before.rates.shared));
        CHECK(set("l2_bandwidth=4x").rates.l2_byte == Approx(4 * before.rates.l2_byte));
        CHECK(set("fp64=2x").rates.fp64 == Approx(2 * before.rates.fp64));
        CHECK(set("fp64_peak=0.25x").rates.fp64 == Approx(0.25 * before.rates.fp64));
        CHECK(set("int_add=2x").rates.int_add == Approx(2 * before.rates.int_add));
        CHECK(set("special=2x").rates.special == Approx(2 * before.rates.special));
        CHECK(set("dram_latency=2x").rates.dram_latency == Approx(2 * before.rates.dram_latency));
        CHECK(set("dram_bandwidth=2x").dram_bandwidth == Approx(2 * before.dram_bandwidth));
        CHECK(set("lanes_per_sm=2x").rates.fp32 == Approx(2 * before.rates.fp32));
        // Nothing else goes with it; a datasheet's fp32 peak has nothing to do with fp64.
        CHECK(set("fp32_peak=2x").rates.fp64 == before.rates.fp64);
        CHECK(set("fp32_peak=2x").rates.fp32 == Approx(2 * before.rates.fp32));
        CHECK(set("l2_bandwidth=4x").rates.fp32 == before.rates.fp32);
        CHECK(set("int_logic=2x").rates == before.rates);
        CHECK(set("fp32=2x").clock == before.clock);
        CHECK(set("fp32=2x").uncertain == before.uncertain);

        // More multiprocessors bring their share of all that they have. What is set is of the whole GPU.
        const Chip more = set("sm_count=2x");
        CHECK(more.sm_count == 2 * before.sm_count);
        CHECK(more.rates == before.rates);
        const Chip whole = chip(with(gpu, {"gpu.sm_count=2x", "gpu.fp64=2x"}));
        CHECK(whole.sm_count * whole.rates.fp64 == Approx(2 * before.sm_count * before.rates.fp64));
        // A rate goes before its peak and before lanes.
        const Chip both = chip(with(gpu, {"gpu.fp32=2x", "gpu.fp32_peak=2x", "gpu.lanes_per_sm=2x"}));
        CHECK(both.rates.fp32 == Approx(2 * before.rates.fp32));
    }
}

TEST_CASE("what if: more of one resource never takes longer by calibrated") {
    const Gpu reference = stored("GeForce GTX 480");
    const auto all = kernels();
    const Model& model = find_model("calibrated");
    for (const char* const name : {"Tesla K20c", "GeForce GTX 980", "GeForce RTX 3080", "H100 SXM5 80GB",
                                   "Radeon RX 7900 XTX", "Instinct MI300X"}) {
        const Gpu gpu = stored(name);
        for (const auto key : keys()) {
            // Of the sizes of a GPU more can be worse: of a larger L2 the interval says so.
            const bool a_rate =
                key.ends_with("_per_s") || key == "sm_count" || key == "schedulers_per_sm" || key == "lanes_per_sm";
            if (!a_rate || !parameter(gpu, key)) continue;
            const Gpu better = with(gpu, {"gpu." + std::string(key) + "=2x"});
            for (const KernelRecord& kernel : all) {
                const auto before = said(model.predict({kernel, gpu, &reference, {}}));
                const auto after = said(model.predict({kernel, better, &reference, {}}));
                if (before.empty()) continue;
                INFO(name << ", " << kernel.kernel << ", twice " << key);
                REQUIRE_FALSE(after.empty());
                CHECK(after.front() <= before.front() * (1 + 1e-9));
            }
        }
    }
}

TEST_CASE("what if: a clock that is set by --set is the clock of the options") {
    for (const char* const name : {"GeForce GTX 660", "GeForce GTX 980", "GeForce RTX 3080", "Radeon RX 7900 XTX"}) {
        INFO(name);
        const Gpu gpu = stored(name);
        const double core = std::round(gpu.core_clock->value.value / 1e6 * 0.7);
        const double memory = std::round(gpu.memory_clock->value.value / 1e6 * 0.7);
        const auto by_option = with(gpu, {fmt::format("--core-clock {}", core), fmt::format("--mem-clock {}", memory)});
        const auto by_set =
            with(gpu, {fmt::format("gpu.memory_clock={}MHz", memory), fmt::format("gpu.core_clock={}MHz", core)});
        const auto mixed =
            with(gpu, {fmt::format("--core-clock {}", core), fmt::format("gpu.memory_clock={}M", memory)});
        for (const auto key : keys()) {
            const auto value = parameter(by_option, key);
            if (!value) continue;
            CHECK(parameter(by_set, key)->value == value->value);
            CHECK(parameter(mixed, key)->value == value->value);
        }
        CHECK(chip(by_set).clock == Approx(core * 1e6));
        CHECK(chip(by_set).dram_bandwidth == Approx(0.7 * chip(gpu).dram_bandwidth).epsilon(1e-3));
        // A factor is of the file's clock, whichever convention the number would be nearer to.
        CHECK(chip(with(gpu, {"gpu.memory_clock=2x"})).dram_bandwidth == Approx(2 * chip(gpu).dram_bandwidth));
        CHECK(chip(with(gpu, {"gpu.memory_clock=0.5x"})).dram_bandwidth == Approx(0.5 * chip(gpu).dram_bandwidth));
        CHECK(chip(with(gpu, {"gpu.core_clock=1.1x"})).clock == Approx(1.1 * gpu.core_clock->value.value));
        // Clocks go first: a rate that is set stays what was set.
        const auto rate = with(gpu, {"gpu.fp32=5T", "gpu.core_clock=1.1x"});
        CHECK(rate.fp32->value.value == 5e12);
        CHECK(rate.before_changes->fp32->value.value == Approx(1.1 * gpu.fp32->value.value));
    }
}

TEST_CASE("what if: clocks that are set twice, in a wrong unit or between which a GPU chooses are refused") {
    const Gpu gpu = stored("GeForce RTX 3080");
    CHECK_THROWS_AS(with(gpu, {"--core-clock 1400", "gpu.core_clock=1.1x"}), UsageError);
    CHECK_THROWS_WITH(with(gpu, {"gpu.memory_clock=1.1x", "gpu.memory_clock=2x"}),
                      Contains("memory clock is set twice"));
    CHECK_THROWS_WITH(with(gpu, {"gpu.core_clock=1400"}), Contains("1400 is outside") && Contains("unit"));
    CHECK_THROWS_WITH(with(gpu, {"gpu.boost_clock=2GHz"}), Contains("--core-clock"));
    CHECK_THROWS_WITH(with(gpu, {"gpu.core_clock=9x"}), Contains("implausible"));
}
