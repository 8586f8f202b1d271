// Capturing streams into graphs.
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate::driver {

GPUPROJ_CUDA_API CudaError cuStreamBeginCapture_v2(void* stream, int mode) {
    return call(__func__, [&](Runtime&) { return cudaStreamBeginCapture(stream, mode); });
}
GPUPROJ_CUDA_API CudaError cuStreamBeginCapture_v2_ptsz(void* stream, int mode) {
    note_default_stream_per_thread();
    return cuStreamBeginCapture_v2(stream, mode);
}
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
GPUPROJ_CUDA_API CudaError cuStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id) {
    return call(__func__, [&](Runtime&) { return gpuproj_v11_cudaStreamGetCaptureInfo(stream, status, id); });
}
GPUPROJ_CUDA_ALIAS(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo);
GPUPROJ_CUDA_API CudaError cuStreamGetCaptureInfo_v2(void* stream, int* status, unsigned long long* id, void** graph,
                                                     void* const** nodes, std::size_t* count) {
    return call(__func__,
                [&](Runtime&) { return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count); });
}
GPUPROJ_CUDA_ALIAS(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v2);
GPUPROJ_CUDA_API CudaError cuStreamGetCaptureInfo_v3(void* stream, int* status, unsigned long long* id, void** graph,
                                                     void* const** nodes, const void** edges, std::size_t* count) {
    return call(__func__,
                [&](Runtime&) { return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, edges, count); });
}
GPUPROJ_CUDA_ALIAS(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3);
GPUPROJ_CUDA_API CudaError cuStreamUpdateCaptureDependencies(void* stream, void* const* nodes, std::size_t count,
                                                             unsigned flags) {
    return call(__func__,
                [&](Runtime&) { return gpuproj_v11_cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags); });
}
GPUPROJ_CUDA_ALIAS(cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies);
GPUPROJ_CUDA_API CudaError cuStreamUpdateCaptureDependencies_v2(void* stream, void* const* nodes, const void* edges,
                                                                std::size_t count, unsigned flags) {
    return call(__func__,
                [&](Runtime&) { return cudaStreamUpdateCaptureDependencies_v2(stream, nodes, edges, count, flags); });
}
GPUPROJ_CUDA_ALIAS(cuStreamUpdateCaptureDependencies_v2_ptsz, cuStreamUpdateCaptureDependencies_v2);
GPUPROJ_CUDA_API CudaError cuThreadExchangeStreamCaptureMode(int* mode) {
    return call(__func__, [&](Runtime&) { return cudaThreadExchangeStreamCaptureMode(mode); });
}

GPUPROJ_CUDA_API CudaError cuStreamBeginCaptureToGraph(void* stream, void* graph, void* const* nodes, const void* edges,
                                                       std::size_t count, int mode) {
    return call(__func__,
                [&](Runtime&) { return cudaStreamBeginCaptureToGraph(stream, graph, nodes, edges, count, mode); });
}
GPUPROJ_CUDA_ALIAS(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph);

}  // namespace gpuproj::simulate::driver
