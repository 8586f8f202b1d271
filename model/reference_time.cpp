#include "model/reference_time.hpp"

#include "model/warnings.hpp"

namespace gpuproj {

Outcome with_reference_time(const ModelInput& input, PlainPredict predict) {
    Outcome outcome = predict(input);
    auto* const prediction = std::get_if<Prediction>(&outcome);
    if (!prediction || !input.options.use_reference_time) return outcome;

    const auto measured = measured_duration(input.kernel);
    if (!measured) return Inapplicable{"the reference time is not known: the profile has no measured durations"};
    if (!input.reference) return Inapplicable{"the parameters of the profile's own GPU are not known"};
    const Outcome there = predict({input.kernel, *input.reference, input.reference, input.options});
    if (const auto* no = std::get_if<Inapplicable>(&there)) return *no;
    const double factor = ratio(*measured, std::get<Prediction>(there).duration);
    prediction->duration = factor * prediction->duration;
    for (Bound& bound : prediction->bounds) bound.duration = factor * bound.duration;
    return outcome;
}

}  // namespace gpuproj
