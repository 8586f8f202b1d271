// Numbers whose type is known at run time. Calculations are done in float, double and their complex types; half
// precision and bfloat16 are stored only.
#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "collector/simulate/libraries/cusparse_types.hpp"

namespace gpuproj::simulate::libraries::cusparse {

template <class T>
struct Of {
    using Type = T;
};

template <class F>
int with_known_type(DataType type, F&& f) {
    switch (type) {
        case DataType::f32:
            return f(Of<float>{});
        case DataType::f64:
            return f(Of<double>{});
        case DataType::c32:
            return f(Of<C32>{});
        case DataType::c64:
            return f(Of<C64>{});
        default:
            return not_supported;
    }
}

/// Calls f(Of<T>{}) for the type that `function` calculates in. Refuses if it is none of the four, or if `f` gives
/// not_supported.
template <class F>
int with_compute_type(const char* function, DataType type, F&& f) {
    const int code = with_known_type(type, f);
    return code == not_supported ? refuse(function) : code;
}

/// The type in which numbers that are stored as `type` are calculated.
inline DataType calculated_as(DataType type) {
    return type == DataType::f16 || type == DataType::bf16 ? DataType::f32 : type;
}

/// Calls f(Of<V>{}) for the type that numbers calculated as T are stored in; false if they cannot be.
template <class T, class F>
bool with_stored_type(DataType type, F&& f) {
    const auto take = [&f](auto stored) {
        f(stored);
        return true;
    };
    if constexpr (std::is_same_v<T, float>) {
        if (type == DataType::f32) return take(Of<float>{});
        if (type == DataType::f16) return take(Of<_Float16>{});
        if (type == DataType::bf16) return take(Of<BFloat16>{});
    } else if constexpr (std::is_same_v<T, double>) {
        if (type == DataType::f64) return take(Of<double>{});
        if (type == DataType::f32) return take(Of<float>{});
    } else if constexpr (std::is_same_v<T, C32>) {
        if (type == DataType::c32) return take(Of<C32>{});
        if (type == DataType::f32) return take(Of<float>{});
    } else {
        if (type == DataType::c64) return take(Of<C64>{});
        if (type == DataType::f64) return take(Of<double>{});
    }
    return false;
}

template <class T>
bool stored_as(DataType type) {
    return with_stored_type<T>(type, [](auto) {});
}

template <class T, class V>
T calculated(V value) {
    if constexpr (std::is_same_v<T, V>)
        return value;
    else if constexpr (is_complex<T>)
        return T(value);
    else
        return static_cast<T>(static_cast<float>(value));  // what is stored is narrower
}

template <class V, class T>
V stored(T value) {
    if constexpr (std::is_same_v<T, V>)
        return value;
    else if constexpr (is_complex<T>)
        return value.real();
    else if constexpr (std::is_same_v<V, BFloat16>)
        return BFloat16::of(value);
    else
        return static_cast<V>(value);
}

inline std::size_t bytes_of(IndexType type) {
    return type == IndexType::i64 ? 8 : 4;
}
inline void wrote(const void* begin, std::int64_t count, std::size_t bytes_each) {
    if (count > 0) gpuproj_library_wrote(begin, static_cast<std::size_t>(count) * bytes_each);
}

/// Calls f(Of<I>{}) for the type of indices.
template <class F>
void with_index_type(IndexType type, F&& f) {
    if (type == IndexType::i64)
        f(Of<std::int64_t>{});
    else
        f(Of<std::int32_t>{});
}

inline bool is_index(IndexType type) {
    return type == IndexType::i32 || type == IndexType::i64;
}

template <class T>
std::vector<T> filled(std::int64_t count) {
    return std::vector<T>(static_cast<std::size_t>(count > 0 ? count : 0));
}

/// A vector's numbers as T: where they lie, or a copy if they are of another type.
template <class T>
class Numbers {
public:
    Numbers(DataType type, const void* values, std::int64_t count) {
        with_stored_type<T>(type, [&](auto known) {
            using V = typename decltype(known)::Type;
            const auto* const from = static_cast<const V*>(values);
            if constexpr (std::is_same_v<V, T>)
                begin_ = from;
            else {
                copy_ = filled<T>(count);
                T* const to = copy_.data();
                for (std::int64_t i = 0; i < count; ++i) to[i] = calculated<T>(from[i]);
                begin_ = to;
            }
        });
    }
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;
    const T& operator[](std::int64_t i) const { return begin_[i]; }

private:
    const T* begin_ = nullptr;
    std::vector<T> copy_;
};

/// y = alpha sum + beta y; y is not read if beta is 0.
template <class T>
void store(const DenseVector& y, T alpha, const T* sum, T beta) {
    with_stored_type<T>(y.type, [&](auto known) {
        using V = typename decltype(known)::Type;
        auto* const to = static_cast<V*>(y.values);
        for (std::int64_t i = 0; i < y.size; ++i)
            to[i] = stored<V>(beta == T{} ? alpha * sum[i] : alpha * sum[i] + beta * calculated<T>(to[i]));
    });
    wrote(y.values, y.size, bytes_of(y.type));
}

}  // namespace gpuproj::simulate::libraries::cusparse
