// How well derivation predicts GPUs whose measurements it has not seen.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "targets/card.hpp"

namespace gpuproj {

/// One measured parameter of one GPU and what derivation says without any of that GPU's measurements, in the unit of
/// the key: from the clock that the driver reported, and at the clock the card was measured at (0: not known).
struct DerivationError {
    std::string gpu;
    std::string parameter;
    double measured = 0;
    double from_reported_clock = 0;
    double at_measured_clock = 0;
};

/// Leaves out each measured GPU in turn.
std::vector<DerivationError> validate_derivation(std::span<const Card> cards, std::span<const CardValue> values);

/// Errors |predicted / measured - 1| of one parameter over all GPUs.
struct DerivationSummary {
    std::string parameter;
    std::size_t gpus = 0;
    double median_from_reported_clock = 0;
    double worst_from_reported_clock = 0;
    double median_at_measured_clock = 0;  // over the GPUs whose clock is known
};
std::vector<DerivationSummary> summarize(std::span<const DerivationError> rows);

}  // namespace gpuproj
