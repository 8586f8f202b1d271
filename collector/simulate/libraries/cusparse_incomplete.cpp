// Incomplete factorizations without fill-in, in place: rows of sorted columns with 32-bit indices.
#include <vector>

#include "collector/simulate/libraries/cusparse_matrix_description.hpp"
#include "collector/simulate/libraries/cusparse_numbers.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

constexpr int none = -1;

// What csrilu02Info_t and csric02Info_t point to. The work of a stream may outlive it.
struct Info {
    std::shared_ptr<int> zero_pivot = std::make_shared<int>(none);  // of the last analysis or factorization
    bool boost = false;
    const double* tolerance = nullptr;
    const void* boost_value = nullptr;
};

template <class T>
struct Matrix {
    int rows, base;
    T* values;
    const int *offsets, *columns;

    int begin(int row) const { return offsets[row] - base; }
    int end(int row) const { return offsets[row + 1] - base; }
    int column(int k) const { return columns[k] - base; }
    int diagonal(int row) const {
        for (int k = begin(row); k < end(row); ++k)
            if (column(k) == row) return k;
        return none;
    }
};

void note(int& zero_pivot, int row) {
    if (zero_pivot == none) zero_pivot = row;
}

/// Where the entries of the row that is worked on are, by column.
class Places {
public:
    explicit Places(int columns) : places_(static_cast<std::size_t>(columns), none) {}
    template <class T>
    void enter(const Matrix<T>& m, int row) {
        for (int k = m.begin(row); k < m.end(row); ++k) places_[m.column(k)] = k;
    }
    template <class T>
    void leave(const Matrix<T>& m, int row) {
        for (int k = m.begin(row); k < m.end(row); ++k) places_[m.column(k)] = none;
    }
    int operator[](int column) const { return places_[column]; }

private:
    std::vector<int> places_;
};

/// A becomes L and U, L's diagonal of ones not stored.
template <class T>
void incomplete_lu(const Matrix<T>& m, bool boosted, double tolerance, T boost, int& zero_pivot) {
    Places places(m.rows);
    std::vector<int> diagonals(static_cast<std::size_t>(m.rows), none);
    for (int row = 0; row < m.rows; ++row) {
        places.enter(m, row);
        for (int k = m.begin(row); k < m.end(row) && m.column(k) < row; ++k) {
            const int pivot = diagonals[m.column(k)];
            if (pivot == none) continue;
            const T factor = m.values[k] /= m.values[pivot];
            for (int i = pivot + 1; i < m.end(m.column(k)); ++i)
                if (const int to = places[m.column(i)]; to != none) m.values[to] -= factor * m.values[i];
        }
        const int diagonal = diagonals[row] = places[row];
        places.leave(m, row);
        if (diagonal != none && boosted && std::abs(m.values[diagonal]) <= tolerance)
            m.values[diagonal] = boost;
        else if (diagonal == none || m.values[diagonal] == T{})
            note(zero_pivot, row);
    }
}

/// A's lower triangle becomes L with A = L conj(L)^T.
template <class T>
void incomplete_cholesky(const Matrix<T>& m, int& zero_pivot) {
    Places places(m.rows);
    std::vector<int> diagonals(static_cast<std::size_t>(m.rows), none);
    for (int row = 0; row < m.rows; ++row) {
        places.enter(m, row);
        for (int k = m.begin(row); k < m.end(row) && m.column(k) <= row; ++k) {
            const int column = m.column(k);
            T rest = m.values[k];
            for (int i = m.begin(column); i < m.end(column) && m.column(i) < column; ++i)
                if (const int place = places[m.column(i)]; place != none)
                    rest -= m.values[place] * conjugate(m.values[i]);
            if (column == row) {
                if (!(std::real(rest) > 0)) note(zero_pivot, row);
                m.values[k] = std::sqrt(rest);
                diagonals[row] = k;
            } else if (diagonals[column] != none)
                m.values[k] = rest / m.values[diagonals[column]];
        }
        if (diagonals[row] == none) note(zero_pivot, row);
        places.leave(m, row);
    }
}

int make_info(Info** out) noexcept {
    if (out == nullptr) return invalid_value;
    try {
        *out = new Info;
        return success;
    } catch (const std::bad_alloc&) {
        return allocation_failed;
    }
}

template <class T>
int analyse(const char* name, void* h, const Matrix<T>& m, const Info* info) {
    if (info == nullptr || m.rows < 0) return invalid_value;
    return submit(name, h, [m, zero_pivot = info->zero_pivot] {
        *zero_pivot = none;
        for (int row = 0; row < m.rows; ++row)
            if (m.diagonal(row) == none) note(*zero_pivot, row + m.base);
    });
}

// Scalars of the boost lie where the handle says.
template <class T>
struct Boosting {
    Scalar<double> tolerance;
    Scalar<T> value;
};

template <class T>
int factor_lu(const char* name, void* h, const Matrix<T>& m, int entries, const Info* info) {
    const Handle* const handle = handle_of(h);
    if (handle == nullptr) return not_initialized;
    if (info == nullptr || m.rows < 0) return invalid_value;
    static constexpr double no_tolerance = 0;
    static constexpr T no_value{};
    const Handle on_host;
    const bool boosted = info->boost;
    const Boosting<T> boosting{{boosted ? *handle : on_host, boosted ? info->tolerance : &no_tolerance},
                               {boosted ? *handle : on_host, boosted ? info->boost_value : &no_value}};
    return submit(name, h, [m, entries, boosted, boosting, zero_pivot = info->zero_pivot] {
        *zero_pivot = none;
        incomplete_lu(m, boosted, boosting.tolerance(), boosting.value(), *zero_pivot);
        if (*zero_pivot != none) *zero_pivot += m.base;
        wrote(m.values, entries, sizeof(T));
    });
}

template <class T>
int factor_cholesky(const char* name, void* h, const Matrix<T>& m, int entries, const Info* info) {
    if (info == nullptr || m.rows < 0) return invalid_value;
    return submit(name, h, [m, entries, zero_pivot = info->zero_pivot] {
        *zero_pivot = none;
        incomplete_cholesky(m, *zero_pivot);
        if (*zero_pivot != none) *zero_pivot += m.base;
        wrote(m.values, entries, sizeof(T));
    });
}

int give_zero_pivot(void* h, const Info* info, int* position) {
    if (info == nullptr || position == nullptr) return invalid_value;
    if (const int code = finish(h); code != success) return code;
    *position = *info->zero_pivot;
    if (handle_of(h)->pointer_mode == 1) wrote(position, 1, sizeof(int));
    return *info->zero_pivot == none ? success : zero_pivot;
}

}  // namespace

#define GPUPROJ_INCOMPLETE_INFO(Name, name)                                                         \
    GPUPROJ_LIBRARY_API int cusparseCreate##Name##Info(Info** out) {                                \
        return make_info(out);                                                                      \
    }                                                                                               \
    GPUPROJ_LIBRARY_API int cusparseDestroy##Name##Info(Info* info) {                               \
        delete info;                                                                                \
        return success;                                                                             \
    }                                                                                               \
    GPUPROJ_LIBRARY_API int cusparseX##name##_zeroPivot(void* h, const Info* info, int* position) { \
        return give_zero_pivot(h, info, position);                                                  \
    }
GPUPROJ_INCOMPLETE_INFO(Csrilu02, csrilu02)
GPUPROJ_INCOMPLETE_INFO(Csric02, csric02)

#define GPUPROJ_INCOMPLETE(T, NAME, FACTOR)                                                                            \
    GPUPROJ_LIBRARY_API int cusparse##NAME##_bufferSize(void* h, int, int, const void*, T*, const int*, const int*,    \
                                                        Info*, int* bytes) {                                           \
        return give_buffer_size(h, bytes);                                                                             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusparse##NAME##_bufferSizeExt(void* h, int, int, const void*, T*, const int*, const int*, \
                                                           Info*, std::size_t* bytes) {                                \
        return give_buffer_size(h, bytes);                                                                             \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusparse##NAME##_analysis(void* h, int m, int, const void* description, T* values,         \
                                                      const int* offsets, const int* columns, Info* info, int,         \
                                                      void*) {                                                         \
        return analyse("cusparse" #NAME "_analysis", h, Matrix<T>{m, base_of(description), values, offsets, columns},  \
                       info);                                                                                          \
    }                                                                                                                  \
    GPUPROJ_LIBRARY_API int cusparse##NAME(void* h, int m, int entries, const void* description, T* values,            \
                                           const int* offsets, const int* columns, Info* info, int, void*) {           \
        return FACTOR("cusparse" #NAME, h, Matrix<T>{m, base_of(description), values, offsets, columns}, entries,      \
                      info);                                                                                           \
    }
GPUPROJ_INCOMPLETE(float, Scsrilu02, factor_lu)
GPUPROJ_INCOMPLETE(double, Dcsrilu02, factor_lu)
GPUPROJ_INCOMPLETE(C32, Ccsrilu02, factor_lu)
GPUPROJ_INCOMPLETE(C64, Zcsrilu02, factor_lu)
GPUPROJ_INCOMPLETE(float, Scsric02, factor_cholesky)
GPUPROJ_INCOMPLETE(double, Dcsric02, factor_cholesky)
GPUPROJ_INCOMPLETE(C32, Ccsric02, factor_cholesky)
GPUPROJ_INCOMPLETE(C64, Zcsric02, factor_cholesky)

#define GPUPROJ_BOOST(T, X)                                                                                          \
    GPUPROJ_LIBRARY_API int cusparse##X##csrilu02_numericBoost(void* h, Info* info, int on, const double* tolerance, \
                                                               const T* value) {                                     \
        if (handle_of(h) == nullptr) return not_initialized;                                                         \
        if (info == nullptr || (on != 0 && (tolerance == nullptr || value == nullptr))) return invalid_value;        \
        info->boost = on != 0;                                                                                       \
        info->tolerance = tolerance;                                                                                 \
        info->boost_value = value;                                                                                   \
        return success;                                                                                              \
    }
GPUPROJ_BOOST(float, S)
GPUPROJ_BOOST(double, D)
GPUPROJ_BOOST(C32, C)
GPUPROJ_BOOST(C64, Z)

}  // namespace gpuproj::simulate::libraries::cusparse
