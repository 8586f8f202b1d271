#include "collector/cupti/counters.hpp"

#include <cupti.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "collector/cupti/check.hpp"
#include "collector/cupti/context_profiler.hpp"
#include "collector/cupti/driver.hpp"
#include "collector/records/kernel_names.hpp"

namespace gpuproj::cupti {

namespace {

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
    bool begun = false;
    std::unique_ptr<ContextProfiler> profiler;  // none before the first launch, nor where it could not be profiled
};

struct Counting {
    Counting(ProcessLog& to, MetricSet metrics, std::size_t number) : log(to), set(metrics), run(number) {}

    ProcessLog& log;
    MetricSet set;
    std::size_t run;
    std::atomic<std::uint64_t> graphs = 0;  // launched
    std::mutex mutex;                       // of the map
    std::map<CUcontext, std::shared_ptr<Context>> contexts;

    std::shared_ptr<Context> find(CUcontext handle) {
        const std::lock_guard lock(mutex);
        auto& context = contexts[handle];
        if (!context) context = std::make_shared<Context>();
        return context;
    }

    std::shared_ptr<Context> take_out(CUcontext handle) {
        const std::lock_guard lock(mutex);
        const auto node = contexts.extract(handle);
        return node.empty() ? nullptr : node.mapped();
    }
};

Counting* counting = nullptr;

void failed(const std::string& what) {
    const bool forbidden = what.find("INSUFFICIENT_PRIVILEGES") != std::string::npos;
    counting->log.failure(what, forbidden ? "only the administrator may read counters: gpuproj doctor says how to "
                                            "allow it"
                                          : "");
}

/// Runs a step for a context; a step that fails ends its profiling, and is told.
template <class Step>
void guarded(Context& context, Step step) {
    if (!context.profiler) return;
    try {
        step(*context.profiler);
    } catch (const std::exception& problem) {
        failed(problem.what());
        context.profiler.reset();
    }
}

/// Where the context is made: what is loaded or instantiated before is not what CUPTI can profile.
void begin(Context& context, CUcontext handle) {
    if (std::exchange(context.begun, true)) return;
    try {
        context.profiler = std::make_unique<ContextProfiler>(handle, counting->set, counting->run, counting->log);
    } catch (const std::exception& problem) {
        failed(problem.what());
    }
}

void finish(Context& context) {
    context.turn.begin();
    guarded(context, [](ContextProfiler& profiler) { profiler.finish(); });
    context.profiler.reset();
    context.turn.end();
}

Dim3 size_of(unsigned x, unsigned y, unsigned z) {
    return {x, y, z};
}

constexpr std::array launch_functions{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                      CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                      CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};
constexpr std::array graph_functions{CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};
constexpr std::array per_thread_functions{
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};

template <class Ids>
bool is_of(CUpti_CallbackId id, const Ids& ids) {
    return std::ranges::find(ids, static_cast<CUpti_driver_api_trace_cbid>(id)) != ids.end();
}

bool has_config(CUpti_CallbackId id) {
    return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz;
}

CUstream stream_of(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    if (is_of(id, graph_functions)) return static_cast<const cuGraphLaunch_params*>(call.functionParams)->hStream;
    if (has_config(id)) return static_cast<const cuLaunchKernelEx_params*>(call.functionParams)->config->hStream;
    return static_cast<const cuLaunchKernel_params*>(call.functionParams)->hStream;
}

KernelRecord launch_of(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    KernelRecord launch;
    const std::string mangled = call.symbolName != nullptr ? call.symbolName : "?";
    launch.kernel = records::demangle(mangled);
    if (launch.kernel != mangled) launch.mangled = mangled;
    if (has_config(id)) {
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

/// The call of a thread, from its beginning to its end. What is called inside of it is none of the application's:
/// replaying a kernel is CUPTI's own business.
struct Call {
    int depth = 0;
    std::shared_ptr<Context> context;  // whose turn it has, none where nothing is to be counted
};
thread_local Call this_call;

void call_begins(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    if (++this_call.depth > 1) return;
    // It runs when its graph is launched, and then by another call.
    if (is_capturing(stream_of(id, call), is_of(id, per_thread_functions))) return;
    const auto context = counting->find(call.context);
    context->turn.begin();
    this_call.context = context;
    begin(*context, call.context);
    guarded(*context, [&](ContextProfiler& profiler) {
        if (is_of(id, graph_functions)) {
            profiler.pause();
        } else {
            profiler.before_launch(launch_of(id, call));
        }
    });
}

void call_ends(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    if (this_call.depth == 0 || --this_call.depth > 0) return;
    const auto context = std::exchange(this_call.context, nullptr);
    if (!context) return;
    const auto* result = static_cast<const CUresult*>(call.functionReturnValue);
    guarded(*context, [&](ContextProfiler& profiler) {
        if (is_of(id, graph_functions)) {
            if (result != nullptr && *result == CUDA_SUCCESS) ++counting->graphs;
        } else if (result != nullptr && *result != CUDA_SUCCESS) {
            profiler.launch_failed();
        }
    });
    context->turn.end();
}

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    try {
        if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
            const auto& call = *static_cast<const CUpti_CallbackData*>(data);
            if (call.callbackSite == CUPTI_API_ENTER) {
                call_begins(id, call);
            } else {
                call_ends(id, call);
            }
        } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
            auto* const handle = static_cast<const CUpti_ResourceData*>(data)->context;
            if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
                const auto context = counting->find(handle);
                context->turn.begin();
                begin(*context, handle);
                context->turn.end();
            } else if (const auto context = counting->take_out(handle)) {
                finish(*context);
            }
        }
    } catch (const std::exception& problem) {
        failed(problem.what());
    }
}

}  // namespace

void start_counting(ProcessLog& log, MetricSet metrics, std::size_t run) {
    counting = new Counting(log, metrics, run);  // outlives every callback
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
    if (const auto graphs = counting->graphs.load(); graphs > 0) {
        counting->log.note(std::to_string(graphs) +
                           " launches of CUDA graphs were timed and not counted: CUPTI fails on them, or changes what "
                           "they compute; --collector ncu counts their kernels");
    }
}

}  // namespace gpuproj::cupti
