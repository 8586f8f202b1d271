// Matrices and descriptors of cuBLASLt: random values of every type in every order, and what they are compared with.
#pragma once

#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <complex>
#include <type_traits>
#include <vector>

#include "../../programs/verify.hpp"

using Complex = std::complex<double>;

inline bool fine(cublasStatus_t status, const char* what) {
    return holds(status == CUBLAS_STATUS_SUCCESS, what);
}

template <class T>
constexpr cudaDataType_t type_of() {
    if (std::is_same_v<T, float>) return CUDA_R_32F;
    if (std::is_same_v<T, double>) return CUDA_R_64F;
    if (std::is_same_v<T, __half>) return CUDA_R_16F;
    if (std::is_same_v<T, __nv_bfloat16>) return CUDA_R_16BF;
    if (std::is_same_v<T, signed char>) return CUDA_R_8I;
    if (std::is_same_v<T, int>) return CUDA_R_32I;
    if (std::is_same_v<T, __nv_fp8_e4m3>) return CUDA_R_8F_E4M3;
    if (std::is_same_v<T, __nv_fp8_e5m2>) return CUDA_R_8F_E5M2;
    if (std::is_same_v<T, std::complex<float>>) return CUDA_C_32F;
    return CUDA_C_64F;
}
// Half of the last place of a number around 1, and a little for sums of floats.
template <class T>
constexpr double precision() {
    if (std::is_same_v<T, __half>) return 1e-3;
    if (std::is_same_v<T, __nv_bfloat16>) return 8e-3;
    if (std::is_same_v<T, __nv_fp8_e4m3>) return 0.07;
    if (std::is_same_v<T, __nv_fp8_e5m2>) return 0.13;
    if (std::is_integral_v<T>) return 0;
    return std::is_same_v<T, double> || std::is_same_v<T, Complex> ? 1e-12 : 2e-5;
}
template <class T>
Complex value(T x) {
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<double>(x);
    else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, Complex>)
        return Complex(x.real(), x.imag());
    else
        return static_cast<double>(static_cast<float>(x));
}
template <class T>
T stored(Complex x) {
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, Complex>)
        return T(static_cast<typename T::value_type>(x.real()), static_cast<typename T::value_type>(x.imag()));
    else
        return static_cast<T>(static_cast<float>(x.real()));
}

inline Random numbers;
template <class T>
Complex random_value() {
    if constexpr (std::is_integral_v<T>) return static_cast<double>(static_cast<int>(numbers.next() % 15) - 7);
    const double real = numbers.uniform() - 0.5, imaginary = numbers.uniform() - 0.5;
    return {real, imaginary};
}

// Where the elements of the first 32 columns of a tile lie: written out as the order is described, not calculated.
inline int in_tile(cublasLtOrder_t order, int row, int column) {
    if (order == CUBLASLT_ORDER_COL32_2R_4R4) return (((row % 8) / 2 * 4 + row / 8) * 2 + row % 2) * 32 + column;
    int place = 0;
    for (int odd = 0; odd < 2; ++odd)
        for (int c = 0; c < 32; c += 4)
            for (int r = odd; r < 8; r += 2)
                for (int i = 0; i < 4; ++i, ++place)
                    if (r == row && c + i == column) return place;
    return -1;
}

struct Shape {
    int rows, columns, batches = 1;
    cublasLtOrder_t order = CUBLASLT_ORDER_COL;
    int gap = 3;  // more than the least leading dimension
    int tile_rows() const {
        return order == CUBLASLT_ORDER_COL4_4R2_8C ? 8 : order == CUBLASLT_ORDER_COL32_2R_4R4 ? 32 : 1;
    }
    int leading() const {
        if (order == CUBLASLT_ORDER_COL) return rows + gap;
        if (order == CUBLASLT_ORDER_ROW) return columns + gap;
        return 32 * ((rows + tile_rows() - 1) / tile_rows() * tile_rows()) + 32 * gap;
    }
    long long stride() const {
        if (order == CUBLASLT_ORDER_COL) return static_cast<long long>(leading()) * columns + 5;
        if (order == CUBLASLT_ORDER_ROW) return static_cast<long long>(leading()) * rows + 5;
        return static_cast<long long>((columns + 31) / 32) * leading() + 5;
    }
    size_t at(int batch, int i, int j) const {
        const size_t begin = static_cast<size_t>(batch) * stride();
        if (order == CUBLASLT_ORDER_COL) return begin + i + static_cast<size_t>(j) * leading();
        if (order == CUBLASLT_ORDER_ROW) return begin + j + static_cast<size_t>(i) * leading();
        const size_t group = begin + static_cast<size_t>(j / 32) * leading();
        if (order == CUBLASLT_ORDER_COL32) return group + i * 32 + j % 32;
        return group + i / tile_rows() * tile_rows() * 32 + in_tile(order, i % tile_rows(), j % 32);
    }
};

class Layout {
public:
    Layout(cudaDataType_t type, const Shape& shape) {
        check_status(cublasLtMatrixLayoutCreate(&at_, type, shape.rows, shape.columns, shape.leading()));
        set(CUBLASLT_MATRIX_LAYOUT_ORDER, shape.order);
        set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int>(shape.batches));
        set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, static_cast<int64_t>(shape.stride()));
    }
    Layout(const Layout&) = delete;
    ~Layout() { check_status(cublasLtMatrixLayoutDestroy(at_)); }
    template <class T>
    void set(cublasLtMatrixLayoutAttribute_t attribute, T x) {
        check_status(cublasLtMatrixLayoutSetAttribute(at_, attribute, &x, sizeof x));
    }
    operator cublasLtMatrixLayout_t() const { return at_; }
    static void check_status(cublasStatus_t status) {
        if (status == CUBLAS_STATUS_SUCCESS) return;
        std::printf("a descriptor: status %d\n", static_cast<int>(status));
        std::exit(1);
    }

private:
    cublasLtMatrixLayout_t at_ = nullptr;
};

class Description {
public:
    Description(cublasComputeType_t compute, cudaDataType_t scale) {
        Layout::check_status(cublasLtMatmulDescCreate(&at_, compute, scale));
    }
    Description(const Description&) = delete;
    ~Description() { Layout::check_status(cublasLtMatmulDescDestroy(at_)); }
    template <class T>
    void set(cublasLtMatmulDescAttributes_t attribute, T x) {
        Layout::check_status(cublasLtMatmulDescSetAttribute(at_, attribute, &x, sizeof x));
    }
    void operations(cublasOperation_t a, cublasOperation_t b) {
        set(CUBLASLT_MATMUL_DESC_TRANSA, a);
        set(CUBLASLT_MATMUL_DESC_TRANSB, b);
    }
    operator cublasLtMatmulDesc_t() const { return at_; }

private:
    cublasLtMatmulDesc_t at_ = nullptr;
};

// Batches of matrices on the device, and what they were filled with.
template <class T>
struct Matrix {
    Shape shape;
    std::vector<T> values;
    Device<T> device;
    Layout layout;

    explicit Matrix(const Shape& s) : shape(s), values(random_values(s)), device(values), layout(type_of<T>(), s) {}
    static std::vector<T> random_values(const Shape& s) {
        std::vector<T> all(s.stride() * s.batches);
        for (T& x : all) x = stored<T>(random_value<T>());
        return all;
    }
    Complex operator()(int batch, int i, int j) const { return value(values[shape.at(batch, i, j)]); }
    Complex operator()(cublasOperation_t operation, int batch, int i, int j) const {
        if (operation == CUBLAS_OP_N) return (*this)(batch, i, j);
        return operation == CUBLAS_OP_T ? (*this)(batch, j, i) : std::conj((*this)(batch, j, i));
    }
    void read() { values = device.host(); }
};

// Compares what is on the device with wanted(batch, i, j), and that nothing between the elements was touched.
template <class T, class Wanted>
bool has(const char* what, const Matrix<T>& matrix, double tolerance, Wanted&& wanted) {
    const std::vector<T> got = matrix.device.host();
    std::vector<bool> belongs(got.size());
    for (int batch = 0; batch < matrix.shape.batches; ++batch)
        for (int j = 0; j < matrix.shape.columns; ++j)
            for (int i = 0; i < matrix.shape.rows; ++i) {
                const size_t place = matrix.shape.at(batch, i, j);
                belongs[place] = true;
                const Complex x = value(got[place]), y = wanted(batch, i, j);
                if (std::abs(x - y) <= tolerance * std::fmax(1.0, std::abs(y))) continue;
                std::printf("%s, batch %d (%d, %d): %.9g + %.9g i instead of %.9g + %.9g i\n", what, batch, i, j,
                            x.real(), x.imag(), y.real(), y.imag());
                return false;
            }
    for (size_t place = 0; place < got.size(); ++place)
        if (!belongs[place] && value(got[place]) != value(matrix.values[place])) {
            std::printf("%s: element %zu, which is none of the matrix, was changed\n", what, place);
            return false;
        }
    return true;
}

inline Shape turned(Shape shape, cublasOperation_t operation) {
    if (operation != CUBLAS_OP_N) std::swap(shape.rows, shape.columns);
    return shape;
}

class TransformDescription {
public:
    explicit TransformDescription(cudaDataType_t scale) {
        Layout::check_status(cublasLtMatrixTransformDescCreate(&at_, scale));
    }
    TransformDescription(const TransformDescription&) = delete;
    ~TransformDescription() { Layout::check_status(cublasLtMatrixTransformDescDestroy(at_)); }
    template <class T>
    void set(cublasLtMatrixTransformDescAttributes_t attribute, T x) {
        Layout::check_status(cublasLtMatrixTransformDescSetAttribute(at_, attribute, &x, sizeof x));
    }
    operator cublasLtMatrixTransformDesc_t() const { return at_; }

private:
    cublasLtMatrixTransformDesc_t at_ = nullptr;
};
