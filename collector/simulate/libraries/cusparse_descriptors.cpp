// Vectors and matrices as the generic functions take them: made, asked and changed.
#include <cstring>

#include "collector/simulate/libraries/cusparse_descriptor.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

int get_matrix(const SparseMatrix* m, std::int64_t* rows, std::int64_t* columns, std::int64_t* nonzeros, void** offsets,
               void** indices, void** values, IndexType* offset_type, IndexType* index_type, int* base,
               DataType* type) {
    if (m == nullptr) return invalid_value;
    give(rows, m->rows);
    give(columns, m->columns);
    give(nonzeros, m->nonzeros);
    give(offsets, m->offsets);
    give(indices, m->indices);
    give(values, m->values);
    give(offset_type, m->offset_type);
    give(index_type, m->index_type);
    give(base, m->base);
    give(type, m->type);
    return success;
}

int set_pointers(SparseMatrix* m, void* offsets, void* indices, void* values) {
    if (m == nullptr) return invalid_value;
    m->offsets = offsets;
    m->indices = indices;
    m->values = values;
    return success;
}

int* attribute_of(SparseMatrix* m, int attribute) {
    return attribute == 0 ? &m->fill : attribute == 1 ? &m->diagonal : nullptr;
}

template <class T>
int get_values(const T* descriptor, void** values) {
    if (descriptor == nullptr || values == nullptr) return invalid_value;
    *values = descriptor->values;
    return success;
}

template <class T>
int set_values(T* descriptor, void* values) {
    if (descriptor == nullptr) return invalid_value;
    descriptor->values = values;
    return success;
}

}  // namespace

// Constant ones are the same to us: no function that takes one writes to it.
#define GPUPROJ_COMPRESSED(CREATE, GET, FORMAT)                                                                        \
    GPUPROJ_LIBRARY_API int CREATE(SparseMatrix** out, std::int64_t rows, std::int64_t columns, std::int64_t count,    \
                                   void* offsets, void* indices, void* values, IndexType offset_type,                  \
                                   IndexType index_type, int base, DataType type) {                                    \
        return make_matrix(                                                                                            \
            #CREATE, out,                                                                                              \
            {FORMAT, rows, columns, count, offsets, indices, values, offset_type, index_type, base, type});            \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int GET(const SparseMatrix* m, std::int64_t* rows, std::int64_t* columns, std::int64_t* count, \
                                void** offsets, void** indices, void** values, IndexType* offset_type,                 \
                                IndexType* index_type, int* base, DataType* type) {                                    \
        return get_matrix(m, rows, columns, count, offsets, indices, values, offset_type, index_type, base, type);     \
    }
GPUPROJ_COMPRESSED(cusparseCreateCsr, cusparseCsrGet, Format::csr)
GPUPROJ_COMPRESSED(cusparseCreateConstCsr, cusparseConstCsrGet, Format::csr)
GPUPROJ_COMPRESSED(cusparseCreateCsc, cusparseCscGet, Format::csc)
GPUPROJ_COMPRESSED(cusparseCreateConstCsc, cusparseConstCscGet, Format::csc)

#define GPUPROJ_COORDINATES(CREATE, GET)                                                                               \
    GPUPROJ_LIBRARY_API int CREATE(SparseMatrix** out, std::int64_t rows, std::int64_t columns, std::int64_t count,    \
                                   void* row, void* column, void* values, IndexType index_type, int base,              \
                                   DataType type) {                                                                    \
        return make_matrix(                                                                                            \
            #CREATE, out,                                                                                              \
            {Format::coo, rows, columns, count, row, column, values, index_type, index_type, base, type});             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int GET(const SparseMatrix* m, std::int64_t* rows, std::int64_t* columns, std::int64_t* count, \
                                void** row, void** column, void** values, IndexType* index_type, int* base,            \
                                DataType* type) {                                                                      \
        return get_matrix(m, rows, columns, count, row, column, values, nullptr, index_type, base, type);              \
    }
GPUPROJ_COORDINATES(cusparseCreateCoo, cusparseCooGet)
GPUPROJ_COORDINATES(cusparseCreateConstCoo, cusparseConstCooGet)

GPUPROJ_LIBRARY_API int cusparseDestroySpMat(const SparseMatrix* m) {
    return destroy(m);
}
GPUPROJ_LIBRARY_API int cusparseCsrSetPointers(SparseMatrix* m, void* offsets, void* indices, void* values) {
    return set_pointers(m, offsets, indices, values);
}
GPUPROJ_LIBRARY_API int cusparseCscSetPointers(SparseMatrix* m, void* offsets, void* indices, void* values) {
    return set_pointers(m, offsets, indices, values);
}
GPUPROJ_LIBRARY_API int cusparseCooSetPointers(SparseMatrix* m, void* rows, void* columns, void* values) {
    return set_pointers(m, rows, columns, values);
}
GPUPROJ_LIBRARY_API int cusparseSpMatGetFormat(const SparseMatrix* m, Format* format) {
    if (m == nullptr || format == nullptr) return invalid_value;
    *format = m->format;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpMatGetIndexBase(const SparseMatrix* m, int* base) {
    if (m == nullptr || base == nullptr) return invalid_value;
    *base = m->base;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpMatGetSize(const SparseMatrix* m, std::int64_t* rows, std::int64_t* columns,
                                             std::int64_t* count) {
    return get_matrix(m, rows, columns, count, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
}
GPUPROJ_LIBRARY_API int cusparseSpMatGetValues(const SparseMatrix* m, void** values) {
    return get_values(m, values);
}
GPUPROJ_LIBRARY_API int cusparseConstSpMatGetValues(const SparseMatrix* m, void** values) {
    return get_values(m, values);
}
GPUPROJ_LIBRARY_API int cusparseSpMatSetValues(SparseMatrix* m, void* values) {
    return set_values(m, values);
}
GPUPROJ_LIBRARY_API int cusparseSpMatSetAttribute(SparseMatrix* m, int attribute, const void* data, std::size_t bytes) {
    if (m == nullptr || data == nullptr || bytes != sizeof(int)) return invalid_value;
    int* const to = attribute_of(m, attribute);
    if (to == nullptr) return invalid_value;
    std::memcpy(to, data, sizeof *to);
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpMatGetAttribute(SparseMatrix* m, int attribute, void* data, std::size_t bytes) {
    if (m == nullptr || data == nullptr || bytes != sizeof(int)) return invalid_value;
    const int* const from = attribute_of(m, attribute);
    if (from == nullptr) return invalid_value;
    std::memcpy(data, from, sizeof *from);
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpMatGetStridedBatch(const SparseMatrix* m, int* batches) {
    if (m == nullptr || batches == nullptr) return invalid_value;
    *batches = m->batches;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseCsrSetStridedBatch(SparseMatrix* m, int batches, std::int64_t offset_stride,
                                                   std::int64_t value_stride) {
    if (m == nullptr || batches < 1) return invalid_value;
    m->batches = batches;
    m->offset_stride = offset_stride;
    m->value_stride = value_stride;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseCooSetStridedBatch(SparseMatrix* m, int batches, std::int64_t stride) {
    return cusparseCsrSetStridedBatch(m, batches, 0, stride);
}

#define GPUPROJ_SPARSE_VECTOR(CREATE, GET, GET_VALUES)                                                          \
    GPUPROJ_LIBRARY_API int CREATE(SparseVector** out, std::int64_t size, std::int64_t count, void* indices,    \
                                   void* values, IndexType index_type, int base, DataType type) {               \
        if (size < 0 || count < 0) return invalid_value;                                                        \
        if (!is_index(index_type) || !is_floating(type)) return refuse(#CREATE);                                \
        return make(out, {size, count, indices, values, index_type, base, type});                               \
    }                                                                                                           \
    GPUPROJ_LIBRARY_API int GET(const SparseVector* x, std::int64_t* size, std::int64_t* count, void** indices, \
                                void** values, IndexType* index_type, int* base, DataType* type) {              \
        if (x == nullptr) return invalid_value;                                                                 \
        give(size, x->size);                                                                                    \
        give(count, x->nonzeros);                                                                               \
        give(indices, x->indices);                                                                              \
        give(values, x->values);                                                                                \
        give(index_type, x->index_type);                                                                        \
        give(base, x->base);                                                                                    \
        give(type, x->type);                                                                                    \
        return success;                                                                                         \
    }                                                                                                           \
    GPUPROJ_LIBRARY_API int GET_VALUES(const SparseVector* x, void** values) {                                  \
        return get_values(x, values);                                                                           \
    }
GPUPROJ_SPARSE_VECTOR(cusparseCreateSpVec, cusparseSpVecGet, cusparseSpVecGetValues)
GPUPROJ_SPARSE_VECTOR(cusparseCreateConstSpVec, cusparseConstSpVecGet, cusparseConstSpVecGetValues)
GPUPROJ_LIBRARY_API int cusparseDestroySpVec(const SparseVector* x) {
    return destroy(x);
}
GPUPROJ_LIBRARY_API int cusparseSpVecGetIndexBase(const SparseVector* x, int* base) {
    if (x == nullptr || base == nullptr) return invalid_value;
    *base = x->base;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseSpVecSetValues(SparseVector* x, void* values) {
    return set_values(x, values);
}

#define GPUPROJ_DENSE_VECTOR(CREATE, GET, GET_VALUES)                                                      \
    GPUPROJ_LIBRARY_API int CREATE(DenseVector** out, std::int64_t size, void* values, DataType type) {    \
        if (size < 0) return invalid_value;                                                                \
        return is_floating(type) ? make(out, {size, values, type}) : refuse(#CREATE);                      \
    }                                                                                                      \
    GPUPROJ_LIBRARY_API int GET(const DenseVector* x, std::int64_t* size, void** values, DataType* type) { \
        if (x == nullptr) return invalid_value;                                                            \
        give(size, x->size);                                                                               \
        give(values, x->values);                                                                           \
        give(type, x->type);                                                                               \
        return success;                                                                                    \
    }                                                                                                      \
    GPUPROJ_LIBRARY_API int GET_VALUES(const DenseVector* x, void** values) {                              \
        return get_values(x, values);                                                                      \
    }
GPUPROJ_DENSE_VECTOR(cusparseCreateDnVec, cusparseDnVecGet, cusparseDnVecGetValues)
GPUPROJ_DENSE_VECTOR(cusparseCreateConstDnVec, cusparseConstDnVecGet, cusparseConstDnVecGetValues)
GPUPROJ_LIBRARY_API int cusparseDestroyDnVec(const DenseVector* x) {
    return destroy(x);
}
GPUPROJ_LIBRARY_API int cusparseDnVecSetValues(DenseVector* x, void* values) {
    return set_values(x, values);
}

#define GPUPROJ_DENSE_MATRIX(CREATE, GET, GET_VALUES)                                                                \
    GPUPROJ_LIBRARY_API int CREATE(DenseMatrix** out, std::int64_t rows, std::int64_t columns, std::int64_t leading, \
                                   void* values, DataType type, Order order) {                                       \
        if (rows < 0 || columns < 0 || leading < (order == Order::column ? rows : columns)) return invalid_value;    \
        return is_floating(type) ? make(out, {rows, columns, leading, values, type, order}) : refuse(#CREATE);       \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int GET(const DenseMatrix* m, std::int64_t* rows, std::int64_t* columns,                     \
                                std::int64_t* leading, void** values, DataType* type, Order* order) {                \
        if (m == nullptr) return invalid_value;                                                                      \
        give(rows, m->rows);                                                                                         \
        give(columns, m->columns);                                                                                   \
        give(leading, m->leading);                                                                                   \
        give(values, m->values);                                                                                     \
        give(type, m->type);                                                                                         \
        give(order, m->order);                                                                                       \
        return success;                                                                                              \
    }                                                                                                                \
    GPUPROJ_LIBRARY_API int GET_VALUES(const DenseMatrix* m, void** values) {                                        \
        return get_values(m, values);                                                                                \
    }
GPUPROJ_DENSE_MATRIX(cusparseCreateDnMat, cusparseDnMatGet, cusparseDnMatGetValues)
GPUPROJ_DENSE_MATRIX(cusparseCreateConstDnMat, cusparseConstDnMatGet, cusparseConstDnMatGetValues)
GPUPROJ_LIBRARY_API int cusparseDestroyDnMat(const DenseMatrix* m) {
    return destroy(m);
}
GPUPROJ_LIBRARY_API int cusparseDnMatSetValues(DenseMatrix* m, void* values) {
    return set_values(m, values);
}
GPUPROJ_LIBRARY_API int cusparseDnMatSetStridedBatch(DenseMatrix* m, int batches, std::int64_t stride) {
    if (m == nullptr || batches < 1) return invalid_value;
    m->batches = batches;
    m->stride = stride;
    return success;
}
GPUPROJ_LIBRARY_API int cusparseDnMatGetStridedBatch(const DenseMatrix* m, int* batches, std::int64_t* stride) {
    if (m == nullptr) return invalid_value;
    give(batches, m->batches);
    give(stride, m->stride);
    return success;
}

}  // namespace gpuproj::simulate::libraries::cusparse
