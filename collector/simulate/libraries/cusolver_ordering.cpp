#include "collector/simulate/libraries/cusolver_ordering.hpp"

#include <algorithm>

namespace gpuproj::simulate::libraries::cusolver {

namespace {

using Neighbours = std::vector<std::vector<int>>;

Neighbours neighbours_of(const Pattern& pattern) {
    Neighbours all(static_cast<std::size_t>(pattern.order));
    for (int row = 0; row < pattern.order; ++row)
        for (int k = pattern.begin(row); k < pattern.end(row); ++k)
            if (const int column = pattern.column(k); column != row) {
                all[row].push_back(column);
                all[column].push_back(row);
            }
    for (auto& some : all) {
        std::sort(some.begin(), some.end());
        some.erase(std::unique(some.begin(), some.end()), some.end());
    }
    // Those with few neighbours of their own come first.
    const auto degree = [&](int i) { return all[i].size(); };
    std::vector<std::size_t> degrees;
    degrees.reserve(all.size());
    for (int i = 0; i < pattern.order; ++i) degrees.push_back(degree(i));
    for (auto& some : all)
        std::stable_sort(some.begin(), some.end(), [&](int a, int b) { return degrees[a] < degrees[b]; });
    return all;
}

/// Appends all that can be reached from `start`, near ones first; those seen already are left out.
void append_reachable(const Neighbours& neighbours, int start, std::vector<char>& seen, std::vector<int>& order) {
    auto next = order.size();
    seen[start] = 1;
    order.push_back(start);
    for (; next < order.size(); ++next)
        for (const int i : neighbours[order[next]])
            if (!seen[i]) {
                seen[i] = 1;
                order.push_back(i);
            }
}

}  // namespace

std::vector<int> near_diagonal(const Pattern& pattern) {
    const Neighbours neighbours = neighbours_of(pattern);
    std::vector<char> seen(neighbours.size());
    std::vector<int> order;
    for (int i = 0; i < pattern.order; ++i) {
        if (seen[i]) continue;
        // One far from the first is at an edge, where layers are thin.
        auto looked_at = seen;
        std::vector<int> reachable;
        append_reachable(neighbours, i, looked_at, reachable);
        append_reachable(neighbours, reachable.back(), seen, order);
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace gpuproj::simulate::libraries::cusolver
