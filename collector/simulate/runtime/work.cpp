#include "collector/simulate/runtime/work.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/capture.hpp"
#include "collector/simulate/runtime/graph.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate {

using cuda::CudaError;

namespace {

Dim3 dim3(cuda::Dim d) {
    return {d.x, d.y, d.z};
}

/// As from CUDA's own thread, where nobody catches what the function throws.
void call(Runtime& runtime, const HostWork& work) noexcept {
    if (work.callback != nullptr)
        work.callback(work.stream, runtime.sticky_error(), work.data);
    else
        work.function(work.data);
}

struct Performer {
    Runtime& runtime;
    const StreamOrder& stream;

    CudaError operator()(const KernelWork& work) const {
        const Module& module = work.kernel->owner->module(runtime.memory());
        LaunchRequest request;
        request.grid = dim3(work.grid);
        request.block = dim3(work.block);
        request.dynamic_shared_bytes = static_cast<std::uint32_t>(work.dynamic_shared_bytes);
        request.parameters = work.parameters;
        request.cooperative = work.cooperative;
        request.cluster = dim3(work.cluster);
        runtime.launch(module, info_of(module, *work.kernel), request, stream);
        return cuda::success;  // as on a GPU, where a launch is over before its kernel: a fault is the next call's
                               // answer
    }
    CudaError operator()(const CopyWork& work) const {
        return copy(runtime, work.to, work.from, work.shape, work.kind);
    }
    CudaError operator()(const FillWork& work) const {
        return fill(runtime, work.to, work.value, work.element_bytes, work.shape);
    }
    CudaError operator()(const HostWork& work) const {
        call(runtime, work);
        return cuda::success;
    }
    CudaError operator()(const FunctionWork& work) const {
        work.function();
        return cuda::success;
    }
    CudaError operator()(const EventRecordWork& work) const { return record_event(runtime, work.event); }
    CudaError operator()(const EventWaitWork&) const { return cuda::success; }
    CudaError operator()(const EmptyWork&) const { return cuda::success; }
    CudaError operator()(const ChildGraphWork& work) const {
        if (work.launched) set_conditions_at_launch(*work.graph);
        return run(runtime, *work.graph);
    }
    CudaError operator()(const AllocateWork& work) const { return allocate_graph_memory(work.memory); }
    CudaError operator()(const FreeWork& work) const {
        return free_graph_memory(work.pointer) ? cuda::success : cuda::invalid_value;
    }
    CudaError operator()(const ConditionalWork& work) const {
        const auto value = [&] { return work.condition->value; };
        switch (work.kind) {
            case ConditionalKind::if_nonzero:
                if (value() != 0) return run(runtime, *work.bodies.front());
                return work.bodies.size() > 1 ? run(runtime, *work.bodies[1]) : cuda::success;
            case ConditionalKind::while_nonzero:
                while (value() != 0)
                    if (const CudaError code = run(runtime, *work.bodies.front()); code != cuda::success) return code;
                return cuda::success;
            case ConditionalKind::switch_value:
                return value() < work.bodies.size() ? run(runtime, *work.bodies[value()]) : cuda::success;
        }
        return cuda::invalid_value;
    }
};

}  // namespace

CudaError perform(Runtime& runtime, const Work& work, const StreamOrder& stream) {
    // The engine runs one kernel at a time, whatever their streams.
    if (stream.after_all || std::holds_alternative<KernelWork>(work)) runtime.queue().wait();
    return std::visit(Performer{runtime, stream}, work);
}

namespace {

/// Copies from and to pageable memory are over, as far as that memory goes, when the call returns.
bool is_pageable(Runtime& runtime, const Block& block) {
    return !runtime.memory().find(reinterpret_cast<std::uint64_t>(block.begin));
}
bool touches_pageable(Runtime& runtime, const Work& work) {
    const auto* copy = std::get_if<CopyWork>(&work);
    return copy != nullptr && (is_pageable(runtime, copy->to) || is_pageable(runtime, copy->from));
}

CudaError add(Runtime& runtime, const StreamOrder& stream, Work work) {
    Ties ties;
    if (const auto* recording = std::get_if<EventRecordWork>(&work)) ties.records = recording->event;
    if (const auto* waiting = std::get_if<EventWaitWork>(&work)) ties.awaits = waiting->event;
    if (const auto* host = std::get_if<HostWork>(&work)) {
        ties.calls_host = true;
        // Callbacks are told of a kernel's fault, other functions are not called after it.
        const auto task = [&runtime, host = *host] {
            if (host.callback != nullptr || runtime.sticky_error() == cuda::success) call(runtime, host);
        };
        runtime.queue().add(stream, task, std::move(ties));
        return cuda::success;
    }
    const auto task = [&runtime, work = std::move(work), stream] {
        if (runtime.sticky_error() != cuda::success) return;
        const CudaError code = guarded("work of a stream", [&](Runtime&) { return perform(runtime, work, stream); });
        // An event may have been destroyed meanwhile.
        if (!std::holds_alternative<EventRecordWork>(work)) runtime.fail(code);
    };
    runtime.queue().add(stream, task, std::move(ties));
    return cuda::success;
}

/// A copy from pageable memory, of what that holds now: it is the application's again when the call returns.
Work staged(Runtime& runtime, CopyWork work) {
    const Shape& shape = work.shape;
    const std::size_t slice = shape.width * shape.height;
    const auto kept = std::make_shared<std::vector<std::byte>>(slice * shape.depth);
    for (std::size_t z = 0; z < shape.depth; ++z)
        for (std::size_t y = 0; y < shape.height; ++y)
            std::memcpy(
                kept->data() + z * slice + y * shape.width,
                static_cast<const std::byte*>(work.from.begin) + z * work.from.slice_pitch + y * work.from.row_pitch,
                shape.width);
    work.from = {kept->data(), shape.width, slice};
    return FunctionWork{
        [&runtime, kept, work] { runtime.fail(copy(runtime, work.to, work.from, work.shape, work.kind)); }};
}

/// `submit` where nothing is captured; `waits`: for copies that have to be over at once, as far as pageable memory
/// goes.
CudaError give(Runtime& runtime, const StreamOrder& order, Work work, bool waits) {
    DeviceQueue& queue = runtime.queue();
    if (queue.busy() && !DeviceQueue::on_its_thread()) {
        const auto* waiting = std::get_if<EventWaitWork>(&work);
        const bool held = queue.holds(order) || std::holds_alternative<KernelWork>(work) ||
                          std::holds_alternative<ChildGraphWork>(work) ||
                          (waiting != nullptr && queue.holds_event(waiting->event));
        if (held && !(waits && touches_pageable(runtime, work))) return add(runtime, order, std::move(work));
        if (const auto* copy = std::get_if<CopyWork>(&work); held && copy != nullptr && !is_pageable(runtime, copy->to))
            return add(runtime, order, staged(runtime, *copy));
        if (held) queue.wait_for(order);
    }
    if (const auto* host = std::get_if<HostWork>(&work); host != nullptr && !DeviceQueue::on_its_thread()) {
        const void* const function = host->callback != nullptr ? reinterpret_cast<const void*>(host->callback)
                                                               : reinterpret_cast<const void*>(host->function);
        runtime.call_host(
            function, [&runtime, host = *host] { call(runtime, host); }, order);
        return cuda::success;
    }
    return perform(runtime, work, order);
}

/// A graph that calls functions of the host, node by node: one that waits holds up those behind it, not the caller.
CudaError give_nodes(Runtime& runtime, const StreamOrder& order, const ChildGraphWork& work) {
    if (work.launched) {
        const auto set = FunctionWork{[graph = work.graph] { set_conditions_at_launch(*graph); }};
        if (const CudaError code = give(runtime, order, set, false); code != cuda::success) return code;
    }
    for (const GraphNode* node : in_order(*work.graph)) {
        if (!node->enabled) continue;
        const auto* child = std::get_if<ChildGraphWork>(&node->work);
        const CudaError code = child != nullptr && calls_host(*child->graph) ? give_nodes(runtime, order, *child)
                                                                             : give(runtime, order, node->work, false);
        if (code != cuda::success) return code;
        if (runtime.sticky_error() != cuda::success) return runtime.sticky_error();
    }
    // The graph, and what it keeps alive for the functions, may be destroyed meanwhile.
    return give(runtime, order, FunctionWork{[graph = work.graph] { static_cast<void>(graph); }}, false);
}

}  // namespace

CudaError submit(Runtime& runtime, void* stream, Work work) {
    const std::optional<StreamOrder> order = order_of(runtime, stream);
    if (!order) return cuda::invalid_resource_handle;
    if (const auto* copy = std::get_if<CopyWork>(&work); copy != nullptr && !fits_arrays(*copy))
        return cuda::invalid_value;
    if (const auto code = Captures::instance().take(stream, work)) return *code;
    if (const auto* graph = std::get_if<ChildGraphWork>(&work); graph != nullptr && calls_host(*graph->graph))
        return give_nodes(runtime, *order, *graph);
    return give(runtime, *order, std::move(work), true);
}

CudaError submit_among_all(Runtime& runtime, const StreamOrder& order, Work work) {
    if (const CudaError code = Captures::instance().refuse_waiting(nullptr); code != cuda::success) return code;
    if (runtime.queue().busy() && !DeviceQueue::on_its_thread()) return add(runtime, order, std::move(work));
    return perform(runtime, work, order);
}

CudaError submit_wait(Runtime& runtime, void* stream, std::function<bool()> over) {
    const std::optional<StreamOrder> order = order_of(runtime, stream);
    if (!order) return cuda::invalid_resource_handle;
    if (const CudaError code = Captures::instance().refuse_implicit(stream); code != cuda::success) return code;
    if (Captures::instance().of(stream))
        throw Refused(cuda::not_supported, "a graph that waits for a value in memory", "");
    if (!runtime.queue().holds(*order) && over()) return cuda::success;
    Runtime::stop_at_exit();
    // After a kernel's fault nobody is going to write the value.
    const auto ready = [&runtime, over = std::move(over)] { return runtime.sticky_error() != cuda::success || over(); };
    runtime.queue().add(*order, [] {}, {.ready = ready});
    return cuda::success;
}

}  // namespace gpuproj::simulate
