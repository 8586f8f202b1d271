// NVTX, the library of CUDA 12 and before (libnvToolsExt.so.1; later it is headers alone): names and ranges for a tool
// that is not there. As NVIDIA's does without one, each function does nothing; ranges and domains are 0.
#include "collector/simulate/libraries/host_library.hpp"

namespace gpuproj::simulate::libraries::nvtx {

#define GPUPROJ_IGNORED(name)         \
    GPUPROJ_LIBRARY_API long name() { \
        return 0;                     \
    }
/// NVTX_NO_PUSH_POP_TRACKING
#define GPUPROJ_NOT_TRACKED(name)    \
    GPUPROJ_LIBRARY_API int name() { \
        return -2;                   \
    }
/// In the two forms of text, char and wchar_t.
#define GPUPROJ_IGNORED_TEXT(name) GPUPROJ_IGNORED(name##A) GPUPROJ_IGNORED(name##W)

GPUPROJ_IGNORED(nvtxInitialize)
GPUPROJ_IGNORED(nvtxMarkEx)
GPUPROJ_IGNORED_TEXT(nvtxMark)
GPUPROJ_IGNORED(nvtxRangeStartEx)
GPUPROJ_IGNORED_TEXT(nvtxRangeStart)
GPUPROJ_IGNORED(nvtxRangeEnd)
GPUPROJ_NOT_TRACKED(nvtxRangePushEx)
GPUPROJ_NOT_TRACKED(nvtxRangePushA)
GPUPROJ_NOT_TRACKED(nvtxRangePushW)
GPUPROJ_NOT_TRACKED(nvtxRangePop)
GPUPROJ_IGNORED_TEXT(nvtxNameCategory)
GPUPROJ_IGNORED_TEXT(nvtxNameOsThread)

GPUPROJ_IGNORED_TEXT(nvtxDomainCreate)
GPUPROJ_IGNORED(nvtxDomainDestroy)
GPUPROJ_IGNORED(nvtxDomainMarkEx)
GPUPROJ_IGNORED(nvtxDomainRangeStartEx)
GPUPROJ_IGNORED(nvtxDomainRangeEnd)
GPUPROJ_NOT_TRACKED(nvtxDomainRangePushEx)
GPUPROJ_NOT_TRACKED(nvtxDomainRangePop)
GPUPROJ_IGNORED(nvtxDomainResourceCreate)
GPUPROJ_IGNORED(nvtxDomainResourceDestroy)
GPUPROJ_IGNORED_TEXT(nvtxDomainNameCategory)
GPUPROJ_IGNORED_TEXT(nvtxDomainRegisterString)
GPUPROJ_IGNORED(nvtxDomainSyncUserCreate)
GPUPROJ_IGNORED(nvtxDomainSyncUserDestroy)
GPUPROJ_IGNORED(nvtxDomainSyncUserAcquireStart)
GPUPROJ_IGNORED(nvtxDomainSyncUserAcquireFailed)
GPUPROJ_IGNORED(nvtxDomainSyncUserAcquireSuccess)
GPUPROJ_IGNORED(nvtxDomainSyncUserReleasing)

GPUPROJ_IGNORED_TEXT(nvtxNameCuDevice)
GPUPROJ_IGNORED_TEXT(nvtxNameCuContext)
GPUPROJ_IGNORED_TEXT(nvtxNameCuStream)
GPUPROJ_IGNORED_TEXT(nvtxNameCuEvent)
GPUPROJ_IGNORED_TEXT(nvtxNameCudaDevice)
GPUPROJ_IGNORED_TEXT(nvtxNameCudaStream)
GPUPROJ_IGNORED_TEXT(nvtxNameCudaEvent)
GPUPROJ_IGNORED_TEXT(nvtxNameClDevice)
GPUPROJ_IGNORED_TEXT(nvtxNameClContext)
GPUPROJ_IGNORED_TEXT(nvtxNameClCommandQueue)
GPUPROJ_IGNORED_TEXT(nvtxNameClMemObject)
GPUPROJ_IGNORED_TEXT(nvtxNameClSampler)
GPUPROJ_IGNORED_TEXT(nvtxNameClProgram)
GPUPROJ_IGNORED_TEXT(nvtxNameClEvent)

}  // namespace gpuproj::simulate::libraries::nvtx
