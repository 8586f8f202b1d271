// Objects of a library that the application holds by number, or by a pointer that it does not look into.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace gpuproj::simulate::libraries {

/// Live objects by number, counted from 1. No number is given twice, so that one destroyed already is noticed.
/// Thread-safe.
template <class T>
class HandlesOfLibrary {
public:
    /// Takes `object`, gives its number.
    std::uintptr_t add(T object) {
        const std::lock_guard lock(mutex_);
        live_.emplace(++last_, std::move(object));
        return last_;
    }
    /// False if there is none with this number.
    bool remove(std::uintptr_t handle) {
        const std::lock_guard lock(mutex_);
        return live_.erase(handle) > 0;
    }
    /// Calls `use` with the object while no other thread can change it; false if there is none.
    template <class Use>
    bool with(std::uintptr_t handle, Use&& use) {
        const std::lock_guard lock(mutex_);
        const auto found = live_.find(handle);
        if (found == live_.end()) return false;
        use(found->second);
        return true;
    }

private:
    std::mutex mutex_;
    std::map<std::uintptr_t, T> live_;
    std::uintptr_t last_ = 0;
};

}  // namespace gpuproj::simulate::libraries
