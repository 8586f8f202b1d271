// Sparse systems of equations, one at a time. The ..Host functions are calculated on the host everywhere, so no note is
// made of them.
#include <memory>

#include "collector/simulate/libraries/cusolver_sparse_solver.hpp"
#include "collector/simulate/libraries/cusparse_matrix_description.hpp"

namespace gpuproj::simulate::libraries::cusolver {

namespace {

/// What comes of it, as a status.
template <class T>
int solve_guarded(const System<T>& system, bool cholesky, int& singularity) noexcept {
    try {
        singularity = solve(system, cholesky);
        return success;
    } catch (const std::exception&) {
        return allocation_failed;
    }
}

template <class T>
int solve_on_host(void* h, const System<T>& system, bool cholesky, int* singularity) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (singularity == nullptr || system.pattern.order < 0) return invalid_value;
    return solve_guarded(system, cholesky, *singularity);
}

/// In the stream, and waits for it: the application finds the singularity on the host.
template <class T>
int solve_in_stream(const char* name, void* h, const System<T>& system, bool cholesky, int* singularity) {
    struct Outcome {
        int status = success, singularity = regular;
    };
    if (singularity == nullptr || system.pattern.order < 0) return invalid_value;
    try {
        const auto outcome = std::make_shared<Outcome>();
        int code = submit(name, h, [=] {
            outcome->status = solve_guarded(system, cholesky, outcome->singularity);
            wrote(system.solution, system.pattern.order);
        });
        if (code == success) code = finish(h);
        if (code != success) return code;
        *singularity = outcome->singularity;
        return outcome->status;
    } catch (const std::bad_alloc&) {
        return allocation_failed;
    }
}

}  // namespace

#define GPUPROJ_SPARSE_SOLVER(T, NAME, SOLVE)                                                                      \
    GPUPROJ_LIBRARY_API int cusolverSp##NAME(void* h, int n, int, const void* description, const T* values,        \
                                             const int* offsets, const int* columns, const T* b, double tolerance, \
                                             int, T* x, int* singularity) {                                        \
        const System<T> system{{n, cusparse::base_of(description), offsets, columns}, values, b, tolerance, x};    \
        return SOLVE;                                                                                              \
    }
#define GPUPROJ_SPARSE_SOLVERS(T, X)                                                                                  \
    GPUPROJ_SPARSE_SOLVER(T, X##csrlsvchol,                                                                           \
                          solve_in_stream("cusolverSp" #X "csrlsvchol", h, system, true, singularity))                \
    GPUPROJ_SPARSE_SOLVER(T, X##csrlsvqr, solve_in_stream("cusolverSp" #X "csrlsvqr", h, system, false, singularity)) \
    GPUPROJ_SPARSE_SOLVER(T, X##csrlsvcholHost, solve_on_host(h, system, true, singularity))                          \
    GPUPROJ_SPARSE_SOLVER(T, X##csrlsvqrHost, solve_on_host(h, system, false, singularity))                           \
    GPUPROJ_SPARSE_SOLVER(T, X##csrlsvluHost, solve_on_host(h, system, false, singularity))
GPUPROJ_SPARSE_SOLVERS(float, S)
GPUPROJ_SPARSE_SOLVERS(double, D)
GPUPROJ_SPARSE_SOLVERS(C32, C)
GPUPROJ_SPARSE_SOLVERS(C64, Z)

}  // namespace gpuproj::simulate::libraries::cusolver
