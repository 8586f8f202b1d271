#include "tools/dev/fit/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace gpuproj::fit {

namespace {

std::set<std::string> values(const Data& data, std::string Row::*member) {
    std::set<std::string> all;
    for (const Pair& pair : data.pairs) all.insert(pair.reference->*member);
    return all;
}

}  // namespace

std::vector<Fold> families_left_out(const Data& data) {
    std::vector<Fold> folds;
    for (const auto& family : values(data, &Row::family)) {
        const auto in = [family](const Pair& pair) { return pair.reference->family == family; };
        folds.push_back({std::not_fn(in), in});
    }
    return folds;
}

std::vector<Fold> gpus_left_out(const Data& data) {
    std::vector<Fold> folds;
    for (const auto& gpu : values(data, &Row::gpu)) {
        folds.push_back({[gpu](const Pair& p) { return p.reference->gpu != gpu && p.target->gpu != gpu; },
                         [gpu](const Pair& p) { return p.target->gpu == gpu; }});
    }
    return folds;
}

std::vector<Fold> architectures_left_out(const Data& data) {
    std::vector<Fold> folds;
    for (const auto& name : values(data, &Row::architecture)) {
        folds.push_back(
            {[name](const Pair& p) { return p.reference->architecture != name && p.target->architecture != name; },
             [name](const Pair& p) { return p.target->architecture == name; }});
    }
    return folds;
}

std::vector<Fold> crossed(const std::vector<Fold>& a, const std::vector<Fold>& b) {
    std::vector<Fold> folds;
    for (const Fold& x : a) {
        for (const Fold& y : b) {
            folds.push_back({[x, y](const Pair& p) { return x.learn(p) && y.learn(p); },
                             [x, y](const Pair& p) { return x.predict(p) && y.predict(p); }});
        }
    }
    return folds;
}

std::vector<Errors> cross_validate(const Data& data, std::span<const Pair> thin, const std::vector<Fold>& folds,
                                   double shrinkage) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<Errors> all(data.pairs.size(), Errors{nan, nan, nan, nan});
    const std::vector<Pair> thin_pairs(thin.begin(), thin.end());
    for (const Fold& fold : folds) {
        const auto constants = fit(selected(thin_pairs, fold.learn), shrinkage);
        for (std::size_t i = 0; i < data.pairs.size(); ++i) {
            if (fold.predict(data.pairs[i])) all[i] = errors(data.pairs[i], constants);
        }
    }
    return all;
}

std::vector<Errors> errors_of_all(const Data& data, const calibrated::Constants& constants) {
    std::vector<Errors> all;
    for (const Pair& pair : data.pairs) all.push_back(errors(pair, constants));
    return all;
}

std::vector<double> one_ratio_errors(const Data& data) {
    std::map<std::pair<std::size_t, std::size_t>, double> predicted;
    for (const auto& p : one_ratio_per_gpus(data.observations, data.observed_pairs)) {
        predicted[{p.pair.reference, p.pair.target}] = std::log(p.predicted.value);
    }
    std::vector<double> errors;
    for (const Pair& pair : data.pairs) {
        const auto& observed = data.observed_pairs[pair.observed];
        const auto found = predicted.find({observed.reference, observed.target});
        errors.push_back(found == predicted.end() ? std::numeric_limits<double>::quiet_NaN()
                                                  : found->second - pair.target->ln_time);
    }
    return errors;
}

std::vector<double> model_errors(const Data& data, std::string_view name, bool use_reference_time) {
    const Model& model = find_model(name);
    ModelOptions options;
    options.use_reference_time = use_reference_time;
    std::vector<double> errors;
    for (const Pair& pair : data.pairs) {
        const auto& observed = data.observed_pairs[pair.observed];
        const auto outcome =
            model.predict({data.observations[observed.reference].record, data.gpus.at(pair.target->gpu),
                           &data.gpus.at(pair.reference->gpu), options});
        const auto* const p = std::get_if<Prediction>(&outcome);
        errors.push_back(p ? std::log(p->duration.value) - pair.target->ln_time
                           : std::numeric_limits<double>::quiet_NaN());
    }
    return errors;
}

}  // namespace gpuproj::fit
