// What each thread of the host keeps for itself.
#pragma once

#include <utility>

namespace gpuproj::simulate {

/// The calling thread's T, of which it has one only: who needs a container wraps it in a type of its own. Made when it
/// is first asked for. There also while the process ends: destructors of static
/// objects and functions given to atexit() launch kernels, when thread_local objects of the main thread are gone.
template <class T>
T& of_thread() {
    thread_local T* own = nullptr;
    struct Owner {
        Owner() = default;
        ~Owner() { delete std::exchange(own, nullptr); }
        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;
    };
    if (own == nullptr) {
        own = new T;  // after its owner is gone nobody deletes it
        thread_local const Owner owner;
        static_cast<void>(owner);
    }
    return *own;
}

}  // namespace gpuproj::simulate
