// Streams. Whatever is put into one is done at once, unless a kernel or host function waits for the host
// (device_queue.hpp).
#include <algorithm>
#include <atomic>
#include <optional>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/capture.hpp"
#include "collector/simulate/runtime/kernels.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate {

using cuda::CudaError;

namespace {

constexpr std::uintptr_t per_thread_stream = 2;  // cudaStreamPerThread; 1 is cudaStreamLegacy, 0 either of them
constexpr int least_priority = 0, greatest_priority = -5;
std::atomic<bool> default_is_per_thread{false};
constexpr unsigned non_blocking = 1;  // cudaStreamNonBlocking, the only flag

CudaError create(const char* name, void** stream, unsigned flags, int priority) {
    return api(name, [&](Runtime& runtime) {
        static std::atomic<unsigned long long> next_id{3};  // the default streams have ids of their own
        if (stream == nullptr || (flags & ~non_blocking) != 0) return cuda::invalid_value;
        const int kept = std::clamp(priority, greatest_priority, least_priority);
        *stream = runtime.streams().add({flags, kept, next_id++, current_context()});
        return cuda::success;
    });
}

// Calls `use` with the properties of `stream`, those of the default streams included.
template <class Use>
CudaError with_stream(const char* name, void* stream, Use&& use) {
    return api(name, [&](Runtime& runtime) {
        const auto handle = reinterpret_cast<std::uintptr_t>(stream);
        if (handle <= per_thread_stream) return use(Stream{0, 0, handle, nullptr});
        Stream found;
        if (!runtime.streams().with(stream, [&](const Stream& s) { found = s; })) return cuda::invalid_resource_handle;
        return use(found);
    });
}

/// `wait`: until its work is done; else not_ready if it is not.
CudaError look_at(const char* name, void* stream, bool wait) {
    return api(name, [&](Runtime& runtime) {
        const std::optional<StreamOrder> order = order_of(runtime, stream);
        if (!order) return cuda::invalid_resource_handle;
        auto& captures = Captures::instance();
        const CudaError code = order->legacy ? captures.refuse_implicit(stream) : captures.refuse_waiting(stream);
        if (code != cuda::success) return code;
        if (!wait) return runtime.queue().holds(*order) ? cuda::not_ready : cuda::success;
        runtime.queue().wait_for(*order);
        runtime.recorder().host_waited();
        return runtime.sticky_error();
    });
}

template <class T>
CudaError give(T* out, T value) {
    if (out == nullptr) return cuda::invalid_value;
    *out = value;
    return cuda::success;
}

}  // namespace

bool is_legacy(const void* stream) noexcept {
    constexpr std::uintptr_t legacy_stream = 1;
    const auto handle = reinterpret_cast<std::uintptr_t>(stream);
    return handle == legacy_stream || (handle == 0 && !default_is_per_thread);
}
void note_default_stream_per_thread() noexcept {
    default_is_per_thread = true;
}

const void* identity_of(const void* stream) noexcept {
    thread_local const char own = 0;
    const auto handle = reinterpret_cast<std::uintptr_t>(stream);
    const bool of_thread = handle == per_thread_stream || (handle == 0 && default_is_per_thread);
    return of_thread ? &own : stream;
}

std::optional<StreamOrder> order_of(Runtime& runtime, void* stream) {
    StreamOrder order;
    order.handle = identity_of(stream);
    const auto handle = reinterpret_cast<std::uintptr_t>(stream);
    order.legacy = is_legacy(stream);
    const auto read = [&](const Stream& s) { order.non_blocking = (s.flags & non_blocking) != 0; };
    if (handle > per_thread_stream && !runtime.streams().with(stream, read)) return std::nullopt;
    return order;
}

bool is_stream(Runtime& runtime, void* stream) {
    return order_of(runtime, stream).has_value();
}

GPUPROJ_CUDA_API CudaError cudaStreamCreate(void** stream) {
    return create(__func__, stream, 0, 0);
}

GPUPROJ_CUDA_API CudaError cudaStreamCreateWithFlags(void** stream, unsigned flags) {
    return create(__func__, stream, flags, 0);
}

GPUPROJ_CUDA_API CudaError cudaStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
    return create(__func__, stream, flags, priority);
}

GPUPROJ_CUDA_API CudaError cudaStreamDestroy(void* stream) {
    return api(__func__, [&](Runtime& runtime) {
        if (!runtime.streams().remove(stream)) return cuda::invalid_resource_handle;
        forget_attributes(stream);
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaStreamDestroy_v5050, cudaStreamDestroy);

GPUPROJ_CUDA_API CudaError cudaStreamSynchronize(void* stream) {
    return look_at(__func__, stream, true);
}
GPUPROJ_CUDA_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);

GPUPROJ_CUDA_API CudaError gpuproj_v10_cudaStreamQuery(void* stream) {
    return look_at("cudaStreamQuery", stream, false);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v11_cudaStreamQuery, gpuproj_v10_cudaStreamQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaStreamQuery, gpuproj_v10_cudaStreamQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaStreamQuery, gpuproj_v10_cudaStreamQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v10_cudaStreamQuery_ptsz, gpuproj_v10_cudaStreamQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v11_cudaStreamQuery_ptsz, gpuproj_v10_cudaStreamQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaStreamQuery_ptsz, gpuproj_v10_cudaStreamQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaStreamQuery_ptsz, gpuproj_v10_cudaStreamQuery);

GPUPROJ_CUDA_API CudaError cudaStreamWaitEvent(void* stream, void* event, unsigned flags) {
    return api(__func__, [&](Runtime& runtime) {
        constexpr unsigned external = 1;  // cudaEventWaitExternal: a node of its own in a captured stream
        if ((flags & ~external) != 0) return cuda::invalid_value;
        const auto order = order_of(runtime, stream);
        bool recorded = runtime.queue().holds_event(event);
        const auto read = [&](const Event& e) { recorded = recorded || e.recorded; };
        if (!order || !runtime.events().with(event, read)) return cuda::invalid_resource_handle;
        if (flags == 0)
            if (const auto code = Captures::instance().wait(*order, event, recorded)) return *code;
        return submit(runtime, stream, EventWaitWork{event});
    });
}
GPUPROJ_CUDA_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

GPUPROJ_CUDA_API CudaError cudaStreamGetFlags(void* stream, unsigned* flags) {
    return with_stream(__func__, stream, [&](const Stream& s) { return give(flags, s.flags); });
}
GPUPROJ_CUDA_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

GPUPROJ_CUDA_API CudaError cudaStreamGetPriority(void* stream, int* priority) {
    return with_stream(__func__, stream, [&](const Stream& s) { return give(priority, s.priority); });
}
GPUPROJ_CUDA_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

GPUPROJ_CUDA_API CudaError cudaStreamGetId(void* stream, unsigned long long* id) {
    return with_stream(__func__, stream, [&](const Stream& s) { return give(id, s.id); });
}
GPUPROJ_CUDA_ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);

GPUPROJ_CUDA_API CudaError cudaStreamGetDevice(void* stream, int* device) {
    return with_stream(__func__, stream, [&](const Stream&) { return give(device, 0); });
}
GPUPROJ_CUDA_ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

GPUPROJ_CUDA_API CudaError cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return api(__func__, [&](Runtime&) {
        if (least != nullptr) *least = least_priority;
        if (greatest != nullptr) *greatest = greatest_priority;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
    if (function == nullptr) return remember(cuda::invalid_value);
    return api(__func__, [&](Runtime& runtime) { return submit(runtime, stream, HostWork{function, data}); });
}
GPUPROJ_CUDA_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

GPUPROJ_CUDA_API CudaError cudaStreamAddCallback(void* stream, void (*callback)(void*, CudaError, void*), void* data,
                                                 unsigned flags) {
    if (callback == nullptr || flags != 0) return remember(cuda::invalid_value);
    return api(__func__, [&](Runtime& runtime) {
        if (const CudaError code = Captures::instance().refuse_waiting(stream); code != cuda::success)
            return code;  // nodes of graphs cannot call back
        return submit(runtime, stream, HostWork{.data = data, .callback = callback, .stream = stream});
    });
}
GPUPROJ_CUDA_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

}  // namespace gpuproj::simulate
