// Events: host time, monotonic.
#include <algorithm>
#include <chrono>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/capture.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;
using Clock = std::chrono::steady_clock;

constexpr unsigned blocking = 1;  // cudaEventBlockingSync
constexpr unsigned known_flags = blocking | Event::disable_timing | Event::interprocess;

CudaError create(const char* name, void** event, unsigned flags) {
    return api(name, [&](Runtime& runtime) {
        if (event == nullptr || (flags & ~known_flags) != 0) return cuda::invalid_value;
        if ((flags & Event::interprocess) != 0 && (flags & Event::disable_timing) == 0) return cuda::invalid_value;
        *event = runtime.events().add({flags});
        return cuda::success;
    });
}

/// `wait`: until it is recorded; else not_ready if it is not.
CudaError check(const char* name, void* event, bool wait) {
    return api(name, [&](Runtime& runtime) {
        if (Captures::instance().is_captured_event(event)) return cuda::captured_event;
        if (!runtime.events().with(event, [](const Event&) {})) return cuda::invalid_resource_handle;
        if (!wait) {
            if (const CudaError code = Captures::instance().refuse_unsafe(); code != cuda::success) return code;
            return runtime.queue().holds_event(event) ? cuda::not_ready : cuda::success;
        }
        runtime.queue().wait_for_event(event);
        runtime.recorder().host_waited();
        return runtime.sticky_error();
    });
}

CudaError record(const char* name, void* event, void* stream, unsigned flags) {
    constexpr unsigned external = 1;  // cudaEventRecordExternal: a node of its own in a captured stream
    return api(name, [&](Runtime& runtime) {
        if ((flags & ~external) != 0) return cuda::invalid_value;
        bool interprocess = false;
        const auto look = [&](const Event& e) { interprocess = (e.flags & Event::interprocess) != 0; };
        if (!is_stream(runtime, stream) || !runtime.events().with(event, look)) return cuda::invalid_resource_handle;
        if ((flags & external) == 0 && Captures::instance().record(event, stream)) return cuda::success;
        const CudaError code = submit(runtime, stream, EventRecordWork{event});
        // Other processes take it for recorded.
        if (interprocess) runtime.queue().wait_for_event(event);
        return code;
    });
}

}  // namespace

CudaError record_event(Runtime& runtime, void* event) {
    const auto now = Clock::now();
    return runtime.events().with(event, [&](Event& e) { e.recorded = now; }) ? cuda::success
                                                                             : cuda::invalid_resource_handle;
}

GPUPROJ_CUDA_API CudaError cudaEventCreate(void** event) {
    return create(__func__, event, 0);
}

GPUPROJ_CUDA_API CudaError cudaEventCreateWithFlags(void** event, unsigned flags) {
    return create(__func__, event, flags);
}

GPUPROJ_CUDA_API CudaError cudaEventDestroy(void* event) {
    return api(__func__, [&](Runtime& runtime) {
        return runtime.events().remove(event) ? cuda::success : cuda::invalid_resource_handle;
    });
}

GPUPROJ_CUDA_API CudaError cudaEventRecord(void* event, void* stream) {
    return record(__func__, event, stream, 0);
}
GPUPROJ_CUDA_ALIAS(cudaEventRecord_ptsz, cudaEventRecord);

GPUPROJ_CUDA_API CudaError cudaEventRecordWithFlags(void* event, void* stream, unsigned flags) {
    return record(__func__, event, stream, flags);
}
GPUPROJ_CUDA_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

GPUPROJ_CUDA_API CudaError cudaEventSynchronize(void* event) {
    return check(__func__, event, true);
}
GPUPROJ_CUDA_API CudaError gpuproj_v10_cudaEventQuery(void* event) {
    return check("cudaEventQuery", event, false);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v11_cudaEventQuery, gpuproj_v10_cudaEventQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaEventQuery, gpuproj_v10_cudaEventQuery);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaEventQuery, gpuproj_v10_cudaEventQuery);

GPUPROJ_CUDA_API CudaError cudaEventElapsedTime(float* milliseconds, void* begin, void* end) {
    return api(__func__, [&](Runtime& runtime) {
        if (milliseconds == nullptr) return cuda::invalid_value;
        if (runtime.queue().holds_event(begin) || runtime.queue().holds_event(end)) return cuda::not_ready;
        Event first, second;
        const bool known = runtime.events().with(begin, [&](const Event& e) { first = e; }) &&
                           runtime.events().with(end, [&](const Event& e) { second = e; });
        if (!known || !first.recorded || !second.recorded ||
            ((first.flags | second.flags) & Event::disable_timing) != 0)
            return cuda::invalid_resource_handle;
        const auto elapsed = std::chrono::duration<double, std::milli>(*second.recorded - *first.recorded).count();
        // Programs divide by it, so two events on one tick of the clock are told apart.
        constexpr double tick = 1e-6;
        *milliseconds = static_cast<float>(elapsed >= 0 ? std::max(elapsed, tick) : elapsed);
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);

}  // namespace gpuproj::simulate
