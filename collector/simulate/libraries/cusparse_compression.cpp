// Compressed rows without their small entries, in two steps: how many stay, and those.
#include <complex>

#include "collector/simulate/libraries/cusparse_matrix_description.hpp"
#include "collector/simulate/libraries/cusparse_numbers.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

/// Of a complex tolerance the real part counts.
template <class T>
bool stays(T value, T tolerance) {
    return std::abs(value) > std::real(tolerance);
}

template <class T>
int count(const char* name, void* h, int rows, const void* description, const T* values, const int* offsets,
          int* in_row, int* in_all, T tolerance) {
    const Handle* const handle = handle_of(h);
    if (handle == nullptr) return not_initialized;
    if (rows < 0 || std::real(tolerance) < 0) return invalid_value;
    const bool host_asks = handle->pointer_mode == 0;
    const int code = submit(name, h, [=, base = base_of(description)] {
        int all = 0;
        for (int row = 0; row < rows; ++row) {
            int stay = 0;
            for (int k = offsets[row] - base; k < offsets[row + 1] - base; ++k)
                stay += static_cast<int>(stays(values[k], tolerance));
            in_row[row] = stay;
            all += stay;
        }
        *in_all = all;
        wrote(in_row, rows, sizeof(int));
        if (!host_asks) wrote(in_all, 1, sizeof(int));
    });
    return code == success && host_asks ? finish(h) : code;
}

template <class T>
struct Rows {
    T* values;
    int *columns, *offsets;
};

template <class T>
int compress(const char* name, void* h, int rows, const void* description, const Rows<const T>& from, const int* in_row,
             const Rows<T>& to, T tolerance) {
    if (rows < 0 || std::real(tolerance) < 0) return invalid_value;
    return submit(name, h, [=, base = base_of(description)] {
        to.offsets[0] = base;
        for (int row = 0; row < rows; ++row) to.offsets[row + 1] = to.offsets[row] + in_row[row];
        int next = 0;
        for (int k = 0; k < from.offsets[rows] - base; ++k) {
            if (!stays(from.values[k], tolerance)) continue;
            to.columns[next] = from.columns[k];
            to.values[next++] = from.values[k];
        }
        wrote(to.offsets, std::int64_t{rows} + 1, sizeof(int));
        wrote(to.columns, next, sizeof(int));
        wrote(to.values, next, sizeof(T));
    });
}

}  // namespace

#define GPUPROJ_COMPRESSION(T, X)                                                                                   \
    GPUPROJ_LIBRARY_API int cusparse##X##nnz_compress(void* h, int m, const void* description, const T* values,     \
                                                      const int* offsets, int* in_row, int* in_all, T tolerance) {  \
        return count("cusparse" #X "nnz_compress", h, m, description, values, offsets, in_row, in_all, tolerance);  \
    }                                                                                                               \
    GPUPROJ_LIBRARY_API int cusparse##X##csr2csr_compress(                                                          \
        void* h, int m, int, const void* description, const T* values, int* columns, int* offsets, int,             \
        const int* in_row, T* to_values, int* to_columns, int* to_offsets, T tolerance) {                           \
        return compress<T>("cusparse" #X "csr2csr_compress", h, m, description, {values, columns, offsets}, in_row, \
                           {to_values, to_columns, to_offsets}, tolerance);                                         \
    }
GPUPROJ_COMPRESSION(float, S)
GPUPROJ_COMPRESSION(double, D)
GPUPROJ_COMPRESSION(C32, C)
GPUPROJ_COMPRESSION(C64, Z)

}  // namespace gpuproj::simulate::libraries::cusparse
