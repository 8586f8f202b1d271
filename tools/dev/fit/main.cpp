// gpuproj_fit [DATA]: fits `calibrated` and cross-validates it. Run from the repository's root; writes
// model/calibrated_constants.cpp and docs/calibrated_validation.md. DATA is the folder of measured data, by default
// $GPUPROJ_DATA, else ../shared/datasets. Takes under a minute; gives the same files wherever it runs.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "tools/dev/fit/report.hpp"

namespace {

using namespace gpuproj;
using namespace gpuproj::fit;

constexpr int version = 1;
constexpr std::string_view table = "amaris_kepler_maxwell.csv";
constexpr std::size_t pairs_of_each = 8;
constexpr double shrinkage = 0.1;

std::vector<double> part(const std::vector<Errors>& errors, Which which) {
    std::vector<double> all;
    for (const Errors& e : errors) all.push_back(e.*which);
    return all;
}

std::string folder(int argc, char** argv) {
    if (argc > 1) return argv[1];
    const char* const named = std::getenv("GPUPROJ_DATA");
    return named != nullptr ? named : "../shared/datasets";
}

void run(const std::filesystem::path& data_folder) {
    const Data data = read_data(data_folder / table);
    const auto thin = thinned(data.pairs, pairs_of_each);

    calibrated::Calibration calibration;
    const std::string provenance = fmt::format(
        "gpuproj_fit on {} (Amaris et al. 2016): {} pairs, {} of them in the fit, shrinkage {:g} to the priors", table,
        data.pairs.size(), thin.size(), shrinkage);
    calibration.version = version;
    calibration.provenance = provenance;
    calibration.constants = fit::fit(thin, shrinkage);

    const auto families = families_left_out(data), gpus = gpus_left_out(data),
               architectures = architectures_left_out(data);
    const auto validated = [&](const std::vector<Fold>& folds) { return cross_validate(data, thin, folds, shrinkage); };
    const auto left_out = validated(families);
    const std::vector<std::pair<std::string, std::vector<Errors>>> protocols{
        {"priors, nothing fitted", errors_of_all(data, prior_constants())},
        {"in sample", errors_of_all(data, calibration.constants)},
        {"family left out", left_out},
        {"GPU left out", validated(gpus)},
        {"architecture left out", validated(architectures)},
        {"family and GPU left out", validated(crossed(families, gpus))},
        {"family and architecture left out", validated(crossed(families, architectures))},
    };
    Results results;
    results.command = "build/gpuproj_fit";
    results.shrinkage = shrinkage;
    const auto add = [&](std::string name, std::vector<double> errors) {
        results.protocols.push_back({std::move(name), std::move(errors)});
        return results.protocols.size() - 1;
    };
    results.baseline_counters = add("quantitative-roofline", model_errors(data, "quantitative-roofline", false));
    results.baseline_time = add("quantitative-roofline with time", model_errors(data, "quantitative-roofline", true));
    results.one_ratio = add("one ratio per pair of GPUs, kernel left out", one_ratio_errors(data));
    for (const auto& [name, errors] : protocols) {
        const auto at = add("calibrated, " + name, part(errors, &Errors::counters));
        if (name == "family left out") results.counters = at;
    }
    for (const auto& [name, errors] : protocols) {
        const auto at = add("calibrated with time, " + name, part(errors, &Errors::time));
        if (name == "family left out") results.time = at;
    }

    calibration.interval_counters = half_widths(data.pairs, left_out, &Errors::counters);
    calibration.interval_time = half_widths(data.pairs, left_out, &Errors::time);
    calibration.shares_counters = shares(data.pairs, left_out, &Errors::counters);
    calibration.shares_time = shares(data.pairs, left_out, &Errors::time);
    calibration.ratio_counters = ratio_scales(data.pairs, left_out, &Errors::counters);
    calibration.ratio_time = ratio_scales(data.pairs, left_out, &Errors::time);
    results.interval_counters = interval_figures(data.pairs, left_out, &Errors::counters);
    results.interval_time = interval_figures(data.pairs, left_out, &Errors::time);

    write_file("model/calibrated_constants.cpp", constants_source(calibration), true);
    write_file("docs/calibrated_validation.md", validation_page(data, calibration, results), true);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(folder(argc, argv));
        return 0;
    } catch (const Error& error) {
        fmt::print(stderr, "gpuproj_fit: {}\n", error.what());
        return error.exit_code();
    }
}
