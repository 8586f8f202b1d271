// What cuBLASLt's descriptors hold. The order of members is part of the interface with applications of older versions,
// whose structs are shorter: what came later comes last.
#pragma once

#include <utility>

#include "collector/simulate/libraries/cublasLt_descriptor.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

struct MatrixLayout {
    static constexpr std::uint16_t kind = 0x6c61;
    static constexpr std::size_t least_bytes = 64;

    DescriptorHead head;
    DataType type = DataType::f32;
    std::int64_t rows = 0, columns = 0, leading = 0;
    Order order = Order::column;
    std::int32_t batches = 1;
    std::int64_t batch_stride = 0;  // elements
    std::int64_t plane_offset = 0;  // bytes to the imaginary parts; 0: they are beside the real ones
    BatchMode batch_mode = BatchMode::strided;
    std::uint32_t unused = 0;

    static const Attribute attributes[9];
};
inline constexpr Attribute MatrixLayout::attributes[9] = {
    GPUPROJ_ATTRIBUTE(0, MatrixLayout, type),         GPUPROJ_ATTRIBUTE(1, MatrixLayout, order),
    GPUPROJ_ATTRIBUTE(2, MatrixLayout, rows),         GPUPROJ_ATTRIBUTE(3, MatrixLayout, columns),
    GPUPROJ_ATTRIBUTE(4, MatrixLayout, leading),      GPUPROJ_ATTRIBUTE(5, MatrixLayout, batches),
    GPUPROJ_ATTRIBUTE(6, MatrixLayout, batch_stride), GPUPROJ_ATTRIBUTE(7, MatrixLayout, plane_offset),
    GPUPROJ_ATTRIBUTE(8, MatrixLayout, batch_mode)};

struct MatmulDescription {
    static constexpr std::uint16_t kind = 0x6d75;
    static constexpr std::size_t least_bytes = 88;  // CUDA 11.0; 12.0: 184

    DescriptorHead head;
    Compute compute = Compute::f32;
    DataType scale_type = DataType::f32;
    PointerMode pointer_mode = PointerMode::host;
    Operation operation_a = Operation::none, operation_b = Operation::none, operation_c = Operation::none;
    cublas::Fill fill = cublas::Fill::full;
    std::uint32_t epilogue = no_epilogue;
    std::int32_t sm_count_target = 0;
    void* bias = nullptr;
    std::int64_t bias_batch_stride = 0;
    void* auxiliary = nullptr;
    std::int64_t auxiliary_leading = 0, auxiliary_batch_stride = 0, alpha_batch_stride = 0;

    const float *a_scale = nullptr, *b_scale = nullptr, *c_scale = nullptr, *d_scale = nullptr;
    float* d_largest = nullptr;
    DataType auxiliary_type = type_not_set, bias_type = type_not_set;
    const float* auxiliary_scale = nullptr;
    float* auxiliary_largest = nullptr;
    std::int8_t fast_accumulation = 0;
    ScaleMode a_mode{}, b_mode{}, c_mode{}, d_mode{}, auxiliary_mode{}, d_out_mode{};
    void* d_out_scale = nullptr;
    const void* emulation = nullptr;

    static const Attribute attributes[33];
};
inline constexpr Attribute MatmulDescription::attributes[33] = {
    GPUPROJ_ATTRIBUTE(0, MatmulDescription, compute),
    GPUPROJ_ATTRIBUTE(1, MatmulDescription, scale_type),
    GPUPROJ_ATTRIBUTE(2, MatmulDescription, pointer_mode),
    GPUPROJ_ATTRIBUTE(3, MatmulDescription, operation_a),
    GPUPROJ_ATTRIBUTE(4, MatmulDescription, operation_b),
    GPUPROJ_ATTRIBUTE(5, MatmulDescription, operation_c),
    GPUPROJ_ATTRIBUTE(6, MatmulDescription, fill),
    GPUPROJ_ATTRIBUTE(7, MatmulDescription, epilogue),
    GPUPROJ_ATTRIBUTE(8, MatmulDescription, bias),
    GPUPROJ_ATTRIBUTE(10, MatmulDescription, bias_batch_stride),
    GPUPROJ_ATTRIBUTE(11, MatmulDescription, auxiliary),
    GPUPROJ_ATTRIBUTE(12, MatmulDescription, auxiliary_leading),
    GPUPROJ_ATTRIBUTE(13, MatmulDescription, auxiliary_batch_stride),
    GPUPROJ_ATTRIBUTE(14, MatmulDescription, alpha_batch_stride),
    GPUPROJ_ATTRIBUTE(15, MatmulDescription, sm_count_target),
    GPUPROJ_ATTRIBUTE(17, MatmulDescription, a_scale),
    GPUPROJ_ATTRIBUTE(18, MatmulDescription, b_scale),
    GPUPROJ_ATTRIBUTE(19, MatmulDescription, c_scale),
    GPUPROJ_ATTRIBUTE(20, MatmulDescription, d_scale),
    GPUPROJ_ATTRIBUTE(21, MatmulDescription, d_largest),
    GPUPROJ_ATTRIBUTE(22, MatmulDescription, auxiliary_type),
    GPUPROJ_ATTRIBUTE(23, MatmulDescription, auxiliary_scale),
    GPUPROJ_ATTRIBUTE(24, MatmulDescription, auxiliary_largest),
    GPUPROJ_ATTRIBUTE(25, MatmulDescription, fast_accumulation),
    GPUPROJ_ATTRIBUTE(26, MatmulDescription, bias_type),
    GPUPROJ_ATTRIBUTE(31, MatmulDescription, a_mode),
    GPUPROJ_ATTRIBUTE(32, MatmulDescription, b_mode),
    GPUPROJ_ATTRIBUTE(33, MatmulDescription, c_mode),
    GPUPROJ_ATTRIBUTE(34, MatmulDescription, d_mode),
    GPUPROJ_ATTRIBUTE(35, MatmulDescription, auxiliary_mode),
    GPUPROJ_ATTRIBUTE(36, MatmulDescription, d_out_scale),
    GPUPROJ_ATTRIBUTE(37, MatmulDescription, d_out_mode),
    GPUPROJ_ATTRIBUTE(38, MatmulDescription, emulation)};

struct TransformDescription {
    static constexpr std::uint16_t kind = 0x7472;
    static constexpr std::size_t least_bytes = 64;

    DescriptorHead head;
    DataType scale_type = DataType::f32;
    PointerMode pointer_mode = PointerMode::host;
    Operation operation_a = Operation::none, operation_b = Operation::none;
    std::uint32_t unused[11]{};

    static const Attribute attributes[4];
};
inline constexpr Attribute TransformDescription::attributes[4] = {
    GPUPROJ_ATTRIBUTE(0, TransformDescription, scale_type), GPUPROJ_ATTRIBUTE(1, TransformDescription, pointer_mode),
    GPUPROJ_ATTRIBUTE(2, TransformDescription, operation_a), GPUPROJ_ATTRIBUTE(3, TransformDescription, operation_b)};

/// Nothing of it but the search mode matters where there is one algorithm, that needs no workspace.
struct Preference {
    static constexpr std::uint16_t kind = 0x7072;
    static constexpr std::size_t least_bytes = 64;  // CUDA 13; before: 80

    DescriptorHead head;
    std::uint32_t search_mode = 0;
    std::uint64_t workspace_bytes = 0;
    std::uint32_t reductions = 7;
    std::uint32_t alignment_a = 256, alignment_b = 256, alignment_c = 256, alignment_d = 256;
    float waves = 0;
    std::uint64_t implementations = ~std::uint64_t{0};
    // Before CUDA 12.
    std::uint32_t math_modes = 0, gaussian_modes = 3, pointer_modes = 0, epilogues = 0;

    static const Attribute attributes[13];
};
inline constexpr Attribute Preference::attributes[13] = {
    GPUPROJ_ATTRIBUTE(0, Preference, search_mode),     GPUPROJ_ATTRIBUTE(1, Preference, workspace_bytes),
    GPUPROJ_ATTRIBUTE(2, Preference, math_modes),      GPUPROJ_ATTRIBUTE(3, Preference, reductions),
    GPUPROJ_ATTRIBUTE(4, Preference, gaussian_modes),  GPUPROJ_ATTRIBUTE(5, Preference, alignment_a),
    GPUPROJ_ATTRIBUTE(6, Preference, alignment_b),     GPUPROJ_ATTRIBUTE(7, Preference, alignment_c),
    GPUPROJ_ATTRIBUTE(8, Preference, alignment_d),     GPUPROJ_ATTRIBUTE(9, Preference, waves),
    GPUPROJ_ATTRIBUTE(10, Preference, pointer_modes),  GPUPROJ_ATTRIBUTE(11, Preference, epilogues),
    GPUPROJ_ATTRIBUTE(12, Preference, implementations)};

/// Emulation of wide floating-point numbers by narrow ones: kept, and not done.
struct EmulationDescription {
    static constexpr std::uint16_t kind = 0x656d;
    static constexpr std::size_t least_bytes = 64;

    DescriptorHead head;
    std::int32_t strategy = 0, special_values = 0xFFFF, mantissa_control = 0, most_bits = 0, bit_offset = 0;
    std::int32_t* bits_retained = nullptr;
    std::uint64_t unused[4]{};

    static const Attribute attributes[6];
};
inline constexpr Attribute EmulationDescription::attributes[6] = {
    GPUPROJ_ATTRIBUTE(0, EmulationDescription, strategy),
    GPUPROJ_ATTRIBUTE(1, EmulationDescription, special_values),
    GPUPROJ_ATTRIBUTE(2, EmulationDescription, mantissa_control),
    GPUPROJ_ATTRIBUTE(3, EmulationDescription, most_bits),
    GPUPROJ_ATTRIBUTE(4, EmulationDescription, bit_offset),
    GPUPROJ_ATTRIBUTE(5, EmulationDescription, bits_retained)};

/// How a product is calculated: kept, because there is one way.
struct Algorithm {
    static constexpr std::uint16_t kind = 0x616c;
    static constexpr std::size_t least_bytes = 64;

    DescriptorHead head;
    std::int32_t id = 0;
    std::uint32_t tile = 0;
    std::int32_t splits_of_k = 1;
    std::uint32_t reduction = 0, swizzling = 0, custom_option = 0, stages = 0;
    std::uint16_t inner_shape = 0, cluster_shape = 0;
    // What it was made for.
    Compute compute{};
    DataType scale_type{}, type_a{}, type_b{}, type_c{}, type_d{};
    std::uint32_t unused = 0;

    static const Attribute attributes[9];
};
inline constexpr Attribute Algorithm::attributes[9] = {{offsetof(Algorithm, id), sizeof(std::int32_t), 0, true},
                                                       GPUPROJ_ATTRIBUTE(1, Algorithm, tile),
                                                       GPUPROJ_ATTRIBUTE(2, Algorithm, splits_of_k),
                                                       GPUPROJ_ATTRIBUTE(3, Algorithm, reduction),
                                                       GPUPROJ_ATTRIBUTE(4, Algorithm, swizzling),
                                                       GPUPROJ_ATTRIBUTE(5, Algorithm, custom_option),
                                                       GPUPROJ_ATTRIBUTE(6, Algorithm, stages),
                                                       GPUPROJ_ATTRIBUTE(7, Algorithm, inner_shape),
                                                       GPUPROJ_ATTRIBUTE(8, Algorithm, cluster_shape)};

static_assert(sizeof(MatrixLayout) == 64 && sizeof(TransformDescription) == 64 && sizeof(Preference) == 64 &&
              sizeof(EmulationDescription) == 64 && sizeof(Algorithm) == 64);
static_assert(offsetof(MatmulDescription, a_scale) == 88 && offsetof(MatmulDescription, d_out_scale) == 184 &&
              sizeof(MatmulDescription) <= 256);

}  // namespace gpuproj::simulate::libraries::cublas_lt
