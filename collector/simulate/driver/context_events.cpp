// Events that stand for all streams of a context, or that all of them wait for. Contexts share the device's streams, so
// that it is those of all contexts.
#include "collector/simulate/driver/context.hpp"
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate::driver {

namespace {

bool is_event(Runtime& runtime, void* event) {
    return runtime.events().with(event, [](const Event&) {});
}

CudaError submit_for_context(const char* name, bool known, void* event, const StreamOrder& order, const Work& work) {
    return call(name, [&](Runtime& runtime) {
        if (!known) return cuda::invalid_context;
        if (!is_event(runtime, event)) return cuda::invalid_resource_handle;
        return submit_among_all(runtime, order, work);
    });
}
CudaError record(const char* name, bool known, void* event) {
    const StreamOrder last{.handle = event, .legacy = false, .non_blocking = true, .after_all = true};
    return submit_for_context(name, known, event, last, EventRecordWork{event});
}
CudaError wait(const char* name, bool known, void* event) {
    const StreamOrder first{.handle = event, .legacy = false, .non_blocking = true, .before_all = true};
    return submit_for_context(name, known, event, first, EventWaitWork{event});
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuCtxRecordEvent(void* context, void* event) {
    return record(__func__, is_context(context), event);
}
GPUPROJ_CUDA_API CudaError cuCtxWaitEvent(void* context, void* event) {
    return wait(__func__, is_context(context), event);
}
GPUPROJ_CUDA_API CudaError cuGreenCtxRecordEvent(void* green, void* event) {
    return record(__func__, green_multiprocessors(green) != 0, event);
}
GPUPROJ_CUDA_API CudaError cuGreenCtxWaitEvent(void* green, void* event) {
    return wait(__func__, green_multiprocessors(green) != 0, event);
}

}  // namespace gpuproj::simulate::driver
