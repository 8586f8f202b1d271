// Which compiled set of handlers this processor can run.
#include <cpuid.h>

#include "collector/simulate/engine/handlers/spec.hpp"
#include "collector/simulate/engine/handlers/texture_warp.hpp"

namespace gpuproj::simulate {

namespace {

// Conversions of half precision: clang 16's __builtin_cpu_supports does not know "f16c".
bool has_f16c() {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

bool has_wide_vectors() {
    static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && has_f16c();
    return has;
}

}  // namespace

Handler select_handler(const Spec& spec) {
    return has_wide_vectors() ? avx2::select_handler(spec) : baseline::select_handler(spec);
}

bool fetch_together(const WarpFetch& fetch) {
    return has_wide_vectors() ? avx2::fetch_together(fetch) : baseline::fetch_together(fetch);
}

}  // namespace gpuproj::simulate
