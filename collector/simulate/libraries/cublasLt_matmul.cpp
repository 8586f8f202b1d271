// The product of matrices: everything is converted to the type that is calculated in, multiplied by OpenBLAS and
// rounded once when it is stored. 8-bit integers are multiplied in double precision, which is exact.
#include "collector/simulate/libraries/cublas_blas.hpp"
#include "collector/simulate/libraries/cublasLt_algorithm.hpp"
#include "collector/simulate/libraries/cublasLt_epilogue.hpp"
#include "collector/simulate/libraries/cublasLt_factor.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

namespace {

struct Matmul {
    MatmulProblem problem;
    Factors factors;
    const void *a, *b, *c;
    void* d;
    std::int32_t* bits_retained;  // by emulation
};

/// A matrix that BLAS can take: as it lies in memory where that is possible.
template <class T>
class Operand {
public:
    Operand(const MatrixLayout& layout, const void* at) : begin_(static_cast<const T*>(at)), leading_(layout.leading) {
        constexpr DataType same = std::is_same_v<T, float>    ? DataType::f32
                                  : std::is_same_v<T, double> ? DataType::f64
                                  : std::is_same_v<T, C32>    ? DataType::c32
                                                              : DataType::c64;
        if (layout.type == same && layout.order == Order::column && layout.plane_offset == 0) return;
        kept_ = loaded<T>(layout, at);
        begin_ = kept_.values.data();
        leading_ = layout.rows;
    }
    const T* begin() const { return begin_; }
    int leading() const { return std::max(static_cast<int>(leading_), 1); }

private:
    Dense<T> kept_{0, 0};
    const T* begin_;
    std::int64_t leading_;
};

float scale_at(const float* at) {
    return at != nullptr ? *at : 1;
}

/// op(A) op(B), times alpha and the scales of A and B.
template <class T>
Dense<T> scaled_product(const Matmul& work, const void* at_a, const void* at_b, std::int64_t batch) {
    const MatmulProblem& p = work.problem;
    const MatmulDescription& x = p.description;
    const bool by_row = x.a_mode == ScaleMode::vector_of_outer && x.a_scale != nullptr;
    const bool by_column = x.b_mode == ScaleMode::vector_of_outer && x.b_scale != nullptr;
    const Factor& alpha = work.factors.alpha;
    T factor = alpha.is_vector() ? T{1} : alpha.get<T>();
    if (!by_row) factor *= static_cast<T>(scale_at(x.a_scale));
    if (!by_column) factor *= static_cast<T>(scale_at(x.b_scale));

    Dense<T> product{p.m, p.n};
    if (p.k > 0) {
        const Operand<T> a(p.a, at_a), b(p.b, at_b);
        cublas::gemm(x.operation_a, x.operation_b, static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k),
                     factor, a.begin(), a.leading(), b.begin(), b.leading(), T{}, product.values.data(),
                     std::max(static_cast<int>(p.m), 1));
    }
    if (!by_row && !by_column && !alpha.is_vector()) return product;
    std::vector<T> of_rows =
        alpha.is_vector() ? alpha.of_each_row<T>(p.m, batch) : std::vector<T>(static_cast<std::size_t>(p.m), T{1});
    for (std::int64_t i = 0; by_row && i < p.m; ++i)
        of_rows[static_cast<std::size_t>(i)] *= static_cast<T>(x.a_scale[i]);
    for (std::int64_t j = 0; j < p.n; ++j) {
        const T of_column = by_column ? static_cast<T>(x.b_scale[j]) : T{1};
        for (std::int64_t i = 0; i < p.m; ++i) product.column(j)[i] *= of_column * of_rows[static_cast<std::size_t>(i)];
    }
    return product;
}

/// C times beta and its scale.
template <class T>
void add_scaled(const Matmul& work, const void* at_c, std::int64_t batch, Dense<T>& to) {
    const Factor& beta = work.factors.beta;
    if (!beta.is_vector() && beta.get<T>() == T{}) return;  // C is not looked at then
    const std::vector<T> of_rows = beta.of_each_row<T>(to.rows, batch);
    const T scale = static_cast<T>(scale_at(work.problem.description.c_scale));
    const Dense<T> c = loaded<T>(work.problem.c, at_c);
    for (std::int64_t j = 0; j < c.columns; ++j)
        for (std::int64_t i = 0; i < c.rows; ++i)
            to.column(j)[i] += of_rows[static_cast<std::size_t>(i)] * scale * c.column(j)[i];
}

/// From the sum to what is stored; `a` and `b`: of this batch.
template <class T>
void finish(const MatmulProblem& p, const void* a, const void* b, std::int64_t batch, Dense<T>& x, Largest& largest) {
    if constexpr (!is_complex<T>) {
        const MatmulDescription& how = p.description;
        apply_epilogue(p, x, batch, largest);
        if (how.epilogue == bias_gradient_of_a)
            store_bias_gradient(p, loaded<T>(p.a, a), how.operation_a == Operation::none, batch);
        if (how.epilogue == bias_gradient_of_b)
            store_bias_gradient(p, loaded<T>(p.b, b), how.operation_b != Operation::none, batch);
        if (how.d_largest != nullptr) largest.d = std::max(largest.d, largest_of(x));
        scale(x, static_cast<T>(scale_at(how.d_scale)));
    }
}

template <class T>
void give(T* to, T value) {
    if (to == nullptr) return;
    *to = value;
    gpuproj_library_wrote(to, sizeof *to);
}

template <class T>
void calculate(const Matmul& work) {
    const MatmulProblem& p = work.problem;
    const auto of_batch = [](const MatrixLayout& layout, auto at, std::int64_t batch) {
        const DataType counted = layout.plane_offset != 0 ? part_of(layout.type) : layout.type;
        return matrix_of_batch(layout, at, batch, element_bytes(counted));
    };
    Largest largest;
    for (std::int64_t batch = 0; batch < p.d.batches; ++batch) {
        const void* const a = of_batch(p.a, work.a, batch);
        const void* const b = of_batch(p.b, work.b, batch);
        Dense<T> result = scaled_product<T>(work, a, b, batch);
        if (!work.factors.beta.is_known_zero()) add_scaled(work, of_batch(p.c, work.c, batch), batch, result);
        finish(p, a, b, batch, result, largest);
        store(p.d, result, of_batch(p.d, work.d, batch));
    }
    give(p.description.d_largest, static_cast<float>(largest.d));
    give(p.description.auxiliary_largest, static_cast<float>(largest.auxiliary));
    give(work.bits_retained, -1);  // nothing is emulated
}

void calculate_in_its_type(const Matmul& work) {
    const MatmulProblem& p = work.problem;
    if (p.m == 0 || p.n == 0) return;
    if (p.description.scale_type == DataType::c32)
        calculate<C32>(work);
    else if (p.description.scale_type == DataType::c64)
        calculate<C64>(work);
    else if (p.a.type == DataType::i8 || p.a.type == DataType::f64)
        calculate<double>(work);
    else
        calculate<float>(work);
}

Factors factors_of(const MatmulDescription& x, const void* alpha, const void* beta) {
    const DataType type = x.scale_type;
    switch (x.pointer_mode) {
        case PointerMode::host:
            return {Factor::on_host(type, alpha), Factor::on_host(type, beta)};
        case PointerMode::device:
            return {Factor::on_device(type, alpha), Factor::on_device(type, beta)};
        case PointerMode::device_vectors:
            return {Factor::of_rows(type, alpha, 0), Factor::of_rows(type, beta, 0)};
        case PointerMode::alpha_vector_beta_zero:
            return {Factor::of_rows(type, alpha, 0), Factor::zero(type)};
        case PointerMode::alpha_vector_beta_host:
            break;
    }
    return {Factor::of_rows(type, alpha, x.alpha_batch_stride), Factor::on_host(type, beta)};
}

bool pointers_are_there(const Matmul& work) {
    const MatmulDescription& x = work.problem.description;
    if (work.a == nullptr || work.b == nullptr || work.d == nullptr) return false;
    if (work.c == nullptr && !work.factors.beta.is_known_zero()) return false;
    return (!has_bias(x.epilogue) || x.bias != nullptr) &&
           ((x.epilogue & with_auxiliary) == 0 || x.auxiliary != nullptr);
}

std::int32_t* bits_retained(const MatmulDescription& x) {
    if (!is_descriptor<EmulationDescription>(x.emulation)) return nullptr;
    return state_of<EmulationDescription>(x.emulation).bits_retained;
}

}  // namespace

GPUPROJ_LIBRARY_API int cublasLtMatmul(void* handle, const void* description, const void* alpha, const void* A,
                                       const void* layout_a, const void* B, const void* layout_b, const void* beta,
                                       const void* C, const void* layout_c, void* D, const void* layout_d,
                                       const void* algorithm, void*, std::size_t, void* stream) {
    constexpr const char* name = "cublasLtMatmul";
    if (!is_handle(handle)) return not_initialized;
    MatmulProblem problem;
    const Verdict verdict = examine(description, layout_a, layout_b, layout_c, layout_d, problem);
    if (verdict.refused != nullptr) gpuproj_library_refuses(library, verdict.refused);
    if (verdict.status != success) return verdict.status;
    const MatmulDescription& x = problem.description;
    if (alpha == nullptr || (beta == nullptr && x.pointer_mode != PointerMode::alpha_vector_beta_zero))
        return invalid_value;
    if (algorithm != nullptr && !is_for(algorithm, problem)) return invalid_value;
    const Matmul work{problem, factors_of(x, alpha, beta), A, B, C, D, bits_retained(x)};
    if (!pointers_are_there(work)) return invalid_value;
    return do_in_stream(cublas::statuses, library, name, stream, [work] { calculate_in_its_type(work); });
}

}  // namespace gpuproj::simulate::libraries::cublas_lt
