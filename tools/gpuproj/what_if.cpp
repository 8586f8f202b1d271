#include "tools/gpuproj/what_if.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/clocks.hpp"
#include "model/error.hpp"
#include "model/near_names.hpp"
#include "model/quantitative_roofline.hpp"
#include "reports/format.hpp"
#include "targets/check.hpp"
#include "targets/parameters.hpp"

namespace gpuproj {

namespace {

constexpr double mega = 1e6;
constexpr std::string_view traffic = "W_traf", work = "W_comp";
constexpr std::string_view core_key = "core_clock_hz", memory_key = "memory_clock_hz";

/// Units by the end of a key, longest first, and how people write them.
struct UnitOfKey {
    std::string_view ending;
    std::array<std::string_view, 3> written;
};
constexpr std::array units{
    UnitOfKey{"_byte_per_s", {"B/s", "byte/s", ""}},
    UnitOfKey{"_inst_per_s", {"inst/s", "", ""}},
    UnitOfKey{"_op_per_s", {"op/s", "FLOP/s", "OP/s"}},
    UnitOfKey{"_cycle", {"cycles", "cycle", ""}},
    UnitOfKey{"_sector", {"sectors", "sector", ""}},
    UnitOfKey{"_byte", {"B", "byte", "bytes"}},
    UnitOfKey{"_hz", {"Hz", "", ""}},
    UnitOfKey{"_op", {"op", "FLOP", ""}},
    UnitOfKey{"_w", {"W", "", ""}},
    UnitOfKey{"_s", {"s", "", ""}},
};

const UnitOfKey* unit_of(std::string_view key) {
    if (key == traffic) key = "_byte";
    if (key == work) key = "_op";
    for (const auto& unit : units) {
        if (key.ends_with(unit.ending)) return &unit;
    }
    return nullptr;
}

std::string_view without_unit(std::string_view key) {
    const auto* const unit = unit_of(key);
    return unit && key.ends_with(unit->ending) ? key.substr(0, key.size() - unit->ending.size()) : key;
}

bool is_clock(const Change& change) {
    return change.of == Change::Of::gpu && (change.key == core_key || change.key == memory_key);
}

std::vector<std::string> known_keys(Change::Of of) {
    std::vector<std::string> keys;
    if (of == Change::Of::gpu) {
        const Gpu gpu;
        for_each_parameter(gpu, [&](std::string_view key, const auto& known) {
            using Value = std::decay_t<decltype(known->value)>;
            if constexpr (requires { number_of(Value{}); }) {
                if (number_of(Value{})) keys.emplace_back(key);
            }
        });
    } else {
        std::apply([&](const auto&... field) { (keys.emplace_back(field.key), ...); }, KernelMetrics::fields);
        keys.emplace_back(traffic);
        keys.emplace_back(work);
    }
    return keys;
}

std::string full_key(Change::Of of, std::string_view key, const std::string& text) {
    const auto keys = known_keys(of);
    const std::string wanted = folded(key);
    for (const auto& known : keys) {
        if (folded(known) == wanted || folded(without_unit(known)) == wanted) return known;
    }
    std::vector<std::string> names;
    names.reserve(keys.size());
    for (const auto& known : keys) names.emplace_back(without_unit(known));
    throw UsageError(fmt::format("--set {}: {} is no {}{}", text, key,
                                 of == Change::Of::gpu ? "parameter of a GPU file (gpuproj targets show GPU lists them)"
                                                       : "counter of a profile",
                                 did_you_mean(key, names)));
}

/// The factor of a prefix, which is taken off `text`.
double take_prefix(std::string_view& text) {
    constexpr std::array<std::pair<char, double>, 5> prefixes{
        {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}}};
    for (const auto& [letter, factor] : prefixes) {
        if (!text.empty() && text.front() == letter) {
            text.remove_prefix(1);
            return factor;
        }
    }
    return 1;
}

double positive_number(std::string_view& text, const std::string& whole) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value) || value < 0) {
        throw UsageError(fmt::format("{}: '{}' does not begin with a number of at least 0", whole, text));
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (text.starts_with(' ')) text.remove_prefix(1);
    return value;
}

/// Calls visit(std::optional<Q>&) for the counter of that key.
template <class Visit>
void visit_counter(KernelMetrics& metrics, std::string_view key, Visit visit) {
    std::apply([&](const auto&... field) { ((field.key == key ? visit(metrics.*field.member) : void()), ...); },
               KernelMetrics::fields);
}

template <class Q>
double& number_in(Q& counter) {
    if constexpr (requires { counter.value; }) {
        return counter.value;
    } else {
        return counter;
    }
}

void scale_counters(KernelRecord& kernel, std::initializer_list<std::string_view> keys, double factor) {
    for (const auto key : keys) {
        visit_counter(kernel.metrics, key, [&](auto& counter) {
            if (counter) number_in(*counter) *= factor;
        });
        if (kernel.other_gpus) scale_counter(*kernel.other_gpus, key, factor);
    }
}

void change_work(const Change& change, KernelRecord& kernel, const ModelOptions& options) {
    const auto outcome = kernel_work(kernel.metrics, options);
    if (const auto* no = std::get_if<Inapplicable>(&outcome)) {
        throw Error(fmt::format("--set kernel.{}: {}: {}", change.key, kernel.kernel, no->reason));
    }
    const auto& known = std::get<KernelWork>(outcome);
    const double before = change.key == traffic ? known.w_traf.value : known.w_comp.value;
    if (!(before > 0)) {
        throw Error(fmt::format("--set kernel.{}: {} has none; set its counters instead", change.key, kernel.kernel));
    }
    const double factor = change.factor ? change.value : change.value / before;
    if (change.key == traffic) {
        scale_counters(kernel, {"dram_read_sector", "dram_write_sector"}, factor);
    } else if (known.k_type == KType::integer) {
        scale_counters(kernel, {"thread_inst_integer"}, factor);
    } else if (known.k_type == KType::fp64) {
        scale_counters(kernel, {"thread_inst_fp64", "thread_inst_fp64_fma", "fp64_op"}, factor);
    } else {
        scale_counters(kernel, {"thread_inst_fp32", "thread_inst_fp32_fma", "fp32_op"}, factor);
    }
}

/// Counters that are no sums are fractions, but for how many loads there are at a time.
template <class Q>
bool is_fraction(std::string_view key) {
    return std::is_same_v<Q, double> && key != "load_parallelism";
}

/// Throws UsageError for what no GPU has, most often a value in a wrong unit. `set` has only what was set: a what-if
/// may ask for more than the rest of the GPU `name` allows, such as a bandwidth above the peak of its memory.
void check_set(const Gpu& set, const std::string& name) {
    for (const auto& finding : check_values(set)) {
        throw UsageError(fmt::format("--set gpu.{}: {} with it: {}", finding.parameter, name, finding.what));
    }
}

/// A clock that is set; a factor is of the one that the GPU's file states. Throws UsageError for one that no GPU has.
void set_clock(Clocks& clocks, const Change& change, const Gpu& gpu) {
    if (!change.factor) {
        Gpu set;
        set_parameter(set, change.key, {change.value, Quality::unverified, "--set", {}});
        check_set(set, gpu.name);
    }
    if (change.key == memory_key) {
        clocks.memory = change.factor ? memory_clock_times(gpu, change.value) : Hertz{change.value};
    } else {
        const Hertz stated = gpu.core_clock ? gpu.core_clock->value : Hertz{};  // at_clocks says if there is none
        clocks.core = change.factor ? change.value * stated : Hertz{change.value};
    }
}

double megahertz(const std::string& option, const std::string& text) {
    std::string_view rest = text;
    const double value = positive_number(rest, option + " " + text);
    if (value <= 0 || !(rest.empty() || folded(rest) == "mhz")) {
        throw UsageError(fmt::format("{} {}: a clock in MHz is wanted, such as 1400", option, text));
    }
    return value * mega;
}

/// Warns of those of `gpus`, which are changed, that `model` predicts no otherwise for: their files lack what was set.
void warn_of_deaf(const Change& change, const Model& model, std::span<const Gpu> gpus) {
    if (model.follows == nullptr) return;
    std::vector<std::string> deaf;
    for (const Gpu& gpu : gpus) {
        if (!gpu.before_changes || parameter(*gpu.before_changes, change.key)) continue;
        Gpu one = *gpu.before_changes;
        apply(change, one);
        if (!model.follows(one)) deaf.push_back(gpu.before_changes->name);
    }
    if (deaf.empty()) return;
    constexpr std::size_t most = 3;
    spdlog::warn(
        "--set gpu.{}: changes nothing of {} by {}, which takes what is set over what the GPU's file has, and there is "
        "none",
        without_unit(change.key), first_of(deaf, most), model.name);
}

}  // namespace

Change parse_change(const std::string& text) {
    const auto equals = text.find('=');
    Change change;
    std::string_view key = std::string_view(text).substr(0, equals);
    if (key.starts_with("gpu.")) {
        key.remove_prefix(4);
    } else if (key.starts_with("kernel.")) {
        key.remove_prefix(7);
        change.of = Change::Of::kernel;
    } else {
        throw UsageError(
            fmt::format("--set {}: begins with neither gpu. nor kernel.; such as "
                        "gpu.dram_bandwidth=900GB/s or kernel.W_traf=0.5x",
                        text));
    }
    if (equals == std::string::npos) throw UsageError(fmt::format("--set {}: no '=' and value", text));
    change.key = full_key(change.of, key, text);
    if (change.key == "base_clock_hz" || change.key == "boost_clock_hz") {
        throw UsageError(fmt::format(
            "--set {}: between base and boost clock a GPU chooses itself; set the clock that it is to run at: "
            "--core-clock MHZ or --set gpu.core_clock",
            text));
    }

    std::string_view rest = std::string_view(text).substr(equals + 1);
    const std::string where = "--set " + text;
    change.value = positive_number(rest, where);
    if (rest == "x") {
        change.factor = true;
    } else {
        change.value *= take_prefix(rest);
        const auto* const unit = unit_of(change.key);
        const auto matches = [&] {
            if (rest.empty()) return true;
            if (!unit) return false;
            return std::ranges::any_of(unit->written,
                                       [&](const auto written) { return !written.empty() && rest == written; });
        };
        if (!matches()) {
            throw UsageError(
                unit ? fmt::format("{}: the unit of {} is {}, not '{}'", where, change.key, unit->written[0], rest)
                     : fmt::format("{}: {} has no unit, '{}' is one too many", where, change.key, rest));
        }
    }
    if (change.of == Change::Of::gpu && change.value <= 0) {
        throw UsageError(fmt::format("{}: must be above 0", where));
    }
    return change;
}

void apply(const Change& change, Gpu& gpu) {
    if (is_clock(change)) {
        Clocks clocks;
        set_clock(clocks, change, gpu);
        gpu = at_clocks(std::move(gpu), clocks);
        return;
    }
    double value = change.value;
    if (change.factor) {
        const auto known = parameter(gpu, change.key);
        if (!known) {
            throw Error(
                fmt::format("--set gpu.{}: {} has none that could be multiplied; give a value", change.key, gpu.name));
        }
        value *= known->value;
    }
    if (!gpu.before_changes) gpu.before_changes = std::make_shared<const Gpu>(gpu);
    set_parameter(gpu, change.key, {value, Quality::unverified, "--set", {}});
}

void apply(const Change& change, KernelRecord& kernel, const ModelOptions& options) {
    if (change.key == traffic || change.key == work) {
        change_work(change, kernel, options);
        return;
    }
    visit_counter(kernel.metrics, change.key, [&](auto& counter) {
        if (change.factor && !counter) {
            throw Error(
                fmt::format("--set kernel.{}: it was not counted for {}; give a value", change.key, kernel.kernel));
        }
        const double before = counter ? number_in(*counter) : 0;
        if (!counter) counter.emplace();
        const double after = change.factor ? change.value * before : change.value;
        if (is_fraction<std::decay_t<decltype(*counter)>>(change.key) && after > std::max(before, 1.0)) {
            throw UsageError(fmt::format("--set kernel.{}: {} of {} is above 1; it is a fraction, 0.8 means 80 %",
                                         change.key, after, kernel.kernel));
        }
        number_in(*counter) = after;
        if (!kernel.other_gpus) return;
        if (before > 0)
            scale_counter(*kernel.other_gpus, change.key, number_in(*counter) / before);
        else
            kernel.other_gpus.reset();  // how much of what was set there would be elsewhere, nothing says
    });
}

void WhatIf::declare(CommandLine& line) {
    line.option("--core-clock", "MHZ", core_mhz_, "core clock of the GPUs predicted for, in MHz");
    line.option("--mem-clock", "MHZ", memory_mhz_,
                "their memory clock, in MHz as the datasheet or the driver (nvidia-smi) states it");
    line.list("--set", "WHAT=VALUE", texts_, "what if: gpu.dram_bandwidth=900GB/s, kernel.W_traf=0.5x");
}

void WhatIf::resolve() {
    if (core_mhz_) core_ = megahertz("--core-clock", *core_mhz_);
    if (memory_mhz_) memory_ = megahertz("--mem-clock", *memory_mhz_);
    for (const auto& text : texts_) changes_.push_back(parse_change(text));
    const auto set = [&](std::string_view key, bool by_option) {
        return (by_option ? 1 : 0) + std::ranges::count(changes_, key, &Change::key);
    };
    if (set(core_key, core_.has_value()) > 1) throw UsageError("the core clock is set twice; once is enough");
    if (set(memory_key, memory_.has_value()) > 1) throw UsageError("the memory clock is set twice; once is enough");
}

bool WhatIf::changes_gpus() const {
    for (const auto& change : changes_) {
        if (change.of == Change::Of::gpu) return true;
    }
    return core_ || memory_;
}

Gpu WhatIf::changed(Gpu gpu) const {
    if (!changes_gpus()) return gpu;
    Clocks clocks;
    std::vector<std::string> said;
    if (core_) {
        clocks.core = Hertz{*core_};
        said.push_back(fmt::format("core {:g} MHz", *core_ / mega));
    }
    if (memory_) {
        clocks.memory = Hertz{*memory_};
        said.push_back(fmt::format("memory {:g} MHz", *memory_ / mega));
    }
    for (const auto& change : changes_) {
        if (!is_clock(change)) continue;
        set_clock(clocks, change, gpu);
        const std::string_view which = change.key == core_key ? "core" : "memory";
        said.push_back(change.factor ? fmt::format("{} clock {:g}x", which, change.value)
                                     : fmt::format("{} {:g} MHz", which, change.value / mega));
    }
    Gpu result = at_clocks(std::move(gpu), clocks);
    Gpu set;
    for (const auto& change : changes_) {
        if (change.of != Change::Of::gpu || is_clock(change)) continue;
        apply(change, result);
        if (auto value = parameter(result, change.key)) set_parameter(set, change.key, *std::move(value));
        said.push_back(fmt::format("{} {:g}{}", without_unit(change.key), change.value, change.factor ? "x" : ""));
    }
    check_set(set, result.name);
    std::string name;
    for (const auto& what : said) name += fmt::format("{}{}", name.empty() ? "" : ", ", what);
    result.name += fmt::format(" ({})", name);
    return result;
}

std::vector<Gpu> WhatIf::changed(std::vector<Gpu> gpus, bool all) const {
    std::vector<Gpu> done;
    std::vector<std::string> others;
    std::string first;
    for (Gpu& gpu : gpus) {
        const std::string name = gpu.name;
        try {
            done.push_back(changed(std::move(gpu)));
        } catch (const UsageError&) {
            throw;
        } catch (const Error& error) {
            if (first.empty())
                first = error.what();
            else
                others.push_back(name);
        }
    }
    if (first.empty()) return done;
    constexpr std::size_t most = 10;
    const auto reason = others.empty() ? first : fmt::format("{}; nor can {}", first, first_of(others, most));
    if (!all || done.empty()) throw Error(reason);
    spdlog::warn("left out: {}", reason);
    return done;
}

bool names_all(const Words& names) {
    return names.empty() || std::ranges::any_of(names, [](const auto& name) { return folded(name) == "all"; });
}

void WhatIf::warn_of_unread(std::span<const Model* const> models, std::span<const Gpu> gpus,
                            std::span<const std::string_view> others) const {
    const auto reads = [](const Model& model, const Change& change) {
        const auto keys = change.of == Change::Of::gpu ? model.reads : model.reads_counters;
        const std::string_view key = change.key == work      ? "thread_inst_fp32"
                                     : change.key == traffic ? "dram_read_sector"
                                                             : std::string_view(change.key);
        return std::ranges::find(keys, key) != keys.end();
    };
    for (const auto& change : changes_) {
        const bool of_gpu = change.of == Change::Of::gpu;
        if (of_gpu && std::ranges::find(others, change.key) != others.end()) continue;
        std::vector<std::string_view> blind, seeing;
        for (const Model* const model : models) {
            if (!reads(*model, change)) blind.push_back(model->name);
        }
        if (blind.empty()) continue;
        for (const Model& model : gpuproj::models()) {
            if (reads(model, change)) seeing.push_back(model.name);
        }
        spdlog::warn("--set {}.{}: not looked at by {}, {}", of_gpu ? "gpu" : "kernel", without_unit(change.key),
                     fmt::join(blind, ", "),
                     seeing.empty() ? "nor by any other model" : fmt::format("but by {}", fmt::join(seeing, ", ")));
    }
    for (const auto& change : changes_) {
        if (change.of != Change::Of::gpu || is_clock(change)) continue;
        for (const Model* const model : models) {
            if (reads(*model, change)) warn_of_deaf(change, *model, gpus);
        }
    }
}

Profile WhatIf::changed(Profile profile, const ModelOptions& options) const {
    for (const auto& change : changes_) {
        if (change.of != Change::Of::kernel) continue;
        for (auto& kernel : profile.kernels) apply(change, kernel, options);
        profile.notes.push_back(
            fmt::format("what if: {} {:g}{} in every kernel", change.key, change.value, change.factor ? "x" : ""));
    }
    return profile;
}

}  // namespace gpuproj
