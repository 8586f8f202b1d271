// What cusolverDnIRSParams_t and cusolverDnIRSInfos_t point to: how iterative refinement is to go, and how it went.
#pragma once

namespace gpuproj::simulate::libraries::cusolver {

/// Beside Status.
enum RefinementStatus : int {
    irs_params_not_initialized = 12,
    irs_params_invalid = 13,
    irs_params_invalid_prec = 14,
    irs_params_invalid_refine = 15,
    irs_params_invalid_maxiter = 16,
    irs_infos_not_initialized = 25
};

/// cusolverPrecType_t: those that matrices can have, among others that are only asked for.
enum class Precision : int { not_set = 0, f64 = 1203, f32 = 1204, c64 = 1213, c32 = 1214 };

struct RefinementParams {
    static constexpr int not_set = 1100;  // of cusolverIRSRefinement_t
    Precision main_precision = Precision::not_set, lowest_precision = Precision::not_set;
    int solver = not_set;
    double tolerance = 0, inner_tolerance = 0;
    int most_iterations = 50, most_inner_iterations = 50;
    bool fallback = true;
};

struct RefinementInfos {
    int iterations = 0, outer_iterations = 0;
};

}  // namespace gpuproj::simulate::libraries::cusolver
