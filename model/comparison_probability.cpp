#include "model/comparison_probability.hpp"

#include "model/calibrated_chip.hpp"
#include "model/calibrated_interval.hpp"

namespace gpuproj {

std::optional<double> probability_faster(const ComparedTotal& a, const ComparedTotal& b, const Gpu& reference,
                                         bool reference_time) {
    using namespace calibrated;
    const auto here = chip_of(reference), on_a = chip_of(a.gpu), on_b = chip_of(b.gpu);
    const auto* const chip = std::get_if<Chip>(&here);
    const auto* const chip_a = std::get_if<Chip>(&on_a);
    const auto* const chip_b = std::get_if<Chip>(&on_b);
    if (chip == nullptr || chip_a == nullptr || chip_b == nullptr) return std::nullopt;
    const bool same = same_architecture(*chip_a, *chip_b);
    return calibrated::probability_faster(a.duration, b.duration,
                                          {.same_architecture = same,
                                           .reference_architecture = same && same_architecture(*chip, *chip_a),
                                           .reference_time = reference_time,
                                           .uncertain = (chip_a->uncertain ? 1 : 0) + (chip_b->uncertain ? 1 : 0),
                                           .concentration = (a.concentration + b.concentration) / 2},
                                          fitted);
}

}  // namespace gpuproj
