#include "collector/cupti/counters.hpp"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "collector/cupti/check.hpp"
#include "collector/cupti/host.hpp"
#include "collector/cupti/launches.hpp"
#include "collector/records/kernel_names.hpp"

namespace gpuproj::cupti {

namespace {

// Launches whose counters are decoded together: more need more memory, fewer more decoding.
constexpr std::size_t ranges_at_once = 256;

// Of all contexts of the process, in the order of launch.
std::atomic<std::uint64_t> counted_graphs = 0;

/// Profiles the launches of one context. Used by one thread at a time (Turn).
class ContextProfiler {
public:
    ContextProfiler(CUcontext context, MetricSet set, ProcessLog& log);
    ~ContextProfiler();
    ContextProfiler(const ContextProfiler&) = delete;
    ContextProfiler& operator=(const ContextProfiler&) = delete;

    /// Before a launch. Makes room first if the buffer is full.
    void before_launch(KernelRecord launch);
    /// Before and after a graph: its ranges are taken apart from those of other launches.
    void before_graph() { take(); }
    void after_graph();
    /// Decodes and writes what was counted, and goes on.
    void take();

private:
    void initialise_image();
    void start();
    void stop_and_write();

    ProcessLog& log_;
    std::unique_ptr<HostConfig> config_;
    std::vector<std::string> metrics_;
    CUpti_RangeProfiler_Object* profiler_ = nullptr;
    std::vector<std::uint8_t> image_;
    std::vector<KernelRecord> launches_;
    int device_ = 0;
    bool running_ = false;
    bool graph_ = false;
    std::uint64_t graph_launches_ = 0;
};

std::vector<std::uint8_t> availability_of(CUcontext context) {
    auto get =
        sized<CUpti_Profiler_GetCounterAvailability_Params>(CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
    get.ctx = context;
    check(cuptiProfilerGetCounterAvailability(&get), "cuptiProfilerGetCounterAvailability");
    std::vector<std::uint8_t> image(get.counterAvailabilityImageSize);
    get.pCounterAvailabilityImage = image.data();
    check(cuptiProfilerGetCounterAvailability(&get), "cuptiProfilerGetCounterAvailability");
    return image;
}

std::string chip_of(std::uint32_t device) {
    auto supported = sized<CUpti_Profiler_DeviceSupported_Params>(CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
    supported.cuDevice = static_cast<CUdevice>(device);
    supported.api = CUPTI_PROFILER_RANGE_PROFILING;
    check(cuptiProfilerDeviceSupported(&supported), "cuptiProfilerDeviceSupported");
    if (supported.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
        throw Error(
            "CUPTI does not support this GPU or its configuration (MIG, virtual GPU, confidential computing, "
            "compute capability under 7.5); --collector ncu or nvprof may");
    }
    auto name = sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
    name.deviceIndex = device;
    check(cuptiDeviceGetChipName(&name), "cuptiDeviceGetChipName");
    return name.pChipName;
}

/// As the driver names it, empty where it does not say. The driver that loaded us is asked: nothing here links it.
std::string device_name(std::uint32_t device) {
    void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver == nullptr) return "";
    using GetName = CUresult (*)(char*, int, CUdevice);
    const auto get_name = reinterpret_cast<GetName>(dlsym(driver, "cuDeviceGetName"));
    std::array<char, 256> name{};
    const bool named =
        get_name != nullptr && get_name(name.data(), name.size() - 1, static_cast<CUdevice>(device)) == CUDA_SUCCESS;
    dlclose(driver);
    return named ? name.data() : "";
}

ContextProfiler::ContextProfiler(CUcontext context, MetricSet set, ProcessLog& log) : log_(log) {
    std::uint32_t device = 0;
    check(cuptiGetDeviceId(context, &device), "cuptiGetDeviceId");
    device_ = static_cast<int>(device);
    if (const auto name = device_name(device); !name.empty()) log_.write({.device = records::Device{device_, name}});
    const auto chip = chip_of(device);
    const auto availability = availability_of(context);
    metrics_ = plan(chip, set, availability).metrics;
    config_ = std::make_unique<HostConfig>(chip, metrics_, availability);

    // NOLINTNEXTLINE(bugprone-sizeof-expression): CUPTI's macro
    auto enable = sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    enable.ctx = context;
    check(cuptiRangeProfilerEnable(&enable), "cuptiRangeProfilerEnable");
    profiler_ = enable.pRangeProfilerObject;

    auto names = c_strings(metrics_);
    auto size =
        sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = ranges_at_once;
    size.maxNumRangeTreeNodes = ranges_at_once;
    check(cuptiRangeProfilerGetCounterDataSize(&size), "cuptiRangeProfilerGetCounterDataSize");
    image_.resize(size.counterDataSize);
    start();
}

ContextProfiler::~ContextProfiler() {
    if (profiler_ == nullptr) return;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): CUPTI's macro
    auto disable = sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    disable.pRangeProfilerObject = profiler_;
    cuptiRangeProfilerDisable(&disable);
}

void ContextProfiler::initialise_image() {
    auto initialise = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    initialise.pRangeProfilerObject = profiler_;
    initialise.counterDataSize = image_.size();
    initialise.pCounterData = image_.data();
    check(cuptiRangeProfilerCounterDataImageInitialize(&initialise), "cuptiRangeProfilerCounterDataImageInitialize");
}

void ContextProfiler::start() {
    initialise_image();
    auto set = sized<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    set.pRangeProfilerObject = profiler_;
    set.configSize = config_->image().size();
    set.pConfig = config_->image().data();
    set.counterDataImageSize = image_.size();
    set.pCounterDataImage = image_.data();
    set.range = CUPTI_AutoRange;
    set.replayMode = CUPTI_KernelReplay;
    set.maxRangesPerPass = ranges_at_once;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    check(cuptiRangeProfilerSetConfig(&set), "cuptiRangeProfilerSetConfig");
    // NOLINTNEXTLINE(bugprone-sizeof-expression): CUPTI's macro
    auto start = sized<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    start.pRangeProfilerObject = profiler_;
    check(cuptiRangeProfilerStart(&start), "cuptiRangeProfilerStart");
    running_ = true;
}

void ContextProfiler::stop_and_write() {
    if (!running_) return;
    running_ = false;
    auto stop = sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stop.pRangeProfilerObject = profiler_;
    check(cuptiRangeProfilerStop(&stop), "cuptiRangeProfilerStop");
    auto decode = sized<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    decode.pRangeProfilerObject = profiler_;
    check(cuptiRangeProfilerDecodeData(&decode), "cuptiRangeProfilerDecodeData");
    if (decode.numOfRangeDropped > 0) {
        log_.note("CUPTI dropped the counters of " + std::to_string(decode.numOfRangeDropped) + " launches");
    }
    auto info =
        sized<CUpti_RangeProfiler_GetCounterDataInfo_Params>(CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
    info.pCounterDataImage = image_.data();
    info.counterDataImageSize = image_.size();
    check(cuptiRangeProfilerGetCounterDataInfo(&info), "cuptiRangeProfilerGetCounterDataInfo");
    if (!graph_ && info.numTotalRanges != launches_.size()) {
        log_.note(std::to_string(launches_.size()) + " launches gave " + std::to_string(info.numTotalRanges) +
                  " sets of counters; those beyond the launches are left out");
    }
    auto names = c_strings(metrics_);
    std::vector<double> values(metrics_.size());
    for (std::size_t range = 0; range < info.numTotalRanges && (graph_ || range < launches_.size()); ++range) {
        auto evaluate = sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
            CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
        evaluate.pHostObject = config_->object();
        evaluate.pCounterDataImage = image_.data();
        evaluate.counterDataImageSize = image_.size();
        evaluate.rangeIndex = range;
        evaluate.ppMetricNames = names.data();
        evaluate.numMetrics = names.size();
        evaluate.pMetricValues = values.data();
        check(cuptiProfilerHostEvaluateToGpuValues(&evaluate), "cuptiProfilerHostEvaluateToGpuValues");
        VendorMetrics metrics;
        for (std::size_t i = 0; i < values.size(); ++i) {
            // Counters that could not be read are not numbers.
            if (values[i] >= 0) metrics.emplace(metrics_[i], base_value(metrics_[i], values[i]));
        }
        KernelRecord launch;
        if (graph_) {
            launch.kernel = graph_kernel;
        } else {
            launch = std::move(launches_[range]);
        }
        launch.device = device_;
        log_.write({.kernel = counted_launch(std::move(launch), std::move(metrics)),
                    .graph_launch = graph_ ? std::optional(graph_launches_) : std::nullopt});
    }
    launches_.clear();
}

void ContextProfiler::take() {
    if (launches_.empty() && !graph_) return;
    stop_and_write();
    start();
}

void ContextProfiler::after_graph() {
    graph_ = true;
    graph_launches_ = ++counted_graphs;
    take();
    graph_ = false;
}

void ContextProfiler::before_launch(KernelRecord launch) {
    if (launches_.size() == ranges_at_once) take();
    launches_.push_back(std::move(launch));
}

/// One launch at a time and context, from before the launch to behind it: the n-th set of counters is that of the n-th
/// launch. Waiting holds no lock, nor does whoever has the turn.
class Turn {
public:
    void begin() {
        std::unique_lock lock(mutex_);
        free_.wait(lock, [&] { return !taken_; });
        taken_ = true;
    }
    void end() {
        const std::lock_guard lock(mutex_);
        taken_ = false;
        free_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable free_;
    bool taken_ = false;
};

struct Context {
    Turn turn;
    std::unique_ptr<ContextProfiler> profiler;  // none where it could not be profiled
};

struct Counting {
    ProcessLog& log;
    MetricSet set;
    std::mutex mutex;  // of the map
    std::map<CUcontext, std::shared_ptr<Context>> contexts;

    std::shared_ptr<Context> find(CUcontext context) {
        const std::lock_guard lock(mutex);
        const auto found = contexts.find(context);
        return found == contexts.end() ? nullptr : found->second;
    }
};

Counting* counting = nullptr;

/// Runs a step for a context; a step that fails ends its profiling, and is told.
template <class Step>
void guarded(Context& context, Step step) {
    if (!context.profiler) return;
    try {
        step(*context.profiler);
    } catch (const std::exception& problem) {
        counting->log.failure(problem.what(), "");
        context.profiler.reset();
    }
}

void context_created(CUcontext handle) {
    auto context = std::make_shared<Context>();
    try {
        context->profiler = std::make_unique<ContextProfiler>(handle, counting->set, counting->log);
    } catch (const std::exception& problem) {
        const std::string what = problem.what();
        const bool forbidden = what.find("INSUFFICIENT_PRIVILEGES") != std::string::npos;
        counting->log.failure(what, forbidden ? "only the administrator may read counters: gpuproj doctor says how to "
                                                "allow it"
                                              : "");
    }
    const std::lock_guard lock(counting->mutex);
    counting->contexts[handle] = std::move(context);
}

void finish(Context& context) {
    context.turn.begin();
    guarded(context, [](ContextProfiler& profiler) { profiler.take(); });
    context.profiler.reset();
    context.turn.end();
}

void context_destroyed(CUcontext handle) {
    const auto context = counting->find(handle);
    if (!context) return;
    finish(*context);
    const std::lock_guard lock(counting->mutex);
    counting->contexts.erase(handle);
}

Dim3 size_of(unsigned x, unsigned y, unsigned z) {
    return {x, y, z};
}

KernelRecord launch_of(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    KernelRecord launch;
    const std::string mangled = call.symbolName != nullptr ? call.symbolName : "?";
    launch.kernel = records::demangle(mangled);
    if (launch.kernel != mangled) launch.mangled = mangled;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
        const auto& config = *static_cast<const cuLaunchKernelEx_params*>(call.functionParams)->config;
        launch.grid = size_of(config.gridDimX, config.gridDimY, config.gridDimZ);
        launch.block = size_of(config.blockDimX, config.blockDimY, config.blockDimZ);
        launch.dynamic_shared = Bytes{static_cast<double>(config.sharedMemBytes)};
    } else {
        // cuLaunchCooperativeKernel's parameters begin like cuLaunchKernel's.
        const auto& p = *static_cast<const cuLaunchKernel_params*>(call.functionParams);
        launch.grid = size_of(p.gridDimX, p.gridDimY, p.gridDimZ);
        launch.block = size_of(p.blockDimX, p.blockDimY, p.blockDimZ);
        launch.dynamic_shared = Bytes{static_cast<double>(p.sharedMemBytes)};
    }
    return launch;
}

constexpr std::array launch_functions{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                      CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                      CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};
constexpr std::array graph_functions{CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};

void launched(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    const auto context = counting->find(call.context);
    if (!context) return;
    const bool graph =
        std::ranges::find(graph_functions, static_cast<CUpti_driver_api_trace_cbid>(id)) != graph_functions.end();
    if (call.callbackSite == CUPTI_API_ENTER) {
        context->turn.begin();
        guarded(*context, [&](ContextProfiler& profiler) {
            if (graph) {
                profiler.before_graph();
            } else {
                profiler.before_launch(launch_of(id, call));
            }
        });
        return;
    }
    if (graph) guarded(*context, [](ContextProfiler& profiler) { profiler.after_graph(); });
    context->turn.end();
}

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    try {
        if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
            launched(id, *static_cast<const CUpti_CallbackData*>(data));
        } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
            const auto* resource = static_cast<const CUpti_ResourceData*>(data);
            if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) context_created(resource->context);
            if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) context_destroyed(resource->context);
        }
    } catch (const std::exception& problem) {
        counting->log.failure(problem.what(), "");
    }
}

}  // namespace

void start_counting(ProcessLog& log, MetricSet metrics) {
    counting = new Counting{log, metrics, {}, {}};  // outlives every callback
    CUpti_SubscriberHandle subscriber = nullptr;
    check(cuptiSubscribe(&subscriber, on_callback, nullptr), "cuptiSubscribe");
    const auto enable = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
        check(cuptiEnableCallback(1, subscriber, domain, id), "cuptiEnableCallback");
    };
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
    for (const auto id : launch_functions) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    for (const auto id : graph_functions) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
}

void finish_counting() {
    if (counting == nullptr) return;
    std::vector<std::shared_ptr<Context>> all;
    {
        const std::lock_guard lock(counting->mutex);
        for (const auto& [handle, context] : counting->contexts) all.push_back(context);
    }
    for (const auto& context : all) finish(*context);
}

}  // namespace gpuproj::cupti
