#include "collector/simulate/libraries/cusolver_refinement_wishes.hpp"

#include "collector/simulate/libraries/cusolver_types.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

template <class T>
int create(T** out) {
    if (out == nullptr) return invalid_value;
    *out = new (std::nothrow) T;
    return *out != nullptr ? success : allocation_failed;
}

template <class T>
int set(RefinementParams* params, T RefinementParams::*member, T value) {
    if (params == nullptr) return irs_params_not_initialized;
    params->*member = value;
    return success;
}

int set_precision(RefinementParams* params, Precision RefinementParams::*member, Precision value) {
    constexpr int first = 1201, last = 1218;
    const int number = static_cast<int>(value);
    if (params == nullptr) return irs_params_not_initialized;
    return number < first || number > last ? irs_params_invalid_prec : set(params, member, value);
}

int set_iterations(RefinementParams* params, int RefinementParams::*member, int value) {
    if (params == nullptr) return irs_params_not_initialized;
    return value < 0 ? irs_params_invalid_maxiter : set(params, member, value);
}

int give_iterations(const RefinementInfos* infos, int RefinementInfos::*member, int* out) {
    if (infos == nullptr) return irs_infos_not_initialized;
    if (out == nullptr) return invalid_value;
    *out = infos->*member;
    return success;
}

}  // namespace

GPUPROJ_LIBRARY_API int cusolverDnIRSParamsCreate(RefinementParams** out) {
    return create(out);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsDestroy(RefinementParams* params) {
    if (params == nullptr) return irs_params_not_initialized;
    delete params;
    return success;
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsSetRefinementSolver(RefinementParams* params, int solver) {
    constexpr int last = 1106;
    if (params != nullptr && (solver < RefinementParams::not_set || solver > last)) return irs_params_invalid_refine;
    return set(params, &RefinementParams::solver, solver);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsSetSolverMainPrecision(RefinementParams* params, Precision precision) {
    return set_precision(params, &RefinementParams::main_precision, precision);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsSetSolverLowestPrecision(RefinementParams* params, Precision precision) {
    return set_precision(params, &RefinementParams::lowest_precision, precision);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsSetSolverPrecisions(RefinementParams* params, Precision precision,
                                                               Precision lowest) {
    const int code = set_precision(params, &RefinementParams::main_precision, precision);
    return code == success ? set_precision(params, &RefinementParams::lowest_precision, lowest) : code;
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsSetTol(RefinementParams* params, double value) {
    return set(params, &RefinementParams::tolerance, value);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsSetTolInner(RefinementParams* params, double value) {
    return set(params, &RefinementParams::inner_tolerance, value);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsSetMaxIters(RefinementParams* params, int value) {
    return set_iterations(params, &RefinementParams::most_iterations, value);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsSetMaxItersInner(RefinementParams* params, int value) {
    return set_iterations(params, &RefinementParams::most_inner_iterations, value);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsGetMaxIters(const RefinementParams* params, int* out) {
    if (params == nullptr) return irs_params_not_initialized;
    if (out == nullptr) return invalid_value;
    *out = params->most_iterations;
    return success;
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsEnableFallback(RefinementParams* params) {
    return set(params, &RefinementParams::fallback, true);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSParamsDisableFallback(RefinementParams* params) {
    return set(params, &RefinementParams::fallback, false);
}

GPUPROJ_LIBRARY_API int cusolverDnIRSInfosCreate(RefinementInfos** out) {
    return create(out);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSInfosDestroy(RefinementInfos* infos) {
    if (infos == nullptr) return irs_infos_not_initialized;
    delete infos;
    return success;
}
GPUPROJ_LIBRARY_API int cusolverDnIRSInfosGetNiters(const RefinementInfos* infos, int* out) {
    return give_iterations(infos, &RefinementInfos::iterations, out);
}
GPUPROJ_LIBRARY_API int cusolverDnIRSInfosGetOuterNiters(const RefinementInfos* infos, int* out) {
    return give_iterations(infos, &RefinementInfos::outer_iterations, out);
}

}  // namespace gpuproj::simulate::libraries::cusolver
