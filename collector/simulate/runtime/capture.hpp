// Streams being captured: what they are given becomes nodes of a graph.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "collector/simulate/runtime/graph.hpp"

namespace gpuproj::simulate {

/// What a capture forbids to which threads, and what a thread minds (cudaStreamCaptureMode).
enum class CaptureMode : int { global, thread_local_only, relaxed };
CaptureMode& capture_mode_of_thread() noexcept;

/// What one stream adds to a capture.
struct Capture {
    unsigned long long id = 0;  // the same for all streams of a capture
    std::shared_ptr<Graph> graph;
    std::vector<GraphNode*> last;  // what the next node waits for
    bool origin = false;           // the stream that began it
    bool into_given_graph = false;
    bool blocking = true;  // the legacy stream would wait for this one
    bool invalidated = false;
    CaptureMode mode = CaptureMode::relaxed;
    std::thread::id thread{};  // that began it
};

/// Thread-safe.
class Captures {
public:
    static Captures& instance();

    /// Adds `work` to the capture of `stream`; nullopt if it is not being captured. Refused as refuse_implicit() says.
    std::optional<cuda::CudaError> take(void* stream, Work& work);
    /// The same for memory: the address is known at once.
    std::optional<cuda::CudaError> take_allocation(Runtime& runtime, void* stream, std::size_t bytes, void** pointer);

    cuda::CudaError begin(const StreamOrder& stream, std::shared_ptr<Graph> graph, std::vector<GraphNode*> last,
                          bool given, int mode);
    /// Gives what was captured; without a graph where it came to an error. A stream that only joined the capture cannot
    /// end it, and invalidates it; nor can another thread, unless the capture is relaxed.
    cuda::CudaError end(void* stream, Capture& ended);
    std::optional<Capture> of(void* stream);
    cuda::CudaError set_dependencies(void* stream, const std::vector<GraphNode*>& nodes, bool add);

    /// An event recorded in a captured stream stands for the nodes so far; false if the stream is not captured.
    bool record(void* event, void* stream);
    /// Makes `stream` wait for it, and part of its capture; nullopt if neither the event nor the stream is captured. An
    /// event that was `recorded` elsewhere is none to wait for in a captured stream.
    std::optional<cuda::CudaError> wait(const StreamOrder& stream, void* event, bool recorded);
    bool is_captured_event(void* event);
    /// Waiting for captured work makes no sense and ends the capture: stream_capture_unsupported, or success where
    /// `stream` (nullptr: any) is not captured.
    cuda::CudaError refuse_waiting(void* stream);
    /// For calls that may have to wait for streams, as those for memory: stream_capture_unsupported, and the end of the
    /// captures that forbid it to the calling thread, or success.
    cuda::CudaError refuse_unsafe();
    /// The legacy stream cannot be used while a blocking stream is captured: stream_capture_implicit, and the end of
    /// such captures, or success.
    cuda::CudaError refuse_implicit(const void* stream);
    /// The same for who only asks, which ends nothing.
    cuda::CudaError implicit(const void* stream);
    bool any() const { return active_.load(std::memory_order_acquire) > 0; }

private:
    Capture* find(const void* stream);
    std::vector<unsigned long long> blocking_captures(const void* stream) const;
    cuda::CudaError end_implicit(const void* stream);
    void invalidate(unsigned long long id);

    std::mutex mutex_;
    std::atomic<std::size_t> active_{0};
    unsigned long long next_id_ = 1;
    std::map<const void*, Capture> captures_;  // by the identity of the stream
    std::map<void*, Capture> events_;
};

}  // namespace gpuproj::simulate
