#include "reports/label_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace gpuproj {

bool overlap(const Box& a, const Box& b) {
    return a.left < b.left + b.width && b.left < a.left + a.width && a.bottom < b.bottom + b.height &&
           b.bottom < a.bottom + a.height;
}

std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high) {
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    const auto count = static_cast<double>(wanted.size());
    if (count > 1) gap = std::min(gap, (high - low) / (count - 1));
    std::vector<double> placed(wanted.size());
    // Up from the bottom, then down from the top: each as near as its neighbours let it.
    double least = low;
    for (const auto at : order) {
        placed[at] = std::max(wanted[at], least);
        least = placed[at] + gap;
    }
    double most = high;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        placed[*at] = std::min(placed[*at], most);
        most = placed[*at] - gap;
    }
    return placed;
}

std::vector<std::optional<Box>> place_labels(const std::vector<PointLabel>& labels, std::vector<Box> obstacles,
                                             const Box& area, double farthest) {
    // Right, above, left, below, then the corners.
    static constexpr std::array<double, 8> directions = {0, 2, 4, 6, 1, 3, 5, 7};
    std::vector<std::optional<Box>> places;
    places.reserve(labels.size());
    for (const auto& label : labels) {
        std::optional<Box> place;
        const double step = label.height / 2;
        for (double distance = step; !place && distance <= farthest; distance += step) {
            for (const double direction : directions) {
                const double angle = direction * std::numbers::pi / 4;
                const double along_x = std::cos(angle), along_y = std::sin(angle);
                const Box box{label.anchor.x + along_x * (distance + label.width / 2) - label.width / 2,
                              label.anchor.y + along_y * (distance + label.height / 2) - label.height / 2, label.width,
                              label.height};
                const bool inside = box.left >= area.left && box.bottom >= area.bottom &&
                                    box.left + box.width <= area.left + area.width &&
                                    box.bottom + box.height <= area.bottom + area.height;
                const auto covers = [&](const Box& other) { return overlap(box, other); };
                if (!inside || std::any_of(obstacles.begin(), obstacles.end(), covers)) continue;
                place = box;
                obstacles.push_back(box);
                break;
            }
        }
        places.push_back(place);
    }
    return places;
}

}  // namespace gpuproj
