// Where labels go so that none covers another. Positions are in pixels (or character cells), y upwards.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace gpuproj {

struct Box {
    double left = 0, bottom = 0, width = 0, height = 0;
};

bool overlap(const Box& a, const Box& b);

/// The heights nearest to `wanted`, in their order, that are `gap` apart and within `low` and `high`; closer together
/// where the room does not suffice.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high);

struct Point {
    double x = 0, y = 0;
};

/// A label that belongs to a point.
struct PointLabel {
    Point anchor;
    double width = 0, height = 0;
};

/// For each label, in order, the nearest free place around its anchor within `area`: free of `obstacles` and of the
/// labels before it. Absent where there is none within `farthest` of the anchor.
std::vector<std::optional<Box>> place_labels(const std::vector<PointLabel>& labels, std::vector<Box> obstacles,
                                             const Box& area, double farthest);

}  // namespace gpuproj
