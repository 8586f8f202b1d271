// What is done with a product before it is stored: bias, activation, their gradients, and what is kept for these.
#pragma once

#include "collector/simulate/libraries/cublasLt_dense.hpp"
#include "collector/simulate/libraries/cublasLt_matmul_problem.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

/// The largest absolute values of all batches of D and of what is kept beside it.
struct Largest {
    double d = 0, auxiliary = 0;
};

template <class T>
double largest_of(const Dense<T>& x) {
    double largest = 0;
    for (const T value : x.values) largest = std::max(largest, std::abs(static_cast<double>(value)));
    return largest;
}
template <class T>
void scale(Dense<T>& x, T factor) {
    if (factor == T{1}) return;
    for (T& value : x.values) value *= factor;
}

// GELU by its approximation with tanh, as cuBLASLt has it: x (1 + tanh u) / 2, u = sqrt(2 / pi) (x + 0.044715 x^3).
inline constexpr double sqrt_2_over_pi = 0.79788456080286535588, cubic_of_gelu = 0.044715;

template <class T>
T gelu_of(T x) {
    return x / 2 * (1 + std::tanh(static_cast<T>(sqrt_2_over_pi) * (x + static_cast<T>(cubic_of_gelu) * x * x * x)));
}
template <class T>
T gelu_slope(T x) {
    constexpr T a = static_cast<T>(sqrt_2_over_pi), b = static_cast<T>(cubic_of_gelu);
    const T t = std::tanh(a * (x + b * x * x * x));
    return (1 + t) / 2 + x / 2 * (1 - t * t) * a * (1 + 3 * b * x * x);
}

/// A bit for each element, the columns `leading` bits apart: was it let through?
class ReluBits {
public:
    ReluBits(const MatmulProblem& p, std::int64_t batch)
        : bytes_(static_cast<std::uint8_t*>(p.description.auxiliary)), leading_(p.description.auxiliary_leading) {
        if (bytes_ != nullptr) bytes_ += batch * p.description.auxiliary_batch_stride / 8;
    }
    bool get(std::int64_t i, std::int64_t j) const { return (byte(i, j) >> (i % 8) & 1) != 0; }
    void set(std::int64_t i, std::int64_t j, bool on) {
        const auto bit = static_cast<std::uint8_t>(1U << (i % 8));
        byte(i, j) = static_cast<std::uint8_t>(on ? byte(i, j) | bit : byte(i, j) & ~bit);
    }
    const void* begin() const { return bytes_; }

private:
    std::uint8_t& byte(std::int64_t i, std::int64_t j) const { return bytes_[(j * leading_ + i) / 8]; }
    std::uint8_t* bytes_;
    std::int64_t leading_;
};

template <class T>
void apply_relu(const MatmulProblem& p, Dense<T>& x, std::int64_t batch) {
    const bool gradient = (p.description.epilogue & relu_gradient) != 0;
    const bool keeps_bits = !gradient && (p.description.epilogue & with_auxiliary) != 0;
    ReluBits bits(p, batch);
    for (std::int64_t j = 0; j < p.n; ++j)
        for (std::int64_t i = 0; i < p.m; ++i) {
            T& value = x.column(j)[i];
            const bool passes = gradient ? bits.get(i, j) : !(value <= T{});  // what is no number does
            if (keeps_bits) bits.set(i, j, passes);
            if (!passes) value = T{};
        }
    if (keeps_bits)
        gpuproj_library_wrote(bits.begin(),
                              static_cast<std::size_t>((p.n - 1) * p.description.auxiliary_leading + p.m + 7) / 8);
}

template <class T>
void apply_gelu(const MatmulProblem& p, Dense<T>& x, std::int64_t batch, Largest& largest) {
    const unsigned epilogue = p.description.epilogue;
    const MatrixLayout layout = auxiliary_layout(p);
    const auto given = [&](const float* at) { return at != nullptr ? static_cast<T>(*at) : T{1}; };
    if ((epilogue & with_auxiliary) != 0) {
        void* const at = matrix_of_batch(layout, p.description.auxiliary, batch, element_bytes(layout.type));
        if ((epilogue & gelu_gradient) != 0) {
            const Dense<T> input = loaded<T>(layout, at);
            for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] *= gelu_slope(input.values[i]);
            return;
        }
        if (p.description.auxiliary_largest != nullptr) largest.auxiliary = std::max(largest.auxiliary, largest_of(x));
        Dense<T> kept = x;
        scale(kept, given(p.description.auxiliary_scale));
        store(layout, kept, at);
    }
    for (T& value : x.values) value = gelu_of(value);
}

/// The vector of bias or of its gradient.
inline MatrixLayout bias_layout(const MatmulProblem& p, std::int64_t count) {
    MatrixLayout layout;
    layout.type = bias_type(p);
    layout.rows = layout.leading = count;
    layout.columns = 1;
    layout.batch_stride = p.description.bias_batch_stride;
    return layout;
}
inline void* bias_of_batch(const MatmulProblem& p, std::int64_t batch) {
    return matrix_of_batch(bias_layout(p, 0), p.description.bias, batch, element_bytes(bias_type(p)));
}

/// The sums of the rows, or of the columns, of a matrix become the bias' gradient.
template <class T>
void store_bias_gradient(const MatmulProblem& p, const Dense<T>& of, bool rows, std::int64_t batch) {
    Dense<T> sums{rows ? of.rows : of.columns, 1};
    for (std::int64_t j = 0; j < of.columns; ++j)
        for (std::int64_t i = 0; i < of.rows; ++i)
            sums.values[static_cast<std::size_t>(rows ? i : j)] += of.column(j)[i];
    store(bias_layout(p, sums.rows), sums, bias_of_batch(p, batch));
}

/// From alpha op(A) op(B) + beta C to what is scaled and stored.
template <class T>
void apply_epilogue(const MatmulProblem& p, Dense<T>& x, std::int64_t batch, Largest& largest) {
    const unsigned epilogue = p.description.epilogue;
    if ((epilogue & add_bias) != 0) {
        const Dense<T> bias = loaded<T>(bias_layout(p, p.m), bias_of_batch(p, batch));
        for (std::int64_t j = 0; j < p.n; ++j)
            for (std::int64_t i = 0; i < p.m; ++i) x.column(j)[i] += bias.values[static_cast<std::size_t>(i)];
    }
    if ((epilogue & (relu | relu_gradient)) != 0) apply_relu(p, x, batch);
    if ((epilogue & (gelu | gelu_gradient)) != 0) apply_gelu(p, x, batch, largest);
    if ((epilogue & bias_gradient) != 0) store_bias_gradient(p, x, true, batch);
}

}  // namespace gpuproj::simulate::libraries::cublas_lt
