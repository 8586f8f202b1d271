// From a datasheet to a full description: instructions per clock x clock x what measured GPUs of that kind attain.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "model/gpu.hpp"
#include "targets/calibration.hpp"
#include "targets/card.hpp"

namespace gpuproj {

struct DeriveOptions {
    std::string_view leave_out;       // a GPU whose measurements are not used
    std::optional<Hertz> core_clock;  // what it runs at, where that is known
};

/// Every parameter that the card's datasheet and generation imply, each with its rule and uncertainty. A generation
/// that is not known (find_rates) gives fp32, memory and datasheet values only.
Gpu derive(const Card& card, const Calibration& calibration, const DeriveOptions& options = {});

/// The stored description of a card: derived at the clock it was measured at, with its own known values put over it.
Gpu describe(const Card& card, std::span<const CardValue> values, const Calibration& calibration);

}  // namespace gpuproj
