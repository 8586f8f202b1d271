// Stream capture.
#include "collector/simulate/runtime/capture.hpp"

#include <algorithm>
#include <utility>

#include "collector/simulate/engine/of_thread.hpp"
#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate {

using cuda::CudaError;

CaptureMode& capture_mode_of_thread() noexcept {
    thread_local CaptureMode mode = CaptureMode::global;
    return mode;
}

Captures& Captures::instance() {
    static auto* const captures = new Captures;
    return *captures;
}

Capture* Captures::find(const void* stream) {
    const auto found = captures_.find(identity_of(stream));
    return found == captures_.end() ? nullptr : &found->second;
}

void Captures::invalidate(unsigned long long id) {
    for (auto& [stream, capture] : captures_)
        if (capture.id == id) capture.invalidated = true;
}

std::optional<CudaError> Captures::take(void* stream, Work& work) {
    if (!any()) return std::nullopt;
    const std::lock_guard lock(mutex_);
    if (const CudaError code = end_implicit(stream); code != cuda::success) return code;
    Capture* capture = find(stream);
    if (capture == nullptr) return std::nullopt;
    if (capture->invalidated) return cuda::stream_capture_invalidated;
    GraphNode* node = capture->graph->add(std::move(work), capture->last);
    if (node == nullptr) return cuda::invalid_value;
    capture->last = {node};
    return cuda::success;
}

std::optional<CudaError> Captures::take_allocation(Runtime& runtime, void* stream, std::size_t bytes, void** pointer) {
    if (!any()) return std::nullopt;
    const std::lock_guard lock(mutex_);
    if (const CudaError code = end_implicit(stream); code != cuda::success) return code;
    Capture* capture = find(stream);
    if (capture == nullptr) return std::nullopt;
    if (capture->invalidated) return cuda::stream_capture_invalidated;
    if (pointer == nullptr) return cuda::invalid_value;
    GraphNode* node = add_allocation(runtime, *capture->graph, bytes, capture->last);
    if (node == nullptr) return cuda::memory_allocation;
    capture->last = {node};
    *pointer = std::get<AllocateWork>(node->work).memory->pointer;
    return cuda::success;
}

std::vector<unsigned long long> Captures::blocking_captures(const void* stream) const {
    std::vector<unsigned long long> found;
    if (!is_legacy(stream)) return found;
    for (const auto& [captured, capture] : captures_)
        if (capture.blocking) found.push_back(capture.id);
    return found;
}

CudaError Captures::end_implicit(const void* stream) {
    const auto ended = blocking_captures(stream);
    for (const unsigned long long id : ended) invalidate(id);
    return ended.empty() ? cuda::success : cuda::stream_capture_implicit;
}

CudaError Captures::refuse_implicit(const void* stream) {
    if (!any()) return cuda::success;
    const std::lock_guard lock(mutex_);
    return end_implicit(stream);
}

CudaError Captures::implicit(const void* stream) {
    if (!any()) return cuda::success;
    const std::lock_guard lock(mutex_);
    return blocking_captures(stream).empty() ? cuda::success : cuda::stream_capture_implicit;
}

CudaError Captures::begin(const StreamOrder& stream, std::shared_ptr<Graph> graph, std::vector<GraphNode*> last,
                          bool given, int mode) {
    if (mode < 0 || mode > static_cast<int>(CaptureMode::relaxed)) return cuda::invalid_value;
    if (stream.legacy) return cuda::stream_capture_unsupported;
    const std::lock_guard lock(mutex_);
    if (find(stream.handle) != nullptr) return cuda::illegal_state;
    captures_[stream.handle] = {.id = next_id_++,
                                .graph = std::move(graph),
                                .last = std::move(last),
                                .origin = true,
                                .into_given_graph = given,
                                .blocking = !stream.non_blocking,
                                .mode = static_cast<CaptureMode>(mode),
                                .thread = std::this_thread::get_id()};
    active_ = captures_.size();
    return cuda::success;
}

CudaError Captures::end(void* stream, Capture& ended) {
    const std::lock_guard lock(mutex_);
    Capture* capture = find(stream);
    if (capture == nullptr) return cuda::illegal_state;
    if (!capture->origin) {
        invalidate(capture->id);
        return cuda::stream_capture_unmatched;
    }
    const Capture done = *capture;
    if (done.mode != CaptureMode::relaxed && done.thread != std::this_thread::get_id())
        return cuda::stream_capture_wrong_thread;
    bool joined = true;  // all that the other streams added is waited for
    for (const auto& [other, other_capture] : captures_) {
        if (other == identity_of(stream) || other_capture.id != done.id) continue;
        for (const GraphNode* node : other_capture.last) joined = joined && reaches(done.last, node);
    }
    std::erase_if(captures_, [&](const auto& entry) { return entry.second.id == done.id; });
    std::erase_if(events_, [&](const auto& entry) { return entry.second.id == done.id; });
    active_ = captures_.size();
    if (done.invalidated) return cuda::stream_capture_invalidated;
    if (!joined) return cuda::stream_capture_unjoined;
    ended = done;
    return cuda::success;
}

std::optional<Capture> Captures::of(void* stream) {
    if (!any()) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const Capture* capture = find(stream);
    return capture == nullptr ? std::nullopt : std::optional(*capture);
}

CudaError Captures::set_dependencies(void* stream, const std::vector<GraphNode*>& nodes, bool add) {
    const std::lock_guard lock(mutex_);
    Capture* capture = find(stream);
    if (capture == nullptr) return cuda::illegal_state;
    if (!std::ranges::all_of(nodes,
                             [&](const GraphNode* n) { return n != nullptr && n->graph == capture->graph.get(); }))
        return cuda::invalid_value;
    if (!add) capture->last.clear();
    for (GraphNode* node : nodes)
        if (std::ranges::find(capture->last, node) == capture->last.end()) capture->last.push_back(node);
    return cuda::success;
}

bool Captures::record(void* event, void* stream) {
    if (!any()) return false;
    const std::lock_guard lock(mutex_);
    const Capture* capture = find(stream);
    if (capture == nullptr) {
        events_.erase(event);
        return false;
    }
    events_[event] = *capture;
    return true;
}

std::optional<CudaError> Captures::wait(const StreamOrder& stream, void* event, bool recorded) {
    if (!any()) return std::nullopt;
    const std::lock_guard lock(mutex_);
    if (const CudaError code = end_implicit(stream.handle); code != cuda::success) return code;
    Capture* capture = find(stream.handle);
    const auto found = events_.find(event);
    if (found == events_.end()) {
        if (capture == nullptr) return std::nullopt;
        if (capture->invalidated) return cuda::stream_capture_invalidated;
        if (!recorded) return cuda::success;
        invalidate(capture->id);
        return cuda::stream_capture_isolation;
    }
    if (stream.legacy) {
        invalidate(found->second.id);
        return cuda::stream_capture_unsupported;
    }
    if (capture == nullptr) {
        Capture joined = found->second;
        joined.origin = false;
        joined.blocking = !stream.non_blocking;
        captures_[stream.handle] = std::move(joined);
        active_ = captures_.size();
        return cuda::success;
    }
    if (capture->id != found->second.id) {
        invalidate(capture->id);
        invalidate(found->second.id);
        return cuda::stream_capture_merge;
    }
    for (GraphNode* node : found->second.last)
        if (std::ranges::find(capture->last, node) == capture->last.end()) capture->last.push_back(node);
    return cuda::success;
}

bool Captures::is_captured_event(void* event) {
    if (!any()) return false;
    const std::lock_guard lock(mutex_);
    return events_.contains(event);
}

CudaError Captures::refuse_waiting(void* stream) {
    if (!any()) return cuda::success;
    const std::lock_guard lock(mutex_);
    for (const auto& [captured, capture] : captures_) {
        if (stream != nullptr && captured != identity_of(stream)) continue;
        invalidate(capture.id);
        return cuda::stream_capture_unsupported;
    }
    return cuda::success;
}

CudaError Captures::refuse_unsafe() {
    const CaptureMode minded = capture_mode_of_thread();
    if (!any() || minded == CaptureMode::relaxed) return cuda::success;
    const std::lock_guard lock(mutex_);
    CudaError code = cuda::success;
    for (const auto& [stream, capture] : captures_) {
        const bool own = capture.thread == std::this_thread::get_id();
        const bool forbids = own ? capture.mode != CaptureMode::relaxed
                                 : capture.mode == CaptureMode::global && minded == CaptureMode::global;
        if (!forbids) continue;
        invalidate(capture.id);
        code = cuda::stream_capture_unsupported;
    }
    return code;
}

namespace {

// cudaStreamCaptureStatus
enum class Status : int { none, active, invalidated };

Status status_of(const std::optional<Capture>& capture) {
    if (!capture) return Status::none;
    return capture->invalidated ? Status::invalidated : Status::active;
}

std::vector<GraphNode*> nodes_of(void* const* handles, std::size_t count) {
    std::vector<GraphNode*> nodes;
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(node_at(handles[i]));
    return nodes;
}

// Where the application may read dependencies until its next call on this thread.
struct Dependencies {
    std::vector<void*> last;
};

CudaError info(const char* name, void* stream, Status* status, unsigned long long* id, void** graph,
               void* const** dependencies, std::size_t* count) {
    return api(name, [&](Runtime& runtime) {
        if (status == nullptr) return cuda::invalid_value;
        if (!is_stream(runtime, stream)) return cuda::invalid_resource_handle;
        auto& last = of_thread<Dependencies>().last;
        last.clear();
        if (const CudaError code = Captures::instance().implicit(stream); code != cuda::success) return code;
        const auto capture = Captures::instance().of(stream);
        *status = status_of(capture);
        if (!capture) return cuda::success;
        last.assign(capture->last.begin(), capture->last.end());
        if (id != nullptr) *id = capture->id;
        if (graph != nullptr) *graph = capture->graph.get();
        if (dependencies != nullptr) *dependencies = last.data();
        if (count != nullptr) *count = last.size();
        return cuda::success;
    });
}

CudaError update(const char* name, void* stream, void* const* nodes, std::size_t count, unsigned flags) {
    constexpr unsigned set = 1;  // cudaStreamSetCaptureDependencies
    return api(name, [&](Runtime&) {
        return Captures::instance().set_dependencies(stream, nodes_of(nodes, count), flags != set);
    });
}

}  // namespace

GPUPROJ_CUDA_API CudaError cudaStreamBeginCapture(void* stream, int mode) {
    return api(__func__, [&](Runtime& runtime) {
        const auto order = order_of(runtime, stream);
        if (!order) return cuda::invalid_resource_handle;
        return Captures::instance().begin(*order, std::make_shared<Graph>(), {}, false, mode);
    });
}
GPUPROJ_CUDA_API CudaError cudaStreamBeginCapture_ptsz(void* stream, int mode) {
    note_default_stream_per_thread();
    return cudaStreamBeginCapture(stream, mode);
}

GPUPROJ_CUDA_API CudaError cudaStreamBeginCaptureToGraph(void* stream, void* graph, void* const* nodes, const void*,
                                                         std::size_t count, int mode) {
    return api(__func__, [&](Runtime& runtime) {
        const auto order = order_of(runtime, stream);
        if (!order) return cuda::invalid_resource_handle;
        auto into = graph_at(graph);
        auto last = nodes_of(nodes, count);
        const bool known =
            into && std::ranges::all_of(last, [&](const GraphNode* n) { return n && n->graph == graph; });
        return known ? Captures::instance().begin(*order, std::move(into), std::move(last), true, mode)
                     : cuda::invalid_value;
    });
}
GPUPROJ_CUDA_ALIAS(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

GPUPROJ_CUDA_API CudaError cudaStreamEndCapture(void* stream, void** graph) {
    return api(__func__, [&](Runtime&) {
        Capture ended;
        if (graph != nullptr) *graph = nullptr;
        const CudaError code = Captures::instance().end(stream, ended);
        if (code != cuda::success || graph == nullptr) return code;
        *graph = ended.into_given_graph ? ended.graph.get() : Graphs::instance().add(ended.graph);
        return code;
    });
}
GPUPROJ_CUDA_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

GPUPROJ_CUDA_API CudaError cudaStreamIsCapturing(void* stream, int* status) {
    return api(__func__, [&](Runtime& runtime) {
        if (!is_stream(runtime, stream)) return cuda::invalid_resource_handle;
        if (status == nullptr) return cuda::invalid_value;
        if (const CudaError code = Captures::instance().implicit(stream); code != cuda::success) return code;
        *status = static_cast<int>(status_of(Captures::instance().of(stream)));
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

GPUPROJ_CUDA_API CudaError cudaThreadExchangeStreamCaptureMode(int* mode) {
    return api(__func__, [&](Runtime&) {
        if (mode == nullptr || *mode < 0 || *mode > static_cast<int>(CaptureMode::relaxed)) return cuda::invalid_value;
        *mode = static_cast<int>(std::exchange(capture_mode_of_thread(), static_cast<CaptureMode>(*mode)));
        return cuda::success;
    });
}

// What it tells grew with the versions; the names with a version in them are older forms of the plain one.
GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaStreamGetCaptureInfo(void* stream, Status* status, unsigned long long* id) {
    return info("cudaStreamGetCaptureInfo", stream, status, id, nullptr, nullptr, nullptr);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v11_cudaStreamGetCaptureInfo_ptsz, gpuproj_v11_cudaStreamGetCaptureInfo);
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaStreamGetCaptureInfo, gpuproj_v11_cudaStreamGetCaptureInfo);
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaStreamGetCaptureInfo_ptsz, gpuproj_v11_cudaStreamGetCaptureInfo);

GPUPROJ_CUDA_API CudaError cudaStreamGetCaptureInfo_v2(void* stream, Status* status, unsigned long long* id,
                                                       void** graph, void* const** nodes, std::size_t* count) {
    return info("cudaStreamGetCaptureInfo", stream, status, id, graph, nodes, count);
}
GPUPROJ_CUDA_ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);

GPUPROJ_CUDA_API CudaError cudaStreamGetCaptureInfo_v3(void* stream, Status* status, unsigned long long* id,
                                                       void** graph, void* const** nodes, const void** edges,
                                                       std::size_t* count) {
    if (edges != nullptr) *edges = nullptr;  // all of the ordinary kind
    return info("cudaStreamGetCaptureInfo", stream, status, id, graph, nodes, count);
}
GPUPROJ_CUDA_ALIAS(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v3);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo_v3);

GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaStreamUpdateCaptureDependencies(void* stream, void* const* nodes,
                                                                           std::size_t count, unsigned flags) {
    return update("cudaStreamUpdateCaptureDependencies", stream, nodes, count, flags);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v11_cudaStreamUpdateCaptureDependencies_ptsz,
                   gpuproj_v11_cudaStreamUpdateCaptureDependencies);
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaStreamUpdateCaptureDependencies, gpuproj_v11_cudaStreamUpdateCaptureDependencies);
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaStreamUpdateCaptureDependencies_ptsz,
                   gpuproj_v11_cudaStreamUpdateCaptureDependencies);

GPUPROJ_CUDA_API CudaError cudaStreamUpdateCaptureDependencies_v2(void* stream, void* const* nodes, const void*,
                                                                  std::size_t count, unsigned flags) {
    return update("cudaStreamUpdateCaptureDependencies", stream, nodes, count, flags);
}
GPUPROJ_CUDA_ALIAS(cudaStreamUpdateCaptureDependencies_v2_ptsz, cudaStreamUpdateCaptureDependencies_v2);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_v2);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies_v2);

}  // namespace gpuproj::simulate
