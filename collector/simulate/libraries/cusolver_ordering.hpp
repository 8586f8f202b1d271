// Orders of the unknowns of a sparse system: that keep its entries near the diagonal, or that keep them few.
#pragma once

#include <vector>

namespace gpuproj::simulate::libraries::cusolver {

/// Where the entries of a square matrix are: rows with 32-bit indices, counted from `base`.
struct Pattern {
    int order = 0, base = 0;
    const int *offsets = nullptr, *columns = nullptr;

    int begin(int row) const { return offsets[row] - base; }
    int end(int row) const { return offsets[row + 1] - base; }
    int column(int k) const { return columns[k] - base; }
};

/// Reverse Cuthill-McKee on the entries of A and its transpose: the unknown that comes first, second...
std::vector<int> near_diagonal(const Pattern& pattern);

/// Minimum degree on the same entries: next comes an unknown that shares equations with the fewest others, once those
/// before it are eliminated, so that little fills up; of several, the one with the smallest number.
std::vector<int> little_fill(const Pattern& pattern);

}  // namespace gpuproj::simulate::libraries::cusolver
