// Memory and events that processes of one machine have in common (cudaIpc..., cuIpc...). Each process simulates a GPU
// of its own; what they share is the bytes.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"

namespace gpuproj::simulate::driver {

namespace {

constexpr unsigned lazy_peer_access = 1;  // cudaIpcMemLazyEnablePeerAccess, the only flag, which is needed
constexpr unsigned of_event = Event::disable_timing | Event::interprocess;

/// What begins the 64 bytes of a handle.
struct Handle {
    std::uint64_t magic;
    std::int64_t process;
    std::int64_t file;   // that the process has open, of memory
    std::uint64_t node;  // of the file
    std::uint64_t bytes;
};
constexpr std::uint64_t memory_magic = 0x6770752069706D65, event_magic = 0x6770752069706576;

/// cudaIpcMemHandle_t and cudaIpcEventHandle_t.
struct HandleBytes {
    std::array<std::byte, 64> bytes;
};

HandleBytes bytes_of(const Handle& handle) {
    HandleBytes bytes{};
    std::memcpy(bytes.bytes.data(), &handle, sizeof handle);
    return bytes;
}
/// Nothing, if it is none of `magic`.
std::optional<Handle> read(const HandleBytes& bytes, std::uint64_t magic) {
    Handle handle{};
    std::memcpy(&handle, bytes.bytes.data(), sizeof handle);
    return handle.magic == magic ? std::optional(handle) : std::nullopt;
}

/// A file of another process, open here; -1: it is not there any more.
class ItsFile {
public:
    explicit ItsFile(const Handle& handle)
        : file_(open(fmt::format("/proc/{}/fd/{}", handle.process, handle.file).c_str(), O_RDWR | O_CLOEXEC)) {
        struct stat status {};
        if (file_ < 0 || (fstat(file_, &status) == 0 && status.st_ino == handle.node)) return;
        close(file_);  // another by the same number
        file_ = -1;
    }
    ~ItsFile() {
        if (file_ >= 0) close(file_);
    }
    ItsFile(const ItsFile&) = delete;
    ItsFile& operator=(const ItsFile&) = delete;
    int file() const { return file_; }

private:
    int file_;
};

/// The whole allocation is shared that begins at `pointer`.
CudaError share_memory(Runtime& runtime, HandleBytes* out, void* pointer) {
    const auto allocation = runtime.allocations().find(pointer);
    const bool can_be_shared = allocation && allocation->type == cuda::PointerType::device &&
                               allocation->begin == reinterpret_cast<std::uint64_t>(pointer) &&
                               allocation->pool == nullptr && !allocation->opened && !allocation->of_graph;
    if (out == nullptr || !can_be_shared) return cuda::invalid_value;
    const auto file = runtime.share(pointer);
    struct stat status {};
    if (!file || fstat(*file, &status) != 0) return cuda::memory_allocation;
    *out = bytes_of({memory_magic, getpid(), *file, status.st_ino, allocation->bytes});
    return cuda::success;
}

/// What is open here already, by the node of its file.
class Opened {
public:
    static Opened& instance() {
        static auto* const opened = new Opened;
        return *opened;
    }

    CudaError open(Runtime& runtime, void** out, const Handle& handle) {
        const std::lock_guard lock(mutex_);
        if (const auto known = by_node_.find(handle.node); known != by_node_.end()) {
            ++known->second.times;
            *out = known->second.memory;
            return cuda::success;
        }
        const ItsFile its(handle);
        void* const memory = its.file() < 0 ? nullptr : runtime.memory().attach(its.file(), handle.bytes);
        if (memory == nullptr) return cuda::map_buffer_object_failed;
        runtime.allocations().add({.type = cuda::PointerType::device,
                                   .begin = reinterpret_cast<std::uint64_t>(memory),
                                   .bytes = handle.bytes,
                                   .opened = true});
        by_node_[handle.node] = {memory, 1};
        *out = memory;
        return cuda::success;
    }

    CudaError close(Runtime& runtime, void* pointer) {
        const std::lock_guard lock(mutex_);
        const auto known = std::ranges::find_if(by_node_, [&](const auto& e) { return e.second.memory == pointer; });
        if (known == by_node_.end()) return cuda::invalid_value;
        if (--known->second.times > 0) return cuda::success;
        by_node_.erase(known);
        if (const auto closed = runtime.allocations().take(pointer, [](const Allocation& a) { return a.opened; }))
            runtime.released(pointer, closed->bytes);
        runtime.memory().release(pointer);
        return cuda::success;
    }

private:
    struct Memory {
        void* memory = nullptr;
        unsigned times = 0;  // that it was opened
    };
    std::mutex mutex_;
    std::map<std::uint64_t, Memory> by_node_;
};

CudaError open_memory(Runtime& runtime, void** out, const HandleBytes& bytes, unsigned flags) {
    const auto handle = read(bytes, memory_magic);
    if (out == nullptr || flags != lazy_peer_access || !handle) return cuda::invalid_value;
    if (handle->process == getpid()) return cuda::invalid_context;  // one's own is not opened
    return Opened::instance().open(runtime, out, *handle);
}

CudaError share_event(Runtime& runtime, HandleBytes* out, void* event) {
    unsigned flags = 0;
    if (!runtime.events().with(event, [&](const Event& e) { flags = e.flags; })) return cuda::invalid_resource_handle;
    if (out == nullptr || (flags & of_event) != of_event) return cuda::invalid_value;
    *out = bytes_of({event_magic, getpid(), 0, 0, 0});
    return cuda::success;
}

/// Whoever records such an event waits until it is recorded (event.cpp), so that all that others see is over.
CudaError open_event(Runtime& runtime, void** out, const HandleBytes& bytes) {
    const auto handle = read(bytes, event_magic);
    if (out == nullptr || !handle) return cuda::invalid_value;
    if (handle->process == getpid()) return cuda::invalid_context;
    *out = runtime.events().add({of_event});
    return cuda::success;
}

}  // namespace

GPUPROJ_BOTH_INTERFACES(IpcGetMemHandle, (HandleBytes * handle, void* pointer), share_memory(runtime, handle, pointer))
GPUPROJ_BOTH_INTERFACES(IpcOpenMemHandle, (void** pointer, HandleBytes handle, unsigned flags),
                        open_memory(runtime, pointer, handle, flags))
GPUPROJ_CUDA_ALIAS(cuIpcOpenMemHandle_v2, cuIpcOpenMemHandle);
GPUPROJ_BOTH_INTERFACES(IpcCloseMemHandle, (void* pointer), Opened::instance().close(runtime, pointer))
GPUPROJ_BOTH_INTERFACES(IpcGetEventHandle, (HandleBytes * handle, void* event), share_event(runtime, handle, event))
GPUPROJ_BOTH_INTERFACES(IpcOpenEventHandle, (void** event, HandleBytes handle), open_event(runtime, event, handle))

}  // namespace gpuproj::simulate::driver
