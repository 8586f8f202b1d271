// Stands for NVIDIA's runtime of CUDA 8, static (RUNTIME_VISIBILITY "hidden") or shared: has the names that
// abi_older.cpp needs and those by which a version is told, and nothing behind them.
#include <cstdlib>

#define NAMED(name)                                                                 \
    extern "C" __attribute__((noipa, visibility(RUNTIME_VISIBILITY))) void name() { \
        std::abort();                                                               \
    }
NAMED(__cudaRegisterFatBinary)
NAMED(__cudaRegisterFunction)
NAMED(cudaConfigureCall)
NAMED(cudaFuncGetAttributes)
NAMED(cudaGetDeviceProperties)
NAMED(cudaLaunch)
NAMED(cudaLaunchKernel)
NAMED(cudaMalloc)
NAMED(cudaMallocManaged)
NAMED(cudaMemPrefetchAsync)
NAMED(cudaMemcpy)
NAMED(cudaPointerGetAttributes)
NAMED(cudaRuntimeGetVersion)
NAMED(cudaSetupArgument)
NAMED(cudaStreamQuery)
NAMED(cudaThreadSynchronize)
