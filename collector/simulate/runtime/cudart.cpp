// libcudart.so.N: has the name and the version tag that a program of CUDA N asks the loader for, and the functions
// whose interface differs between versions. All others come from libgpuproj_simulate.so, which goes before it.

// The caller's arguments, whatever they are, stay where they are.
#define GPUPROJ_TEXT_OF(x) #x
#define GPUPROJ_TEXT(x) GPUPROJ_TEXT_OF(x)
#define GPUPROJ_FORWARD(name)                                         \
    asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name \
        ":\n\tjmp gpuproj_v" GPUPROJ_TEXT(GPUPROJ_CUDART) "_" #name "@PLT\n.size " #name ", . - " #name "\n")

GPUPROJ_FORWARD(cudaGetDeviceProperties);
GPUPROJ_FORWARD(cudaFuncGetAttributes);
GPUPROJ_FORWARD(cudaRuntimeGetVersion);
GPUPROJ_FORWARD(cudaPointerGetAttributes);
GPUPROJ_FORWARD(cudaEventQuery);
GPUPROJ_FORWARD(cudaStreamQuery);
#if GPUPROJ_CUDART >= 6
GPUPROJ_FORWARD(cudaStreamQuery_ptsz);
#endif
#if GPUPROJ_CUDART >= 8
GPUPROJ_FORWARD(cudaMemAdvise);
GPUPROJ_FORWARD(cudaMemPrefetchAsync);
GPUPROJ_FORWARD(cudaMemPrefetchAsync_ptsz);
#endif
#if GPUPROJ_CUDART >= 12
GPUPROJ_FORWARD(cudaGraphAddNode);
GPUPROJ_FORWARD(cudaMemcpyBatchAsync);
GPUPROJ_FORWARD(cudaMemcpyBatchAsync_ptsz);
GPUPROJ_FORWARD(cudaMemcpy3DBatchAsync);
GPUPROJ_FORWARD(cudaMemcpy3DBatchAsync_ptsz);
#endif
#if GPUPROJ_CUDART >= 10
GPUPROJ_FORWARD(cudaGraphAddDependencies);
GPUPROJ_FORWARD(cudaGraphExecUpdate);
GPUPROJ_FORWARD(cudaGraphGetEdges);
GPUPROJ_FORWARD(cudaGraphInstantiate);
GPUPROJ_FORWARD(cudaGraphNodeGetDependencies);
GPUPROJ_FORWARD(cudaGraphNodeGetDependentNodes);
GPUPROJ_FORWARD(cudaGraphRemoveDependencies);
GPUPROJ_FORWARD(cudaStreamGetCaptureInfo);
GPUPROJ_FORWARD(cudaStreamGetCaptureInfo_ptsz);
#endif
#if GPUPROJ_CUDART >= 11
GPUPROJ_FORWARD(cudaStreamUpdateCaptureDependencies);
GPUPROJ_FORWARD(cudaStreamUpdateCaptureDependencies_ptsz);
#endif
