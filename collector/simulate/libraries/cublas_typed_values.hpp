// Numbers in memory whose type is named at run time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "collector/simulate/libraries/cublas_types.hpp"

namespace gpuproj::simulate::libraries::cublas {

/// Calls `use` with a number of the real type `type` as it lies in memory; of float for all others.
template <class Use>
decltype(auto) with_stored_type(DataType type, Use&& use) {
    switch (type) {
        case DataType::i8:
            return use(std::int8_t{});
        case DataType::i32:
            return use(std::int32_t{});
        case DataType::f16:
            return use(_Float16{});
        case DataType::bf16:
            return use(BFloat16{});
        case DataType::f64:
            return use(double{});
        default:
            return use(float{});
    }
}

/// T is float or double.
template <class T, class Stored>
T number_of(Stored stored) {
    if constexpr (std::is_arithmetic_v<Stored>)
        return static_cast<T>(stored);
    else
        return static_cast<T>(static_cast<float>(stored));
}
template <class Stored, class T>
Stored stored_as(T value) {
    if constexpr (std::is_same_v<Stored, BFloat16>)
        return BFloat16::of(static_cast<float>(value));
    else
        return static_cast<Stored>(value);
}

template <class T>
T read(DataType type, const void* at, std::size_t i) {
    return with_stored_type(type,
                            [&](auto stored) { return number_of<T>(static_cast<const decltype(stored)*>(at)[i]); });
}
template <class T>
void write(DataType type, void* at, std::size_t i, T value) {
    with_stored_type(type, [&](auto stored) {
        using Stored = decltype(stored);
        static_cast<Stored*>(at)[i] = stored_as<Stored>(value);
    });
}

}  // namespace gpuproj::simulate::libraries::cublas
