#include "collector/simulate/libraries/cublasLt_algorithm.hpp"

#include "collector/simulate/libraries/cublasLt_dense.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

namespace {

constexpr std::uint32_t limited_by_id = 1;  // CUBLASLT_SEARCH_LIMITED_BY_ALGO_ID

/// cublasLtMatmulHeuristicResult_t
struct HeuristicResult {
    Algorithm algorithm;
    std::size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96);

/// CUBLASLT_NUMERICAL_IMPL_FLAGS_: fused multiply-add, the accumulator, the inputs.
std::uint64_t numerical_flags(const Algorithm& x) {
    const auto accumulator = [&]() -> std::uint64_t {
        switch (x.scale_type) {
            case DataType::f16:
                return 1;
            case DataType::f64:
            case DataType::c64:
                return 4;
            default:
                return x.type_a == DataType::i8 ? 8 : 2;
        }
    }();
    const auto inputs = [&]() -> std::uint64_t {
        constexpr DataType by_bit[] = {DataType::f16, DataType::bf16, DataType::i32, DataType::f32,
                                       DataType::f64, DataType::i8,   e4m3,          e5m2};  // bit 2 is tf32
        const auto* const found = std::find(std::begin(by_bit), std::end(by_bit), part_of(x.type_a));
        return found == std::end(by_bit) ? 0 : std::uint64_t{1} << (found - std::begin(by_bit));
    }();
    return 1 | accumulator << 8 | inputs << 16;
}

template <class T>
int give(T known, void* value, std::size_t bytes, std::size_t* written) {
    return give_attribute(&known, sizeof known, value, bytes, written);
}

void init(void* at, const Algorithm& algorithm) {
    static_cast<void>(init_descriptor(at, sizeof algorithm, algorithm));
}

}  // namespace

Algorithm algorithm_of(std::int32_t id, Compute compute, DataType scale, DataType a, DataType b, DataType c,
                       DataType d) noexcept {
    Algorithm algorithm;
    algorithm.id = id;
    algorithm.compute = compute;
    algorithm.scale_type = scale;
    algorithm.type_a = a, algorithm.type_b = b, algorithm.type_c = c, algorithm.type_d = d;
    return algorithm;
}

bool is_for(const void* at, const MatmulProblem& p) noexcept {
    if (!is_descriptor<Algorithm>(at)) return false;
    const auto x = state_of<Algorithm>(at);
    return x.compute == p.description.compute && x.scale_type == p.description.scale_type && x.type_a == p.a.type &&
           x.type_b == p.b.type && x.type_c == p.c.type && x.type_d == p.d.type;
}

GPUPROJ_LIBRARY_API int cublasLtMatmulAlgoGetHeuristic(void* handle, const void* description, const void* a,
                                                       const void* b, const void* c, const void* d,
                                                       const void* preference, int requested, void* results,
                                                       int* returned) {
    if (!is_handle(handle)) return not_initialized;
    if (returned == nullptr) return invalid_value;
    *returned = 0;
    if (requested < 1 || results == nullptr || (preference != nullptr && !is_descriptor<Preference>(preference)))
        return invalid_value;
    MatmulProblem p;
    const Verdict verdict = examine(description, a, b, c, d, p);
    if (verdict.refused != nullptr) gpuproj_library_refuses(library, verdict.refused);
    if (verdict.status != success) return verdict.status;
    std::int32_t id = 0;
    if (preference != nullptr && state_of<Preference>(preference).search_mode == limited_by_id) {
        if (!is_for(results, p)) return invalid_value;
        id = state_of<Algorithm>(results).id;
    }
    std::memset(results, 0, sizeof(HeuristicResult));  // success, and no workspace
    auto* const result = static_cast<HeuristicResult*>(results);
    init(&result->algorithm,
         algorithm_of(id, p.description.compute, p.description.scale_type, p.a.type, p.b.type, p.c.type, p.d.type));
    result->waves = 1;
    *returned = 1;
    return success;
}

GPUPROJ_LIBRARY_API int cublasLtMatmulAlgoGetIds(void* handle, Compute compute, DataType scale, DataType a, DataType b,
                                                 DataType c, DataType d, int requested, int* ids, int* returned) {
    if (!is_handle(handle)) return not_initialized;
    if (requested < 1 || ids == nullptr || returned == nullptr) return invalid_value;
    *returned = 0;
    if (!is_known_combination(compute, scale, a, b, c, d)) return success;
    ids[0] = 0;
    *returned = 1;
    return success;
}

// Applications know NVIDIA's numbers of algorithms by heart, so that any is taken.
GPUPROJ_LIBRARY_API int cublasLtMatmulAlgoInit(void* handle, Compute compute, DataType scale, DataType a, DataType b,
                                               DataType c, DataType d, int id, void* algorithm) {
    if (!is_handle(handle)) return not_initialized;
    if (algorithm == nullptr || id < 0) return invalid_value;
    if (!is_known_combination(compute, scale, a, b, c, d)) return not_supported;
    init(algorithm, algorithm_of(id, compute, scale, a, b, c, d));
    return success;
}

GPUPROJ_LIBRARY_API int cublasLtMatmulAlgoCheck(void* handle, const void* description, const void* a, const void* b,
                                                const void* c, const void* d, const void* algorithm, void* result) {
    if (!is_handle(handle)) return not_initialized;
    if (result == nullptr) return invalid_value;
    MatmulProblem p;
    const Verdict verdict = examine(description, a, b, c, d, p);
    if (verdict.status != success) return verdict.status;
    if (!is_for(algorithm, p)) return invalid_value;
    auto* const known = static_cast<HeuristicResult*>(result);  // whose algorithm stays as it is
    known->workspace_bytes = 0;
    known->status = success;
    known->waves = 1;
    return success;
}

GPUPROJ_LIBRARY_API int cublasLtMatmulAlgoCapGetAttribute(const void* algorithm, int number, void* value,
                                                          std::size_t bytes, std::size_t* written) {
    if (!is_descriptor<Algorithm>(algorithm)) return invalid_value;
    const auto x = state_of<Algorithm>(algorithm);
    const auto yes_or_no = [&](bool yes) { return give(std::int32_t{yes}, value, bytes, written); };
    const auto mask = [&](std::uint32_t bits) { return give(bits, value, bytes, written); };
    const auto alignment = [&](DataType type) {
        return mask(static_cast<std::uint32_t>(element_bytes(part_of(type))));
    };
    constexpr std::uint32_t all_pointer_modes = 31, all_epilogues = 1023;
    switch (number) {
        case 0:   // K split
        case 5:   // a triangle of the result
        case 7:   // custom options
        case 14:  // negative leading dimensions
        case 22:  // emulation
            return yes_or_no(false);
        case 3:   // strided batches
        case 4:   // D apart from C
        case 21:  // batches by pointers
            return yes_or_no(true);
        case 10:  // orders other than columns and rows
            return yes_or_no(x.type_a == DataType::i8);
        case 1:   // reductions
        case 2:   // swizzling
        case 6:   // tiles: "undefined" alone
        case 13:  // stages: the same
            return mask(0);
        case 11:
            return mask(all_pointer_modes);
        case 12:
            return mask(is_complex_type(x.type_d) ? no_epilogue : all_epilogues);
        case 15:
            return give(numerical_flags(x), value, bytes, written);
        case 16:
            return alignment(x.type_a);
        case 17:
            return alignment(x.type_b);
        case 18:
            return alignment(x.type_c);
        case 19:
            return alignment(x.type_d);
        default:
            return invalid_value;
    }
}

GPUPROJ_LIBRARY_API int cublasLtMatmulAlgoConfigSetAttribute(void* algorithm, int number, const void* value,
                                                             std::size_t bytes) {
    return set_attribute<Algorithm>(algorithm, number, value, bytes);
}
GPUPROJ_LIBRARY_API int cublasLtMatmulAlgoConfigGetAttribute(const void* algorithm, int number, void* value,
                                                             std::size_t bytes, std::size_t* written) {
    return get_attribute<Algorithm>(algorithm, number, value, bytes, written);
}

}  // namespace gpuproj::simulate::libraries::cublas_lt
