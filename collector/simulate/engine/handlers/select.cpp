// Which compiled set of handlers this processor can run.
#include "collector/simulate/engine/handlers/spec.hpp"

namespace gpuproj::simulate {

Handler select_handler(const Spec& spec) {
    static const bool wide = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                             __builtin_cpu_supports("f16c") != 0;
    return wide ? avx2::select_handler(spec) : baseline::select_handler(spec);
}

}  // namespace gpuproj::simulate
