// What products of matrices are counted as, by the type of their inputs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/program.hpp"

namespace gpuproj::simulate::decoding {

using ptx::Type;

/// What a type of inputs counts as, and operations of the largest instruction for it that recent tensor units take.
struct TensorKind {
    Type type;
    Class counted;
    std::uint32_t at_once;
};
inline constexpr std::array tensor_kinds{
    TensorKind{Type::f16, Class::tensor_fp16, 4096},  TensorKind{Type::bf16, Class::tensor_bf16, 4096},
    TensorKind{Type::tf32, Class::tensor_tf32, 2048}, TensorKind{Type::f64, Class::tensor_fp64, 512},
    TensorKind{Type::s8, Class::tensor_int8, 8192},   TensorKind{Type::u8, Class::tensor_int8, 8192},
    TensorKind{Type::e4m3, Class::tensor_fp8, 8192},  TensorKind{Type::e5m2, Class::tensor_fp8, 8192},
    TensorKind{Type::e2m3, Class::tensor_fp8, 8192},  TensorKind{Type::e3m2, Class::tensor_fp8, 8192},
    TensorKind{Type::e2m1, Class::tensor_fp8, 8192},  TensorKind{Type::s4, Class::tensor_int4, 16384},
    TensorKind{Type::u4, Class::tensor_int4, 16384},  TensorKind{Type::b1, Class::tensor_int1, 65536}};
/// nullptr: no matrices have it.
inline const TensorKind* tensor_kind(Type type) {
    const auto* const found = std::ranges::find(tensor_kinds, type, &TensorKind::type);
    return found == tensor_kinds.end() ? nullptr : found;
}
inline bool is_tensor_type(Type type) {
    return tensor_kind(type) != nullptr;
}

/// What an instruction counts whose inputs have a type of the table: operations of a warp, and machine instructions.
inline Mix tensor_mix(std::uint32_t operations, Type type, std::uint32_t instructions) {
    Mix mix = static_cast<float>(instructions) * one({Class::tensor});
    mix[static_cast<std::size_t>(tensor_kind(type)->counted)] = static_cast<float>(operations);
    return mix;
}

}  // namespace gpuproj::simulate::decoding
