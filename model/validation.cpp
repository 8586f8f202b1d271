#include "model/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "model/error.hpp"

namespace gpuproj {

namespace {

constexpr double clear_difference = 1.1;  // in time, for the faster of two GPUs to be worth predicting
constexpr double interval_miss = 0.2;     // of an 80 % interval

double ln_ratio(Seconds a, Seconds b) {
    return std::log(ratio(a, b));
}

double mean(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double correlation(std::span<const double> x, std::span<const double> y) {
    const double mean_x = mean(x), mean_y = mean(y);
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    return xy / std::sqrt(xx * yy);
}

/// Values by kernel, to be averaged kernel by kernel.
class ByKernel {
public:
    void add(const std::string& kernel, double value) { values_[kernel].push_back(value); }
    std::size_t kernels() const { return values_.size(); }
    std::vector<double> means() const {
        std::vector<double> all;
        all.reserve(values_.size());
        for (const auto& [kernel, values] : values_) all.push_back(mean(values));
        return all;
    }
    double macro() const { return mean(means()); }

private:
    std::map<std::string, std::vector<double>> values_;
};

void add_interval_figures(ValidationFigures& f, std::span<const Observation> observations,
                          std::span<const PredictedPair> pairs) {
    std::vector<double> inside, widths, scores;
    for (const auto& p : pairs) {
        if (!p.low || !p.high) return;
        const Seconds m = measured_time(observations[p.pair.target]);
        const double width = ln_ratio(*p.high, *p.low);
        const double outside = std::max({0.0, ln_ratio(*p.low, m), ln_ratio(m, *p.high)});
        inside.push_back(outside > 0 ? 0 : 1);
        widths.push_back(width);
        scores.push_back(width + 2 / interval_miss * outside);
    }
    f.interval_coverage = mean(inside);
    f.interval_width = mean(widths);
    f.interval_score = mean(scores);
}

/// What a user loses who moves a reference row's kernel to the GPU that is predicted to be the fastest.
void add_recommendation_figures(ValidationFigures& f, std::span<const Observation> observations,
                                std::span<const PredictedPair> pairs) {
    struct Choice {
        Seconds best_predicted{INFINITY}, its_measured, best_measured{INFINITY};
        std::size_t targets = 0;
    };
    std::map<std::size_t, Choice> choices;
    for (const auto& p : pairs) {
        Choice& choice = choices[p.pair.reference];
        const Seconds m = measured_time(observations[p.pair.target]);
        ++choice.targets;
        choice.best_measured = std::min(choice.best_measured, m);
        if (p.predicted < choice.best_predicted) {
            choice.best_predicted = p.predicted;
            choice.its_measured = m;
        }
    }
    std::vector<double> hits;
    ByKernel regret;
    for (const auto& entry : choices) {  // by [reference, choice] clang-tidy-16 would crash
        const auto& choice = entry.second;
        if (choice.targets < 2) continue;
        hits.push_back(choice.its_measured <= choice.best_measured ? 1 : 0);
        regret.add(observations[entry.first].kernel, ratio(choice.its_measured, choice.best_measured) - 1);
    }
    if (hits.empty()) return;
    f.best_gpu_hit_rate = mean(hits);
    f.regret = regret.macro();
}

/// GPUs at other clocks than the stored ones, each made once.
class AtClocks {
public:
    const Gpu* operator()(const Gpu& gpu, const Clocks& clocks) {
        if (!clocks.core && !clocks.memory) return &gpu;
        const auto hertz = [](const std::optional<Hertz>& clock) { return clock ? clock->value : 0; };
        const auto [found, is_new] = gpus_.try_emplace({&gpu, hertz(clocks.core), hertz(clocks.memory)});
        if (is_new) found->second = at_clocks(gpu, clocks);
        return &found->second;
    }

private:
    std::map<std::tuple<const Gpu*, double, double>, Gpu> gpus_;
};

/// GPUs by name, one object and one spelling of each: tables may call a GPU "K20c" here and "Tesla K20c" there.
class OneOfEach {
public:
    /// `gpu`, or the one that had its name before. `spelling` becomes the first one of it.
    const Gpu* operator()(const Gpu* gpu, std::string& spelling) {
        if (gpu->name.empty()) return gpu;
        const auto [known, is_new] = known_.try_emplace(gpu->name, gpu, spelling);
        spelling = known->second.second;
        return known->second.first;
    }

private:
    std::map<std::string_view, std::pair<const Gpu*, std::string>> known_;
};

/// What an observation was made on.
struct ObservedOn {
    const Gpu* stored = nullptr;
    const Gpu* gpu = nullptr;  // at the clocks of the observation

    /// A clock that is stated is the same as one that is not and is the stored one.
    bool same_as(const ObservedOn& other) const {
        const auto clock = [](const MaybeKnown<Hertz>& known) { return known ? known->value.value : 0; };
        return stored == other.stored && clock(gpu->core_clock) == clock(other.gpu->core_clock) &&
               clock(gpu->memory_clock) == clock(other.gpu->memory_clock);
    }
};

std::optional<double> peak_ratio(const Gpu& reference, const Gpu& target) {
    if (!reference.fp32_peak || !target.fp32_peak) return std::nullopt;
    return ratio(reference.fp32_peak->value, target.fp32_peak->value);
}

/// A generator whose numbers are the same everywhere (Steele et al. 2014, SplitMix64).
class SplitMix {
public:
    std::uint64_t operator()() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_ = 1;
};

}  // namespace

std::vector<ObservedPair> pairs_of(std::span<const Observation> observations, std::vector<Skipped>& skipped) {
    std::map<std::string_view, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < observations.size(); ++i) alike[observations[i].what].push_back(i);
    std::vector<ObservedPair> pairs;
    Skipped alone{"the kernel, input and launch configuration was measured on one GPU only"};
    for (const auto& [what, indices] : alike) {
        if (indices.size() == 1) ++alone.rows;
        for (const std::size_t reference : indices) {
            for (const std::size_t target : indices) {
                if (reference != target) pairs.push_back({reference, target});
            }
        }
    }
    if (alone.rows > 0) skipped.push_back(std::move(alone));
    return pairs;
}

Validation validate(ObservationTable table, const GpuByName& gpu_by_name, const Model& model,
                    const ModelOptions& options) {
    Validation v;
    v.rows = table.rows;
    v.skipped = std::move(table.skipped);
    std::map<std::string, std::size_t> unknown;
    std::vector<ObservedOn> gpus;
    OneOfEach one_of_each;
    AtClocks at_their_clocks;
    for (auto& observation : table.observations) {
        if (const Gpu* gpu = gpu_by_name(observation.gpu)) {
            gpu = one_of_each(gpu, observation.gpu);
            try {
                gpus.push_back({gpu, at_their_clocks(*gpu, observation.clocks)});
            } catch (const Error& error) {
                throw Error(fmt::format("{}: line {}: {}", table.where, observation.line, error.what()));
            }
            v.observations.push_back(std::move(observation));
        } else {
            ++unknown[observation.gpu];
        }
    }
    for (const auto& [gpu, rows] : unknown) v.skipped.push_back({"no GPU file for " + gpu, rows});

    std::map<std::string, std::size_t> refused;
    for (const ObservedPair& pair : pairs_of(v.observations, v.skipped)) {
        if (gpus[pair.reference].same_as(gpus[pair.target])) {
            ++refused["both rows are of one GPU at the same clocks"];
            continue;
        }
        const Gpu& reference = *gpus[pair.reference].gpu;
        const Gpu& target = *gpus[pair.target].gpu;
        const Outcome outcome = model.predict({v.observations[pair.reference].record, target, &reference, options});
        if (const auto* const no = std::get_if<Inapplicable>(&outcome)) {
            ++refused[no->reason];
            continue;
        }
        const auto& p = std::get<Prediction>(outcome);
        v.pairs.push_back({pair, p.duration, p.low, p.high, p.limiter, reference.architecture == target.architecture,
                           peak_ratio(reference, target)});
    }
    for (const auto& [reason, count] : refused) v.skipped.push_back({"pairs: " + reason, count});
    return v;
}

ValidationFigures figures(std::span<const Observation> observations, std::span<const PredictedPair> pairs) {
    ValidationFigures f;
    f.pairs = pairs.size();
    if (pairs.empty()) return f;
    ByKernel relative, absolute_ln, signed_ln;
    std::vector<double> ape, abs_ln, ln_predicted, ln_measured, right, right_where_peak_is_wrong;
    for (const auto& p : pairs) {
        const Observation& target = observations[p.pair.target];
        const Seconds m = measured_time(target), there = measured_time(observations[p.pair.reference]);
        const double error = ln_ratio(p.predicted, m);
        ape.push_back(std::abs(ratio(p.predicted, m) - 1));
        abs_ln.push_back(std::abs(error));
        ln_predicted.push_back(std::log(p.predicted.value));
        ln_measured.push_back(std::log(m.value));
        relative.add(target.kernel, ape.back());
        absolute_ln.add(target.kernel, abs_ln.back());
        signed_ln.add(target.kernel, error);
        if (std::abs(ln_ratio(m, there)) > std::log(clear_difference)) {
            right.push_back((p.predicted < there) == (m < there) ? 1 : 0);
            if (p.peak_ratio && (*p.peak_ratio < 1) != (m < there)) right_where_peak_is_wrong.push_back(right.back());
        }
    }
    f.kernels = relative.kernels();
    f.mape = mean(ape);
    f.macro_mape = relative.macro();
    f.macro_abs_ln = absolute_ln.macro();
    f.bias_ln = signed_ln.macro();
    if (pairs.size() > 2) f.r = correlation(ln_predicted, ln_measured);
    f.median_ape = median(ape);
    f.within_25 = static_cast<double>(std::count_if(ape.begin(), ape.end(), [](double e) { return e <= 0.25; })) /
                  static_cast<double>(ape.size());
    f.geomean_error_factor = std::exp(mean(abs_ln));
    if (!right.empty()) f.faster_gpu_right = mean(right);
    f.peak_wrong = right_where_peak_is_wrong.size();
    if (f.peak_wrong > 0) f.peak_wrong_right = mean(right_where_peak_is_wrong);
    add_interval_figures(f, observations, pairs);
    add_recommendation_figures(f, observations, pairs);
    return f;
}

std::vector<PairGroup> grouped(std::span<const PredictedPair> pairs,
                               const std::function<std::string(const PredictedPair&)>& name_of_pair) {
    std::map<std::string, std::vector<PredictedPair>> groups;
    for (const auto& pair : pairs) groups[name_of_pair(pair)].push_back(pair);
    std::vector<PairGroup> result;
    result.reserve(groups.size());
    for (auto& [name, members] : groups) result.push_back({name, std::move(members)});
    return result;
}

std::vector<double> abs_ln_by_kernel(std::span<const Observation> observations, std::span<const PredictedPair> pairs) {
    ByKernel errors;
    for (const auto& p : pairs) {
        const Observation& target = observations[p.pair.target];
        errors.add(target.kernel, std::abs(ln_ratio(p.predicted, measured_time(target))));
    }
    return errors.means();
}

Bootstrap bootstrap(std::span<const double> values) {
    constexpr std::size_t draws = 4000;
    SplitMix random;
    std::vector<double> means;
    means.reserve(draws);
    for (std::size_t draw = 0; draw < draws; ++draw) {
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i) sum += values[random() % values.size()];
        means.push_back(sum / static_cast<double>(values.size()));
    }
    std::sort(means.begin(), means.end());
    const auto below = std::lower_bound(means.begin(), means.end(), 0.0) - means.begin();
    return {mean(values), means[draws / 40], means[draws - 1 - draws / 40],
            static_cast<double>(below) / static_cast<double>(draws)};
}

}  // namespace gpuproj
