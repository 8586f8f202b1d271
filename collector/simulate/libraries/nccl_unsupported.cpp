// What the stand-in for NCCL does not have: operations of the program's own, windows of memory, and what changes or
// foretells communicators of several ranks.
#include "collector/simulate/libraries/nccl_types.hpp"

namespace gpuproj::simulate::libraries::nccl {

#define GPUPROJ_REFUSED(name)                    \
    GPUPROJ_LIBRARY_API int name() {             \
        gpuproj_library_refuses(library, #name); \
        return invalid_usage;                    \
    }
GPUPROJ_REFUSED(ncclRedOpCreatePreMulSum)
GPUPROJ_REFUSED(ncclRedOpDestroy)
GPUPROJ_REFUSED(ncclCommWindowRegister)
GPUPROJ_REFUSED(ncclCommWindowDeregister)
GPUPROJ_REFUSED(ncclCommShrink)
GPUPROJ_REFUSED(ncclCommRevoke)
GPUPROJ_REFUSED(ncclGroupSimulateEnd)

}  // namespace gpuproj::simulate::libraries::nccl
