#include "tests/cupti/fake_cupti.hpp"

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>

/// The profiler of a context.
struct CUpti_RangeProfiler_Object {
    bool configured = false, running = false, to_decode = false;
    std::uint8_t* image = nullptr;
    std::size_t capacity = 0;
    std::vector<double> warps;  // of the ranges since the start
};

/// Instructions by kind and the rest take a pass each; of some metrics only one fits in a pass.
struct CUpti_Profiler_Host_Object {
    bool instrumented = false, plain = false;
    std::set<std::string_view> alone;

    int passes() const {
        return static_cast<int>(instrumented) + static_cast<int>(plain && alone.empty()) +
               static_cast<int>(alone.size());
    }
};

namespace {

using namespace gpuproj::test;

struct Image {
    std::uint64_t initialised, ranges;
};
constexpr std::uint64_t empty_image = 0x7270;
constexpr std::uint8_t config_byte = 0x50;  // and the passes
constexpr std::uint8_t passes_bits = 0x0f;

constexpr auto alone_metrics = std::to_array<std::string_view>({
    "smsp__inst_executed_pipe_tensor.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
});

bool is_config(std::uint8_t byte) {
    return (byte & ~passes_bits) == config_byte;
}

FakeCupti cupti;
std::mutex mutex;
std::map<std::uintptr_t, CUpti_RangeProfiler_Object> profilers;
CUpti_CallbackFunc callback = nullptr;
std::atomic<bool> initialised = false;
std::vector<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>> enabled_callbacks;

std::uintptr_t handle(CUcontext context) {
    return reinterpret_cast<std::uintptr_t>(context);
}

/// The parameters' size is the one of this version, and what has to be so is so; else remembered as misuse.
template <class Params>
CUptiResult expect(const Params* params, std::size_t size, bool in_order, const char* function) {
    if (params->structSize == size && params->pPriv == nullptr && in_order) return CUPTI_SUCCESS;
    cupti.misused.emplace_back(function);
    return CUPTI_ERROR_INVALID_PARAMETER;
}

void call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    const std::pair wanted(domain, id);
    if (callback == nullptr || std::ranges::find(enabled_callbacks, wanted) == enabled_callbacks.end()) return;
    callback(nullptr, domain, id, data);
}

void call_back(CUpti_CallbackId id, CUpti_CallbackData& data, CUpti_ApiCallbackSite site) {
    data.callbackSite = site;
    call_back(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

void count(std::uintptr_t context, std::span<const unsigned> warps) {
    const std::lock_guard lock(mutex);
    const auto found = profilers.find(context);
    if (found == profilers.end() || !found->second.running) return;
    found->second.warps.insert(found->second.warps.end(), warps.begin(), warps.end());
}

}  // namespace

namespace gpuproj::test {

FakeCupti& fresh_cupti() {
    cupti = {};
    profilers.clear();
    enabled_callbacks.clear();
    callback = nullptr;
    initialised = false;
    return cupti;
}

void run_kernel(std::uintptr_t context, const Launch& launch) {
    CUresult result = launch.result;
    CUpti_CallbackData data{};
    data.context = reinterpret_cast<CUcontext>(context);
    data.symbolName = launch.kernel.c_str();
    data.functionReturnValue = &result;
    const auto stream = reinterpret_cast<CUstream>(launch.stream);
    cuLaunchKernel_params plain{};
    plain.gridDimX = launch.blocks, plain.gridDimY = plain.gridDimZ = 1;
    plain.blockDimX = launch.threads, plain.blockDimY = plain.blockDimZ = 1;
    plain.hStream = stream;
    CUlaunchConfig config{};
    config.gridDimX = launch.blocks, config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = launch.threads, config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    cuLaunchKernelEx_params by_config{};
    by_config.config = &config;
    data.functionParams = launch.by_config ? static_cast<const void*>(&by_config) : &plain;
    const CUpti_CallbackId id =
        launch.by_config ? CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx : CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
    call_back(id, data, CUPTI_API_ENTER);
    if (launch.calls_inside) {
        call_back(id, data, CUPTI_API_ENTER);
        call_back(id, data, CUPTI_API_EXIT);
    }
    if (result == CUDA_SUCCESS && launch.stream != captured_stream) {
        const unsigned warps = launch.blocks * ((launch.threads + 31) / 32);
        const unsigned counted = launch.counted_warps > 0 ? launch.counted_warps : warps;
        count(context, {&counted, 1});
    }
    call_back(id, data, CUPTI_API_EXIT);
}

void run_graph(std::uintptr_t context, const std::vector<unsigned>& warps, std::uintptr_t stream) {
    CUresult result = CUDA_SUCCESS;
    cuGraphLaunch_params params{};
    params.hStream = reinterpret_cast<CUstream>(stream);
    CUpti_CallbackData data{};
    data.context = reinterpret_cast<CUcontext>(context);
    data.functionParams = &params;
    data.functionReturnValue = &result;
    call_back(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, data, CUPTI_API_ENTER);
    if (stream != captured_stream) count(context, warps);
    call_back(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, data, CUPTI_API_EXIT);
}

void destroy_context(std::uintptr_t context) {
    CUpti_ResourceData data{};
    data.context = reinterpret_cast<CUcontext>(context);
    call_back(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
}

}  // namespace gpuproj::test

extern "C" {

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
    *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc function, void*) {
    callback = function;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
    enabled_callbacks.emplace_back(domain, id);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* params) {
    initialised = true;
    return expect(params, CUpti_Profiler_Initialize_Params_STRUCT_SIZE, callback != nullptr, __func__);
}

/// Contexts 1 to 9 are of the first GPU, 10 to 19 of the second, and so on.
CUptiResult cuptiGetDeviceId(CUcontext context, std::uint32_t* device) {
    *device = static_cast<std::uint32_t>(handle(context) / 10);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* params) {
    params->isSupported =
        cupti.supported ? CUPTI_PROFILER_CONFIGURATION_SUPPORTED : CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    return expect(params, CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE,
                  initialised && params->api == CUPTI_PROFILER_RANGE_PROFILING, __func__);
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
    params->pChipName = "GH100";
    return expect(params, CUpti_Device_GetChipName_Params_STRUCT_SIZE, true, __func__);
}

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params* params) {
    if (cupti.availability != CUPTI_SUCCESS) return cupti.availability;
    params->counterAvailabilityImageSize = 1;
    return expect(params, CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE, params->ctx != nullptr, __func__);
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
    params->pHostObject = new CUpti_Profiler_Host_Object;
    return expect(params, CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
                  params->profilerType == CUPTI_PROFILER_TYPE_RANGE_PROFILER && params->pCounterAvailabilityImage,
                  __func__);
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* params) {
    delete params->pHostObject;
    return expect(params, CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE, true, __func__);
}

CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params*) {
    return CUPTI_ERROR_UNKNOWN;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
    for (std::size_t i = 0; i < params->numMetrics; ++i) {
        const std::string_view name = params->ppMetricNames[i];
        auto& host = *params->pHostObject;
        const auto* const own = std::ranges::find(alone_metrics, name);
        if (own != alone_metrics.end()) host.alone.insert(*own);
        if (own == alone_metrics.end()) (name.find("__sass_") != name.npos ? host.instrumented : host.plain) = true;
    }
    return expect(params, CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE, true, __func__);
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
    params->configImageSize = 1;
    return expect(params, CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE, params->pHostObject->passes() > 0,
                  __func__);
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
    *params->pConfigImage = static_cast<std::uint8_t>(config_byte | params->pHostObject->passes());
    return expect(params, CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE, params->configImageSize == 1,
                  __func__);
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
    params->numOfPasses = *params->pConfigImage & passes_bits;
    return expect(params, CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE, is_config(*params->pConfigImage),
                  __func__);
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
    Image head{};
    std::memcpy(&head, params->pCounterDataImage, sizeof head);
    double warps = 0;
    std::memcpy(&warps, params->pCounterDataImage + sizeof head + params->rangeIndex * sizeof warps, sizeof warps);
    for (std::size_t i = 0; i < params->numMetrics; ++i) {
        const std::string name = params->ppMetricNames[i];
        params->pMetricValues[i] = name == "smsp__warps_launched.sum"  ? warps
                                   : name == "smsp__inst_executed.sum" ? 10 * warps
                                                                       : 0;
    }
    return expect(params, CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE, params->rangeIndex < head.ranges,
                  __func__);
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
    const std::lock_guard lock(mutex);
    ++cupti.enabled;
    const bool first = !profilers.contains(handle(params->ctx));
    params->pRangeProfilerObject = &profilers[handle(params->ctx)];
    return expect(params, CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE, first, __func__);
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* params) {
    const std::lock_guard lock(mutex);
    ++cupti.disabled;
    const auto result = expect(params, CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                               !params->pRangeProfilerObject->running, __func__);
    std::erase_if(profilers, [&](const auto& entry) { return &entry.second == params->pRangeProfilerObject; });
    return result;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
    params->pRangeProfilerObject->capacity = params->maxNumOfRanges;
    params->counterDataSize = sizeof(Image) + params->maxNumOfRanges * sizeof(double);
    return expect(params, CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
                  params->maxNumRangeTreeNodes >= params->maxNumOfRanges && params->numMetrics > 0, __func__);
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* params) {
    const Image head{empty_image, 0};
    std::memcpy(params->pCounterData, &head, sizeof head);
    return expect(params, CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
                  !params->pRangeProfilerObject->running, __func__);
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params) {
    const std::lock_guard lock(mutex);
    auto& profiler = *params->pRangeProfilerObject;
    const bool one_pass = (*params->pConfig & passes_bits) == 1;
    (one_pass ? cupti.without_replay : cupti.with_replay) += 1;
    profiler.image = params->pCounterDataImage;
    profiler.configured = true;
    return expect(params, CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
                  !profiler.running && is_config(*params->pConfig) && params->range == CUPTI_AutoRange &&
                      params->replayMode == (one_pass ? CUPTI_UserReplay : CUPTI_KernelReplay) &&
                      params->numNestingLevels == 1 && params->maxRangesPerPass == profiler.capacity,
                  __func__);
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* params) {
    if (cupti.start != CUPTI_SUCCESS) return cupti.start;
    const std::lock_guard lock(mutex);
    auto& profiler = *params->pRangeProfilerObject;
    const bool in_order = profiler.configured && !profiler.running && !profiler.to_decode;
    profiler.running = true;
    profiler.warps.clear();
    return expect(params, CUpti_RangeProfiler_Start_Params_STRUCT_SIZE, in_order, __func__);
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
    const std::lock_guard lock(mutex);
    auto& profiler = *params->pRangeProfilerObject;
    profiler.to_decode = true;
    return expect(params, CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE, std::exchange(profiler.running, false),
                  __func__);
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* params) {
    if (cupti.decode != CUPTI_SUCCESS) return cupti.decode;
    auto& profiler = *params->pRangeProfilerObject;
    ++cupti.taken_out;
    Image head{};
    std::memcpy(&head, profiler.image, sizeof head);
    const bool in_order = std::exchange(profiler.to_decode, false) && head.initialised == empty_image;
    head.ranges = std::min(profiler.warps.size(), profiler.capacity);
    params->numOfRangeDropped = profiler.warps.size() - head.ranges;
    std::memcpy(profiler.image, &head, sizeof head);
    std::memcpy(profiler.image + sizeof head, profiler.warps.data(), head.ranges * sizeof(double));
    return expect(params, CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE, in_order, __func__);
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
    Image head{};
    std::memcpy(&head, params->pCounterDataImage, sizeof head);
    params->numTotalRanges = head.ranges;
    return expect(params, CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE, true, __func__);
}
}
