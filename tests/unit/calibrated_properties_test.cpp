// What must hold of `calibrated` whatever the kernel and the GPU: every example profile, and made-up kernels of every
// kind, on every stored GPU.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "model/calibrated.hpp"
#include "model/calibrated_chip.hpp"
#include "model/profile_io.hpp"
#include "targets/catalog.hpp"
#include "tests/support/directories.hpp"

namespace {

using namespace gpuproj;

const std::vector<Gpu>& all_gpus() {
    static const std::vector<Gpu> gpus = Catalog({}).select("all");
    return gpus;
}

struct Case {
    KernelRecord kernel;
    Gpu reference;
};

constexpr double threads = 4096. * 256;

/// A kernel whose instructions, per thread, are `set`.
Case made_up(const std::string& name, const char* reference, auto set) {
    Case c{{}, Catalog({}).get(reference)};
    c.kernel.kernel = name;
    c.kernel.grid = Dim3{4096, 1, 1};
    c.kernel.block = Dim3{256, 1, 1};
    c.kernel.registers_per_thread = 32;
    c.kernel.static_shared = Bytes{0};
    auto& m = c.kernel.metrics;
    m.thread_inst_fp32 = m.thread_inst_fp64 = m.thread_inst_fp32_fma = m.thread_inst_fp64_fma = Instructions{0};
    m.thread_inst_integer = Instructions{20 * threads};
    m.thread_inst_load_store = Instructions{3 * threads};
    m.thread_inst = Instructions{40 * threads};
    m.shared_wavefront = Instructions{0};
    m.dram_read = m.l2_read = Sectors{2 * threads / 8};
    m.dram_write = m.l2_write = Sectors{threads / 8};
    set(c.kernel);
    m.warp_inst = Instructions{m.thread_inst->value / threads_per_warp};
    return c;
}

/// Adds thread-level instructions of a kind.
void add(KernelMetrics& m, Maybe<Instructions>& kind, double each) {
    kind = Instructions{each * threads};
    m.thread_inst = *m.thread_inst + *kind;
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const char* const name : {"lmsor", "redblack_sor", "rodinia", "sgemm_32x32"}) {
        const Profile profile = read_profile(test::source_directory() + "/examples/profiles/" + name + ".json");
        for (const auto& kernel : profile.kernels) all.push_back({kernel, Catalog({}).get(profile.gpu)});
    }
    for (const char* const reference : {"GTX 480", "Tesla K40", "GTX 980", "V100-SXM2-16GB", "RTX 3090", "H100-SXM5"}) {
        all.push_back(made_up("streaming", reference, [](KernelRecord&) {}));
        all.push_back(made_up("fp32", reference, [](KernelRecord& k) {
            add(k.metrics, k.metrics.thread_inst_fp32, 4000);
            k.metrics.thread_inst_fp32_fma = k.metrics.thread_inst_fp32;
        }));
        all.push_back(made_up("fp64", reference, [](KernelRecord& k) {
            add(k.metrics, k.metrics.thread_inst_fp64, 4000);
            k.metrics.thread_inst_fp64_fma = k.metrics.thread_inst_fp64;
        }));
        all.push_back(
            made_up("fp16", reference, [](KernelRecord& k) { add(k.metrics, k.metrics.thread_inst_fp16, 4000); }));
        all.push_back(made_up("special", reference,
                              [](KernelRecord& k) { add(k.metrics, k.metrics.thread_inst_special, 2000); }));
        all.push_back(made_up("integer", reference,
                              [](KernelRecord& k) { add(k.metrics, k.metrics.thread_inst_integer, 4000); }));
        all.push_back(
            made_up("tensor", reference, [](KernelRecord& k) { k.metrics.tensor_fp16 = Operations{1e6 * threads}; }));
        all.push_back(made_up("shared", reference, [](KernelRecord& k) {
            add(k.metrics, k.metrics.thread_inst_load_store, 1000);
            k.metrics.shared_wavefront = Instructions{4 * 1000 * threads / 32};  // four-way conflicts
        }));
        all.push_back(made_up("tiny", reference, [](KernelRecord& k) {
            k.grid = Dim3{1, 1, 1};
            k.block = Dim3{32, 1, 1};
            k.metrics = {};
            k.metrics.thread_inst = Instructions{40 * 32};
            k.metrics.thread_inst_fp32 = Instructions{32};
            k.metrics.dram_read = Sectors{8};
        }));
        all.push_back(made_up("no traffic", reference, [](KernelRecord& k) {
            add(k.metrics, k.metrics.thread_inst_fp32, 100);
            k.metrics.dram_read = k.metrics.dram_write = k.metrics.l2_read = k.metrics.l2_write = Sectors{0};
        }));
        all.push_back(made_up("few counters", reference, [](KernelRecord& k) {
            k.grid = k.block = std::nullopt;
            const auto read = k.metrics.dram_read;
            k.metrics = {};
            k.metrics.thread_inst = Instructions{100 * threads};
            k.metrics.dram_read = read;
        }));
    }
    return all;
}

const Prediction* predicted(const Outcome& outcome) {
    return std::get_if<Prediction>(&outcome);
}

Outcome predict(const Case& c, const Gpu& target, bool reference_time = false) {
    ModelOptions options;
    options.use_reference_time = reference_time;
    return predict_calibrated({c.kernel, target, &c.reference, options});
}

std::string name(const Case& c, const Gpu& target) {
    return c.kernel.kernel + " from " + c.reference.name + " on " + target.name;
}

}  // namespace

TEST_CASE("calibrated answers for every stored GPU of NVIDIA, AMD and Intel, with bounds in order, or says why not") {
    for (const Case& c : cases()) {
        for (const Gpu& target : all_gpus()) {
            const auto outcome = predict(c, target);
            const auto* const p = predicted(outcome);
            if (p == nullptr) {
                const auto& reason = std::get<Inapplicable>(outcome).reason;
                const bool lacks_units = reason.find("tensor") != std::string::npos ||
                                         reason.find("fp64") != std::string::npos ||
                                         reason.find("does not fit") != std::string::npos || target.vendor == "CPU";
                if (!lacks_units) FAIL(name(c, target) << ": " << reason);
                continue;
            }
            const bool sound = std::isfinite(p->duration.value) && p->duration.value > 0 &&
                               *p->low<p->duration&& * p->high> p->duration && !p->bounds.empty() &&
                               p->bounds[0].duration.value <= p->duration.value * (1 + 1e-9);
            if (!sound) FAIL(name(c, target) << ": " << p->duration.value);
        }
    }
}

TEST_CASE("calibrated is never faster than the datasheet allows") {
    for (const Case& c : cases()) {
        const auto& m = c.kernel.metrics;
        const double bytes = 32 * (m.dram_read.value_or({}).value + m.dram_write.value_or({}).value);
        const auto operations = [](const auto& instructions, const auto& multiply_adds) {
            return instructions.value_or({}).value + multiply_adds.value_or({}).value;
        };
        const double fp32 = operations(m.thread_inst_fp32, m.thread_inst_fp32_fma);
        const double fp64 = operations(m.thread_inst_fp64, m.thread_inst_fp64_fma);
        for (const Gpu& target : all_gpus()) {
            const auto outcome = predict(c, target);
            const auto* const p = predicted(outcome);
            if (p == nullptr) continue;
            // Clocks may boost above the datasheet's, by a tenth; ECC traffic of the reference is not the target's.
            const double ecc = c.reference.ecc && c.reference.ecc->value ? 2 : 1;
            double least = bytes / ecc / target.dram_bandwidth_peak->value.value;
            if (target.fp32_peak) least = std::max(least, fp32 / target.fp32_peak->value.value / 1.15);
            if (target.fp64_peak) least = std::max(least, fp64 / target.fp64_peak->value.value / 1.15);
            if (p->duration.value < least) FAIL(name(c, target) << ": " << p->duration.value << " s, least " << least);
        }
    }
}

TEST_CASE("calibrated: with the reference time, the reference itself takes that time") {
    for (Case c : cases()) {
        const auto plain = predict(c, c.reference);
        if (predicted(plain) == nullptr) continue;
        for (const double factor : {0.5, 1., 3.}) {
            const double measured = factor * predicted(plain)->duration.value;
            c.kernel.duration = Duration{c.kernel.launches, Seconds{measured}, {}, {}};
            const auto outcome = predict(c, c.reference, true);
            const auto* const p = predicted(outcome);
            REQUIRE(p != nullptr);
            CHECK(p->duration.value == Approx(measured).epsilon(1e-9));
            CHECK(ratio(*p->high, *p->low) < 1.1);
        }
    }
}

TEST_CASE("calibrated: more bandwidth, multiprocessors or clock never make a kernel slower") {
    const auto scaled = [](auto& known, double factor) {
        if (!known) return;
        if constexpr (std::is_same_v<std::decay_t<decltype(known->value)>, int>) {
            known->value = static_cast<int>(std::ceil(known->value * factor));
        } else {
            known->value = factor * known->value;
        }
    };
    const auto scale_rates = [&](Gpu& g, double factor) {  // of the whole chip
        for (auto* const rate : {&g.fp32, &g.fp64, &g.int_mad, &g.int_add, &g.fp16, &g.special, &g.tensor_fp16}) {
            scaled(*rate, factor);
        }
        scaled(g.shared_rate, factor);
        scaled(g.l1_bandwidth, factor);
        scaled(g.l2_bandwidth, factor);
    };
    struct Change {
        const char* name;
        double most;  // times as fast
        std::function<void(Gpu&)> make;
    };
    const std::vector<Change> changes{
        {"bandwidth", 1.5,
         [&](Gpu& g) {
             scaled(g.dram_bandwidth, 1.5);
             scaled(g.dram_bandwidth_peak, 1.5);
         }},
        // Blocks run in whole waves: a third more multiprocessors can make one of two.
        {"multiprocessors", 2,
         [&](Gpu& g) {
             const double before = g.sm_count->value;
             scaled(g.sm_count, 1.3);
             scale_rates(g, g.sm_count->value / before);
         }},
        {"clock", 1.5,
         [&](Gpu& g) {
             scaled(g.core_clock, 1.2);
             scaled(g.boost_clock, 1.2);
             scaled(g.base_clock, 1.2);
             scale_rates(g, 1.2);
         }},
    };
    for (const Case& c : cases()) {
        for (std::size_t i = 0; i < all_gpus().size(); i += 5) {
            const Gpu& target = all_gpus()[i];
            const auto before = predict(c, target);
            if (predicted(before) == nullptr) continue;
            for (const Change& change : changes) {
                Gpu better = target;
                change.make(better);
                const auto after = predict(c, better);
                const double gain = ratio(predicted(before)->duration, predicted(after)->duration);
                if (gain < 1 - 1e-9 || gain > change.most + 1e-9) {
                    FAIL(name(c, target) << ", more " << change.name << ": " << gain << " times as fast");
                }
            }
        }
    }
}

TEST_CASE("calibrated: more work never takes less time") {
    for (const Case& c : cases()) {
        const auto before = predict(c, c.reference);
        if (predicted(before) == nullptr) continue;
        const auto grown = [&](auto change) {
            Case more = c;
            change(more.kernel.metrics);
            const auto after = predict(more, c.reference);
            REQUIRE(predicted(after) != nullptr);
            return ratio(predicted(after)->duration, predicted(before)->duration);
        };
        INFO(name(c, c.reference));
        CHECK(grown([](KernelMetrics& m) {
                  if (m.thread_inst_fp32) m.thread_inst_fp32 = 1.5 * *m.thread_inst_fp32;
              }) >= 1 - 1e-9);
        CHECK(grown([](KernelMetrics& m) {
                  if (m.dram_read) m.dram_read = 1.5 * *m.dram_read;
                  if (m.l2_read) m.l2_read = 1.5 * *m.l2_read;
              }) >= 0.98);  // how scattered accesses are is inferred from their number
    }
}
