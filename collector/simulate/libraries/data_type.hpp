// cudaDataType: types of numbers that are named at run time.
#pragma once

#include <cstddef>

namespace gpuproj::simulate::libraries {

/// Those that several libraries take, in the numbers of the public interface.
enum class DataType : int { f32 = 0, f64 = 1, f16 = 2, i8 = 3, c32 = 4, c64 = 5, i32 = 10, bf16 = 14 };

/// 0 for a type that is not known.
constexpr std::size_t bytes_of(DataType type) {
    switch (type) {
        case DataType::i8:
            return 1;
        case DataType::f16:
        case DataType::bf16:
            return 2;
        case DataType::f32:
        case DataType::i32:
            return 4;
        case DataType::f64:
        case DataType::c32:
            return 8;
        case DataType::c64:
            return 16;
    }
    return 0;
}

/// Floating-point numbers and complex ones; false for a type that is not known.
constexpr bool is_floating(DataType type) {
    return bytes_of(type) > 0 && type != DataType::i8 && type != DataType::i32;
}

}  // namespace gpuproj::simulate::libraries
