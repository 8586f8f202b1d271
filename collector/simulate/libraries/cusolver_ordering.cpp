#include "collector/simulate/libraries/cusolver_ordering.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace gpuproj::simulate::libraries::cusolver {

namespace {

using Neighbours = std::vector<std::vector<int>>;

/// By number, each once.
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
    return all;
}

/// Those with few neighbours of their own come first.
void sort_by_degree(Neighbours& all) {
    std::vector<std::size_t> degrees;
    degrees.reserve(all.size());
    for (const auto& some : all) degrees.push_back(some.size());
    for (auto& some : all)
        std::stable_sort(some.begin(), some.end(), [&](int a, int b) { return degrees[a] < degrees[b]; });
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
    Neighbours neighbours = neighbours_of(pattern);
    sort_by_degree(neighbours);
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

std::vector<int> little_fill(const Pattern& pattern) {
    Neighbours neighbours = neighbours_of(pattern);
    std::set<std::pair<std::size_t, int>> waiting;  // how many neighbours, of whom
    for (int i = 0; i < pattern.order; ++i) waiting.emplace(neighbours[i].size(), i);
    std::vector<int> order;
    order.reserve(neighbours.size());
    // Where each shares with all others there is nothing left to choose.
    while (!waiting.empty() && waiting.begin()->first + 1 < waiting.size()) {
        const int next = waiting.begin()->second;
        waiting.erase(waiting.begin());
        order.push_back(next);
        // Those who shared equations with it now do so with each other.
        const std::vector<int> around = std::move(neighbours[next]);
        for (const int i : around) {
            waiting.erase({neighbours[i].size(), i});
            std::vector<int> more;
            std::set_union(neighbours[i].begin(), neighbours[i].end(), around.begin(), around.end(),
                           std::back_inserter(more));
            more.erase(std::remove_if(more.begin(), more.end(), [=](int j) { return j == i || j == next; }),
                       more.end());
            neighbours[i] = std::move(more);
            waiting.emplace(neighbours[i].size(), i);
        }
    }
    for (const auto& [degree, i] : waiting) order.push_back(i);
    return order;
}

}  // namespace gpuproj::simulate::libraries::cusolver
