// cuBLASLt's functions against plain loops: types, orders, batches, epilogues, scales, descriptors and errors.
#include <cublas_v2.h>

#include <string>

#include "cublaslt_matrices.hpp"

static cublasLtHandle_t handle;

// op(A) op(B) of one element.
template <class TA, class TB>
Complex product(const Matrix<TA>& a, cublasOperation_t oa, const Matrix<TB>& b, cublasOperation_t ob, int k, int batch,
                int i, int j) {
    Complex sum{};
    for (int l = 0; l < k; ++l) sum += a(oa, batch, i, l) * b(ob, batch, l, j);
    return sum;
}

// All operations and plain orders, with C apart from D and several batches.
template <class TA, class TB, class TC, class TD, class Scale>
bool products(const char* what, cublasComputeType_t compute, Complex alpha, Complex beta) {
    bool right = true;
    const cublasLtOrder_t orders[] = {CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW};
    const Scale scalar_alpha = stored<Scale>(alpha), scalar_beta = stored<Scale>(beta);
    int turn = 0;
    for (const cublasOperation_t oa : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
        for (const cublasOperation_t ob : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
            const int m = 1 + numbers.next() % 23, n = 1 + numbers.next() % 23, k = 1 + numbers.next() % 23;
            const auto order = [&](int which) { return orders[(turn >> which) & 1]; };
            ++turn;
            const int batches = 1 + turn % 3;
            Matrix<TA> a(turned({m, k, batches, order(0)}, oa));
            Matrix<TB> b(turned({k, n, batches, order(1)}, ob));
            Matrix<TC> c({m, n, batches, order(2)});
            Matrix<TD> d({m, n, batches, order(3)});
            Description description(compute, type_of<Scale>());
            description.operations(oa, ob);
            right &= fine(cublasLtMatmul(handle, description, &scalar_alpha, a.device, a.layout, b.device, b.layout,
                                         &scalar_beta, c.device, c.layout, d.device, d.layout, nullptr, nullptr, 0, 0),
                          what);
            const auto wanted = [&](int batch, int i, int j) {
                Complex x =
                    value(scalar_alpha) * product(a, oa, b, ob, k, batch, i, j) + value(scalar_beta) * c(batch, i, j);
                if (std::is_same_v<TD, signed char>) x = std::fmin(127.0, std::fmax(-128.0, std::nearbyint(x.real())));
                return x;
            };
            right &= has(what, d, precision<TD>(), wanted);
            if (!right) return false;
        }
    return right;
}

static bool all_types() {
    const Complex alpha = 1.5, beta = -0.5, c_alpha{0.5, -1.25}, c_beta{-0.25, 2};
    using C32 = std::complex<float>;
    using F8 = __nv_fp8_e4m3;
    using F8Wide = __nv_fp8_e5m2;
    const auto f32 = CUBLAS_COMPUTE_32F;
    bool right = products<float, float, float, float, float>("f32", f32, alpha, beta);
    right &= products<float, float, float, float, float>("tf32", CUBLAS_COMPUTE_32F_FAST_TF32, alpha, beta);
    right &= products<double, double, double, double, double>("f64", CUBLAS_COMPUTE_64F, alpha, beta);
    right &= products<__half, __half, __half, __half, float>("f16", f32, alpha, beta);
    right &= products<__half, __half, __half, __half, __half>("f16 in f16", CUBLAS_COMPUTE_16F, alpha, beta);
    right &= products<__half, __half, float, float, float>("f16 to f32", f32, alpha, beta);
    right &= products<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float>("bf16", f32, alpha, beta);
    right &= products<__nv_bfloat16, __nv_bfloat16, float, float, float>("bf16 to f32", f32, alpha, beta);
    right &= products<C32, C32, C32, C32, C32>("c32", f32, c_alpha, c_beta);
    right &= products<Complex, Complex, Complex, Complex, Complex>("c64", CUBLAS_COMPUTE_64F, c_alpha, c_beta);
    right &= products<signed char, signed char, int, int, int>("i8 to i32", CUBLAS_COMPUTE_32I, 3, -2);
    right &= products<signed char, signed char, signed char, signed char, float>("i8", CUBLAS_COMPUTE_32I, 0.37, 1.5);
    right &= products<signed char, signed char, float, float, float>("i8 to f32", f32, alpha, beta);
    right &= products<F8, F8, __nv_bfloat16, F8, float>("e4m3", f32, alpha, beta);
    right &= products<F8, F8Wide, __half, F8Wide, float>("e4m3 and e5m2", f32, alpha, beta);
    right &= products<F8Wide, F8, float, float, float>("e5m2 and e4m3 to f32", f32, alpha, beta);
    return right;
}

static double gelu(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
static double gelu_slope(double x) {
    const double step = 1e-5;
    return (gelu(x + step) - gelu(x - step)) / (2 * step);
}

// Bias, activation and what is kept of it; then the gradients from what was kept. T: of everything.
template <class T>
bool epilogues(const char* what) {
    const int m = 11, n = 7, k = 13, batches = 2, bit_leading = 128, leading = 16;
    const double tolerance = 2 * precision<T>();
    const auto N = CUBLAS_OP_N;
    Matrix<T> a({m, k, batches}), b({k, n, batches}), c({m, n, batches});
    Matrix<T> bias({m, 1, batches});
    const float alpha = 1.5F, beta = 0.5F;
    const auto linear = [&](int batch, int i, int j) {
        return (1.5 * product(a, N, b, N, k, batch, i, j) + 0.5 * c(batch, i, j)).real();
    };
    const Shape kept_shape{m, n, batches, CUBLASLT_ORDER_COL, leading - m};
    bool right = true;
    const auto run = [&](unsigned epilogue, Matrix<T>& d, void* vector, int64_t vector_stride, void* auxiliary,
                         int64_t auxiliary_leading, int64_t auxiliary_stride) {
        Description description(CUBLAS_COMPUTE_32F, CUDA_R_32F);
        description.set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
        description.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, vector);
        description.set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, vector_stride);
        description.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, auxiliary);
        description.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, auxiliary_leading);
        description.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, auxiliary_stride);
        return fine(cublasLtMatmul(handle, description, &alpha, a.device, a.layout, b.device, b.layout, &beta, c.device,
                                   c.layout, d.device, d.layout, nullptr, nullptr, 0, 0),
                    what);
    };
    const auto with_bias = [&](unsigned epilogue, int batch, int i, int j) {
        return linear(batch, i, j) + ((epilogue & CUBLASLT_EPILOGUE_BIAS) != 0 ? bias(batch, i, 0).real() : 0);
    };
    for (const unsigned epilogue : {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU,
                                    CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS}) {
        Matrix<T> d({m, n, batches, CUBLASLT_ORDER_ROW});
        right &= run(epilogue, d, bias.device, bias.shape.stride(), nullptr, 0, 0) &&
                 has(what, d, tolerance, [&](int batch, int i, int j) {
                     const double x = with_bias(epilogue, batch, i, j);
                     return (epilogue & CUBLASLT_EPILOGUE_RELU) != 0   ? std::fmax(x, 0.0)
                            : (epilogue & CUBLASLT_EPILOGUE_GELU) != 0 ? gelu(x)
                                                                       : x;
                 });
    }
    // Two batches of bits; 0xFF: a bit that is to become 0 must be written.
    const int64_t bits_stride = bit_leading * n;
    Device<unsigned char> bits(std::vector<unsigned char>(batches * bits_stride / 8, 0xFF));
    for (const unsigned epilogue : {CUBLASLT_EPILOGUE_RELU_AUX, CUBLASLT_EPILOGUE_RELU_AUX_BIAS}) {
        Matrix<T> d({m, n, batches});
        right &= run(epilogue, d, bias.device, bias.shape.stride(), bits, bit_leading, bits_stride) &&
                 has(what, d, tolerance,
                     [&](int batch, int i, int j) { return std::fmax(with_bias(epilogue, batch, i, j), 0.0); });
        // Its gradient lets through what was above 0.
        for (const unsigned gradient : {CUBLASLT_EPILOGUE_DRELU, CUBLASLT_EPILOGUE_DRELU_BGRAD}) {
            Matrix<T> slope({m, n, batches}), sums({m, 1, batches});
            const auto passed = [&](int batch, int i, int j) {
                return with_bias(epilogue, batch, i, j) > 0 ? linear(batch, i, j) : 0.0;
            };
            right &= run(gradient, slope, sums.device, sums.shape.stride(), bits, bit_leading, bits_stride) &&
                     has("gradient of ReLU", slope, tolerance, passed);
            if (gradient == CUBLASLT_EPILOGUE_DRELU) continue;
            right &= has("bias' gradient", sums, tolerance, [&](int batch, int i, int) {
                double sum = 0;
                for (int j = 0; j < n; ++j) sum += passed(batch, i, j);
                return sum;
            });
        }
    }
    for (const unsigned epilogue : {CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS}) {
        Matrix<T> d({m, n, batches}), kept({kept_shape.rows, n, batches, CUBLASLT_ORDER_COL, leading - m});
        // The stride, too, is a multiple of 8.
        const int64_t stride = leading * n;
        Device<T> inputs(std::vector<T>(batches * stride));
        right &=
            run(epilogue, d, bias.device, bias.shape.stride(), inputs, leading, stride) &&
            has(what, d, tolerance, [&](int batch, int i, int j) { return gelu(with_bias(epilogue, batch, i, j)); });
        const std::vector<T> input = inputs.host();
        const auto kept_at = [&](int batch, int i, int j) {
            return value(input[batch * stride + j * leading + i]).real();
        };
        for (int batch = 0; batch < batches; ++batch)
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < m; ++i)
                    right &= agree("GELU's input", kept_at(batch, i, j), with_bias(epilogue, batch, i, j), tolerance);
        for (const unsigned gradient : {CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD}) {
            Matrix<T> slope({m, n, batches}), sums({m, 1, batches});
            const auto wanted = [&](int batch, int i, int j) {
                return linear(batch, i, j) * gelu_slope(kept_at(batch, i, j));
            };
            right &= run(gradient, slope, sums.device, sums.shape.stride(), inputs, leading, stride) &&
                     has("gradient of GELU", slope, tolerance, wanted);
            if (gradient == CUBLASLT_EPILOGUE_DGELU) continue;
            right &= has("bias' gradient", sums, tolerance, [&](int batch, int i, int) {
                double sum = 0;
                for (int j = 0; j < n; ++j) sum += wanted(batch, i, j);
                return sum;
            });
        }
    }
    Matrix<T> d({m, n, batches}), of_a({m, 1, batches}), of_b({n, 1, batches});
    right &= run(CUBLASLT_EPILOGUE_BGRADA, d, of_a.device, of_a.shape.stride(), nullptr, 0, 0) &&
             run(CUBLASLT_EPILOGUE_BGRADB, d, of_b.device, of_b.shape.stride(), nullptr, 0, 0);
    right &= has("D beside a gradient", d, tolerance, linear);
    right &= has("gradient of A", of_a, tolerance, [&](int batch, int i, int) {
        Complex sum{};
        for (int l = 0; l < k; ++l) sum += a(batch, i, l);
        return sum;
    });
    right &= has("gradient of B", of_b, tolerance, [&](int batch, int j, int) {
        Complex sum{};
        for (int l = 0; l < k; ++l) sum += b(batch, l, j);
        return sum;
    });
    return right;
}

static bool pointer_modes() {
    const int m = 9, n = 6, k = 5, batches = 2;
    const auto N = CUBLAS_OP_N;
    Matrix<float> a({m, k, batches}), b({k, n, batches}), c({m, n, batches});
    const auto rows = random_floats(m * batches, 1, 2), others = random_floats(m, -1, 1);
    Device<float> alphas(rows), betas(others);
    const float host_beta = 0.75F;
    bool right = true;
    for (const int mode : {1, 2, 3, 4}) {
        Matrix<float> d({m, n, batches});
        Description description(CUBLAS_COMPUTE_32F, CUDA_R_32F);
        description.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, mode);
        if (mode == 4) description.set(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, static_cast<int64_t>(m));
        const void* const beta = mode == 4   ? static_cast<const void*>(&host_beta)
                                 : mode == 3 ? nullptr
                                             : static_cast<const void*>(static_cast<float*>(betas));
        right &= fine(cublasLtMatmul(handle, description, alphas, a.device, a.layout, b.device, b.layout, beta,
                                     mode == 3 ? nullptr : static_cast<float*>(c.device), c.layout, d.device, d.layout,
                                     nullptr, nullptr, 0, 0),
                      "pointer mode");
        right &= has("pointer mode", d, 2e-5, [&](int batch, int i, int j) {
            const float alpha = rows[mode == 1 ? 0 : mode == 4 ? i + batch * m : i];
            const float factor = mode == 1 ? others[0] : mode == 2 ? others[i] : mode == 3 ? 0 : host_beta;
            return static_cast<double>(alpha) * product(a, N, b, N, k, batch, i, j) +
                   static_cast<double>(factor) * c(batch, i, j);
        });
    }
    return right;
}

static bool scales_of_fp8() {
    using F8 = __nv_fp8_e4m3;
    const int m = 16, n = 32, k = 48;
    const auto T = CUBLAS_OP_T, N = CUBLAS_OP_N;
    Matrix<F8> a({k, m, 1, CUBLASLT_ORDER_COL, 0}), b({k, n, 1, CUBLASLT_ORDER_COL, 0}), d({m, n});
    Matrix<__nv_bfloat16> c({m, n}), bias({m, 1});
    Device<float> scales(std::vector<float>{2, 0.5F, 4, 8, 0.25F}), largest(std::vector<float>{-1, -1});
    const int64_t leading = 16;
    Device<__half> inputs(std::vector<__half>(leading * n));
    const float alpha = 0.5F, beta = 0.25F;
    Description description(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    description.operations(T, N);
    const auto pointer = [&](cublasLtMatmulDescAttributes_t attribute, void* to) { description.set(attribute, to); };
    pointer(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scales);
    pointer(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scales + 1);
    pointer(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, scales + 2);
    pointer(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scales + 3);
    pointer(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, scales + 4);
    pointer(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, largest);
    pointer(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, largest + 1);
    pointer(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.device);
    pointer(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, inputs);
    description.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
    description.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, leading);
    description.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, CUDA_R_16F);
    description.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<int8_t>(1));
    bool right = fine(cublasLtMatmul(handle, description, &alpha, a.device, a.layout, b.device, b.layout, &beta,
                                     c.device, c.layout, d.device, d.layout, nullptr, nullptr, 0, 0),
                      "fp8 with scales");
    double largest_d = 0, largest_input = 0;
    const auto input = [&](int i, int j) {
        return (0.5 * 2 * 0.5 * product(a, T, b, N, k, 0, i, j) + 0.25 * 4 * c(0, i, j) + bias(0, i, 0)).real();
    };
    right &= has("fp8 with scales", d, precision<F8>(), [&](int, int i, int j) {
        largest_d = std::fmax(largest_d, std::abs(gelu(input(i, j))));
        largest_input = std::fmax(largest_input, std::abs(input(i, j)));
        return 8 * gelu(input(i, j));
    });
    const auto kept = inputs.host();
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            right &= agree("what GELU got", value(kept[j * leading + i]).real(), 0.25 * input(i, j), 1e-3);
    right &= agree("largest values", largest.host(), {static_cast<float>(largest_d), static_cast<float>(largest_input)},
                   1e-5);

    // A scale for each row of A and each column of B.
    const auto of_rows = random_floats(m, 1, 2), of_columns = random_floats(n, 2, 3);
    Device<float> row_scales(of_rows), column_scales(of_columns);
    Matrix<float> f({m, n});
    Description outer(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    outer.operations(T, N);
    outer.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
    outer.set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
    outer.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<float*>(row_scales));
    outer.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, static_cast<float*>(column_scales));
    const float one = 1, zero = 0;
    right &= fine(cublasLtMatmul(handle, outer, &one, a.device, a.layout, b.device, b.layout, &zero, f.device, f.layout,
                                 f.device, f.layout, nullptr, nullptr, 0, 0),
                  "vectors of scales");
    right &= has("vectors of scales", f, 2e-5, [&](int, int i, int j) {
        return static_cast<double>(of_rows[i]) * static_cast<double>(of_columns[j]) * product(a, T, b, N, k, 0, i, j);
    });
    // Scales of blocks are refused, and those of other types are wrong.
    outer.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0);
    right &= holds(cublasLtMatmul(handle, outer, &one, a.device, a.layout, b.device, b.layout, &zero, f.device,
                                  f.layout, f.device, f.layout, nullptr, nullptr, 0, 0) == CUBLAS_STATUS_NOT_SUPPORTED,
                   "scales of blocks");
    static_cast<void>(cudaGetLastError());
    return right;
}

template <class From, class To>
bool transforms(const char* what, double alpha, double beta) {
    bool right = true;
    const cublasLtOrder_t orders[] = {CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW, CUBLASLT_ORDER_COL32,
                                      CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4};
    constexpr bool wide = std::is_same_v<From, double>;
    using Scale = std::conditional_t<wide, double, float>;
    for (const cublasLtOrder_t from : orders)
        for (const cublasLtOrder_t to : orders)
            for (const cublasOperation_t operation : {CUBLAS_OP_N, CUBLAS_OP_T}) {
                const int rows = 1 + numbers.next() % 70, columns = 1 + numbers.next() % 70;
                Matrix<From> a(turned({rows, columns, 2, from}, operation)), b({rows, columns, 2, from});
                Matrix<To> c({rows, columns, 2, to});
                TransformDescription description(type_of<Scale>());
                description.set(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, operation);
                const Scale first = static_cast<Scale>(alpha), second = static_cast<Scale>(beta);
                right &= fine(cublasLtMatrixTransform(handle, description, &first, a.device, a.layout, &second,
                                                      b.device, b.layout, c.device, c.layout, 0),
                              what);
                right &= has(what, c, precision<To>(), [&](int batch, int i, int j) {
                    return alpha * a(operation, batch, i, j) + beta * b(batch, i, j);
                });
                if (!right) return false;
            }
    return right;
}

static bool all_transforms() {
    bool right = transforms<signed char, signed char>("transform of i8", 2, -3);
    right &= transforms<int, int>("transform of i32", 2, 1);
    right &= transforms<float, __half>("transform of f32 to f16", 0.5, 2);
    right &= transforms<__nv_bfloat16, float>("transform of bf16 to f32", 0.5, 2);
    right &= transforms<double, double>("transform of f64", 0.3, 2);
    // One matrix alone, with its factor in device memory.
    Matrix<float> a({5, 7}), c({7, 5});
    Device<float> factor(std::vector<float>{3});
    TransformDescription description(CUDA_R_32F);
    description.set(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, CUBLAS_OP_T);
    description.set(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_DEVICE);
    right &= fine(cublasLtMatrixTransform(handle, description, factor, a.device, a.layout, nullptr, nullptr, nullptr,
                                          c.device, c.layout, 0),
                  "transpose");
    return right & has("transpose", c, 1e-6, [&](int, int i, int j) { return 3.0 * a(0, j, i); });
}

// The tensor units' orders, all together; and no other mixture of them.
static bool orders_of_igemm() {
    bool right = true;
    const int m = 35, n = 45, k = 70;
    for (const cublasLtOrder_t order : {CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4}) {
        Matrix<signed char> a({m, k, 1, CUBLASLT_ORDER_COL32}), b({n, k, 1, order});
        Matrix<int> d({m, n, 1, CUBLASLT_ORDER_COL32});
        Description description(CUBLAS_COMPUTE_32I, CUDA_R_32I);
        description.operations(CUBLAS_OP_N, CUBLAS_OP_T);
        const int one = 1, zero = 0;
        const auto run = [&] {
            return cublasLtMatmul(handle, description, &one, a.device, a.layout, b.device, b.layout, &zero, nullptr,
                                  d.layout, d.device, d.layout, nullptr, nullptr, 0, 0);
        };
        right &= fine(run(), "orders of igemm") && has("orders of igemm", d, 0, [&](int, int i, int j) {
                     return product(a, CUBLAS_OP_N, b, CUBLAS_OP_T, k, 0, i, j);
                 });
        a.layout.set(CUBLASLT_MATRIX_LAYOUT_ORDER, order);
        a.layout.set(CUBLASLT_MATRIX_LAYOUT_LD, int64_t{32 * 64});
        right &= holds(run() == CUBLAS_STATUS_NOT_SUPPORTED, "orders that do not go together");
    }
    return right;
}

// Real and imaginary parts apart: halves, the imaginary parts first.
static bool planes() {
    const int m = 6, n = 10, k = 8;
    const auto make = [](int rows, int columns) { return random_floats(2 * rows * columns, -1, 1); };
    const auto a = make(m, k), b = make(k, n);
    const auto halves = [](const std::vector<float>& from) {
        std::vector<__half> to;
        for (const float x : from) to.push_back(__float2half(x));
        return to;
    };
    const auto ha = halves(a), hb = halves(b);
    Device<__half> da(ha), db(hb), dc(std::vector<__half>(2 * m * n));
    Layout la(CUDA_C_16F, {m, k, 1, CUBLASLT_ORDER_COL, 0}), lb(CUDA_C_16F, {k, n, 1, CUBLASLT_ORDER_COL, 0}),
        lc(CUDA_C_16F, {m, n, 1, CUBLASLT_ORDER_COL, 0});
    la.set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, -static_cast<int64_t>(m * k * sizeof(__half)));
    lb.set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, -static_cast<int64_t>(k * n * sizeof(__half)));
    lc.set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, -static_cast<int64_t>(m * n * sizeof(__half)));
    const cuComplex alpha{0.5F, 1}, beta{0, 0};
    Description description(CUBLAS_COMPUTE_32F, CUDA_C_32F);
    bool right = fine(cublasLtMatmul(handle, description, &alpha, da + m * k, la, db + k * n, lb, &beta, dc + m * n, lc,
                                     dc + m * n, lc, nullptr, nullptr, 0, 0),
                      "planes");
    const auto at = [](const std::vector<__half>& x, int rows, int columns, int i, int j) {
        return Complex(value(x[rows * columns + j * rows + i]).real(), value(x[j * rows + i]).real());
    };
    const auto c = dc.host();
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            Complex sum{};
            for (int l = 0; l < k; ++l) sum += at(ha, m, k, i, l) * at(hb, k, n, l, j);
            const Complex wanted = Complex(0.5, 1) * sum, got = at(c, m, n, i, j);
            right &=
                agree("planes", got.real(), wanted.real(), 2e-3) && agree("planes", got.imag(), wanted.imag(), 2e-3);
        }
    return right;
}

// Batches whose addresses are in device memory.
static bool batches_by_pointers() {
    const int m = 5, n = 4, k = 3, batches = 3;
    Matrix<float> a({m, k, batches}), b({k, n, batches}), d({m, n, batches});
    std::vector<float*> pa, pb, pd;
    for (int i = batches - 1; i >= 0; --i) {
        pa.push_back(a.device + i * a.shape.stride());
        pb.push_back(b.device + i * b.shape.stride());
        pd.push_back(d.device + i * d.shape.stride());
    }
    Device<float*> qa(pa), qb(pb), qd(pd);
    for (Layout* const layout : {&a.layout, &b.layout, &d.layout})
        layout->set(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, CUBLASLT_BATCH_MODE_POINTER_ARRAY);
    const float one = 1, zero = 0;
    Description description(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    return fine(cublasLtMatmul(handle, description, &one, qa, a.layout, qb, b.layout, &zero, qd, d.layout, qd, d.layout,
                               nullptr, nullptr, 0, 0),
                "pointers") &&
           has("pointers", d, 2e-5,
               [&](int batch, int i, int j) { return product(a, CUBLAS_OP_N, b, CUBLAS_OP_N, k, batch, i, j); });
}

__global__ void add_one(float* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += 1;
}

// Descriptors are read when the call is made, matrices when its turn comes; a handle of cuBLAS does as well.
static bool in_order() {
    const int n = 8;
    Matrix<float> x({n, n, 1, CUBLASLT_ORDER_COL, 0});
    x.values.assign(x.values.size(), 1);
    x.device = x.values;
    Device<float> factor(std::vector<float>{0});
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    cublasHandle_t other;
    bool right = fine(cublasCreate(&other), "create");
    const auto steps = [&] {
        Description description(CUBLAS_COMPUTE_32F, CUDA_R_32F);
        description.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_DEVICE);
        add_one<<<1, 1, 0, stream>>>(factor, 1);
        add_one<<<1, n * n, 0, stream>>>(x.device, n * n);
        right &= fine(
            cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(other), description, factor, x.device, x.layout, x.device,
                           x.layout, factor, x.device, x.layout, x.device, x.layout, nullptr, nullptr, 0, stream),
            "in a stream");
        add_one<<<1, n * n, 0, stream>>>(x.device, n * n);
    };
    steps();  // 1 -> 2 -> 1 * 8 * 2 * 2 + 2 = 34 -> 35
    check(cudaStreamSynchronize(stream));
    right &= has("in a stream", x, 0, [](int, int, int) { return 35.0; });
    cudaGraph_t graph;
    cudaGraphExec_t made;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    steps();
    check(cudaStreamEndCapture(stream, &graph));
    right &= has("captured only", x, 0, [](int, int, int) { return 35.0; });
    check(cudaGraphInstantiate(&made, graph, 0));
    check(cudaGraphLaunch(made, stream));
    check(cudaStreamSynchronize(stream));  // 36 -> 2 * 8 * 36 * 36 + 2 * 36 = 20808
    right &= has("in a graph", x, 0, [](int, int, int) { return 20809.0; });
    return right & fine(cublasDestroy(other), "destroy");
}

static bool algorithms() {
    Matrix<float> a({8, 8}), b({8, 8}), d({8, 8});
    Description description(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulPreference_t preference;
    bool right = fine(cublasLtMatmulPreferenceCreate(&preference), "preference");
    const size_t room = 1 << 20;
    right &= fine(
        cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room),
        "workspace");
    cublasLtMatmulHeuristicResult_t results[4] = {};
    int count = -1;
    right &= fine(cublasLtMatmulAlgoGetHeuristic(handle, description, a.layout, b.layout, d.layout, d.layout,
                                                 preference, 4, results, &count),
                  "heuristic") &&
             holds(count >= 1 && results[0].state == CUBLAS_STATUS_SUCCESS && results[0].workspaceSize <= room,
                   "heuristic's result");
    const float one = 1, zero = 0;
    const auto run = [&](const cublasLtMatmulAlgo_t& algorithm) {
        return cublasLtMatmul(handle, description, &one, a.device, a.layout, b.device, b.layout, &zero, d.device,
                              d.layout, d.device, d.layout, &algorithm, nullptr, 0, 0);
    };
    right &= fine(run(results[0].algo), "heuristic's algorithm");
    int ids[3] = {};
    const auto f32 = CUDA_R_32F;
    right &= fine(cublasLtMatmulAlgoGetIds(handle, CUBLAS_COMPUTE_32F, f32, f32, f32, f32, f32, 3, ids, &count), "ids");
    cublasLtMatmulAlgo_t algorithm;
    right &= holds(count >= 1, "an id") &&
             fine(cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, f32, f32, f32, f32, f32, ids[0], &algorithm),
                  "algorithm");
    const int splits = 7;
    int got = 0, id = -1;
    size_t written = 0;
    right &=
        fine(cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &splits, sizeof splits),
             "set") &&
        fine(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &got, sizeof got,
                                                  &written),
             "get") &&
        agree("splits", got, splits) && agree("bytes", written, sizeof got) &&
        fine(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id, &written),
             "get id") &&
        agree("id", id, ids[0]);
    right &= holds(cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id) ==
                       CUBLAS_STATUS_INVALID_VALUE,
                   "an id is not set");
    right &=
        fine(cublasLtMatmulAlgoCheck(handle, description, a.layout, b.layout, d.layout, d.layout, &algorithm, results),
             "check") &&
        fine(run(algorithm), "algorithm");
    right &= fine(cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_TILE_IDS, nullptr, 0, &written),
                  "tiles") &&
             holds(written % sizeof(int) == 0, "tiles' bytes");
    Matrix<double> wide({8, 8});
    Description of_wide(CUBLAS_COMPUTE_64F, CUDA_R_64F);
    right &= holds(cublasLtMatmulAlgoCheck(handle, of_wide, wide.layout, wide.layout, wide.layout, wide.layout,
                                           &algorithm, results) == CUBLAS_STATUS_INVALID_VALUE,
                   "an algorithm of other types");
    right &= has("algorithms", d, 2e-5,
                 [&](int, int i, int j) { return product(a, CUBLAS_OP_N, b, CUBLAS_OP_N, 8, 0, i, j); });
    return right & fine(cublasLtMatmulPreferenceDestroy(preference), "destroy");
}

// Memory of the application's, as long as in this version's header and as in the first one's.
static bool in_place() {
    bool right = true;
    uint64_t short_memory[12];
    short_memory[11] = 0x1234;
    auto* const in_short = reinterpret_cast<cublasLtMatmulDesc_t>(short_memory);
    right &= fine(cublasLtMatmulDescInit_internal(in_short, 88, CUBLAS_COMPUTE_64F, CUDA_R_64F), "short descriptor");
    const int count = 5;
    const void* const pointer = &count;
    right &= fine(cublasLtMatmulDescSetAttribute(in_short, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, &count, sizeof count),
                  "its last attribute");
    right &= holds(cublasLtMatmulDescSetAttribute(in_short, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &pointer,
                                                  sizeof pointer) == CUBLAS_STATUS_INVALID_VALUE,
                   "what it has no room for");
    right &= holds(short_memory[11] == 0x1234, "beyond a short descriptor");
    right &= holds(
        cublasLtMatmulDescInit_internal(in_short, 16, CUBLAS_COMPUTE_64F, CUDA_R_64F) == CUBLAS_STATUS_ALLOC_FAILED,
        "too short");
    cublasLtMatmulDescOpaque_t whole;
    cublasLtMatrixLayoutOpaque_t layout;
    right &=
        fine(cublasLtMatmulDescInit(&whole, CUBLAS_COMPUTE_64F, CUDA_R_64F), "descriptor") &&
        fine(cublasLtMatrixLayoutInit(&layout, CUDA_R_64F, 3, 3, 3), "layout") &&
        fine(cublasLtMatmulDescSetAttribute(&whole, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &pointer, sizeof pointer),
             "scale");
    const void* got = nullptr;
    size_t written = 0;
    right &=
        fine(cublasLtMatmulDescGetAttribute(&whole, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &got, sizeof got, &written),
             "get") &&
        holds(got == pointer && written == sizeof got, "what was set");
    // Doubles do not have scales.
    const double one = 1, zero = 0;
    Device<double> x(std::vector<double>(9, 2));
    const auto run = [&](cublasLtMatmulDesc_t description) {
        return cublasLtMatmul(handle, description, &one, x, &layout, x, &layout, &zero, x, &layout, x, &layout, nullptr,
                              nullptr, 0, 0);
    };
    right &= holds(run(&whole) == CUBLAS_STATUS_INVALID_VALUE, "a scale of doubles");
    right &= fine(cublasLtMatmulDescInit_internal(in_short, 88, CUBLAS_COMPUTE_64F, CUDA_R_64F), "again") &&
             fine(run(in_short), "a short descriptor") && agree("3 * 2 * 2", x.host(), std::vector<double>(9, 12));
    return right;
}

static bool errors() {
    Matrix<float> a({4, 6}), b({6, 5}), d({4, 5});
    Matrix<__half> half({4, 5});
    const float one = 1, zero = 0;
    Description description(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const auto run = [&](cublasLtHandle_t h, const void* x, cublasLtMatrixLayout_t lb, const float* beta, void* to,
                         cublasLtMatrixLayout_t ld) {
        return cublasLtMatmul(h, description, &one, x, a.layout, b.device, lb, beta, d.device, ld, to, ld, nullptr,
                              nullptr, 0, 0);
    };
    float* const from = a.device;
    float* const to = d.device;
    bool right = fine(run(handle, from, b.layout, &zero, to, d.layout), "as it should be");
    right &= holds(run(nullptr, from, b.layout, &zero, to, d.layout) == CUBLAS_STATUS_NOT_INITIALIZED, "no handle");
    right &= holds(run(handle, nullptr, b.layout, &zero, to, d.layout) == CUBLAS_STATUS_INVALID_VALUE, "no A");
    right &= holds(run(handle, from, b.layout, nullptr, to, d.layout) == CUBLAS_STATUS_INVALID_VALUE, "no beta");
    right &= holds(run(handle, from, a.layout, &zero, to, d.layout) == CUBLAS_STATUS_INVALID_VALUE, "sizes");
    right &= holds(run(handle, from, nullptr, &zero, to, d.layout) == CUBLAS_STATUS_INVALID_VALUE, "no layout");
    right &= holds(run(handle, from, b.layout, &zero, half.device, half.layout) == CUBLAS_STATUS_NOT_SUPPORTED,
                   "types that do not go together");
    description.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    right &= holds(run(handle, from, b.layout, &zero, to, d.layout) == CUBLAS_STATUS_INVALID_VALUE, "no bias");
    description.set(CUBLASLT_MATMUL_DESC_EPILOGUE, 3U);
    right &= holds(run(handle, from, b.layout, &zero, to, d.layout) == CUBLAS_STATUS_INVALID_VALUE, "no epilogue");
    description.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
    description.set(CUBLASLT_MATMUL_DESC_FILL_MODE, CUBLAS_FILL_MODE_LOWER);
    right &= holds(run(handle, from, b.layout, &zero, to, d.layout) == CUBLAS_STATUS_NOT_SUPPORTED, "a triangle");
    description.set(CUBLASLT_MATMUL_DESC_FILL_MODE, CUBLAS_FILL_MODE_FULL);
    right &= fine(run(handle, from, b.layout, &zero, to, d.layout), "as it was");
    b.layout.set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 2);
    right &= holds(run(handle, from, b.layout, &zero, to, d.layout) == CUBLAS_STATUS_INVALID_VALUE, "batches");
    b.layout.set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1);
    b.layout.set(CUBLASLT_MATRIX_LAYOUT_LD, int64_t{5});
    right &= holds(run(handle, from, b.layout, &zero, to, d.layout) == CUBLAS_STATUS_INVALID_VALUE, "leading");
    int x = 0;
    size_t written = 0;
    const auto invalid = CUBLAS_STATUS_INVALID_VALUE;
    right &=
        holds(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, nullptr, 4) == invalid &&
                  cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &x, 8) == invalid &&
                  cublasLtMatmulDescSetAttribute(description, static_cast<cublasLtMatmulDescAttributes_t>(999), &x,
                                                 4) == invalid &&
                  cublasLtMatmulDescGetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &x, 0, nullptr) == invalid,
              "attributes");
    right &=
        fine(cublasLtMatmulDescGetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, nullptr, 0, &written), "room") &&
        agree("room", written, sizeof x);
    // As NVIDIA's library does it, which can be asked this much without a GPU.
    right &= holds(cublasLtCreate(nullptr) == invalid && cublasLtDestroy(nullptr) == invalid &&
                       cublasLtMatrixLayoutDestroy(nullptr) == CUBLAS_STATUS_SUCCESS,
                   "nothing");
    int count = 7;
    cublasLtMatmulHeuristicResult_t result;
    right &= holds(cublasLtMatmulAlgoGetHeuristic(handle, description, a.layout, b.layout, d.layout, d.layout, nullptr,
                                                  0, &result, &count) == invalid,
                   "no algorithms wanted");
    right &= holds(std::string(cublasLtGetStatusName(invalid)) == "CUBLAS_STATUS_INVALID_VALUE", "name");
    return right;
}

int main() {
    bool right = fine(cublasLtCreate(&handle), "create");
    right &= all_types() & epilogues<float>("epilogue") & epilogues<__half>("epilogue of halves");
    right &= pointer_modes() & scales_of_fp8() & all_transforms() & orders_of_igemm() & planes();
    right &= batches_by_pointers() & in_order() & algorithms() & in_place() & errors();
    right &= fine(cublasLtDestroy(handle), "destroy");
    return verdict(right);
}
