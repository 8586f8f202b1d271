// What the stand-in for cuRAND does not have: tables for the device interface, whose layout is cuRAND's own, and what
// its header calls internal.
#include "collector/simulate/libraries/curand_types.hpp"

namespace gpuproj::simulate::libraries::curand {

#define GPUPROJ_REFUSED(name)                    \
    GPUPROJ_LIBRARY_API int name() {             \
        gpuproj_library_refuses(library, #name); \
        return arch_mismatch;                    \
    }
#include "collector/simulate/libraries/curand_unsupported_names.inc"

}  // namespace gpuproj::simulate::libraries::curand
