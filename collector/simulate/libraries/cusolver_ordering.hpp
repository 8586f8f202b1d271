// An order of the unknowns that keeps the entries of a sparse matrix near its diagonal.
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

}  // namespace gpuproj::simulate::libraries::cusolver
