#include "collector/simulate/libraries/cublasLt_matmul_problem.hpp"

#include "collector/simulate/libraries/cublasLt_dense.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

namespace {

struct Combination {
    Compute compute;
    DataType scale, inputs, results;
};
using enum DataType;
constexpr Combination combinations[] = {
    {Compute::f16, f16, f16, f16},     {Compute::i32, i32, i8, i32},    {Compute::i32, f32, i8, i8},
    {Compute::f32, f32, f16, f16},     {Compute::f32, f32, f16, f32},   {Compute::f32, f32, bf16, bf16},
    {Compute::f32, f32, bf16, f32},    {Compute::f32, f32, i8, f32},    {Compute::f32, f32, f32, f32},
    {Compute::f32, c32, c32, c32},     {Compute::f32, c32, c16, c16},   {Compute::f32, c32, c16, c32},
    {Compute::f32, c32, cbf16, cbf16}, {Compute::f32, c32, cbf16, c32}, {Compute::f64, f64, f64, f64},
    {Compute::f64, c64, c64, c64}};

/// Without what only says how exactly or how fast.
Compute plain(Compute compute) {
    switch (compute) {
        case Compute::f16_pedantic:
            return Compute::f16;
        case Compute::f32_pedantic:
        case Compute::f32_by_f16:
        case Compute::f32_by_bf16:
        case Compute::f32_by_tf32:
        case Compute::f32_emulated:
            return Compute::f32;
        case Compute::f64_pedantic:
        case Compute::f64_emulated:
            return Compute::f64;
        case Compute::i32_pedantic:
            return Compute::i32;
        default:
            return compute;
    }
}

/// The tensor units' products of 8 bits have orders of their own, and these only all together.
bool orders_go_together(const MatmulProblem& p) {
    const auto is_plain = [](const MatrixLayout& x) { return x.order == Order::column || x.order == Order::row; };
    if (is_plain(p.a) && is_plain(p.b) && is_plain(p.c) && is_plain(p.d)) return true;
    return p.a.type == i8 && p.a.order == Order::column32 && p.c.order == Order::column32 &&
           p.d.order == Order::column32 &&
           (p.b.order == Order::column4_4r2_8c || p.b.order == Order::column32_2r_4r4) &&
           p.description.operation_a == Operation::none && p.description.operation_b == Operation::transpose;
}

bool planes_go_together(const MatmulProblem& p) {
    const bool planes = p.a.plane_offset != 0;
    if (planes && !is_complex_type(p.a.type)) return false;
    if (!planes && part_of(p.a.type) != p.a.type && part_of(p.a.type) != f32 && part_of(p.a.type) != f64) return false;
    return (p.b.plane_offset != 0) == planes && (p.c.plane_offset != 0) == planes && (p.d.plane_offset != 0) == planes;
}

bool is_epilogue(unsigned e) {
    constexpr unsigned known[] = {no_epilogue,
                                  relu,
                                  relu | with_auxiliary,
                                  add_bias,
                                  relu | add_bias,
                                  relu | with_auxiliary | add_bias,
                                  relu_gradient | with_auxiliary,
                                  relu_gradient | with_auxiliary | bias_gradient,
                                  gelu,
                                  gelu | with_auxiliary,
                                  gelu | add_bias,
                                  gelu | with_auxiliary | add_bias,
                                  gelu_gradient | with_auxiliary,
                                  gelu_gradient | with_auxiliary | bias_gradient,
                                  bias_gradient_of_a,
                                  bias_gradient_of_b};
    return std::find(std::begin(known), std::end(known), e) != std::end(known);
}

Verdict examine_epilogue(const MatmulProblem& p) {
    const MatmulDescription& x = p.description;
    if (!is_epilogue(x.epilogue)) return {invalid_value};
    if (x.epilogue != no_epilogue && is_complex_type(p.d.type)) return {not_supported};
    if ((x.epilogue & with_auxiliary) != 0) {
        const bool bits = (x.epilogue & (relu | relu_gradient)) != 0;
        const std::int64_t unit = bits ? 128 : 8;
        if (x.auxiliary_leading < p.m || x.auxiliary_leading % unit != 0 || x.auxiliary_batch_stride % unit != 0)
            return {invalid_value};
        if (!bits && (element_bytes(auxiliary_layout(p).type) == 0 || is_complex_type(auxiliary_layout(p).type)))
            return {not_supported};
    }
    if (has_bias(x.epilogue) && (element_bytes(bias_type(p)) == 0 || is_complex_type(bias_type(p))))
        return {not_supported};
    return {};
}

Verdict examine_scales(const MatmulProblem& p) {
    const MatmulDescription& x = p.description;
    const auto outer = [](ScaleMode mode) { return mode == ScaleMode::scalar || mode == ScaleMode::vector_of_outer; };
    if (!outer(x.a_mode) || !outer(x.b_mode) || x.c_mode != ScaleMode::scalar || x.d_mode != ScaleMode::scalar ||
        x.auxiliary_mode != ScaleMode::scalar || x.d_out_scale != nullptr)
        return {not_supported, "cublasLtMatmul with scales of blocks"};
    const bool any = x.a_scale != nullptr || x.b_scale != nullptr || x.c_scale != nullptr || x.d_scale != nullptr ||
                     x.d_largest != nullptr || x.auxiliary_scale != nullptr || x.auxiliary_largest != nullptr;
    return {any && !is_fp8(p.a.type) ? invalid_value : success};
}

bool find_sizes(MatmulProblem& p) {
    const bool turned_a = p.description.operation_a != Operation::none;
    const bool turned_b = p.description.operation_b != Operation::none;
    p.m = turned_a ? p.a.columns : p.a.rows;
    p.k = turned_a ? p.a.rows : p.a.columns;
    p.n = turned_b ? p.b.rows : p.b.columns;
    return (turned_b ? p.b.columns : p.b.rows) == p.k && p.c.rows == p.m && p.c.columns == p.n && p.d.rows == p.m &&
           p.d.columns == p.n;
}

bool is_operation(Operation operation) {
    return operation == Operation::none || operation == Operation::transpose || operation == Operation::conjugate;
}

}  // namespace

bool is_known_combination(Compute compute, DataType scale, DataType a, DataType b, DataType c, DataType d) noexcept {
    if (is_fp8(a) && is_fp8(b)) {
        const bool one_is_fp8 = (d == e4m3 || (d == e5m2 && (a == e5m2 || b == e5m2))) && (c == bf16 || c == f16);
        return plain(compute) == Compute::f32 && scale == f32 && (a == e4m3 || b == e4m3) &&
               (one_is_fp8 || (c == d && (d == bf16 || d == f16 || d == f32)));
    }
    return a == b && c == d &&
           std::any_of(std::begin(combinations), std::end(combinations), [&](const Combination& known) {
               return known.compute == plain(compute) && known.scale == scale && known.inputs == a &&
                      known.results == d;
           });
}

DataType bias_type(const MatmulProblem& p) noexcept {
    if (p.description.bias_type != type_not_set) return p.description.bias_type;
    if (p.d.type == i8) return p.description.scale_type;
    if (is_fp8(p.d.type)) return p.c.type;
    return is_fp8(p.a.type) && p.d.type == f32 ? bf16 : p.d.type;
}

MatrixLayout auxiliary_layout(const MatmulProblem& p) noexcept {
    MatrixLayout layout;
    layout.type = p.description.auxiliary_type != type_not_set ? p.description.auxiliary_type : p.d.type;
    layout.rows = p.m;
    layout.columns = p.n;
    layout.leading = p.description.auxiliary_leading;
    layout.batch_stride = p.description.auxiliary_batch_stride;
    return layout;
}

Verdict examine(const void* description, const void* a, const void* b, const void* c, const void* d,
                MatmulProblem& p) noexcept {
    if (!is_descriptor<MatmulDescription>(description)) return {invalid_value};
    for (const void* const layout : {a, b, c, d})
        if (!is_descriptor<MatrixLayout>(layout)) return {invalid_value};
    p = {state_of<MatmulDescription>(description), state_of<MatrixLayout>(a), state_of<MatrixLayout>(b),
         state_of<MatrixLayout>(c), state_of<MatrixLayout>(d)};
    const MatmulDescription& x = p.description;
    for (const MatrixLayout* const layout : {&p.a, &p.b, &p.c, &p.d})
        if (!is_possible(*layout) || layout->batches != p.d.batches) return {invalid_value};
    for (const Operation operation : {x.operation_a, x.operation_b, x.operation_c})
        if (!is_operation(operation)) return {invalid_value};
    if (!find_sizes(p)) return {invalid_value};
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    for (const MatrixLayout* const layout : {&p.a, &p.b, &p.c, &p.d})
        if (layout->rows > most || layout->columns > most || layout->leading > most) return {not_supported};
    if (x.pointer_mode < PointerMode::host || x.pointer_mode > PointerMode::alpha_vector_beta_host)
        return {invalid_value};
    if (x.pointer_mode == PointerMode::alpha_vector_beta_zero && x.alpha_batch_stride != 0) return {invalid_value};
    if (x.operation_c != Operation::none || x.fill != cublas::Fill::full || !orders_go_together(p) ||
        !planes_go_together(p) ||
        !is_known_combination(x.compute, x.scale_type, p.a.type, p.b.type, p.c.type, p.d.type))
        return {not_supported};
    const Verdict scales = examine_scales(p);
    return scales.status != success ? scales : examine_epilogue(p);
}

}  // namespace gpuproj::simulate::libraries::cublas_lt
