#include "collector/cupti/activity.hpp"

#include <cupti.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>

#include "collector/cupti/check.hpp"
#include "collector/cupti/timeline.hpp"
#include "collector/records/kernel_names.hpp"

namespace gpuproj::cupti {

namespace {

constexpr std::size_t buffer_byte = std::size_t{1} << 20;
constexpr double nanosecond = 1e-9;
// So that little is lost if the application dies.
constexpr std::uint32_t flush_period_ms = 1000;

ProcessLog* timing_log = nullptr;

// CUPTI hands buffers over from threads of its own and from the one that flushes.
std::mutex timeline_mutex;
Timeline timeline;

/// The time from start to end, which the GPU was busy.
Seconds busy(std::uint64_t start, std::uint64_t end) {
    {
        const std::lock_guard lock(timeline_mutex);
        timeline.ran(start, end);
    }
    return Seconds{end > start ? static_cast<double>(end - start) * nanosecond : 0};
}

std::uint32_t size(std::int32_t n) {
    return static_cast<std::uint32_t>(std::max(n, 1));
}

void write_kernel(const CUpti_ActivityKernel10& activity) {
    KernelRecord launch;
    const std::string mangled = activity.name != nullptr ? activity.name : "?";
    launch.kernel = records::demangle(mangled);
    if (launch.kernel != mangled) launch.mangled = mangled;
    launch.grid = Dim3{size(activity.gridX), size(activity.gridY), size(activity.gridZ)};
    launch.block = Dim3{size(activity.blockX), size(activity.blockY), size(activity.blockZ)};
    launch.dynamic_shared = Bytes{static_cast<double>(std::max(activity.dynamicSharedMemory, 0))};
    launch.static_shared = Bytes{static_cast<double>(std::max(activity.staticSharedMemory, 0))};
    launch.local_per_thread = Bytes{static_cast<double>(activity.localMemoryPerThread)};
    launch.registers_per_thread = activity.registersPerThread;
    launch.device = static_cast<int>(activity.deviceId);
    const auto time = busy(activity.start, activity.end);
    if (time.value > 0) launch.duration = Duration{1, time, time, time};
    // Kernels of one launch of a graph have that launch's correlation, which rises from launch to launch.
    std::optional<std::uint64_t> graph_launch;
    if (activity.graphId != 0) graph_launch = activity.correlationId;
    // Records come when kernels end, those of several streams in another order than they were launched.
    timing_log->write({.kernel = std::move(launch), .graph_launch = graph_launch, .order = activity.correlationId});
}

const char* direction_of(std::uint8_t kind) {
    switch (kind) {
        case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
        case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
            return "host_to_device";
        case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
        case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
            return "device_to_host";
        case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
            return "host_to_host";
        default:
            return "device_to_device";
    }
}

void note_memory(const CUpti_ActivityMemory4& change) {
    constexpr std::array on_device{CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, CUPTI_ACTIVITY_MEMORY_KIND_ARRAY,
                                   CUPTI_ACTIVITY_MEMORY_KIND_MANAGED, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC,
                                   CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC};
    if (std::ranges::find(on_device, change.memoryKind) == on_device.end()) return;
    const bool taken = change.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
    const bool given_back = change.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
    if (!taken && !given_back) return;
    const auto bytes = static_cast<double>(change.bytes);
    const std::lock_guard lock(timeline_mutex);
    timeline.took(change.timestamp, taken ? bytes : -bytes);
}

void write_record(const CUpti_Activity& record) {
    switch (record.kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        case CUPTI_ACTIVITY_KIND_KERNEL:
            write_kernel(reinterpret_cast<const CUpti_ActivityKernel10&>(record));
            return;
        case CUPTI_ACTIVITY_KIND_MEMCPY: {
            const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
            timing_log->write(
                {.transfer = Transfer{direction_of(copy.copyKind), 1, Bytes{static_cast<double>(copy.bytes)},
                                      busy(copy.start, copy.end)}});
            return;
        }
        case CUPTI_ACTIVITY_KIND_MEMSET: {
            const auto& set = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
            timing_log->write(
                {.transfer = Transfer{"memset", 1, Bytes{static_cast<double>(set.bytes)}, busy(set.start, set.end)}});
            return;
        }
        case CUPTI_ACTIVITY_KIND_MEMORY2:
            note_memory(reinterpret_cast<const CUpti_ActivityMemory4&>(record));
            return;
        default:
            return;
    }
}

void CUPTIAPI on_buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
    // Records are aligned to 8 bytes, as malloc's are.
    *buffer = static_cast<std::uint8_t*>(std::malloc(buffer_byte));
    *bytes = *buffer == nullptr ? 0 : buffer_byte;
    *most_records = 0;
}

void CUPTIAPI on_buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                                  std::size_t valid_bytes) {
    try {
        CUpti_Activity* record = nullptr;
        while (valid_bytes > 0 && cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
            write_record(*record);
        }
        std::size_t dropped = 0;
        if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS && dropped > 0) {
            timing_log->note("CUPTI dropped " + std::to_string(dropped) + " records of kernels and copies");
        }
    } catch (const std::exception& problem) {
        timing_log->failure(problem.what(), "");
    }
    std::free(buffer);
}

}  // namespace

void start_timing(ProcessLog& log) {
    timing_log = &log;
    check(cuptiActivityRegisterCallbacks(on_buffer_requested, on_buffer_completed), "cuptiActivityRegisterCallbacks");
    for (const auto kind :
         {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET}) {
        check(cuptiActivityEnable(kind), "cuptiActivityEnable");
    }
    // Without it only the peak of memory is missing.
    if (cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMORY2) != CUPTI_SUCCESS) {
        log.note("CUPTI does not record allocations here: the peak of device memory is not known");
    }
    check(cuptiActivityFlushPeriod(flush_period_ms), "cuptiActivityFlushPeriod");
}

void finish_timing() {
    if (timing_log == nullptr) return;
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const std::lock_guard lock(timeline_mutex);
    if (const auto idle = timeline.idle()) timing_log->write({.gpu_idle_time = idle});
    if (const auto peak = timeline.peak_memory()) timing_log->write({.peak_device_memory = peak});
}

}  // namespace gpuproj::cupti
