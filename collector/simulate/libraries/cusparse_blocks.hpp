// Where the entries lie in the formats that store more than entries: blocks, and rows filled up to the same length.
#pragma once

#include "collector/simulate/libraries/cusparse_types.hpp"

namespace gpuproj::simulate::libraries::cusparse {

/// use(place, row, column) for each element of the blocks of rows of blocks.
template <class O, class I, class Use>
void visit_block_rows(const SparseMatrix& m, const O* offsets, const I* indices, Use&& use) {
    const std::int64_t height = m.block_rows, breadth = m.block_columns, base = m.base;
    for (std::int64_t line = 0; line < m.rows / height; ++line)
        for (std::int64_t b = offsets[line] - base; b < offsets[line + 1] - base; ++b)
            for (std::int64_t i = 0; i < height; ++i)
                for (std::int64_t j = 0; j < breadth; ++j)
                    use(b * height * breadth + (m.block_order == Order::row ? i * breadth + j : j * height + i),
                        line * height + i, (indices[b] - base) * breadth + j);
}

/// The same number of square blocks in each row of blocks, some of them empty, which their index says; values by rows.
template <class I, class Use>
void visit_blocked_ell(const SparseMatrix& m, const I* indices, Use&& use) {
    const std::int64_t side = m.block_rows, in_line = m.width / side;
    for (std::int64_t row = 0; row < m.rows; ++row)
        for (std::int64_t b = 0; b < in_line; ++b) {
            const std::int64_t block = indices[row / side * in_line + b] - std::int64_t{m.base};
            for (std::int64_t j = 0; j < side && block >= 0; ++j)
                use(row * m.width + b * side + j, row, block * side + j);
        }
}

/// Slices of some rows each, within them by columns; what fills rows up has no index.
template <class O, class I, class Use>
void visit_sliced_ell(const SparseMatrix& m, const O* offsets, const I* indices, Use&& use) {
    const std::int64_t height = m.block_rows;
    for (std::int64_t row = 0; row < m.rows; ++row) {
        const std::int64_t slice = row / height, base = m.base;
        for (std::int64_t k = offsets[slice] - base + row % height; k < offsets[slice + 1] - base; k += height)
            if (indices[k] >= base) use(k, row, indices[k] - base);
    }
}

template <class O, class I, class Use>
void visit_places(const SparseMatrix& m, const O* offsets, const I* indices, Use&& use) {
    if (m.format == Format::bsr)
        visit_block_rows(m, offsets, indices, use);
    else if (m.format == Format::blocked_ell)
        visit_blocked_ell(m, indices, use);
    else
        visit_sliced_ell(m, offsets, indices, use);
}

}  // namespace gpuproj::simulate::libraries::cusparse
