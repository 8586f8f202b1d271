// Matrices in another order or type, scaled and added: C = alpha op(A) + beta op(B).
#include "collector/simulate/libraries/cublasLt_factor.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

namespace {

struct Input {
    bool is_there = false;
    MatrixLayout layout;
    const void* at = nullptr;
    Operation operation = Operation::none;
};

struct Transform {
    Input a, b;
    MatrixLayout layout;
    void* to;
    Factors factors;
    DataType scale_type;
};

template <class T>
void add(const Input& input, const Factor& factor, std::int64_t batch, Dense<T>& to) {
    if (!input.is_there || factor.is_known_zero()) return;
    const T times = factor.get<T>();
    if (times == T{}) return;
    const Dense<T> from =
        loaded<T>(input.layout, matrix_of_batch(input.layout, input.at, batch, element_bytes(input.layout.type)));
    const bool turned = input.operation != Operation::none;
    for (std::int64_t j = 0; j < to.columns; ++j)
        for (std::int64_t i = 0; i < to.rows; ++i) {
            const T value = turned ? from.column(i)[j] : from.column(j)[i];
            to.column(j)[i] += times * (input.operation == Operation::conjugate ? conjugate(value) : value);
        }
}

template <class T>
void calculate(const Transform& work) {
    for (std::int64_t batch = 0; batch < work.layout.batches; ++batch) {
        Dense<T> sum{work.layout.rows, work.layout.columns};
        add(work.a, work.factors.alpha, batch, sum);
        add(work.b, work.factors.beta, batch, sum);
        store(work.layout, sum, matrix_of_batch(work.layout, work.to, batch, element_bytes(work.layout.type)));
    }
}

void calculate_in_its_type(const Transform& work) {
    if (work.scale_type == DataType::c32)
        calculate<C32>(work);
    else if (work.scale_type == DataType::c64)
        calculate<C64>(work);
    else if (work.scale_type == DataType::f64 || work.scale_type == DataType::i32)
        calculate<double>(work);
    else
        calculate<float>(work);
}

/// Of one input: its size, batches, type and pointer.
int examine(const Input& input, const Factor& factor, const MatrixLayout& to, DataType scale_type) {
    if (!input.is_there) return input.at == nullptr ? success : invalid_value;
    const bool turned = input.operation != Operation::none;
    const MatrixLayout& x = input.layout;
    if (!is_possible(x) || x.batches != to.batches || (turned ? x.columns : x.rows) != to.rows ||
        (turned ? x.rows : x.columns) != to.columns || input.operation < Operation::none ||
        input.operation > Operation::conjugate || (input.at == nullptr && !factor.is_known_zero()))
        return invalid_value;
    return element_bytes(x.type) > 0 && is_complex_type(x.type) == is_complex_type(scale_type) ? success
                                                                                               : not_supported;
}

Input input_of(const void* layout, const void* at, Operation operation) {
    if (layout == nullptr) return {false, {}, at, operation};
    return {true, state_of<MatrixLayout>(layout), at, operation};
}

}  // namespace

GPUPROJ_LIBRARY_API int cublasLtMatrixTransform(void* handle, const void* description, const void* alpha, const void* A,
                                                const void* layout_a, const void* beta, const void* B,
                                                const void* layout_b, void* C, const void* layout_c, void* stream) {
    constexpr const char* name = "cublasLtMatrixTransform";
    if (!is_handle(handle)) return not_initialized;
    if (!is_descriptor<TransformDescription>(description) || !is_descriptor<MatrixLayout>(layout_c) || C == nullptr)
        return invalid_value;
    for (const void* const layout : {layout_a, layout_b})
        if (layout != nullptr && !is_descriptor<MatrixLayout>(layout)) return invalid_value;
    const auto x = state_of<TransformDescription>(description);
    if (x.pointer_mode != PointerMode::host && x.pointer_mode != PointerMode::device) return invalid_value;
    const DataType type = x.scale_type;
    if (element_bytes(type) == 0 || type == DataType::i8 || is_fp8(type) || type == c16 || type == cbf16)
        return not_supported;
    const auto to = state_of<MatrixLayout>(layout_c);
    if (!is_possible(to)) return invalid_value;
    if (element_bytes(to.type) == 0 || is_complex_type(to.type) != is_complex_type(type)) return not_supported;
    const auto factor = [&](const void* at) {
        return at == nullptr                         ? Factor::zero(type)
               : x.pointer_mode == PointerMode::host ? Factor::on_host(type, at)
                                                     : Factor::on_device(type, at);
    };
    const Transform work{input_of(layout_a, A, x.operation_a),
                         input_of(layout_b, B, x.operation_b),
                         to,
                         C,
                         {factor(alpha), factor(beta)},
                         type};
    if ((work.a.is_there && alpha == nullptr) || (work.b.is_there && beta == nullptr)) return invalid_value;
    if (const int status = examine(work.a, work.factors.alpha, to, type); status != success) return status;
    if (const int status = examine(work.b, work.factors.beta, to, type); status != success) return status;
    return do_in_stream(cublas::statuses, library, name, stream, [work] { calculate_in_its_type(work); });
}

}  // namespace gpuproj::simulate::libraries::cublas_lt
