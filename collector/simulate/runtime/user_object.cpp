#include "collector/simulate/runtime/user_object.hpp"

#include <climits>
#include <mutex>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/graph.hpp"

namespace gpuproj::simulate {

using cuda::CudaError;

namespace {

// Objects by their address, and the references that are the application's own; those of graphs are in Graph.
class UserObjects {
public:
    static UserObjects& instance() {
        static auto* const all = new UserObjects;
        return *all;
    }

    void* add(const std::shared_ptr<UserObject>& object, unsigned count) {
        const std::lock_guard lock(mutex_);
        all_[object.get()] = {object, object, count};
        return object.get();
    }
    void forget(const void* handle) {
        const std::lock_guard lock(mutex_);
        all_.erase(handle);
    }
    std::shared_ptr<UserObject> find(const void* handle) {
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(handle);
        return found == all_.end() ? nullptr : found->second.object.lock();
    }

    bool retain(const void* handle, unsigned count) {
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(handle);
        if (found == all_.end()) return false;
        auto kept = found->second.object.lock();
        if (kept == nullptr) return false;
        found->second.owned = std::move(kept);
        found->second.count += count;
        return true;
    }
    bool release(const void* handle, unsigned count) {
        std::shared_ptr<UserObject> last;  // released after the lock
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(handle);
        if (found == all_.end() || found->second.count < count) return false;
        found->second.count -= count;
        if (found->second.count == 0) last = std::move(found->second.owned);
        return true;
    }

private:
    struct Entry {
        std::weak_ptr<UserObject> object;
        std::shared_ptr<UserObject> owned;  // while `count` is not 0
        std::uint64_t count = 0;
    };
    std::mutex mutex_;
    std::map<const void*, Entry> all_;
};

bool is_count(unsigned count) {
    return count > 0 && count <= INT_MAX;
}

CudaError retain_in_graph(void* graph, void* object, unsigned count, unsigned flags) {
    constexpr unsigned move = 1;  // cudaGraphUserObjectMove
    const auto into = graph_at(graph);
    auto kept = UserObjects::instance().find(object);
    if (!into || !kept || !is_count(count) || (flags & ~move) != 0) return cuda::invalid_value;
    if (flags == move && !UserObjects::instance().release(object, count)) return cuda::invalid_value;
    into->user_objects[std::move(kept)] += count;
    return cuda::success;
}

CudaError release_in_graph(void* graph, void* object, unsigned count) {
    const auto from = graph_at(graph);
    const auto kept = UserObjects::instance().find(object);
    if (!from || !kept || !is_count(count)) return cuda::invalid_value;
    const auto held = from->user_objects.find(kept);
    if (held == from->user_objects.end() || held->second < count) return cuda::invalid_value;
    held->second -= count;
    if (held->second == 0) from->user_objects.erase(held);
    return cuda::success;
}

}  // namespace

// Forgotten first: what the application makes in its destructor may get the same address.
UserObject::~UserObject() {
    UserObjects::instance().forget(this);
    destroy_(data_);
}

GPUPROJ_CUDA_API CudaError cudaUserObjectCreate(void** object, void* data, void (*destroy)(void*), unsigned count,
                                                unsigned flags) {
    constexpr unsigned no_destructor_sync = 1;  // cudaUserObjectNoDestructorSync, which has to be said
    return api(__func__, [&](Runtime&) {
        if (object == nullptr || destroy == nullptr || !is_count(count) || flags != no_destructor_sync)
            return cuda::invalid_value;
        *object = UserObjects::instance().add(std::make_shared<UserObject>(destroy, data), count);
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaUserObjectRetain(void* object, unsigned count) {
    return api(__func__, [&](Runtime&) {
        const bool done = is_count(count) && UserObjects::instance().retain(object, count);
        return done ? cuda::success : cuda::invalid_value;
    });
}

GPUPROJ_CUDA_API CudaError cudaUserObjectRelease(void* object, unsigned count) {
    return api(__func__, [&](Runtime&) {
        const bool done = is_count(count) && UserObjects::instance().release(object, count);
        return done ? cuda::success : cuda::invalid_value;
    });
}

GPUPROJ_CUDA_API CudaError cudaGraphRetainUserObject(void* graph, void* object, unsigned count, unsigned flags) {
    return api(__func__, [&](Runtime&) { return retain_in_graph(graph, object, count, flags); });
}

GPUPROJ_CUDA_API CudaError cudaGraphReleaseUserObject(void* graph, void* object, unsigned count) {
    return api(__func__, [&](Runtime&) { return release_in_graph(graph, object, count); });
}

}  // namespace gpuproj::simulate
