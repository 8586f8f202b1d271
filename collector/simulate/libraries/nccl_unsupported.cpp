// What the stand-in for NCCL does not have: operations of the program's own, windows of memory, and what changes or
// foretells communicators of several ranks.
#include "collector/simulate/libraries/refused_functions.hpp"

#define GPUPROJ_REFUSED_LIBRARY "NCCL"
#define GPUPROJ_REFUSED_STATUS 5  // ncclInvalidUsage

GPUPROJ_REFUSED(ncclRedOpCreatePreMulSum)
GPUPROJ_REFUSED(ncclRedOpDestroy)
GPUPROJ_REFUSED(ncclCommWindowRegister)
GPUPROJ_REFUSED(ncclCommWindowDeregister)
GPUPROJ_REFUSED(ncclCommShrink)
GPUPROJ_REFUSED(ncclCommRevoke)
GPUPROJ_REFUSED(ncclGroupSimulateEnd)
