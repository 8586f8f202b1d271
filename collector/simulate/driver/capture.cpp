// Graphs made by capturing a stream, and launching them; of nodes that a program describes itself, kernels.
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"

namespace gpuproj::simulate::driver {

namespace {

struct KernelNodeParameters2 {  // CUDA_KERNEL_NODE_PARAMS_v2
    cuda::KernelNodeParameters first;
    void *kernel, *context;
};

}  // namespace

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

GPUPROJ_CUDA_API CudaError cuGraphCreate(void** graph, unsigned flags) {
    return call(__func__, [&](Runtime&) { return cudaGraphCreate(graph, flags); });
}
// Parameters up to CUDA 11; those since then begin alike, and may have a kernel of a library instead of a function.
GPUPROJ_CUDA_API CudaError cuGraphAddKernelNode(void** node, void* graph, void* const* nodes, std::size_t count,
                                                const cuda::KernelNodeParameters* parameters) {
    return call(__func__, [&](Runtime&) {
        const CudaError code = cudaGraphAddKernelNode(node, graph, nodes, count, parameters);
        return code == cuda::invalid_device_function ? cuda::invalid_resource_handle : code;
    });
}
GPUPROJ_CUDA_API CudaError cuGraphAddKernelNode_v2(void** node, void* graph, void* const* nodes, std::size_t count,
                                                   const KernelNodeParameters2* parameters) {
    if (parameters == nullptr) return cuda::invalid_value;
    cuda::KernelNodeParameters first = parameters->first;
    if (first.function == nullptr) first.function = parameters->kernel;
    return cuGraphAddKernelNode(node, graph, nodes, count, &first);
}
GPUPROJ_CUDA_API CudaError cuGraphKernelNodeSetAttribute(void* node, int attribute, const int* value) {
    return call(__func__, [&](Runtime&) { return cudaGraphKernelNodeSetAttribute(node, attribute, value); });
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
// Before CUDA 12: with a node that stands in the way, and a log. Nothing stands in the way here.
GPUPROJ_CUDA_API CudaError cuGraphInstantiate_v2(void** executable, void* graph, void** error_node, char* log,
                                                 std::size_t bytes) {
    if (error_node != nullptr) *error_node = nullptr;
    if (log != nullptr && bytes > 0) *log = '\0';
    return call(__func__, [&](Runtime&) { return cudaGraphInstantiateWithFlags(executable, graph, 0); });
}
GPUPROJ_CUDA_ALIAS(cuGraphInstantiate, cuGraphInstantiate_v2);
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
