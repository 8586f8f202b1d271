// How far measured rates stay behind the instructions-per-clock tables, learnt from the GPUs that were measured.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "targets/card.hpp"

namespace gpuproj {

/// measured / nominal of one parameter of one GPU, and the groups it speaks for, narrowest first. For the key "clock":
/// clock while measuring / clock reported.
struct Sample {
    std::string gpu;
    std::string_view key;
    std::array<std::string, 3> groups;
    double ratio;
};

/// The samples of all measured GPUs.
struct Calibration {
    std::vector<Sample> samples;
};

/// A factor and how sure it is: the median over a group's samples, drawn towards the next wider group's by as much as
/// samples of one group differ among each other rather than groups do; their relative spread; and whom it comes from.
/// `samples` is 0 where no group of the card's has any: then it is what the widest groups of other cards have, if any.
struct Factor {
    double value = 1.0;
    double spread = 0.1;
    int samples = 0;
    std::string group;
};

/// What the tables give for a parameter at a core clock, before any factor; nothing where the unit is not there or the
/// generation is not known. Bandwidth of the memory: the datasheet's.
std::optional<double> nominal(const Card& card, std::string_view key, Hertz clock);

/// The core clock while `values` of the card were measured: stated, or the least that explains the fastest of its
/// arithmetic rates; nothing if none is measured.
std::optional<Hertz> measured_clock(const Card& card, std::span<const CardValue> values);

/// Samples of every card that has measured values.
Calibration calibrate(std::span<const Card> cards, std::span<const CardValue> values);

/// The factor of `key` for `card`, by the narrowest group that has samples, else by all; samples of the GPU named
/// `leave_out` are not used.
Factor factor(const Calibration& calibration, std::string_view key, const Card& card, std::string_view leave_out = {});

/// The share of the peak bandwidth that memory like the card's attains without ECC.
Factor bandwidth_without_ecc(const Calibration& calibration, Card card, std::string_view leave_out = {});

}  // namespace gpuproj
