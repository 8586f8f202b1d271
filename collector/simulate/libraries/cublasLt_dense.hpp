// Matrices as their layouts say that they lie in memory, and in the type that is calculated in.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "collector/simulate/libraries/cublas_typed_values.hpp"
#include "collector/simulate/libraries/cublasLt_descriptions.hpp"
#include "collector/simulate/libraries/cublasLt_fp8.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

/// 0 for a type that is not known.
inline std::size_t element_bytes(DataType type) {
    if (is_fp8(type)) return 1;
    return type == c16 || type == cbf16 ? 4 : bytes_of(type);
}

/// Calls `use` with a number of the real type `type` as it lies in memory.
template <class Use>
decltype(auto) with_element(DataType type, Use&& use) {
    if (type == e4m3) return use(Float8<ptx::Type::e4m3>{});
    if (type == e5m2) return use(Float8<ptx::Type::e5m2>{});
    return cublas::with_stored_type(type, std::forward<Use>(use));
}
/// Integers are rounded to nearest and stay within their bounds.
template <class Stored, class T>
Stored stored_as(T value) {
    if constexpr (std::is_integral_v<Stored>) {
        constexpr double least = std::numeric_limits<Stored>::min(), largest = std::numeric_limits<Stored>::max();
        const auto x = static_cast<double>(value);
        return std::isnan(x) ? Stored{} : static_cast<Stored>(std::nearbyint(std::clamp(x, least, largest)));
    } else if constexpr (std::is_arithmetic_v<Stored> || std::is_same_v<Stored, _Float16>) {
        return static_cast<Stored>(value);
    } else {
        return Stored::of(static_cast<float>(value));
    }
}
/// One number; T is complex where `type` is.
template <class T>
T scalar_at(DataType type, const void* at, std::size_t i) {
    if constexpr (is_complex<T>)
        return static_cast<const T*>(at)[i];
    else
        return with_element(
            type, [&](auto stored) { return cublas::number_of<T>(static_cast<const decltype(stored)*>(at)[i]); });
}

/// By columns, without gaps.
template <class T>
struct Dense {
    std::int64_t rows, columns;
    std::vector<T> values = std::vector<T>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));

    T* column(std::int64_t j) { return values.data() + j * rows; }
    const T* column(std::int64_t j) const { return values.data() + j * rows; }
};

inline std::int64_t rounded_up(std::int64_t x, std::int64_t to) {
    return (x + to - 1) / to * to;
}
/// In elements from the first.
inline std::int64_t offset_of(const MatrixLayout& layout, std::int64_t row, std::int64_t column) {
    const std::int64_t group = column / 32 * layout.leading, c = column % 32;
    switch (layout.order) {
        case Order::column:
            return column * layout.leading + row;
        case Order::row:
            return row * layout.leading + column;
        case Order::column32:
            return group + row * 32 + c;
        case Order::column4_4r2_8c:  // of 8 rows, the even ones before the odd ones, 4 columns at a time
            return group + row / 8 * 256 + row % 2 * 128 + c / 4 * 16 + row % 8 / 2 * 4 + c % 4;
        case Order::column32_2r_4r4: {
            const std::int64_t r = row % 32;
            return group + row / 32 * 1024 + ((r % 8 / 2 * 4 + r / 8) * 2 + r % 2) * 32 + c;
        }
    }
    return 0;
}
/// The smallest leading dimension with which elements have places of their own; -1: the order is not known.
inline std::int64_t least_leading(const MatrixLayout& layout) {
    switch (layout.order) {
        case Order::column:
            return layout.rows;
        case Order::row:
            return layout.columns;
        case Order::column32:
            return 32 * layout.rows;
        case Order::column4_4r2_8c:
            return 32 * rounded_up(layout.rows, 8);
        case Order::column32_2r_4r4:
            return 32 * rounded_up(layout.rows, 32);
    }
    return -1;
}
/// Elements from the first to behind the last.
inline std::int64_t span_of(const MatrixLayout& layout) {
    if (layout.rows == 0 || layout.columns == 0) return 0;
    if (layout.order == Order::column || layout.order == Order::row)
        return offset_of(layout, layout.rows - 1, layout.columns - 1) + 1;
    return rounded_up(layout.columns, 32) / 32 * layout.leading;
}

/// use(place in a Dense, place in memory in elements)
template <class Use>
void for_each_element(const MatrixLayout& layout, Use&& use) {
    const bool strided = layout.order == Order::column || layout.order == Order::row;
    const std::int64_t by_row = layout.order == Order::row ? layout.leading : 1;
    const std::int64_t by_column = layout.order == Order::row ? 1 : layout.leading;
    std::size_t place = 0;
    for (std::int64_t j = 0; j < layout.columns; ++j)
        for (std::int64_t i = 0; i < layout.rows; ++i)
            use(place++, strided ? i * by_row + j * by_column : offset_of(layout, i, j));
}

/// The matrix at `at`; T is complex where its type is.
template <class T>
Dense<T> loaded(const MatrixLayout& layout, const void* at) {
    Dense<T> to{layout.rows, layout.columns};
    if constexpr (is_complex<T>) {
        with_element(part_of(layout.type), [&](auto stored) {
            using Real = typename T::value_type;
            const auto* const real = static_cast<const decltype(stored)*>(at);
            const auto* const imaginary = reinterpret_cast<const decltype(stored)*>(
                static_cast<const char*>(at) +
                (layout.plane_offset != 0 ? layout.plane_offset : static_cast<std::int64_t>(sizeof stored)));
            const std::int64_t step = layout.plane_offset != 0 ? 1 : 2;
            for_each_element(layout, [&](std::size_t place, std::int64_t offset) {
                to.values[place] = {cublas::number_of<Real>(real[offset * step]),
                                    cublas::number_of<Real>(imaginary[offset * step])};
            });
        });
    } else {
        with_element(layout.type, [&](auto stored) {
            const auto* const from = static_cast<const decltype(stored)*>(at);
            for_each_element(layout, [&](std::size_t place, std::int64_t offset) {
                to.values[place] = cublas::number_of<T>(from[offset]);
            });
        });
    }
    return to;
}

/// Rounds each number once.
template <class T>
void store(const MatrixLayout& layout, const Dense<T>& from, void* at) {
    const auto span = static_cast<std::size_t>(span_of(layout));
    if constexpr (is_complex<T>) {
        with_element(part_of(layout.type), [&](auto stored) {
            using Stored = decltype(stored);
            auto* const real = static_cast<Stored*>(at);
            auto* const imaginary = reinterpret_cast<Stored*>(
                static_cast<char*>(at) +
                (layout.plane_offset != 0 ? layout.plane_offset : static_cast<std::int64_t>(sizeof(Stored))));
            const std::int64_t step = layout.plane_offset != 0 ? 1 : 2;
            for_each_element(layout, [&](std::size_t place, std::int64_t offset) {
                real[offset * step] = stored_as<Stored>(from.values[place].real());
                imaginary[offset * step] = stored_as<Stored>(from.values[place].imag());
            });
            gpuproj_library_wrote(real, span * sizeof(Stored) * static_cast<std::size_t>(step));
            if (layout.plane_offset != 0) gpuproj_library_wrote(imaginary, span * sizeof(Stored));
        });
    } else {
        with_element(layout.type, [&](auto stored) {
            using Stored = decltype(stored);
            auto* const to = static_cast<Stored*>(at);
            for_each_element(layout, [&](std::size_t place, std::int64_t offset) {
                to[offset] = stored_as<Stored>(from.values[place]);
            });
            gpuproj_library_wrote(to, span * sizeof(Stored));
        });
    }
}

/// Where the matrix number `batch` begins; `unit`: bytes that the stride counts.
template <class Pointer>
Pointer matrix_of_batch(const MatrixLayout& layout, Pointer at, std::int64_t batch, std::size_t unit) {
    if (layout.batch_mode == BatchMode::pointers) return static_cast<const Pointer*>(at)[batch];
    return const_cast<char*>(static_cast<const char*>(at)) +
           batch * layout.batch_stride * static_cast<std::int64_t>(unit);
}

/// Are the sizes, the leading dimension and the batches of a layout possible?
inline bool is_possible(const MatrixLayout& layout) {
    const std::int64_t least = least_leading(layout);
    return layout.rows >= 0 && layout.columns >= 0 && least >= 0 && layout.leading >= least && layout.batches >= 1 &&
           (layout.batch_mode == BatchMode::strided || layout.batch_mode == BatchMode::pointers);
}

}  // namespace gpuproj::simulate::libraries::cublas_lt
