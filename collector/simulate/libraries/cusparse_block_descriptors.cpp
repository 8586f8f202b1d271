// Descriptors of matrices in blocks and of rows filled up to the same length.
#include "collector/simulate/libraries/cusparse_descriptor.hpp"

namespace gpuproj::simulate::libraries::cusparse {

#define GPUPROJ_BLOCK_ROWS(CREATE)                                                                                     \
    GPUPROJ_LIBRARY_API int CREATE(SparseMatrix** out, std::int64_t lines, std::int64_t block_columns_of_all,          \
                                   std::int64_t blocks, std::int64_t height, std::int64_t breadth, void* offsets,      \
                                   void* indices, void* values, IndexType offset_type, IndexType index_type, int base, \
                                   DataType type, Order order) {                                                       \
        if (lines < 0 || block_columns_of_all < 0 || height < 1 || breadth < 1) return invalid_value;                  \
        SparseMatrix m{Format::bsr,                                                                                    \
                       lines * height,                                                                                 \
                       block_columns_of_all * breadth,                                                                 \
                       blocks * height * breadth,                                                                      \
                       offsets,                                                                                        \
                       indices,                                                                                        \
                       values,                                                                                         \
                       offset_type,                                                                                    \
                       index_type,                                                                                     \
                       base,                                                                                           \
                       type};                                                                                          \
        m.block_rows = height;                                                                                         \
        m.block_columns = breadth;                                                                                     \
        m.block_order = order;                                                                                         \
        return make_matrix(#CREATE, out, m);                                                                           \
    }
GPUPROJ_BLOCK_ROWS(cusparseCreateBsr)
GPUPROJ_BLOCK_ROWS(cusparseCreateConstBsr)

#define GPUPROJ_BLOCKED_ELL(CREATE, GET)                                                                              \
    GPUPROJ_LIBRARY_API int CREATE(SparseMatrix** out, std::int64_t rows, std::int64_t columns, std::int64_t side,    \
                                   std::int64_t width, void* indices, void* values, IndexType index_type, int base,   \
                                   DataType type) {                                                                   \
        if (side < 1 || width < 0 || width > columns || rows % side != 0 || width % side != 0) return invalid_value;  \
        SparseMatrix m{Format::blocked_ell, rows,       columns, rows * width, nullptr, indices, values,              \
                       index_type,          index_type, base,    type};                                               \
        m.block_rows = m.block_columns = side;                                                                        \
        m.width = width;                                                                                              \
        return make_matrix(#CREATE, out, m);                                                                          \
    }                                                                                                                 \
    GPUPROJ_LIBRARY_API int GET(const SparseMatrix* m, std::int64_t* rows, std::int64_t* columns, std::int64_t* side, \
                                std::int64_t* width, void** indices, void** values, IndexType* index_type, int* base, \
                                DataType* type) {                                                                     \
        if (m == nullptr || m->format != Format::blocked_ell) return invalid_value;                                   \
        give(rows, m->rows);                                                                                          \
        give(columns, m->columns);                                                                                    \
        give(side, m->block_rows);                                                                                    \
        give(width, m->width);                                                                                        \
        give(indices, m->indices);                                                                                    \
        give(values, m->values);                                                                                      \
        give(index_type, m->index_type);                                                                              \
        give(base, m->base);                                                                                          \
        give(type, m->type);                                                                                          \
        return success;                                                                                               \
    }
GPUPROJ_BLOCKED_ELL(cusparseCreateBlockedEll, cusparseBlockedEllGet)
GPUPROJ_BLOCKED_ELL(cusparseCreateConstBlockedEll, cusparseConstBlockedEllGet)

#define GPUPROJ_SLICED_ELL(CREATE)                                                                                  \
    GPUPROJ_LIBRARY_API int CREATE(SparseMatrix** out, std::int64_t rows, std::int64_t columns, std::int64_t count, \
                                   std::int64_t stored, std::int64_t height, void* offsets, void* indices,          \
                                   void* values, IndexType offset_type, IndexType index_type, int base,             \
                                   DataType type) {                                                                 \
        if (stored < count || height < 1) return invalid_value;                                                     \
        SparseMatrix m{Format::sliced_ell, rows,       columns, count, offsets, indices, values,                    \
                       offset_type,        index_type, base,    type};                                              \
        m.block_rows = height;                                                                                      \
        return make_matrix(#CREATE, out, m);                                                                        \
    }
GPUPROJ_SLICED_ELL(cusparseCreateSlicedEll)
GPUPROJ_SLICED_ELL(cusparseCreateConstSlicedEll)

}  // namespace gpuproj::simulate::libraries::cusparse
