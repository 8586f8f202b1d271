// Handles that a library's functions begin with, and what they say of scalars. `Handle` is the library's own, derived
// from LibraryHandle, with `alive`, a number that no other library's handles have, and `codes`.
#pragma once

#include <cstdint>
#include <new>

extern "C" {
// Of the CUDA runtime's stand-in.
int cudaFree(void*);
int cudaStreamSynchronize(void*);
int cudaStreamIsCapturing(void*, int*);
}

namespace gpuproj::simulate::libraries {

struct LibraryHandle {
    std::uint64_t magic = 0;  // is it one of ours, and alive?
    void* stream = nullptr;
};

/// What can be wrong with a handle, in the library's own numbers.
struct HandleCodes {
    int success, not_initialized, allocation_failed, invalid_value, execution_failed;
};

/// nullptr if the application's pointer is no live handle of this library.
template <class Handle>
Handle* live_handle(void* handle) noexcept {
    auto* const known = static_cast<Handle*>(handle);
    return known != nullptr && known->magic == Handle::alive ? known : nullptr;
}

/// Where it fails, there is no handle, so that an application that goes on with it is told so and does not crash.
template <class Handle>
int create_handle(void** handle) noexcept {
    if (handle == nullptr) return Handle::codes.invalid_value;
    *handle = nullptr;
    if (cudaFree(nullptr) != 0) return Handle::codes.not_initialized;  // which starts CUDA
    auto* const made = new (std::nothrow) Handle;
    if (made == nullptr) return Handle::codes.allocation_failed;
    made->magic = Handle::alive;
    *handle = made;
    return Handle::codes.success;
}

template <class Handle>
int destroy_handle(void* handle) noexcept {
    auto* const known = live_handle<Handle>(handle);
    if (known == nullptr) return Handle::codes.not_initialized;
    known->magic = 0;
    delete known;
    return Handle::codes.success;
}

/// `member`: which of the handle's members, for instance &LibraryHandle::stream.
template <class Handle, class Member, class Value>
int set_in_handle(void* handle, Member member, Value value) noexcept {
    auto* const known = live_handle<Handle>(handle);
    if (known == nullptr) return Handle::codes.not_initialized;
    known->*member = value;
    return Handle::codes.success;
}
template <class Handle, class Member, class Value>
int get_from_handle(void* handle, Member member, Value* out) noexcept {
    const auto* const known = live_handle<Handle>(handle);
    if (known == nullptr) return Handle::codes.not_initialized;
    if (out == nullptr) return Handle::codes.invalid_value;
    *out = known->*member;
    return Handle::codes.success;
}

/// Waits for the handle's stream; not for one that is being captured, where nothing has been done yet.
template <class Handle>
int wait_for_handle(void* handle) noexcept {
    const auto* const known = live_handle<Handle>(handle);
    if (known == nullptr) return Handle::codes.not_initialized;
    int capturing = 0;
    if (cudaStreamIsCapturing(known->stream, &capturing) == 0 && capturing != 0) return Handle::codes.success;
    return cudaStreamSynchronize(known->stream) == 0 ? Handle::codes.success : Handle::codes.execution_failed;
}

/// A scalar that is read when the call is made, or, in device memory (`pointer_mode` 1), when the work is done.
template <class T>
class Scalar {
public:
    template <class Handle>
    Scalar(const Handle& handle, const void* at)
        : at_(handle.pointer_mode == 0 ? nullptr : static_cast<const T*>(at)),
          value_(handle.pointer_mode == 0 ? *static_cast<const T*>(at) : T{}) {}
    T operator()() const { return at_ != nullptr ? *at_ : value_; }

private:
    const T* at_;
    T value_;
};

}  // namespace gpuproj::simulate::libraries

/// A library's functions for its log, `prefix`SetLevel and the like: there is no log to write.
#define GPUPROJ_NO_LOG(prefix)                              \
    GPUPROJ_LIBRARY_API int prefix##SetCallback(void*) {    \
        return 0;                                           \
    }                                                       \
    GPUPROJ_LIBRARY_API int prefix##SetFile(void*) {        \
        return 0;                                           \
    }                                                       \
    GPUPROJ_LIBRARY_API int prefix##OpenFile(const char*) { \
        return 0;                                           \
    }                                                       \
    GPUPROJ_LIBRARY_API int prefix##SetLevel(int) {         \
        return 0;                                           \
    }                                                       \
    GPUPROJ_LIBRARY_API int prefix##SetMask(int) {          \
        return 0;                                           \
    }                                                       \
    GPUPROJ_LIBRARY_API int prefix##ForceDisable() {        \
        return 0;                                           \
    }
