// gpuproj_compare_models PAGE NAME=TABLE.csv...: every model on every observation table, as docs/model_comparison.md.
// tools/dev/model_comparison.sh converts the data sets and runs it.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/clocks.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/validation.hpp"
#include "targets/catalog.hpp"

namespace {

using namespace gpuproj;

constexpr Seconds shortest{100e-6};

class Gpus {
public:
    const Gpu* operator()(const std::string& name) {
        const auto [found, is_new] = gpus_.try_emplace(name);
        if (is_new) {
            try {
                found->second = std::make_unique<Gpu>(Catalog::load(catalog_.find(name)));
            } catch (const UsageError&) {
                return nullptr;
            }
        }
        return found->second.get();
    }

private:
    Catalog catalog_ = Catalog::open();
    std::map<std::string, std::unique_ptr<Gpu>> gpus_;
};

std::string percent(double fraction) {
    return fmt::format("{:.1f} %", 100 * fraction);
}

std::string maybe_percent(const std::optional<double>& fraction) {
    return fraction ? percent(*fraction) : "";
}

/// Coverage, mean width and score of the 80 % intervals, as cells; empty for models without.
std::string interval_cells(const ValidationFigures& f) {
    if (!f.interval_coverage) return "| | |";
    return fmt::format("| {} | {:.2f} | {:.2f}", percent(*f.interval_coverage), *f.interval_width, *f.interval_score);
}

constexpr std::string_view of_pairs = "pairs: ";  // what validate() puts before the reasons of a model

/// The reason that the model refused most pairs for.
std::string main_reason(const std::vector<Skipped>& skipped) {
    const Skipped* most = nullptr;
    for (const auto& s : skipped) {
        if (s.reason.starts_with(of_pairs) && (!most || s.rows > most->rows)) most = &s;
    }
    return most ? most->reason.substr(of_pairs.size()) : "";
}

std::size_t refused_pairs(const std::vector<Skipped>& skipped) {
    std::size_t sum = 0;
    for (const auto& s : skipped) sum += s.reason.starts_with(of_pairs) ? s.rows : 0;
    return sum;
}

/// Refusals of one model, for the list under a table.
using Refusals = std::map<std::string, std::pair<std::size_t, std::string>>;

std::string pair_rows(const std::vector<std::pair<std::string, ObservationTable>>& tables, Gpus& gpus,
                      Refusals& refusals) {
    std::string rows;
    for (const auto& [name, table] : tables) {
        for (const bool use_time : {false, true}) {
            for (const Model& model : models()) {
                ModelOptions options;
                options.use_reference_time = use_time;
                const auto v = validate(table, std::ref(gpus), model, options);
                const auto f = figures(v.observations, v.pairs);
                const std::size_t refused = refused_pairs(v.skipped);
                if (f.pairs + refused == 0) continue;  // one GPU only
                if (refused > 0) {
                    refusals[fmt::format("{}, {}", model.name, name)] = {refused, main_reason(v.skipped)};
                }
                if (f.pairs == 0) {
                    rows += fmt::format("| {} | {} | {} | 0 | {} | | | | | | | | | | |\n", name, model.name,
                                        use_time ? "yes" : "", refused);
                    continue;
                }
                rows += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {:.3f} | {:+.3f} | {} | {} | {} {} |\n", name,
                                    model.name, use_time ? "yes" : "", f.pairs, refused, f.kernels,
                                    percent(f.macro_mape), f.macro_abs_ln, f.bias_ln,
                                    f.r ? fmt::format("{:.3f}", *f.r) : "", maybe_percent(f.faster_gpu_right),
                                    maybe_percent(f.best_gpu_hit_rate), interval_cells(f));
            }
        }
    }
    return rows;
}

/// Figures of predictions of GPUs from their own counters.
std::string own_rows(const std::vector<std::pair<std::string, ObservationTable>>& tables, Gpus& gpus,
                     Refusals& refusals) {
    std::string rows;
    for (const auto& [name, table] : tables) {
        for (const Model& model : models()) {
            std::vector<PredictedPair> pairs;
            std::map<std::string, std::size_t> reasons;
            for (std::size_t i = 0; i < table.observations.size(); ++i) {
                const auto& o = table.observations[i];
                const Gpu* const stored = gpus(o.gpu);
                if (!stored) continue;
                const Gpu gpu = at_clocks(*stored, o.clocks);
                const Outcome outcome = model.predict({o.record, gpu, &gpu, {}});
                if (const auto* no = std::get_if<Inapplicable>(&outcome)) {
                    ++reasons[no->reason];
                } else {
                    const auto& p = std::get<Prediction>(outcome);
                    pairs.push_back({{i, i}, p.duration, p.low, p.high, p.limiter, true});
                }
            }
            std::size_t refused = 0;
            std::vector<Skipped> skipped;
            for (const auto& [reason, count] : reasons)
                refused += count, skipped.push_back({std::string(of_pairs) + reason, count});
            if (refused > 0) refusals[fmt::format("{}, {} itself", model.name, name)] = {refused, main_reason(skipped)};
            const auto f = figures(table.observations, pairs);
            rows += f.pairs == 0
                        ? fmt::format("| {} | {} | 0 | {} | | | | | | | | |\n", name, model.name, refused)
                        : fmt::format("| {} | {} | {} | {} | {} | {} | {:.3f} | {:+.3f} | {} {} |\n", name, model.name,
                                      f.pairs, refused, f.kernels, percent(f.macro_mape), f.macro_abs_ln, f.bias_ln,
                                      f.r ? fmt::format("{:.3f}", *f.r) : "", interval_cells(f));
        }
    }
    return rows;
}

void run(int argc, char** argv) {
    Gpus gpus;
    std::vector<std::pair<std::string, ObservationTable>> tables;
    std::string sources;
    for (int i = 2; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto equals = argument.find('=');
        if (equals == std::string::npos) throw UsageError(argument + ": not of the form NAME=TABLE.csv");
        const std::string name = argument.substr(0, equals);
        tables.emplace_back(name, read_observations(argument.substr(equals + 1), shortest));
        const auto& table = tables.back().second;
        std::size_t left_out = 0;
        for (const auto& s : table.skipped) left_out += s.rows;
        sources += fmt::format("- {}: {} rows, {} of them under 100 us or without a time; {} observations\n", name,
                               table.rows, left_out, table.observations.size());
    }
    Refusals refusals;
    const std::string between = pair_rows(tables, gpus, refusals);
    const std::string own = own_rows(tables, gpus, refusals);
    std::string reasons;
    for (const auto& [what, refused] : refusals) {
        reasons += fmt::format("| {} | {} | {} |\n", what, refused.first, refused.second);
    }
    const std::string page =
        "# All models on all data\n\n"
        "<!-- Written by tools/dev/model_comparison.sh; do not edit. -->\n\n"
        "    tools/dev/model_comparison.sh\n\n"
        "writes this page from the measured data in `$GPUPROJ_DATA` (default ../shared/datasets). Errors are macro: "
        "the "
        "mean over kernels of the mean over a kernel's pairs. |ln| and bias are of predicted / measured; |ln| is the "
        "score to compare by, as a percentage error rewards predicting too little. Of the 80 % intervals: the share of "
        "measured times in them, their mean width, and the score, width plus 10 times what lies outside (Gneiting & "
        "Raftery 2007), over all pairs. `calibrated` was fitted on Amaris "
        "and "
        "`simt-cache` on HKBU: their rows there are in sample, what they reach on what they were not fitted on is in "
        "[calibrated_validation.md](calibrated_validation.md) and "
        "[simt_cache_validation.md](simt_cache_validation.md). "
        "The models of 2009 and 2011 are for chips without caches; that they are far off here is no surprise.\n\n" +
        sources +
        "\n## From one GPU, or one pair of clocks, to another\n\n"
        "Ordered pairs of measured rows of one kernel, input and launch configuration, predicted from the counters "
        "(and "
        "where it says so the time) of the first.\n\n"
        "| data | model | with time | pairs | refused | kernels | macro MAPE | macro abs ln | bias ln | r | faster GPU "
        "right | best GPU hit | in 80 % | width ln | score |\n"
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n" +
        between +
        "\n## Of the GPU itself, from its own counters\n\n"
        "| data | model | rows | refused | kernels | macro MAPE | macro abs ln | bias ln | r "
        "| in 80 % | width ln | score |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n" +
        own + "\n## Refused, with the most frequent reason\n\n| model, data | refused | reason |\n|---|---:|---|\n" +
        reasons;
    write_file(argv[1], page, true);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "usage: gpuproj_compare_models PAGE NAME=TABLE.csv...\n");
        return 2;
    }
    try {
        run(argc, argv);
        return 0;
    } catch (const Error& error) {
        fmt::print(stderr, "gpuproj_compare_models: {}\n", error.what());
        return error.exit_code();
    }
}
