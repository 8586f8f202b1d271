// Matrix products whose types are named at run time: half precision, bfloat16 and int8 are calculated in float or
// double (8-bit products exactly) and rounded once at the end.
#include <algorithm>
#include <cstring>
#include <vector>

#include "collector/simulate/libraries/cublas_blas.hpp"
#include "collector/simulate/libraries/cublas_products.hpp"
#include "collector/simulate/libraries/cublas_typed_values.hpp"

namespace gpuproj::simulate::libraries::cublas {

namespace {

struct Matrix {
    DataType type;
    const void* begin;
    int leading;
    Operation operation = Operation::none;
};

/// Rows one behind the other are as they were; only what is needed is converted.
template <class T>
std::vector<T> converted(const Matrix& from, int rows, int columns) {
    std::vector<T> to(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i)
            to[static_cast<std::size_t>(j) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(i)] = read<T>(
                from.type, from.begin,
                static_cast<std::size_t>(j) * static_cast<std::size_t>(from.leading) + static_cast<std::size_t>(i));
    return to;
}

template <class T>
void product(const Matrix& A, const Matrix& B, DataType type, void* C, int ldc, int m, int n, int k, T alpha, T beta) {
    const auto kept = [](const Matrix& x, int rows, int columns) {
        return x.operation == Operation::none ? std::pair{rows, columns} : std::pair{columns, rows};
    };
    const auto [ra, ca] = kept(A, m, k);
    const auto [rb, cb] = kept(B, k, n);
    const std::vector<T> a = converted<T>(A, ra, ca), b = converted<T>(B, rb, cb);
    std::vector<T> c = beta == T{} ? std::vector<T>(static_cast<std::size_t>(m) * static_cast<std::size_t>(n))
                                   : converted<T>({type, C, ldc}, m, n);
    gemm(A.operation, B.operation, m, n, k, alpha, a.data(), std::max(ra, 1), b.data(), std::max(rb, 1), beta, c.data(),
         std::max(m, 1));
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            write(type, C, static_cast<std::size_t>(j) * static_cast<std::size_t>(ldc) + static_cast<std::size_t>(i),
                  c[static_cast<std::size_t>(j) * static_cast<std::size_t>(m) + static_cast<std::size_t>(i)]);
}

bool is_complex(DataType type) {
    return type == DataType::c32 || type == DataType::c64;
}

/// cublasComputeType_t, or before CUDA 11 cudaDataType: the type of alpha and beta.
DataType scalar_type(int compute) {
    constexpr int c16 = 64, c16_pedantic = 65, c64 = 70, c64_pedantic = 71, c64_emulated = 79, c32i = 72,
                  c32i_pedantic = 73, first = 64;
    if (compute < first) return static_cast<DataType>(compute);
    if (compute == c16 || compute == c16_pedantic) return DataType::f16;
    if (compute == c64 || compute == c64_pedantic || compute == c64_emulated) return DataType::f64;
    return compute == c32i || compute == c32i_pedantic ? DataType::i32 : DataType::f32;
}

struct Problem {
    Operation oa, ob;
    int m, n, k;
    DataType type_a, type_b, type_c, scalar;
    int lda, ldb, ldc;
};

/// Bytes from the first to the last element of the result.
std::size_t written_by(const Problem& p) {
    return bytes_of<char>(p.m, p.n, p.ldc) * bytes_of(p.type_c);
}

/// With alpha and beta where they are.
void calculate(const Problem& p, const void* alpha, const void* beta, const void* A, const void* B, void* C) {
    const auto in_place = [&](auto zero) {
        using T = decltype(zero);
        gemm(p.oa, p.ob, p.m, p.n, p.k, *static_cast<const T*>(alpha), static_cast<const T*>(A), p.lda,
             static_cast<const T*>(B), p.ldb, *static_cast<const T*>(beta), static_cast<T*>(C), p.ldc);
    };
    const auto all_are = [&](DataType type) {
        return p.type_a == type && p.type_b == type && p.type_c == type && p.scalar == type;
    };
    const Matrix a{p.type_a, A, p.lda, p.oa}, b{p.type_b, B, p.ldb, p.ob};
    if (all_are(DataType::f32))
        in_place(float{});
    else if (all_are(DataType::f64))
        in_place(double{});
    else if (p.type_c == DataType::c32)
        in_place(C32{});
    else if (p.type_c == DataType::c64)
        in_place(C64{});
    else if (p.type_a == DataType::i8 || p.type_a == DataType::f64)
        product<double>(a, b, p.type_c, C, p.ldc, p.m, p.n, p.k, read<double>(p.scalar, alpha, 0),
                        read<double>(p.scalar, beta, 0));
    else
        product<float>(a, b, p.type_c, C, p.ldc, p.m, p.n, p.k, read<float>(p.scalar, alpha, 0),
                       read<float>(p.scalar, beta, 0));
}

/// Multiplies, and says that C was written, unless the result is there already.
void multiply(const Problem& p, const void* alpha, const void* beta, const void* A, const void* B, void* C) {
    const auto is_0 = [&] {
        const auto* const bytes = static_cast<const char*>(beta);
        return std::all_of(bytes, bytes + bytes_of(p.scalar), [](char byte) { return byte == 0; });
    };
    std::string call;
    if (is_long(p.m, p.n, p.k) && is_0()) {
        call = call_of("typed", p, A, B, C);
        call.append(static_cast<const char*>(alpha), bytes_of(p.scalar));
    }
    const std::array from{stretch_of(A, bytes_of(p.type_a), p.oa, p.m, p.k, p.lda),
                          stretch_of(B, bytes_of(p.type_b), p.ob, p.k, p.n, p.ldb)};
    once(call, from, {C, written_by(p)}, [&] { calculate(p, alpha, beta, A, B, C); });
}

/// A scalar whose type is known at run time.
class AnyScalar {
public:
    AnyScalar(const Handle& handle, DataType type, const void* at) : at_(handle.pointer_mode == 0 ? nullptr : at) {
        if (handle.pointer_mode == 0) std::memcpy(value_, at, bytes_of(type));
    }
    const void* get() const { return at_ != nullptr ? at_ : value_; }

private:
    const void* at_;
    alignas(16) std::byte value_[16]{};
};

bool known(const Problem& p) {
    const bool types = bytes_of(p.type_a) > 0 && bytes_of(p.type_b) > 0 && bytes_of(p.type_c) > 0;
    const bool alike = is_complex(p.type_a) == is_complex(p.type_c) && is_complex(p.type_b) == is_complex(p.type_c);
    return types && alike && bytes_of(p.scalar) > 0;
}

/// `C`: the result, or where the places of the results are; `pointers(i)`: the matrices of problem i.
template <class Pointers>
int submit_problems(const char* name, void* h, const Problem& problem, const void* alpha, const void* beta,
                    const void* C, int count, Pointers&& pointers) {
    const Handle* const handle = handle_of(h);
    if (handle == nullptr) return not_initialized;
    if (alpha == nullptr || beta == nullptr || count < 0 || problem.m < 0 || problem.n < 0 || problem.k < 0)
        return invalid_value;
    if (!known(problem)) return not_supported;
    if (count > 0 && lacks_place(C, written_by(problem))) return invalid_value;
    return submit(name, h, {}, nullptr, 0,
                  [=, a = AnyScalar(*handle, problem.scalar, alpha), b = AnyScalar(*handle, problem.scalar, beta)] {
                      for (int i = 0; i < count; ++i) {
                          const auto [first, second, result] = pointers(i);
                          multiply(problem, a.get(), b.get(), first, second, result);
                      }
                  });
}

struct Pointers {
    const void* a;
    const void* b;
    void* c;
};

int one(const char* name, void* h, const Problem& p, const void* alpha, const void* A, const void* B, const void* beta,
        void* C) {
    return submit_problems(name, h, p, alpha, beta, C, 1, [=](int) { return Pointers{A, B, C}; });
}

int strided(const char* name, void* h, const Problem& p, const void* alpha, const void* A, long long sa, const void* B,
            long long sb, const void* beta, void* C, long long sc, int count) {
    const auto at = [](const void* begin, long long stride, DataType type, int i) {
        return static_cast<const char*>(begin) + i * stride * static_cast<long long>(bytes_of(type));
    };
    return submit_problems(name, h, p, alpha, beta, C, count, [=](int i) {
        return Pointers{at(A, sa, p.type_a, i), at(B, sb, p.type_b, i), const_cast<char*>(at(C, sc, p.type_c, i))};
    });
}

int batched(const char* name, void* h, const Problem& p, const void* alpha, const void* const A[],
            const void* const B[], const void* beta, void* const C[], int count) {
    return submit_problems(name, h, p, alpha, beta, C, count, [=](int i) { return Pointers{A[i], B[i], C[i]}; });
}

Problem of_halves(Operation oa, Operation ob, int m, int n, int k, int lda, int ldb, int ldc) {
    return {oa, ob, m, n, k, DataType::f16, DataType::f16, DataType::f16, DataType::f16, lda, ldb, ldc};
}

}  // namespace

GPUPROJ_LIBRARY_API int cublasGemmEx(void* h, Operation oa, Operation ob, int m, int n, int k, const void* alpha,
                                     const void* A, DataType type_a, int lda, const void* B, DataType type_b, int ldb,
                                     const void* beta, void* C, DataType type_c, int ldc, int compute, int) {
    return one("cublasGemmEx", h, {oa, ob, m, n, k, type_a, type_b, type_c, scalar_type(compute), lda, ldb, ldc}, alpha,
               A, B, beta, C);
}
GPUPROJ_LIBRARY_API int cublasGemmStridedBatchedEx(void* h, Operation oa, Operation ob, int m, int n, int k,
                                                   const void* alpha, const void* A, DataType type_a, int lda,
                                                   long long sa, const void* B, DataType type_b, int ldb, long long sb,
                                                   const void* beta, void* C, DataType type_c, int ldc, long long sc,
                                                   int count, int compute, int) {
    return strided("cublasGemmStridedBatchedEx", h,
                   {oa, ob, m, n, k, type_a, type_b, type_c, scalar_type(compute), lda, ldb, ldc}, alpha, A, sa, B, sb,
                   beta, C, sc, count);
}
GPUPROJ_LIBRARY_API int cublasGemmBatchedEx(void* h, Operation oa, Operation ob, int m, int n, int k, const void* alpha,
                                            const void* const A[], DataType type_a, int lda, const void* const B[],
                                            DataType type_b, int ldb, const void* beta, void* const C[],
                                            DataType type_c, int ldc, int count, int compute, int) {
    return batched("cublasGemmBatchedEx", h,
                   {oa, ob, m, n, k, type_a, type_b, type_c, scalar_type(compute), lda, ldb, ldc}, alpha, A, B, beta, C,
                   count);
}
GPUPROJ_LIBRARY_API int cublasSgemmEx(void* h, Operation oa, Operation ob, int m, int n, int k, const float* alpha,
                                      const void* A, DataType type_a, int lda, const void* B, DataType type_b, int ldb,
                                      const float* beta, void* C, DataType type_c, int ldc) {
    return one("cublasSgemmEx", h, {oa, ob, m, n, k, type_a, type_b, type_c, DataType::f32, lda, ldb, ldc}, alpha, A, B,
               beta, C);
}
GPUPROJ_LIBRARY_API int cublasHgemm(void* h, Operation oa, Operation ob, int m, int n, int k, const void* alpha,
                                    const void* A, int lda, const void* B, int ldb, const void* beta, void* C,
                                    int ldc) {
    return one("cublasHgemm", h, of_halves(oa, ob, m, n, k, lda, ldb, ldc), alpha, A, B, beta, C);
}
GPUPROJ_LIBRARY_API int cublasHgemmStridedBatched(void* h, Operation oa, Operation ob, int m, int n, int k,
                                                  const void* alpha, const void* A, int lda, long long sa,
                                                  const void* B, int ldb, long long sb, const void* beta, void* C,
                                                  int ldc, long long sc, int count) {
    return strided("cublasHgemmStridedBatched", h, of_halves(oa, ob, m, n, k, lda, ldb, ldc), alpha, A, sa, B, sb, beta,
                   C, sc, count);
}
GPUPROJ_LIBRARY_API int cublasHgemmBatched(void* h, Operation oa, Operation ob, int m, int n, int k, const void* alpha,
                                           const void* const A[], int lda, const void* const B[], int ldb,
                                           const void* beta, void* const C[], int ldc, int count) {
    return batched("cublasHgemmBatched", h, of_halves(oa, ob, m, n, k, lda, ldb, ldc), alpha, A, B, beta, C, count);
}

}  // namespace gpuproj::simulate::libraries::cublas
