// Graphs made by capturing a stream, and launching them; nodes that a program describes itself are not among them.
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"

namespace gpuproj::simulate::driver {

GPUPROJ_CUDA_API CudaError cuStreamBeginCapture_v2(void* stream, int mode) {
    return call(__func__, [&](Runtime&) { return cudaStreamBeginCapture(stream, mode); });
}
GPUPROJ_CUDA_ALIAS(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2);
GPUPROJ_CUDA_API CudaError cuStreamBeginCapture(void* stream) {  // of CUDA 10.0: in the mode that is 0 since
    return cuStreamBeginCapture_v2(stream, 0);
}
GPUPROJ_CUDA_ALIAS(cuStreamBeginCapture_ptsz, cuStreamBeginCapture);
GPUPROJ_CUDA_API CudaError cuStreamEndCapture(void* stream, void** graph) {
    return call(__func__, [&](Runtime&) { return cudaStreamEndCapture(stream, graph); });
}
GPUPROJ_CUDA_ALIAS(cuStreamEndCapture_ptsz, cuStreamEndCapture);
GPUPROJ_CUDA_API CudaError cuStreamIsCapturing(void* stream, int* status) {
    return call(__func__, [&](Runtime&) { return cudaStreamIsCapturing(stream, status); });
}
GPUPROJ_CUDA_ALIAS(cuStreamIsCapturing_ptsz, cuStreamIsCapturing);
GPUPROJ_CUDA_API CudaError cuThreadExchangeStreamCaptureMode(int* mode) {
    return call(__func__, [&](Runtime&) { return cudaThreadExchangeStreamCaptureMode(mode); });
}

GPUPROJ_CUDA_API CudaError cuGraphGetNodes(void* graph, void** nodes, std::size_t* count) {
    return call(__func__, [&](Runtime&) { return cudaGraphGetNodes(graph, nodes, count); });
}
GPUPROJ_CUDA_API CudaError cuGraphDestroy(void* graph) {
    return call(__func__, [&](Runtime&) { return cudaGraphDestroy(graph); });
}
GPUPROJ_CUDA_API CudaError cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long flags) {
    return call(__func__, [&](Runtime&) { return cudaGraphInstantiateWithFlags(executable, graph, flags); });
}
GPUPROJ_CUDA_API CudaError cuGraphLaunch(void* executable, void* stream) {
    return call(__func__, [&](Runtime&) { return cudaGraphLaunch(executable, stream); });
}
GPUPROJ_CUDA_ALIAS(cuGraphLaunch_ptsz, cuGraphLaunch);
GPUPROJ_CUDA_API CudaError cuGraphUpload(void* executable, void* stream) {
    return call(__func__, [&](Runtime&) { return cudaGraphUpload(executable, stream); });
}
GPUPROJ_CUDA_ALIAS(cuGraphUpload_ptsz, cuGraphUpload);
GPUPROJ_CUDA_API CudaError cuGraphExecDestroy(void* executable) {
    return call(__func__, [&](Runtime&) { return cudaGraphExecDestroy(executable); });
}

}  // namespace gpuproj::simulate::driver
