#include "collector/cupti/context_profiler.hpp"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <utility>

#include "collector/cupti/check.hpp"
#include "collector/cupti/driver.hpp"
#include "collector/cupti/launches.hpp"

namespace gpuproj::cupti {

namespace {

/// Not where the driver loads the library: inside of cuInit it answers CUPTI_ERROR_UNKNOWN (driver 580, H100). Again
/// for every context, which CUPTI takes as nothing to do.
void initialise_profiler() {
    auto initialise = sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
    check(cuptiProfilerInitialize(&initialise), "cuptiProfilerInitialize");
}

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

}  // namespace

ContextProfiler::ContextProfiler(CUcontext context, MetricSet set, std::size_t run, ProcessLog& log) : log_(log) {
    initialise_profiler();
    std::uint32_t device = 0;
    check(cuptiGetDeviceId(context, &device), "cuptiGetDeviceId");
    device_ = static_cast<int>(device);
    if (const auto name = device_name(device); !name.empty()) log_.write({.device = records::Device{device_, name}});
    const auto chip = chip_of(device);
    const auto availability = availability_of(context);
    auto planned = plan(chip, set, availability);
    log_.write({.counter_runs = planned.runs.size()});
    // Another GPU of the process may need more runs than this one.
    if (run >= planned.runs.size()) return;
    metrics_ = std::move(planned.runs[run]);
    config_ = std::make_unique<HostConfig>(chip, metrics_, availability);
    log_.write({.counter_passes = config_->passes()});

    // NOLINTNEXTLINE(bugprone-sizeof-expression): CUPTI's macro
    auto enable = sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    enable.ctx = context;
    check(cuptiRangeProfilerEnable(&enable), "cuptiRangeProfilerEnable");
    profiler_ = enable.pRangeProfilerObject;
    try {
        make_image();
    } catch (...) {
        end();
        throw;
    }
}

ContextProfiler::~ContextProfiler() {
    end();
}

void ContextProfiler::make_image() {
    auto names = c_strings(metrics_);
    auto size =
        sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = ranges_at_once;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges_at_once);
    check(cuptiRangeProfilerGetCounterDataSize(&size), "cuptiRangeProfilerGetCounterDataSize");
    image_.resize(size.counterDataSize);
}

void ContextProfiler::end() noexcept {
    if (profiler_ == nullptr) return;
    if (running_) stop();
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
    // One pass needs no replay, for which memory would be saved and put back, and the caches be filled.
    set.replayMode = config_->passes() > 1 ? CUPTI_KernelReplay : CUPTI_UserReplay;
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

CUptiResult ContextProfiler::stop() noexcept {
    running_ = false;
    auto stop = sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stop.pRangeProfilerObject = profiler_;
    return cuptiRangeProfilerStop(&stop);
}

void ContextProfiler::stop_and_write() {
    if (const auto result = stop(); result != CUPTI_SUCCESS) {
        const auto error = context_error();
        throw Error("cuptiRangeProfilerStop: " + result_name(result) +
                    (error.empty() ? "" : "; a kernel of the application failed while it was counted: " + error));
    }
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
    if (info.numTotalRanges != launches_.size()) {
        log_.note(std::to_string(launches_.size()) + " launches gave " + std::to_string(info.numTotalRanges) +
                  " sets of counters; those beyond the launches are left out");
    }
    auto names = c_strings(metrics_);
    std::vector<double> values(metrics_.size());
    for (std::size_t range = 0; range < info.numTotalRanges && range < launches_.size(); ++range) {
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
        KernelRecord launch = std::move(launches_[range]);
        if (!can_be_of(launch, metrics)) ++strange_;
        launch.device = device_;
        const auto clock = metrics.find("smsp__cycles_elapsed.avg.per_second");
        const double hertz = clock == metrics.end() ? 0 : clock->second;
        launch = counted_launch(std::move(launch), std::move(metrics));
        if (hertz > 0 && launch.duration) {
            cycles_ += hertz * launch.duration->sum.value;
            time_ += launch.duration->sum;
        }
        log_.write({.kernel = std::move(launch)});
    }
    launches_.clear();
}

void ContextProfiler::before_launch(KernelRecord launch) {
    if (profiler_ == nullptr) return;
    if (launches_.size() == ranges_at_once) stop_and_write();
    if (!running_) start();
    launches_.push_back(std::move(launch));
}

void ContextProfiler::launch_failed() {
    if (!launches_.empty()) launches_.pop_back();
}

void ContextProfiler::pause() {
    if (running_) stop_and_write();
}

void ContextProfiler::finish() {
    pause();
    if (time_.value > 0) log_.write({.core_clock = Hertz{cycles_ / time_.value}});
    if (strange_ > 0) {
        log_.note("the counters of " + std::to_string(strange_) +
                  " launches are of other numbers of warps than these have: launches by kernels are counted with "
                  "the kernel that made them, or counters stand beside another launch than theirs");
    }
}

}  // namespace gpuproj::cupti
