// Which compiled set of handlers this processor can run.
#include <cpuid.h>

#include "collector/simulate/engine/handlers/spec.hpp"

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

}  // namespace

Handler select_handler(const Spec& spec) {
    static const bool wide = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && has_f16c();
    return wide ? avx2::select_handler(spec) : baseline::select_handler(spec);
}

}  // namespace gpuproj::simulate
