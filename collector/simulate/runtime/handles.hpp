// Streams and events: objects the application holds by pointer.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace gpuproj::simulate {

/// Everything is done by the time a call returns, in the order of the calls, which every program that synchronises
/// rightly allows. So a stream has properties, but no queue of its own; device_queue.hpp has the exception.
struct Stream {
    unsigned flags = 0;
    int priority = 0;
    unsigned long long id = 0;
    void* context = nullptr;  // of the driver API
};

struct Event {
    static constexpr unsigned disable_timing = 2, interprocess = 4;  // cudaEventDisableTiming, cudaEventInterprocess
    unsigned flags = 0;
    std::optional<std::chrono::steady_clock::time_point> recorded{};
};

/// Live objects by their address. Thread-safe.
template <class T>
class Handles {
public:
    void* add(T object) {
        auto owned = std::make_unique<T>(std::move(object));
        void* handle = owned.get();
        const std::lock_guard lock(mutex_);
        live_[handle] = std::move(owned);
        return handle;
    }
    bool remove(void* handle) {
        const std::lock_guard lock(mutex_);
        return live_.erase(handle) > 0;
    }
    /// Calls `use` with the object while no other thread can change it; false if there is none.
    template <class Use>
    bool with(void* handle, Use&& use) {
        const std::lock_guard lock(mutex_);
        const auto found = live_.find(handle);
        if (found == live_.end()) return false;
        use(*found->second);
        return true;
    }

private:
    std::mutex mutex_;
    std::map<void*, std::unique_ptr<T>> live_;
};

using Events = Handles<Event>;
using Streams = Handles<Stream>;

}  // namespace gpuproj::simulate
