// Streams and events: those of the runtime.
#include "collector/simulate/driver/context.hpp"
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate::driver {

GPUPROJ_CUDA_API CudaError cuStreamCreate(void** stream, unsigned flags) {
    return in_context(__func__, [&](Runtime&) { return cudaStreamCreateWithFlags(stream, flags); });
}
GPUPROJ_CUDA_API CudaError cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
    return in_context(__func__, [&](Runtime&) { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
GPUPROJ_CUDA_API CudaError cuStreamDestroy_v2(void* stream) {
    return call(__func__, [&](Runtime&) { return cudaStreamDestroy(stream); });
}
GPUPROJ_CUDA_ALIAS(cuStreamDestroy, cuStreamDestroy_v2);
GPUPROJ_CUDA_API CudaError cuStreamSynchronize(void* stream) {
    return call(__func__, [&](Runtime&) { return cudaStreamSynchronize(stream); });
}
GPUPROJ_CUDA_ALIAS(cuStreamSynchronize_ptsz, cuStreamSynchronize);
GPUPROJ_CUDA_API CudaError cuStreamQuery(void* stream) {
    return call(__func__, [&](Runtime&) { return gpuproj_v10_cudaStreamQuery(stream); });
}
GPUPROJ_CUDA_ALIAS(cuStreamQuery_ptsz, cuStreamQuery);
GPUPROJ_CUDA_API CudaError cuStreamWaitEvent(void* stream, void* event, unsigned flags) {
    return call(__func__, [&](Runtime&) { return cudaStreamWaitEvent(stream, event, flags); });
}
GPUPROJ_CUDA_ALIAS(cuStreamWaitEvent_ptsz, cuStreamWaitEvent);
GPUPROJ_CUDA_API CudaError cuStreamGetFlags(void* stream, unsigned* flags) {
    return call(__func__, [&](Runtime&) { return cudaStreamGetFlags(stream, flags); });
}
GPUPROJ_CUDA_API CudaError cuStreamGetPriority(void* stream, int* priority) {
    return call(__func__, [&](Runtime&) { return cudaStreamGetPriority(stream, priority); });
}
GPUPROJ_CUDA_API CudaError cuStreamGetId(void* stream, unsigned long long* id) {
    return call(__func__, [&](Runtime&) { return cudaStreamGetId(stream, id); });
}
GPUPROJ_CUDA_ALIAS(cuStreamGetId_ptsz, cuStreamGetId);
GPUPROJ_CUDA_API CudaError cuStreamGetDevice(void* stream, int* device) {
    return call(__func__, [&](Runtime&) { return cudaStreamGetDevice(stream, device); });
}
GPUPROJ_CUDA_ALIAS(cuStreamGetDevice_ptsz, cuStreamGetDevice);

namespace {

// That in which the stream was made; a default stream is one of each.
CudaError give_context(Runtime& runtime, void* stream, void** context) {
    if (!is_stream(runtime, stream)) return cuda::invalid_resource_handle;
    void* found = current_context();
    runtime.streams().with(stream, [&](const Stream& made) { found = made.context; });
    return give(context, found);
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuStreamGetCtx(void* stream, void** context) {
    return call(__func__, [&](Runtime& runtime) { return give_context(runtime, stream, context); });
}
GPUPROJ_CUDA_ALIAS(cuStreamGetCtx_ptsz, cuStreamGetCtx);
GPUPROJ_CUDA_API CudaError cuStreamGetCtx_v2(void* stream, void** context, void** green_context) {
    return call(__func__, [&](Runtime& runtime) {
        void* found = nullptr;
        if (const CudaError code = give_context(runtime, stream, &found); code != cuda::success) return code;
        const bool green = green_multiprocessors(found) != 0;
        if (green_context != nullptr) *green_context = green ? found : nullptr;
        return give(context, green ? primary_context() : found);
    });
}
GPUPROJ_CUDA_ALIAS(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2);
GPUPROJ_CUDA_API CudaError cuStreamGetGreenCtx(void* stream, void** green_context) {
    return call(__func__, [&](Runtime& runtime) {
        void* found = nullptr;
        if (const CudaError code = give_context(runtime, stream, &found); code != cuda::success) return code;
        return give(green_context, green_multiprocessors(found) != 0 ? found : nullptr);
    });
}

GPUPROJ_CUDA_API CudaError cuStreamGetAttribute(void* stream, int attribute, void* value) {
    return call(__func__, [&](Runtime&) { return cudaStreamGetAttribute(stream, attribute, value); });
}
GPUPROJ_CUDA_ALIAS(cuStreamGetAttribute_ptsz, cuStreamGetAttribute);
GPUPROJ_CUDA_API CudaError cuStreamSetAttribute(void* stream, int attribute, const void* value) {
    return call(__func__, [&](Runtime&) { return cudaStreamSetAttribute(stream, attribute, value); });
}
GPUPROJ_CUDA_ALIAS(cuStreamSetAttribute_ptsz, cuStreamSetAttribute);
GPUPROJ_CUDA_API CudaError cuStreamCopyAttributes(void* to, void* from) {
    return call(__func__, [&](Runtime&) { return cudaStreamCopyAttributes(to, from); });
}
GPUPROJ_CUDA_ALIAS(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes);

GPUPROJ_CUDA_API CudaError cuStreamAddCallback(void* stream, void (*callback)(void*, CudaError, void*), void* data,
                                               unsigned flags) {
    return call(__func__, [&](Runtime&) { return cudaStreamAddCallback(stream, callback, data, flags); });
}

GPUPROJ_CUDA_API CudaError cuEventCreate(void** event, unsigned flags) {
    return in_context(__func__, [&](Runtime&) { return cudaEventCreateWithFlags(event, flags); });
}
GPUPROJ_CUDA_API CudaError cuEventDestroy_v2(void* event) {
    return call(__func__, [&](Runtime&) { return cudaEventDestroy(event); });
}
GPUPROJ_CUDA_ALIAS(cuEventDestroy, cuEventDestroy_v2);
GPUPROJ_CUDA_API CudaError cuEventRecord(void* event, void* stream) {
    return call(__func__, [&](Runtime&) { return cudaEventRecord(event, stream); });
}
GPUPROJ_CUDA_ALIAS(cuEventRecord_ptsz, cuEventRecord);
GPUPROJ_CUDA_API CudaError cuEventRecordWithFlags(void* event, void* stream, unsigned flags) {
    return call(__func__, [&](Runtime&) { return cudaEventRecordWithFlags(event, stream, flags); });
}
GPUPROJ_CUDA_API CudaError cuEventSynchronize(void* event) {
    return call(__func__, [&](Runtime&) { return cudaEventSynchronize(event); });
}
GPUPROJ_CUDA_API CudaError cuEventQuery(void* event) {
    return call(__func__, [&](Runtime&) { return gpuproj_v10_cudaEventQuery(event); });
}
GPUPROJ_CUDA_API CudaError cuEventElapsedTime_v2(float* milliseconds, void* begin, void* end) {
    return call(__func__, [&](Runtime&) { return cudaEventElapsedTime(milliseconds, begin, end); });
}
GPUPROJ_CUDA_ALIAS(cuEventElapsedTime, cuEventElapsedTime_v2);

GPUPROJ_CUDA_ALIAS(cuStreamGetFlags_ptsz, cuStreamGetFlags);
GPUPROJ_CUDA_ALIAS(cuStreamGetPriority_ptsz, cuStreamGetPriority);
GPUPROJ_CUDA_ALIAS(cuStreamAddCallback_ptsz, cuStreamAddCallback);
GPUPROJ_CUDA_ALIAS(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags);

}  // namespace gpuproj::simulate::driver
